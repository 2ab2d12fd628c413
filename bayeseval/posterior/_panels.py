"""GridPosterior: a density integrated on a grid, kept as panels on the logit scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bayeseval._panels import Panels
from bayeseval._special import expit, log_expit
from bayeseval._validate import Seed, as_generator, as_sample_size
from bayeseval.posterior._base import About, Posterior

__all__ = ["GridPosterior"]

Array = npt.NDArray[np.float64]

TABLE_POINTS = 8192


@dataclass(frozen=True, eq=False, repr=False)
class GridPosterior(Posterior):
    """Posterior known as a density on the logit scale of its support.

    Parameters
    ----------
    panels : Panels
        The density of ``z = logit((x - low) / (high - low))``, or of arcsinh(z).
    about : About
        What the quantity is.
    support : tuple of float, default (0, 1)
        Smallest and largest value.
    moments : tuple of float, optional
        Mean and standard deviation where they are known more exactly than the
        panels give them.
    stretched : bool, default False
        Whether the panels hold the density of arcsinh(z): for quantities so close to
        an edge that even their logits span many powers of ten.
    """

    panels: Panels
    about: About
    support: tuple[float, float] = (0.0, 1.0)
    moments: tuple[float, float] | None = field(default=None)
    stretched: bool = False

    @classmethod
    def from_log_density(
        cls,
        log_density: Callable[[Array], Array],
        about: About,
        *,
        limit: float,
        support: tuple[float, float] = (0.0, 1.0),
        moments: tuple[float, float] | None = None,
        stretched: bool = False,
    ) -> GridPosterior:
        """Integrate a log density given on the panels' scale, within ``[-limit, limit]``."""
        panels = Panels.from_log_density(log_density, -limit, limit)
        return cls(panels, about, support, moments, stretched)

    @property
    def _span(self) -> float:
        return self.support[1] - self.support[0]

    def _place(self, x: Array) -> Array:
        """Where a value lies on the panels' scale."""
        low, high = self.support
        inside = np.clip(x, low, high)
        with np.errstate(divide="ignore"):
            z = np.log(inside - low) - np.log(high - inside)
        return np.asarray(np.arcsinh(z) if self.stretched else z)

    def _value(self, place: Array) -> Array:
        z = np.sinh(place) if self.stretched else place
        return np.asarray(self.support[0] + self._span * expit(z))

    @property
    def mean(self) -> float:
        if self.moments is not None:
            return self.moments[0]
        return self.panels.expect(self._value)

    @property
    def sd(self) -> float:
        if self.moments is not None:
            return self.moments[1]
        mean = self.mean
        return float(np.sqrt(self.panels.expect(lambda z: (self._value(z) - mean) ** 2)))

    def _below(self, x: Array) -> Array:
        return np.where(x >= self.support[1], 1.0, self.panels.below(self._place(x)))

    def _above(self, x: Array) -> Array:
        return np.where(x < self.support[0], 1.0, self.panels.above(self._place(x)))

    def _density(self, x: Array) -> Array:
        # At an end of the support the density is its limit, as far as the panels reach.
        place = np.clip(self._place(x), self.panels.edges[0], self.panels.edges[-1])
        z = np.sinh(place) if self.stretched else place
        log_scale = np.add(*log_expit(z)) + np.log(self._span)
        if self.stretched:
            log_scale = log_scale + np.log(np.cosh(place))
        with np.errstate(divide="ignore", over="ignore"):
            density = np.exp(np.log(self.panels.density(place)) - log_scale)
        low, high = self.support
        return np.where((x < low) | (x > high), 0.0, density)

    def _quantile(self, q: Array) -> Array:
        low, high = self.support
        inner = self._value(self.panels.quantile(np.clip(q, 1e-300, 1.0)))
        return np.where(q <= 0, low, np.where(q >= 1, high, inner))

    def sample(self, size: int, rng: Seed = None) -> Array:
        count = as_sample_size(size)
        levels = as_generator(rng).uniform(size=count)
        if count <= TABLE_POINTS:
            return self._quantile(levels)
        # Many draws: a table of the distribution function is as good as its inverse.
        places = np.linspace(self.panels.edges[0], self.panels.edges[-1], TABLE_POINTS)
        return self._value(np.interp(levels, self.panels.below(places), places))

    def reflected(self, about: About) -> GridPosterior:
        """Posterior of ``low + high - x``, with the same digits on both sides."""
        panels = Panels(
            -self.panels.edges[::-1],
            self.panels.coefficients[::-1] * (-1.0) ** np.arange(self.panels.coefficients.shape[1]),
        )
        moments = None
        if self.moments is not None:
            moments = (self.support[0] + self.support[1] - self.moments[0], self.moments[1])
        return GridPosterior(panels, about, self.support, moments, self.stretched)
