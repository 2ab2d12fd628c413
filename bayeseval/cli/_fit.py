"""``bayeseval fit``: honest answers from a file with several rollouts per task.

The document that ``--json`` prints (``"schema": "bayeseval.fit/1"``):

``schema, version``
    Which document this is, and which bayeseval wrote it.
``source, formats, seed``
    The files, the formats that they were read as, and the seed that repeats the run.
``errors``
    ``exclude``, ``fail``, ``bounds`` or ``model``: what ``--errors`` made of errored rollouts.
``ledger``
    ``tasks``, ``tasks_without_score``, ``passed``, ``failed``, ``errored``, ``missing``,
    ``duplicates`` and ``notes``: where every rollout went.
``histogram``
    ``passes``, ``trials`` and ``tasks``: how many tasks have these counts.
``prior``
    The prior as a formula.
``estimates``
    The exact engine's answers, one for each quantity and population: ``quantity``
    (``pass_rate``, ``pass_at_k``, ``pass_hat_k``), ``k`` (null for the pass rate),
    ``population`` (``new_tasks``, ``suite``, ``next_run``), ``engine``, ``mean``,
    ``median``, ``sd``, ``lower``, ``upper``, ``ci_prob``, ``ci_kind``, ``extrapolated``,
    ``mcse_mean`` (0 where exact) and, with ``--above``, ``threshold``, ``prob_above``
    and ``prob_below``; else these three are null.
``icc``
    The intraclass correlation, with the same fields.
``unbiased``
    ``quantity``, ``k``, ``value`` and ``se`` of the unbiased estimators.
``baselines``
    ``name``, ``estimate``, ``lower``, ``upper``, ``ci_prob``, ``kind``, ``sound``, ``advice``.
``effective_rollouts``
    How many independent rollouts would know as much about the pass rate.
``lost``
    null where no rollout errored; else ``if_failed`` and ``if_passed``: the estimates on
    new tasks if all errored rollouts had failed, or had passed.
``bounds``
    null without ``--errors bounds``; else ``if_failed`` and ``if_passed``: each with the
    ``estimates``, ``icc``, ``unbiased``, ``baselines`` and ``effective_rollouts`` that would
    then stand above.
``by_odds_ratio``
    null without ``--errors model``; else ``errored`` and ``tasks`` (how many rollouts on how
    many tasks), ``imputations``, ``summary``, and ``rows``: the estimates on new tasks for
    each ``odds_ratio`` (a number or ``"inf"``), with ``engine`` ``exact`` or ``imputed``.
``priors``
    The pass rate of new tasks, and pass@k and pass^k at the largest k, under other priors:
    one entry for each ``quantity``, with ``k``,
    ``claim`` and ``confidence``, ``rows`` (``prior``, ``formula``, ``mean``, ``lower``,
    ``upper``, ``ci_prob``, ``prob``, ``verdict``; the first row is the fit's own prior),
    ``moves``, ``moved`` (names of priors) and ``conclusion``.
``slices``
    null without ``--by``; else ``by``, ``pooling``, ``rows`` (each slice: ``slice``, ``tasks``,
    ``rollouts``, ``passes``, ``errored``, ``raw_rate``, ``wilson``, ``bootstrap``, ``mean``,
    ``lower``, ``upper``, ``small``), ``worst`` with ``prob_worst``, ``weights`` (``share``,
    ``count``, ``unsupported``), ``estimates`` over the mix of slices (with
    ``if_unsupported_pass`` where a slice without tasks gives a range), ``lost``, ``priors``
    (the pass rate under other priors; null if partially pooled), ``stratified``
    (``estimate``, ``se``, ``interval``, ``unweighted``, ``n_eff``, ``variance_share``),
    ``next_tasks`` and ``checks``.
``flaky``
    The tasks with the largest pass@k minus pass^k: ``task``, ``passes``, ``trials``, ``k``,
    ``mean``, ``lower``, ``upper``.
``contamination``
    null without ``--leaked``; else ``leaked_tasks``, ``tasks`` and ``rows``: ``quantity``,
    ``k``, ``all``, ``clean`` and ``inflation``.
``checks``
    Those of the exact engine: ``name``, ``value``, ``limit``, ``at_most`` (whether the
    limit is an upper one), ``passed``, ``meaning``, ``remedy``.
``sampled``
    null with ``--engine exact``; else ``draws``, ``chains``, ``estimates`` and ``checks`` of the
    sampled model, and ``power_scaling`` of its draws: ``threshold``, ``flat_prior`` and
    ``rows`` (``quantity``, ``prior``, ``likelihood``, ``diagnosis``).
``notes``
    Sentences that a reader of the numbers must see.
``files``
    ``plot`` and ``save``: the files written, or null.

Numbers are not rounded. What has no answer is ``{"unknown": reason}``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._modelling import PoolingOption, PriorOption, SeedOption, WeightsOption
from bayeseval.cli._rate import CiProbOption, JsonOption
from bayeseval.cli._reading import FilesArgument, Read, with_reading

__all__ = ["fit"]

ErrorsOption = Annotated[
    str,
    typer.Option(
        "--errors",
        metavar="exclude|fail|bounds|model",
        help="Errored rollouts: left out; failures; every answer three ways (left out, all "
        "failed, all passed); or left out, with a table of answers by the odds that they would "
        "have passed.",
        rich_help_panel="Reading FILE",
    ),
]


@with_reading
def fit(
    files: FilesArgument,
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
            "--above", metavar="T", help="Ask how probable it is that each quantity exceeds T."
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="nuts|exact",
            help="nuts also samples the PyMC model and checks it; exact does without.",
        ),
    ] = "nuts",
    prior: PriorOption = "uniform",
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="FACTOR,...",
            help="Fit slice by slice: the levels of a factor, or of several crossed.",
            rich_help_panel="Slices",
        ),
    ] = None,
    pooling: PoolingOption = None,
    weights: WeightsOption = None,
    unsupported: Annotated[
        str,
        typer.Option(
            "--unsupported",
            metavar="refuse|bounds",
            help="A slice with weight but without tasks: an error, or the range of answers.",
            rich_help_panel="Slices",
        ),
    ] = "refuse",
    next_tasks: Annotated[
        str | None,
        typer.Option(
            "--next-tasks",
            metavar="M",
            help="Say in which slices the next M tasks would tell most.",
            rich_help_panel="Slices",
        ),
    ] = None,
    leaked: Annotated[
        str | None,
        typer.Option(
            "--leaked",
            metavar="FACTOR[=LEVEL]",
            help="A factor that marks leaked tasks: answers for all and for clean ones.",
            rich_help_panel="Slices",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Write a figure: .png, .svg or .pdf."),
    ] = None,
    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE", help="Write the fit: .nc.")
    ] = None,
    seed: SeedOption = None,
    draws: Annotated[
        int | None,
        typer.Option(
            "--draws", metavar="N", help="Draws of each chain, after tuning. Default: 1000."
        ),
    ] = None,
    chains: Annotated[
        int | None, typer.Option("--chains", metavar="N", help="Chains. Default: 4.")
    ] = None,
    errors: ErrorsOption = "exclude",
    odds_ratio: Annotated[
        str | None,
        typer.Option(
            "--odds-ratio",
            metavar="R,R,...",
            help="With --errors model: odds that an errored rollout would have passed, over those "
            "of a scored one of its task. Default: 0.25,0.5,1,2,4, and always 0 and inf.",
            rich_help_panel="Reading FILE",
        ),
    ] = None,
    *,
    reading: Read,
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
) -> None:
    """Pass rate, pass@k and pass^k from FILE, with honest intervals.

    Prints what was read, the exact posterior and the baselines; then samples
    the PyMC model and prints its checks.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli import _fit_run

    options = _fit_run.Options.of(
        k=k,
        above=above,
        engine=engine,
        prior=prior,
        plot=plot,
        save=save,
        seed=seed,
        draws=draws,
        chains=chains,
        ci_prob=ci_prob,
        errors=errors,
        odds_ratio=odds_ratio,
        by=by,
        pooling=pooling,
        weights=weights,
        unsupported=unsupported,
        next_tasks=next_tasks,
        leaked=leaked,
    )
    _fit_run.run(reading(files, errors=errors), options, json=json)
