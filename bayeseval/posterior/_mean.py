"""Weighted means of quantities, whatever made their posteriors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed, as_generator
from bayeseval.errors import InputError
from bayeseval.posterior._base import About, Posterior
from bayeseval.posterior._discrete import DiscretePosterior
from bayeseval.posterior._draws import DrawsPosterior
from bayeseval.posterior._lattice import lattice_mean

__all__ = ["dirichlet_mean", "weighted_mean"]

Array = npt.NDArray[np.float64]

# Chains and draws where the weights are uncertain.
DRAWS = (4, 25_000)
# A prediction of more values than this is shared out to that many.
MOST_VALUES = 20_000


def weighted_mean(
    posteriors: Sequence[Posterior],
    weights: Sequence[float],
    about: About,
    *,
    rng: Seed = None,
) -> Posterior:
    """Posterior of the weighted mean of quantities on [0, 1].

    Parameters
    ----------
    posteriors : sequence of Posterior
        Independent of each other; or all known by draws of one shape, which then belong
        together draw by draw.
    weights : sequence of float
        At least 0, of sum 1.
    about : About
        What the mean is.
    rng : int or Generator, optional
        Used only where some are known by draws and others are not.
    """
    used = [(p, float(w)) for p, w in zip(posteriors, weights, strict=True) if w > 0]
    if any(posterior.support != (0.0, 1.0) for posterior, _ in used):
        raise InputError("a weighted mean needs posteriors on [0, 1]")
    if len(used) == 1:
        return replace(used[0][0], about=about)  # type: ignore[type-var]
    chosen = [posterior for posterior, _ in used]
    shares = np.array([weight for _, weight in used])
    if any(isinstance(posterior, DrawsPosterior) for posterior in chosen):
        draws = _together(chosen, as_generator(rng))
        mean = np.tensordot(shares, draws, axes=1)
        return DrawsPosterior(np.clip(mean, 0.0, 1.0), about)
    if all(isinstance(posterior, DiscretePosterior) for posterior in chosen):
        return _discrete_mean(chosen, shares, about)
    return lattice_mean(chosen, shares.tolist(), about)


def dirichlet_mean(
    posteriors: Sequence[Posterior],
    concentration: Sequence[float],
    about: About,
    *,
    rng: Seed = None,
) -> DrawsPosterior:
    """Posterior of the weighted mean where the weights are Dirichlet distributed.

    Parameters
    ----------
    posteriors : sequence of Posterior
        As in `weighted_mean`.
    concentration : sequence of float
        Parameters of the Dirichlet distribution, above 0.
    about : About
        What the mean is.
    rng : int or Generator, optional
        Seed of the weights' draws.
    """
    generator = as_generator(rng)
    draws = _together(posteriors, generator)
    shares = generator.dirichlet(np.asarray(concentration, dtype=float), size=draws.shape[1:])
    return DrawsPosterior(np.clip(np.einsum("h...,...h", draws, shares), 0.0, 1.0), about)


def _together(posteriors: Sequence[Posterior], rng: np.random.Generator) -> Array:
    """Draws of all quantities, shape (n, n_chains, n_draws)."""
    shapes = {p.draws.shape for p in posteriors if isinstance(p, DrawsPosterior)}
    if len(shapes) > 1:
        raise InputError(
            "posteriors known by draws must have draws of one shape; got "
            f"{', '.join(map(str, sorted(shapes)))}"
        )
    shape = shapes.pop() if shapes else DRAWS
    return np.stack(
        [
            p.draws
            if isinstance(p, DrawsPosterior)
            else p.sample(int(np.prod(shape)), rng).reshape(shape)
            for p in posteriors
        ]
    )


def _discrete_mean(
    posteriors: Sequence[Posterior], weights: Array, about: About
) -> DiscretePosterior:
    """Predictions that take finitely many values: convolved value by value."""
    values, masses = np.zeros(1), np.ones(1)
    for posterior, weight in zip(posteriors, weights, strict=True):
        assert isinstance(posterior, DiscretePosterior)
        possible = posterior.probabilities > 0
        more, chances = posterior.values[possible] * weight, posterior.probabilities[possible]
        if values.size * more.size > 50 * MOST_VALUES:
            more, chances = _thinned(more, chances, 50)
        sums = np.add.outer(values, more).ravel()
        mass = np.multiply.outer(masses, chances).ravel()
        # Sums that differ by rounding alone are one value.
        _, first, which = np.unique(np.round(sums, 12), return_index=True, return_inverse=True)
        values, masses = sums[first], np.bincount(which.ravel(), weights=mass)
        if values.size > MOST_VALUES:
            values, masses = _thinned(values, masses, MOST_VALUES)
    return DiscretePosterior(np.minimum(values, 1.0), masses, about)


def _thinned(values: Array, masses: Array, size: int) -> tuple[Array, Array]:
    """Share masses out to equally spaced points, the mean kept."""
    points = np.linspace(values[0], values[-1], size)
    place = np.clip((values - points[0]) / (points[1] - points[0]), 0, size - 1)
    below = np.minimum(place.astype(np.int64), size - 2)
    share = place - below
    result = np.bincount(below, weights=masses * (1.0 - share), minlength=size)
    return points, result + np.bincount(below + 1, weights=masses * share, minlength=size)
