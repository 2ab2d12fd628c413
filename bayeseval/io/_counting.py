"""Counting rollouts inside an engine: one group-by, and only counts per task come back.

Written once, in narwhals, for every engine: frames of users, and files through DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from bayeseval.errors import InputError
from bayeseval.io._collect import collected
from bayeseval.io._pass_if import PassIf
from bayeseval.rollouts._tally import SPELLINGS_HELP, Outcome, outcome_codes, short
from bayeseval.rollouts._text import plural

__all__ = ["Counted", "Layout", "count", "count_or_refuse", "counted_notes", "known_spellings"]

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
# 2**40 times as many attempts as a task can have is still a whole number for a float.
_HIGHEST_BIT = 40
_MOST_LEVELS = 1_000
_FACTOR_STATS = ("low", "high", "known")


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
    factors: tuple[str, ...] = ()
    pass_if: PassIf | None = None
    keep_contradictory: bool = False
    spellings: tuple[tuple[str, Outcome], ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Counts per task, sorted by task; a task of None holds records that name none.

    Parameters
    ----------
    task : ndarray
        Ids as the engine has them.
    passes, trials, errored, missing : ndarray of int64
        As in `Rollouts`.
    duplicates, contradictory : int
        As in `Tally`.
    partial : int
        Scores strictly between 0 and 1.
    factors : dict of str to ndarray, or to (task, low, high)
        Values per task, or a task in which the value varies.
    """

    task: npt.NDArray[Any]
    passes: npt.NDArray[np.int64]
    trials: npt.NDArray[np.int64]
    errored: npt.NDArray[np.int64]
    missing: npt.NDArray[np.int64]
    duplicates: int
    contradictory: int
    partial: int
    factors: dict[str, npt.NDArray[Any] | tuple[Any, Any, Any]]

    def head(self, n: int) -> Counted:
        """Return the first tasks."""
        return replace(
            self,
            task=self.task[:n],
            passes=self.passes[:n],
            trials=self.trials[:n],
            errored=self.errored[:n],
            missing=self.missing[:n],
            factors={
                name: values if isinstance(values, tuple) else values[:n]
                for name, values in self.factors.items()
            },
        )


def count(frame: Frame, layout: Layout) -> Counted:
    """Count the rollouts of each task in the frame's own engine."""
    schema = frame.collect_schema()
    is_flag = isinstance(schema[layout.passed], nw.Boolean) and layout.errored is None
    outcome = _Outcomes.of(layout, schema[layout.passed])
    bit = _bit(frame, layout, schema)
    columns = {
        "task": nw.col(layout.task),
        # One column says both where outcomes are flags: its sum, and how many are not null.
        "p": nw.col(layout.passed).cast(nw.Int32) if is_flag else _flag(outcome.passed),
        "s": None if is_flag else _flag(outcome.scored),
        "bit": bit,
        "partial": None if layout.pass_if is None else _flag(outcome.partial),
    }
    for at, name in enumerate(layout.factors):
        columns[f"f{at}"] = _comparable(name, schema[name])
    coded = frame.select(**{name: each for name, each in columns.items() if each is not None})
    passed = nw.col("p").sum() if is_flag else nw.col("p").count()
    scored = nw.col("p").count().alias("s") if is_flag else nw.col("s").count()
    aggregates = [passed, scored, nw.len().alias("n")]
    if bit is not None:
        aggregates.append(nw.col("bit").sum())
    if layout.pass_if is not None:
        aggregates.append(nw.col("partial").count())
    for at in range(len(layout.factors)):
        column = nw.col(f"f{at}")
        stats = (column.min(), column.max(), column.count())
        aggregates += [
            each.alias(f"f{at}_{stat}") for each, stat in zip(stats, _FACTOR_STATS, strict=True)
        ]
    found = _grouped(coded, "task", aggregates, text=_is_text(schema[layout.task]))
    n = found["n"].astype(np.int64)
    passes, trials = found["p"].astype(np.int64), found["s"].astype(np.int64)
    lost = n - trials
    errored, missing = lost, lost
    if lost.any():
        errored, missing = _lost(frame, layout, outcome, found["task"], lost)
    counted = Counted(
        task=found["task"],
        passes=passes,
        trials=trials,
        errored=errored,
        missing=missing,
        duplicates=0,
        contradictory=0,
        partial=int(found["partial"].sum()) if layout.pass_if is not None else 0,
        factors={name: _factor(found, at, schema[name]) for at, name in enumerate(layout.factors)},
    )
    if layout.rollout is None or (bit is not None and _all_distinct(found["bit"], n)):
        return counted
    return _merged(frame, layout, outcome, counted)


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """Expressions that say what became of a record.

    A pass is scored too; of `scored`, `errored` and `missing` at most one holds.
    """

    passed: nw.Expr
    scored: nw.Expr
    errored: nw.Expr
    missing: nw.Expr
    partial: nw.Expr

    @classmethod
    def of(cls, layout: Layout, dtype: nw.dtypes.DType) -> _Outcomes:
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
    def _unbroken(cls, layout: Layout, dtype: nw.dtypes.DType) -> _Outcomes:
        column = nw.col(layout.passed)
        never = nw.lit(False)
        if isinstance(dtype, nw.Boolean):
            if layout.pass_if is not None:
                raise InputError(
                    f"column {layout.passed!r} holds outcomes, so that pass_if= (--pass-if), "
                    f"which decides on scores, has no use"
                )
            return cls(column, ~column.is_null(), never, column.is_null(), never)
        if dtype.is_numeric():
            missing = column.is_null()
            if dtype.is_float():
                missing = missing | column.is_nan()
            if layout.pass_if is not None:
                passed = _compared(column, layout.pass_if)
                return cls(passed, ~missing, never, missing, (column > 0) & (column < 1))
            return cls(column == 1, (column == 1) | (column == 0), never, missing, never)
        if not _is_text(dtype):
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


