"""The exact posterior of thousands of runs at once.

All runs have the same number of rollouts of every task, so that a run is its histogram of
tasks by passes. The posterior of logit(mean) and logit(ICC) is laid on a grid for each run,
fitted to where its mass is, and all priors share the likelihood there. This is the posterior of
``be.fit(rollouts, engine="exact")``, with quantiles right to about 1e-5; tests and every run of
the study compare the two.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import special

from bayeseval._special import log_expit
from bayeseval.hierarchical._functionals import solve_pass_hat
from benchmarks.calibration.grid import (
    Array,
    Axis,
    Counts,
    LogPrior,
    axes,
    log_likelihood,
)
from benchmarks.calibration.panels import cumulative, cumulative_at, quantiles

LEVELS = (0.025, 0.975)
CHUNK = 128


@dataclass(frozen=True, slots=True)
class Target:
    """A true value, and of what: pass^k, or pass@k where `at` is set; k = 1 is the pass rate.

    `truth` is one number for all runs, or one for each.
    """

    name: str
    truth: float | Array
    k: int = 1
    at: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What one prior says of every run.

    Parameters
    ----------
    below : dict of str to ndarray, shape (n_runs,)
        Posterior probability that the quantity is below its true value, by target.
    limits : ndarray, shape (n_runs, 2)
        Equal-tailed 95 % limits of the pass rate.
    """

    below: dict[str, Array]
    limits: Array


def answers(
    histograms: Counts,
    priors: Mapping[str, LogPrior],
    targets: list[Target],
    *,
    icc: float | None = None,
) -> dict[str, Answers]:
    """Posterior answers of many runs.

    Parameters
    ----------
    histograms : ndarray of int, shape (n_runs, n_rollouts + 1)
        Number of tasks with 0, 1, ... passes.
    priors : mapping of str to LogPrior
        The priors to use, by name.
    targets : list of Target
        True values.
    icc : float, optional
        A known ICC; the priors then serve for the mean only.

    Returns
    -------
    dict of str to Answers
        By prior.
    """
    varying = [np.ravel(target.truth) for target in targets if np.ndim(target.truth) > 0]
    distinct, inverse = (
        (histograms, np.arange(len(histograms)))
        if varying
        else np.unique(histograms, axis=0, return_inverse=True)
    )
    parts = [
        _answers(distinct[rows], priors, [_picked(target, rows) for target in targets], icc)
        for rows in _chunks(len(distinct))
    ]
    back = inverse.ravel()
    return {
        name: Answers(
            {
                target.name: np.concatenate([part[name].below[target.name] for part in parts])[back]
                for target in targets
            },
            np.concatenate([part[name].limits for part in parts])[back],
        )
        for name in priors
    }


def _chunks(size: int) -> Iterator[slice]:
    for first in range(0, size, CHUNK):
        yield slice(first, first + CHUNK)


def _picked(target: Target, rows: slice) -> Target:
    if np.ndim(target.truth) == 0:
        return target
    return Target(target.name, np.asarray(target.truth)[rows], target.k, target.at)


def _answers(
    histograms: Counts, priors: Mapping[str, LogPrior], targets: list[Target], icc: float | None
) -> dict[str, Answers]:
    x, y = axes(histograms, list(priors.values()), icc)
    log_mean, log_rest = log_expit(x.values)
    parts = (log_mean[:, None, :], log_rest[:, None, :], y.values[:, :, None])
    logs = log_likelihood(histograms, x.values[:, None, :], parts[2])
    logs += x.log_slope[:, None, :] + y.log_slope[:, :, None]
    found = {}
    for name, prior in priors.items():
        joint = logs + prior(*parts)
        joint = np.exp(joint - joint.max(axis=(1, 2), keepdims=True))
        found[name] = _of_density(joint, x, y, targets)
    return found


def _of_density(joint: Array, x: Axis, y: Axis, targets: list[Target]) -> Answers:
    marginal = joint.sum(axis=1)
    integral = cumulative(marginal)
    below: dict[str, Array] = {}
    by_row: Array | None = None
    for target in targets:
        truth = np.broadcast_to(np.asarray(target.truth, dtype=float), len(marginal))
        level = special.logit(truth)
        if target.k == 1:
            mass = cumulative_at(marginal, integral, x.place(level))
        else:
            # At each ICC, pass^k is below its true value where the mean rate is below another.
            sign = -1.0 if target.at else 1.0
            where, _ = solve_pass_hat(sign * level[:, None], y.values, target.k)
            by_row = cumulative(joint) if by_row is None else by_row
            mass = cumulative_at(joint, by_row, x.place(sign * where)).sum(axis=1)
        below[target.name] = np.clip(mass / integral[:, -1], 0.0, 1.0)
    return Answers(below, special.expit(x.at(quantiles(marginal, integral, LEVELS))))
