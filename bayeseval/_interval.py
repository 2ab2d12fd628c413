"""Interval: two limits that never travel without their level and kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Interval"]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval for one quantity.

    Unpacks into its limits: ``lower, upper = interval``.

    Parameters
    ----------
    lower, upper : float
        The limits, in the unit of the quantity (a proportion, 0-1, for rates).
    ci_prob : float
        The level, 0-1: posterior probability or nominal coverage.
    kind : str
        How the interval was made: ``"eti"``, ``"hdi"``, or the name of a frequentist
        method such as ``"wilson"``.
    """

    lower: float
    upper: float
    ci_prob: float
    kind: str

    def __iter__(self) -> Iterator[float]:
        yield self.lower
        yield self.upper

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> float:
        return (self.lower, self.upper)[index]

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    @property
    def width(self) -> float:
        """Upper limit minus lower limit."""
        return self.upper - self.lower
