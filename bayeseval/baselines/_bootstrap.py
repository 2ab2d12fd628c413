"""Cluster bootstrap: whole tasks are resampled, from the histogram of their counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._cells import NO_SCORED_TASK, ScoredCells, mean_and_se, scored_cells
from bayeseval._interval import Interval
from bayeseval._validate import Seed, as_generator, as_probability, as_whole, one_of, shown
from bayeseval.baselines._proportion import wilson_interval
from bayeseval.errors import InputError
from bayeseval.passk import pass_at_k, pass_hat_k, suite_pass_at_k
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["BootstrapInterval", "cluster_bootstrap"]

Statistic = Literal["pass_rate", "pass_at_k", "pass_hat_k"]
# A mean and a deviate are held for each.
MOST_RESAMPLES = 10_000_000

# Counts held at once: bounds memory where tasks have many different counts.
_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True, repr=False)
class BootstrapInterval:
    """A suite's estimate with its cluster bootstrap interval.

    Parameters
    ----------
    statistic : {"pass_rate", "pass_at_k", "pass_hat_k"}
        What was estimated: the mean over tasks of the task's own value.
    k : int or None
        Rollouts drawn, for pass@k and pass^k.
    estimate : float or Unknown
        The suite's value, 0-1.
    interval : Interval or Unknown
        Percentile interval (kind ``"bootstrap"``), or the fallback (``"wilson"``).
    sd : float or Unknown
        Standard deviation of the resampled values; 0 where `fallback` is true.
    n_resamples : int
        Resamples asked for.
    n_tasks : int
        Tasks with at least one scored rollout.
    n_unscored : int
        Tasks left out because none of their rollouts was scored.
    fallback : bool
        True where every task has the same value, so that resampling shows no spread
        and the interval is Wilson's on the number of tasks.
    reason : str or None
        Why there is a fallback or no answer; None for a plain bootstrap.
    """

    statistic: Statistic
    k: int | None
    estimate: float | Unknown
    interval: Interval | Unknown
    sd: float | Unknown
    n_resamples: int
    n_tasks: int
    n_unscored: int
    fallback: bool
    reason: str | None

    def __repr__(self) -> str:
        of_k = "" if self.k is None else f", k={self.k}"
        head = f"BootstrapInterval({self.statistic}{of_k}: "
        if isinstance(self.estimate, Unknown) or isinstance(self.interval, Unknown):
            return f"{head}{self.estimate}, n_tasks={self.n_tasks})"
        lower, upper = self.interval
        return (
            f"{head}{self.estimate:.4g}, {100 * self.interval.ci_prob:g} % interval "
            f"{lower:.4g} to {upper:.4g}, {self.interval.kind}, n_tasks={self.n_tasks})"
        )


def cluster_bootstrap(
    rollouts: Rollouts,
    *,
    statistic: Statistic = "pass_rate",
    k: int | None = None,
    ci_prob: float = 0.95,
    n_resamples: int = 10_000,
    rng: Seed = None,
) -> BootstrapInterval:
    """Bootstrap a suite's pass rate, pass@k or pass^k by resampling whole tasks.

    Rollouts of one task stay together, so their dependence is respected. With few
    tasks, or rates near 0 or 1, the interval is too narrow all the same.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. Tasks without a scored rollout are left out and counted.
    statistic : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
        Mean over tasks, each task once: of its rate, its unbiased pass@k or pass^k.
    k : int, optional
        Rollouts drawn, at least 1: needed by pass@k and pass^k, and by them only.
    ci_prob : float, default 0.95
        Nominal level, strictly between 0 and 1.
    n_resamples : int, default 10_000
        Resampled suites, at least 2.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator; None draws afresh.

    Returns
    -------
    BootstrapInterval
        Estimate and percentile interval. Where every task has the same value, for a
        perfect score above all, Wilson's interval on the number of tasks, flagged: it
        never has zero width. `Unknown` where a task has fewer than k rollouts.

    Raises
    ------
    InputError
        If an option is out of range, or k is missing or superfluous.

    Notes
    -----
    A resample of m tasks is a multinomial draw over the distinct values that tasks
    have, so cost does not grow with the number of tasks. The limits are the smallest
    resampled values whose cumulative share reaches (1 -+ ci_prob) / 2. The answer does
    not depend on the order of tasks.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, [4] * 50)
    >>> found = be.cluster_bootstrap(suite, rng=1)
    >>> lower, upper = found.interval
    >>> f"{found.estimate:.2f} ({lower:.2f}-{upper:.2f})"
    '0.65 (0.52-0.77)'

    Twenty perfect tasks are not certainty:

    >>> perfect = be.cluster_bootstrap(be.Rollouts.from_counts([4] * 20, [4] * 20))
    >>> perfect.fallback, round(perfect.interval.lower, 2)
    (True, 0.84)
    """
    cells = scored_cells(rollouts)
    one_of(statistic, Statistic, "statistic")
    k = _as_k(k, statistic)
    ci_prob = as_probability(ci_prob, "ci_prob", open_ends=True)
    n_resamples = as_whole(n_resamples, "n_resamples", minimum=2, maximum=MOST_RESAMPLES)
    generator = as_generator(rng)

    def answer(
        estimate: float | Unknown,
        interval: Interval | Unknown,
        sd: float | Unknown,
        *,
        fallback: bool = False,
        reason: str | None = None,
    ) -> BootstrapInterval:
        return BootstrapInterval(
            statistic=statistic,
            k=k,
            estimate=estimate,
            interval=interval,
            sd=sd,
            n_resamples=n_resamples,
            n_tasks=cells.n_tasks,
            n_unscored=cells.n_unscored,
            fallback=fallback,
            reason=reason,
        )

    if reason := _no_value(rollouts, cells, k):
        unknown = Unknown(reason)
        return answer(unknown, unknown, unknown, reason=reason)
    values, count = _distinct_values(cells, statistic, k)
    estimate, _ = mean_and_se(values, count)
    if len(values) == 1:
        return answer(
            estimate,
            wilson_interval(estimate * cells.n_tasks, cells.n_tasks, ci_prob),
            0.0,
            fallback=True,
            reason="every task has the same value: Wilson interval on the number of tasks",
        )
    means = _resampled_means(values, count, n_resamples, generator)
    tail = (1 - ci_prob) / 2
    lower, upper = np.quantile(means, [tail, 1 - tail], method="inverted_cdf")
    interval = Interval(float(lower), float(upper), ci_prob, "bootstrap")
    return answer(estimate, interval, float(means.std(ddof=1)))


def _as_k(k: Any, statistic: Statistic) -> int | None:
    if statistic == "pass_rate":
        if k is not None:
            raise InputError(
                f"k goes with pass_at_k and pass_hat_k, not pass_rate; got k = {shown(k)}"
            )
        return None
    if k is None:
        raise InputError(f"{statistic} needs k, the number of rollouts drawn")
    return as_whole(k, "k", minimum=1)


def _no_value(rollouts: Rollouts, cells: ScoredCells, k: int | None) -> str | None:
    if cells.n_tasks == 0:
        return NO_SCORED_TASK
    value = suite_pass_at_k(rollouts, k) if k is not None else 0.0
    return value.reason if isinstance(value, Unknown) else None


def _distinct_values(
    cells: ScoredCells, statistic: Statistic, k: int | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Rising values that tasks have, and how many tasks have each."""
    if k is None:
        per_cell = cells.passes / cells.trials
    else:
        estimator = pass_at_k if statistic == "pass_at_k" else pass_hat_k
        per_cell = estimator(cells.trials, cells.passes, k)
    values, position = np.unique(per_cell, return_inverse=True)
    count = np.zeros(len(values), dtype=np.int64)
    np.add.at(count, position, cells.count)
    return values, count


def _resampled_means(
    values: npt.NDArray[np.float64],
    count: npt.NDArray[np.int64],
    n_resamples: int,
    rng: np.random.Generator,
) -> npt.NDArray[np.float64]:
    n_tasks = int(count.sum())
    rows = max(_CHUNK // len(values), 1)
    parts = [
        rng.multinomial(n_tasks, count / n_tasks, size=min(rows, n_resamples - start)) @ values
        for start in range(0, n_resamples, rows)
    ]
    return np.concatenate(parts) / n_tasks
