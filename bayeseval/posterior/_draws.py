"""DrawsPosterior: MCMC draws, with the Monte Carlo error of each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed, as_generator, as_probability, as_sample_size
from bayeseval.posterior._base import About, Posterior, logit

__all__ = ["DrawsPosterior"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class DrawsPosterior(Posterior):
    """Posterior known by draws.

    Parameters
    ----------
    draws : ndarray, shape (n_chains, n_draws)
        The draws, chain by chain.
    about : About
        What the quantity is.
    support : tuple of float, default (0, 1)
        Smallest and largest value.
    """

    draws: Array
    about: About
    support: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        # A copy: the caller's own array stays writable.
        draws = np.array(self.draws, dtype=float, ndmin=2)
        draws.setflags(write=False)
        object.__setattr__(self, "draws", draws)

    @property
    def mean(self) -> float:
        return float(self.draws.mean())

    @property
    def sd(self) -> float:
        return float(self.draws.std(ddof=1))

    def _below(self, x: Array) -> Array:
        ordered = np.sort(self.draws, axis=None)
        return np.searchsorted(ordered, x, side="right") / ordered.size

    def _above(self, x: Array) -> Array:
        ordered = np.sort(self.draws, axis=None)
        return (ordered.size - np.searchsorted(ordered, x, side="right")) / ordered.size

    def _strictly_below(self, x: Array) -> Array:
        ordered = np.sort(self.draws, axis=None)
        return np.searchsorted(ordered, x, side="left") / ordered.size

    def _at_least(self, x: Array) -> Array:
        ordered = np.sort(self.draws, axis=None)
        return (ordered.size - np.searchsorted(ordered, x, side="left")) / ordered.size

    def _quantile(self, q: Array) -> Array:
        return np.asarray(np.quantile(self.draws, q))

    def _density(self, x: Array) -> Array:
        """Kernel density on the logit scale of the support, so that edges leak nothing."""
        low, high = self.support
        span = high - low
        spacing = 1e-12 * span
        inner = np.clip(self.draws.ravel(), low + spacing, high - spacing)
        z = logit((inner - low) / span)
        spread = min(z.std(), float(np.subtract(*np.percentile(z, [75, 25]))) / 1.349) or z.std()
        width = max(0.9 * spread * z.size**-0.2, 1e-9)
        edges = np.linspace(z.min() - 5 * width, z.max() + 5 * width, 1025)
        counts, _ = np.histogram(z, bins=edges)
        centres = 0.5 * (edges[1:] + edges[:-1])
        points = np.clip(x, low + spacing, high - spacing)
        at = logit((points - low) / span)
        kernel = np.exp(-0.5 * ((at[:, None] - centres) / width) ** 2) / (
            width * np.sqrt(2 * np.pi)
        )
        density = kernel @ (counts / z.size)
        scaled = (points - low) * (high - points) / span
        return np.where((x < low) | (x > high), 0.0, density / scaled)

    def sample(self, size: int, rng: Seed = None) -> Array:
        """Draws with replacement from the stored draws, shape (size,)."""
        count = as_sample_size(size)
        return as_generator(rng).choice(self.draws.ravel(), size=count)

    @property
    def mcse_mean(self) -> float:
        return _mcse(self.draws, "mean")

    def mcse_quantile(self, q: float) -> float:
        return _mcse(self.draws, "quantile", prob=as_probability(q, "q"))

    def mcse_prob_above(self, threshold: float) -> float:
        above = (self.draws > self._threshold(threshold)).astype(float)
        if above.min() == above.max():
            # No draw on one side: the error of one draw there, not zero.
            share = (above.sum() + 1.0) / (above.size + 2.0)
            return float(np.sqrt(share * (1.0 - share) / above.size))
        return _mcse(above, "mean")


def _mcse(draws: Array, method: str, **options: Any) -> float:
    from arviz_stats.base import array_stats

    return float(array_stats.mcse(draws, chain_axis=0, draw_axis=1, method=method, **options))
