"""Validation at the door: each function returns a clean value or raises InputError.

Messages name the argument, the rule and what came.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from bayeseval.errors import InputError

__all__ = [
    "IntervalKind",
    "Population",
    "Seed",
    "as_array",
    "as_counts",
    "as_flag",
    "as_generator",
    "as_items",
    "as_kind",
    "as_mapping",
    "as_number",
    "as_path",
    "as_positive",
    "as_probability",
    "as_reals",
    "as_sample_size",
    "as_text",
    "as_whole",
    "nearest_names",
    "one_of",
    "shown",
]

IntervalKind = Literal["eti", "hdi"]
Population = Literal["new_tasks", "suite", "next_run"]
Seed = int | np.random.Generator | None

# Beyond any suite, and small enough that sums of counts stay exact.
LARGEST_COUNT = 10**15
# Draws at once: 0.8 GB of them.
LARGEST_SAMPLE = 10**8
# Characters of a wrong value that a message repeats.
LONGEST_SHOWN = 200
# Bytes of a path that any system opens.
LONGEST_PATH = 4096


def shown(value: Any) -> str:
    """What came, for a message: its `repr`, cut where it is long, whatever it is."""
    try:
        text = repr(value)
    except Exception:  # of an object that cannot be printed, or a number of too many digits
        text = f"<{type(value).__name__}>"
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[: LONGEST_SHOWN - 40]} ... {text[-20:]}"


def nearest_names(name: Any, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` where a known name is close to `name`, else nothing."""
    if not isinstance(name, str) or len(name) > LONGEST_SHOWN:
        return ""
    close = difflib.get_close_matches(name, [str(each) for each in known], n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def one_of(value: Any, choices: Any, argument: str) -> Any:
    """Check `value` against a `Literal` type or a list of names; compared exactly."""
    names = list(get_args(choices) or choices)
    if not isinstance(value, str) or value not in names:
        listed = ", ".join(repr(name) for name in names)
        raise InputError(
            f"{argument} must be one of {listed}; got {shown(value)}{nearest_names(value, names)}"
        )
    return value


def as_kind[Kind](value: Any, kind: type[Kind], argument: str, *, hint: str = "") -> Kind:
    """Return an object of a class, such as a `Rollouts`; `hint` says where one comes from."""
    if not isinstance(value, kind):
        name = kind.__name__
        article = "an" if name[0] in "AEIOU" else "a"
        came = type(value).__name__
        if isinstance(value, type):
            came = value.__name__
        elif isinstance(value, str | int | float):
            came = shown(value)
        raise InputError(f"{argument} must be {article} {name}{hint and f', {hint}'}; got {came}")
    return value


def as_flag(value: Any, argument: str) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{argument} must be True or False; got {shown(value)}")
    return bool(value)


def as_text(value: Any, argument: str) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise InputError(f"{argument} must be a text; got {shown(value)}")
    return value


def as_path(value: Any, argument: str) -> str:
    """Return the name of a file or folder."""
    try:
        name = os.fspath(value)
        if isinstance(name, str) and "\0" not in name and len(os.fsencode(name)) < LONGEST_PATH:
            return name
    except (TypeError, ValueError):
        pass
    raise InputError(f"{argument} must be the name of a file; got {shown(value)}")


def as_items(values: Any, argument: str, *, of: str) -> tuple[Any, ...]:
    """Return the items of a list, an array or any other iterable; `of` says what it holds."""
    if isinstance(values, str | bytes | bytearray | memoryview | Mapping):
        raise InputError(f"{argument} must hold {of}; got {shown(values)}")
    try:
        return tuple(values)
    except TypeError:
        raise InputError(f"{argument} must hold {of}; got {shown(values)}") from None


def as_mapping(values: Any, argument: str, *, of: str) -> dict[Any, Any]:
    """Return what maps names to values; `of` says to what."""
    if not isinstance(values, Mapping):
        raise InputError(f"{argument} must map names to {of}; got {shown(values)}")
    return dict(values)


def as_array(values: Any, argument: str) -> npt.NDArray[np.float64]:
    """Return real numbers of any shape, none of them NaN."""
    array = as_reals(values, argument)
    if np.any(np.isnan(array)):
        raise InputError(f"{argument} must not be NaN; got {shown(values)}")
    return array


def as_reals(values: Any, argument: str) -> npt.NDArray[np.float64]:
    """Return real numbers of any shape, NaN and infinities among them."""
    try:
        with np.errstate(over="ignore"):
            return _real(values).astype(float)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise InputError(f"{argument} must be a number or an array; got {shown(values)}") from None


def _real(values: Any) -> npt.NDArray[Any]:
    """Return an array of real numbers, or raise TypeError where the values are none.

    Converted as they are, complex numbers would lose a part, masked values their mask, and
    dates their meaning.
    """
    array: npt.NDArray[Any] = np.asarray(values)
    # Looked up, since loading it costs time, and nobody holds masked values without it.
    masked = sys.modules.get("numpy.ma")
    if array.dtype.kind not in "biufUO" or (masked is not None and masked.is_masked(values)):
        raise TypeError
    return array


def as_number(value: Any, argument: str) -> float:
    """Return a finite real number."""
    try:
        if isinstance(value, np.ndarray | np.generic) and _real(value).ndim:
            raise TypeError
        # Bytes are read by `float` like text.
        if isinstance(value, bytes | bytearray | memoryview):
            raise TypeError
        number = float(value)
    except OverflowError:
        raise InputError(f"{argument} is too large; got a number above 1e308") from None
    except (TypeError, ValueError):
        raise InputError(f"{argument} must be a number; got {shown(value)}") from None
    if not np.isfinite(number):
        raise InputError(f"{argument} must be a finite number; got {shown(value)}")
    return number


def as_positive(value: Any, argument: str) -> float:
    """Return a finite number above 0."""
    number = as_number(value, argument)
    if number <= 0:
        raise InputError(f"{argument} must be above 0; got {shown(value)}")
    return number


def as_probability(value: Any, argument: str, *, open_ends: bool = False) -> float:
    """Return a probability in [0, 1], or in (0, 1) with `open_ends`."""
    number = as_number(value, argument)
    inside = 0 < number < 1 if open_ends else 0 <= number <= 1
    if not inside:
        rule = "strictly between 0 and 1" if open_ends else "between 0 and 1"
        hint = " (a percentage? divide it by 100)" if 1 < number <= 100 else ""
        raise InputError(f"{argument} must be {rule}; got {shown(value)}{hint}")
    return number


def as_whole(
    value: Any, argument: str, *, minimum: int = 0, maximum: int | None = LARGEST_COUNT
) -> int:
    """Return a whole number of at least `minimum` and at most `maximum`."""
    number = as_number(value, argument)
    if number != int(number) or np.asarray(value).dtype == np.bool_:
        raise InputError(f"{argument} must be a whole number; got {shown(value)}")
    if number < minimum:
        raise InputError(f"{argument} must be at least {minimum}; got {shown(value)}")
    whole = int(number) if isinstance(value, str) else int(value)
    if maximum is not None and whole > maximum:
        rule = (
            "is too large for a count"
            if maximum == LARGEST_COUNT
            else f"must be at most {maximum:,}"
        )
        raise InputError(f"{argument} {rule}; got {shown(value)}")
    return whole


def as_sample_size(value: Any) -> int:
    """Return a number of draws that memory can hold."""
    return as_whole(value, "size", minimum=1, maximum=LARGEST_SAMPLE)


def as_counts(values: Any, argument: str) -> npt.NDArray[np.int64]:
    """Return a one-dimensional array of whole numbers of at least 0, read-only."""
    try:
        raw = np.atleast_1d(_real(values))
        with np.errstate(over="ignore"):
            array = raw.astype(float) if raw.dtype.kind not in "iu" else raw
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise InputError(f"{argument} must hold whole numbers; got {shown(values)}") from None
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
    return np.random.default_rng(as_whole(rng, "rng", maximum=None))
