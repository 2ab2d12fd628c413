"""Densities kept as panels: Legendre series on adjoining intervals.

They stand on the logit scale of the quantity, where tails keep their relative accuracy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre

from bayeseval._quadrature import narrow

__all__ = ["Panels"]

Array = npt.NDArray[np.float64]

# How far below its top a density is followed, so that a tail of 1e-30 is still a number.
PANEL_DEPTH = 120.0
PANEL_NODES = 16
MAX_PANELS = 4096

_GL_POINTS, _GL_WEIGHTS = legendre.leggauss(PANEL_NODES)
# Values at the Gauss nodes -> Legendre coefficients (discrete orthogonality).
_TO_COEFFICIENTS = (legendre.legvander(_GL_POINTS, PANEL_NODES - 1) * _GL_WEIGHTS[:, None]).T * (
    np.arange(PANEL_NODES)[:, None] + 0.5
)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A function as Legendre series on adjoining panels."""

    edges: Array
    coefficients: Array

    def series(self, z: Array) -> Array:
        """Value at each point inside the panels."""
        index, t = _locate(self.edges, z)
        return np.asarray(
            np.sum(legendre.legvander(t, PANEL_NODES - 1) * self.coefficients[index], axis=-1)
        )


def _locate(edges: Array, z: Array) -> tuple[npt.NDArray[np.intp], Array]:
    """Panel of each point, and its place in the panel on [-1, 1]."""
    index = np.clip(np.searchsorted(edges, z, side="right") - 1, 0, edges.size - 2)
    left, right = edges[index], edges[index + 1]
    return index, np.clip((2.0 * z - left - right) / (right - left), -1.0, 1.0)


def _rounding(log_density: float) -> float:
    """Error of a log density of this size that is the sum of a few rounded terms."""
    return float(4.0 * np.finfo(float).eps * abs(log_density))


def _smooth_log(depth: float, values: Array, coefficients: Array) -> npt.NDArray[np.bool_]:
    """Whether a log density is resolved: by 1e-9 where it matters, less far below its top."""
    below = np.max(values) - np.max(values, axis=1)
    rough = np.max(np.abs(coefficients[:, -2:]), axis=1)
    # The values of millions of rollouts are so large that their own rounding exceeds 1e-9.
    return np.asarray(
        (rough < 1e-9 + _rounding(np.max(np.abs(values))) + 1e-5 * (below > 50.0)) | (below > depth)
    )


def _smooth_density(
    depth: float, rounding: float, values: Array, coefficients: Array
) -> npt.NDArray[np.bool_]:
    """Whether a density is resolved: to 1e-10 of its size on the panel, and its log's rounding."""
    largest = np.max(np.abs(values), axis=1)
    rough = np.max(np.abs(coefficients[:, -2:]), axis=1)
    resolved = rough <= (1e-10 + rounding) * largest
    return np.asarray(resolved | (largest < np.exp(-depth + 2.0)))


def _tabulate(
    function: Callable[[Array], Array],
    edges: Array,
    smooth: Callable[[Array, Array], npt.NDArray[np.bool_]],
) -> _Table:
    """Split panels in two until each is smooth, or too narrow to matter."""
    narrowest = 1e-12 * (edges[-1] - edges[0])
    left, right = edges[:-1], edges[1:]
    found: list[tuple[Array, Array]] = []
    count = 0
    while left.size:
        half, middle = 0.5 * (right - left), 0.5 * (right + left)
        values = function((middle[:, None] + half[:, None] * _GL_POINTS).ravel())
        values = values.reshape(left.size, PANEL_NODES)
        coefficients = values @ _TO_COEFFICIENTS.T
        count += int(left.size)
        done = smooth(values, coefficients) | (half < narrowest) | (count > MAX_PANELS)
        found.append((left[done], coefficients[done]))
        left, right, middle = left[~done], right[~done], middle[~done]
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    starts = np.concatenate([start for start, _ in found])
    order = np.argsort(starts)
    series = np.concatenate([coefficients for _, coefficients in found])
    return _Table(np.append(starts[order], edges[-1]), series[order])


