"""Which columns of a long table are what, by their names and values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import nearest_names
from bayeseval.errors import FormatError, InputError
from bayeseval.io import _columns as known
from bayeseval.io._columns import matching, names
from bayeseval.io._options import Options
from bayeseval.io._parse import Table
from bayeseval.rollouts._tally import outcome_codes, short

__all__ = ["LongLayout", "long_layout", "no_column", "one_column", "outcomes", "scores", "task_ids"]


@dataclass(frozen=True, slots=True)
class LongLayout:
    """The columns of a table with one row for each rollout.

    Parameters
    ----------
    task, outcome : str
        The task, and its outcome or score.
    systems, rollouts, errored : tuple of str
        What was under test, the attempt, and whether it broke; each may be none or several.
    others : tuple of str
        Further columns, which may be factors.
    """

    task: str
    outcome: str
    systems: tuple[str, ...]
    rollouts: tuple[str, ...]
    errored: tuple[str, ...]
    others: tuple[str, ...]


def long_layout(table: Table, options: Options) -> LongLayout:
    """Find the columns of a table, or of its first rows."""
    task = one_column(table, known.TASK + known.WEAK_TASK, "task")
    outcome = _outcome_column(table, options)
    systems = tuple(matching(table.columns, known.SYSTEM))
    rollouts = tuple(matching(table.columns, known.ROLLOUT))
    errored = tuple(matching(table.columns, known.ERRORED))
    used = {task, outcome, *systems, *rollouts, *errored}
    others = tuple(name for name in table.columns if name not in used)
    return LongLayout(task, outcome, systems, rollouts, errored, others)


def one_column(table: Table, usual: tuple[str, ...], what: str) -> str:
    """Return the column that is called as usual, the most usual one of several."""
    found = matching(table.columns, usual)
    if not found:
        raise no_column(table, usual, what)
    return found[0]


def no_column(table: Table, usual: tuple[str, ...], what: str) -> FormatError:
    """Return the error that says which columns there are instead."""
    present = ", ".join(map(short, list(table.columns)[:12]))
    return FormatError(
        f"no column names the {what} (looked for {names(usual)}, ...); the columns are "
        f"{present}; rename the right one to {usual[0]!r}"
    )


def task_ids(table: Table, column: str) -> list[int | str]:
    values = table.columns[column]
    for at, value in enumerate(values):
        if type(value) not in (int, str) or value == "":
            found = "empty" if value == "" or value is None else short(value)
            raise FormatError(
                f"{table.place(at)}: the task in column {column!r} is {found}; "
                f"it must be a text or a whole number"
            )
    return values


def _outcome_column(table: Table, options: Options) -> str:
    if options.metric is not None:
        if options.metric not in table.columns:
            listed = ", ".join(map(short, list(table.columns)[:20]))
            raise InputError(
                f"metric = {options.metric!r} (--metric) is no column"
                f"{nearest_names(options.metric, table.columns)}; the columns are {listed}"
            )
        return options.metric
    strong = matching(table.columns, known.OUTCOME)
    weak = matching(table.columns, known.WEAK_OUTCOME)
    if not strong + weak:
        raise no_column(table, known.OUTCOME, "outcome")
    if options.pass_if is not None:
        scored = [name for name in (*weak, *strong) if _holds_numbers(table.columns[name])]
        if not scored:
            raise InputError(
                f"pass_if= (--pass-if) decides which scores pass, but column "
                f"{(strong + weak)[0]!r} holds no numbers"
            )
        return scored[0]
    if not strong:
        readable = [name for name in weak if _is_outcome_column(table, name)]
        return readable[0] if readable else weak[0]
    return strong[0]


def outcomes(table: Table, layout: LongLayout, *, chosen: bool) -> npt.NDArray[np.int8]:
    """Return the outcome of each row; where several columns could say it, they must agree.

    Unless the caller has `chosen` one of them.
    """
    codes = _codes(table, layout.outcome)
    strong = matching(table.columns, known.OUTCOME)
    if chosen or layout.outcome not in strong:
        return codes
    for other in strong:
        if other != layout.outcome and _is_outcome_column(table, other):
            differ = _codes(table, other) != codes
            if differ.any():
                raise InputError(
                    f"the columns {layout.outcome!r} and {other!r} could both be the outcome, and "
                    f"they differ at {table.place(int(np.argmax(differ)))}; choose one with "
                    f"metric= (--metric), or rename one of them"
                )
    return codes


def scores(table: Table, column: str) -> tuple[npt.NDArray[np.int8], list[float | None]]:
    """Return the score of each row, and what became of the rows that have none."""
    codes = np.zeros(len(table.numbers), dtype=np.int8)
    found: list[float | None] = []
    for at, value in enumerate(table.columns[column]):
        number = _number(value)
        found.append(number)
        if number is None:
            # A word is an outcome by itself; no bar decides on it.
            codes[at] = outcome_codes([value], f"column {column!r}", _always(table.place(at)))[0]
    return codes, found


def _always(place: str) -> Callable[[int], str]:
    return lambda _: place


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _holds_numbers(values: list[Any]) -> bool:
    return any(_number(value) is not None for value in values)


def _is_outcome(value: Any) -> bool:
    try:
        outcome_codes([value], "value")
    except InputError:
        return False
    return True


def _is_outcome_column(table: Table, column: str) -> bool:
    try:
        outcome_codes(table.columns[column], column)
    except InputError:
        return False
    return True


def _codes(table: Table, column: str) -> npt.NDArray[np.int8]:
    try:
        return outcome_codes(table.columns[column], f"column {column!r}", table.place)
    except InputError:
        _refuse_scores(table, column)
        raise


def _refuse_scores(table: Table, column: str) -> None:
    """Raise a helpful error where a column holds numbers that are no outcomes."""
    numbers: list[float] = []
    first: int | None = None
    for at, value in enumerate(table.columns[column]):
        number = _number(value)
        if number is not None:
            numbers.append(number)
        if first is None and not _is_outcome(value):
            if number is None:
                return
            first = at
    if first is None:
        return
    raise InputError(
        f"column {column!r} holds scores, not outcomes: {len(set(numbers))} different numbers "
        f"from {min(numbers):g} to {max(numbers):g}, such as "
        f"{short(table.columns[column][first])} at {table.place(first)}; say which "
        f"scores pass with pass_if= (--pass-if), such as '>= {max(numbers):g}', or add a column "
        f"'passed'"
    )
