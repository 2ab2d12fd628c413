"""MeanPosterior: the weighted mean of independent quantities, convolved on a lattice.

Each quantity's mass in a cell is shared between the two ends of the cell so that its
mean is kept, and the masses of all are convolved by FFT. What the sharing adds to the
variance is known, and taken out: by drawing the lattice together, or in a tail by a
factor. Convolution keeps absolute errors near 1e-16 only; where a tail is smaller than
that asks for, the masses are tilted by exp(theta v) so that the tail becomes the middle,
convolved again, and tilted back: 1e-30 stays 1e-30.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._special import expit
from bayeseval._validate import Seed
from bayeseval.posterior._base import About, Posterior
from bayeseval.posterior._discrete import DiscretePosterior
from bayeseval.posterior._table import TablePosterior

__all__ = ["NOISE", "MeanPosterior", "lattice_mean"]

Array = npt.NDArray[np.float64]

# Cells of all quantities together.
CELLS = 2**16
TABLE_POINTS = 8192
# A quantity's window leaves out less than this on either side: little beside a tail of 1e-30.
OUTSIDE = 1e-40
# Tails below this are computed by tilting.
SMALL = 1e-9
# A cell with less than this is no part of the table.
NOISE = 1e-17


@dataclass(frozen=True, slots=True, eq=False)
class _Lattice:
    """Masses of each weighted quantity at ``start + step * j``."""

    starts: tuple[float, ...]
    masses: tuple[Array, ...]
    step: float

    @property
    def start(self) -> float:
        return float(sum(self.starts))

    @property
    def size(self) -> int:
        """Number of points of the sum."""
        return sum(mass.size - 1 for mass in self.masses) + 1

    def moments(self) -> tuple[float, float]:
        mean = variance = 0.0
        for start, mass in zip(self.starts, self.masses, strict=True):
            place = self.step * np.arange(mass.size)
            centre = float(mass @ place)
            mean += start + centre
            variance += float(mass @ (place - centre) ** 2)
        return mean, variance**0.5

    def tilted(self, theta: float) -> tuple[float, float, float]:
        """Log normaliser, mean and variance, each summed over the tilted quantities."""
        log_total = mean = variance = 0.0
        for start, mass in zip(self.starts, self.masses, strict=True):
            place = self.step * np.arange(mass.size)
            tilt = theta * place
            top = float(tilt.max())
            share = mass * np.exp(tilt - top)
            total = float(share.sum())
            centre = float(share @ place) / total
            log_total += np.log(total) + top + theta * start
            mean += start + centre
            variance += float(share @ (place - centre) ** 2) / total
        return log_total, mean, variance

    def convolved(self, theta: float = 0.0) -> Array:
        """Masses of the sum of the tilted quantities; they sum to 1."""
        # Answers without weights do without.
        from scipy import fft

        length = fft.next_fast_len(self.size, real=True)
        product: npt.NDArray[np.complex128] | None = None
        for mass in self.masses:
            tilt = theta * self.step * np.arange(mass.size)
            share = mass * np.exp(tilt - tilt.max())
            wave = fft.rfft(share / share.sum(), length)
            product = wave if product is None else product * wave
        assert product is not None
        return np.asarray(np.maximum(fft.irfft(product, length)[: self.size], 0.0))


@dataclass(frozen=True, eq=False, repr=False)
class MeanPosterior(Posterior):
    """Posterior of a weighted mean of independent quantities on [0, 1].

    Parameters
    ----------
    lattice : _Lattice
        What is convolved.
    moments : tuple of float
        Mean and standard deviation, known exactly.
    about : About
        What the quantity is.
    """

    lattice: _Lattice
    moments: tuple[float, float]
    about: About
    support: tuple[float, float] = (0.0, 1.0)

    @property
    def mean(self) -> float:
        return self.moments[0]

    @property
    def sd(self) -> float:
        return self.moments[1]

    @cached_property
    def _rough(self) -> tuple[float, float]:
        """Mean and standard deviation on the lattice."""
        return self.lattice.moments()

    @cached_property
    def _stretch(self) -> tuple[float, float]:
        """Centre, and factor about it, that give the lattice its exact moments."""
        mean, sd = self._rough
        return mean, self.moments[1] / sd if sd > 0 else 1.0

    @cached_property
    def _table(self) -> TablePosterior:
        mass = self.lattice.convolved()
        mass /= mass.sum()
        heavy = np.flatnonzero(mass > NOISE)
        first, last = int(heavy[0]), int(heavy[-1])
        stride = max((last - first + 1) // TABLE_POINTS, 1)
        centre, factor = self._stretch
        cells = np.append(np.arange(first, last + 1, stride), last + 1)
        edges = self.lattice.start + self.lattice.step * (cells - 0.5)
        grid = np.clip(self.mean + (edges - centre) * factor, *self.support)
        below = np.concatenate([[0.0], np.cumsum(mass)])[cells]
        above = np.concatenate([np.cumsum(mass[::-1])[::-1], [0.0]])[cells]
        below[0], above[-1] = 0.0, 0.0
        _, kept = np.unique(grid, return_index=True)
        rough = TablePosterior.from_cdf(
            grid[kept], below[kept], above[kept], self.moments, self.about
        )
        # Where the density is smooth it is the mass of the two cells next to an edge.
        pair = np.concatenate([[0.0], mass, [0.0]])
        density = 0.5 * (pair[cells] + pair[cells + 1]) / (self.lattice.step * factor)
        return TablePosterior(
            rough.grid, rough.below, rough.above, density[kept], self.moments, self.about
        )

    def _below(self, x: Array) -> Array:
        return self._tail(x, self._table._below(x), -1.0)

    def _above(self, x: Array) -> Array:
        return self._tail(x, self._table._above(x), 1.0)

    def _tail(self, x: Array, found: Array, side: float) -> Array:
        small = (found < SMALL) & (x > self.support[0]) & (x < self.support[1])
        if not small.any():
            return found
        result = found.copy()
        for at in np.flatnonzero(small):
            result[at] = self._tilted_tail(float(x[at]), side)
        return result

    def _tilted_tail(self, x: float, side: float) -> float:
        """Tail beyond x: above for side 1, below for side -1."""
        lattice = self.lattice
        step, start = lattice.step, lattice.start
        place = (x - start) / step
        if not 0.5 < place < lattice.size - 1.5:
            return 0.0 if (place <= 0.5) == (side < 0) else 1.0
        theta = self._tilt_for(x)
        log_total, _, _ = lattice.tilted(theta)
        # What sharing adds to the variance is a normal error, whose tilt is known.
        log_total -= 0.5 * theta**2 * (self._rough[1] ** 2 - self.sd**2)
        mass = lattice.convolved(theta)
        points = start + step * np.arange(lattice.size)
        with np.errstate(divide="ignore"):
            logs = np.log(mass) + log_total - theta * points
        # Tails at the two cell edges around x, and between them on the log scale.
        edge = int(np.floor(place + 0.5))
        tails = []
        for cut in (edge, edge + 1):
            part = logs[cut:] if side > 0 else logs[:cut]
            tails.append(float(special.logsumexp(part)) if part.size else -np.inf)
        share = place + 0.5 - edge
        return (
            float(np.exp(tails[0] + share * (tails[1] - tails[0])))
            if all(np.isfinite(tails))
            else float(np.exp(max(tails)))
        )

    def _tilt_for(self, x: float) -> float:
        """The tilt whose mean is x, by safeguarded Newton steps."""
        centre, sd = self._rough
        spread = max(sd, self.lattice.step)
        low, high = -1e4 / spread, 1e4 / spread
        theta = (x - centre) / spread**2
        for _ in range(60):
            theta = min(max(theta, low), high)
            _, mean, variance = self.lattice.tilted(theta)
            low, high = (theta, high) if mean < x else (low, theta)
            if abs(mean - x) < 0.05 * variance**0.5 or high - low < 1e-9 * abs(high):
                break
            proposal = theta + (x - mean) / variance if variance > 0 else np.inf
            theta = proposal if low < proposal < high else 0.5 * (low + high)
        return float(theta)

    def _density(self, x: Array) -> Array:
        return self._table._density(x)

    def _quantile(self, q: Array) -> Array:
        return self._table._quantile(q)

    def sample(self, size: int, rng: Seed = None) -> Array:
        return self._table.sample(size, rng)


def lattice_mean(posteriors: list[Posterior], weights: list[float], about: About) -> Posterior:
    """Weighted mean of independent quantities on [0, 1] by convolution.

    Parameters
    ----------
    posteriors : list of Posterior
        On [0, 1].
    weights : list of float
        Above 0, of sum 1.
    about : About
        What the mean is.
    """
    windows = [_window(posterior) for posterior in posteriors]
    step = sum(w * (high - low) for w, (low, high) in zip(weights, windows, strict=True)) / CELLS
    mean = sum(w * p.mean for w, p in zip(weights, posteriors, strict=True))
    sd = float(np.sqrt(sum((w * p.sd) ** 2 for w, p in zip(weights, posteriors, strict=True))))
    starts, masses = [], []
    for weight, posterior, (low, high) in zip(weights, posteriors, windows, strict=True):
        cells = int(np.ceil(weight * (high - low) / step)) + 1
        starts.append(weight * low)
        points = np.asarray(low + step / weight * np.arange(cells + 1), dtype=np.float64)
        masses.append(_masses(posterior, points))
    lattice = _Lattice(tuple(starts), tuple(masses), step)
    return MeanPosterior(lattice, (mean, sd), about)


def _window(posterior: Posterior) -> tuple[float, float]:
    """Values with next to nothing outside, by bisection on the logit scale."""
    if isinstance(posterior, DiscretePosterior):
        return float(posterior.values[0]), float(posterior.values[-1])
    ends = []
    for side in (-1.0, 1.0):
        # Inside there is more than OUTSIDE beyond the point, outside there is not.
        inside, outside = -side * 700.0, side * 700.0
        for _ in range(4):
            z = np.linspace(inside, outside, 33)
            x = expit(z)
            tail = posterior._below(x) if side < 0 else posterior._above(x)
            last = int(np.flatnonzero(tail > OUTSIDE)[-1]) if np.any(tail > OUTSIDE) else 0
            inside, outside = z[last], z[min(last + 1, 32)]
        ends.append(float(special.expit(outside)))
    return ends[0], min(max(ends[1], ends[0] + 1e-15), 1.0)


def _masses(posterior: Posterior, points: Array) -> Array:
    """Share a quantity's law out to equally spaced points, its mean kept."""
    result = np.zeros(points.size)
    step = points[1] - points[0]
    if isinstance(posterior, DiscretePosterior):
        place = np.clip((posterior.values - points[0]) / step, 0, points.size - 1)
        below = np.minimum(place.astype(np.int64), points.size - 2)
        share = place - below
        np.add.at(result, below, posterior.probabilities * (1.0 - share))
        np.add.at(result, below + 1, posterior.probabilities * share)
        return result / result.sum()
    halves = np.clip(np.linspace(points[0], points[-1], 2 * points.size - 1), 0.0, 1.0)
    # The tail that is smaller keeps the digits of a difference.
    middle = int(np.searchsorted(halves, posterior.median))
    below, above = posterior._below(halves[: middle + 1]), posterior._above(halves[middle:])
    part = np.maximum(np.concatenate([np.diff(below), -np.diff(above)]), 0.0)
    left, right = part[0::2], part[1::2]
    mass = left + right
    # Simpson's rule for the mean within the cell, from the masses of its halves.
    upper = np.clip(mass - (4.0 * left + mass) / 6.0, 0.0, mass)
    result[:-1] += mass - upper
    result[1:] += upper
    return result / result.sum()
