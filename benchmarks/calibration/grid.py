"""Where the posterior of each run lies: nodes in logit(mean) and logit(ICC), run by run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import special

import bayeseval as be
from bayeseval._special import log_expit

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# log density of (x, y) = (logit mean, logit ICC), from log(mean), log(1 - mean) and y.
LogPrior = Callable[[Array, Array, Array], Array]

NODES_X, NODES_Y, SCOUTS, WIDE = 64, 32, 20, 61
# Where the density is below exp(-DROP) of its largest value, it is left out.
DROP = 19.0
FARTHEST = 45.0


def log_likelihood(histograms: Counts, x: Array, y: Array) -> Array:
    """Log likelihood of the ordered outcomes; x and y broadcast, runs first."""
    shape = (-1,) + (1,) * (x.ndim - 1)
    tasks = histograms.sum(axis=1).reshape(shape).astype(float)
    # Tasks with more than j passes, and with more than j failures.
    above = histograms[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:].astype(float)
    below = histograms.cumsum(axis=1)[:, ::-1][:, 1:].astype(float)
    log_mean, log_rest = log_expit(x)
    log_other = -np.logaddexp(0.0, y)
    rho, rest = special.expit(y), special.expit(-y)
    first, other = above[:, 0].reshape(shape), below[:, 0].reshape(shape)
    total = first * log_mean + other * log_rest + (first + other - tasks) * log_other
    alpha, beta = np.exp(log_mean) * rest, np.exp(log_rest) * rest
    for j in range(1, above.shape[1]):
        total = total + above[:, j].reshape(shape) * np.log(alpha + j * rho)
        total += below[:, j].reshape(shape) * np.log(beta + j * rho)
        total -= tasks * np.log(rest + j * rho)
    return np.asarray(total)


def prior_of(prior: be.HierarchicalPrior) -> LogPrior:
    """A prior of the package, as this module takes it."""

    def log_density(log_mean: Array, log_rest: Array, y: Array) -> Array:
        return prior.log_density_x(log_mean, log_rest) + prior.log_density_y(y)

    return log_density


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """Nodes of every run in one coordinate: close to each other near its centre.

    They are equally spaced in u, where the coordinate is centre + sinh(u): a likelihood may be
    narrow beside the tails of a prior.

    Parameters
    ----------
    centre : ndarray, shape (n_runs,)
        Where the density is largest, about.
    u : ndarray, shape (n_runs, n_nodes)
        The nodes.
    """

    centre: Array
    u: Array

    @classmethod
    def between(cls, low: Array, high: Array, centre: Array, nodes: int) -> Self:
        first, last = np.arcsinh(low - centre), np.arcsinh(high - centre)
        return cls(centre, first[:, None] + (last - first)[:, None] * np.linspace(0, 1, nodes))

    @classmethod
    def fixed(cls, value: float, runs: int) -> Self:
        """One node at the same value for every run."""
        return cls(np.full(runs, value), np.zeros((runs, 1)))

    @property
    def values(self) -> Array:
        return self.centre[:, None] + np.sinh(self.u)

    @property
    def log_slope(self) -> Array:
        """Log of the derivative of the coordinate in u."""
        return np.asarray(np.log(np.cosh(self.u)))

    def place(self, values: Array) -> Array:
        """Steps from the first node to values, of shape (n_runs, ...)."""
        shape = (-1,) + (1,) * (values.ndim - 1)
        first, second = self.u[:, 0].reshape(shape), self.u[:, 1].reshape(shape)
        u = np.arcsinh(values - self.centre.reshape(shape))
        return np.asarray((u - first) / (second - first))

    def at(self, places: Array) -> Array:
        """Values so many steps from the first node, shape (n_runs, n_places)."""
        step = self.u[:, 1:2] - self.u[:, :1]
        return np.asarray(self.centre[:, None] + np.sinh(self.u[:, :1] + places * step))

    def narrowed(self, profile: Array) -> tuple[Array, Array, Array]:
        """Ends of the region where the log profile is not negligible, and its top."""
        kept = profile > -DROP
        last = kept.shape[1] - 1
        first = np.maximum(np.argmax(kept, axis=1) - 1, 0)
        final = np.minimum(last - np.argmax(kept[:, ::-1], axis=1) + 1, last)
        rows = np.arange(len(kept))
        values = self.values
        return values[rows, first], values[rows, final], values[rows, np.argmax(profile, axis=1)]


def axes(histograms: Counts, priors: list[LogPrior], icc: float | None) -> tuple[Axis, Axis]:
    """Nodes in x and y for each run, over the region that some prior gives weight."""
    x_window = _first_look(histograms, priors, icc)
    far = np.full(len(histograms), FARTHEST)
    y_window = (-far, far, 0.0 * far)
    known = None if icc is None else Axis.fixed(float(special.logit(icc)), len(histograms))
    for scouts in (WIDE, SCOUTS):
        x = Axis.between(*x_window, SCOUTS)
        y = known or Axis.between(*y_window, scouts)
        logs = log_likelihood(histograms, x.values[:, None, :], y.values[:, :, None])
        logs = _highest(logs, x.values, y.values, priors)
        x_window = x.narrowed(logs.max(axis=1))
        y_window = y.narrowed(logs.max(axis=2))
    return Axis.between(*x_window, NODES_X), known or Axis.between(*y_window, NODES_Y)


def _first_look(
    histograms: Counts, priors: list[LogPrior], icc: float | None
) -> tuple[Array, Array, Array]:
    """Where the mean may lie, on nodes that are the same for all runs.

    They are so far apart that a narrow posterior may fall between two of them; the window
    reaches to the next node on either side.
    """
    x = np.linspace(-FARTHEST, FARTHEST, 2 * WIDE - 1)[None]
    y = np.linspace(-FARTHEST, FARTHEST, WIDE)[None] if icc is None else special.logit([[icc]])
    chances = _log_chances(histograms.shape[1] - 1, x.tobytes(), y.tobytes())
    logs = (histograms @ chances).reshape(len(histograms), y.size, x.size)
    profile = _highest(logs, x, y, priors).max(axis=1)
    first = Axis(np.zeros(len(histograms)), np.broadcast_to(np.arcsinh(x), profile.shape))
    return first.narrowed(profile)


@lru_cache(maxsize=8)
def _log_chances(rollouts: int, x: bytes, y: bytes) -> Array:
    """Log likelihood of one task of each number of passes, shape (n_rollouts + 1, n_nodes)."""
    one_each = np.eye(rollouts + 1, dtype=np.int64)
    logs = log_likelihood(
        one_each, np.frombuffer(x)[None, None, :], np.frombuffer(y)[None, :, None]
    )
    return logs.reshape(rollouts + 1, -1)


def _highest(logs: Array, x: Array, y: Array, priors: list[LogPrior]) -> Array:
    """Log posterior under the prior that makes it highest, less its top."""
    log_mean, log_rest = log_expit(x)
    parts = (log_mean[:, None, :], log_rest[:, None, :], y[:, :, None])
    joint = logs + np.maximum.reduce([prior(*parts) for prior in priors])
    return np.asarray(joint - joint.max(axis=(1, 2), keepdims=True))
