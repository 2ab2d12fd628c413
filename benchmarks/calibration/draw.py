"""Histograms of simulated runs: how many tasks had 0, 1, ... passes."""

from collections.abc import Iterable

import numpy as np

from bayeseval.simulation._rates import RateComponent, draw_rates
from benchmarks.calibration.grid import Array, Counts


def beta_rates(mean: Array, kappa: Array, tasks: int, rng: np.random.Generator) -> Array:
    """Rates of so many tasks for each run, shape (n_runs, n_tasks)."""
    shape = (len(mean), tasks)
    alpha, beta = (np.broadcast_to((each * kappa)[:, None], shape) for each in (mean, 1 - mean))
    rates = rng.beta(np.maximum(alpha, 1e-300), np.maximum(beta, 1e-300))
    # A Beta so extreme is a coin; NumPy returns NaN for some of its draws.
    coins = rng.random(shape) < mean[:, None]
    return np.where(np.isnan(rates), coins, rates)


def histograms(rates: Array, rollouts: int, rng: np.random.Generator) -> Counts:
    """Run so many rollouts of every task; shape (n_runs, n_rollouts + 1)."""
    passes = rng.binomial(rollouts, rates)
    return np.stack([(passes == s).sum(axis=1) for s in range(rollouts + 1)], axis=1)


def suites(
    components: Iterable[tuple[float, ...]],
    tasks: int,
    rollouts: int,
    runs: int,
    rng: np.random.Generator,
) -> Counts:
    """Runs of suites as ``be.simulate`` makes them from a mixture, all at once."""
    parts = tuple(RateComponent(*each) for each in components)
    rates = draw_rates(parts, runs * tasks, rng).reshape(runs, tasks)
    return histograms(rates, rollouts, rng)


def from_prior(
    tasks: int, rollouts: int, runs: int, rng: np.random.Generator
) -> tuple[Array, Array, Counts]:
    """Mean and ICC from the default prior, both uniform, and a run of each."""
    mean, icc = rng.random(runs), rng.random(runs)
    rates = beta_rates(mean, (1 - icc) / icc, tasks, rng)
    return mean, icc, histograms(rates, rollouts, rng)
