"""One rollout of each task: coverage of intervals for one proportion, by exact enumeration."""

from typing import Any, Literal

import numpy as np
from scipy import stats

import bayeseval as be
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.grid import Array
from benchmarks.calibration.intervals import ROUNDING

PART = "one_rollout"
RATES = (0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98)
TASKS = (10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
FEW_TASKS = (3, 10, 30, 100)
Posterior = Literal["uniform", "jeffreys"]
Frequentist = Literal["wilson", "wald", "clopper_pearson"]
Method = Posterior | Frequentist
METHODS: tuple[Method, ...] = ("wilson", "wald", "clopper_pearson", "uniform", "jeffreys")


def limits(method: Method, tasks: int) -> Array:
    """95 % limits for 0..n passes, shape (n_tasks + 1, 2)."""
    rows = []
    for passes in range(tasks + 1):
        found = (
            be.beta_posterior(passes, tasks, prior=method).eti(0.95)
            if method == "uniform" or method == "jeffreys"
            else be.interval(passes, tasks, method=method)
        )
        assert isinstance(found, be.Interval)
        rows.append(np.clip(tuple(found), 0.0, 1.0))
    return np.array(rows)


def at_fixed_rates(rng: np.random.Generator) -> dict[str, Any]:
    """Mean coverage and width over all rates and numbers of tasks."""
    found: dict[str, Any] = {}
    for method in METHODS:
        coverage, width = [], []
        for tasks in TASKS:
            lower, upper = limits(method, tasks).T
            for rate in RATES:
                chances = stats.binom.pmf(np.arange(tasks + 1), tasks, rate)
                held = (lower - ROUNDING <= rate) & (rate <= upper + ROUNDING)
                coverage.append(chances @ held)
                width.append(chances @ (upper - lower))
        found[method] = {
            "coverage": float(np.mean(coverage)),
            "lowest": float(np.min(coverage)),
            "width": float(np.mean(width)),
        }
    return found


def at_uniform_rates(rng: np.random.Generator) -> dict[str, Any]:
    """Coverage where the rate is drawn uniformly: a mean over the Beta posteriors."""
    found: dict[str, Any] = {}
    for method in METHODS:
        found[method] = {}
        for tasks in FEW_TASKS:
            passes = np.arange(tasks + 1)
            lower, upper = limits(method, tasks).T
            posterior = stats.beta(1 + passes, 1 + tasks - passes)
            held = posterior.cdf(upper) - posterior.cdf(lower)
            found[method][str(tasks)] = float(held.mean())
    return found


def cells(share: float) -> list[Cell]:
    """Both are exact, so that `share` has nothing to shorten."""
    return [
        Cell(PART, "fixed rates", at_fixed_rates, {}),
        Cell(PART, "uniform rates", at_uniform_rates, {}),
    ]
