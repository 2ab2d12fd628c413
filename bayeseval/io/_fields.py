"""Single fields of harness records: scores, flags and texts as harnesses write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bayeseval.errors import FormatError, InputError
from bayeseval.io._options import Options
from bayeseval.rollouts._tally import short

__all__ = [
    "columns_of",
    "flag",
    "position",
    "refuse_options",
    "score_of",
    "spread_of",
    "version_text",
]

# Fields become columns: names without end times records without end would fill the memory.
_MOST_COLUMNS = 100
_RESERVED = ("system", "task", "rollout")
_LONGEST_VERSION = 100


def score_of(value: Any) -> float | None:
    """Return a score as a number; None where there is none, or none that is finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def flag(value: Any, field: str, place: str) -> bool | None:
    """Return a verdict: a JSON true or false, or 1 or 0; None where it is null or NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    raise FormatError(f"{place}: {field} is {short(value)}; it must be true or false")


def position(what: str) -> Callable[[int], str]:
    """Return a function that names a record by its position, from 1: ``case 3``."""
    return lambda at: f"{what} {at + 1:,}"


def refuse_options(options: Options, title: str, *unused: str, instead: str = "") -> None:
    """Raise where the caller chose by an option that the format does not have."""
    for option in unused:
        value = getattr(options, option)
        if value is not None:
            hint = f"; {instead}" if instead else ""
            raise InputError(
                f"{option} = {value!r} (--{option}) was asked for, but {title} has no "
                f"{option}s{hint}"
            )


def spread_of(scores: Sequence[float | None]) -> str:
    """Return the range of scores for a message: ``1 to 5``."""
    known = [score for score in scores if score is not None]
    return f"{min(known):g} to {max(known):g}" if known else "none"


def version_text(*parts: tuple[str, Any]) -> str | None:
    """Join what a file says of its versions, each with its name: ``schema_version 2``."""
    said = [
        f"{name} {value if str(value).isprintable() else short(value)}"
        for name, value in parts
        if type(value) in (str, int, float) and 0 < len(str(value)) <= _LONGEST_VERSION
    ]
    return ", ".join(said) or None


def columns_of(
    records: Sequence[Mapping[str, Any]], kind: str
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return further fields of records as columns, and a note on those that are too many.

    A field called as something that the suite has itself is named by its kind before it:
    ``vars.system``. Names that begin with an underscore are internal to the harness.
    """
    names = [
        name
        for name in dict.fromkeys(name for record in records for name in record)
        if name and not name.startswith("_")
    ]
    columns = {
        f"{kind}.{name}" if name in _RESERVED else name: [record.get(name) for record in records]
        for name in names[:_MOST_COLUMNS]
    }
    if len(names) <= _MOST_COLUMNS:
        return columns, []
    return columns, [
        f"only the first {_MOST_COLUMNS} of {len(names):,} further fields ({kind}) are used"
    ]
