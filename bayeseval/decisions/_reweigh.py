"""What further results would make of a posterior, by reweighting draws of mean and ICC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval.decisions._question import Question
from bayeseval.hierarchical import Fit
from bayeseval.hierarchical._functionals import log_rising
from bayeseval.plan._clustered_assurance import pass_probabilities

__all__ = ["Believed"]

Array = npt.NDArray[np.float64]
Suites = npt.NDArray[np.int64]

LARGEST_KAPPA = 1e12


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """A posterior as draws, and whether the claim holds in each.

    Parameters
    ----------
    chances : ndarray, shape (n_draws, rollouts + 1)
        Probability that a new task passes 0, 1, ... of its rollouts.
    holds : ndarray of bool, shape (n_draws,)
        Whether the claim is true.
    """

    chances: Array
    holds: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, fit: Fit, question: Question, rollouts: int) -> Believed:
        """Draws of a fit, which may have any numbers of rollouts."""
        mean, icc = fit.draws.mean.ravel(), np.clip(fit.draws.icc.ravel(), 1e-12, 1 - 1e-12)
        kappa = np.minimum((1 - icc) / icc, LARGEST_KAPPA)
        first, other = mean * kappa, (1 - mean) * kappa
        if question.functional.mirrored:
            first, other = other, first
        logs = log_rising(first, other, question.functional.k)
        value = -np.expm1(logs) if question.functional.mirrored else np.exp(logs)
        return cls(pass_probabilities(rollouts, mean, icc), question.holds(value))

    def future(self, tasks: int, runs: int, rng: np.random.Generator) -> Suites:
        """Predicted results of so many new tasks, shape (runs, rollouts + 1)."""
        chosen = rng.integers(len(self.chances), size=runs)
        return np.asarray(rng.multinomial(tasks, self.chances[chosen]))

    def futures(self, tasks: list[int], runs: int, rng: np.random.Generator) -> list[Suites]:
        """Results that accumulate: after each of these numbers of further tasks, in order."""
        chances = self.chances[rng.integers(len(self.chances), size=runs)]
        total = np.zeros(chances.shape, dtype=np.int64)
        found = []
        for step in np.diff([0, *tasks]):
            total = total + rng.multinomial(int(step), chances)
            found.append(total)
        return found

    def probs(self, suites: Suites) -> tuple[Array, Array]:
        """Probabilities of the claim and of its contrary after further results.

        Every draw is weighted by the probability that it gives them.
        """
        logs = suites @ np.log(np.maximum(self.chances, 1e-300)).T
        logs -= logs.max(axis=1, keepdims=True)
        weights = np.exp(logs)
        total = weights.sum(axis=1)
        return weights @ self.holds / total, weights @ ~self.holds / total
