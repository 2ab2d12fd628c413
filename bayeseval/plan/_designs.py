"""One design of tasks x rollouts, and what it is expected to tell of the pass rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bayeseval._validate import as_number, as_positive, as_probability, as_whole, one_of, shown
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.errors import InputError
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = [
    "ClusteredDesign",
    "ClusteredMethod",
    "Expected",
    "as_rollouts",
    "design_effect",
    "rollouts_text",
]

ClusteredMethod = Literal["wilson", "wald"]

MOST_ROLLOUTS = 100_000


@dataclass(frozen=True, slots=True, repr=False)
class ClusteredDesign(Plan):
    """What a suite of so many tasks and rollouts will tell of the pass rate.

    Parameters
    ----------
    tasks, rollouts : int
        Tasks, and rollouts of each.
    rate, icc : float
        The pass rate and the intraclass correlation that are expected.
    design_effect : float
        1 + (rollouts - 1) icc: variance against as many independent rollouts.
    n_eff : float
        Independent rollouts that tell as much: tasks * rollouts / design_effect.
    se : float
        Standard error of the pass rate.
    half_width : float
        Of the interval, 0-1.
    ci_prob : float
        Level of the interval.
    method : {"wilson", "wald"}
        The interval, on `n_eff` rollouts.
    cost : float
        Of tasks and rollouts together, in the unit of the costs.
    """

    tasks: int
    rollouts: int
    rate: float
    icc: float
    design_effect: float
    n_eff: float
    se: float
    half_width: float
    ci_prob: float
    method: ClusteredMethod
    cost: float

    @property
    def sentence(self) -> str:
        """The design in one line."""
        return (
            f"{tasks_text(self.tasks)} x {rollouts_text(self.rollouts)}: {rate_text(self.rate)} ± "
            f"{100 * self.half_width:.2f} points ({level_text(self.ci_prob)} "
            f"{self.method.capitalize()}, ICC {self.icc:.3g}, design effect "
            f"{self.design_effect:.2f}, worth {self.n_eff:,.0f} independent rollouts; "
            f"cost {self.cost:,.10g})"
        )


def design_effect(rollouts: float, icc: float) -> float:
    """Variance of a pass rate against as many independent rollouts.

    Parameters
    ----------
    rollouts : float
        Rollouts of each task, at least 1.
    icc : float
        Intraclass correlation, 0-1.

    Returns
    -------
    float
        1 + (rollouts - 1) * icc.

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.design_effect(4, 0.5)
    2.5
    """
    each = as_number(rollouts, "rollouts")
    if each < 1:
        raise InputError(f"rollouts must be at least 1; got {shown(rollouts)}")
    return 1.0 + (each - 1.0) * as_probability(icc, "icc")


@dataclass(frozen=True, slots=True)
class Expected:
    """What every design of a plan has in common."""

    rate: float
    icc: float
    method: ClusteredMethod
    ci_prob: float
    z: float
    cost_task: float
    cost_rollout: float

    @classmethod
    def of(
        cls,
        rate: float,
        icc: float,
        method: ClusteredMethod,
        ci_prob: float,
        cost_task: float,
        cost_rollout: float,
    ) -> Expected:
        one_of(method, ClusteredMethod, "method")
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        once = as_number(cost_task, "cost_task")
        if once < 0:
            raise InputError(f"cost_task must not be negative; got {shown(cost_task)}")
        return cls(
            as_probability(rate, "rate", open_ends=True),
            as_probability(icc, "icc"),
            method,
            level,
            normal_quantile((1 - level) / 2),
            once,
            as_positive(cost_rollout, "cost_rollout"),
        )

    @property
    def spread(self) -> float:
        """Variance of one outcome."""
        return self.rate * (1 - self.rate)

    @property
    def best_rollouts(self) -> float:
        """Rollouts per task that are cheapest, but for rounding."""
        if self.icc == 0:
            return math.inf
        ratio = self.cost_task / self.cost_rollout * (1 - self.icc) / self.icc
        return max(math.sqrt(ratio), 1.0)

    def half_width(self, n_eff: float) -> float:
        z = self.z
        if self.method == "wald":
            return z * math.sqrt(self.spread / n_eff)
        return z * math.sqrt(n_eff * self.spread + z * z / 4) / (n_eff + z * z)

    def n_eff_for(self, half_width: float) -> float:
        """Independent rollouts that reach a half-width; need not be whole."""
        h2, z2 = half_width**2, self.z**2
        if self.method == "wald":
            return z2 * self.spread / h2
        # Larger root of h^2 n^2 - (z^2 p q - 2 h^2 z^2) n - z^4 (1/4 - h^2) = 0.
        middle, last = z2 * self.spread - 2 * h2 * z2, z2 * z2 * (0.25 - h2)
        if not (last > 0 or middle > 0):
            return 0.0  # at a level near 0 any suite will do
        root = math.sqrt(middle**2 + 4 * h2 * last)
        return (middle + root) / (2 * h2) if middle > 0 else 2 * last / (root - middle)

    def tasks_for(self, n_eff: float, rollouts: int) -> int:
        """Fewest tasks worth so many independent rollouts."""
        needed = n_eff * design_effect(rollouts, self.icc) / rollouts
        # A number that is whole but for rounding is not raised to the next.
        return max(math.ceil(needed * (1 - 1e-12)), 1)

    def why_none(self, n_eff: float, max_tasks: int | None, max_rollouts: int) -> Unknown:
        assert max_tasks is not None
        if max_tasks > n_eff * self.icc:
            needed = math.ceil(n_eff * (1 - self.icc) / (max_tasks - n_eff * self.icc))
            return Unknown(
                f"{tasks_text(max_tasks)} need {needed:,} rollouts of each, more than "
                f"{max_rollouts:,}"
            )
        best = self.half_width(max_tasks / self.icc)
        return Unknown(
            f"{tasks_text(max_tasks)} give ± {100 * best:.2f} points at best, however often "
            f"each runs"
        )

    def design(self, tasks: int, rollouts: int) -> ClusteredDesign:
        effect = design_effect(rollouts, self.icc)
        n_eff = tasks * rollouts / effect
        return ClusteredDesign(
            tasks,
            rollouts,
            self.rate,
            self.icc,
            effect,
            n_eff,
            math.sqrt(self.spread / n_eff),
            self.half_width(n_eff),
            self.ci_prob,
            self.method,
            tasks * (self.cost_task + rollouts * self.cost_rollout),
        )


def as_rollouts(value: int, argument: str) -> int:
    count = as_whole(value, argument, minimum=1)
    if count > MOST_ROLLOUTS:
        raise InputError(f"{argument} must be at most {MOST_ROLLOUTS:,}; got {shown(value)}")
    return count


def rollouts_text(count: int) -> str:
    return f"{count:,} rollout" if count == 1 else f"{count:,} rollouts"
