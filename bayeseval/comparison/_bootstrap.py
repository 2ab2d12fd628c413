"""The whole-task paired bootstrap of a difference between two systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._interval import Interval
from bayeseval._validate import Seed, as_generator, as_probability, as_whole
from bayeseval.baselines._proportion import wilson_interval
from bayeseval.comparison._join import Joined
from bayeseval.passk import pass_at_k, pass_hat_k
from bayeseval.unknown import Unknown

__all__ = ["Kind", "PairedBootstrap", "paired_bootstrap"]

Kind = Literal["pass_rate", "pass_at_k", "pass_hat_k"]

_CHUNK = 4_000_000


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """A difference between two systems with its interval from resampled tasks.

    Parameters
    ----------
    estimate : float or Unknown
        Mean over the matched tasks of each task's difference, new minus old.
    interval : Interval or Unknown
        Percentile interval, kind ``"bootstrap"``; or ``"wilson"`` where `fallback` is true.
    n_tasks : int
        Tasks with a scored rollout of both systems.
    fallback : bool
        True where every task shows the same difference, so that resampling shows no spread:
        the estimate plus or minus Wilson's upper limit for none of `n_tasks`.
    """

    estimate: float | Unknown
    interval: Interval | Unknown
    n_tasks: int
    fallback: bool


def task_values(joined: Joined, system: int, kind: Kind, k: int) -> npt.NDArray[np.float64]:
    """Each task's own rate, unbiased pass@k or pass^k, of a system that ran it."""
    passes, trials = joined.passes[system], joined.trials[system]
    if kind == "pass_rate" or k == 1:
        return np.asarray(passes / trials)
    estimator = pass_at_k if kind == "pass_at_k" else pass_hat_k
    return np.asarray(estimator(trials, passes, k), dtype=float)


def paired_bootstrap(
    joined: Joined,
    *,
    new: int = 1,
    old: int = 0,
    kind: Kind = "pass_rate",
    k: int = 1,
    ci_prob: float = 0.95,
    n_resamples: int = 10_000,
    rng: Seed = 0,
) -> PairedBootstrap:
    """Resample whole tasks, both systems together.

    Parameters
    ----------
    joined : Joined
        The systems.
    new, old : int
        Which of them are compared.
    kind : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
        What is compared.
    k : int, default 1
        Number of attempts; `Unknown` where a task has fewer rollouts.
    ci_prob : float, default 0.95
        Nominal level.
    n_resamples : int, default 10_000
        Resampled suites.
    rng : int or Generator, default 0
        Seed; the default gives the same interval each time.
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    count = as_whole(n_resamples, "n_resamples", minimum=2)
    both = (joined.trials[new] > 0) & (joined.trials[old] > 0)
    pair = Joined(
        (joined.systems[old], joined.systems[new]),
        joined.task[both],
        joined.passes[[old, new]][:, both],
        joined.trials[[old, new]][:, both],
        (joined.rollouts[old], joined.rollouts[new]),
        int(both.sum()),
        joined.n_unmatched,
        "drop",
    )
    n = pair.n_tasks
    if n == 0:
        none = Unknown("no task has a scored rollout of both systems")
        return PairedBootstrap(none, none, n, False)
    fewest = int(pair.trials.min())
    if kind != "pass_rate" and k > fewest:
        none = Unknown(f"k = {k} exceeds the {fewest} scored rollouts of a task")
        return PairedBootstrap(none, none, n, False)
    change = task_values(pair, 1, kind, k) - task_values(pair, 0, kind, k)
    # Rounding alone makes no other value, and both orders of the systems the same draws.
    values, tasks = np.unique(np.round(change, 12), return_counts=True)
    estimate = float(values @ tasks) / n
    if values.size == 1:
        reach = wilson_interval(0, n, level).upper
        found = Interval(max(estimate - reach, -1.0), min(estimate + reach, 1.0), level, "wilson")
        return PairedBootstrap(estimate, found, n, True)
    generator = as_generator(rng)
    flipped = _flipped(values, tasks)
    if flipped:
        values, tasks = -values[::-1], tasks[::-1]
    rows = max(_CHUNK // values.size, 1)
    means = np.concatenate(
        [
            generator.multinomial(n, tasks / n, size=min(rows, count - start)) @ values
            for start in range(0, count, rows)
        ]
    )
    tail = (1.0 - level) / 2.0
    lower, upper = np.quantile(means / n, [tail, 1.0 - tail])
    if flipped:
        lower, upper = -upper, -lower
    return PairedBootstrap(
        estimate, Interval(float(lower), float(upper), level, "bootstrap"), n, False
    )


def _flipped(values: npt.NDArray[np.float64], tasks: npt.NDArray[np.int64]) -> bool:
    """Whether the mirrored values come first; one of both orders is resampled."""
    here = list(zip(values.tolist(), tasks.tolist(), strict=True))
    there = list(zip((-values[::-1]).tolist(), tasks[::-1].tolist(), strict=True))
    return there < here
