"""The exact engine: the two-parameter posterior, integrated by the trapezoid rule.

The posterior of x = logit(mean) and y = logit(ICC) is laid on a grid in y, and for
each y on its own grid in x, both fitted to where the mass is. Every integrand is
analytic and falls off at least exponentially, so the rule converges spectrally; the
nodes are doubled until it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._quadrature import (
    LogDensity,
    Nodes,
    halve,
    lay,
    log_integrals,
    log_sum,
    narrow,
    zoom,
)
from bayeseval._special import expit, log_expit
from bayeseval.hierarchical._functionals import log_rising, solve_pass_hat
from bayeseval.hierarchical._likelihood import (
    TailCounts,
    log_likelihood,
    tail_counts,
)
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.hierarchical._task_nodes import TaskNodes, suite_nodes, task_nodes
from bayeseval.posterior import About, BetaMixture, GridPosterior
from bayeseval.rollouts import Rollouts

__all__ = ["ExactHyper", "integrate"]

Array = npt.NDArray[np.float64]

# Beyond this concentration a task rate differs from the mean by less than 1e-6.
LARGEST_KAPPA = 1e13
# Discrepancy that integrals of a density's values are held to. Their errors, of its square,
# must be invisible to the panels, which would split around every jump between two rules.
SMOOTH = 1e-6
# Steps to begin with, of which few suites need fewer and most need one more halving in y, and
# the discrepancy that is enough for moments to 1e-12.
X_STEPS = 80
Y_STEPS = 96
AGREED = 1e-6


@dataclass(frozen=True, eq=False)
class ExactHyper:
    """The integrated posterior of mean and ICC.

    Parameters
    ----------
    tails : TailCounts
        The suite.
    prior : HierarchicalPrior
        The prior.
    over_x : _OverX
        Integration over x at given y.
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
    over_x: _OverX
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
        return np.asarray(expit(self.x) * self.kappa)

    @cached_property
    def beta(self) -> Array:
        """Second Beta parameter of the task rates at the nodes."""
        return np.asarray(expit(-self.x) * self.kappa)

    def expect(self, values: Array) -> float:
        """Posterior expectation of a quantity given at the nodes."""
        return float(np.sum(self.weights * values))

    @property
    def mean_rate(self) -> float:
        """Posterior mean of the pass rate of a new task."""
        return self.expect(expit(self.x))

    def moments(self, values: Array) -> tuple[float, float]:
        """Posterior mean and standard deviation of a quantity given at the nodes."""
        mean = self.expect(values)
        return mean, float(np.sqrt(max(self.expect((values - mean) ** 2), 0.0)))

    def log_joint(self, x: Array, y: Array) -> Array:
        """Log of prior times likelihood on the logit scales; broadcasts."""
        return np.asarray(_log_over_x(self.tails, self.prior, x, y) + self.prior.log_density_y(y))

    def marginal_icc(self, about: About) -> GridPosterior:
        """Posterior of the ICC."""
        return GridPosterior.from_log_density(
            lambda y: self.over_x.log_integral(y) + self.prior.log_density_y(y),
            about,
            limit=self.prior.y_limit,
            moments=self.moments(expit(self.y)),
        )

    def marginal_pass_hat(self, k: int, about: About) -> GridPosterior:
        """Posterior of a new task's pass^k; k = 1 is the mean pass rate."""
        values = np.exp(log_rising(self.alpha, self.beta, k))
        return self._level_density(k, 1.0, about, self.moments(values))

    def marginal_pass_at(self, k: int, about: About) -> GridPosterior:
        """Posterior of a new task's pass@k: one minus pass^k of its failures."""
        values = -np.expm1(log_rising(self.beta, self.alpha, k))
        return self._level_density(k, -1.0, about, self.moments(values))

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
            return log_integrals(along, -window, window, tolerance=SMOOTH)

        return GridPosterior.from_log_density(
            log_density, about, limit=self.prior.x_limit, moments=moments
        )

    @cached_property
    def task_nodes(self) -> TaskNodes:
        """The posterior as nodes whose mixture of Betas is smooth in the task rate."""
        return task_nodes(self.log_joint, self.rows, self.steps)

    @cached_property
    def suite_nodes(self) -> TaskNodes:
        """The posterior as nodes for characteristic functions of a suite's mean."""
        return suite_nodes(self.log_joint, self.rows, self.steps)

    def new_task_rate(self, about: About) -> GridPosterior:
        """Pass rate of a new task: a mixture of Betas over the nodes."""
        return self.task_rate(0, 0, about)

    def task_rate(self, passes: int, trials: int, about: About) -> GridPosterior:
        """Pass rate of a task that passed `passes` of `trials` rollouts."""
        failures = trials - passes
        exact = BetaMixture(self.weights, self.alpha + passes, self.beta + failures, about)
        nodes = self.task_nodes
        mixture = BetaMixture(nodes.weights, nodes.alpha + passes, nodes.beta + failures, about)

        def log_density(place: Array) -> Array:
            z = np.sinh(place)
            return np.asarray(mixture.log_density_z(z) + np.log(np.cosh(place)))

        return GridPosterior.from_log_density(
            log_density, about, limit=120.0, moments=(exact.mean, exact.sd), stretched=True
        )


