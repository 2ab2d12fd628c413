"""How many tasks for an interval of a given half-width, one rollout for each task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._validate import as_number, as_probability, as_whole, one_of
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.conjugate import BetaPrior, PriorLike, as_prior
from bayeseval.errors import InputError
from bayeseval.plan._result import Plan, as_fraction, level_text, rate_text, tasks_text
from bayeseval.plan._search import MOST_TASKS, from_which_on
from bayeseval.unknown import Unknown

__all__ = [
    "METHOD_NAMES",
    "SlicesPlan",
    "WidthAt",
    "WidthMethod",
    "WidthPlan",
    "slices",
    "width",
    "width_at",
    "width_table",
]

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


@dataclass(frozen=True, slots=True, repr=False)
class WidthPlan(Plan):
    """How many tasks an interval of a given half-width needs.

    Parameters
    ----------
    rate : float
        The pass rate that is expected to be observed, 0-1.
    half_width : float
        The half-width asked for, 0-1: half of upper minus lower limit.
    ci_prob : float
        Level of the interval.
    method : str
        Which interval; see `width`.
    prior : BetaPrior or None
        The prior, for ``"posterior"`` and ``"jeffreys"``.
    tasks : int
        Smallest number from which on the half-width is met at exactly `rate`, even
        where that is no whole number of passes.
    tasks_whole : int
        The same where the passes are rounded to the nearest whole number.
    half_width_at : float
        Half-width at `tasks` and `rate`.
    half_width_before : float or Unknown
        Half-width with one task less; above the one asked for.
    """

    rate: float
    half_width: float
    ci_prob: float
    method: WidthMethod
    prior: BetaPrior | None
    tasks: int
    tasks_whole: int
    half_width_at: float
    half_width_before: float | Unknown

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        name = METHOD_NAMES[self.method]
        under = f" under {self.prior}" if self.method == "posterior" else ""
        return (
            f"{tasks_text(self.tasks)} for {rate_text(self.rate)} ± "
            f"{100 * self.half_width:.10g} points ({level_text(self.ci_prob)} {name}{under}; "
            f"{self.tasks_whole:,} where passes are whole)"
        )


@dataclass(frozen=True, slots=True, repr=False)
class WidthAt(Plan):
    """The half-width of an interval at a given number of tasks.

    Parameters
    ----------
    rate : float
        The pass rate that is expected to be observed, 0-1.
    tasks : int
        Number of tasks, one rollout each.
    ci_prob : float
        Level of the interval.
    method : str
        Which interval; see `width`.
    prior : BetaPrior or None
        The prior, for ``"posterior"`` and ``"jeffreys"``.
    half_width : float
        Half of upper minus lower limit, 0-1.
    """

    rate: float
    tasks: int
    ci_prob: float
    method: WidthMethod
    prior: BetaPrior | None
    half_width: float

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        return (
            f"{rate_text(self.rate)} ± {100 * self.half_width:.2f} points with "
            f"{tasks_text(self.tasks)} ({level_text(self.ci_prob)} {METHOD_NAMES[self.method]})"
        )


def width_at(
    rate: float,
    tasks: int,
    *,
    method: WidthMethod = "wilson",
    ci_prob: float = 0.95,
    prior: PriorLike = "uniform",
) -> WidthAt:
    """Half-width of an interval for a pass rate, at a given number of tasks.

    Parameters
    ----------
    rate : float
        The pass rate that is expected to be observed, 0-1; ``rate * tasks`` need not be
        whole.
    tasks : int
        Number of tasks with one rollout each, at least 1.
    method, ci_prob, prior
        As in `width`.

    Returns
    -------
    WidthAt

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.width_at(0.8, 245)
    80 % ± 4.99 points with 245 tasks (95 % Wilson)
    """
    rate = as_probability(rate, "rate")
    count = as_whole(tasks, "tasks", minimum=1)
    if count > MOST_TASKS:
        raise InputError(f"tasks must be at most {MOST_TASKS:,}; got {tasks!r}")
    measure = _Measure.of(rate, method, ci_prob, prior)
    half = float(measure.at(np.array([count], dtype=np.int64))[0])
    return WidthAt(rate, count, measure.ci_prob, method, measure.prior, half)


def width(
    rate: float,
    half_width: float,
    *,
    method: WidthMethod = "wilson",
    ci_prob: float = 0.95,
    prior: PriorLike = "uniform",
) -> WidthPlan:
    """Find how many tasks an interval for the pass rate needs, for a given half-width.

    One rollout for each task; for several see `clustered`.

    Parameters
    ----------
    rate : float
        The pass rate that is expected to be observed, 0-1. 0.5 is the worst case.
    half_width : float
        The half-width to reach, 0.00001-0.5: 0.05 is plus or minus 5 percentage points.
        Intervals near 0 and 1 are not symmetric; half of their length counts.
    method : str, default "wilson"
        ``"wilson"`` [1]_, ``"clopper_pearson"``, ``"agresti_coull"``, ``"wald"``,
        ``"jeffreys"`` or ``"posterior"``: the equal-tailed interval of the Beta posterior
        under `prior`.
    ci_prob : float, default 0.95
        Level of the interval, strictly between 0 and 1.
    prior : PriorLike, default "uniform"
        Beta prior for ``method="posterior"``; the others take none.

    Returns
    -------
    WidthPlan
        `tasks`, and `tasks_whole` for passes that are whole numbers.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    With z the normal quantile and q = 1 - p, the half-widths at an observed rate p are

        Wald:    z sqrt(p q / n)
        Wilson:  z sqrt(n p q + z^2 / 4) / (n + z^2)

    and for the others half the distance of two Beta quantiles, whose arguments need not
    be whole. `tasks` is the smallest n from which on the half-width is met. A run cannot
    pass 0.8 * 246 tasks: `tasks_whole` rounds the passes to floor(p n + 1/2), and is the
    smallest n so that it and every larger n meets the half-width. Wald needs no task at
    all at 0 and 1, which speaks against Wald.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and
       statistical inference. https://doi.org/10.1080/01621459.1927.10502953

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.width(0.8, 0.05)
    245 tasks for 80 % ± 5 points (95 % Wilson; 245 where passes are whole)
    >>> be.plan.width(0.8, 0.05, method="clopper_pearson").tasks
    264
    """
    rate = as_probability(rate, "rate")
    target = as_half_width(half_width, "half_width")
    measure = _Measure.of(rate, method, ci_prob, prior)
    if method == "wald" and rate in (0.0, 1.0):
        return WidthPlan(
            rate, target, measure.ci_prob, method, None, 0, 0, 0.0, Unknown("no task is needed")
        )
    mend = "ask for a larger half-width"
    guess = (measure.z / target) ** 2 * rate * (1 - rate)
    tasks = from_which_on(lambda n: measure.at(n) <= target, guess=guess, mend=mend)
    safe = from_which_on(lambda n: measure.worst_at(n) <= target, guess=guess, mend=mend)
    at, before = measure.at(np.array([tasks, max(tasks - 1, 1)], dtype=np.int64)).tolist()
    return WidthPlan(
        rate,
        target,
        measure.ci_prob,
        method,
        measure.prior,
        tasks,
        _last_failing(measure, target, safe) + 1,
        at,
        before if tasks > 1 else Unknown("without a task there is no interval"),
    )


def width_table(
    rate: float, half_width: float, *, ci_prob: float = 0.95, prior: PriorLike = "uniform"
) -> tuple[WidthPlan, ...]:
    """Plan the same half-width by every method, side by side.

    Parameters
    ----------
    rate, half_width, ci_prob, prior
        As in `width`.

    Returns
    -------
    tuple of WidthPlan
        One for each method of `width`.

    Examples
    --------
    >>> import bayeseval as be
    >>> {plan.method: plan.tasks for plan in be.plan.width_table(0.95, 0.03)}
    {'wilson': 215, 'clopper_pearson': 238, 'agresti_coull': 228, 'wald': 203,
     'jeffreys': 206, 'posterior': 213}
    """
    return tuple(
        width(rate, half_width, method=method, ci_prob=ci_prob, prior=prior)  # type: ignore[arg-type]
        for method in METHOD_NAMES
    )


def as_half_width(value: Any, argument: str) -> float:
    """Return a half-width that some interval can have."""
    number = as_number(value, argument)
    if not SMALLEST_HALF_WIDTH <= number <= 0.5:
        hint = " (percentage points? divide by 100)" if 0.5 < number <= 50 else ""
        raise InputError(
            f"{argument} must be between {SMALLEST_HALF_WIDTH:.5f} and 0.5; got {value!r}{hint}"
        )
    return number


@dataclass(frozen=True, slots=True)
class _Measure:
    """Half-widths of one kind of interval at one rate."""

    rate: float
    fail_rate: float
    method: WidthMethod
    ci_prob: float
    z: float
    prior: BetaPrior | None

    @classmethod
    def of(cls, rate: float, method: WidthMethod, ci_prob: float, prior: PriorLike) -> _Measure:
        one_of(method, WidthMethod, "method")
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        chosen = as_prior(prior)
        if not isinstance(chosen, BetaPrior):
            raise InputError(f"prior must be a single Beta for a width; got {prior!r}")
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


def _last_failing(measure: _Measure, target: float, safe: int) -> int:
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


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SlicesPlan(Plan):
    """How many tasks each slice needs for an interval of its own.

    Parameters
    ----------
    slices : mapping of str to WidthPlan
        The plan of each slice.
    tasks : int
        Sum over slices.
    """

    slices: Mapping[str, WidthPlan]
    tasks: int

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        each = ", ".join(f"{name} {plan.tasks:,}" for name, plan in self.slices.items())
        first = next(iter(self.slices.values()))
        return (
            f"{tasks_text(self.tasks)} in all: {each} "
            f"({level_text(first.ci_prob)} {METHOD_NAMES[first.method]})"
        )


def slices(
    rates: Mapping[str, float],
    half_width: float | Mapping[str, float],
    *,
    method: WidthMethod = "wilson",
    ci_prob: float = 0.95,
    prior: PriorLike = "uniform",
) -> SlicesPlan:
    """Find how many tasks each slice needs for an interval of its own.

    Parameters
    ----------
    rates : mapping of str to float
        The pass rate expected of each slice, 0-1.
    half_width : float or mapping of str to float
        The half-width to reach in every slice, or one for each slice.
    method, ci_prob, prior
        As in `width`. Each interval has this level by itself; that all of them hold
        at once is less probable.

    Returns
    -------
    SlicesPlan
        The plan of each slice, and the total.

    Raises
    ------
    InputError
        If there is no slice, a slice has no half-width, or a number is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.slices({"lookups": 0.9, "dates": 0.5}, 0.1)
    130 tasks in all: lookups 37, dates 93 (95 % Wilson)
    """
    if not hasattr(rates, "items") or not rates:
        raise InputError(f"rates must map the name of each slice to its rate; got {rates!r}")
    if isinstance(half_width, Mapping):
        if rates.keys() != half_width.keys():
            odd = sorted(map(str, rates.keys() ^ half_width.keys()))
            raise InputError(
                f"half_width must name the slices that rates names; they differ in {odd}"
            )
        targets = dict(half_width)
    else:
        targets = dict.fromkeys(rates, half_width)
    plans = {}
    for name, rate in rates.items():
        plans[name] = width(
            as_probability(rate, f"rate of slice {name!r}"),
            as_half_width(targets[name], f"half_width of slice {name!r}"),
            method=method,
            ci_prob=ci_prob,
            prior=prior,
        )
    return SlicesPlan(MappingProxyType(plans), sum(plan.tasks for plan in plans.values()))
