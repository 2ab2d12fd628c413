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
from bayeseval.posterior._lattice import NOISE, lattice_mean

__all__ = ["dirichlet_mean", "weighted_mean"]

Array = npt.NDArray[np.float64]

# Chains and draws where the weights are uncertain; fewer of very many quantities, so that
# all of them together hold no more numbers than the second, but no fewer than the third.
DRAWS, MOST_NUMBERS, LEAST_DRAWS = (4, 25_000), 10_000_000, 1000
# Predictions of more values than this together are shared out to points of a lattice.
MOST_PAIRS, LATTICE = 1_000_000, 2**16


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

    Returns
    -------
    Posterior
        Convolved on a lattice where all are continuous, value by value where all are
        discrete, and draw by draw where one is known by draws.

    Raises
    ------
    InputError
        A posterior that is not on [0, 1], or draws of different shapes.
    """
    # A weight that is no normal number moves nothing, and cannot be divided by.
    least = np.finfo(float).tiny
    used = [(p, float(w)) for p, w in zip(posteriors, weights, strict=True) if w >= least]
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

    Returns
    -------
    DrawsPosterior
        4 x 25,000 independent draws (fewer of more than 100 quantities), or as many as the
        quantities have.

    Raises
    ------
    InputError
        Draws of different shapes.
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
    chains, draws = DRAWS
    most = max(MOST_NUMBERS // (chains * len(posteriors)), LEAST_DRAWS)
    shape = shapes.pop() if shapes else (chains, min(draws, most))
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
    """Predictions that take finitely many values: convolved value by value while they are few."""
    laws = []
    for posterior, weight in zip(posteriors, weights, strict=True):
        assert isinstance(posterior, DiscretePosterior)
        possible = posterior.probabilities > 0
        laws.append((posterior.values[possible] * weight, posterior.probabilities[possible]))
    values, masses = np.zeros(1), np.ones(1)
    for at, (more, chances) in enumerate(laws):
        if values.size * more.size > MOST_PAIRS:
            values, masses = _on_lattice([(values, masses), *laws[at:]])
            break
        sums = np.add.outer(values, more).ravel()
        mass = np.multiply.outer(masses, chances).ravel()
        # Sums that differ by rounding alone are one value.
        _, first, which = np.unique(np.round(sums, 12), return_index=True, return_inverse=True)
        values, masses = sums[first], np.bincount(which.ravel(), weights=mass)
    return DiscretePosterior(np.clip(values, 0.0, 1.0), masses / masses.sum(), about)


def _on_lattice(laws: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Sum of independent discrete quantities on equally spaced points, by FFT.

    A value between two points is shared out between them, which keeps the mean and adds at
    most a quarter of the squared step to the variance of each quantity.
    """
    start = sum(float(values[0]) for values, _ in laws)
    step = (sum(float(values[-1]) for values, _ in laws) - start) / LATTICE
    # Answers without weights do without.
    from scipy import fft

    length = fft.next_fast_len(LATTICE + len(laws) + 1, real=True)
    product: npt.NDArray[np.complex128] | None = None
    for values, masses in laws:
        place = (values - values[0]) / step
        below = np.floor(place).astype(np.int64)
        share = place - below
        law = np.bincount(below, weights=masses * (1.0 - share), minlength=length)
        law += np.bincount(below + 1, weights=masses * share, minlength=length)
        wave = fft.rfft(law, length)
        product = wave if product is None else product * wave
    assert product is not None
    mass: Array = np.maximum(fft.irfft(product, length), 0.0)
    heavy = np.flatnonzero(mass > NOISE)
    return np.asarray(start + step * heavy), np.asarray(mass[heavy] / mass[heavy].sum())
