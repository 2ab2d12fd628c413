"""The Beta-binomial likelihood of a suite, from its count histogram.

For task i with s_i passes in n_i rollouts, s_i ~ BetaBinomial(n_i, a, b) with
a = mu kappa and b = (1 - mu) kappa, the log likelihood of the ordered outcomes is

    sum_j P_j log(a + j) + Q_j log(b + j) - N_j log(a + b + j),

where P_j, Q_j, N_j count the tasks with s_i > j, n_i - s_i > j and n_i > j. Its cost
depends on the largest n_i and not on the number of tasks. With rho = 1 / (1 + kappa)
all terms are multiplied by rho, which cancels, since passes and failures add up to
trials: mu (1 - rho) + j rho stays finite from rho = 0 to rho = 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._special import expit, log_binomial, softplus
from bayeseval.rollouts import Rollouts

__all__ = ["TailCounts", "log_likelihood", "tail_counts"]

Array = npt.NDArray[np.float64]

# Below this index, and on shorter runs, terms are summed one by one.
EXPLICIT = 16


@dataclass(frozen=True, slots=True, eq=False)
class TailCounts:
    """How many tasks exceed j passes, j failures and j trials, as runs of equal counts.

    Parameters
    ----------
    passes, failures, trials : tuple of (first, last, count)
        Runs: for j = first..last, `count` tasks have more than j passes (failures,
        trials). The runs cover all j with a count above 0.
    log_ways : float
        Sum over tasks of log C(n_i, s_i).
    """

    passes: tuple[tuple[int, int, int], ...]
    failures: tuple[tuple[int, int, int], ...]
    trials: tuple[tuple[int, int, int], ...]
    log_ways: float


def tail_counts(rollouts: Rollouts) -> TailCounts:
    """Collapse a suite to the counts that its likelihood needs."""
    cells = rollouts.cells
    s, n, count = cells.passes, cells.trials, cells.count
    return TailCounts(
        _runs(s, count),
        _runs(n - s, count),
        _runs(n, count),
        float(np.sum(count * log_binomial(n, s))),
    )


def _runs(
    values: npt.NDArray[np.int64], count: npt.NDArray[np.int64]
) -> tuple[tuple[int, int, int], ...]:
    levels, inverse = np.unique(values, return_inverse=True)
    tasks = np.bincount(inverse, weights=count).astype(np.int64)
    above = np.cumsum(tasks[::-1])[::-1]
    first = np.concatenate([[0], levels[:-1]])
    return tuple(
        (int(f), int(v) - 1, int(c)) for f, v, c in zip(first, levels, above, strict=True) if v > f
    )


def log_likelihood(tails: TailCounts, log_mean: Array, log_rest: Array, y: Array) -> Array:
    """Log likelihood of the ordered outcomes.

    Parameters
    ----------
    tails : TailCounts
        The suite.
    log_mean, log_rest : ndarray
        log(mu) and log(1 - mu).
    y : ndarray
        logit(rho); broadcasts against them.

    Returns
    -------
    ndarray
        Broadcast shape of the arguments.
    """
    rho, rest = expit(y), expit(-y)
    result = _sum_logs(tails.passes, np.exp(log_mean) * rest, rho, log_mean)
    result += _sum_logs(tails.failures, np.exp(log_rest) * rest, rho, log_rest)
    # The first terms' common factor 1 - rho: only tasks with both outcomes keep it.
    mixed = _first(tails.passes) + _first(tails.failures) - _first(tails.trials)
    result -= _sum_logs(tails.trials, rest, rho, 0.0) + mixed * softplus(y)
    return result


def _first(runs: tuple[tuple[int, int, int], ...]) -> int:
    return runs[0][2] if runs else 0


def _sum_logs(
    runs: tuple[tuple[int, int, int], ...], base: Array, rho: Array, log_first: Array | float
) -> Array:
    """Sum of count * log(base + j rho) over j >= 1, plus count * log_first for j = 0."""
    total = np.zeros(np.broadcast_shapes(base.shape, rho.shape))
    for first, last, count in runs:
        if first == 0:
            total += count * log_first
            first = 1
        stop = last if last - first < EXPLICIT else max(first, EXPLICIT) - 1
        for j in range(first, min(stop, last) + 1):
            total += count * np.log(base + j * rho)
        if stop < last:
            total += count * _long_sum(base, rho, max(first, stop + 1), last)
    return total


def _long_sum(base: Array, rho: Array, first: int, last: int) -> Array:
    """Sum of log(base + j rho) for j = first..last by the Euler-Maclaurin formula.

    With first >= 16 the remainder after the eighth Bernoulli number is below 1e-14.
    """
    low, high = base + first * rho, base + last * rho
    growth = np.log1p((last - first) * rho / low)
    # The integral of log(base + j rho) over j; its first part cancels where rho is tiny.
    with np.errstate(divide="ignore", invalid="ignore"):
        integral = (last - first) * (np.log(low) - 1.0) + np.where(
            rho > 0, high / np.where(rho > 0, rho, 1.0) * growth, last - first
        )
    flat = (last - first) * rho < 1e-5 * low
    series = (last - first) * (
        np.log(low) + 0.5 * (last - first) * rho / low - ((last - first) * rho / low) ** 2 / 6.0
    )
    total = np.where(flat, series, integral) + 0.5 * (np.log(low) + np.log(high))
    u, v = rho / low, rho / high
    total += (v - u) / 12.0
    total -= 2.0 * (v**3 - u**3) / 720.0
    total += 24.0 * (v**5 - u**5) / 30240.0
    total -= 720.0 * (v**7 - u**7) / 1209600.0
    return np.asarray(total)