def _log_over_x(tails: TailCounts, prior: HierarchicalPrior, x: Array, y: Array) -> Array:
    """Log of likelihood times the prior of x."""
    log_mean, log_rest = log_expit(x)
    return np.asarray(
        log_likelihood(tails, log_mean, log_rest, y) + prior.log_density_x(log_mean, log_rest)
    )


@dataclass(frozen=True, slots=True)
class _OverX:
    """Integration over x = logit(mean) at given values of y = logit(ICC)."""

    tails: TailCounts
    prior: HierarchicalPrior
    low: float
    high: float

    def _density(self, y: Array) -> LogDensity:
        return lambda x, rows: _log_over_x(self.tails, self.prior, x, y[rows, None])

    def _window(self, y: Array) -> tuple[Array, Array]:
        return np.full(y.size, self.low), np.full(y.size, self.high)

    def log_integral(self, y: Array) -> Array:
        """Log integral at each y, without the prior of y."""
        flat = y.ravel()
        logs = log_integrals(self._density(flat), *self._window(flat), tolerance=SMOOTH)
        return logs.reshape(y.shape)

    def log_top(self, y: Array) -> Array:
        """About the largest log integrand at each y: good enough to find where its mass is."""
        flat = y.ravel()
        lower, upper = self._window(flat)
        tops = narrow(self._density(flat), lower, upper, np.arange(flat.size), enough=0.3)
        return tops.reshape(y.shape)

    def nodes(self, y: Array) -> Nodes:
        """Nodes of the integral at each y."""
        return zoom(self._density(y), *self._window(y), nodes=X_STEPS, tolerance=AGREED)

    def nodes_within(self, y: Array, lower: Array, upper: Array, steps: int) -> Nodes:
        """Nodes of the integral at each y in a known window, of so many steps or more."""
        return lay(self._density(y), lower, upper, nodes=steps, tolerance=AGREED)

    def halved(self, y: Array, coarse: Nodes) -> Nodes:
        """Nodes at each y with steps half as long."""
        return halve(self._density(y), np.arange(y.size), coarse)

    @classmethod
    def within_reach(cls, tails: TailCounts, prior: HierarchicalPrior) -> _OverX:
        """Integration over a window that holds the mass for every value of y.

        With ICC 1 the mean is informed by one outcome per task, with ICC 0 by every
        rollout; between the two the mass lies between.
        """
        a, b = prior.mean
        some = [runs[0][2] if runs else 0 for runs in (tails.passes, tails.failures)]
        every = [
            sum(count * (last - first + 1) for first, last, count in runs)
            for runs in (tails.passes, tails.failures)
        ]
        ends = []
        for passes, failures in (some, every):
            for first, second, sign in (
                (a + passes, b + failures, 1),
                (b + failures, a + passes, -1),
            ):
                tail = max(float(special.betaincinv(first, second, 1e-22)), 1e-290)
                ends.append(sign * float(np.log(tail / (1.0 - tail))))
        low, high = min(ends), max(ends)
        slack = 2.0 + 0.25 * (high - low)
        return cls(tails, prior, max(low - slack, -prior.x_limit), min(high + slack, prior.x_limit))


