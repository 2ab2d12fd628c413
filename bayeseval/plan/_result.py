"""What every plan shares: one line of text, HTML, and a plain dictionary."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from bayeseval.conjugate import BetaPrior, MixturePrior
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.unknown import Unknown

__all__ = ["Plan", "as_fraction", "level_text", "rate_text", "tasks_text"]


class Plan(ABC):
    """A plan: what was asked, what answers it, and one sentence that says both."""

    __slots__ = ()

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The plan in one line."""

    def to_dict(self) -> dict[str, Any]:
        """Return every field as plain values; `Unknown` as ``{"unknown": reason}``."""
        return {**_plain_fields(self), "sentence": self.sentence}

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<div>{html.escape(self.sentence)}</div>"


def _plain_fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, Unknown):
        return {"unknown": value.reason}
    if isinstance(value, BetaPrior | MixturePrior | HierarchicalPrior):
        return value.formula if isinstance(value, HierarchicalPrior) else str(value)
    if is_dataclass(value):
        return _plain_fields(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def as_fraction(number: float) -> Fraction:
    """Return the decimal that was written: 0.8 is 4/5, and 0.8 of 245 tasks are 196."""
    return Fraction(repr(float(number)))


def rate_text(rate: float) -> str:
    """Return a rate with the digits that it was written with, up to six away from 0 and 1."""
    return f"{100 * rate:.{6 if 1e-4 < rate < 0.9999 else 12}g} %"


def level_text(level: float) -> str:
    """Return a level or confidence as people write it: ``95 %``."""
    return f"{100 * level:.10g} %"


def tasks_text(count: int) -> str:
    """Return a number of tasks in words: ``1 task``, ``1,000 tasks``."""
    return f"{count:,} task" if count == 1 else f"{count:,} tasks"
