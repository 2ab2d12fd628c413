"""Numbers for people: per cent, percentage points and ranges, rounded for display only."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

__all__ = ["Quantity", "format_percent", "format_probability", "format_value", "quantities"]

Quantity = Literal["pass_rate", "pass_at_k", "pass_hat_k"]


def _decimals_near_edge(share: float) -> int:
    """One decimal of a per cent, more where 0 % or 100 % would be shown for what is neither."""
    edge = min(share, 1.0 - share)
    # Closer than six decimals of a per cent show, it is the edge for a reader.
    if edge < 5e-9 or edge >= 0.0005:
        return 1
    # 1 - 0.99999 is a little below 1e-5, but needs no further digit.
    return min(max(1, math.ceil(-math.log10(edge) - 1e-9) - 2), 6)


def format_percent(share: float) -> str:
    """``0.8`` as ``80.0 %``; never 100.0 % for what is below 1, to six decimals."""
    return f"{_percent_digits(share)} %"


def _percent_digits(share: float) -> str:
    return f"{100 * share:.{_decimals_near_edge(abs(share))}f}"


def format_value(value: float | tuple[float, float], unit: str) -> str:
    """A value or a range in its unit: ``"percent"``, ``"points"`` or ``"number"``."""
    if unit == "number":
        return " to ".join(_number_digits(v) for v in _as_tuple(value))
    if unit == "points":
        return " to ".join(_point_digits(v) for v in _as_tuple(value)) + " points"
    digits = [_percent_digits(v) for v in _as_tuple(value)]
    return "-".join(digits) + " %"


def _number_digits(value: float) -> str:
    # Counts of a thousand and more in full: 80,000 and not 8e+04.
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.4g}"


def _point_digits(difference: float) -> str:
    # A difference has one edge only: 0, which is shown for 0 alone, and without a minus.
    decimals = _decimals_near_edge(min(abs(difference), 0.5))
    text = f"{100 * difference:+.{decimals}f}"
    return text if float(text) else "+0.0"


def format_probability(probability: float) -> str:
    """A probability with three decimals, or in powers of ten where that would hide it."""
    if probability == 0 or 0.001 <= probability <= 0.999:
        return f"{probability:.3f}"
    if probability > 0.999:
        return f"{probability:.3f}" if probability == 1 else f"{_floor_nines(probability)}"
    return f"{probability:.1e}"


def _floor_nines(probability: float) -> str:
    digits = min(max(4, math.ceil(-math.log10(1.0 - probability)) + 1), 12)
    return f"{math.floor(probability * 10**digits) / 10**digits:.{digits}f}"


def _as_tuple(value: float | tuple[float, float]) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else (value,)


def quantities(ks: Iterable[int]) -> list[tuple[Quantity, int | None, str]]:
    """The pass rate, then pass@k and then pass^k of each k above 1: kind, k and label."""
    more = [k for k in ks if k > 1]
    return [
        ("pass_rate", None, "pass rate"),
        *(("pass_at_k", k, f"pass@{k}") for k in more),
        *(("pass_hat_k", k, f"pass^{k}") for k in more),
    ]
