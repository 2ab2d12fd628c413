"""DiscretePosterior: a prediction that takes finitely many values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._interval import Interval
from bayeseval._validate import Seed, as_generator, as_probability, as_sample_size
from bayeseval.posterior._base import About, Posterior
from bayeseval.unknown import Unknown

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

    def __post_init__(self) -> None:
        for name in ("values", "probabilities"):
            # A copy: the caller's own array stays writable.
            array = np.array(getattr(self, name), dtype=float)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

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

    def _strictly_below(self, x: Array) -> Array:
        index = np.searchsorted(self.values, x, side="left")
        return np.minimum(self._cumulative()[0][index], 1.0)

    def _at_least(self, x: Array) -> Array:
        index = np.searchsorted(self.values, x, side="left")
        return np.minimum(self._cumulative()[1][index], 1.0)

    def prob_at_least(self, threshold: float) -> float:
        """Pr[quantity >= threshold]; differs from `prob_above` where a value is hit.

        Parameters
        ----------
        threshold : float
            A value inside the support, such as r in "at least r of the next m pass".
        """
        return self._at(self._at_least, threshold)

    def _density(self, x: Array) -> Array:
        index = np.clip(np.searchsorted(self.values, x), 0, self.values.size - 1)
        return np.where(self.values[index] == x, self.probabilities[index], 0.0)

    def _quantile(self, q: Array) -> Array:
        # The small slack keeps a level that equals a cumulative sum on its own value.
        index = np.searchsorted(np.cumsum(self.probabilities), q * (1.0 - 1e-14), side="left")
        return np.asarray(self.values[np.clip(index, 0, self.values.size - 1)], dtype=float)

    def hdi(self, prob: float = 0.95) -> Interval | Unknown:
        """Shortest run of values that holds `prob`; of equally short ones, the likeliest.

        Parameters
        ----------
        prob : float, default 0.95
            Least probability inside, strictly between 0 and 1.

        Returns
        -------
        Interval or Unknown
            `Unknown` where two runs are equally short and equally likely.
        """
        level = as_probability(prob, "prob", open_ends=True)
        below = self._cumulative()[0]
        first = np.arange(self.values.size)
        # The slack keeps a run that holds the level exactly.
        last = np.searchsorted(below[1:], (below[:-1] + level) * (1.0 - 1e-14))
        first, last = first[last < first.size], last[last < first.size]
        width, mass = self.values[last] - self.values[first], below[last + 1] - below[first]
        shortest = width <= width.min()
        likeliest = np.flatnonzero(shortest & (mass >= mass[shortest].max() * (1.0 - 1e-12)))
        if likeliest.size > 1:
            return Unknown("several runs of values are equally short and equally likely")
        best = likeliest[0]
        return Interval(
            float(self.values[first[best]]), float(self.values[last[best]]), level, "hdi"
        )

    def sample(self, size: int, rng: Seed = None) -> Array:
        count = as_sample_size(size)
        share = self.probabilities / self.probabilities.sum()
        return as_generator(rng).choice(self.values, size=count, p=share)
