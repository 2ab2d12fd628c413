"""Frequentist intervals of thousands of runs at once, from histograms of tasks by passes.

They are those of ``be.clustered_se``, ``be.interval`` and ``be.cluster_bootstrap`` (a test holds
them against each other), but the bootstrap is the one with infinitely many resamples: the
distribution of a resample's mean is the T-fold convolution of the histogram.
"""

import math

import numpy as np
from scipy import special, stats

from benchmarks.calibration.grid import Array, Counts

LEVELS = (0.025, 0.975)
Z = float(stats.norm.ppf(LEVELS[1]))
# Limits that equal the true value, but for the last digits, hold it.
ROUNDING = 1e-12


def lattice(rollouts: int, k: int = 1) -> Counts:
    """Unbiased estimates of pass^k for 0..n passes, in units of 1 / C(n, k)."""
    return np.array([math.comb(s, k) for s in range(rollouts + 1)])


def mean_and_se(histograms: Counts, k: int = 1) -> tuple[Array, Array]:
    """Mean over tasks of the estimate of pass^k, and its standard error with m - 1."""
    values = lattice(histograms.shape[1] - 1, k)
    tasks = histograms.sum(axis=1)
    total, squares = histograms @ values, histograms @ values**2
    # Whole numbers, so that equal values have exactly no spread.
    spread = (tasks * squares - total**2) / (tasks * np.maximum(tasks - 1, 1))
    return total / (tasks * values[-1]), np.sqrt(spread / tasks) / values[-1]


def clustered(histograms: Counts, k: int = 1, *, normal: bool = False) -> Array:
    """Mean -+ t standard errors, or -+ 1.96; shape (n_runs, 2)."""
    mean, se = mean_and_se(histograms, k)
    tasks = histograms.sum(axis=1)
    reach = (Z if normal else stats.t.ppf(LEVELS[1], np.maximum(tasks - 1, 1))) * se
    return np.stack([mean - reach, mean + reach], axis=1)


def wilson(passes: Array, trials: Array) -> Array:
    """Wilson's interval, shape (n_runs, 2)."""
    centre = (passes + Z**2 / 2.0) / (trials + Z**2)
    reach = Z / (trials + Z**2) * np.sqrt(passes * (trials - passes) / trials + Z**2 / 4.0)
    return np.clip(np.stack([centre - reach, centre + reach], axis=1), 0.0, 1.0)


def pooled_wilson(histograms: Counts, k: int = 1) -> Array:
    """Wilson on all rollouts as if they were independent; for pass^k its limits to the power k."""
    rollouts = histograms.shape[1] - 1
    passes = histograms @ lattice(rollouts)
    trials = rollouts * histograms.sum(axis=1)
    return wilson(passes.astype(np.float64), trials.astype(np.float64)) ** k


def bootstrap(histograms: Counts, k: int = 1, *, fallback: bool = True) -> Array:
    """Percentile interval of resampled tasks; shape (n_runs, 2).

    Where every task has the same value, `fallback` gives Wilson's interval on the number of
    tasks, as the package does, and otherwise it has no width.
    """
    values = lattice(histograms.shape[1] - 1, k)
    tasks = int(histograms[0].sum())
    size = tasks * int(values[-1]) + 1
    waves = np.exp(-2j * np.pi * np.outer(values, np.arange(size // 2 + 1)) / size)
    masses = np.fft.irfft(((histograms / tasks) @ waves) ** tasks, n=size, axis=1)
    cumulative = np.cumsum(masses, axis=1)
    limits = np.stack(
        [np.argmax(cumulative >= level - ROUNDING, axis=1) for level in LEVELS], axis=1
    ) / (size - 1.0)
    if fallback:
        mean, se = mean_and_se(histograms, k)
        equal = se == 0
        limits[equal] = wilson(mean[equal] * tasks, np.full(int(equal.sum()), float(tasks)))
    return np.asarray(limits)


def misses(limits: Array, truth: float | Array) -> dict[str, float]:
    """How often intervals hold a true value, miss it on either side, and their mean width."""
    truth = np.broadcast_to(truth, len(limits))
    below = float(np.mean(truth < limits[:, 0] - ROUNDING))
    above = float(np.mean(truth > limits[:, 1] + ROUNDING))
    return {
        "coverage": 1.0 - below - above,
        "below": below,
        "above": above,
        "width": float(np.mean(limits[:, 1] - limits[:, 0])),
    }


def misses_of_posterior(below: Array) -> dict[str, float]:
    """The same from the posterior probability that the quantity is below its true value."""
    low, high = float(np.mean(below < LEVELS[0])), float(np.mean(below > LEVELS[1]))
    return {"coverage": 1.0 - low - high, "below": low, "above": high}


def standard_error(coverage: float, runs: int) -> float:
    """Monte Carlo error of a share."""
    return float(np.sqrt(max(coverage * (1.0 - coverage), 1.0 / runs) / runs))


def log_odds(p: Array) -> Array:
    """Logit, without complaints at 0 and 1."""
    return np.asarray(special.logit(p))
