"""The suite itself and its next run, under the exact engine.

`suite`: the mean over exactly these tasks of p_i, p_i^k or 1 - (1 - p_i)^k, rollouts
without end. `next_run`: the number that the same tasks with the same rollouts, or m new
tasks, will show: the mean over tasks of the unbiased estimate of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb, lcm
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._cells import ScoredCells
from bayeseval._special import log_binomial
from bayeseval.hierarchical._exact import ExactHyper
from bayeseval.hierarchical._functionals import (
    Functional,
    beta_binomial_chances,
    log_rising,
)
from bayeseval.hierarchical._sums import (
    Group,
    chebyshev_moments,
    chebyshev_transform,
    discrete_mean,
    lattice_mean,
    mean_and_sd,
    series_end,
    smooth_mean,
    window,
)
from bayeseval.hierarchical._task_nodes import TaskNodes, task_nodes
from bayeseval.posterior import About, DiscretePosterior, Posterior, TablePosterior

__all__ = ["new_run_exact", "next_run_exact", "suite_exact"]

Array = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]
Counts = npt.NDArray[np.int64]
IndexArray = npt.NDArray[np.intp]
NumberArray = npt.NDArray[Any]

# Series lengths that are tried, each with the last coefficient that ends the search.
LENGTHS = ((48, 1e-13), (96, 1e-13), (192, 1e-12), (384, 1e-10), (768, 1e-9))
LARGEST_ORDER = 1200
SCOUTS = 200
# Cells that are looked at together if a Beta has more than a negligible mass in them.
STRIDE, NEGLIGIBLE = 64, 1e-18
# A density is smooth if its logarithm changes by no more within a cell, as far as it is not
# smaller than its largest value by more than a factor of exp(BULK).
STEEPEST, BULK = 0.8, 12.0
# Up to that many rollouts a task, outcomes are told by their chances one by one.
FEW = 150
# Predictions whose values lie on a finer lattice than this many points are rounded to
# it, and each task's outcome to no less than the second.
LARGEST_LATTICE, LEAST_LATTICE = 8192, 64
_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(3)


def suite_exact(
    hyper: ExactHyper, cells: ScoredCells, functional: Functional, about: About
) -> Posterior:
    """Posterior of the mean of a functional over exactly these tasks."""
    if cells.count.sum() == 1 and functional.k == 1:
        return hyper.task_rate(int(cells.passes[0]), int(cells.trials[0]), about)
    nodes = hyper.suite_nodes
    n = int(cells.count.sum())
    groups = _groups(cells, nodes, functional, 2)
    means, sds, mean, sd = mean_and_sd(nodes.weights, groups)
    bounds = window(nodes.weights, means, sds, n)
    heavy = np.argsort(nodes.weights)[-SCOUTS:]
    scouts = TaskNodes(nodes.weights[heavy], nodes.alpha[heavy], nodes.beta[heavy])
    for longest, tolerance in LENGTHS:
        reach = 2.0 * np.pi * longest / (bounds[1] - bounds[0]) / n
        # exp(i u p^k) turns at most k u / 2 times as p runs over the Chebyshev angle.
        terms = 40 + int(0.6 * reach * functional.k)
        if terms > LARGEST_ORDER:
            break
        # The heaviest nodes tell where the series ends, if it does.
        sample = _groups(cells, scouts, functional, terms)
        length = series_end(scouts.weights, sample, bounds, longest, tolerance)
        if length is not None:
            groups = _groups(cells, nodes, functional, terms)
            found = smooth_mean(nodes.weights, groups, bounds, (length, longest), tolerance, about)
            if found is not None:
                return found
    return _on_lattice(hyper, cells, functional, bounds, (mean, sd), about)


def _groups(
    cells: ScoredCells, nodes: TaskNodes, functional: Functional, terms: int
) -> list[Group]:
    transform = chebyshev_transform(functional.of_rate, terms)
    groups = []
    for passes, trials, count in zip(cells.passes, cells.trials, cells.count, strict=True):
        alpha, beta = nodes.alpha + passes, nodes.beta + (trials - passes)
        first, other = (beta, alpha) if functional.mirrored else (alpha, beta)
        mean = np.exp(log_rising(first, other, functional.k))
        square = np.exp(log_rising(first, other, 2 * functional.k))
        groups.append(
            Group(
                int(count),
                chebyshev_moments(alpha, beta, terms),
                transform,
                1.0 - mean if functional.mirrored else mean,
                np.maximum(square - mean**2, 0.0),
            )
        )
    return groups


def _on_lattice(
    hyper: ExactHyper,
    cells: ScoredCells,
    functional: Functional,
    bounds: tuple[float, float],
    moments: tuple[float, float],
    about: About,
) -> TablePosterior:
    n = int(cells.count.sum())
    trials = float(cells.trials @ cells.count) / n
    nodes = task_nodes(hyper.log_joint, hyper.rows, hyper.steps, tasks=n, trials=trials)
    # Each node costs a transform of the whole lattice: those that carry all but 3e-5.
    order = np.argsort(nodes.weights)[::-1]
    share = np.cumsum(nodes.weights[order]) / nodes.weights.sum()
    heavy = order[: int(np.searchsorted(share, 1.0 - 3e-5)) + 1]
    weights = nodes.weights[heavy] / nodes.weights[heavy].sum()
    laws = [
        (int(c), _point_masses(functional, nodes.alpha[heavy] + s, nodes.beta[heavy] + (t - s)))
        for s, t, c in zip(cells.passes, cells.trials, cells.count, strict=True)
    ]
    return lattice_mean(weights, laws, bounds, moments, about)


def _point_masses(functional: Functional, alpha: Array, beta: Array) -> Callable[[Array], Array]:
    """Masses of a task's value at equally spaced points, at each node.

    Values between two points are shared out between them in proportion to their
    nearness, which keeps the mean of every task: rounding to the nearest point would
    shift a suite of thousands of nearly perfect tasks by a tenth of its failures.
    """
    k = functional.k
    first, other = (beta, alpha) if functional.mirrored else (alpha, beta)
    power = np.exp(log_rising(first, other, k))[:, None]
    # The mean of p^k within a cell comes from the Beta with k passes more.
    more = (alpha, beta + k) if functional.mirrored else (alpha + k, beta)
    inside, weighted = _cell_masses(functional, alpha, beta), _cell_masses(functional, *more)

    def masses(points: Array) -> Array:
        cell = inside(points)
        value = power * weighted(points)
        if functional.mirrored:
            value = cell - value
        step = points[1] - points[0]
        upper = np.clip((value - points[:-1] * cell) / step, 0.0, cell)
        result = np.zeros((alpha.size, points.size))
        result[:, :-1] += cell - upper
        result[:, 1:] += upper
        return result

    return masses


def _cell_masses(functional: Functional, alpha: Array, beta: Array) -> Callable[[Array], Array]:
    """Masses that a task's value has between given edges, at each node.

    Incomplete beta functions are slow; between the outermost cells a three-point Gauss
    rule of the density does as well, unless the density changes much within a cell.
    """

    def masses(edges: Array) -> Array:
        p, q = functional.rate_at(edges)
        half, left, right = 0.5 * np.diff(p)[4:-4], p[4:-5], q[5:-4]
        logs = [
            (alpha[:, None] - 1.0) * np.log(left + half * (1.0 + node))
            + (beta[:, None] - 1.0) * np.log(right + half * (1.0 - node))
            for node in _GAUSS_NODES
        ]
        # Only the shape counts: the largest value is made 1, so that none overflows.
        top = np.max(np.maximum.reduce(logs), axis=1, keepdims=True, initial=-np.inf)
        steep = np.abs(logs[-1] - logs[0]) > STEEPEST
        smooth = ~np.any(steep & (logs[1] > top - BULK), axis=1)
        result = np.empty((alpha.size, edges.size - 1))
        result[~smooth] = _beta_masses(alpha[~smooth], beta[~smooth], p, q)
        outer = [
            _beta_masses(alpha[smooth], beta[smooth], p[part], q[part])
            for part in (slice(None, 5), slice(-5, None))
        ]
        density = np.zeros((outer[0].shape[0], half.size))
        for node_logs, weight in zip(logs, _GAUSS_WEIGHTS, strict=True):
            density += weight * half * np.exp(node_logs[smooth] - top[smooth])
        share = 1.0 - outer[0].sum(axis=1) - outer[1].sum(axis=1)
        scale = density.sum(axis=1)
        ratio = np.divide(share, scale, out=np.zeros_like(share), where=scale > 0)
        inner = density * np.maximum(ratio, 0.0)[:, None]
        result[smooth] = np.concatenate([outer[0], inner, outer[1]], axis=1)
        return result

    return masses


def _beta_masses(alpha: Array, beta: Array, p: Array, q: Array) -> Array:
    """Masses of Betas between increasing edges p (complements q).

    Incomplete beta functions are slow. Between edges far apart most Betas have no mass,
    and only where they do are the edges between looked at.
    """

    def below(rows: IndexArray, edges: IndexArray) -> Array:
        a, b = alpha[rows], beta[rows]
        low = special.betainc(a, b, p[edges], where=p[edges] < 0.5, out=np.zeros(edges.shape))
        special.betaincc(b, a, q[edges], where=p[edges] >= 0.5, out=low)
        return np.asarray(low)

    cells = p.size - 1
    starts = np.arange(0, cells, STRIDE)
    outer = np.append(starts, cells)
    rows = np.arange(alpha.size)[:, None]
    coarse = np.diff(below(rows, np.broadcast_to(outer, (alpha.size, outer.size))), axis=1)
    result = np.zeros((alpha.size, cells))
    row, stretch = np.nonzero(coarse > NEGLIGIBLE)
    edges = np.minimum(starts[stretch, None] + np.arange(STRIDE + 1), cells)
    inner = np.diff(below(row[:, None], edges), axis=1)
    # Beyond the last edge there are cells without width.
    np.add.at(result, (row[:, None], np.minimum(edges[:, :-1], cells - 1)), inner)
    return result


def next_run_exact(
    hyper: ExactHyper, cells: ScoredCells, functional: Functional, about: About
) -> DiscretePosterior:
    """Prediction of the number that the same tasks with the same rollouts show next time."""
    known = (cells.passes, cells.trials)
    return _predict(hyper, *known, cells.trials, cells.count, functional, about)


def new_run_exact(
    hyper: ExactHyper, tasks: int, rollouts: int, functional: Functional, about: About
) -> DiscretePosterior:
    """Prediction of the number that `tasks` new tasks of `rollouts` rollouts will show."""
    none = np.zeros(1, dtype=np.int64)
    return _predict(hyper, none, none, np.array([rollouts]), np.array([tasks]), functional, about)


def _predict(
    hyper: ExactHyper,
    passes: Counts,
    trials: Counts,
    rollouts: Counts,
    count: Counts,
    functional: Functional,
    about: About,
) -> DiscretePosterior:
    nodes = hyper.suite_nodes
    laws = {int(r): _outcome_law(int(r), functional) for r in np.unique(rollouts)}
    transforms: dict[int, Callable[[Array], Complex]] = {
        r: law.transform for r, law in laws.items()
    }
    groups = []
    for s, t, r, c in zip(passes, trials, rollouts, count, strict=True):
        law = laws[int(r)]
        matrix = law.known(nodes.alpha + s, nodes.beta + (t - s))
        mean, square = (matrix @ law.powers).T
        variance = np.maximum(square - mean**2, 0.0)
        groups.append(Group(int(c), matrix, transforms[int(r)], mean, variance))
    lattice = lcm(*(comb(r, functional.k) for r in laws))
    means, sds, _, _ = mean_and_sd(nodes.weights, groups)
    n = int(count.sum())
    low, high = window(nodes.weights, means, sds, n)
    enough = max(int(np.ceil(LARGEST_LATTICE / (n * (high - low)))), LEAST_LATTICE)
    if lattice > enough:
        lattice = enough
        waves = _Waves(lattice)
        transforms = {r: law.rounded(waves) for r, law in laws.items()}
        each = rollouts.tolist()
        groups = [replace(g, transform=transforms[r]) for g, r in zip(groups, each, strict=True)]
    return discrete_mean(nodes.weights, groups, lattice, about)


@dataclass(frozen=True, slots=True, eq=False)
class _OutcomeLaw:
    """Law of one task's outcome, linear in what is known of the task at each node.

    Parameters
    ----------
    known : callable
        ``known(alpha, beta)``, shape (n_nodes, n_terms).
    linear : ndarray, shape (n_terms, rollouts + 1), or None
        Chances of 0..rollouts passes from what is known; None where those are known.
    values : ndarray, shape (rollouts + 1,)
        Outcome for each number of passes.
    """

    known: Callable[[Array, Array], Array]
    linear: Array | None
    values: Array

    def _from_chances(self, of_passes: NumberArray) -> NumberArray:
        return of_passes if self.linear is None else self.linear @ of_passes

    @property
    def powers(self) -> Array:
        """Coefficients of the outcome's first two moments, shape (n_terms, 2)."""
        return self._from_chances(np.stack([self.values, self.values**2], axis=1))

    def transform(self, u: Array) -> Complex:
        """As in `Group`."""
        return self._from_chances(np.exp(1j * self.values[:, None] * u))

    def rounded(self, waves: _Waves) -> Callable[[Array], Complex]:
        """Transform of the outcome split between multiples of 1 / lattice, mean kept."""
        place = self.values * waves.lattice
        below = np.floor(place)
        share = place - below
        split = np.zeros((self.values.size, waves.lattice + 2))
        rows = np.arange(self.values.size)
        split[rows, below.astype(int)] = 1.0 - share
        split[rows, below.astype(int) + 1] = share
        linear = self._from_chances(split)
        return lambda u: np.asarray(linear @ waves.at(u))


