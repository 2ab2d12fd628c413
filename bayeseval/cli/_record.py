"""``bayeseval record``: make an auditable record of an answer, and check one.

``record make`` writes, and prints with ``--json``, the document that
``bayeseval/record/estimate_record.schema.json`` describes (``"schema": "bayeseval.record/1"``).
"""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._modelling import PriorOption
from bayeseval.cli._rate import CiProbOption, JsonOption
from bayeseval.cli._reading import FilesArgument, Read, with_reading

__all__ = ["record"]

record = typer.Typer(
    name="record",
    help="Make an auditable record of an answer, and check one.",
    no_args_is_help=True,
)


@record.command()
@with_reading
def make(
    files: FilesArgument,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the record: .json, .md or .html."
        ),
    ] = None,
    quantity: Annotated[
        str,
        typer.Option("--quantity", metavar="pass_rate|pass^K|pass@K", help="What is estimated."),
    ] = "pass_rate",
    population: Annotated[
        str,
        typer.Option(
            "--population", metavar="new_tasks|suite|next_run", help="Whom the answer is for."
        ),
    ] = "new_tasks",
    claim: Annotated[
        str | None,
        typer.Option(
            "--claim", metavar="CLAIM", help="A claim, such as 'pass^3 > 0.8', and its verdict."
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", metavar="P", help="Probability that a verdict needs.")
    ] = "0.95",
    engine: Annotated[
        str, typer.Option("--engine", metavar="exact|nuts", help="What computes.")
    ] = "exact",
    prior: PriorOption = "uniform",
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="FACTOR,...", help="Fit slice by slice, each alone."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="CSV", help="The population, for --by."),
    ] = None,
    estimand: Annotated[
        str | None,
        typer.Option("--estimand", metavar="TEXT", help="The estimand in your own words."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed.")] = 0,
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
    *,
    reading: Read,
) -> None:
    """Make a record of one answer: estimand, estimate, baselines, checks and provenance."""
    # Loads NumPy, which the help does without.
    from bayeseval.cli import _record_run

    _record_run.make(
        reading(files),
        _record_run.Options.of(
            output=output,
            quantity=quantity,
            population=population,
            claim=claim,
            confidence=confidence,
            engine=engine,
            prior=prior,
            by=by,
            weights=weights,
            estimand=estimand,
            seed=seed,
            ci_prob=ci_prob,
        ),
        json=json,
    )


@record.command()
def check(
    file: Annotated[str, typer.Argument(metavar="RECORD", help="A record: .json.")],
    json: JsonOption = False,
) -> int:
    """Compute a record again from its inputs: exit 0 if all is as recorded, 1 if not.

    The names of the inputs begin at the current folder.
    """
    from bayeseval.cli import _record_run

    return _record_run.check(file, json=json)
