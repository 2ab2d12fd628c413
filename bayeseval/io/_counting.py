"""Counting rollouts inside an engine: one group-by, and only counts per task come back.

Written once, in narwhals, for every engine: frames of users, and files through DuckDB.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from bayeseval.errors import InputError
from bayeseval.io._coding import (
    Layout,
    Outcomes,
    Unreadable,
    flag,
    is_text,
    known_spellings,
    not_outcomes,
)
from bayeseval.io._collect import collected
from bayeseval.io._packing import HIGHEST_BIT, Packing, Unpacked
from bayeseval.rollouts._tally import short
from bayeseval.rollouts._text import plural

__all__ = ["Counted", "count", "count_or_refuse", "counted_notes"]

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]
_MOST_LEVELS = 1_000
_FACTOR_STATS = ("low", "high", "known")


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
    outcome = Outcomes.of(layout, schema[layout.passed])
    bit = _bit(frame, layout, schema)
    packing = Packing(has_bits=bit is not None) if layout.packed else None
    columns = {
        "task": nw.col(layout.task),
        "partial": None if layout.pass_if is None else flag(outcome.partial),
    }
    if packing is not None:
        columns["all"] = packing.expression(outcome, bit)
        aggregates: list[nw.Expr] = [nw.col("all").sum()]
    else:
        # One column says both where outcomes are flags: its sum, and how many are not null.
        if outcome.flag is not None:
            columns["p"] = outcome.flag.cast(nw.Int32)
            passed, scored = nw.col("p").sum(), nw.col("p").count().alias("s")
        else:
            columns["p"], columns["s"] = flag(outcome.passed), flag(outcome.scored)
            passed, scored = nw.col("p").count(), nw.col("s").count()
        columns["bit"] = bit
        aggregates = [passed, scored, nw.len().alias("n")]
        if bit is not None:
            aggregates.append(nw.col("bit").sum())
    for at, name in enumerate(layout.factors):
        columns[f"f{at}"] = _comparable(name, schema[name])
    coded = frame.select(**{name: each for name, each in columns.items() if each is not None})
    if layout.pass_if is not None:
        aggregates.append(nw.col("partial").count())
    for at in range(len(layout.factors)):
        column = nw.col(f"f{at}")
        stats = (column.min(), column.max(), column.count())
        aggregates += [
            each.alias(f"f{at}_{stat}") for each, stat in zip(stats, _FACTOR_STATS, strict=True)
        ]
    found = _grouped(coded, "task", aggregates, text=is_text(schema[layout.task]))
    if packing is not None:
        counts = packing.unpacked(found["all"])
        if counts is None:
            return count(frame, replace(layout, packed=False))
    else:
        bits = None if bit is None else found["bit"].astype(np.int64)
        passes, trials, n = (found[name].astype(np.int64) for name in ("p", "s", "n"))
        counts = Unpacked(passes, trials, n, bits)
    passes, trials, n = counts.passes, counts.scored, counts.n
    found["n"] = n
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
    # As many binary ones as records: all attempts are different, as any two alike carry over.
    is_distinct = counts.bits is not None and bool((np.bitwise_count(counts.bits) == n).all())
    if layout.rollout is None or is_distinct:
        return counted
    return _merged(frame, layout, outcome, counted)


def _grouped(
    frame: Frame, key: str, aggregates: list[nw.Expr], *, text: bool
) -> dict[str, npt.NDArray[Any]]:
    grouped: Any = frame.group_by(key, drop_null_keys=False).agg(*aggregates)
    # Engines give groups in any order. They sort texts better than NumPy does, and it numbers.
    found = collected(grouped.sort(key, nulls_last=True) if text else grouped)
    return found if text else _sorted(found, key)


def _sorted(found: dict[str, npt.NDArray[Any]], key: str) -> dict[str, npt.NDArray[Any]]:
    task = found[key]
    if task.dtype == object:
        listed = task.tolist()
        order: Any = sorted(
            range(len(listed)), key=lambda at: (listed[at] is None, str(listed[at]))
        )
    elif len(task) and int(task.max()) - int(task.min()) == len(task) - 1:
        # Whole numbers without a gap say themselves where they belong.
        place = task - task.min()
        return {name: _placed(values, place) for name, values in found.items()}
    else:
        order = np.argsort(task, kind="stable")
    return {name: values[order] for name, values in found.items()}


def _placed(values: npt.NDArray[Any], place: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    placed = np.empty_like(values)
    placed[place] = values
    return placed


def _bit(frame: Frame, layout: Layout, schema: nw.Schema) -> nw.Expr | None:
    """Return 2 to the number of the attempt, or None where attempts are not so few.

    The sum over a task has as many binary ones as it has records exactly if all attempts
    are different: any two that are equal carry over. It costs a fraction of counting
    distinct ids. Attempts without a number share one power of 2, so that they look like repeats.
    """
    if layout.bit is not None:
        return nw.col(layout.bit)
    if layout.rollout is None:
        return None
    column, dtype = nw.col(layout.rollout), schema[layout.rollout]
    if dtype.is_integer():
        usable = (column >= 0) & (column < HIGHEST_BIT)
        power = nw.lit(2.0) ** column.cast(nw.Float64)
        return nw.when(usable).then(power).otherwise(nw.lit(2.0**HIGHEST_BIT))
    if not is_text(dtype):
        return None
    levels = collected(frame.select(r=column.cast(nw.String)).unique().head(HIGHEST_BIT + 1))["r"]
    if len(levels) > HIGHEST_BIT:
        return None
    named = sorted(level for level in levels.tolist() if level)
    bit: nw.Expr = nw.lit(2.0**HIGHEST_BIT)
    for place, level in enumerate(named):
        is_level = column.cast(nw.String) == level
        bit = nw.when(is_level).then(nw.lit(2.0**place)).otherwise(bit)
    return bit


def _lost(
    frame: Frame,
    layout: Layout,
    outcome: Outcomes,
    task: npt.NDArray[Any],
    lost: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return how many of the records that are no passes or failures errored or are missing."""
    # SQL's three-valued logic: a comparison with null is neither true nor false.
    unscored = frame.select(
        task=nw.col(layout.task),
        s=flag(outcome.scored),
        e=flag(outcome.errored),
        m=flag(outcome.missing),
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
        raise Unreadable(collected(bad.select("value").unique().head(_MOST_LEVELS))["value"])
    return errored, missing


def count_or_refuse(frame: Frame, layout: Layout, *, name: str | None = None) -> Counted:
    """As `count`, for outcomes in any spelling; what is no outcome is refused.

    Messages speak of the column of outcomes as `name`.
    """
    where = f"column {name or layout.passed!r}"
    if layout.spellings is None and is_text(frame.collect_schema()[layout.passed]):
        text = nw.col(layout.passed).cast(nw.String).alias("value")
        found = collected(frame.select(text).unique().head(_MOST_LEVELS))["value"]
        layout = replace(layout, spellings=known_spellings(found.tolist(), where))
    try:
        return count(frame, layout)
    except Unreadable as unread:
        if not all(isinstance(value, str) for value in unread.values):
            raise InputError(not_outcomes(where, unread.values)) from None
        more = known_spellings(unread.values, where)
    return count_or_refuse(
        frame, replace(layout, spellings=(*(layout.spellings or ()), *more)), name=name
    )


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


def _merged(frame: Frame, layout: Layout, outcome: Outcomes, counted: Counted) -> Counted:
    """Count attempts instead of records: agreeing records of one attempt are merged."""
    column: nw.Expr = nw.col(str(layout.rollout))
    dtype = frame.collect_schema()[str(layout.rollout)]
    if is_text(dtype):
        text = column.cast(nw.String)
        column = nw.when(text != "").then(text)
    elif dtype.is_float():
        column = nw.when(~column.is_nan()).then(column)
    coded = frame.select(
        task=nw.col(layout.task),
        r=column,
        p=flag(outcome.passed),
        s=flag(outcome.scored),
        e=flag(outcome.errored),
        m=flag(outcome.missing),
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