class _Rows:
    """Nodes in x at values of y, kept: none is computed twice, and each helps the next.

    Where the integral at a value of y has its mass is known from those next to it.
    """

    def __init__(self, over_x: _OverX) -> None:
        self.over_x = over_x
        self.y: Array = np.empty(0)
        self.nodes: Nodes | None = None

    def log_integral(self, y: Array) -> Array:
        """Log integral at each new y."""
        if self.nodes is None:
            self.y, self.nodes = y, self.over_x.nodes(y)
            return self.nodes.log_integral
        steps = self.nodes.points.shape[1] - 1
        found = self.over_x.nodes_within(y, *self._between(self.nodes, y), steps)
        self.y, self.nodes = self._joined(self.nodes, y, found)
        return found.log_integral

    def _between(self, known: Nodes, y: Array) -> tuple[Array, Array]:
        right = np.clip(np.searchsorted(self.y, y), 1, self.y.size - 1)
        left = right - 1
        low = np.minimum(known.points[left, 0], known.points[right, 0])
        high = np.maximum(known.points[left, -1], known.points[right, -1])
        slack = (high - low) / 16.0
        return np.maximum(low - slack, self.over_x.low), np.minimum(high + slack, self.over_x.high)

    def _joined(self, known: Nodes, y: Array, found: Nodes) -> tuple[Array, Nodes]:
        """All rows in the order of y, with the same number of nodes each."""
        while known.points.shape[1] < found.points.shape[1]:
            known = self.over_x.halved(self.y, known)
        every = np.concatenate([self.y, y])
        order = np.argsort(every)
        pairs = ((known.points, found.points), (known.logs, found.logs), (known.step, found.step))
        points, logs, step = (np.concatenate(pair)[order] for pair in pairs)
        return every[order], Nodes(points, logs, step)


def integrate(rollouts: Rollouts, prior: HierarchicalPrior) -> ExactHyper:
    """Integrate the hierarchical posterior of a suite."""
    tails = tail_counts(rollouts)
    over_x = _OverX.within_reach(tails, prior)
    rows = _Rows(over_x)

    def over_y(y: Array, _: npt.NDArray[np.intp]) -> Array:
        return rows.log_integral(y[0])[None] + prior.log_density_y(y)

    def roughly(y: Array, _: npt.NDArray[np.intp]) -> Array:
        return over_x.log_top(y) + prior.log_density_y(y)

    ends = np.array([-prior.y_limit]), np.array([prior.y_limit])
    outer = zoom(over_y, *ends, nodes=Y_STEPS, tolerance=AGREED, rough=roughly)
    assert rows.nodes is not None
    log_marginal = float(outer.log_integral[0])
    heavy = outer.logs[0] > outer.logs[0].max() - 40.0
    y, points, step = outer.points[0][heavy], rows.nodes.points[heavy], rows.nodes.step[heavy]
    scale = np.log(step * outer.step[0])[:, None]
    logs = rows.nodes.logs[heavy] + scale + prior.log_density_y(y)[:, None]
    kept = logs > logs.max() - 40.0
    weights = np.exp(logs[kept] - log_sum(logs[kept]))
    row_logs = log_sum(logs)
    mass = np.exp(row_logs - log_sum(row_logs))
    return ExactHyper(
        tails,
        prior,
        over_x,
        points[kept],
        np.broadcast_to(y[:, None], kept.shape)[kept],
        weights,
        (y, points[:, 0], points[:, -1], mass),
        points.shape[1] - 1,
        log_marginal,
        float(max(outer.discrepancy.max(), rows.nodes.discrepancy[heavy].max())),
    )
