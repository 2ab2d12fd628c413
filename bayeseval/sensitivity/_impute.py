"""Multiple imputation of errored rollouts, their pass probability tied to their task's rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.interpolate import CubicSpline

from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.hierarchical._draws import DrawsHyper, beta_draws
from bayeseval.hierarchical._exact import ExactHyper, integrate
from bayeseval.rollouts import Rollouts

__all__ = ["hyper_draws", "imputed_hypers"]

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# Draws of mean and ICC that each completed suite gives.
DRAWS = 100
# Steps in y between the rows of the grid, and steps in x across the mass of each draw.
FINER, STEPS = 16, 256


def imputed_hypers(
    rollouts: Rollouts,
    prior: HierarchicalPrior,
    odds_ratios: tuple[float, ...],
    imputations: int,
    seed: int,
) -> list[DrawsHyper]:
    """Draws of mean and ICC for each odds ratio, pooled over imputations.

    The same random numbers serve every ratio, so that answers rise with it.

    Returns
    -------
    list of DrawsHyper
        Draws of shape (imputations, DRAWS): one row for each imputation, so that the
        Monte Carlo error of an answer holds what imputations differ by.
    """
    observed = integrate(rollouts, prior)
    passes = _imputed_passes(rollouts, observed, odds_ratios, imputations, seed)
    uniforms = np.random.default_rng([seed, 11]).uniform(size=(2, imputations, DRAWS))
    trials = rollouts.trials + rollouts.errored
    return [_pooled(rollouts, prior, each, trials, uniforms, seed) for each in passes]


def _imputed_passes(
    rollouts: Rollouts,
    observed: ExactHyper,
    odds_ratios: tuple[float, ...],
    imputations: int,
    seed: int,
) -> list[list[Counts]]:
    """Completed passes of every task, for each odds ratio and imputation."""
    rng = np.random.default_rng([seed, 10])
    mean, icc = hyper_draws(observed, rng.uniform(size=(2, imputations)))
    hyper = DrawsHyper(mean, icc, seed)
    lost = np.flatnonzero(rollouts.errored)
    errored = rollouts.errored[lost]
    starts = np.concatenate([[0], np.cumsum(errored)[:-1]])
    found: list[list[Counts]] = [[] for _ in odds_ratios]
    for alpha, beta in zip(hyper.alpha, hyper.beta, strict=True):
        rate = beta_draws(
            alpha + rollouts.passes[lost], beta + (rollouts.trials - rollouts.passes)[lost], rng
        )
        uniform = rng.uniform(size=int(errored.sum()))
        for ratio, suites in zip(odds_ratios, found, strict=True):
            chance = np.repeat(special.expit(special.logit(rate) + np.log(ratio)), errored)
            passes = rollouts.passes.copy()
            passes[lost] += np.add.reduceat((uniform < chance).astype(np.int64), starts)
            suites.append(passes)
    return found


def _pooled(
    rollouts: Rollouts,
    prior: HierarchicalPrior,
    imputed: list[Counts],
    trials: Counts,
    uniforms: Array,
    seed: int,
) -> DrawsHyper:
    """Equal numbers of draws from the posterior of each completed suite."""
    mean, icc = np.empty(uniforms.shape[1:]), np.empty(uniforms.shape[1:])
    none = np.zeros_like(trials)
    # Few lost rollouts make few different suites: each is integrated once.
    fits: dict[bytes, ExactHyper] = {}
    for at, passes in enumerate(imputed):
        suite = replace(rollouts, passes=passes, trials=trials, errored=none, missing=none)
        cells = suite.cells
        key = b"".join(part.tobytes() for part in (cells.passes, cells.trials, cells.count))
        if key not in fits:
            fits[key] = integrate(suite, prior)
        mean[at], icc[at] = hyper_draws(fits[key], uniforms[:, at])
    return DrawsHyper(mean, icc, seed)


def hyper_draws(exact: ExactHyper, uniforms: Array) -> tuple[Array, Array]:
    """Draws of mean and ICC from an integrated posterior by inversion.

    A few draws, quickly; `independent_draws` is for many.

    Parameters
    ----------
    exact : ExactHyper
        The posterior.
    uniforms : ndarray, shape (2, n_draws)
        Uniform numbers, for the ICC and for the mean given the ICC.

    Returns
    -------
    mean, icc : ndarray, shape (n_draws,)
    """
    row_y, row_low, row_high, mass = exact.rows
    # The log of the mass of a row is smooth in y, and the rows are equally far apart.
    fine = np.linspace(row_y[0], row_y[-1], FINER * (row_y.size - 1) + 1)
    density = np.exp(CubicSpline(row_y, np.log(mass))(fine))
    y = np.interp(uniforms[0], _cumulative(density), fine)
    low, high = np.interp(y, row_y, row_low), np.interp(y, row_y, row_high)
    x = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, STEPS + 1)
    logs = exact.log_joint(x, y[:, None])
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    below = _cumulative(density)
    picked = [
        np.interp(u, *row) for u, row in zip(uniforms[1], zip(below, x, strict=True), strict=True)
    ]
    return special.expit(np.array(picked)), special.expit(y)


def _cumulative(density: Array) -> Array:
    """Distribution function at equally spaced points, by the trapezoid rule."""
    total = np.cumsum(density[..., 1:] + density[..., :-1], axis=-1)
    return np.asarray(
        np.concatenate([np.zeros((*density.shape[:-1], 1)), total / total[..., -1:]], axis=-1)
    )
