"""The exact engine: the two-parameter posterior, integrated by the trapezoid rule.

The posterior of x = logit(mean) and y = logit(ICC) is laid on a grid in y, and for
each y on its own grid in x, both fitted to where the mass is. Every integrand is
analytic and falls off at least exponentially, so the rule converges spectrally; the
nodes are doubled until it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._quadrature import log_integrals, log_sum, zoom
from bayeseval.hierarchical._functionals import solve_pass_hat
from bayeseval.hierarchical._likelihood import TailCounts, log_likelihood, tail_counts
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.posterior import About, BetaMixture, GridPosterior
from bayeseval.rollouts import Rollouts

__all__ = ["ExactHyper", "integrate"]

Array = npt.NDArray[np.float64]

# Beyond this concentration a task rate differs from the mean by less than 1e-6.
LARGEST_KAPPA = 1e13


@dataclass(frozen=True, eq=False)
class ExactHyper:
    """The integrated posterior of mean and ICC.

    Parameters
    ----------
    tails : TailCounts
        The suite.
    prior : HierarchicalPrior
        The prior.
    x, y, weights : ndarray, shape (n_nodes,)
        Nodes on the logit scales of mean and ICC, and their posterior weights, which
        sum to 1.
    rows : tuple of ndarray, each of shape (n_rows,)
        The grid row by row: y, smallest and largest x, and posterior mass.
    steps : int
        Steps in x of each row.
    log_marginal_sequence : float
        Log probability of the ordered outcomes under the model.
    discrepancy : float
        Relative change of the integral when half of the nodes are left out; the
        error of the rule is about its square.
    """

    tails: TailCounts
    prior: HierarchicalPrior
    x: Array
    y: Array
    weights: Array
    rows: tuple[Array, Array, Array, Array]
    steps: int
    log_marginal_sequence: float
    discrepancy: float

    @property
    def log_marginal_count(self) -> float:
        """Log probability of the counts of passes under the model."""
        return self.log_marginal_sequence + self.tails.log_ways

    @cached_property
    def kappa(self) -> Array:
        """Concentration at the nodes."""
        return np.asarray(np.minimum(np.exp(-self.y), LARGEST_KAPPA))

    @cached_property
    def alpha(self) -> Array:
        """First Beta parameter of the task rates at the nodes: mean times kappa."""
        return np.asarray(special.expit(self.x) * self.kappa)

    @cached_property
    def beta(self) -> Array:
        """Second Beta parameter of the task rates at the nodes."""
        return np.asarray(special.expit(-self.x) * self.kappa)

    def expect(self, values: Array) -> float:
        """Posterior expectation of a quantity given at the nodes."""
        return float(np.sum(self.weights * values))

    def moments(self, values: Array) -> tuple[float, float]:
        """Posterior mean and standard deviation of a quantity given at the nodes."""
        mean = self.expect(values)
        return mean, float(np.sqrt(max(self.expect((values - mean) ** 2), 0.0)))

    def log_joint(self, x: Array, y: Array) -> Array:
        """Log of prior times likelihood on the logit scales; broadcasts."""
        return np.asarray(
            log_likelihood(self.tails, x, y)
            + self.prior.log_density_x(x)
            + self.prior.log_density_y(y)
        )

    def marginal_icc(self, about: About) -> GridPosterior:
        """Posterior of the ICC."""
        inner = _inner_integral(self.tails, self.prior)
        return GridPosterior.from_log_density(
            lambda y: inner(y) + self.prior.log_density_y(y),
            about,
            limit=self.prior.y_limit,
            moments=self.moments(special.expit(self.y)),
        )

    def marginal_pass_hat(self, k: int, about: About) -> GridPosterior:
        """Posterior of a new task's pass^k; k = 1 is the mean pass rate."""
        values = np.exp(-self._minus_log_pass_hat(k))
        return self._level_density(k, 1.0, about, self.moments(values))

    def marginal_pass_at(self, k: int, about: About) -> GridPosterior:
        """Posterior of a new task's pass@k: one minus pass^k of its failures."""
        values = -np.expm1(-self._minus_log_pass_hat(k, mirrored=True))
        return self._level_density(k, -1.0, about, self.moments(values))

    def _minus_log_pass_hat(self, k: int, *, mirrored: bool = False) -> Array:
        first, other = (self.beta, self.alpha) if mirrored else (self.alpha, self.beta)
        total = np.zeros(first.shape)
        for j in range(k):
            with np.errstate(divide="ignore"):
                total += np.log1p(other / (first + j))
        return total

    def _level_density(
        self, k: int, sign: float, about: About, moments: tuple[float, float]
    ) -> GridPosterior:
        """Density of a functional of (x, y): at each value, integrate along its level curve."""
        limit = self.prior.y_limit

        def log_density(z: Array) -> Array:
            # pass@k of (x, y) at z is pass^k of (-x, y) at -z.
            def along(y: Array, rows: npt.NDArray[np.intp]) -> Array:
                x, log_slope = solve_pass_hat(sign * z[rows, None], y, k)
                return np.asarray(self.log_joint(sign * x, y) + log_slope)

            window = np.full(z.size, limit)
            return log_integrals(along, -window, window)

        return GridPosterior.from_log_density(
            log_density, about, limit=self.prior.x_limit, moments=moments
        )

    def new_task_rate(self, about: About) -> GridPosterior:
        """Pass rate of a new task: a mixture of Betas over the nodes."""
        return self.task_rate(0, 0, about)

    def task_rate(self, passes: int, trials: int, about: About) -> GridPosterior:
        """Pass rate of a task that passed `passes` of `trials` rollouts."""
        failures = trials - passes
        exact = BetaMixture(self.weights, self.alpha + passes, self.beta + failures, about)
        weights, alpha, beta = self._task_nodes
        mixture = BetaMixture(weights, alpha + passes, beta + failures, about)

        def log_density(place: Array) -> Array:
            z = np.sinh(place)
            return np.asarray(mixture.log_density_z(z) + np.log(np.cosh(place)))

        return GridPosterior.from_log_density(
            log_density, about, limit=120.0, moments=(exact.mean, exact.sd), stretched=True
        )

    @property
    def _task_rows(self) -> tuple[Array, Array, Array]:
        """Values of y, close enough to resolve a task's Beta, and their windows in x."""
        y, low, high, mass = self.rows
        heavy = np.flatnonzero(mass > 1e-12 * mass.max())
        first, last = float(y[heavy[0]]), float(y[heavy[-1]])
        count = int(np.ceil((last - first) / min(float(y[1] - y[0]), 0.6))) + 1
        fine = np.linspace(first, last, count)
        return fine, np.interp(fine, y, low), np.interp(fine, y, high)

    @cached_property
    def _task_nodes(self) -> tuple[Array, Array, Array]:
        """Weights, alpha and beta of a mixture of Betas that is smooth in the task rate.

        Where kappa is large a task's Beta is narrower than the grid's steps in x, and a
        sum over the grid would be a comb. Such rows get more nodes, up to 16 times as
        many; beyond that the Betas are widened to the step, a change of the rate's
        spread by less than 1e-5 of itself.
        """
        y, low, high = self._task_rows
        steps = self.steps // 2
        x = low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, steps + 1)
        logs = self.log_joint(x, y[:, None])
        near = logs > logs.max(axis=1, keepdims=True) - 20.0
        widths = np.where(near, _rate_width(x, y[:, None]), np.inf).min(axis=1)
        wanted = (high - low) / steps / widths
        refinement = 2 ** np.clip(np.ceil(np.log2(np.maximum(wanted, 1.0))), 0, 4).astype(int)
        top = float(logs.max())
        parts: list[tuple[Array, Array, Array]] = []
        for factor in np.unique(refinement):
            rows = refinement == factor
            span = (high - low)[rows, None]
            x = low[rows, None] + span * np.linspace(0.0, 1.0, steps * int(factor) + 1)
            y_rows = y[rows, None]
            logs = self.log_joint(x, y_rows)
            step = span / (steps * factor)
            weights = np.exp(logs - top) * step
            spread = special.expit(x) * special.expit(-x)
            kappa = np.minimum(np.exp(-y_rows), np.maximum(step**-2.0 / spread, 1.0))
            kept = weights > 1e-13 * float(np.max(high - low))
            alpha = special.expit(x) * kappa
            parts.append((weights[kept], alpha[kept], (special.expit(-x) * kappa)[kept]))
        weights, alpha, beta = (np.concatenate(group) for group in zip(*parts, strict=True))
        return weights, alpha, beta