def _compared(column: nw.Expr, pass_if: PassIf) -> nw.Expr:
    compare: dict[str, Callable[[float], nw.Expr]] = {
        ">=": column.__ge__,
        ">": column.__gt__,
        "<=": column.__le__,
        "<": column.__lt__,
        "==": column.__eq__,
    }
    return compare[pass_if.sign](pass_if.bar) & ~column.is_null()


def _flag(condition: nw.Expr) -> nw.Expr:
    # Counting what is not null is the cheapest aggregate that every engine has.
    return nw.when(condition).then(nw.lit(1))


def _is_text(dtype: nw.dtypes.DType) -> bool:
    return isinstance(dtype, nw.String | nw.Categorical | nw.Enum)


def _grouped(
    frame: Frame, key: str, aggregates: list[nw.Expr], *, text: bool
) -> dict[str, npt.NDArray[Any]]:
    grouped: Any = frame.group_by(key, drop_null_keys=False).agg(*aggregates)
    # Engines give groups in any order. They sort texts better than NumPy does, and it numbers.
    found = collected(grouped.sort(key, nulls_last=True) if text else grouped)
    if text:
        return found
    order = _order(found[key])
    return {name: values[order] for name, values in found.items()}


def _order(task: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if task.dtype == object:
        listed = task.tolist()
        return np.array(
            sorted(range(len(listed)), key=lambda at: (listed[at] is None, str(listed[at]))),
            dtype=np.int64,
        )
    if not len(task):
        return np.arange(0)
    low, high = int(task.min()), int(task.max())
    if high - low == len(task) - 1:
        # Whole numbers without a gap say themselves where they belong.
        order = np.empty(len(task), dtype=np.int64)
        order[task - low] = np.arange(len(task))
        return order
    return np.argsort(task, kind="stable")


def _bit(frame: Frame, layout: Layout, schema: nw.Schema) -> nw.Expr | None:
    """Return 2 to the number of the attempt, or None where attempts are not so few.

    The sum over a task has as many binary ones as it has records exactly if all attempts
    are different: any two that are equal carry over. It costs a fraction of counting
    distinct ids.
    """
    if layout.bit is not None:
        return nw.col(layout.bit)
    if layout.rollout is None:
        return None
    column, dtype = nw.col(layout.rollout), schema[layout.rollout]
    if dtype.is_integer():
        usable = (column >= 0) & (column <= _HIGHEST_BIT)
        return nw.when(usable).then(nw.lit(2.0) ** column.cast(nw.Float64))
    if not _is_text(dtype):
        return None
    levels = collected(frame.select(r=column.cast(nw.String)).unique().head(_HIGHEST_BIT + 2))["r"]
    if len(levels) > _HIGHEST_BIT + 1:
        return None
    named = sorted(level for level in levels.tolist() if level)
    expression: Any = None
    for power, level in enumerate(named):
        condition = nw.when(column.cast(nw.String) == level).then(nw.lit(2.0**power))
        expression = condition if expression is None else condition.otherwise(expression)
    return expression  # type: ignore[no-any-return]


def _all_distinct(bits: npt.NDArray[Any], n: npt.NDArray[np.int64]) -> bool:
    whole = np.nan_to_num(np.ma.filled(bits.astype(float), 0.0)).astype(np.uint64)
    return bool((np.bitwise_count(whole) == n).all())


def _lost(
    frame: Frame,
    layout: Layout,
    outcome: _Outcomes,
    task: npt.NDArray[Any],
    lost: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return how many of the records that are no passes or failures errored or are missing."""
    # SQL's three-valued logic: a comparison with null is neither true nor false.
    unscored = frame.select(
        task=nw.col(layout.task),
        s=_flag(outcome.scored),
        e=_flag(outcome.errored),
        m=_flag(outcome.missing),
        value=nw.col(layout.passed),
    ).filter(nw.col("s").is_null())
    aggregates = [nw.col("e").count(), nw.col("m").count()]
    found = collected(unscored.group_by("task", drop_null_keys=False).agg(*aggregates))
    place = {value: at for at, value in enumerate(task.tolist())}
    errored = np.zeros(len(task), dtype=np.int64)
    missing = np.zeros(len(task), dtype=np.int64)
    where = np.array([place[value] for value in found["task"].tolist()], dtype=np.int64)
    missing[where] = found["m"]
    errored[where] = found["e"] + found["m"]
    if (errored != lost).any():
        bad = unscored.filter(nw.col("e").is_null() & nw.col("m").is_null())
        raise _Unreadable(collected(bad.select("value").unique().head(_MOST_LEVELS))["value"])
    return errored, missing


class _Unreadable(Exception):
    """Outcomes that the expressions do not know."""

    def __init__(self, values: npt.NDArray[Any]) -> None:
        super().__init__()
        self.values = values.tolist()


def count_or_refuse(frame: Frame, layout: Layout, *, name: str | None = None) -> Counted:
    """As `count`, for outcomes in any spelling; what is no outcome is refused.

    Messages speak of the column of outcomes as `name`.
    """
    where = f"column {name or layout.passed!r}"
    if layout.spellings is None and _is_text(frame.collect_schema()[layout.passed]):
        text = nw.col(layout.passed).cast(nw.String).alias("value")
        found = collected(frame.select(text).unique().head(_MOST_LEVELS))["value"]
        layout = replace(layout, spellings=known_spellings(found.tolist(), where))
    try:
        return count(frame, layout)
    except _Unreadable as unread:
        if not all(isinstance(value, str) for value in unread.values):
            raise InputError(_not_outcomes(where, unread.values)) from None
        more = known_spellings(unread.values, where)
    return count_or_refuse(
        frame, replace(layout, spellings=(*(layout.spellings or ()), *more)), name=name
    )


def known_spellings(values: Iterable[Any], where: str) -> tuple[tuple[str, Outcome], ...]:
    """Return what texts mean as outcomes; one that means nothing is an error."""
    found = []
    for value in dict.fromkeys(value for value in values if isinstance(value, str)):
        code = _code(value)
        if code is None:
            raise InputError(_not_outcomes(where, [value]))
        found.append((value, Outcome(code)))
    return tuple(found)


def _code(value: str) -> int | None:
    try:
        return int(outcome_codes([value], "value")[0])
    except InputError:
        return None


def _not_outcomes(where: str, values: Sequence[Any]) -> str:
    if all(isinstance(value, int | float) for value in values):
        return (
            f"{where} holds scores, not outcomes, such as {short(values[0])}; say which pass "
            f"with pass_if= (--pass-if)"
        )
    return f"{where} holds {short(values[0])}, which is no outcome; write {SPELLINGS_HELP}"


def counted_notes(contradictory: int, partial: int, pass_if: object) -> list[str]:
    """Return what the ledger must tell of counts that an engine made."""
    notes = []
    if contradictory:
        notes.append(
            f"{plural(contradictory, 'record')} that contradict an earlier one of the same task "
            f"and rollout are counted as further rollouts"
        )
    if pass_if is not None:
        notes.append(
            f"a score passes if it is {pass_if}; {plural(partial, 'score')} between 0 and 1 "
            f"(partial credit)"
        )
    return notes


def _comparable(name: str, dtype: nw.dtypes.DType) -> nw.Expr:
    """Return a factor as something that has a smallest and a largest value."""
    column = nw.col(name)
    if isinstance(dtype, nw.Boolean):
        return column.cast(nw.Int8)
    if isinstance(dtype, nw.Decimal):
        return column.cast(nw.Float64)
    if dtype.is_float():
        return nw.when(~column.is_nan()).then(column)
    if dtype.is_numeric() or isinstance(dtype, nw.String):
        return column
    if dtype.is_nested() or isinstance(dtype, nw.Object | nw.Binary | nw.Unknown):
        raise InputError(f"factor {name!r} must hold texts or numbers; its type is {dtype}")
    return column.cast(nw.String)


def _factor(
    found: dict[str, npt.NDArray[Any]], at: int, dtype: nw.dtypes.DType
) -> npt.NDArray[Any] | tuple[Any, Any, Any]:
    low, high, known = (found[f"f{at}_{stat}"] for stat in _FACTOR_STATS)
    empty = known == 0
    same = np.asarray(low == high, dtype=bool)
    constant = empty | (same & (known == found["n"]))
    if not constant.all():
        first = int(np.argmin(constant))
        other = None if same[first] else high.tolist()[first]
        return found["task"].tolist()[first], low.tolist()[first], other
    column = np.empty(len(low), dtype=object)
    column[:] = low.tolist()
    if isinstance(dtype, nw.Boolean):
        column[:] = [None if value is None else bool(value) for value in column]
    column[empty] = None
    return column


def _merged(frame: Frame, layout: Layout, outcome: _Outcomes, counted: Counted) -> Counted:
    """Count attempts instead of records: agreeing records of one attempt are merged."""
    column: nw.Expr = nw.col(str(layout.rollout))
    dtype = frame.collect_schema()[str(layout.rollout)]
    if _is_text(dtype):
        text = column.cast(nw.String)
        column = nw.when(text != "").then(text)
    elif dtype.is_float():
        column = nw.when(~column.is_nan()).then(column)
    coded = frame.select(
        task=nw.col(layout.task),
        r=column,
        p=_flag(outcome.passed),
        s=_flag(outcome.scored),
        e=_flag(outcome.errored),
        m=_flag(outcome.missing),
    )
    names = ("p", "s", "e", "m")
    attempts: Any = coded.group_by("task", "r", drop_null_keys=False).agg(
        nw.len().alias("n"), *(nw.col(name).count() for name in names)
    )
    attempts = attempts.with_columns(f=nw.col("s") - nw.col("p"))
    outcomes = ("p", "f", "e", "m")
    several: Any = sum(
        (nw.when(nw.col(name) > 0).then(nw.lit(1)).otherwise(nw.lit(0)) for name in outcomes),
        start=nw.lit(0),
    )
    named = ~nw.col("r").is_null()
    attempts = attempts.with_columns(contradicts=named & (several > 1))
    contradictory = 0
    refused = collected(attempts.filter(nw.col("contradicts")).sort("task", "r").head(1))
    if len(refused["task"]):
        if not layout.keep_contradictory:
            found = [name for name in outcomes if refused[name][0] > 0]
            words = {"p": "pass", "f": "fail", "e": "errored", "m": "missing"}
            raise InputError(
                f"task {short(refused['task'].tolist()[0])}, rollout "
                f"{short(refused['r'].tolist()[0])} has two outcomes: "
                f"{' and '.join(words[name] for name in found)}; remove the wrong record, give "
                f"each attempt its own rollout id, or count both "
                f'(duplicates="rollouts", --duplicates rollouts)'
            )
        totals = attempts.filter(nw.col("contradicts")).select(
            extra=(nw.col("n") - nw.lit(1)).sum()
        )
        contradictory = int(collected(totals)["extra"][0])
    every = ~named | nw.col("contradicts")

    def kept(name: str) -> nw.Expr:
        # A record without a rollout id is an attempt of its own.
        once = nw.when(nw.col(name) > 0).then(nw.lit(1)).otherwise(nw.lit(0))
        return nw.when(every).then(nw.col(name)).otherwise(once)

    kept_counts = attempts.select("task", "n", **{name: kept(name) for name in outcomes})
    sums = [nw.col(name).sum() for name in ("n", *outcomes)]
    found_counts = _grouped(kept_counts, "task", sums, text=counted.task.dtype == object)
    n, p, f, e, m = (found_counts[name].astype(np.int64) for name in ("n", *outcomes))
    return replace(
        counted,
        passes=p,
        trials=p + f,
        errored=e + m,
        missing=m,
        duplicates=int((n - p - f - e - m).sum()),
        contradictory=contradictory,
    )
