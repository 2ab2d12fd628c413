"""What is asked of a difference: functional, population, losses, words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_probability, format_value
from bayeseval._validate import Population, as_number, as_whole, one_of, shown
from bayeseval.comparison._bootstrap import Kind
from bayeseval.errors import InputError
from bayeseval.hierarchical._functionals import Functional
from bayeseval.posterior import DrawsPosterior, GridPosterior, Posterior

__all__ = ["ExpectedLoss", "MovedTasks", "as_functional", "as_rope", "loss_of", "signed"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExpectedLoss:
    """What choosing a system is expected to cost, in pass rate (0-1).

    Parameters
    ----------
    choose_new : float
        Mean of how much the old system is better, and 0 where it is not.
    choose_old : float
        Mean of how much the new system is better, and 0 where it is not.
    """

    choose_new: float
    choose_old: float


@dataclass(frozen=True, slots=True, eq=False)
class MovedTasks:
    """Tasks on which two systems' raw results differ: regressions first, worst on top.

    Parameters
    ----------
    task : ndarray, shape (n,)
        Task ids.
    old_passes, old_trials, new_passes, new_trials : ndarray of int64, shape (n,)
        Scored rollouts of both systems.
    mean : ndarray or None, shape (n,)
        Posterior mean of the task's change in pass rate, -1 to 1; None with the exact
        engine, since one rollout each does not tell change from chance.
    prob_worse : ndarray or None, shape (n,)
        Posterior probability that the new system's rate on the task is the lower one.
    """

    task: npt.NDArray[Any]
    old_passes: npt.NDArray[np.int64]
    old_trials: npt.NDArray[np.int64]
    new_passes: npt.NDArray[np.int64]
    new_trials: npt.NDArray[np.int64]
    mean: Array | None
    prob_worse: Array | None

    @property
    def change(self) -> Array:
        """Raw change of each task's rate, -1 to 1."""
        return self.new_passes / self.new_trials - self.old_passes / self.old_trials

    @property
    def n_regressed(self) -> int:
        """Tasks whose raw rate fell."""
        return int(np.count_nonzero(self.change < 0))

    @property
    def n_improved(self) -> int:
        """Tasks whose raw rate rose."""
        return int(np.count_nonzero(self.change > 0))

    def __len__(self) -> int:
        return len(self.task)

    def __repr__(self) -> str:
        return f"MovedTasks({self.n_regressed} regressed, {self.n_improved} improved)"


def as_functional(kind: Kind, k: int | None, population: Population) -> Functional:
    """Check what is asked."""
    one_of(kind, Kind, "kind")
    one_of(population, ("new_tasks", "suite"), "population")
    if kind == "pass_rate":
        if k is not None:
            raise InputError(
                f"k goes with pass_at_k and pass_hat_k, not pass_rate; got k = {shown(k)}"
            )
        return Functional("pass_hat_k", 1)
    if k is None:
        raise InputError(f"{kind} needs k, the number of attempts")
    return Functional(kind, as_whole(k, "k", minimum=1))


def as_rope(rope: float | tuple[float, float]) -> tuple[float, float]:
    """Ends of the region of practical equivalence; a number stands for both signs of it."""
    if isinstance(rope, int | float | np.number):
        low, high = -as_number(rope, "rope"), as_number(rope, "rope")
    else:
        try:
            first, second = rope
        except (TypeError, ValueError):
            raise InputError(f"rope must be a number or (low, high); got {shown(rope)}") from None
        low, high = as_number(first, "rope"), as_number(second, "rope")
    if not (-1.0 <= low < high <= 1.0):
        raise InputError(
            f"rope must run from low to high within -1 to 1, such as 0.02 or (-0.02, 0.02); "
            f"got {shown(rope)}"
        )
    return low, high


def loss_of(difference: Posterior) -> ExpectedLoss:
    """Expected losses of choosing either system."""
    if isinstance(difference, DrawsPosterior):
        draws = difference.draws
        return ExpectedLoss(
            float(np.maximum(-draws, 0.0).mean()), float(np.maximum(draws, 0.0).mean())
        )
    assert isinstance(difference, GridPosterior)
    # The panels end at 0, so that the kink of the loss lies between two of them.
    positive = difference.panels.expect(lambda z: np.maximum(np.tanh(0.5 * z), 0.0))
    negative = difference.panels.expect(lambda z: np.maximum(-np.tanh(0.5 * z), 0.0))
    return ExpectedLoss(negative, positive)


def signed(difference: Posterior, ci_prob: float) -> str:
    """``+7.0 points (95 % CrI -2.5 to +16.1)``."""
    lower, upper = difference.eti(ci_prob)
    limits = format_value((lower, upper), "points").removesuffix(" points")
    return f"{format_value(difference.mean, 'points')} ({100 * float(ci_prob):g} % CrI {limits})"


def odds_text(name: str, probability: float) -> str:
    """``Pr[v2 better] = 0.924``."""
    return f"Pr[{name} better] = {format_probability(probability)}"
