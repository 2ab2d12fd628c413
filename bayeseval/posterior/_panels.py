"""GridPosterior: a density integrated on a grid, kept as panels on the logit scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from bayeseval._quadrature import Panels
from bayeseval._validate import Seed, as_generator, as_whole
from bayeseval.posterior._base import About, Posterior

__all__ = ["GridPosterior"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class GridPosterior(Posterior):
    """Posterior known as a density on the logit scale of its support.

    Parameters
    ----------
    panels : Panels
        The density of ``z = logit((x - low) / (high - low))``.
    about : About
        What the quantity is.
    support : tuple of float, default (0, 1)
        Smallest and largest value.
    moments : tuple of float, optional
        Mean and standard deviation where they are known more exactly than the
        panels give them.
    """

    panels: Panels
    about: About
    support: tuple[float, float] = (0.0, 1.0)
    moments: tuple[float, float] | None = field(default=None)

    @classmethod
    def from_log_density(
        cls,
        log_density: Callable[[Array], Array],
        about: About,
        *,
        limit: float,
        support: tuple[float, float] = (0.0, 1.0),
        moments: tuple[float, float] | None = None,
    ) -> GridPosterior:
        """Integrate a log density given on the logit scale, within ``[-limit, limit]``."""
        panels = Panels.from_log_density(log_density, -limit, limit)
        return cls(panels, about, support, moments)

    @property
    def _span(self) -> float:
        return self.support[1] - self.support[0]

    def _z(self, x: Array) -> Array:
        low, high = self.support
        inside = np.clip(x, low, high)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(inside - low) - np.log(high - inside))

    def _x(self, z: Array) -> Array:
        return np.asarray(self.support[0] + self._span * expit(z))

    @property
    def mean(self) -> float:
        if self.moments is not None:
            return self.moments[0]
        return self.panels.expect(self._x)

    @property
    def sd(self) -> float:
        if self.moments is not None:
            return self.moments[1]
        mean = self.mean
        return float(np.sqrt(self.panels.expect(lambda z: (self._x(z) - mean) ** 2)))

    def _below(self, x: Array) -> Array:
        return self.panels.below(self._z(x))

    def _above(self, x: Array) -> Array:
        return self.panels.above(self._z(x))

    def _density(self, x: Array) -> Array:
        z = self._z(x)
        scale = self._span * expit(z) * expit(-z)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scale > 0, self.panels.density(z) / scale, 0.0)

    def _quantile(self, q: Array) -> Array:
        low, high = self.support
        inner = self._x(self.panels.quantile(np.clip(q, 1e-300, 1.0)))
        return np.where(q <= 0, low, np.where(q >= 1, high, inner))

    def sample(self, size: int, rng: Seed = None) -> Array:
        count = as_whole(size, "size", minimum=1)
        return self._quantile(as_generator(rng).uniform(size=count))

    def reflected(self, about: About) -> GridPosterior:
        """Posterior of ``low + high - x``, with the same digits on both sides."""
        panels = Panels(
            -self.panels.edges[::-1],
            self.panels.coefficients[::-1] * (-1.0) ** np.arange(self.panels.coefficients.shape[1]),
        )
        moments = None
        if self.moments is not None:
            moments = (self.support[0] + self.support[1] - self.moments[0], self.moments[1])
        return GridPosterior(panels, about, self.support, moments)
