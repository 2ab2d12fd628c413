"""Reading results: from what the caller names to one suite, or to totals."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bayeseval._validate import one_of
from bayeseval.errors import InputError
from bayeseval.io._combine import (
    COMBINE_HELP,
    Combine,
    as_parts,
    as_runs,
    pick_system,
    system_names,
)
from bayeseval.io._format import Format
from bayeseval.io._inputs import Input, Paths, open_inputs
from bayeseval.io._options import Options
from bayeseval.io._pass_if import as_pass_if
from bayeseval.io._pick import pick
from bayeseval.io._records import SeveralSystems, systems_in, to_rollouts
from bayeseval.io._totals import Totals, TotalsOnly, in_file
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._text import plural

__all__ = ["FileRead", "Found", "find", "read", "read_totals", "total_or_suite"]

Duplicates = Literal["error", "rollouts"]


def read(
    path: Paths,
    *,
    format: str | None = None,
    system: str | None = None,
    scorer: str | None = None,
    metric: str | None = None,
    filter: str | None = None,
    pass_if: str | float | Callable[[float], bool] | None = None,
    duplicates: Duplicates = "error",
    skip_bad_records: bool = False,
    combine: Combine | None = None,
) -> Rollouts:
    """Read evaluation results.

    The format is recognised by the content; names play no part. ``bayeseval formats``
    lists the formats, and docs/formats.md says what is a task, a rollout and a pass in each.

    Parameters
    ----------
    path : str, path-like, or iterable of them
        Files, folders, patterns such as ``"runs/*.jsonl"``, or ``"-"`` for standard input.
        Of a folder everything that is recognised is read, and the rest is counted in a note.
    format : str, default None
        Name of the format to insist on, such as ``"long"``; recognised if None.
    system : str, default None
        The system (model, agent) to read, where there are several.
    scorer, metric, filter : str, default None
        Which outcome to read, where a file holds several; each format uses one of the
        three words, and the error that asks says which.
    pass_if : str, float or callable, default None
        Which scores pass: a comparison such as ``">= 0.5"``, a number (a lower bar), or a
        function of the score. By default full credit, and a note counts partial credit.
    duplicates : {"error", "rollouts"}, default "error"
        What contradictory records of one (task, rollout) are. Those that agree are merged
        and counted.
    skip_bad_records : bool, default False
        Whether records that cannot be decoded are left out, and counted in a note, instead
        of being an error.
    combine : {"rollouts", "tasks", "systems"}, default None
        What several files are: runs of one system, joined on the task id; parts of one
        suite, which share no task; or one file per system, of which `system` picks one.

    Returns
    -------
    Rollouts
        Its ledger says where every record went, and what the harness itself would count.

    Raises
    ------
    FormatError
        A file that cannot be read as results, or that holds totals only; the message names
        the line or record.
    InputError
        A value that cannot be right, contradictory records, several systems, outcomes or
        files and no choice between them, an unknown name.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.read("examples/sqlagent.csv")
    Rollouts(50 tasks x 4 rollouts: 130 of 200 passed, 0 errored)
    """
    return find(
        path,
        format=format,
        system=system,
        scorer=scorer,
        metric=metric,
        filter=filter,
        pass_if=pass_if,
        duplicates=duplicates,
        skip_bad_records=skip_bad_records,
        combine=combine,
    ).rollouts


@dataclass(frozen=True, slots=True, eq=False)
class FileRead:
    """A file that was read, and as what.

    Parameters
    ----------
    name : str
        The file.
    format : Format
        What read it.
    version : str or None
        Versions that the file names: of its format, its harness or its task set.
    """

    name: str
    format: Format
    version: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A suite, and the files that it was read from.

    Parameters
    ----------
    rollouts : Rollouts
        The suite.
    files : tuple of FileRead
        The files.
    """

    rollouts: Rollouts
    files: tuple[FileRead, ...]


def find(
    path: Paths,
    *,
    format: str | None,
    system: str | None,
    scorer: str | None,
    metric: str | None,
    filter: str | None,
    pass_if: str | float | Callable[[float], bool] | None,
    duplicates: Duplicates,
    skip_bad_records: bool,
    combine: Combine | None,
) -> Found:
    """As `read`, and say what the files are."""
    options = Options(
        system=system,
        scorer=scorer,
        metric=metric,
        filter=filter,
        pass_if=as_pass_if(pass_if),
        duplicates=one_of(duplicates, Duplicates, "duplicates"),
        skip_bad_records=skip_bad_records,
    )
    if combine is not None:
        one_of(combine, Combine, "combine")
    with open_inputs(path, format) as (inputs, notes):
        if len(inputs) > 1:
            inputs, left_out = _without_totals(inputs, options)
            notes += left_out
        files: list[FileRead] = []
        rollouts = _combined(inputs, options, combine, files).with_notes(*notes)
    return Found(rollouts, tuple(files))


