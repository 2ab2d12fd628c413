"""Probabilities of the three verdicts at true values: exact, or from weighted simulated runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._quadrature import log_sum
from bayeseval.decisions._question import Codes, Judge, Question
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.plan._clustered_assurance import pass_probabilities

__all__ = ["Chances", "Enumerated", "Simulated", "around", "drawn_at", "iccs_of"]

Array = npt.NDArray[np.float64]

# Quantiles of the prior that stand for an ICC that is not known.
ICC_POINTS = 12
# Half width, in standard errors, and steps of the grid of true values around a bar.
REACH, STEPS = 4.5, 18
# Standard errors beyond the edge of a verdict where it is certain: 3 in 100,000 are not.
CERTAIN = 4.0
MOST_STEPS = 400
# Nearer to 0 or 1 than this there are no further true values.
NO_FURTHER = 1e-6
# Numbers held at once.
MOST_NUMBERS = 8_000_000


class Chances(Protocol):
    """Probabilities of contradicted, inconclusive and supported at true values."""

    def at(self, values: Array) -> tuple[Array, Array]:
        """Shape (n_values, 3), and the influence of each run, (n_values, n_runs, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class Enumerated:
    """One rollout per task: a verdict for every number of passes.

    Parameters
    ----------
    question : Question
        The claim.
    codes : ndarray of int, shape (tasks + 1,)
        The verdicts.
    icc : ndarray
        Values that the ICC may have, equally probable.
    """

    question: Question
    codes: Codes
    icc: Array

    @property
    def tasks(self) -> int:
        """Tasks of the run."""
        return self.codes.size - 1

    def of_rate(self, rate: Array) -> Array:
        """Probabilities at true pass rates, shape (n, 3); tails are sums of their own."""
        n = self.tasks
        low, high = (0, 2) if self.question.above else (2, 0)
        n_low, n_high = int(np.sum(self.codes == low)), int(np.sum(self.codes == high))
        result = np.empty((rate.size, 3))
        result[:, low] = _at_most(n_low - 1, n, rate)
        result[:, high] = _at_least(n + 1 - n_high, n, rate)
        result[:, 1] = np.clip(1.0 - result[:, 0] - result[:, 2], 0.0, 1.0)
        if not np.any(self.codes == 1):
            result[:, 1] = 0.0
        return result

    def at(self, values: Array) -> tuple[Array, Array]:
        """Probabilities at true values of the quantity; no run is drawn."""
        rate = self.question.mean_at(values[:, None], self.icc)
        found = self.of_rate(rate.ravel()).reshape(values.size, self.icc.size, 3)
        return found.mean(axis=1), np.zeros((values.size, 0, 3))


def _at_least(a: int, n: int, p: Array) -> Array:
    """Pr[Binomial(n, p) >= a]."""
    if a <= 0 or a > n:
        return np.full(p.shape, float(a <= 0))
    return np.asarray(special.betainc(a, n - a + 1, p))


def _at_most(a: int, n: int, p: Array) -> Array:
    """Pr[Binomial(n, p) <= a]."""
    if a < 0 or a >= n:
        return np.full(p.shape, float(a >= n))
    return np.asarray(special.betaincc(a + 1, n - a, p))


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Simulated runs at many true values, each judged once, reweighted to any true value.

    Parameters
    ----------
    question : Question
        The claim.
    histograms : ndarray, shape (n_runs, rollouts + 1)
        Tasks that passed 0, 1, ... of their rollouts.
    codes : ndarray of int, shape (n_runs,)
        The verdicts.
    icc : ndarray
        Values that the ICC may have, equally probable.
    log_drawn : ndarray, shape (n_runs,)
        Log probability of each run under the mixture that it was drawn from.
    low, high : float
        Ends of the true values that runs were drawn at.
    """

    question: Question
    histograms: Array
    codes: Codes
    icc: Array
    log_drawn: Array
    low: float
    high: float

    @classmethod
    def of(
        cls,
        judge: Judge,
        tasks: int,
        rollouts: int,
        values: Array,
        icc: Array,
        simulations: int,
        rng: np.random.Generator,
    ) -> Simulated:
        question = judge.question
        grid, spread = (each.ravel() for each in np.meshgrid(values, icc, indexing="ij"))
        chances = pass_probabilities(rollouts, question.mean_at(grid, spread), _inside(spread))
        component = rng.permutation(np.arange(simulations) % grid.size)
        histograms = rng.multinomial(tasks, chances[component])
        logs = _log_chances(histograms.astype(float), chances)
        log_drawn = special.logsumexp(logs, axis=1) - math.log(grid.size)
        return cls(
            question,
            histograms.astype(float),
            judge.of_histograms(histograms),
            icc,
            log_drawn,
            float(values.min()),
            float(values.max()),
        )

    def at(self, values: Array) -> tuple[Array, Array]:
        """Probabilities at true values, and the influence of each run on them.

        Beyond the values that runs were drawn at, the verdict is certain.
        """
        inside = np.clip(values, self.low, self.high)
        verdicts = self.codes[:, None] == np.arange(3)
        rollouts = self.histograms.shape[1] - 1
        weights = np.empty((values.size, self.codes.size))
        step = max(MOST_NUMBERS // (self.codes.size * self.icc.size), 1)
        for start in range(0, values.size, step):
            part = inside[start : start + step]
            mean = self.question.mean_at(part[:, None], self.icc)
            spread = np.broadcast_to(self.icc, mean.shape).ravel()
            chances = pass_probabilities(rollouts, mean.ravel(), _inside(spread))
            logs = _log_chances(self.histograms, chances) - self.log_drawn[:, None]
            ratios = logs.reshape(self.codes.size, part.size, self.icc.size)
            weights[start : start + step] = log_sum(ratios).T
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        found = weights @ verdicts
        influence = weights[:, :, None] * (verdicts - found[:, None, :])
        far_below = (values < self.low) & (self.low > NO_FURTHER)
        far_above = (values > self.high) & (self.high < 1.0 - NO_FURTHER)
        above, below = (2, 0) if self.question.above else (0, 2)
        for far, code in ((far_below, below), (far_above, above)):
            found[far], influence[far] = np.arange(3) == code, 0.0
        return found, influence


def _inside(icc: Array) -> Array:
    return np.asarray(np.clip(icc, 1e-9, 1 - 1e-9))


def _log_chances(histograms: Array, chances: Array) -> Array:
    """Log probability of each run under each row of chances, without the multinomial's ways."""
    return np.asarray(histograms @ np.log(np.maximum(chances, 1e-300)).T)


def iccs_of(icc: float | None, prior: HierarchicalPrior) -> Array:
    """The ICC that was named, or equally probable values of the prior's."""
    if icc is not None:
        return np.array([icc])
    levels = (np.arange(ICC_POINTS) + 0.5) / ICC_POINTS
    if prior.log_kappa is not None:
        centre, spread = prior.log_kappa
        return np.asarray(special.expit(-(centre + spread * special.ndtri(levels))))
    assert prior.icc is not None
    return np.asarray(special.betaincinv(*prior.icc, levels))


def drawn_at(judge: Judge, tasks: int, rollouts: int, icc: Array) -> Array:
    """True values that runs are drawn at, from certainty to certainty and without gaps.

    The reach is in standard errors of the widest spread that the estimate may have, the
    spacing in those of the narrowest.
    """
    k = judge.question.functional.k
    n_eff = tasks * rollouts / (1 + (rollouts - 1) * icc)
    most, least = float(n_eff.max()), float(n_eff.min())
    if k > 1:
        # An estimate of pass^k spreads at most as one outcome per task does, for k that the
        # rollouts reach; and beyond them by as much more.
        least = min(least, tasks * min(1.0, rollouts / k))
    reach = -float(special.ndtri(judge.tail)) + CERTAIN
    steps = math.ceil(2 * reach * math.sqrt(most / least))
    return around(judge.question.bar, least, reach=reach, steps=min(steps, MOST_STEPS))


def around(bar: float, n_eff: float, *, reach: float = REACH, steps: int = STEPS) -> Array:
    """True values around a bar, evenly spaced where their standard error is even.

    In the angle arcsin(sqrt(p)), where the standard error is 1 / (2 sqrt(n)).
    """
    centre = math.asin(math.sqrt(bar))
    shift = np.arange(-steps, steps + 1) * (reach / steps) / (2 * math.sqrt(n_eff))
    angles = np.clip(centre + shift, 1e-4, math.pi / 2 - 1e-4)
    values = np.sin(np.unique(angles)) ** 2
    values[np.argmin(np.abs(values - bar))] = bar
    return np.asarray(values)
