"""All counts of a task in one sum: engines are charged by the aggregate.

A record is one number, whose binary places are fields: whether it passed, whether it was
scored, which attempt it is, and that it is one. Fields of the sum do not run over as long as
a task has few records, and the last field, their number, tells whether that was so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from bayeseval.io._coding import Outcomes

__all__ = ["HIGHEST_BIT", "MOST_PACKED", "Packing", "Unpacked"]

Counts = npt.NDArray[np.int64]
# The power of 2 that is shared by attempts without a number of their own. So many times as
# many attempts as a task can have is still a whole number for a float.
HIGHEST_BIT = 40
# How many attempts have a place of their own in a packed number.
MOST_PACKED = 16
# A record that has no place in a field: far more than a task may have records.
_TOO_MANY = 1e15


@dataclass(frozen=True, slots=True, eq=False)
class Unpacked:
    """Counts of each task: its passes, scored records and records, and the sum of `bit`."""

    passes: Counts
    scored: Counts
    n: Counts
    bits: Counts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """Fields of one number.

    Parameters
    ----------
    has_bits : bool
        Whether the number of the attempt is a field.
    """

    has_bits: bool

    @property
    def _width(self) -> int:
        # A whole number of 53 places is exact as a float, which every engine sums up.
        return 5 if self.has_bits else 17

    @property
    def _last(self) -> int:
        """Where the number of records begins; the fields before it are full at `2**_width`."""
        return 3 * self._width + MOST_PACKED - 1 if self.has_bits else 2 * self._width

    def expression(self, outcome: Outcomes, bit: nw.Expr | None) -> nw.Expr:
        """Return the number of a record."""
        one, scored = float(2**self._last), 2.0**self._width
        if outcome.flag is not None:
            packed = (outcome.flag.cast(nw.Float64) + nw.lit(one + scored)).fill_null(one)
        else:
            failed = nw.when(outcome.scored).then(nw.lit(one + scored)).otherwise(nw.lit(one))
            # A pass is scored too.
            packed = nw.when(outcome.passed).then(nw.lit(one + scored + 1)).otherwise(failed)
        if bit is None:
            return packed
        # Products and sums: engines take longer to choose between two values.
        has_no_place = (bit >= 2.0**MOST_PACKED).cast(nw.Float64)
        return packed + bit * nw.lit(float(4**self._width)) + has_no_place * nw.lit(_TOO_MANY)

    def unpacked(self, total: npt.NDArray[Any]) -> Unpacked | None:
        """Return the counts in the sums of the tasks; None where a field has run over."""
        limit = 2**self._width
        if float(total.max(initial=0.0)) >= limit * 2.0**self._last:
            return None
        whole = total.astype(np.int64)
        return Unpacked(
            passes=whole & (limit - 1),
            scored=(whole >> self._width) & (limit - 1),
            n=whole >> self._last,
            bits=(whole >> (2 * self._width)) & (2 ** (self._last - 2 * self._width) - 1)
            if self.has_bits
            else None,
        )
