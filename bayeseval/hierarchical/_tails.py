"""Tail questions under the exact engine: quantiles of task rates, shares of good tasks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval.hierarchical._exact import ExactHyper
from bayeseval.posterior import About, TablePosterior

__all__ = ["share_above_exact", "task_quantile_exact"]

Array = npt.NDArray[np.float64]

STEPS = 192
POINTS = 769
EDGE = 1e-300


def task_quantile_exact(hyper: ExactHyper, q: float, about: About) -> TablePosterior:
    """Posterior of the q-quantile of the pass rates of new tasks."""
    return _monotone(hyper, lambda a, b: special.betaincinv(a, b, q), about)


def share_above_exact(hyper: ExactHyper, rate: float, about: About) -> TablePosterior:
    """Posterior of the share of new tasks whose pass rate is above a given one."""
    return _monotone(hyper, lambda a, b: special.betaincc(a, b, rate), about)


def _monotone(
    hyper: ExactHyper, value: Callable[[Array, Array], Array], about: About
) -> TablePosterior:
    """Posterior of a function of mean and ICC that rises with the mean at each ICC.

    At each ICC the value is turned into a mean by interpolation on a fine grid, and the
    conditional distribution function of the mean is read there; the sum over the ICC
    weighs the rows.
    """
    y, low, high, mass = hyper.rows
    heavy = mass > 1e-12 * mass.max()
    first, last = y[heavy][0], y[heavy][-1]
    fine = np.linspace(first, last, int(np.ceil((last - first) / 0.15)) + 2)
    left, right = np.interp(fine, y, low), np.interp(fine, y, high)
    x = left[:, None] + (right - left)[:, None] * np.linspace(0.0, 1.0, STEPS + 1)
    kappa = np.minimum(np.exp(-fine), 1e12)[:, None]
    with np.errstate(divide="ignore"):
        values = value(special.expit(x) * kappa, special.expit(-x) * kappa)
    values = np.clip(np.nan_to_num(values), EDGE, 1.0)
    logs = hyper.log_joint(x, fine[:, None])
    weights = np.exp(logs - logs.max()) * (right - left)[:, None]
    weights /= weights.sum()
    mean = float(np.sum(weights * values))
    sd = float(np.sqrt(max(np.sum(weights * (values - mean) ** 2), 0.0)))
    place = special.logit(values)
    place = np.clip(place, -690.0, 37.0)
    carried = weights > 1e-14
    grid = np.linspace(place[carried].min(), place[carried].max(), POINTS)
    below, above = np.zeros(POINTS), np.zeros(POINTS)
    # Cumulative trapezoid at the nodes of each row, from both ends.
    pairs = 0.5 * (weights[:, 1:] + weights[:, :-1])
    zero = np.zeros((fine.size, 1))
    cumulative = np.concatenate([zero, np.cumsum(pairs, axis=1)], axis=1)
    remaining = np.concatenate([np.cumsum(pairs[:, ::-1], axis=1)[:, ::-1], zero], axis=1)
    for row in range(fine.size):
        below += np.interp(grid, place[row], cumulative[row])
        above += np.interp(grid, place[row], remaining[row])
    total = below[-1] + above[-1]
    points, kept = np.unique(special.expit(grid), return_index=True)
    below, above = below[kept] / total, above[kept] / total
    return TablePosterior.from_cdf(points, below, above, (mean, sd), about)
