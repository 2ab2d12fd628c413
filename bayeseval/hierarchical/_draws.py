"""Answers from draws of mean and ICC: what the NUTS engine knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._cells import ScoredCells
from bayeseval.hierarchical._exact import ExactHyper
from bayeseval.hierarchical._functionals import (
    Functional,
    beta_binomial_chances,
    blocks,
    log_rising,
)
from bayeseval.posterior import About, DrawsPosterior

__all__ = ["DrawsHyper", "beta_draws", "independent_draws"]

Array = npt.NDArray[np.float64]

# From this many equal tasks on, the sum of their values is drawn at once.
MANY = 2000
LARGEST_KAPPA = 1e12
# Steps in x = logit(mean) of a conditional distribution that is drawn from.
STEPS = 256


def beta_draws(alpha: Array, beta: Array, rng: np.random.Generator) -> Array:
    """Beta draws; parameters so small that both gammas underflow give 0 or 1."""
    tiny = np.finfo(float).tiny
    return rng.beta(np.maximum(alpha, tiny), np.maximum(beta, tiny))


@dataclass(frozen=True, eq=False)
class DrawsHyper:
    """Draws of the hyperparameters.

    Parameters
    ----------
    mean, icc : ndarray, shape (n_chains, n_draws)
        Draws of the mean pass rate and of the ICC.
    seed : int
        Seeds the draws of task rates and outcomes, so that the same fit gives the same
        answers whenever it is asked.
    """

    mean: Array
    icc: Array
    seed: int

    @property
    def kappa(self) -> Array:
        """Draws of the concentration."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.minimum((1.0 - self.icc) / self.icc, LARGEST_KAPPA))

    @property
    def alpha(self) -> Array:
        """First Beta parameter of the task rates."""
        return self.mean * self.kappa

    @property
    def beta(self) -> Array:
        """Second Beta parameter of the task rates."""
        return (1.0 - self.mean) * self.kappa

    def rng(self, stream: int) -> np.random.Generator:
        """Generator of one kind of answer: the same stream, the same draws."""
        return np.random.default_rng([self.seed, stream])

    def new_tasks(self, functional: Functional, about: About) -> DrawsPosterior:
        """Posterior of a new task's pass^k or pass@k."""
        first, other = self.alpha, self.beta
        if functional.mirrored:
            first, other = other, first
        logs = log_rising(first, other, functional.k)
        values = -np.expm1(logs) if functional.mirrored else np.exp(logs)
        return DrawsPosterior(values, about)

    def suite(self, cells: ScoredCells, functional: Functional, about: About) -> DrawsPosterior:
        """Posterior of the mean of a functional over exactly these tasks."""
        rng = self.rng(1)
        total = np.zeros(self.mean.shape)
        for passes, trials, count in zip(cells.passes, cells.trials, cells.count, strict=True):
            alpha, beta = self.alpha + passes, self.beta + (trials - passes)
            total += self._sum_of_values(alpha, beta, int(count), functional, rng)
        return DrawsPosterior(total / cells.count.sum(), about)

    def _sum_of_values(
        self,
        alpha: Array,
        beta: Array,
        count: int,
        functional: Functional,
        rng: np.random.Generator,
    ) -> Array:
        if count < MANY:
            total = np.zeros(alpha.shape)
            for _ in range(count):
                total += functional.of_rate(beta_draws(alpha, beta, rng))
            return total
        # The mean of that many values is a Beta with its mean and variance: normal where
        # values spread, gamma-like where few tasks ever fail, and never outside [0, 1].
        first, other = (beta, alpha) if functional.mirrored else (alpha, beta)
        log_mean = log_rising(first, other, functional.k)
        mean, rest = np.exp(log_mean), -np.expm1(log_mean)
        spread = np.expm1(log_rising(first, other, 2 * functional.k) - 2.0 * log_mean)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            size = np.clip(count * rest / (mean * np.maximum(spread, 0.0)) - 1.0, 0.0, 1e15)
        size = np.nan_to_num(size, nan=1.0)
        means = beta_draws(mean * size, rest * size, rng)
        return np.asarray(count * (1.0 - means if functional.mirrored else means))

    def next_run(self, cells: ScoredCells, functional: Functional, about: About) -> DrawsPosterior:
        """Prediction of the number that the same tasks with the same rollouts show."""
        return self._predict(
            cells.passes, cells.trials, cells.trials, cells.count, functional, about
        )

    def new_run(
        self, tasks: int, rollouts: int, functional: Functional, about: About
    ) -> DrawsPosterior:
        """Prediction of the number that new tasks will show."""
        none = np.zeros(1, dtype=np.int64)
        every, count = np.array([rollouts]), np.array([tasks])
        return self._predict(none, none, every, count, functional, about)

    def _predict(
        self,
        passes: npt.NDArray[np.int64],
        trials: npt.NDArray[np.int64],
        rollouts: npt.NDArray[np.int64],
        count: npt.NDArray[np.int64],
        functional: Functional,
        about: About,
    ) -> DrawsPosterior:
        rng = self.rng(2)
        total = np.zeros(self.mean.shape)
        for s, t, r, c in zip(passes, trials, rollouts, count, strict=True):
            alpha, beta = self.alpha + s, self.beta + (t - s)
            values = functional.of_counts(int(r))
            if c < r:
                for _ in range(int(c)):
                    total += values[rng.binomial(int(r), beta_draws(alpha, beta, rng))]
                continue
            # Many tasks with equal counts: the histogram of their passes at once.
            flat, a, b = total.reshape(-1), alpha.reshape(-1), beta.reshape(-1)
            for part in blocks(flat.size, int(r) + 1):
                chances = beta_binomial_chances(a[part], b[part], int(r))
                flat[part] += rng.multinomial(int(c), chances) @ values
        return DrawsPosterior(total / count.sum(), about)

    def task_rate(self, passes: int, trials: int, about: About) -> DrawsPosterior:
        """Pass rate of a task that passed `passes` of `trials` rollouts."""
        # A stream of its own for every pair of counts, whatever was asked before.
        rng = np.random.default_rng([self.seed, 3, passes, trials])
        draws = beta_draws(self.alpha + passes, self.beta + (trials - passes), rng)
        return DrawsPosterior(draws, about)

    def task_quantile(self, q: float, about: About) -> DrawsPosterior:
        """Posterior of the q-quantile of the pass rates of new tasks."""
        return DrawsPosterior(special.betaincinv(self.alpha, self.beta, q), about)

    def share_above(self, rate: float, about: About) -> DrawsPosterior:
        """Posterior of the share of new tasks whose pass rate is above a given one."""
        return DrawsPosterior(special.betaincc(self.alpha, self.beta, rate), about)


