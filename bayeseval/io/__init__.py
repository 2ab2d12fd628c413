"""Reading what evaluation harnesses write: one module per format, and a registry."""

from __future__ import annotations

import os

from bayeseval.errors import InputError
from bayeseval.io._format import Options, Source
from bayeseval.io._records import to_rollouts
from bayeseval.io._registry import choose
from bayeseval.io._totals import in_file
from bayeseval.rollouts import Rollouts

__all__ = ["read"]


def read(
    path: str | os.PathLike[str], *, format: str | None = None, system: str | None = None
) -> Rollouts:
    """Read a file of evaluation results.

    The format is recognised by the content of the file; its name plays no part.

    Parameters
    ----------
    path : str or path-like
        The file.
    format : str, default None
        Name of the format to insist on: ``"tau-bench"``, ``"counts"`` or ``"long"``.
        Recognised if None.
    system : str, default None
        The system (model, agent) to read, where the file holds several.

    Returns
    -------
    Rollouts
        Its ledger says where every record went, and which columns were not used.

    Raises
    ------
    FormatError
        The file cannot be read as results; the message names the line or record.
    InputError
        A value that cannot be right, contradictory records, several systems and none
        chosen, an unknown `format` or `system`.

    Notes
    -----
    ``long``
        CSV, TSV or JSONL (or a JSON list of objects) with one row for each rollout: a
        task, an outcome, and optionally a rollout id, a system and further columns, found
        by their usual names in any case. Further columns that are constant within each
        task become factors. Ids in CSV are text, as they stand; in JSON they keep their
        type.
    ``counts``
        The same files with one row for each task: task, passes, trials (scored rollouts),
        and optionally errored and missing.
    ``tau-bench``
        The JSON list that tau-bench writes. A reward of 1 is a pass; a rollout that ended
        with an error is errored.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.read("examples/sqlagent.csv")
    Rollouts(50 tasks x 4 rollouts: 130 of 200 passed, 0 errored)
    """
    name = os.fspath(path)
    options = Options(system=system)
    try:
        source = Source.open(name)
        chosen = choose(source, format)
        return to_rollouts(chosen.read(source, options), options, source=name)
    except InputError as error:
        # Readers know the line, only this function knows the file.
        raise in_file(name, error) from None
