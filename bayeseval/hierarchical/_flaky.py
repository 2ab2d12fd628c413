"""Flaky tasks: those that pass sometimes and never reliably."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_percent
from bayeseval._validate import Seed
from bayeseval.hierarchical._functionals import log_rising
from bayeseval.posterior import About, DrawsPosterior, Posterior
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FlakyTable", "GapPosterior", "flaky_table", "gap_posterior"]

Array = npt.NDArray[np.float64]


def _gap(p: Array, k: int) -> Array:
    """pass@k minus pass^k at a known rate: sometimes, but not reliably."""
    return np.asarray(-np.expm1(k * np.log1p(-np.minimum(p, 1.0 - 1e-16))) - p**k)


@dataclass(frozen=True, eq=False, repr=False)
class GapPosterior(Posterior):
    """Posterior of pass@k minus pass^k of one task, from that of its pass rate.

    Parameters
    ----------
    rate : Posterior
        Of the task's pass rate.
    k : int
        Number of attempts, at least 2.
    moments : tuple of float
        Mean and standard deviation.
    about : About
        What the quantity is.

    Notes
    -----
    1 - (1 - p)^k - p^k rises up to p = 1/2 and falls again, alike on both sides: it is
    at most g where p lies within a(g) of 0 or of 1.
    """

    rate: Posterior
    k: int
    moments: tuple[float, float]
    about: About

    @property
    def mean(self) -> float:
        return self.moments[0]

    @property
    def sd(self) -> float:
        return self.moments[1]

    @property
    def largest(self) -> float:
        """The gap at a rate of one half."""
        return 1.0 - 2.0 ** (1 - self.k)

    def _place(self, x: Array) -> Array:
        """The rate below one half with that gap."""
        low, high = np.zeros(x.shape), np.full(x.shape, 0.5)
        for _ in range(60):
            middle = 0.5 * (low + high)
            reached = _gap(middle, self.k) >= x
            high, low = np.where(reached, middle, high), np.where(reached, low, middle)
        return high

    def _below(self, x: Array) -> Array:
        a = self._place(x)
        inside = self.rate._below(a) + self.rate._above(1.0 - a)
        return np.where(x >= self.largest, 1.0, np.where(x < 0, 0.0, inside))

    def _above(self, x: Array) -> Array:
        a = self._place(x)
        between = np.where(
            self.rate._below(1.0 - a) < 0.5,
            self.rate._below(1.0 - a) - self.rate._below(a),
            self.rate._above(a) - self.rate._above(1.0 - a),
        )
        return np.where(x >= self.largest, 0.0, np.where(x < 0, 1.0, np.maximum(between, 0.0)))

    def _density(self, x: Array) -> Array:
        a = self._place(x)
        slope = self.k * ((1.0 - a) ** (self.k - 1) - a ** (self.k - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            density = (self.rate._density(a) + self.rate._density(1.0 - a)) / slope
        return np.where((x < 0) | (x > self.largest), 0.0, density)

    def _quantile(self, q: Array) -> Array:
        low, high = np.zeros(q.shape), np.full(q.shape, self.largest)
        for _ in range(50):
            middle = 0.5 * (low + high)
            reached = np.where(q <= 0.5, self._below(middle) >= q, self._above(middle) <= 1.0 - q)
            high, low = np.where(reached, middle, high), np.where(reached, low, middle)
        return np.asarray(high)

    def sample(self, size: int, rng: Seed = None) -> Array:
        return _gap(self.rate.sample(size, rng), self.k)


def gap_posterior(
    rate: Posterior,
    hyper: tuple[Array, Array, Array],
    passes: int,
    trials: int,
    k: int,
    about: About,
) -> Posterior:
    """Posterior of a task's gap from the posterior of its rate and of the hyperparameters."""
    if isinstance(rate, DrawsPosterior):
        return DrawsPosterior(_gap(rate.draws, k), about)
    return GapPosterior(rate, k, _moments(hyper, passes, trials, k), about)


def _moments(
    hyper: tuple[Array, Array, Array], passes: int, trials: int, k: int
) -> tuple[float, float]:
    weights, alpha, beta = hyper
    a, b = alpha + passes, beta + (trials - passes)

    def expect(up: int, down: int) -> float:
        """E[p^up (1 - p)^down]."""
        logs = np.zeros(a.size)
        if up:
            logs = logs + log_rising(a, b, up)
        if down:
            # Given up passes more, the Beta has them in its first parameter.
            logs = logs + log_rising(b, a + up, down)
        return float(weights @ np.exp(logs))

    hat, failed = expect(k, 0), expect(0, k)
    mean = 1.0 - failed - hat
    # E[(1 - u - v)^2] with u = (1 - p)^k and v = p^k.
    square = 1.0 - 2.0 * failed - 2.0 * hat + expect(0, 2 * k) + expect(2 * k, 0)
    square += 2.0 * expect(k, k)
    return mean, float(np.sqrt(max(square - mean**2, 0.0)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FlakyTable:
    """Tasks by the gap between their pass@k and their pass^k, the flakiest first.

    Parameters
    ----------
    task : ndarray, shape (n_tasks,)
        Task ids.
    passes, trials : ndarray of int, shape (n_tasks,)
        What was seen.
    mean, lower, upper : ndarray, shape (n_tasks,)
        Posterior of the gap: its mean and its equal-tailed interval.
    k : int
        Number of attempts.
    ci_prob : float
        Level of the interval.
    """

    task: npt.NDArray[Any]
    passes: npt.NDArray[np.int64]
    trials: npt.NDArray[np.int64]
    mean: Array
    lower: Array
    upper: Array
    k: int
    ci_prob: float

    def __repr__(self) -> str:
        first = "no task"
        if self.task.size:
            first = f"the flakiest is {self.task.tolist()[0]!r}, {format_percent(self.mean[0])}"
        return f"FlakyTable({self.task.size:,} tasks by pass@{self.k} minus pass^{self.k}: {first})"

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas frame, indexed by task."""
        import pandas as pd

        names = ("passes", "trials", "mean", "lower", "upper")
        return pd.DataFrame(
            {name: getattr(self, name) for name in names}, index=pd.Index(self.task, name="task")
        )


def flaky_table(
    rollouts: Rollouts,
    hyper: tuple[Array, Array, Array],
    gap: Callable[[int, int], Posterior],
    k: int,
    top: int | None,
    ci_prob: float,
) -> FlakyTable:
    """Rank tasks by the posterior mean of their gap; equal counts share one computation."""
    cells = rollouts.cells
    pairs = list(zip(cells.passes.tolist(), cells.trials.tolist(), strict=True))
    mean = np.array([_moments(hyper, *pair, k)[0] for pair in pairs])
    order = np.argsort(-mean[cells.index], kind="stable")
    order = order[rollouts.scored[order]][:top]
    chosen = cells.index[order]
    limits = np.full((len(pairs), 2), np.nan)
    for at in np.unique(chosen).tolist():
        limits[at] = tuple(gap(*pairs[at]).eti(ci_prob))
    return FlakyTable(
        rollouts.task[order],
        rollouts.passes[order],
        rollouts.trials[order],
        mean[chosen],
        limits[chosen, 0],
        limits[chosen, 1],
        k,
        ci_prob,
    )
