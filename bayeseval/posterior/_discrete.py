"""DiscretePosterior: a prediction that takes finitely many values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed, as_generator, as_whole
from bayeseval.posterior._base import About, Posterior

__all__ = ["DiscretePosterior"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DiscretePosterior(Posterior):
    """Predictive distribution on finitely many values, such as passes out of m.

    Parameters
    ----------
    values : ndarray, shape (n_values,)
        The values, increasing.
    probabilities : ndarray, shape (n_values,)
        Their probabilities, which sum to 1.
    about : About
        What is predicted.
    """

    values: Array
    probabilities: Array
    about: About
    support: tuple[float, float] = (0.0, 1.0)

    @property
    def mean(self) -> float:
        return float(np.sum(self.values * self.probabilities))

    @property
    def sd(self) -> float:
        return float(np.sqrt(np.sum((self.values - self.mean) ** 2 * self.probabilities)))

    def _cumulative(self) -> tuple[Array, Array]:
        below = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        above = np.concatenate([np.cumsum(self.probabilities[::-1])[::-1], [0.0]])
        return below, above

    def _below(self, x: Array) -> Array:
        index = np.searchsorted(self.values, x, side="right")
        return np.minimum(self._cumulative()[0][index], 1.0)

    def _above(self, x: Array) -> Array:
        index = np.searchsorted(self.values, x, side="right")
        return np.minimum(self._cumulative()[1][index], 1.0)

    def prob_below(self, threshold: float) -> float:
        index = int(np.searchsorted(self.values, self._threshold(threshold), side="left"))
        return float(min(self._cumulative()[0][index], 1.0))

    def prob_at_least(self, threshold: float) -> float:
        """Pr[quantity >= threshold]; differs from `prob_above` where a value is hit."""
        index = int(np.searchsorted(self.values, self._threshold(threshold), side="left"))
        return float(min(self._cumulative()[1][index], 1.0))

    def _density(self, x: Array) -> Array:
        index = np.clip(np.searchsorted(self.values, x), 0, self.values.size - 1)
        return np.where(self.values[index] == x, self.probabilities[index], 0.0)

    def _quantile(self, q: Array) -> Array:
        # The small slack keeps a level that equals a cumulative sum on its own value.
        index = np.searchsorted(np.cumsum(self.probabilities), q - 1e-14, side="left")
        return np.asarray(self.values[np.clip(index, 0, self.values.size - 1)], dtype=float)

    def sample(self, size: int, rng: Seed = None) -> Array:
        count = as_whole(size, "size", minimum=1)
        share = self.probabilities / self.probabilities.sum()
        return as_generator(rng).choice(self.values, size=count, p=share)
