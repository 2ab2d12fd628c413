"""TablePosterior: a distribution function at given points, with smooth interpolation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed, as_generator, as_sample_size
from bayeseval.posterior._base import About, Posterior

__all__ = ["TablePosterior"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TablePosterior(Posterior):
    """Posterior known by its distribution function at the points of a grid.

    Parameters
    ----------
    grid : ndarray, shape (n,)
        Values, increasing.
    below, above : ndarray, shape (n,)
        Pr[quantity <= grid] and Pr[quantity > grid], each as itself.
    density : ndarray, shape (n,)
        Density at the grid; with it the distribution function is interpolated by
        cubics, without wiggles where the density is smooth on the grid.
    moments : tuple of float
        Mean and standard deviation, known exactly.
    about : About
        What the quantity is.
    """

    grid: Array
    below: Array
    above: Array
    density: Array
    moments: tuple[float, float]
    about: About
    support: tuple[float, float] = (0.0, 1.0)

    @classmethod
    def from_cdf(
        cls, grid: Array, below: Array, above: Array, moments: tuple[float, float], about: About
    ) -> TablePosterior:
        """Make a posterior from its distribution function; the density follows from it."""
        step = np.diff(grid)
        secants = np.diff(below) / step
        # Of the parabola through three points, and no more than keeps the cubic rising.
        inner = (step[1:] * secants[:-1] + step[:-1] * secants[1:]) / (step[1:] + step[:-1])
        inner = np.minimum(inner, 3.0 * np.minimum(secants[1:], secants[:-1]))
        density = np.concatenate([secants[:1], inner, secants[-1:]])
        return cls(grid, below, above, density, moments, about)

    @property
    def mean(self) -> float:
        return self.moments[0]

    @property
    def sd(self) -> float:
        return self.moments[1]

    def _hermite(self, values: Array, slopes: Array, x: Array) -> Array:
        index = np.clip(np.searchsorted(self.grid, x, side="right") - 1, 0, self.grid.size - 2)
        step = self.grid[index + 1] - self.grid[index]
        t = np.clip((x - self.grid[index]) / step, 0.0, 1.0)
        left = values[index]
        rise = values[index + 1] - left
        # Slopes beyond three times the secant would make the cubic overshoot.
        low, high = np.minimum(3.0 * rise, 0.0), np.maximum(3.0 * rise, 0.0)
        start = np.clip(slopes[index] * step, low, high)
        end = np.clip(slopes[index + 1] * step, low, high)
        return np.asarray(
            left
            + t * (start + t * (3.0 * rise - 2.0 * start - end + t * (start + end - 2.0 * rise)))
        )

    def _below(self, x: Array) -> Array:
        result = np.clip(self._hermite(self.below, self.density, x), 0.0, 1.0)
        return np.where(x < self.grid[0], 0.0, np.where(x >= self.grid[-1], 1.0, result))

    def _above(self, x: Array) -> Array:
        result = np.clip(self._hermite(self.above, -self.density, x), 0.0, 1.0)
        return np.where(x < self.grid[0], 1.0, np.where(x >= self.grid[-1], 0.0, result))

    def _density(self, x: Array) -> Array:
        return np.interp(x, self.grid, self.density, left=0.0, right=0.0)

    def _quantile(self, q: Array) -> Array:
        lower_side = q <= 0.5
        low, high = np.full(q.shape, self.grid[0]), np.full(q.shape, self.grid[-1])
        for _ in range(60):
            middle = 0.5 * (low + high)
            reached = np.where(lower_side, self._below(middle) >= q, self._above(middle) <= 1.0 - q)
            high, low = np.where(reached, middle, high), np.where(reached, low, middle)
        return np.asarray(high)

    def sample(self, size: int, rng: Seed = None) -> Array:
        count = as_sample_size(size)
        levels = as_generator(rng).uniform(size=count)
        if count <= self.grid.size:
            return self._quantile(levels)
        # Many draws: the table itself is as good as its smooth inverse.
        return np.interp(levels, self.below, self.grid)