def read_totals(
    path: Paths, *, format: str | None = None, metric: str | None = None, filter: str | None = None
) -> Totals:
    """Read how many passed of how many, without single rollouts.

    For files that hold totals only, such as the ``results_*.json`` of
    lm-evaluation-harness, and for those that `read` reads, whose rollouts are summed up.

    Parameters
    ----------
    path : str, path-like, or iterable of them
        As for `read`, but one file.
    format : str, default None
        Name of the format to insist on.
    metric : str, default None
        Which of the totals, where the file holds several.
    filter : str, default None
        As for `read`.

    Returns
    -------
    Totals
        With `passes` None where the file gives a rate that no whole number of passes has.

    Raises
    ------
    FormatError
        A file that holds neither.
    InputError
        Several totals and none chosen, an unknown one.

    Notes
    -----
    Totals over several rollouts of each task look more certain than they are: rollouts of
    one task are not independent.
    """
    found = total_or_suite(path, format=format, metric=metric, filter=filter)
    if isinstance(found, Totals):
        return found
    ledger = found.ledger
    if not ledger.scored:
        raise InputError(f"{found.source}: no rollout was scored")
    return Totals("scored rollouts", ledger.passed, ledger.scored, ledger.passed / ledger.scored)


def total_or_suite(
    path: Paths, *, format: str | None, metric: str | None, filter: str | None
) -> Totals | Rollouts:
    """Read a file: the total that is meant where it holds no more, else its rollouts."""
    with open_inputs(path, format) as (inputs, _):
        if len(inputs) > 1:
            raise InputError(f"totals are read from one file; there are {len(inputs)}")
        (each,) = inputs
        try:
            return _suite(each, Options(metric=metric, filter=filter), [])
        except TotalsOnly as found:
            return _pick_totals(each.name, found.totals, metric)


def _pick_totals(name: str, totals: Sequence[Totals], metric: str | None) -> Totals:
    try:
        chosen = pick([each.name for each in totals], metric, "metric", "totals")
    except InputError as error:
        raise in_file(name, error) from None
    return next(each for each in totals if each.name == chosen)


def _combined(
    inputs: list[Input], options: Options, combine: Combine | None, files: list[FileRead]
) -> Rollouts:
    if len(inputs) == 1 and combine != "systems":
        return _suite(inputs[0], options, files)
    if combine is None:
        listed = ", ".join(each.name for each in inputs[:5]) + (", ..." if inputs[5:] else "")
        raise InputError(
            f"{plural(len(inputs), 'file')} ({listed}): say what they are with combine= (--as): "
            f"{COMBINE_HELP}"
        )
    if combine == "systems":
        return _one_system(inputs, options, files)
    formats = {each.format.name: each.name for each in inputs}
    if len(formats) > 1:
        listed = ", ".join(f"{name} is {known!r}" for known, name in formats.items())
        raise InputError(f"the files are of different formats, and cannot be joined: {listed}")
    suites = [(each.name, _suite(each, options, files)) for each in inputs]
    return as_runs(suites) if combine == "rollouts" else as_parts(suites)


def _without_totals(inputs: list[Input], options: Options) -> tuple[list[Input], list[str]]:
    """Leave out files of a folder that sum up the others, and say so."""
    kept: list[Input] = []
    totals: list[str] = []
    for each in inputs:
        if each.in_folder and _holds_totals(each, options):
            totals.append(os.path.basename(each.name))
        else:
            kept.append(each)
    if not kept or not totals:
        return inputs, []
    listed = ", ".join(totals[:3]) + (", ..." if totals[3:] else "")
    return kept, [
        f"not read, since they hold totals only: {plural(len(totals), 'file')} ({listed})"
    ]


def _holds_totals(each: Input, options: Options) -> bool:
    try:
        each.format.read(each.source, options)
    except TotalsOnly:
        return True
    except InputError:
        # Whatever is wrong with it is told when it is read in earnest.
        return False
    return False


def _suite(each: Input, options: Options, files: list[FileRead]) -> Rollouts:
    try:
        data = each.format.read(each.source, options)
        files.append(FileRead(each.name, each.format, data.version))
        return to_rollouts(data, options, source=each.name)
    except InputError as error:
        # Readers know the line, only this function knows the file.
        raise in_file(each.name, error) from None


def _one_system(inputs: list[Input], options: Options, files: list[FileRead]) -> Rollouts:
    """Read the file that holds the system which is meant; the others only as far as needed."""
    within = replace(options, system=None)
    systems: list[tuple[Input, str | None]] = []
    for each in inputs:
        found: Sequence[str | None]
        try:
            found = systems_in(each.format.read(each.source, within))
        except SeveralSystems as several:
            # A large table is counted for one system at a time.
            found = several.names
        except InputError as error:
            raise in_file(each.name, error) from None
        systems += [(each, label) for label in found]
    names = system_names([(each.name, label) for each, label in systems])
    at = pick_system(names, options.system)
    each, label = systems[at]
    suite = _suite(each, replace(options, system=label), files)
    others = [name for name in names if name != names[at]]
    if others:
        suite = suite.with_notes(f"other systems in the files, not used: {', '.join(others)}")
    if label is None or label != names[at]:
        suite = suite.with_factor("system", names[at])
    return suite
