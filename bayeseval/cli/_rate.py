"""``bayeseval rate``: the pass rate of independent trials, and whether it clears a bar.

The document that ``--json`` prints (``"schema": "bayeseval.rate/1"``):

``schema, version``
    Which document this is, and which bayeseval wrote it.
``source``
    null, or the file and which of its totals was read.
``passes, trials, observed_rate``
    What was observed; ``observed_rate`` is UNKNOWN without trials.
``prior, posterior``
    ``alpha`` and ``beta``; the posterior also has ``mean``, ``median``, ``sd`` and its
    interval: ``lower``, ``upper``, ``ci_prob``, ``ci_kind``.
``wilson``
    ``lower``, ``upper``, ``ci_prob``.
``claims``
    One for each bar: ``claim`` in symbols, ``lower`` and ``upper`` end of the range that
    is claimed, ``prob`` and ``prob_not`` (each computed as itself), ``log_bayes_factor``
    for the claim against its contrary, and the ``sentence``.
``priors``
    For each claim, or for the rate without any: ``rows`` under other priors (``prior``,
    ``formula``, ``mean``, ``lower``, ``upper``, ``ci_prob``, ``prob``, ``verdict``; the first is
    the prior that was used), ``claim``, ``confidence``, ``moves``, ``moved`` (names of
    priors) and ``conclusion``.
``errored, lost``
    How many rollouts of the file were not scored and are left out; null, or the rate
    ``if_failed`` and ``if_passed``: ``passes``, ``trials``, ``mean``, ``lower``, ``upper``,
    ``ci_prob``, and ``probs`` of the claims.
``next``
    null, or the prediction for the next trials: ``trials``, ``mean``, ``lower``, ``upper``
    (numbers of passes), ``ci_prob``, ``prob_all_pass``.

Numbers are not rounded. What has no answer is ``{"unknown": reason}``.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._reading import FilterOption, FormatOption, MetricOption
from bayeseval.cli._tables import Printer, print_json

__all__ = ["CiProbOption", "JsonOption", "rate"]

CiProbOption = Annotated[
    str, typer.Option("--ci-prob", metavar="P", help="Level of intervals, between 0 and 1.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of text.")
]


def rate(
    counts: Annotated[
        str,
        typer.Argument(
            metavar="PASSES/TRIALS|FILE",
            help="Passes out of independent trials, such as 194/200; or a file with one rollout "
            "for each task, or with totals only.",
        ),
    ],
    above: Annotated[
        str | None, typer.Option("--above", metavar="T", help="Ask how probable p > T is.")
    ] = None,
    below: Annotated[
        str | None, typer.Option("--below", metavar="T", help="Ask how probable p < T is.")
    ] = None,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--between", metavar="LOWER UPPER", help="Ask how probable LOWER < p < UPPER is."
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            "--prior",
            metavar="NAME|ALPHA,BETA",
            help="uniform (default), jeffreys, or the two parameters of a Beta.",
        ),
    ] = None,
    prior_mean: Annotated[
        str | None,
        typer.Option("--prior-mean", metavar="M", help="Mean of the prior; needs --prior-weight."),
    ] = None,
    prior_weight: Annotated[
        str | None,
        typer.Option("--prior-weight", metavar="W", help="How many trials the prior counts for."),
    ] = None,
    next_trials: Annotated[
        int | None, typer.Option("--next", metavar="M", help="Predict the next M trials.")
    ] = None,
    metric: MetricOption = None,
    filter: FilterOption = None,
    format: FormatOption = None,
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
) -> None:
    """Pass rate from independent trials: one rollout for each task.

    Several rollouts of one task are not independent: use 'bayeseval fit'.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli._rate_report import RateReport

    report = RateReport.of(
        counts,
        metric=metric,
        filter=filter,
        format=format,
        above=above,
        below=below,
        between=between,
        prior=prior,
        prior_mean=prior_mean,
        prior_weight=prior_weight,
        next_trials=next_trials,
        ci_prob=ci_prob,
    )
    if json:
        print_json(report.document())
    else:
        report.print(Printer())
