"""Half-widths of intervals for a pass rate, at any number of passes, whole or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._validate import as_number, as_probability, one_of, shown
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.conjugate import BetaPrior, PriorLike, as_prior
from bayeseval.errors import InputError
from bayeseval.plan._result import as_fraction

__all__ = ["METHOD_NAMES", "Measure", "WidthMethod", "as_half_width", "last_failing"]

Array = npt.NDArray[np.float64]
WidthMethod = Literal["wilson", "clopper_pearson", "agresti_coull", "wald", "jeffreys", "posterior"]

METHOD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "wilson": "Wilson",
        "clopper_pearson": "Clopper-Pearson",
        "agresti_coull": "Agresti-Coull",
        "wald": "Wald",
        "jeffreys": "Jeffreys",
        "posterior": "Beta posterior",
    }
)

SMALLEST_HALF_WIDTH = 1e-5
# Sizes whose whole numbers of passes are looked at in one go.
BLOCK = 4096


def as_half_width(value: Any, argument: str) -> float:
    """Return a half-width that some interval can have."""
    number = as_number(value, argument)
    if not SMALLEST_HALF_WIDTH <= number <= 0.5:
        hint = " (percentage points? divide by 100)" if 0.5 < number <= 50 else ""
        raise InputError(
            f"{argument} must be between {SMALLEST_HALF_WIDTH:.5f} and 0.5; "
            f"got {shown(value)}{hint}"
        )
    return number


@dataclass(frozen=True, slots=True)
class Measure:
    """Half-widths of one kind of interval at one rate."""

    rate: float
    fail_rate: float
    method: WidthMethod
    ci_prob: float
    z: float
    prior: BetaPrior | None

    @classmethod
    def of(cls, rate: float, method: WidthMethod, ci_prob: float, prior: PriorLike) -> Measure:
        one_of(method, WidthMethod, "method")
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        chosen = as_prior(prior)
        if not isinstance(chosen, BetaPrior):
            raise InputError(f"prior must be a single Beta for a width; got {shown(prior)}")
        used = {"jeffreys": BetaPrior(0.5, 0.5), "posterior": chosen}.get(method)
        z = normal_quantile((1 - level) / 2)
        return cls(rate, float(1 - as_fraction(rate)), method, level, z, used)

    def at(self, tasks: npt.NDArray[np.int64]) -> Array:
        """Half-widths at exactly the rate."""
        n = tasks.astype(float)
        return self._of(n * self.rate, n * self.fail_rate)

    def worst_at(self, tasks: npt.NDArray[np.int64]) -> Array:
        """Largest half-widths of any number of passes within 1/2 of the rate."""
        n = tasks.astype(float)
        low, high = (np.clip(n * self.rate + shift, 0.0, n) for shift in (-0.5, 0.5))
        # The interval is widest where the evidence is even.
        lead = self.prior.beta - self.prior.alpha if self.prior is not None else 0.0
        widest = np.clip((n + lead) / 2, low, high)
        return np.asarray(np.max([self._of(s, n - s) for s in (low, widest, high)], axis=0))

    def rounded_at(self, tasks: npt.NDArray[np.int64]) -> Array:
        """Half-widths at the nearest whole number of passes, halves rounded up."""
        rate = as_fraction(self.rate)
        twice = 2 * rate.denominator
        fits = twice + 2 * rate.numerator * int(tasks.max()) < 2**62
        exact = tasks if fits else tasks.astype(object)
        passes = ((2 * rate.numerator * exact + rate.denominator) // twice).astype(float)
        return self._of(passes, tasks - passes)

    def _of(self, passes: Array, fails: Array) -> Array:
        n, z, tail = passes + fails, self.z, (1 - self.ci_prob) / 2
        if self.method == "wald":
            return np.asarray(z * np.sqrt(passes * fails / n) / n)
        if self.method == "wilson":
            return np.asarray(z * np.sqrt(passes * fails / n + z * z / 4) / (n + z * z))
        if self.method == "agresti_coull":
            total = n + z * z
            centre, rest = (passes + z * z / 2) / total, (fails + z * z / 2) / total
            half = z * np.sqrt(centre * rest / total)
            return np.asarray((np.minimum(centre, half) + np.minimum(rest, half)) / 2)
        if self.method == "clopper_pearson":
            # Where one side is empty, its limit is the end of the scale.
            lower = np.where(passes > 0, _quantile(passes, fails + 1, tail), 0.0)
            upper = np.where(fails > 0, _quantile_above(passes + 1, fails, tail), 1.0)
            return np.asarray((upper - lower) / 2)
        assert self.prior is not None
        alpha, beta = passes + self.prior.alpha, fails + self.prior.beta
        difference = special.betainccinv(alpha, beta, tail) - special.betaincinv(alpha, beta, tail)
        return np.asarray(difference / 2)


def _quantile(alpha: Array, beta: Array, tail: float) -> Array:
    return np.asarray(special.betaincinv(np.maximum(alpha, 1e-300), beta, tail))


def _quantile_above(alpha: Array, beta: Array, tail: float) -> Array:
    return np.asarray(special.betainccinv(alpha, np.maximum(beta, 1e-300), tail))


def last_failing(measure: Measure, target: float, safe: int) -> int:
    """Largest n below `safe` whose rounded passes miss the half-width; 0 if there is none.

    From `safe` on no rounding can miss it.
    """
    stop = safe
    while stop > 1:
        block = np.arange(max(stop - BLOCK, 1), stop, dtype=np.int64)
        failing = np.flatnonzero(measure.rounded_at(block) > target)
        if failing.size:
            return int(block[failing[-1]])
        stop = int(block[0])
    return 0
