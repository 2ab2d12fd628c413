"""Smallest whole numbers: a first guess, and a search that ends with a proof or an error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from bayeseval.errors import InputError

__all__ = ["MOST_TASKS", "first_true", "from_which_on"]

Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Beyond any suite; counts up to here are exact in double precision.
MOST_TASKS = 10**12

GRID = 512


def first_true(holds: Callable[[int], bool], *, start: int = 1, mend: str) -> int:
    """Smallest n of at least `start` where a condition holds that stays true once it is.

    Parameters
    ----------
    holds : callable
        False up to some n, and true from there on.
    start : int, default 1
        Where to begin.
    mend : str
        What to do where no n up to 10^12 is enough; the text of the error.
    """
    if holds(start):
        return start
    low, high = start, 2 * start + 1
    while not holds(high):
        low, high = high, 2 * high
        if high > MOST_TASKS:
            raise InputError(f"more than {MOST_TASKS:,} tasks would be needed: {mend}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def from_which_on(holds: Callable[[Whole], Flags], *, guess: float, mend: str) -> int:
    """Smallest n from which on a condition holds that may hold, fail, and hold for good.

    Parameters
    ----------
    holds : callable
        Takes an array of whole numbers of at least 1, and returns where the condition holds.
    guess : float
        Where it is about to hold for good.
    mend : str
        What to do where no n up to 10^12 is enough.
    """
    high = max(int(guess), 1)
    while not holds(np.array([high, 2 * high, 4 * high])).all():
        high *= 2
        if high > MOST_TASKS:
            raise InputError(f"more than {MOST_TASKS:,} tasks would be needed: {mend}")
    grid = np.unique(np.geomspace(1, high, GRID).astype(np.int64))
    failing = np.flatnonzero(~holds(grid))
    if failing.size == 0:
        return 1
    low, high = int(grid[failing[-1]]), int(grid[failing[-1] + 1])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(np.array([middle]))[0] else (middle, high)
    return high