class _Waves:
    """exp(i u j / lattice), shape (lattice + 2, n_frequencies), made once for all groups."""

    def __init__(self, lattice: int) -> None:
        self.lattice = lattice
        self._u: Array | None = None
        self._waves: Complex = np.empty((0, 0), dtype=complex)

    def at(self, u: Array) -> Complex:
        if u is not self._u:
            multiples = np.arange(self.lattice + 2) / self.lattice
            self._u, self._waves = u, np.exp(1j * multiples[:, None] * u)
        return self._waves


def _outcome_law(rollouts: int, functional: Functional) -> _OutcomeLaw:
    """Law of a task's outcome over a number of rollouts.

    For few rollouts the chances of each number of passes are known. For many, the
    Chebyshev moments of the task's rate p: the expectation of anything over
    Binomial(rollouts, p) is a polynomial in p whose coefficients fall off like
    exp(-order^2 / (2 rollouts)).
    """
    values = functional.of_counts(rollouts)
    if rollouts <= FEW:
        return _OutcomeLaw(
            lambda alpha, beta: beta_binomial_chances(alpha, beta, rollouts), None, values
        )
    terms = min(40 + int(np.sqrt(75.0 * rollouts)), rollouts + 1)
    angle = np.pi * (np.arange(terms) + 0.5) / terms
    log_odds = -2.0 * np.log(np.tan(0.5 * angle))
    s = np.arange(rollouts + 1.0)
    logs = log_binomial(rollouts, s) + s * log_odds[:, None]
    binomial = np.exp(logs - logs.max(axis=1, keepdims=True))
    binomial /= binomial.sum(axis=1, keepdims=True)
    cosines = np.cos(np.arange(terms)[:, None] * angle) * (2.0 / terms)
    cosines[0] *= 0.5
    return _OutcomeLaw(
        lambda alpha, beta: chebyshev_moments(alpha, beta, terms), cosines @ binomial, values
    )
