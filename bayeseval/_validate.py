"""Validation at the door: each function returns a clean value or raises InputError.

Messages name the argument, the rule and what came.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from bayeseval.errors import InputError

__all__ = [
    "IntervalKind",
    "Population",
    "Seed",
    "as_counts",
    "as_generator",
    "as_number",
    "as_positive",
    "as_probability",
    "as_whole",
    "nearest_names",
    "one_of",
]

IntervalKind = Literal["eti", "hdi"]
Population = Literal["new_tasks", "suite", "next_run"]
Seed = int | np.random.Generator | None

# Beyond any suite, and small enough that sums of counts stay exact.
LARGEST_COUNT = 10**15


def nearest_names(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` where a known name is close to `name`, else nothing."""
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def one_of(value: str, choices: Any, argument: str) -> Any:
    """Check `value` against a `Literal` type or a list of names; compared exactly."""
    names = list(get_args(choices) or choices)
    if value not in names:
        listed = ", ".join(repr(name) for name in names)
        raise InputError(
            f"{argument} must be one of {listed}; got {value!r}{nearest_names(value, names)}"
        )
    return value


def as_number(value: Any, argument: str) -> float:
    """Return a finite real number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{argument} must be a number; got {value!r}") from None
    except OverflowError:
        raise InputError(f"{argument} is too large; got a number above 1e308") from None
    if not np.isfinite(number):
        raise InputError(f"{argument} must be a finite number; got {value!r}")
    return number


def as_positive(value: Any, argument: str) -> float:
    """Return a finite number above 0."""
    number = as_number(value, argument)
    if number <= 0:
        raise InputError(f"{argument} must be above 0; got {value!r}")
    return number


def as_probability(value: Any, argument: str, *, open_ends: bool = False) -> float:
    """Return a probability in [0, 1], or in (0, 1) with `open_ends`."""
    number = as_number(value, argument)
    inside = 0 < number < 1 if open_ends else 0 <= number <= 1
    if not inside:
        rule = "strictly between 0 and 1" if open_ends else "between 0 and 1"
        hint = " (a percentage? divide it by 100)" if 1 < number <= 100 else ""
        raise InputError(f"{argument} must be {rule}; got {value!r}{hint}")
    return number


def as_whole(value: Any, argument: str, *, minimum: int = 0) -> int:
    """Return a whole number of at least `minimum`."""
    number = as_number(value, argument)
    if number != int(number) or isinstance(value, bool | np.bool_):
        raise InputError(f"{argument} must be a whole number; got {value!r}")
    if number < minimum:
        raise InputError(f"{argument} must be at least {minimum}; got {value!r}")
    return int(number) if isinstance(value, str) else int(value)


def as_counts(values: Any, argument: str) -> npt.NDArray[np.int64]:
    """Return a one-dimensional array of whole numbers of at least 0, read-only."""
    try:
        raw = np.atleast_1d(np.asarray(values))
        array = raw.astype(float) if raw.dtype.kind not in "iu" else raw
    except (TypeError, ValueError):
        raise InputError(f"{argument} must hold whole numbers; got {values!r}") from None
    if array.ndim != 1:
        raise InputError(f"{argument} must be one-dimensional; got shape {array.shape}")
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array) | (array != np.floor(array))
        if bad.any():
            at = int(np.argmax(bad))
            raise InputError(
                f"{argument} must hold whole numbers; got {array[at].item()!r} at position {at}"
            )
    if (array < 0).any():
        at = int(np.argmax(array < 0))
        raise InputError(f"{argument} must not be negative; got {array[at]} at position {at}")
    if (array > LARGEST_COUNT).any():
        at = int(np.argmax(array > LARGEST_COUNT))
        raise InputError(f"{argument} is too large for a count; got {array[at]} at position {at}")
    counts = array.astype(np.int64)
    counts.setflags(write=False)
    return counts


def as_generator(rng: Seed) -> np.random.Generator:
    """Return a NumPy generator from a seed, a generator or None."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None:
        return np.random.default_rng()
    return np.random.default_rng(as_whole(rng, "rng"))
