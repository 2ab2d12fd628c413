"""The baselines side by side, each with what it is good for."""

from __future__ import annotations

from dataclasses import dataclass

from bayeseval._cells import NO_SCORED_TASK
from bayeseval._interval import Interval
from bayeseval._validate import Seed, as_probability
from bayeseval.baselines._bootstrap import cluster_bootstrap
from bayeseval.baselines._clustered import ClusterSummary, clustered_se
from bayeseval.baselines._proportion import Method, interval, normal_quantile
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["Baseline", "baseline_table"]

# One rollout per task: the intervals for independent trials, and what to know of each.
_TASK_METHODS: tuple[tuple[Method, str, str], ...] = (
    ("wilson", "Wilson on tasks", "the usual choice for one rollout per task"),
    ("jeffreys", "Jeffreys on tasks", "near Wilson; a little narrower at the ends"),
    ("agresti_coull", "Agresti-Coull on tasks", "near Wilson; wider at the ends"),
    ("clopper_pearson", "Clopper-Pearson on tasks", "never too narrow, so often too wide"),
    ("wald", "Wald on tasks", "do not use: too narrow near 0 % and 100 %, with no width at them"),
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """One row of the display of baselines.

    Parameters
    ----------
    name : str
        What it is, in words.
    estimate : float or Unknown
        The pass rate that this row is about, 0-1.
    interval : Interval or Unknown
        Its interval; `Unknown` where the method has none.
    advice : str
        When to believe it.
    sound : bool
        False where the row is shown as what not to do with these data.
    """

    name: str
    estimate: float | Unknown
    interval: Interval | Unknown
    advice: str
    sound: bool = True


def baseline_table(
    rollouts: Rollouts,
    *,
    ci_prob: float = 0.95,
    n_resamples: int = 10_000,
    rng: Seed = None,
) -> tuple[Baseline, ...]:
    """Frequentist intervals for a suite's pass rate, side by side.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. Tasks without a scored rollout are left out.
    ci_prob : float, default 0.95
        Nominal level, strictly between 0 and 1.
    n_resamples : int, default 10_000
        Resampled suites of the bootstrap, at least 2.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator of the bootstrap; None draws afresh.

    Returns
    -------
    tuple of Baseline
        Where each task has one rollout, the intervals for independent trials first.
        Then the whole-task bootstrap and the clustered standard error; and where tasks
        have several rollouts, last and marked as unsound, Wilson on pooled rollouts.

    Raises
    ------
    InputError
        If an option is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> from bayeseval.baselines import baseline_table
    >>> suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, [4] * 50)
    >>> for row in baseline_table(suite, rng=1):
    ...     lower, upper = row.interval
    ...     print(f"{row.name:30} {lower:.2f}-{upper:.2f}")
    Whole-task bootstrap           0.52-0.77
    Clustered standard error (CR1) 0.52-0.78
    Wilson on pooled rollouts      0.58-0.71
    """
    ci_prob = as_probability(ci_prob, "ci_prob", open_ends=True)
    summary = clustered_se(rollouts)
    bootstrap = cluster_bootstrap(rollouts, ci_prob=ci_prob, n_resamples=n_resamples, rng=rng)
    rows: list[Baseline] = []
    passes = int(rollouts.passes.sum())
    one_each = summary.n_rollouts == summary.n_tasks
    if one_each:
        for method, name, advice in _TASK_METHODS:
            found = interval(passes, summary.n_tasks, method=method, ci_prob=ci_prob)
            rows.append(Baseline(name, summary.rate, found, advice, sound=method != "wald"))
    rows.append(
        Baseline(
            "Whole-task bootstrap",
            bootstrap.estimate,
            bootstrap.interval,
            bootstrap.reason or "respects tasks; too narrow for few tasks or rates near 0 or 1",
        )
    )
    rows.append(
        Baseline(
            "Clustered standard error (CR1)",
            summary.rate,
            _normal_interval(summary, ci_prob),
            "respects tasks; too narrow for few tasks or rates near 0 or 1",
        )
    )
    if not one_each:
        rows.append(
            Baseline(
                "Wilson on pooled rollouts",
                summary.rate,
                interval(passes, summary.n_rollouts, ci_prob=ci_prob),
                "do not use: takes rollouts of one task for independent tasks",
                sound=False,
            )
        )
    return tuple(rows)


def _normal_interval(summary: ClusterSummary, ci_prob: float) -> Interval | Unknown:
    rate, se = summary.rate, summary.se_cluster_cr1
    if isinstance(rate, Unknown) or isinstance(se, Unknown):
        return Unknown(NO_SCORED_TASK if summary.n_tasks == 0 else "one task shows no spread")
    if se == 0:
        return Unknown("every task has the same rate, so the standard error is 0")
    half = normal_quantile((1 - ci_prob) / 2) * se
    return Interval(max(rate - half, 0.0), min(rate + half, 1.0), ci_prob, "cluster_normal")
