"""Each slice of a suite its own number of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bayeseval._validate import as_probability, shown
from bayeseval.conjugate import PriorLike
from bayeseval.errors import InputError
from bayeseval.plan._half_width import METHOD_NAMES, WidthMethod, as_half_width
from bayeseval.plan._result import Plan, level_text, tasks_text
from bayeseval.plan._width import WidthPlan, width

__all__ = ["SlicesPlan", "slices"]


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
        raise InputError(f"rates must map the name of each slice to its rate; got {shown(rates)}")
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
