"""Nodes of the hyperparameters for quantities of tasks: mixtures that are smooth.

The pass rate of a task is a mixture of Betas over the grid of mean and ICC, and the
mean of a suite a mixture of sums of such rates. Where kappa is large a component is
narrower than the grid's steps, and a sum over the grid would be a comb. Such rows get
more nodes, up to 16 times as many; beyond that the ICC is as good as 0, the rows are
joined, and their components are widened to the step, which changes the spread of the
quantity by less than one part in 100,000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._special import expit

__all__ = ["TaskNodes", "suite_nodes", "task_nodes"]

Array = npt.NDArray[np.float64]

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
    log_joint: Callable[[Array, Array], Array],
    rows: tuple[Array, Array, Array, Array],
    steps: int,
    *,
    tasks: int = 1,
    trials: float = 0.0,
) -> TaskNodes:
    """Lay nodes that resolve the mean rate of a number of tasks.

    Parameters
    ----------
    log_joint : callable
        Log posterior density, up to a constant, on the logit scales of mean and ICC.
    rows : tuple of ndarray, each of shape (n_rows,)
        The grid row by row: y = logit(ICC), smallest and largest x = logit(mean), and
        posterior mass.
    steps : int
        Steps in x of each row.
    tasks : int, default 1
        Number of tasks whose mean is asked for.
    trials : float, default 0
        Rollouts that each of them has had; 0 for new tasks.
    """
    y, low, high = _fine_rows(rows)
    steps //= 2
    x = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, steps + 1)
    logs = log_joint(x, y[:, None])
    near = logs > logs.max(axis=1, keepdims=True) - 20.0
    width = _width(x, np.exp(-y[:, None]), tasks, trials)
    widths = np.where(near, width, np.inf).min(axis=1)
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
        spread = expit(x) * expit(-x)
        largest = np.maximum(step**-2.0 / (spread * tasks), 10.0 * trials + 1.0)
        kappa = np.minimum(np.exp(-y[chosen, None]), largest)
        kept = weights > NEGLIGIBLE
        parts.append(
            (
                weights[kept],
                (expit(x) * kappa)[kept],
                (expit(-x) * kappa)[kept],
            )
        )
    return TaskNodes(*(np.concatenate(group) for group in zip(*parts, strict=True)))


def suite_nodes(
    log_joint: Callable[[Array, Array], Array], rows: tuple[Array, Array, Array, Array], steps: int
) -> TaskNodes:
    """Lay nodes for characteristic functions of a suite's mean.

    A Fourier series that is cut off where it has died out blurs the comb by itself, as
    long as the steps in x are below about a third of the spread of x; see `task_nodes`
    for the parameters.
    """
    y, low, high = _fine_rows(rows, negligible=1e-13, fraction=0.65)
    x = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, steps + 1)
    logs = log_joint(x, y[:, None])
    row = np.exp(logs - logs.max(axis=1, keepdims=True))
    row /= row.sum(axis=1, keepdims=True)
    mean = np.sum(row * x, axis=1, keepdims=True)
    spread = np.sqrt(np.sum(row * (x - mean) ** 2, axis=1))
    heavy = logs.max(axis=1) > logs.max() - 25.0
    fine = int(min(np.ceil(np.max((high - low)[heavy] / spread[heavy]) / 0.3), 512))
    if fine != steps:
        x = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, fine + 1)
        logs = log_joint(x, y[:, None])
    weights = np.exp(logs - logs.max()) * (high - low)[:, None]
    weights /= weights.sum()
    kept = weights > 1e-14
    kappa = np.minimum(np.exp(-y), 1e13)[:, None]
    alpha, beta = expit(x) * kappa, expit(-x) * kappa
    return TaskNodes(weights[kept] / weights[kept].sum(), alpha[kept], beta[kept])


def _fine_rows(
    rows: tuple[Array, Array, Array, Array],
    *,
    negligible: float = NEGLIGIBLE,
    fraction: float = 0.9,
) -> tuple[Array, Array, Array]:
    """Values of y, close enough to resolve a task's Beta, and their windows in x."""
    y, low, high, mass = rows
    heavy = np.flatnonzero(mass > negligible * mass.max())
    first, last = float(y[heavy[0]]), float(y[heavy[-1]])
    # A bell of unit mass is 0.4 / height wide, whatever its tails do; steps of a fixed
    # fraction of that resolve it.
    height = float(mass.max() / (mass.sum() * (y[1] - y[0])))
    step = min(Y_STEP, fraction * 0.4 / height)
    count = int(np.ceil((last - first) / step)) + 1
    fine = np.linspace(first, last, count)
    return fine, np.interp(fine, y, low), np.interp(fine, y, high)


def _width(x: Array, kappa: Array, tasks: int, trials: float) -> Array:
    """Width in x of the mean rate's density at a given value, seen as a function of x.

    The standard deviation of the mean over tasks, given mean and ICC, divided by how
    fast its expectation moves with x.
    """
    # Roots one by one: under a prior that is heavy at ICC 0, kappa squared overflows.
    deviation = np.sqrt((kappa + trials) / tasks) / kappa
    with np.errstate(over="ignore"):
        return np.asarray(deviation / np.sqrt(expit(x) * expit(-x)))
