"""How the rates of tasks are spread: mixtures of Betas and point masses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_items, as_probability, shown
from bayeseval.errors import InputError

__all__ = ["RateComponent", "as_mixture", "draw_rates", "moment"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RateComponent:
    """A share of the tasks, whose rates follow a Beta or are all the same.

    Parameters
    ----------
    weight : float
        Share of the tasks, 0-1.
    mean : float
        Mean rate, 0-1.
    icc : float, default 0
        Intraclass correlation, 0-1. 0 is a point mass: every task has the rate `mean`.
        1 is a coin for each task: it always passes, with probability `mean`, or never.
        Between them the rates follow Beta(mean * kappa, (1 - mean) * kappa) with
        kappa = (1 - icc) / icc.
    """

    weight: float
    mean: float
    icc: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", as_probability(self.weight, "weight"))
        object.__setattr__(self, "mean", as_probability(self.mean, "mean"))
        object.__setattr__(self, "icc", as_probability(self.icc, "icc"))


def as_mixture(components: Any) -> tuple[RateComponent, ...]:
    """Return components whose weights sum to 1."""
    given = as_items(components, "mixture", of="at least one (weight, mean, icc)")
    if not given:
        raise InputError(
            f"mixture must hold at least one (weight, mean, icc); got {shown(components)}"
        )
    found = tuple(_as_component(each, at) for at, each in enumerate(given))
    total = math.fsum(each.weight for each in found)
    if abs(total - 1) > 1e-9:
        raise InputError(f"the weights of mixture must sum to 1; they sum to {total:.10g}")
    return found


def _as_component(given: Any, at: int) -> RateComponent:
    if isinstance(given, RateComponent):
        return given
    try:
        parts = tuple(given)
    except TypeError:
        parts = ()
    if len(parts) not in (2, 3) or isinstance(given, str):
        raise InputError(
            f"mixture must hold (weight, mean) or (weight, mean, icc); got {shown(given)} "
            f"at position {at}"
        )
    return RateComponent(*parts)


def draw_rates(
    components: tuple[RateComponent, ...], tasks: int, rng: np.random.Generator
) -> Array:
    """Draw the rates of so many tasks."""
    weights = np.array([each.weight for each in components])
    which = rng.choice(len(components), size=tasks, p=weights / weights.sum())
    rates = np.empty(tasks)
    for at, component in enumerate(components):
        chosen = which == at
        rates[chosen] = _draw(component.mean, component.icc, int(chosen.sum()), rng)
    return rates


def _draw(mean: float, icc: float, size: int, rng: np.random.Generator) -> Array:
    if mean in (0.0, 1.0) or icc == 0:
        return np.full(size, mean)
    kappa = (1 - icc) / icc
    if kappa > 1e300:
        # Infinite, or so nearly that no draw differs from the mean.
        return np.full(size, mean)
    if kappa < 1e-12:
        # A Beta so extreme is a coin; NumPy would return NaN for some of its draws.
        return (rng.random(size) < mean).astype(float)
    return rng.beta(mean * kappa, (1 - mean) * kappa, size)


def moment(mean: float, icc: float, k: int) -> float:
    """E[p^k] of a Beta, right from ICC 0, the power, to ICC 1, the mean."""
    if k == 0:
        return 1.0
    value = mean
    for drawn in range(1, k):
        value *= (mean * (1 - icc) + drawn * icc) / (1 - icc + drawn * icc)
    return value
