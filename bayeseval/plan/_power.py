"""The normal formulas of sample size and power, shared by separate and by paired runs."""

from __future__ import annotations

import math

from scipy import special

from bayeseval._validate import as_probability, shown
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.errors import InputError
from bayeseval.plan._search import MOST_TASKS

__all__ = ["as_power", "as_rates", "normal_power", "round_up", "tasks_real"]


def as_rates(rate_from: float, rate_to: float, alpha: float) -> tuple[float, float, float]:
    p1, p2 = as_probability(rate_from, "rate_from"), as_probability(rate_to, "rate_to")
    if p1 == p2:
        raise InputError(
            f"rate_from and rate_to must differ: no number of tasks tells {p1!r} from itself"
        )
    return p1, p2, as_probability(alpha, "alpha", open_ends=True)


def as_power(power: float, alpha: float) -> float:
    wanted = as_probability(power, "power", open_ends=True)
    if wanted <= alpha / 2:
        raise InputError(
            f"power must exceed alpha / 2 = {alpha / 2:.10g}, which luck alone reaches; "
            f"got {shown(power)}"
        )
    return wanted


def tasks_real(
    under_equal: float, under_true: float, difference: float, alpha: float, power: float
) -> float:
    z, z_power = normal_quantile(alpha / 2), normal_quantile(1 - power)
    root = max(z * under_equal + z_power * under_true, 0.0)
    real = (root / difference) ** 2
    if real > MOST_TASKS:
        raise InputError(
            f"more than {MOST_TASKS:,} tasks would be needed: name rates that lie further apart"
        )
    return real


def round_up(real: float) -> int:
    return max(math.ceil(real), 1)


def normal_power(
    under_equal: float, under_true: float, difference: float, tasks: int, alpha: float
) -> tuple[float, float]:
    """Probabilities to find the difference in its true, and in the wrong direction."""
    z, shift = normal_quantile(alpha / 2) * under_equal, math.sqrt(tasks) * difference
    if under_true == 0:
        # Both outcomes are certain, and so is the test's.
        return float(shift >= z), 0.0
    return (
        float(special.ndtr((shift - z) / under_true)),
        float(special.ndtr((-shift - z) / under_true)),
    )
