"""Quadrature in one dimension, row by row.

On the logit scale posterior densities are analytic and fall off at least
exponentially, so that the trapezoid rule converges spectrally.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["LogDensity", "Nodes", "halve", "lay", "log_integrals", "log_sum", "narrow", "zoom"]

Array = npt.NDArray[np.float64]

# Nodes whose density is below exp(-DROP) of the row's largest are left out: 3e-20.
DROP = 45.0
MAX_NODES = 1536
SCOUT_NODES = 16
# A window that keeps less than this share of its scouts is narrowed once more.
ENOUGH = 0.8


def log_sum(logs: Array, axis: int = -1) -> Array:
    """Logarithm of the sum of exponentials along one axis; -inf where all are -inf."""
    top = np.max(logs, axis=axis, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(logs - safe), axis=axis, keepdims=True)) + safe
    return np.asarray(np.squeeze(total, axis=axis))


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Trapezoid nodes of one integral per row.

    Parameters
    ----------
    points, logs : ndarray, shape (n_rows, n_nodes)
        The nodes and the log integrand there.
    step : ndarray, shape (n_rows,)
        Distance between neighbouring nodes.
    """

    points: Array
    logs: Array
    step: Array

    @property
    def log_integral(self) -> Array:
        """Log of each row's integral, shape (n_rows,)."""
        with np.errstate(divide="ignore"):
            return log_sum(self.logs) + np.log(self.step)

    @property
    def discrepancy(self) -> Array:
        """Relative difference between each row's rule and the same rule with half the nodes.

        The trapezoid rule converges spectrally here, so its own error is about the
        square of this number.
        """
        top = np.max(self.logs, axis=1, keepdims=True)
        mass = np.exp(self.logs - np.where(np.isfinite(top), top, 0.0))
        fine, coarse = mass.sum(axis=1), mass[:, ::2].sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(fine > 0, np.abs(2.0 * coarse / fine - 1.0), 0.0)


LogDensity = Callable[[Array, npt.NDArray[np.intp]], Array]


def narrow(
    log_density: LogDensity,
    lower: Array,
    upper: Array,
    rows: npt.NDArray[np.intp],
    *,
    drop: float = DROP,
    enough: float = ENOUGH,
) -> Array:
    """Narrow each window, in place, to where its integrand is above exp(-drop) of its top.

    Windows are scouted until `enough` of the scouts are kept. They end at the next scout:
    where between two scouts the level is crossed cannot be told, since a density may bend there.

    Returns
    -------
    ndarray, shape (n_rows,)
        The largest log integrand that a scout of the last pass saw.
    """
    scout = np.linspace(0.0, 1.0, SCOUT_NODES + 1)
    tops = np.empty(rows.size)
    todo = np.arange(rows.size)
    for _ in range(60):
        start, width = lower[todo], (upper - lower)[todo]
        block = log_density(start[:, None] + width[:, None] * scout, rows[todo])
        tops[todo] = top = np.max(block, axis=1)
        kept = block >= top[:, None] - drop
        first = np.maximum(np.argmax(kept, axis=1) - 1, 0)
        last = np.minimum(SCOUT_NODES - np.argmax(kept[:, ::-1], axis=1) + 1, SCOUT_NODES)
        shrinks = last - first < enough * SCOUT_NODES
        step = width / SCOUT_NODES
        lower[todo], upper[todo] = start + first * step, start + last * step
        todo = todo[shrinks]
        if todo.size == 0:
            break
    return tops


def _lay(
    log_density: LogDensity, lower: Array, upper: Array, rows: npt.NDArray[np.intp], nodes: int
) -> Nodes:
    """Equal steps over each window."""
    points = lower[:, None] + (upper - lower)[:, None] * np.linspace(0.0, 1.0, nodes + 1)
    return Nodes(points, log_density(points, rows), (upper - lower) / nodes)


def halve(log_density: LogDensity, rows: npt.NDArray[np.intp], coarse: Nodes) -> Nodes:
    """Steps half as long: only the new nodes between the old ones are evaluated."""
    n_rows, n_points = coarse.points.shape
    points, logs = np.empty((2, n_rows, 2 * n_points - 1))
    points[:, ::2], logs[:, ::2] = coarse.points, coarse.logs
    points[:, 1::2] = 0.5 * (coarse.points[:, 1:] + coarse.points[:, :-1])
    logs[:, 1::2] = log_density(points[:, 1::2], rows)
    return Nodes(points, logs, 0.5 * coarse.step)


def zoom(
    log_density: LogDensity,
    lower: Array,
    upper: Array,
    *,
    nodes: int = 32,
    tolerance: float = 1e-5,
    rough: LogDensity | None = None,
) -> Nodes:
    """Trapezoid nodes over the region that carries each row's integral.

    Each pass lays equal steps over the window and narrows the window to where the
    integrand is above exp(-45) of its largest value, until it no longer shrinks;
    then the nodes are doubled until the rule and its half agree to `tolerance`.

    Parameters
    ----------
    log_density : callable
        ``log_density(points, rows)`` with points of shape (n, n_nodes), and the
        indices of the rows they belong to, shape (n,); returns the log integrand.
    lower, upper : ndarray, shape (n_rows,)
        Windows that hold the integrals; the integrand must have one hump per row.
    nodes : int, default 32
        Number of steps to begin with.
    tolerance : float, default 1e-5
        Largest relative `Nodes.discrepancy` that ends the doubling.
    rough : callable, optional
        A cheaper version of `log_density`, good enough to find the window.

    Returns
    -------
    Nodes
        The same number of nodes for every row.
    """
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    narrow(rough or log_density, lower, upper, np.arange(lower.size))
    return lay(log_density, lower, upper, nodes=nodes, tolerance=tolerance)


def lay(
    log_density: LogDensity, lower: Array, upper: Array, *, nodes: int = 32, tolerance: float = 1e-5
) -> Nodes:
    """Trapezoid nodes over windows that fit already; otherwise as `zoom`."""
    rows = np.arange(lower.size)
    found = _lay(log_density, lower, upper, rows, nodes)
    while 2 * nodes <= MAX_NODES and not np.all(found.discrepancy < tolerance):
        nodes *= 2
        found = halve(log_density, rows, found)
    return found


def log_integrals(
    log_density: LogDensity, lower: Array, upper: Array, *, nodes: int = 32, tolerance: float = 1e-5
) -> Array:
    """Log integral of each row; like `zoom`, but only rows that need more nodes get them.

    Returns
    -------
    ndarray, shape (n_rows,)
    """
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    result = np.empty(lower.size)
    rows = np.arange(lower.size)
    narrow(log_density, lower, upper, rows)
    found = _lay(log_density, lower, upper, rows, nodes)
    while True:
        result[rows] = found.log_integral
        nodes *= 2
        todo = found.discrepancy >= tolerance
        rows = rows[todo]
        if nodes > MAX_NODES or rows.size == 0:
            return result
        coarse = Nodes(found.points[todo], found.logs[todo], found.step[todo])
        found = halve(log_density, rows, coarse)
