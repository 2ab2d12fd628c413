"""``bayeseval simulate``: a results file whose true rates are known.

The document that ``--json`` prints (``"schema": "bayeseval.simulate/1"``):

``schema, version``
    Which document this is, and which bayeseval wrote it.
``file, seed``
    The file that was written, and the seed that makes it again.
``tasks, leaked_tasks, passed, failed, errored``
    What the file holds.
``icc``
    Intraclass correlation of new tasks, leaked ones among them.
``truth``
    Objects with ``quantity`` (``pass_rate``, ``pass@2``, ``pass^2``, ...), ``population``
    (``new_tasks`` or ``suite``, these tasks), ``tasks`` (``all``, ``clean`` or ``leaked``) and
    ``value``, 0-1.
``rates``
    The true rate of each task, in the order of the file.

Numbers are not rounded. What has no answer is ``{"unknown": reason}``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._rate import JsonOption

__all__ = ["simulate"]

Text = str | None
_PANEL = "True rates"


def simulate(
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE.csv", help="Where to write it: a row for each rollout."
        ),
    ],
    tasks: Annotated[
        Text, typer.Option("--tasks", metavar="N", help="Number of tasks. Default: 50.")
    ] = None,
    rollouts: Annotated[
        str,
        typer.Option(
            "--rollouts", metavar="R|LOW-HIGH", help="Rollouts of each task, or a range of them."
        ),
    ] = "4",
    mean: Annotated[
        Text,
        typer.Option(
            "--mean",
            metavar="P",
            help="Mean pass rate of the tasks. Default: 0.65.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    icc: Annotated[
        Text,
        typer.Option(
            "--icc",
            metavar="RHO",
            help="Intraclass correlation, 0-1: how much tasks differ. Default: 0.3.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    mixture: Annotated[
        Text,
        typer.Option(
            "--mixture",
            metavar="WEIGHT:MEAN[:RHO],...",
            help="Instead of both: kinds of tasks, such as 0.3:0,0.2:1,0.5:0.6:0.3.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slice",
            metavar="NAME=TASKS:MEAN[:RHO]",
            help="A part of the suite; may be repeated. Instead of --tasks and --mean.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    leaked_share: Annotated[
        str,
        typer.Option(
            "--leaked-share",
            metavar="SHARE",
            help="Share of tasks whose answers leaked.",
            rich_help_panel=_PANEL,
        ),
    ] = "0",
    recall: Annotated[
        str,
        typer.Option(
            "--recall",
            metavar="P",
            help="Chance that a rollout of a leaked task passes from memory.",
            rich_help_panel=_PANEL,
        ),
    ] = "0.9",
    error_rate: Annotated[
        str,
        typer.Option("--error-rate", metavar="SHARE", help="Share of rollouts that error."),
    ] = "0",
    errors_on: Annotated[
        str,
        typer.Option(
            "--errors-on",
            metavar="any|hard",
            help="Whether all rollouts err alike, or those of hard tasks more often.",
        ),
    ] = "any",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Seed of the simulation.")] = "0",
    json: JsonOption = False,
) -> None:
    """Simulate a results file whose true rates are known; 'fit' reads it."""
    # Loads NumPy, which the help does without.
    from bayeseval.cli._simulate_run import Options, run

    options = Options(
        output=output,
        tasks=tasks,
        rollouts=rollouts,
        mean=mean,
        icc=icc,
        mixture=mixture,
        slices=slices or [],
        leaked_share=leaked_share,
        recall=recall,
        error_rate=error_rate,
        errors_on=errors_on,
        seed=seed,
    )
    run(options, json=json)
