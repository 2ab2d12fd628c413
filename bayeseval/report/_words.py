"""Numbers and counts as a report writes them."""

from __future__ import annotations

from typing import Any

from bayeseval._format import format_probability, format_value
from bayeseval._interval import Interval
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

__all__ = [
    "HEADS",
    "answer",
    "chance",
    "counted",
    "level",
    "percent",
    "points",
    "points_span",
    "span",
]

HEADS = {"new_tasks": "New tasks", "suite": "This suite", "next_run": "Next run"}


def level(ci_prob: float) -> str:
    """A level as people write it: ``95 %``."""
    return f"{100 * ci_prob:.10g} %"


def percent(value: float | Unknown) -> str:
    """A share in per cent."""
    if isinstance(value, Unknown) or value != value:
        return "UNKNOWN"
    return format_value(float(value), "percent")


def span(limits: Interval | Unknown | Any) -> str:
    """An interval in per cent."""
    if isinstance(limits, Unknown):
        return "UNKNOWN"
    low, high = float(limits[0]), float(limits[1])
    return "UNKNOWN" if low != low else format_value((low, high), "percent")


def points(value: float) -> str:
    """A difference of shares in points."""
    return format_value(float(value), "points").removesuffix(" points")


def points_span(limits: Interval) -> str:
    """An interval of a difference in points."""
    return format_value((limits.lower, limits.upper), "points").removesuffix(" points")


def answer(posterior: Posterior | Unknown, ci_prob: float) -> str:
    """A posterior mean with its interval; a star marks what is extrapolated."""
    if isinstance(posterior, Unknown):
        return "UNKNOWN"
    star = "*" if posterior.extrapolated else ""
    return f"{percent(posterior.mean)}{star} ({span(tuple(posterior.eti(ci_prob)))})"


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 task``, ``2 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def chance(probability: float) -> str:
    """A probability, with no more digits than a reader takes in."""
    if 0.999999 < probability < 1.0:
        return "> 0.999999"
    if 0.0 < probability < 1e-12:
        return "< 1e-12"
    return format_probability(probability)