def independent_draws(exact: ExactHyper, chains: int, draws: int, seed: int) -> tuple[Array, Array]:
    """Independent draws of mean and ICC from the integrated posterior.

    The ICC is drawn by inverting its distribution function, then the mean given the ICC
    by inverting the cumulative trapezoid sum of its conditional density.

    Returns
    -------
    mean, icc : ndarray, shape (chains, draws)
    """
    rng = np.random.default_rng([seed, 0])
    size = chains * draws
    panels = exact.marginal_icc(About("ICC", "exact")).panels
    y = panels.quantile(rng.uniform(size=size))
    row_y, low, high, _ = exact.rows
    # Conditional quantiles change slowly with the ICC: they are interpolated between rows.
    count = int(np.clip(np.ceil((y.max() - y.min()) / 0.1), 2, 512))
    grid = np.linspace(y.min(), y.max(), count)
    left, right = np.interp(grid, row_y, low), np.interp(grid, row_y, high)
    points = left[:, None] + (right - left)[:, None] * np.linspace(0.0, 1.0, STEPS + 1)
    logs = exact.log_joint(points, grid[:, None])
    density = np.exp(logs - logs.max(axis=1, keepdims=True))
    pairs = 0.5 * (density[:, 1:] + density[:, :-1])
    pairs /= pairs.sum(axis=1, keepdims=True)
    place = (y - y.min()) / max(float(y.max() - y.min()), 1e-300) * (count - 1)
    row = np.minimum(place.astype(int), count - 2)
    share = place - row
    u = rng.uniform(size=size)
    x = (1.0 - share) * _invert(points, pairs, row, u) + share * _invert(points, pairs, row + 1, u)
    return special.expit(x).reshape(chains, draws), special.expit(y).reshape(chains, draws)


def _invert(points: Array, masses: Array, row: npt.NDArray[np.intp], u: Array) -> Array:
    """Quantiles of densities that are flat between points, one row of them for each draw."""
    total = np.cumsum(masses, axis=1)
    index = np.minimum(np.sum(total[row] < u[:, None], axis=1), masses.shape[1] - 1)
    before = np.where(index > 0, total[row, index - 1], 0.0)
    part = np.clip((u - before) / np.maximum(masses[row, index], 1e-300), 0.0, 1.0)
    return np.asarray(points[row, index] + part * np.diff(points, axis=1)[row, index])
