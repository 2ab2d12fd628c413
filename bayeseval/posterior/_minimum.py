"""MinimumPosterior: the smallest of several independent quantities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre

from bayeseval._validate import Seed, as_generator, as_sample_size
from bayeseval.posterior._base import About, Posterior

__all__ = ["MinimumPosterior"]

Array = npt.NDArray[np.float64]

# A quantile is searched in that many sections, so many times over: to 1e-17.
SECTIONS, TURNS = 16, 14


@dataclass(frozen=True, eq=False, repr=False)
class MinimumPosterior(Posterior):
    """Posterior of the smallest of independent continuous quantities on [0, 1].

    Parameters
    ----------
    parts : tuple of Posterior
        The quantities.
    about : About
        What the minimum is.

    Notes
    -----
    Pr[min > x] is the product of Pr[part > x], and Pr[min <= x] one minus it, summed on
    the log scale so that a small one keeps its digits.
    """

    parts: tuple[Posterior, ...]
    about: About
    support: tuple[float, float] = (0.0, 1.0)

    def _above(self, x: Array) -> Array:
        return np.asarray(np.prod([part._above(x) for part in self.parts], axis=0))

    def _below(self, x: Array) -> Array:
        with np.errstate(divide="ignore"):
            logs = sum(np.log1p(-np.minimum(part._below(x), 1.0)) for part in self.parts)
        return np.asarray(-np.expm1(logs))

    def _density(self, x: Array) -> Array:
        return np.asarray(np.sum(self._shares(x), axis=0))

    def _shares(self, x: Array) -> Array:
        """Density of each part being the smallest, at x; shape (n_parts, n)."""
        above = np.array([part._above(x) for part in self.parts])
        density = np.array([part._density(x) for part in self.parts])
        # Products of all parts before, and of all after: no division by a tail of 0.
        before, after = np.ones(above.shape), np.ones(above.shape)
        np.cumprod(above[:-1], axis=0, out=before[1:])
        after[:-1] = np.cumprod(above[:0:-1], axis=0)[::-1]
        return np.asarray(density * before * after)

    def _quantile(self, q: Array) -> Array:
        # Sections instead of halves: each turn asks every part once, for all levels.
        low, high = np.zeros(q.shape), np.ones(q.shape)
        share = np.linspace(0.0, 1.0, SECTIONS + 1)[1:-1]
        rows, lower = np.arange(q.size), q <= 0.5
        for _ in range(TURNS):
            points = low[:, None] + (high - low)[:, None] * share
            reached = np.empty(points.shape, dtype=bool)
            for side, tail, level in ((lower, self._below, q), (~lower, self._above, 1.0 - q)):
                found = tail(points[side].ravel()).reshape(-1, share.size)
                limit = level[side, None]
                reached[side] = found >= limit if tail == self._below else found <= limit
            first = np.where(reached.any(axis=1), reached.argmax(axis=1), SECTIONS - 1)
            ends = np.column_stack([low, points, high])
            low, high = ends[rows, first], ends[rows, first + 1]
        return np.asarray(high)

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        """Gauss nodes and weights between levels that are equally likely."""
        levels = np.concatenate([[0.0], 10.0 ** np.arange(-12.0, -2.0), np.linspace(0.02, 1.0, 50)])
        edges = np.unique(np.clip(np.append(self._quantile(levels), [0.0, 1.0]), 0.0, 1.0))
        points, weights = legendre.leggauss(8)
        half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        return (
            (middle[:, None] + half[:, None] * points).ravel(),
            (half[:, None] * weights).ravel(),
        )

    @property
    def mean(self) -> float:
        points, weights = self._nodes
        return float(weights @ self._above(points))

    @property
    def sd(self) -> float:
        points, weights = self._nodes
        square = 2.0 * float(weights @ (points * self._above(points)))
        return float(np.sqrt(max(square - self.mean**2, 0.0)))

    def prob_each_smallest(self) -> Array:
        """Probability that each part is the smallest, shape (n_parts,)."""
        points, weights = self._nodes
        chances = self._shares(points) @ weights
        return np.asarray(chances / chances.sum())

    def sample(self, size: int, rng: Seed = None) -> Array:
        count = as_sample_size(size)
        generator = as_generator(rng)
        return np.asarray(np.min([part.sample(count, generator) for part in self.parts], axis=0))
