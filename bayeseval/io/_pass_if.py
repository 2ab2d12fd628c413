"""Which scores pass: a bar given as text or number, or a function."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from bayeseval._validate import as_number, shown
from bayeseval.errors import InputError

__all__ = ["PassIf", "as_pass_if"]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
_TEXT = re.compile(r"\s*(>=|<=|==|=|>|<)?\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(%)?\s*")


@dataclass(frozen=True, slots=True)
class PassIf:
    """A bar for scores: ``PassIf(">=", 0.5)(0.7)`` is True.

    Parameters
    ----------
    sign : {">=", ">", "<=", "<", "=="}
        How a score is compared. ``<`` and ``<=`` are for scores whose smaller values are
        better.
    bar : float
        What it is compared with, in the scale of the scores.
    """

    sign: str
    bar: float

    def __call__(self, score: float) -> bool:
        """Whether a score passes."""
        return _COMPARE[self.sign](score, self.bar)

    def __str__(self) -> str:
        return f"{self.sign} {self.bar:.15g}"


def as_pass_if(
    value: str | float | Callable[[float], bool] | None,
) -> Callable[[float], bool] | None:
    """Return what decides whether a score passes; a bare number is a lower bar."""
    if value is None or isinstance(value, PassIf):
        return value
    if callable(value):
        return value
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        number = _number(match[2]) if match else math.nan
        sign = (match[1] or ">=") if match else ""
        if match and match[3]:
            raise InputError(
                f"pass_if (--pass-if) compares scores as the file has them, without per cent "
                f"signs; got {shown(value)}"
            )
    else:
        sign, number = ">=", math.nan if isinstance(value, bool) else _number(value)
    if not math.isfinite(number):
        raise InputError(
            f"pass_if (--pass-if) must be a comparison with a number, such as '>= 0.5' or "
            f"'< 3'; got {shown(value)}"
        )
    return PassIf("==" if sign == "=" else sign, number)


def _number(value: str | float) -> float:
    try:
        return as_number(value, "pass_if")
    except InputError:
        return math.nan
