"""Pr[mean rate > bar] for many clustered suites at once, on a shared lattice; also pass^k, pass@k.

The posterior of the hierarchical model for x = logit(mean) and y = logit(ICC). All suites
have the same number of rollouts for each task, so a suite is a histogram of passes, and its
log likelihood a product of that histogram with one table over the lattice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._quadrature import log_sum
from bayeseval._special import expit, log_expit, softplus
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.hierarchical._functionals import Functional, solve_pass_hat

__all__ = ["log_passes", "probs_above"]

Array = npt.NDArray[np.float64]
Near = float | tuple[float, ...] | None

PASS_RATE = Functional("pass_hat_k", 1)

# Suites of similar rates share a lattice.
CHUNK = 32
BLOCK = 8 * CHUNK
SCOUT = 33
# Steps by which a window grows where it cuts a posterior off.
GROWTH = 12
# Nodes whose density is below exp(-DROP) of the largest are left out: 2e-9.
DROP = 20.0
TOLERANCE = 1e-7
MOST_NODES = 400_000
# Numbers of the table over the lattice, one row for each number of passes: 80 MB.
MOST_CELLS = 10_000_000
# A value this many times further from `near` than its last change is on the right side of it.
SAFETY = 8.0
# Nodes that must share the mass; on fewer, two coarse lattices can agree and both be wrong.
FEWEST_NODES = 12.0
# Steps along y, and nodes on either side of the bar, before suites are split into parts.
SHARED_NODES = 64
SPLIT = 4
REACH = 40.0


def log_passes(rollouts: int, x: Array, y: Array) -> Array:
    """Log probability of one order of s passes in `rollouts`, for s = 0..rollouts.

    Parameters
    ----------
    rollouts : int
        Rollouts of a task.
    x, y : ndarray, shape (n_nodes,)
        logit(mean) and logit(ICC).

    Returns
    -------
    ndarray, shape (rollouts + 1, n_nodes)

    Notes
    -----
    With rho = 1 / (1 + kappa) every factor mean kappa + j is multiplied by rho, so that
    nothing is lost from ICC 0 to 1; a factor 1 - rho remains where both outcomes occur.
    """
    log_mean, log_rest = log_expit(x)
    rho, rest = expit(y), expit(-y)

    def sums(base: Array, first: Array | float) -> Array:
        rows = np.zeros((rollouts + 1, x.size))
        rows[1:] = first
        for j in range(1, rollouts):
            rows[j + 1] = rows[j] + np.log(base + j * rho)
        return rows

    passed = sums(np.exp(log_mean) * rest, log_mean)
    failed = sums(np.exp(log_rest) * rest, log_rest)
    table = passed + failed[::-1] - sums(rest, 0.0)[-1]
    table[1:-1] -= softplus(y)
    return np.asarray(table)


def probs_above(
    histograms: npt.NDArray[np.int64],
    bar: float,
    prior: HierarchicalPrior,
    *,
    near: Near = None,
    functional: Functional = PASS_RATE,
) -> Array:
    """Posterior probability that the mean rate, pass^k or pass@k exceeds a bar, for each suite.

    Parameters
    ----------
    histograms : ndarray of int, shape (n_suites, rollouts + 1)
        For each suite the number of tasks that passed 0, 1, ... of their rollouts.
    bar : float
        The bar, strictly between 0 and 1.
    prior : HierarchicalPrior
        The prior of the analysis.
    near : float or tuple of float, optional
        Only on which side of these probabilities each suite lies is asked: faster, and
        exact near them alone.
    functional : Functional, optional
        What must exceed the bar on a new task; default: the pass rate.

    Returns
    -------
    ndarray, shape (n_suites,)
        Right to about 1e-6.
    """
    unique, inverse = np.unique(histograms, axis=0, return_inverse=True)
    result = np.empty(len(unique))
    edge = _Edge(float(np.log(bar) - np.log1p(-bar)), functional)
    levels = np.array([] if near is None else near, ndmin=1)
    for rows in _alike(unique):
        result[rows] = _chunk(unique[rows].astype(float), edge, prior, levels)
    return result[inverse.ravel()]


@dataclass(frozen=True, slots=True)
class _Edge:
    """Where, along x for each y, the functional reaches the bar.

    Parameters
    ----------
    z : float
        logit of the bar.
    functional : Functional
        It rises with x.
    """

    z: float
    functional: Functional

    def at(self, y: Array) -> Array:
        sign = -1.0 if self.functional.mirrored else 1.0
        # pass@k of (x, y) is one minus pass^k of (-x, y).
        return sign * solve_pass_hat(np.array(sign * self.z), y, self.functional.k)[0]


def _alike(histograms: npt.NDArray[np.int64]) -> list[npt.NDArray[np.intp]]:
    """Suites of similar mean and ICC, whose posteriors fit one small window."""
    passed = histograms @ np.arange(histograms.shape[1])
    mixed = histograms[:, 1:-1].sum(axis=1)
    by_rate = np.argsort(passed, kind="stable")
    chunks = []
    for start in range(0, by_rate.size, BLOCK):
        block = by_rate[start : start + BLOCK]
        block = block[np.argsort(mixed[block], kind="stable")]
        chunks += [block[at : at + CHUNK] for at in range(0, block.size, CHUNK)]
    return chunks


def _chunk(histograms: Array, edge: _Edge, prior: HierarchicalPrior, near: Array) -> Array:
    """Probabilities of suites that share a window; those it is too wide for get smaller ones."""
    window = _window(histograms, prior)
    found = np.full(len(histograms), np.inf)
    open_ = np.arange(len(histograms))
    most = min(MOST_NODES, MOST_CELLS // histograms.shape[1])
    nodes = 16
    while True:
        new, sharing = _integrate(histograms[open_], edge, prior, window, nodes)
        change = np.abs(new - found[open_])
        found[open_] = new
        done = change < TOLERANCE
        if near.size:
            done |= np.abs(new[:, None] - near).min(axis=1) > SAFETY * change
        open_ = open_[~done | (sharing < FEWEST_NODES)]
        nodes *= 2
        if open_.size == 0 or 2 * nodes * nodes > most:
            return found
        if nodes > SHARED_NODES and len(histograms) > 1:
            passed = histograms[open_] @ np.arange(histograms.shape[1])
            for rows in np.array_split(open_[np.argsort(passed)], SPLIT):
                if rows.size:
                    found[rows] = _chunk(histograms[rows], edge, prior, near)
            return found


def _integrate(
    histograms: Array,
    edge: _Edge,
    prior: HierarchicalPrior,
    window: tuple[float, float, float, float],
    nodes: int,
) -> tuple[Array, Array]:
    """Probability above the edge on one lattice, and how many nodes share the mass.

    The integral is cut at the edge: Gauss-Legendre on either side of it. Along y the
    integrand vanishes at both ends, where the trapezoid rule is best.
    """
    x_low, x_high, y_low, y_high = window
    y = np.linspace(y_low, y_high, nodes + 1)
    cut = np.clip(edge.at(y), x_low, x_high)
    points, weights = (part[:, None] for part in np.polynomial.legendre.leggauss(nodes))
    x = np.concatenate([_stretch(points, x_low, cut), _stretch(points, cut, x_high)])
    with np.errstate(divide="ignore"):
        log_weight = np.log(np.concatenate([weights * (cut - x_low), weights * (x_high - cut)]))
    logs = _log_density(histograms, x, y, prior) + log_weight
    below, above = log_sum(logs.reshape(len(histograms), 2, -1)).T
    sharing = np.exp(2 * np.logaddexp(below, above) - log_sum(log_sum(2 * logs)))
    return np.asarray(expit(above - below)), np.asarray(sharing)


def _stretch(points: Array, low: Array | float, high: Array | float) -> Array:
    return np.asarray(low + (high - low) * (points + 1) / 2)


def _log_density(histograms: Array, x: Array, y: Array, prior: HierarchicalPrior) -> Array:
    """Log posterior density, without its constant, at x of shape (n_x, 1) or (n_x, y.size)."""
    across, along = (each.ravel() for each in np.broadcast_arrays(x, y))
    table = log_passes(histograms.shape[1] - 1, across, along)
    logs = prior.log_density_x(*log_expit(across)) + prior.log_density_y(along)
    return np.asarray((histograms @ table + logs).reshape(-1, len(x), y.size))


def _window(histograms: Array, prior: HierarchicalPrior) -> tuple[float, float, float, float]:
    """Window that holds the posteriors of all suites, moved until it neither cuts nor shrinks.

    First along x alone: the best mean depends little on the ICC, but at a mean that is off the
    best ICC is far off. A coarse grid can still narrow it to the wrong place; then the density
    is high at an end, and the window grows there again.
    """
    x_reach, y_reach = min(prior.x_limit, REACH), min(prior.y_limit, REACH)
    x, y = (-x_reach, x_reach), (-y_reach, y_reach)
    settled = False
    for _ in range(60):
        across, along = np.linspace(x[0], x[1], 2 * SCOUT - 1), np.linspace(y[0], y[1], SCOUT)
        logs = _log_density(histograms, across[:, None], along, prior)
        kept = logs > logs.max(axis=(1, 2), keepdims=True) - DROP
        x, moved = _around(across, kept.any(axis=(0, 2)), x_reach)
        if settled:
            y, moved_too = _around(along, kept.any(axis=(0, 1)), y_reach)
            moved = moved or moved_too
            if not moved:
                break
        settled = settled or not moved
    return *x, *y


def _around(
    grid: Array, kept: npt.NDArray[np.bool_], reach: float
) -> tuple[tuple[float, float], bool]:
    """Ends of what is kept, one step further out, and whether they differ much from before."""
    at, last, step = np.flatnonzero(kept), grid.size - 1, float(grid[1] - grid[0])
    cuts_low, cuts_high = at[0] == 0 and grid[0] > -reach, at[-1] == last and grid[-1] < reach
    low = grid[0] - GROWTH * step if cuts_low else grid[max(at[0] - 1, 0)]
    high = grid[-1] + GROWTH * step if cuts_high else grid[min(at[-1] + 1, last)]
    shrinks = high - low < 0.8 * (grid[-1] - grid[0])
    ends = max(float(low), -reach), min(float(high), reach)
    return ends, bool(cuts_low or cuts_high or shrinks)
