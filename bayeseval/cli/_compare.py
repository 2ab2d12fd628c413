"""``bayeseval compare``: whether the new system is better, or which of many is the best.

The document that ``--json`` prints (``"schema": "bayeseval.compare/1"``):

``schema, version, seed``
    Which document this is, which bayeseval wrote it, and the seed that repeats it.
``systems``
    ``name, tasks, passes, trials, errored`` of each.
``tasks``
    ``matched`` (every system scored), ``unmatched``, and ``used``.
``sentence, notes, engine``
    The answer in words, what a reader must see, and ``exact`` or ``nuts``.
``checks``
    Of the sampler.

Of two systems also ``evidence`` (``better``, ``worse`` or ``none``: of the second over the
first), ``estimates`` (one for each ``quantity`` and ``population``: ``mean, sd, lower, upper,
ci_prob, prob_better, prob_better_by, prob_not_worse, prob_equal, loss_new, loss_old``),
``asked`` (``by, margin, rope``), ``variance_ratio``, ``rates``, ``baselines`` (``bootstrap``,
``newcombe``, ``mcnemar_exact``, ``mcnemar_mid_p``), ``errored_bounds`` and ``moved``.

Of more also ``table`` (one row for each system, best first), ``groups``, ``top`` (``r`` and the
probabilities), ``pairwise`` (row better than column, in the order of ``systems``) and ``holm``.

Numbers are not rounded. What has no answer is ``{"unknown": reason}``.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from bayeseval.cli._rate import CiProbOption, JsonOption
from bayeseval.cli._reading import Read, with_reading

__all__ = ["compare"]


@partial(with_reading, system=False)
def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="OLD NEW [MORE...]",
            help="One file, folder or pattern for each system, old before new; or one file that "
            "holds several systems.",
            show_default=False,
        ),
    ],
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="A system of a file that holds several; may be given several times, old first. "
            "Default: all of them.",
            rich_help_panel="Reading FILE",
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option("--names", metavar="NAME,...", help="What to call the systems."),
    ] = None,
    unmatched: Annotated[
        str,
        typer.Option(
            "--unmatched",
            metavar="drop|use",
            help="Tasks that some system did not run: left out, or used by the PyMC model.",
        ),
    ] = "drop",
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="K,K,...",
            help="Values of k for pass@k and pass^k. Default: the rollouts that every task has.",
        ),
    ] = None,
    by: Annotated[
        str, typer.Option("--by", metavar="D", help="Ask how probable better by more than D is.")
    ] = "0.05",
    margin: Annotated[
        str,
        typer.Option("--margin", metavar="D", help="Ask how probable not worse by D or more is."),
    ] = "0.02",
    rope: Annotated[
        str,
        typer.Option(
            "--rope", metavar="D|LOW,HIGH", help="Differences that count as practically equal."
        ),
    ] = "0.02",
    top: Annotated[
        str, typer.Option("--top", metavar="R", help="Of many: how probable the top R is.")
    ] = "3",
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="auto|exact|nuts",
            help="exact serves two systems with one rollout of each task; nuts samples the PyMC "
            "model; auto chooses.",
        ),
    ] = "auto",
    errors: Annotated[
        str,
        typer.Option(
            "--errors",
            metavar="exclude|fail",
            help="Errored rollouts: left out (and bounded), or failures.",
            rich_help_panel="Reading FILE",
        ),
    ] = "exclude",
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Write a figure: .png, .svg or .pdf."),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option("--seed", metavar="N", help="Seed; a new one is drawn and shown otherwise."),
    ] = None,
    draws: Annotated[
        str, typer.Option("--draws", metavar="N", help="Draws of each chain, after tuning.")
    ] = "1000",
    chains: Annotated[str, typer.Option("--chains", metavar="N", help="Chains.")] = "4",
    *,
    reading: Read,
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
) -> None:
    """Whether NEW is better than OLD, or which of many systems is the best.

    Tasks are joined on their ids. Differences are new minus old.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli import _compare_run

    options = _compare_run.Options.of(
        system=system,
        names=names,
        unmatched=unmatched,
        k=k,
        by=by,
        margin=margin,
        rope=rope,
        top=top,
        engine=engine,
        plot=plot,
        seed=seed,
        draws=draws,
        chains=chains,
        ci_prob=ci_prob,
    )
    _compare_run.run(reading(files, errors=errors), options, json=json)
