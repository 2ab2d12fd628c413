"""Other defaults that were tried: Beta priors on mean and ICC, and priors from information.

All of the Beta priors share one likelihood and differ by weights in each direction. The joint
priors are those of Jeffreys and of reference analysis for four rollouts: they depend on the
number of rollouts, which a default must not.
"""

from functools import lru_cache

import numpy as np
from scipy import special

import bayeseval as be
from bayeseval._special import log_expit
from benchmarks.calibration.batch import CHUNK, Target, answers
from benchmarks.calibration.grid import (
    Array,
    Counts,
    LogPrior,
    axes,
    log_likelihood,
    prior_of,
)
from benchmarks.calibration.panels import cumulative, cumulative_at

# Beta parameters: on the mean both are equal, on the ICC each is chosen.
OF_MEAN = (0.5, 0.75, 1.0)
OF_ICC = tuple((a, b) for a in (0.25, 0.5, 0.75, 1.0, 1.5) for b in (0.25, 0.5, 0.75, 1.0, 1.5))


def beta_name(mean: float, icc: tuple[float, float]) -> str:
    return f"mean Beta({mean:g}, {mean:g}), ICC Beta({icc[0]:g}, {icc[1]:g})"


def name_of(prior: be.HierarchicalPrior) -> str:
    """Name of a prior of the package in the table."""
    assert prior.icc is not None
    return beta_name(prior.mean[0], prior.icc)


def below_by_beta(counts: Counts, rate: float) -> dict[str, Array]:
    """Posterior probability that the rate is below its true value, by prior."""
    distinct, back = np.unique(counts, axis=0, return_inverse=True)
    # The widest of them decide how far the nodes reach.
    corners: list[LogPrior] = [
        prior_of(be.HierarchicalPrior(mean=(each, each), icc=icc))
        for each in (min(OF_MEAN), max(OF_MEAN))
        for icc in ((0.25, 0.25), (0.25, 1.5), (1.5, 0.25))
    ]
    parts = []
    for first in range(0, len(distinct), CHUNK):
        rows = distinct[first : first + CHUNK]
        x, y = axes(rows, corners, None)
        log_mean, log_rest = log_expit(x.values)
        logs = log_likelihood(rows, x.values[:, None, :], y.values[:, :, None])
        # With the smallest parameters as a base, every weight beside it is at most 1.
        logs += x.log_slope[:, None, :] + y.log_slope[:, :, None]
        logs += min(OF_MEAN) * (log_mean + log_rest)[:, None, :]
        least = 0.25
        log_icc, log_other = log_expit(y.values)
        logs += least * (log_icc + log_other)[:, :, None]
        density = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
        for_y = np.stack(
            [np.exp((a - least) * log_icc + (b - least) * log_other) for a, b in OF_ICC], axis=2
        )
        for_x = np.exp([(each - min(OF_MEAN)) * (log_mean + log_rest) for each in OF_MEAN])
        by_icc = np.moveaxis(np.swapaxes(density, 1, 2) @ for_y, 2, 0)
        marginal = by_icc[:, None] * for_x[None]
        integral = cumulative(marginal)
        place = x.place(np.full(len(rows), special.logit(rate)))
        mass = cumulative_at(marginal, integral, np.broadcast_to(place, marginal.shape[:-1]))
        parts.append(mass / integral[..., -1])
    below = np.concatenate(parts, axis=-1)[..., back.ravel()]
    return {
        beta_name(mean, icc): below[i, m]
        for i, icc in enumerate(OF_ICC)
        for m, mean in enumerate(OF_MEAN)
    }


def below_by_joint(counts: Counts, rate: float) -> dict[str, Array]:
    """The same under the priors from information."""
    found = answers(counts, joint_priors(counts.shape[1] - 1), [Target("rate", rate)])
    return {name: each.below["rate"] for name, each in found.items()}


# -- priors from information ----------------------------------------------------------


def information(
    rollouts: int, log_mean: Array, log_rest: Array, y: Array
) -> tuple[Array, Array, Array]:
    """Fisher information of one task in (x, y): its xx, xy and yy elements."""
    mean, rest = np.exp(log_mean), np.exp(log_rest)
    rho, other = special.expit(y), special.expit(-y)
    slope_x, slope_y = mean * rest * other, rho * other
    scores: list[tuple[Array, Array, Array]] = []
    passes = [(0.0 * mean * rho, 0.0 * mean * rho, 0.0 * mean * rho)]
    failures = list(passes)
    for sums, base, sign in ((passes, mean, 1.0), (failures, rest, -1.0)):
        for j in range(rollouts):
            total = base * other + j * rho
            logs, in_x, in_y = sums[-1]
            # Near the corners of the square both the terms and their slopes vanish.
            total = np.maximum(total, 1e-300)
            sums.append(
                (
                    logs + np.log(total),
                    in_x + sign * slope_x / total,
                    in_y + slope_y * (j - base) / total,
                )
            )
    every = [other + j * rho for j in range(rollouts)]
    log_every = sum(np.log(each) for each in every)
    every_y = sum(slope_y * (j - 1.0) / each for j, each in enumerate(every))
    for s in range(rollouts + 1):
        (log_s, x_s, y_s), (log_f, x_f, y_f) = passes[s], failures[rollouts - s]
        chance = special.binom(rollouts, s) * np.exp(log_s + log_f - log_every)
        scores.append((chance, x_s + x_f, y_s + y_f - every_y))
    xx = sum(chance * x * x for chance, x, _ in scores)
    xy = sum(chance * x * y_ for chance, x, y_ in scores)
    yy = sum(chance * y_ * y_ for chance, _, y_ in scores)
    return np.asarray(xx), np.asarray(xy), np.asarray(yy)


def joint_priors(rollouts: int) -> dict[str, LogPrior]:
    """Jeffreys' prior of both, and the reference prior with the mean as what is asked for."""

    def jeffreys(log_mean: Array, log_rest: Array, y: Array) -> Array:
        xx, xy, yy = information(rollouts, log_mean, log_rest, y)
        return np.asarray(0.5 * np.log(np.maximum(xx * yy - xy**2, 1e-300)))

    def reference(log_mean: Array, log_rest: Array, y: Array) -> Array:
        _, _, yy = information(rollouts, log_mean, log_rest, y)
        x, table = _reference_of_mean(rollouts)
        own = np.interp(log_mean - log_rest, x, table)
        return np.asarray(own + 0.5 * np.log(np.maximum(yy, 1e-300)))

    return {"Jeffreys, joint": jeffreys, "reference, mean first": reference}


@lru_cache(maxsize=2)
def _reference_of_mean(rollouts: int) -> tuple[Array, Array]:
    """Log of the mean's reference prior over that of the ICC's norm, at nodes in x."""
    x, y = np.linspace(-60.0, 60.0, 481), np.linspace(-60.0, 60.0, 481)
    log_mean, log_rest = log_expit(x)
    xx, xy, yy = information(rollouts, log_mean[:, None], log_rest[:, None], y[None, :])
    root = np.sqrt(yy)
    norm = root.sum(axis=1)
    left = np.log(np.maximum(xx - xy**2 / np.maximum(yy, 1e-300), 1e-300))
    mean_log = (root * left).sum(axis=1) / norm
    return x, np.asarray(0.5 * mean_log - np.log(norm))
