"""``bayeseval watch``: results that accumulate, looked at again and again.

The document that ``--json`` prints (``"schema": "bayeseval.watch/1"``):

``schema, version``
    Which document this is, and which bayeseval wrote it.
``source, formats``
    The files, and the formats that they were read as.
``plan``
    ``looks``, ``tasks_per_look``, ``rollouts``, ``same_tasks``, ``alpha``, ``icc`` or null,
    ``method``, ``simulations``, ``confidence`` (the raised bar), ``false_release`` and its
    ``mcse``.
``look``
    The fields of `Look`.

Numbers are not rounded. The exit status is 0 unless the input is wrong: 2.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._rate import JsonOption
from bayeseval.cli._reading import FilesArgument, Read, with_reading

__all__ = ["watch"]


@with_reading
def watch(
    files: FilesArgument,
    claim: Annotated[
        str,
        typer.Option(
            "--claim",
            metavar="CLAIM",
            help="Such as 'pass_rate > 0.95' or 'pass^3 > 0.8', of new tasks.",
        ),
    ],
    looks: Annotated[
        str,
        typer.Option("--looks", metavar="N", help="Looks planned in all, before the first."),
    ],
    tasks_per_look: Annotated[
        str | None,
        typer.Option(
            "--tasks-per-look",
            metavar="N",
            help="Tasks that each look adds. Default: the tasks so far, divided by the looks "
            "so far, one for each file.",
        ),
    ] = None,
    same_tasks: Annotated[
        bool,
        typer.Option(
            "--same-tasks",
            help="Every look runs the same tasks again: rollouts accumulate, and not tasks. "
            "Recognised where several files hold the same tasks.",
        ),
    ] = False,
    rollouts: Annotated[
        str | None,
        typer.Option(
            "--rollouts",
            metavar="N",
            help="Rollouts of each task at each look. Default: as the files have them.",
        ),
    ] = None,
    alpha: Annotated[
        str,
        typer.Option(
            "--alpha",
            metavar="P",
            help="Largest probability that a system on the bar is ever released. Default: 0.05.",
        ),
    ] = "0.05",
    icc: Annotated[
        str | None,
        typer.Option(
            "--icc",
            metavar="RHO",
            help="ICC of the systems, for several rollouts. Default: the worst of 0.1, 0.4, 0.8.",
        ),
    ] = None,
    simulations: Annotated[
        str,
        typer.Option(
            "--simulations",
            metavar="N",
            help="Simulated runs that set the bar, for several rollouts. Default: 1000.",
        ),
    ] = "1000",
    json: JsonOption = False,
    *,
    reading: Read,
) -> None:
    """Look at results while they accumulate: released, contradicted, or go on, and how long.

    The bar is raised for the number of looks, so that a system that does not deserve it is
    hardly ever released at any of them.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli import _watch_run

    _watch_run.run(
        reading,
        files,
        claim=claim,
        looks=looks,
        tasks_per_look=tasks_per_look,
        same_tasks=same_tasks,
        rollouts=rollouts,
        alpha=alpha,
        icc=icc,
        simulations=simulations,
        json=json,
    )
