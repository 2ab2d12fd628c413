"""``bayeseval report``: one document that a reader can act on, audit, and check by machine."""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._modelling import PoolingOption, PriorOption, SeedOption, WeightsOption
from bayeseval.cli._rate import CiProbOption
from bayeseval.cli._reading import FilesArgument, Read, with_reading

__all__ = ["report"]


@with_reading
def report(
    files: FilesArgument,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="What to write: .html, .md or .json."),
    ],
    claim: Annotated[
        list[str] | None,
        typer.Option(
            "--claim",
            metavar="CLAIM",
            help="Such as 'pass^3 > 0.8'; the report begins with the verdict. May be given "
            "several times.",
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option("--confidence", metavar="P", help="Probability that a verdict needs.")
    ] = "0.95",
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="K,K,...",
            help="Values of k for pass@k and pass^k. Default: 1, 2, 4 and 8, as far as the "
            "rollouts per task reach.",
        ),
    ] = None,
    above: Annotated[
        str | None,
        typer.Option(
            "--above",
            metavar="T",
            help="The bar of figures and tables; without --claim also the claim 'pass_rate > T'.",
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="nuts|exact",
            help="nuts also samples the PyMC model and shows its checks; exact does without.",
        ),
    ] = "nuts",
    prior: PriorOption = "uniform",
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="FACTOR,...",
            help="Slices: the levels of a factor, or of several crossed.",
            rich_help_panel="Slices",
        ),
    ] = None,
    pooling: PoolingOption = None,
    weights: WeightsOption = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Results of an earlier system on the same tasks: compared task by task, and what "
            "\\[baseline] in a claim stands for. Several rollouts of a task are compared by "
            "sampling.",
        ),
    ] = None,
    leaked: Annotated[
        str | None,
        typer.Option(
            "--leaked",
            metavar="FACTOR",
            help="A factor that marks leaked tasks: answers for all and for clean ones.",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="Title of the report.")
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures", metavar="DIR", help="Also write every figure as SVG and PNG into DIR."
        ),
    ] = None,
    seed: SeedOption = None,
    *,
    reading: Read,
    ci_prob: CiProbOption = "0.95",
) -> None:
    """Write a report: verdict, answers, checks, methods and records in one file.

    HTML needs no network and no JavaScript. Errored rollouts are left out, and bounded.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli import _report_run

    options = _report_run.Options.of(
        output=output,
        claims=claim,
        confidence=confidence,
        k=k,
        above=above,
        engine=engine,
        prior=prior,
        by=by,
        pooling=pooling,
        weights=weights,
        baseline=baseline,
        leaked=leaked,
        title=title,
        figures=figures,
        seed=seed,
        ci_prob=ci_prob,
    )
    _report_run.run(reading(files), options, baseline=reading(baseline or []))