@dataclass(frozen=True, eq=False)
class Panels:
    """A density on the real line as Legendre series on adjoining panels.

    Parameters
    ----------
    edges : ndarray, shape (n_panels + 1,)
        Panel limits, increasing.
    coefficients : ndarray, shape (n_panels, 16)
        Legendre coefficients of the normalised density on each panel.
    """

    edges: Array
    coefficients: Array

    @classmethod
    def from_log_density(
        cls,
        log_density: Callable[[Array], Array],
        lower: float,
        upper: float,
        *,
        depth: float = PANEL_DEPTH,
        breaks: tuple[float, ...] = (),
    ) -> Panels:
        """Build panels that hold the density to a relative 1e-9, tails included.

        The log density is smooth, so few evaluations fix it as a series; the density
        itself is then tabulated from that series.

        Parameters
        ----------
        log_density : callable
            Log density, up to a constant, at an array of points of shape (n,).
        lower, upper : float
            A window that holds the density.
        depth : float, default 120
            How far below its top the log density is followed; what lies deeper is 0.
        breaks : tuple of float, default ()
            Points where the density may have a kink.
        """
        low, high = np.array([lower], dtype=float), np.array([upper], dtype=float)
        tops = narrow(
            lambda points, _: log_density(points.ravel()).reshape(points.shape),
            low,
            high,
            np.arange(1),
            drop=depth,
        )
        low_end, high_end = float(low[0]), float(high[0])
        inner = [point for point in breaks if low_end < point < high_end]

        def edges(count: int) -> Array:
            return np.unique(np.append(np.linspace(low_end, high_end, count), inner))

        floor = float(tops[0]) - 2.0 * depth

        def floored(z: Array) -> Array:
            return np.fmax(log_density(z), floor)

        logs = _tabulate(floored, edges(9), partial(_smooth_log, depth))
        top = float(np.max(logs.series(np.linspace(low_end, high_end, 2001))))

        def density(z: Array) -> Array:
            relative = logs.series(z) - top
            return np.where(relative > -depth, np.exp(np.minimum(relative, 300.0)), 0.0)

        table = _tabulate(density, edges(25), partial(_smooth_density, depth, _rounding(top)))
        total = float(np.sum(table.coefficients[:, 0] * np.diff(table.edges)))
        return cls(table.edges, table.coefficients / total)

    @cached_property
    def _masses(self) -> Array:
        return np.asarray(self.coefficients[:, 0] * np.diff(self.edges))

    @cached_property
    def _below(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self._masses)])

    @cached_property
    def _above(self) -> Array:
        return np.concatenate([np.cumsum(self._masses[::-1])[::-1], [0.0]])

    @cached_property
    def _integrals(self) -> Array:
        """Coefficients of the antiderivative that is 0 at each panel's left edge."""
        antiderivative = np.stack([legendre.legint(c, lbnd=-1) for c in self.coefficients])
        return np.asarray(antiderivative * (0.5 * np.diff(self.edges))[:, None])

    def density(self, z: Array) -> Array:
        """Density at each point, 0 outside the panels."""
        index, t = _locate(self.edges, z)
        basis = legendre.legvander(t, self.coefficients.shape[1] - 1)
        inside = (z >= self.edges[0]) & (z <= self.edges[-1])
        return np.where(inside, np.maximum(np.sum(basis * self.coefficients[index], -1), 0.0), 0.0)

    def below(self, z: Array) -> Array:
        """Mass below each point, summed from the left, so that small is small."""
        index, t = _locate(self.edges, z)
        basis = legendre.legvander(t, self._integrals.shape[1] - 1)
        part = np.maximum(np.sum(basis * self._integrals[index], -1), 0.0)
        return np.asarray(np.minimum(self._below[index] + part, 1.0))

    def above(self, z: Array) -> Array:
        """Mass above each point, summed from the right, so that small is small."""
        index, t = _locate(self.edges, z)
        basis = legendre.legvander(t, self._integrals.shape[1] - 1)
        # Within a panel the density is positive, so mass minus part keeps its digits
        # except at the very right edge, where the panels beyond carry the answer.
        part = np.maximum(self._masses[index] - np.sum(basis * self._integrals[index], -1), 0.0)
        return np.asarray(np.minimum(self._above[index + 1] + part, 1.0))

    def quantile(self, q: Array) -> Array:
        """Point below which the mass is `q`, by safeguarded Newton steps."""
        low_side = q <= 0.5
        target = np.where(low_side, q, 1.0 - q)
        mass_at = np.where(low_side[:, None], self._below[None, :], -self._above[None, :])
        signed = np.where(low_side, target, -target)
        index = np.clip(np.sum(mass_at <= signed[:, None], axis=1) - 1, 0, self.edges.size - 2)
        low, high = self.edges[index].copy(), self.edges[index + 1].copy()
        density, integral = self.coefficients[index], self._integrals[index]
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        # Mass to the left of the panel on the low side, to its right on the high side.
        beside = np.where(low_side, self._below[index], self._above[index + 1])
        z = middle.copy()
        for _ in range(80):
            basis = legendre.legvander((z - middle) / half, integral.shape[1] - 1)
            part = np.sum(basis * integral, axis=-1)
            inside = np.where(low_side, part, self._masses[index] - part)
            error = np.where(low_side, 1.0, -1.0) * (beside + inside - target)
            high = np.where(error > 0, z, high)
            low = np.where(error <= 0, z, low)
            slope = np.sum(basis[:, : density.shape[1]] * density, axis=-1)
            with np.errstate(divide="ignore", invalid="ignore"):
                proposal = z - error / slope
            # A step too small to move z stays at an end of its bracket: it has arrived.
            held = (proposal >= low) & (proposal <= high)
            new = np.where(held, proposal, 0.5 * (low + high))
            moved = np.abs(new - z)
            z = new
            if bool(np.all(moved <= 1e-14 * np.maximum(1.0, np.abs(z)))):
                break
        return np.asarray(z)

    def expect(self, values: Callable[[Array], Array]) -> float:
        """Expectation of a smooth function of the point."""
        half, middle = 0.5 * np.diff(self.edges), 0.5 * (self.edges[1:] + self.edges[:-1])
        points = middle[:, None] + half[:, None] * _GL_POINTS
        density = self.coefficients @ legendre.legvander(_GL_POINTS, PANEL_NODES - 1).T
        weights = density * _GL_WEIGHTS * half[:, None]
        return float(np.sum(weights * values(points)))
