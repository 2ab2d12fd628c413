"""From single rollouts to counts: outcomes, ids and duplicates, on plain arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from bayeseval._validate import shown
from bayeseval.errors import InputError

__all__ = [
    "Outcome",
    "Tally",
    "Varying",
    "as_list",
    "factor_per_task",
    "factorise",
    "first_varying",
    "id_array",
    "is_blank",
    "outcome_codes",
    "short",
    "spellings",
    "tally",
    "value_array",
]

Codes = npt.NDArray[np.int64]
Place = Callable[[int], str]


class Outcome(IntEnum):
    """What became of one rollout."""

    FAIL = 0
    PASS = 1
    ERRORED = 2
    MISSING = 3


_SPELLINGS: dict[str, Outcome] = {
    **dict.fromkeys(
        ("true", "yes", "1", "1.0", "pass", "passed", "success", "correct", "resolved"),
        Outcome.PASS,
    ),
    **dict.fromkeys(
        ("false", "no", "0", "0.0", "fail", "failed", "failure", "incorrect", "unresolved"),
        Outcome.FAIL,
    ),
    **dict.fromkeys(("error", "errored"), Outcome.ERRORED),
    **dict.fromkeys(("", "null", "none", "nan", "na", "n/a"), Outcome.MISSING),
}
# Other ways to write 1 and 0: ``1.00``.
_WHOLE = re.compile(r"\+?0*[01](\.0*)?|\+?0*\.0+")
SPELLINGS_HELP = "true/false, yes/no, 1/0, pass/fail, passed/failed, error, or empty where missing"


def spellings(outcome: Outcome) -> tuple[str, ...]:
    """Return the usual ways to write an outcome, in lower case."""
    return tuple(text for text, code in _SPELLINGS.items() if code == outcome)


def is_blank(value: Any) -> bool:
    """Whether a value means that there is none: None, NaN, and pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


class _OutcomeTable(dict[Any, int]):
    """Outcome code of each value met so far; an unknown value raises InputError."""

    def __missing__(self, value: Any) -> int:
        if is_blank(value):
            return int(Outcome.MISSING)
        code: int | None = None
        if isinstance(value, str):
            code = _SPELLINGS.get(value.strip().lower())
            if code is None and _WHOLE.fullmatch(value.strip()):
                code = int(float(value))
        elif isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
            code = int(value) if value in (0, 1) else None
        if code is None:
            raise InputError(f"{value!r} is not an outcome")
        self[value] = int(code)
        return int(code)


def as_list(values: Iterable[Any], argument: str) -> list[Any]:
    """Return plain Python values: NumPy scalars become int, float, bool or str."""
    if isinstance(values, str | bytes):
        raise InputError(f"{argument} must be a sequence; got the single text {shown(values)}")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InputError(f"{argument} must be one-dimensional; got shape {values.shape}")
    if isinstance(values, list):
        plain = values
    else:
        tolist = getattr(values, "tolist", None) or getattr(values, "to_list", None)
        try:
            plain = tolist() if tolist is not None else list(values)
        except TypeError:
            raise InputError(f"{argument} must be a sequence; got {shown(values)}") from None
        if not isinstance(plain, list):
            plain = [plain]
    if any(issubclass(kind, np.generic) for kind in set(map(type, plain))):
        return [value.item() if isinstance(value, np.generic) else value for value in plain]
    return plain


