"""ScaledPosterior: a quantity times a constant, plus another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed
from bayeseval.posterior._base import About, Posterior

__all__ = ["ScaledPosterior"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ScaledPosterior(Posterior):
    """Posterior of ``shift + scale * quantity``.

    Parameters
    ----------
    base : Posterior
        The quantity.
    scale : float
        Above 0.
    shift : float
        Any number that keeps the values within `support`.
    about : About
        What the result is.
    support : tuple of float, default (0, 1)
        Smallest and largest value.
    """

    base: Posterior
    scale: float
    shift: float
    about: About
    support: tuple[float, float] = (0.0, 1.0)

    def _inside(self, x: Array) -> Array:
        return np.asarray((x - self.shift) / self.scale)

    @property
    def mean(self) -> float:
        return self.shift + self.scale * self.base.mean

    @property
    def sd(self) -> float:
        return self.scale * self.base.sd

    def _below(self, x: Array) -> Array:
        return self.base._below(self._inside(x))

    def _above(self, x: Array) -> Array:
        return self.base._above(self._inside(x))

    def _strictly_below(self, x: Array) -> Array:
        return self.base._strictly_below(self._inside(x))

    def _at_least(self, x: Array) -> Array:
        return self.base._at_least(self._inside(x))

    def _density(self, x: Array) -> Array:
        return np.asarray(self.base._density(self._inside(x)) / self.scale)

    def _quantile(self, q: Array) -> Array:
        return np.asarray(self.shift + self.scale * self.base._quantile(q))

    def sample(self, size: int, rng: Seed = None) -> Array:
        return np.asarray(self.shift + self.scale * self.base.sample(size, rng))

    @property
    def mcse_mean(self) -> float:
        return self.scale * self.base.mcse_mean

    def mcse_quantile(self, q: float) -> float:
        return self.scale * self.base.mcse_quantile(q)

    def mcse_prob_above(self, threshold: float) -> float:
        inside = (self._threshold(threshold) - self.shift) / self.scale
        low, high = self.base.support
        return self.base.mcse_prob_above(min(max(inside, low), high))
