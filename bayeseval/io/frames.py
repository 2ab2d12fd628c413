"""Counting the rollouts in data frames of any kind, in the engine that they live in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_items, as_text, nearest_names, one_of, shown
from bayeseval.errors import InputError
from bayeseval.io._pass_if import PassIf, as_pass_if
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._ledger import ledger_of
from bayeseval.rollouts._tally import (
    Varying,
    factor_per_task,
    id_array,
    is_blank,
    outcome_codes,
    short,
    tally,
    value_array,
)

__all__ = ["from_frame"]

_MOST_SYSTEMS = 20
_EMPTY = "the suite is empty: the frame has no rows"


def from_frame(
    frame: Any,
    *,
    task: str = "task",
    passed: str = "passed",
    rollout: str | None = None,
    factors: Iterable[str] = (),
    system: str | None = None,
    pass_if: str | float | None = None,
    duplicates: Literal["error", "rollouts"] = "error",
    source: str | None = None,
) -> Rollouts:
    """Make a suite from a frame with one row for each rollout.

    Rollouts are counted by one group-by that the frame's own engine runs; only the counts
    per task come back.

    Parameters
    ----------
    frame : frame
        Whatever narwhals takes: pandas, polars (eager or lazy), pyarrow, DuckDB relations,
        Dask, PySpark and others.
    task : str, default "task"
        Column of the task ids: texts or whole numbers.
    passed : str, default "passed"
        Column of the outcomes: true and false, 1 and 0, or text as in
        `Rollouts.from_outcomes`. Null and NaN are missing: such a rollout counts as
        errored, never as failed.
    rollout : str, default None
        Column of the ids of the attempts within their task. With it, records that repeat
        a (task, rollout) are merged where they agree.
    factors : iterable of str, default ()
        Columns that hold properties of the tasks; each must be constant within a task.
    system : str, default None
        Column that names what was under test. A frame of several systems is refused:
        filter it first.
    pass_if : str or float, default None
        Which scores pass, where `passed` holds scores: ``">= 0.5"``, or a lower bar.
    duplicates : {"error", "rollouts"}, default "error"
        What contradictory records of one (task, rollout) are.
    source : str, default None
        Where the data came from.

    Returns
    -------
    Rollouts
        With tasks sorted by their ids.

    Raises
    ------
    InputError
        No such column, a value that is no outcome, a task that is null, a factor that
        varies within a task, contradictory records, several systems, no frame at all.
    MissingDependencyError
        An engine whose results come back through a library that is not installed.

    Examples
    --------
    >>> import bayeseval as be, duckdb
    >>> relation = duckdb.sql("SELECT i // 4 AS task, i % 4 < i // 4 AS passed FROM range(12) t(i)")
    >>> be.from_frame(relation).histogram()
    {(0, 4): 1, (1, 4): 1, (2, 4): 1}
    """
    import narwhals as nw

    bar = as_pass_if(pass_if)
    if bar is not None and not isinstance(bar, PassIf):
        raise InputError("pass_if must be text or a number here, since the engine compares")
    one_of(duplicates, ("error", "rollouts"), "duplicates")
    native = _narwhals(nw, frame)
    names = list(native.collect_schema().names())
    wanted = (
        [factors]
        if isinstance(factors, str)
        else list(as_items(factors, "factors", of="names of columns"))
    )
    if source is not None:
        as_text(source, "source")
    for argument, column in (
        ("task", task),
        ("passed", passed),
        ("rollout", rollout),
        ("system", system),
        *(("factors", name) for name in wanted),
    ):
        if column is None and argument in ("rollout", "system"):
            continue
        if not isinstance(column, str) or column not in names:
            listed = ", ".join(map(short, names[:20])) + (", ..." if len(names) > 20 else "")
            raise InputError(
                f"{argument} = {shown(column)} is no column of the frame"
                f"{nearest_names(column, names)}; its columns are: {listed}"
            )
    if system is not None:
        wanted = [system, *wanted]
    wanted = list(dict.fromkeys(wanted))
    native = _with_texts(nw, native, [task, passed, *([rollout] if rollout else []), *wanted])
    if system is not None:
        _check_one_system(nw, native, system)
    rollouts = _counted(
        nw, native, task, passed, rollout, tuple(wanted), bar, duplicates == "rollouts"
    )
    if system is not None and system != "system":
        columns = {"system" if name == system else name: v for name, v in rollouts.factors.items()}
        rollouts = replace(rollouts, factors=columns)
    return replace(rollouts, source=source)


def _narwhals(nw: Any, frame: Any) -> Any:
    try:
        native = nw.from_native(frame)
    except TypeError:
        raise InputError(
            f"frame must be a data frame that narwhals knows; got {type(frame).__name__}"
        ) from None
    return native


def _with_texts(nw: Any, frame: Any, used: list[str]) -> Any:
    """Make columns of texts of those columns of a pandas frame that hold texts as objects.

    What is missing would become a text too when they are compared or cast.
    """
    if not isinstance(frame, nw.DataFrame) or not frame.implementation.is_pandas():
        return frame
    native = frame.to_native()
    texts = [name for name in used if frame[name].dtype == nw.String and native[name].dtype == "O"]
    if not texts:
        return frame
    return nw.from_native(native.assign(**{name: native[name].astype("string") for name in texts}))


def _check_one_system(nw: Any, frame: Any, system: str) -> None:
    from bayeseval.io._collect import collected

    found = collected(frame.select(system=nw.col(system)).unique().head(_MOST_SYSTEMS))["system"]
    if len(found) > 1:
        listed = ", ".join(sorted(short(value) for value in found.tolist()))
        raise InputError(
            f"column {system!r} names {len(found)} systems or more: {listed}; filter the frame "
            f"to one of them"
        )


def _counted(
    nw: Any,
    frame: Any,
    task: str,
    passed: str,
    rollout: str | None,
    factors: tuple[str, ...],
    bar: PassIf | None,
    keep_contradictory: bool,
) -> Rollouts:
    from bayeseval.io._coding import Layout
    from bayeseval.io._counting import count_or_refuse, counted_notes

    schema = frame.collect_schema()
    used = [task, passed, *([rollout] if rollout else []), *factors]
    if isinstance(frame, nw.DataFrame) and any(schema[name] == nw.Object for name in used):
        if bar is not None:
            raise InputError(
                f"column {passed!r} holds Python objects, and pass_if= compares numbers"
            )
        return _from_objects(frame, task, passed, rollout, factors, keep_contradictory)
    texts = nw.String | nw.Categorical | nw.Enum
    if not (schema[task].is_integer() or isinstance(schema[task], texts)):
        raise InputError(
            f"column {task!r} must hold texts or whole numbers; its type is {schema[task]}"
        )
    if not schema[task].is_integer():
        frame = frame.with_columns(nw.col(task).cast(nw.String))
    layout = Layout(
        task=task,
        passed=passed,
        rollout=rollout,
        factors=factors,
        pass_if=bar,
        keep_contradictory=keep_contradictory,
    )
    counted = count_or_refuse(frame, layout)
    if not len(counted.task):
        raise InputError(_EMPTY)
    if counted.task.dtype == object and counted.task.tolist()[-1] is None:
        raise InputError(_nameless(task))
    columns = {}
    for name, values in counted.factors.items():
        if isinstance(values, tuple):
            raise InputError(_varies(name, *values))
        columns[name] = values
    notes = counted_notes(counted.contradictory, counted.partial, bar)
    return suite_of_counts(
        counted.task,
        (counted.passes, counted.trials, counted.errored, counted.missing),
        columns,
        duplicates=counted.duplicates,
        notes=notes,
    )


def suite_of_counts(
    task: npt.NDArray[Any],
    counts: tuple[npt.NDArray[np.int64], ...],
    factors: dict[str, npt.NDArray[Any]],
    *,
    duplicates: int,
    notes: list[str],
) -> Rollouts:
    """Make a suite of counts that an engine made, and which need no further check."""
    passes, trials, errored, missing = counts
    ledger = replace(
        ledger_of(passes, trials, errored, missing, duplicates=duplicates), notes=tuple(notes)
    )
    ids = id_array(task, "task")
    return Rollouts(ids, passes, trials, errored, missing, factors, ledger, None)


def _from_objects(
    frame: Any,
    task: str,
    passed: str,
    rollout: str | None,
    factors: tuple[str, ...],
    keep_contradictory: bool,
) -> Rollouts:
    """Count a frame with columns of Python objects, which only Python can compare."""
    from bayeseval.io._counting import counted_notes

    ids = frame[task].to_list()
    if not ids:
        raise InputError(_EMPTY)
    if any(map(is_blank, ids)):
        raise InputError(_nameless(task))
    attempts = None if rollout is None else frame[rollout].to_list()
    counted = tally(
        id_array(ids, f"column {task!r}"),
        outcome_codes(frame[passed].to_list(), f"column {passed!r}", "row {}".format),
        rollout=attempts,
        place="row {}".format,
        keep_contradictory=keep_contradictory,
    )
    order = np.array(
        sorted(range(len(counted.task)), key=lambda at: _sort_key(counted.task.tolist()[at])),
        dtype=np.int64,
    )
    columns = {}
    for name in factors:
        values = value_array(frame[name].to_list(), f"factor {name!r}")
        found = factor_per_task(counted, values)
        if isinstance(found, Varying):
            raise InputError(_varies(name, *found))
        columns[name] = found[order]
    return suite_of_counts(
        counted.task[order],
        (
            counted.passes[order],
            counted.trials[order],
            counted.errored[order],
            counted.missing[order],
        ),
        columns,
        duplicates=counted.duplicates,
        notes=counted_notes(counted.contradictory, 0, None),
    )


def _sort_key(task: int | str) -> tuple[bool, int, str]:
    return (True, 0, task) if isinstance(task, str) else (False, task, "")


def _nameless(task: str) -> str:
    return f"column {task!r} is null in some rows; every rollout needs its task"


def _varies(name: str, task: Any, one: Any, other: Any) -> str:
    return (
        f"factor {name!r} varies within task {short(task)}: {short(one)} and {short(other)}; a "
        f"factor is a property of a task, so leave this one out, or make it part of the task id"
    )
