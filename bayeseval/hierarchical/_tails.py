"""Tail questions under the exact engine: quantiles of task rates, shares of good tasks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._special import expit
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
    # A heavy import that no other answer needs.
    from scipy.interpolate import PchipInterpolator

    y, low, high, mass = hyper.rows
    heavy = mass > 1e-12 * mass.max()
    first, last = y[heavy][0], y[heavy][-1]
    fine = np.linspace(first, last, int(np.ceil((last - first) / 0.15)) + 2)
    left, right = np.interp(fine, y, low), np.interp(fine, y, high)
    x = left[:, None] + (right - left)[:, None] * np.linspace(0.0, 1.0, STEPS + 1)
    kappa = np.minimum(np.exp(-fine), 1e12)[:, None]
    with np.errstate(divide="ignore"):
        values = value(expit(x) * kappa, expit(-x) * kappa)
    values = np.clip(np.nan_to_num(values), EDGE, 1.0)
    logs = hyper.log_joint(x, fine[:, None])
    weights = np.exp(logs - logs.max()) * (right - left)[:, None]
    weights /= weights.sum()
    mean = float(np.sum(weights * values))
    sd = float(np.sqrt(max(np.sum(weights * (values - mean) ** 2), 0.0)))
    # Values rise with the mean, but their last digits need not.
    place = np.maximum.accumulate(np.clip(special.logit(values), -690.0, 37.0), axis=1)
    grid = _places(place, weights)
    below, above = np.zeros(grid.size), np.zeros(grid.size)
    up, down = _cumulative(weights), _cumulative(weights[:, ::-1])[:, ::-1]
    for row in range(fine.size):
        # Where values are cut off at an end, only the outermost counts.
        rising = np.flatnonzero(np.diff(place[row]) > 0.0)
        if rising.size == 0:
            here = grid >= place[row, 0]
            below += np.where(here, up[row, -1], 0.0)
            above += np.where(here, 0.0, up[row, -1])
            continue
        nodes = np.append(rising, rising[-1] + 1)
        inside = np.clip(grid, place[row, nodes[0]], place[row, nodes[-1]])
        outside = grid < place[row, nodes[0]], grid >= place[row, nodes[-1]]
        total = up[row, -1]
        for sums, curve, low_end, high_end in ((below, up, 0.0, total), (above, down, total, 0.0)):
            part = PchipInterpolator(place[row, nodes], curve[row, nodes])(inside)
            sums += np.where(outside[0], low_end, np.where(outside[1], high_end, part))
    total = below[-1] + above[-1]
    points, kept = np.unique(expit(grid), return_index=True)
    below, above = below[kept] / total, above[kept] / total
    return TablePosterior.from_cdf(points, below, above, (mean, sd), about)


def _places(place: Array, weights: Array) -> Array:
    """Logits where the distribution function is tabulated: close where the mass is."""
    order = np.argsort(place, axis=None)
    mass = weights.ravel()[order]
    below = np.cumsum(mass)
    above = np.cumsum(mass[::-1])[::-1]
    rank = np.log(np.maximum(below, 1e-30)) - np.log(np.maximum(above, 1e-30))
    levels = np.linspace(-32.0, 32.0, POINTS)
    at_levels = np.interp(levels, rank, place.ravel()[order])
    return np.unique(
        np.concatenate(
            [at_levels, np.linspace(float(at_levels[0]), float(at_levels[-1]), POINTS // 4)]
        )
    )


def _cumulative(weights: Array) -> Array:
    """Cumulative integrals of each row at its nodes, right to the fourth power of the step.

    The trapezoid rule, and the first Euler-Maclaurin correction from differences.
    """
    pairs = 0.5 * (weights[:, 1:] + weights[:, :-1])
    sums = np.concatenate([np.zeros((len(weights), 1)), np.cumsum(pairs, axis=1)], axis=1)
    slope = np.gradient(weights, axis=1)
    return np.maximum.accumulate(sums - (slope - slope[:, :1]) / 12.0, axis=1)
