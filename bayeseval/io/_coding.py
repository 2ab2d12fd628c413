"""What the columns of a frame mean: which is what, and what its values say of a rollout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import narwhals as nw
import numpy.typing as npt

from bayeseval.errors import InputError
from bayeseval.io._pass_if import PassIf
from bayeseval.rollouts._tally import SPELLINGS_HELP, Outcome, outcome_codes, short

__all__ = [
    "Layout",
    "Outcomes",
    "Unreadable",
    "flag",
    "is_text",
    "known_spellings",
    "not_outcomes",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which column of a frame holds what.

    Parameters
    ----------
    task, passed : str
        The task, and the outcome or score.
    rollout : str or None
        Id of the attempt within its task.
    errored : str or None
        Whether the attempt broke; its outcome is then not used.
    bit : str or None
        2 to the number of the attempt, as a float, where the engine has it already.
    packed : bool
        Whether to try and count all in one number: for an engine that is charged for each
        aggregate, where tasks are expected to have few rollouts.
    factors : tuple of str
        Columns that are brought back where they are constant within each task.
    pass_if : PassIf or None
        The bar, where `passed` holds scores.
    keep_contradictory : bool
        Whether contradictory records of one attempt are counted as rollouts of their own.
    spellings : tuple of (str, Outcome), or None
        The texts in `passed`, as far as they are known, and what they mean; looked up in
        the frame if None. Python says what a text means, and the engine only compares.
    """

    task: str
    passed: str
    rollout: str | None = None
    errored: str | None = None
    bit: str | None = None
    packed: bool = False
    factors: tuple[str, ...] = ()
    pass_if: PassIf | None = None
    keep_contradictory: bool = False
    spellings: tuple[tuple[str, Outcome], ...] | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Expressions that say what became of a record.

    A pass is scored too; of `scored`, `errored` and `missing` at most one holds. Where one
    column says all, `flag` is that column: a pass, a failure, or null where it is missing.
    """

    passed: nw.Expr
    scored: nw.Expr
    errored: nw.Expr
    missing: nw.Expr
    partial: nw.Expr
    flag: nw.Expr | None = None

    @classmethod
    def of(cls, layout: Layout, dtype: nw.dtypes.DType) -> Outcomes:
        found = cls._unbroken(layout, dtype)
        if layout.errored is None:
            return found
        broke = nw.col(layout.errored)
        return cls(
            found.passed & ~broke,
            found.scored & ~broke,
            found.errored | broke,
            found.missing & ~broke,
            found.partial & ~broke,
        )

    @classmethod
    def _unbroken(cls, layout: Layout, dtype: nw.dtypes.DType) -> Outcomes:
        column = nw.col(layout.passed)
        never = nw.lit(False)
        if isinstance(dtype, nw.Boolean):
            if layout.pass_if is not None:
                raise InputError(
                    f"column {layout.passed!r} holds outcomes, so that pass_if= (--pass-if), "
                    f"which decides on scores, has no use"
                )
            return cls(column, ~column.is_null(), never, column.is_null(), never, column)
        if dtype.is_numeric():
            missing = column.is_null()
            if dtype.is_float():
                missing = missing | column.is_nan()
            if layout.pass_if is not None:
                passed = compared(column, layout.pass_if)
                return cls(passed, ~missing, never, missing, (column > 0) & (column < 1))
            return cls(column == 1, (column == 1) | (column == 0), never, missing, never)
        if not is_text(dtype):
            raise InputError(
                f"column {layout.passed!r} holds values of type {dtype}, which are no outcomes; "
                f"write {SPELLINGS_HELP}"
            )
        if layout.pass_if is not None:
            raise InputError(
                f"column {layout.passed!r} holds texts, and pass_if= (--pass-if) compares numbers"
            )
        text = column.cast(nw.String)

        def one_of(*codes: Outcome) -> nw.Expr:
            texts = [each for each, code in layout.spellings or () if code in codes]
            return reduce(or_, (text == each for each in texts), never)

        return cls(
            one_of(Outcome.PASS),
            one_of(Outcome.PASS, Outcome.FAIL),
            one_of(Outcome.ERRORED),
            column.is_null() | one_of(Outcome.MISSING),
            never,
        )


def compared(column: nw.Expr, pass_if: PassIf) -> nw.Expr:
    compare: dict[str, Callable[[float], nw.Expr]] = {
        ">=": column.__ge__,
        ">": column.__gt__,
        "<=": column.__le__,
        "<": column.__lt__,
        "==": column.__eq__,
    }
    return compare[pass_if.sign](pass_if.bar) & ~column.is_null()


def flag(condition: nw.Expr) -> nw.Expr:
    # Counting what is not null is the cheapest aggregate that every engine has.
    return nw.when(condition).then(nw.lit(1))


def is_text(dtype: nw.dtypes.DType) -> bool:
    return isinstance(dtype, nw.String | nw.Categorical | nw.Enum)


class Unreadable(Exception):
    """Outcomes that the expressions do not know."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        super().__init__()
        self.values = values.tolist()


def known_spellings(values: Iterable[Any], where: str) -> tuple[tuple[str, Outcome], ...]:
    """Return what texts mean as outcomes; one that means nothing is an error."""
    found = []
    for value in dict.fromkeys(value for value in values if isinstance(value, str)):
        code = _code(value)
        if code is None:
            raise InputError(not_outcomes(where, [value]))
        found.append((value, Outcome(code)))
    return tuple(found)


def _code(value: str) -> int | None:
    try:
        return int(outcome_codes([value], "value")[0])
    except InputError:
        return None


def not_outcomes(where: str, values: Sequence[Any]) -> str:
    if all(isinstance(value, int | float) for value in values):
        return (
            f"{where} holds scores, not outcomes, such as {short(values[0])}; say which pass "
            f"with pass_if= (--pass-if)"
        )
    return f"{where} holds {short(values[0])}, which is no outcome; write {SPELLINGS_HELP}"
