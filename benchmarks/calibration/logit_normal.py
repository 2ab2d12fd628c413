"""The usual logit-normal model of task rates, integrated by quadrature.

logit(p_i) = m + sd z_i with z_i ~ Normal(0, 1), m ~ Normal(0, 1), sd ~ Exponential(1). Its pass
rate is the mean of the task rates, E[expit(m + sd z)].
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from benchmarks.calibration.grid import Array, Counts
from benchmarks.calibration.panels import cumulative

M = np.linspace(-6.0, 6.0, 201)
LOG_SD = np.linspace(-4.0, 3.0, 57)
Z = np.linspace(-6.5, 6.5, 521)
# Where the intervals' limits are looked for: posterior standard deviations from the mean.
REACH, GRID = 5.0, 96


class Tables(NamedTuple):
    """The model on its grid: all of shape (n_sd, n_m) but the chances of 0..n passes."""

    log_chances: Array  # (n_rollouts + 1, n_sd * n_m)
    log_prior: Array
    logit_rate: Array


@lru_cache(maxsize=4)
def tables(rollouts: int) -> Tables:
    """Integrate over tasks."""
    weights = np.exp(-0.5 * Z**2)
    weights /= weights.sum()
    sd = np.exp(LOG_SD)
    chances = np.empty((rollouts + 1, sd.size, M.size))
    rate = np.empty((sd.size, M.size))
    ways = special.binom(rollouts, np.arange(rollouts + 1))
    for row, each in enumerate(sd):
        x = M[:, None] + each * Z
        p, q = special.expit(x), special.expit(-x)
        for s in range(rollouts + 1):
            chances[s, row] = ways[s] * (p**s * q ** (rollouts - s)) @ weights
        # Of the rarer outcome, so that the logit keeps its digits.
        rate[row] = np.log(p @ weights) - np.log(q @ weights)
    # An exponential sd on the scale of log sd.
    log_prior = -0.5 * M[None, :] ** 2 - sd[:, None] + LOG_SD[:, None]
    return Tables(np.log(chances).reshape(rollouts + 1, -1), log_prior, rate)


@lru_cache(maxsize=1)
def _cumulative_rows() -> Array:
    """The cumulative integral over m as a matrix: row i integrates up to node i."""
    return cumulative(np.eye(M.size)).T


def _weights_below(rollouts: int, logit_truth: float) -> Array:
    """Weights of the grid whose sum with a density is its mass below a pass rate."""
    found = np.zeros((LOG_SD.size, M.size))
    rows = _cumulative_rows()
    step = M[1] - M[0]
    for row, rate in enumerate(tables(rollouts).logit_rate):
        place = (np.interp(logit_truth, rate, M, left=M[0], right=M[-1]) - M[0]) / step
        left = min(int(place), M.size - 2)
        t = place - left
        cubic = (1 + 2 * t) * (1 - t) ** 2, t**2 * (3 - 2 * t)
        found[row] = cubic[0] * rows[left] + cubic[1] * rows[left + 1]
        found[row, left] += t * (1 - t) ** 2
        found[row, left + 1] -= t**2 * (1 - t)
    return found.ravel()


def below_and_limits(histograms: Counts, truth: float) -> tuple[Array, Array]:
    """Posterior probability that the pass rate is below its true value, and its 95 % limits.

    Returns
    -------
    below : ndarray, shape (n_runs,)
    limits : ndarray, shape (n_runs, 2)
    """
    distinct, back = np.unique(histograms, axis=0, return_inverse=True)
    rollouts = histograms.shape[1] - 1
    model = tables(rollouts)
    logs = distinct @ model.log_chances + model.log_prior.ravel()
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    density /= density.sum(axis=1, keepdims=True)
    logit_rate = model.logit_rate.ravel()
    mean = density @ logit_rate
    sd = np.sqrt(np.maximum(density @ logit_rate**2 - mean**2, 1e-12))
    places = np.linspace(np.min(mean - REACH * sd), np.max(mean + REACH * sd), GRID)
    columns = [_weights_below(rollouts, place) for place in (special.logit(truth), *places)]
    masses = np.clip(density @ np.stack(columns, axis=1), 1e-12, 1 - 1e-12)
    below, grid = masses[:, 0], stats.norm.ppf(masses[:, 1:])
    # On the scale of normal quantiles, where the cumulative distribution is nearly straight.
    limits = np.array(
        [np.interp(stats.norm.ppf([0.025, 0.975]), np.maximum.accumulate(row), places)
         for row in grid]
    )  # fmt: skip
    return below[back.ravel()], np.asarray(special.expit(limits))[back.ravel()]
