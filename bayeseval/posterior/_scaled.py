"""A quantity times a constant, plus another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed
from bayeseval.posterior._base import About, Posterior
from bayeseval.posterior._discrete import DiscretePosterior
from bayeseval.posterior._draws import DrawsPosterior

__all__ = ["ScaledPosterior", "scaled"]

Array = npt.NDArray[np.float64]


def scaled(
    posterior: Posterior,
    scale: float,
    shift: float,
    about: About,
    support: tuple[float, float] = (0.0, 1.0),
) -> Posterior:
    """Posterior of ``shift + scale * quantity``; draws stay draws, and values values.

    Parameters
    ----------
    posterior : Posterior
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
    if scale == 1.0 and shift == 0.0 and support == posterior.support:
        return replace(posterior, about=about)  # type: ignore[type-var]
    low, high = support
    if isinstance(posterior, DrawsPosterior):
        draws = np.clip(shift + scale * posterior.draws, low, high)
        return DrawsPosterior(draws, about, support)
    if isinstance(posterior, DiscretePosterior):
        values = np.clip(shift + scale * posterior.values, low, high)
        return DiscretePosterior(values, posterior.probabilities, about, support)
    return ScaledPosterior(posterior, scale, shift, about, support)


@dataclass(frozen=True, eq=False, repr=False)
class ScaledPosterior(Posterior):
    """Posterior of ``shift + scale * quantity``, whose base is continuous.

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
        inside = self._inside(x)
        low, high = self.base.support
        return np.where(inside < low, 0.0, self.base._below(np.clip(inside, low, high)))

    def _above(self, x: Array) -> Array:
        inside = self._inside(x)
        low, high = self.base.support
        return np.where(inside < low, 1.0, self.base._above(np.clip(inside, low, high)))

    def _density(self, x: Array) -> Array:
        inside = self._inside(x)
        low, high = self.base.support
        density = self.base._density(np.clip(inside, low, high)) / self.scale
        return np.where((inside < low) | (inside > high), 0.0, density)

    def _quantile(self, q: Array) -> Array:
        return np.asarray(self.shift + self.scale * self.base._quantile(q))

    def sample(self, size: int, rng: Seed = None) -> Array:
        return np.asarray(self.shift + self.scale * self.base.sample(size, rng))
