"""Nodes for task rates: the hyperparameters' posterior as a smooth mixture of Betas.

The pass rate of a task is a mixture of Betas over the grid of mean and ICC. Where kappa
is large a task's Beta is narrower than the grid's steps, and a sum over the grid would
be a comb. Such rows get more nodes, up to 16 times as many; beyond that the ICC is as
good as 0, the rows are joined, and their Betas are widened to the step, which changes
the spread of the rate by less than one part in 100,000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

__all__ = ["LARGEST_KAPPA", "TaskNodes", "task_nodes"]

Array = npt.NDArray[np.float64]

# Beyond this concentration a task rate differs from the mean by less than 1e-6.
LARGEST_KAPPA = 1e13
FINEST = 16
# A task's Beta changes shape over about one unit of log kappa.
Y_STEP = 0.6
NEGLIGIBLE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class TaskNodes:
    """Weights and Beta parameters of the task rates, each of shape (n_nodes,)."""

    weights: Array
    alpha: Array
    beta: Array


def task_nodes(
    log_joint: Callable[[Array, Array], Array], rows: tuple[Array, Array, Array, Array], steps: int
) -> TaskNodes:
    """Lay nodes that resolve the Beta of a task rate.

    Parameters
    ----------
    log_joint : callable
        Log posterior density, up to a constant, on the logit scales of mean and ICC.
    rows : tuple of ndarray, each of shape (n_rows,)
        The grid row by row: y = logit(ICC), smallest and largest x = logit(mean), and
        posterior mass.
    steps : int
        Steps in x of each row.
    """
    y, low, high = _fine_rows(rows)
    steps //= 2
    x = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, steps + 1)
    logs = log_joint(x, y[:, None])
    near = logs > logs.max(axis=1, keepdims=True) - 20.0
    widths = np.where(near, _rate_width(x, y[:, None]), np.inf).min(axis=1)
    wanted = (high - low) / steps / widths
    top = float(logs.max())
    mass = np.exp(logs - top).sum(axis=1) * (high - low)
    share = np.ones(y.size)
    joined = wanted > FINEST
    if np.count_nonzero(joined) > 1:
        # Rows are in increasing order of ICC: the last joined row speaks for them.
        last = int(np.flatnonzero(joined)[-1])
        share[last] = mass[joined].sum() / mass[last]
        share[joined & (np.arange(y.size) != last)] = 0.0
    refinement = 2 ** np.clip(np.ceil(np.log2(np.maximum(wanted, 1.0))), 0, 4).astype(int)
    total = float(mass.sum())
    parts: list[tuple[Array, Array, Array]] = []
    for factor in np.unique(refinement):
        chosen = np.flatnonzero((refinement == factor) & (share > 0))
        span = (high - low)[chosen, None]
        x = low[chosen, None] + span * np.linspace(0.0, 1.0, steps * int(factor) + 1)
        logs = log_joint(x, y[chosen, None])
        weights = np.exp(logs - top) * span / factor * share[chosen, None] / total
        step = span / (steps * factor)
        spread = special.expit(x) * special.expit(-x)
        kappa = np.minimum(np.exp(-y[chosen, None]), np.maximum(step**-2.0 / spread, 1.0))
        kept = weights > NEGLIGIBLE
        parts.append(
            (
                weights[kept],
                (special.expit(x) * kappa)[kept],
                (special.expit(-x) * kappa)[kept],
            )
        )
    return TaskNodes(*(np.concatenate(group) for group in zip(*parts, strict=True)))


def _fine_rows(rows: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Values of y, close enough to resolve a task's Beta, and their windows in x."""
    y, low, high, mass = rows
    heavy = np.flatnonzero(mass > NEGLIGIBLE * mass.max())
    first, last = float(y[heavy[0]]), float(y[heavy[-1]])
    count = int(np.ceil((last - first) / min(float(y[1] - y[0]), Y_STEP))) + 1
    fine = np.linspace(first, last, count)
    return fine, np.interp(fine, y, low), np.interp(fine, y, high)


def _rate_width(x: Array, y: Array) -> Array:
    """Width in x of the density of a given task rate, seen as a function of x."""
    kappa = np.minimum(np.exp(-y), LARGEST_KAPPA)
    mean, rest = special.expit(x), special.expit(-x)
    information = special.polygamma(1, mean * kappa) + special.polygamma(1, rest * kappa)
    return np.asarray(1.0 / (kappa * mean * rest * np.sqrt(information)))