def _rate_width(x: Array, y: Array) -> Array:
    """Width in x of the density of a given task rate, seen as a function of x."""
    kappa = np.minimum(np.exp(-y), LARGEST_KAPPA)
    mean, rest = special.expit(x), special.expit(-x)
    information = special.polygamma(1, mean * kappa) + special.polygamma(1, rest * kappa)
    return np.asarray(1.0 / (kappa * mean * rest * np.sqrt(information)))


def _inner_integral(tails: TailCounts, prior: HierarchicalPrior) -> Callable[[Array], Array]:
    """Log integral over x at each y, without the prior of y."""

    def integral(y: Array) -> Array:
        window = np.full(y.size, prior.x_limit)
        return log_integrals(_over_x(tails, prior, y), -window, window)

    return integral


def _over_x(
    tails: TailCounts, prior: HierarchicalPrior, y: Array
) -> Callable[[Array, npt.NDArray[np.intp]], Array]:
    def log_density(x: Array, rows: npt.NDArray[np.intp]) -> Array:
        return np.asarray(log_likelihood(tails, x, y[rows, None]) + prior.log_density_x(x))

    return log_density


def integrate(rollouts: Rollouts, prior: HierarchicalPrior) -> ExactHyper:
    """Integrate the hierarchical posterior of a suite."""
    tails = tail_counts(rollouts)
    inner = _inner_integral(tails, prior)

    def over_y(y: Array, _: npt.NDArray[np.intp]) -> Array:
        return (inner(y.ravel()) + prior.log_density_y(y.ravel())).reshape(y.shape)

    outer = zoom(over_y, np.array([-prior.y_limit]), np.array([prior.y_limit]))
    log_marginal = float(outer.log_integral[0])
    heavy = outer.logs[0] > outer.logs[0].max() - 40.0
    y = outer.points[0][heavy]
    window = np.full(y.size, prior.x_limit)
    rows = zoom(_over_x(tails, prior, y), -window, window)
    logs = rows.logs + np.log(rows.step * outer.step[0])[:, None] + prior.log_density_y(y)[:, None]
    kept = logs > logs.max() - 40.0
    weights = np.exp(logs[kept] - log_sum(logs[kept]))
    row_logs = log_sum(logs)
    mass = np.exp(row_logs - log_sum(row_logs))
    return ExactHyper(
        tails,
        prior,
        rows.points[kept],
        np.broadcast_to(y[:, None], kept.shape)[kept],
        weights,
        (y, rows.points[:, 0], rows.points[:, -1], mass),
        rows.points.shape[1] - 1,
        log_marginal,
        float(max(outer.discrepancy.max(), rows.discrepancy.max())),
    )
