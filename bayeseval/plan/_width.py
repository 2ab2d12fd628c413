"""How many tasks for an interval of a given half-width, one rollout for each task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayeseval._validate import as_probability, as_whole, shown
from bayeseval.conjugate import BetaPrior, PriorLike
from bayeseval.errors import InputError
from bayeseval.plan._half_width import (
    METHOD_NAMES,
    Measure,
    WidthMethod,
    as_half_width,
    last_failing,
)
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.plan._search import MOST_TASKS, from_which_on
from bayeseval.unknown import Unknown

__all__ = ["WidthAt", "WidthPlan", "width", "width_at", "width_table"]


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
        raise InputError(f"tasks must be at most {MOST_TASKS:,}; got {shown(tasks)}")
    measure = Measure.of(rate, method, ci_prob, prior)
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
    measure = Measure.of(rate, method, ci_prob, prior)
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
        last_failing(measure, target, safe) + 1,
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