def outcome_codes(
    values: Iterable[Any], argument: str, place: Place | None = None
) -> npt.NDArray[np.int8]:
    """Return the outcome code of each value; `place` names the record of a wrong one."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        known = (values == 0) | (values == 1)
        blank = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
        if (known | blank).all():
            return np.where(blank, np.int8(Outcome.MISSING), values == 1).astype(np.int8)
    plain = as_list(values, argument)
    table = _OutcomeTable()
    try:
        return np.fromiter(map(table.__getitem__, plain), np.int8, len(plain))
    except (InputError, TypeError):
        _refuse_outcome(plain, argument, place or "position {}".format)
    except ValueError:
        raise InputError(f"{argument} changed its length while it was read") from None


def _refuse_outcome(values: Sequence[Any], argument: str, place: Place) -> NoReturn:
    table = _OutcomeTable()
    at, value = next(
        (at, value) for at, value in enumerate(values) if not _is_outcome(table, value)
    )
    raise InputError(
        f"{argument} holds {short(value)} at {place(at)}, which is no outcome; "
        f"write {SPELLINGS_HELP}"
    )


def _is_outcome(table: _OutcomeTable, value: Any) -> bool:
    try:
        table[value]
    except (InputError, TypeError):
        return False
    return True


def short(value: Any, width: int = 60) -> str:
    """`repr` of a value, cut so that a message stays on one line."""
    text = shown(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= width else text[: width - 3] + "..."


def id_array(values: Iterable[Any] | None, argument: str, n: int | None = None) -> npt.NDArray[Any]:
    """Return task ids: int64 where all are whole numbers, else an object array.

    Whole numbers and texts stay apart (``8`` is not ``"8"``); anything else is an error.
    """
    if values is None:
        return np.arange(n or 0)
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "i":
        return values.astype(np.int64)
    plain = as_list(values, argument)
    kinds = set(map(type, plain))
    if kinds == {str} and isinstance(values, np.ndarray) and values.dtype == object:
        return values.copy()
    if kinds - {int, str}:
        at = next(at for at, value in enumerate(plain) if type(value) not in (int, str))
        raise InputError(
            f"{argument} must hold texts or whole numbers; got {short(plain[at])} at position {at}"
        )
    if kinds == {int}:
        try:
            return np.array(plain, dtype=np.int64)
        except OverflowError:
            pass
    return _objects(plain)


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def value_array(values: Iterable[Any], argument: str) -> npt.NDArray[Any]:
    """Return factor values as an object array; blanks become None."""
    plain = as_list(values, argument)
    kinds = set(map(type, plain))
    if kinds - {int, str, bool}:
        plain = [None if is_blank(value) else value for value in plain]
        for at, value in enumerate(plain):
            if not isinstance(value, str | int | float | bool | None):
                raise InputError(
                    f"{argument} must hold texts, numbers or nothing; "
                    f"got {short(value)} at position {at}"
                )
    return _objects(plain)


def factorise(values: npt.NDArray[Any] | list[Any]) -> tuple[Codes, npt.NDArray[Any]]:
    """Return the code of each value and the levels, in order of first appearance."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        levels, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank[inverse], levels[order]
    plain = values if isinstance(values, list) else values.tolist()
    # True, 1 and 1.0 are one dictionary key, but three different levels of a factor.
    mixed = len(set(map(type, plain))) > 1
    keys = [(type(value), value) for value in plain] if mixed else plain
    lookup = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(lookup.__getitem__, keys), np.int64, len(keys))
    return codes, _objects([key[1] for key in lookup] if mixed else list(lookup))


class Varying(NamedTuple):
    """A task in which a factor has two values."""

    task: Any
    one: Any
    other: Any


def factor_per_task(
    counted: Tally, values: list[Any] | npt.NDArray[Any]
) -> npt.NDArray[Any] | Varying:
    """Return the value of each task, or the first task in which the value varies."""
    if len(counted.kept) < len(values):
        values = [values[at] for at in counted.kept.tolist()]
    level, levels = factorise(values)
    pair = first_varying(counted.task_of_kept, level, len(counted.task))
    if pair is not None:
        task = counted.task[counted.task_of_kept[pair[1]]]
        return Varying(task, *(levels[level[at]] for at in pair))
    column = np.empty(len(counted.task), dtype=object)
    column[counted.task_of_kept] = levels[level]
    return column


def first_varying(task: Codes, level: Codes, n_tasks: int) -> tuple[int, int] | None:
    """Return two records of one task with different levels, or None where no task has any."""
    first = np.zeros(n_tasks, dtype=np.int64)
    # Of repeated indices the last assignment stays: in reverse, each task's first record.
    first[task[::-1]] = np.arange(len(task))[::-1]
    varies = level != level[first[task]]
    if not varies.any():
        return None
    at = int(np.argmax(varies))
    return int(first[task[at]]), at


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts per task, in order of first appearance, and which records were counted.

    Of the records that repeat a (task, rollout), `duplicates` were merged since they agree,
    and `contradictory` were counted as rollouts of their own since they do not.
    """

    task: npt.NDArray[Any]
    passes: Codes
    trials: Codes
    errored: Codes
    missing: Codes
    duplicates: int
    contradictory: int
    kept: Codes
    task_of_kept: Codes


def tally(
    task: npt.NDArray[Any],
    outcome: npt.NDArray[np.int8],
    *,
    rollout: Sequence[Any] | None = None,
    place: Place | None = None,
    keep_contradictory: bool = False,
) -> Tally:
    """Count rollouts per task.

    Records of one (task, rollout) that agree are merged; those that do not are refused, or
    counted as rollouts of their own where `keep_contradictory`.
    """
    codes, ids = factorise(task)
    kept, contradictory = np.arange(len(codes)), 0
    if rollout is not None:
        attempt, first = _attempts(codes, rollout)
        contradicts = outcome != outcome[first][attempt]
        if not contradicts.any():
            kept = np.sort(first)
        elif keep_contradictory:
            several = np.zeros(len(first), dtype=bool)
            several[attempt[contradicts]] = True
            # Two outcomes: the id names several attempts, and each record is one of them.
            once = np.zeros(len(codes), dtype=bool)
            once[first] = True
            kept = np.flatnonzero(once | several[attempt])
            contradictory = len(kept) - len(first)
        else:
            at = int(np.argmax(contradicts))
            before = int(first[attempt[at]])
            where = place or "position {}".format
            raise InputError(
                f"task {short(ids[codes[at]])}, rollout {short(rollout[at])} has two outcomes: "
                f"{Outcome(outcome[before]).name.lower()} at {where(before)} and "
                f"{Outcome(outcome[at]).name.lower()} at {where(at)}; remove the wrong record, "
                f"give each attempt its own rollout id, or count both "
                f'(duplicates="rollouts", --duplicates rollouts)'
            )
    task_of_kept, outcome = codes[kept], outcome[kept]

    def count(*which: Outcome) -> Codes:
        return np.bincount(task_of_kept[np.isin(outcome, which)], minlength=len(ids))

    return Tally(
        task=ids,
        passes=count(Outcome.PASS),
        trials=count(Outcome.PASS, Outcome.FAIL),
        errored=count(Outcome.ERRORED, Outcome.MISSING),
        missing=count(Outcome.MISSING),
        duplicates=len(codes) - len(kept),
        contradictory=contradictory,
        kept=kept,
        task_of_kept=task_of_kept,
    )


def _attempts(codes: Codes, rollout: Sequence[Any]) -> tuple[Codes, Codes]:
    """Return the attempt of each record, and the first record of each attempt."""
    if set(map(type, rollout)) == {int}:
        rollout_codes, levels = factorise(list(rollout))
    else:
        named = [None if is_blank(value) or value == "" else value for value in rollout]
        try:
            rollout_codes, levels = factorise(named)
        except TypeError:
            raise InputError(
                "rollout must hold texts or numbers; got a list or a mapping"
            ) from None
        # A record without a rollout id is an attempt of its own.
        unnamed = np.array([value is None for value in named], dtype=bool)
        rollout_codes[unnamed] = len(levels) + np.arange(int(unnamed.sum()))
    key = codes * (len(levels) + len(codes)) + rollout_codes
    _, first, attempt = np.unique(key, return_index=True, return_inverse=True)
    return attempt, first
