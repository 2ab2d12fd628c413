"""Plain tables: one row for each rollout (long), or one for each task (counts)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval.errors import FormatError, InputError
from bayeseval.io import _columns as known
from bayeseval.io._columns import matching, names
from bayeseval.io._format import Format, Options, Source
from bayeseval.io._parse import Table, parse
from bayeseval.io._records import CountTable, Records
from bayeseval.rollouts._tally import (
    Outcome,
    factorise,
    first_varying,
    is_blank,
    outcome_codes,
    short,
)

__all__ = ["COUNTS", "LONG"]


def _detect_long(source: Source) -> bool:
    task = matching(source.columns, known.TASK + known.WEAK_TASK)
    outcome = matching(source.columns, known.OUTCOME + known.WEAK_OUTCOME)
    # Half of a CSV header is enough to say which column is missing.
    found = (task and outcome) if source.is_json else (task or outcome)
    return bool(found) and not _is_count_header(source.columns)


def _detect_counts(source: Source) -> bool:
    columns = source.columns
    # ``task, passed, runs`` may be counts or single rollouts: both claim it, and it is asked.
    unclear = matching(columns, known.OUTCOME) and matching(columns, known.CLEAR_TRIALS)
    return _is_count_header(columns) or bool(unclear)


def _is_count_header(columns: list[str]) -> bool:
    return bool(matching(columns, known.PASSES) and matching(columns, known.TRIALS))


def _read_long(source: Source, options: Options) -> Records:
    table = parse(source)
    notes = list(table.notes)
    task = _task_column(table)
    system_columns = matching(table.columns, known.SYSTEM)
    rollout_columns = matching(table.columns, known.ROLLOUT)
    ids = _task_ids(table, task)
    system = _joined(table, system_columns)
    rollout: list[Any] | None = None
    if rollout_columns:
        rollout = _rollout_ids(table, rollout_columns)
    _check_one_task_column(table, task, system, rollout)
    outcome_column, outcome = _outcomes(table)
    used = {task, outcome_column, *system_columns, *rollout_columns}
    for column in matching(table.columns, known.ERRORED):
        broke = outcome_codes(table.columns[column], f"column {column!r}", table.place)
        outcome[broke == Outcome.PASS] = Outcome.ERRORED
        used.add(column)
    if rollout is None and len(set(ids)) < len(ids):
        notes.append("there is no rollout column, so each row is one rollout")
    return Records(
        task=ids,
        outcome=outcome,
        rollout=rollout,
        system=system,
        columns={name: table.columns[name] for name in table.columns if name not in used},
        place=table.place,
        notes=tuple(notes),
    )


def _read_counts(source: Source, options: Options) -> CountTable:
    table = parse(source)
    task = _task_column(table)
    passes = _one_column(table, known.PASSES + known.OUTCOME, "passes")
    trials = _one_column(table, known.TRIALS, "trials")
    system_columns = matching(table.columns, known.SYSTEM)
    used = {task, passes, trials, *system_columns}
    lost: dict[str, list[int]] = {}
    for name, usual in (("errored", known.ERRORED), ("missing", known.MISSING)):
        if found := matching(table.columns, usual):
            lost[name] = _whole_numbers(table, found[0], blank_is_none=True)
            used.add(found[0])
    # Rollouts without an outcome were attempted and not scored: errored, by our words.
    lost.setdefault("errored", lost.get("missing", [0] * len(table.numbers)))
    ids = _task_ids(table, task)
    passed, scored = _whole_numbers(table, passes), _whole_numbers(table, trials)
    for at, (count, limit) in enumerate(zip(passed, scored, strict=True)):
        if count > limit:
            raise InputError(
                f"{table.place(at)}: task {short(ids[at])} has {count} {passes} of only "
                f"{limit} {trials}"
            )
    return CountTable(
        task=ids,
        passes=passed,
        trials=scored,
        errored=lost["errored"],
        missing=lost.get("missing"),
        system=_joined(table, system_columns),
        columns={name: table.columns[name] for name in table.columns if name not in used},
        place=table.place,
        notes=table.notes,
    )


def _task_column(table: Table) -> str:
    return _one_column(table, known.TASK + known.WEAK_TASK, "task")


def _one_column(table: Table, usual: tuple[str, ...], what: str) -> str:
    found = matching(table.columns, usual)
    if not found:
        raise _no_column(table, usual, what)
    return found[0]


def _no_column(table: Table, usual: tuple[str, ...], what: str) -> FormatError:
    present = ", ".join(map(short, list(table.columns)[:12]))
    return FormatError(
        f"no column names the {what} (looked for {names(usual)}, ...); the columns are "
        f"{present}; rename the right one to {usual[0]!r}"
    )


def _task_ids(table: Table, column: str) -> list[int | str]:
    values = table.columns[column]
    for at, value in enumerate(values):
        if type(value) not in (int, str) or value == "":
            found = "empty" if value == "" or value is None else short(value)
            raise FormatError(
                f"{table.place(at)}: the task in column {column!r} is {found}; "
                f"it must be a text or a whole number"
            )
    return values


def _check_one_task_column(
    table: Table, chosen: str, system: list[str] | None, rollout: list[Any] | None
) -> None:
    """Refuse a table whose second id splits the tasks: its items would pass for rollouts."""
    systems = system or [""] * len(table.numbers)
    pairs = list(zip(systems, table.columns[chosen], strict=True))
    if rollout is not None:
        attempts = {(*pair, attempt) for pair, attempt in zip(pairs, rollout, strict=True)}
        if len(attempts) == len(pairs):
            return
    task, ids = factorise(pairs)
    for other in matching(table.columns, known.TASK):
        if other == chosen or not _hashable(table.columns[other]):
            continue
        level, _ = factorise(table.columns[other])
        if first_varying(task, level, len(ids)) is not None:
            raise InputError(
                f"the columns {chosen!r} and {other!r} could both name the task, and {other!r} "
                f"differs between rows of one {chosen!r}; if it numbers the rollouts, rename it "
                f"to 'rollout'; if it is the task, rename it to 'task' and {chosen!r} to 'suite'"
            )


def _hashable(values: list[Any]) -> bool:
    return not any(isinstance(value, list | dict) for value in values)


def _rollout_ids(table: Table, columns: list[str]) -> list[Any]:
    for column in columns:
        for at, value in enumerate(table.columns[column]):
            if isinstance(value, list | dict):
                raise FormatError(
                    f"{table.place(at)}: the rollout in column {column!r} is {short(value)}; "
                    f"it must be a text or a number"
                )
    if len(columns) == 1:
        return table.columns[columns[0]]
    return list(zip(*(table.columns[column] for column in columns), strict=True))


def _joined(table: Table, columns: list[str]) -> list[str] | None:
    """Return what was under test; where several columns say it, those that differ, joined."""
    if not columns:
        return None
    texts = {
        column: ["" if is_blank(value) else str(value) for value in table.columns[column]]
        for column in columns
    }
    differing = [column for column in columns if len(set(texts[column])) > 1] or columns[:1]
    if len(differing) == 1:
        return texts[differing[0]]
    return list(map(" / ".join, zip(*(texts[column] for column in differing), strict=True)))


def _outcomes(table: Table) -> tuple[str, npt.NDArray[np.int8]]:
    strong = matching(table.columns, known.OUTCOME)
    weak = matching(table.columns, known.WEAK_OUTCOME)
    if not strong + weak:
        raise _no_column(table, known.OUTCOME, "outcome")
    if not strong:
        readable = [name for name in weak if _is_outcome_column(table, name)]
        chosen = readable[0] if readable else weak[0]
        return chosen, _codes(table, chosen)
    chosen, codes = strong[0], _codes(table, strong[0])
    for other in strong[1:]:
        if _is_outcome_column(table, other):
            differ = _codes(table, other) != codes
            if differ.any():
                raise InputError(
                    f"the columns {chosen!r} and {other!r} could both be the outcome, and they "
                    f"differ at {table.place(int(np.argmax(differ)))}; rename one of them"
                )
    return chosen, codes


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
    numbers = []
    for value in table.columns[column]:
        try:
            numbers.append(0.0 if is_blank(value) or value == "" else float(value))
        except (TypeError, ValueError, OverflowError):
            return
    at = next(at for at, number in enumerate(numbers) if number not in (0, 1))
    raise InputError(
        f"column {column!r} holds scores, not outcomes: {len(set(numbers))} different numbers "
        f"from {min(numbers):g} to {max(numbers):g}, such as {short(table.columns[column][at])} "
        f"at {table.place(at)}; add a column 'passed' that says which scores pass"
    )


def _whole_numbers(table: Table, column: str, *, blank_is_none: bool = False) -> list[int]:
    counts = []
    for at, value in enumerate(table.columns[column]):
        if blank_is_none and (value == "" or is_blank(value)):
            counts.append(0)
            continue
        try:
            number = float(value)
            whole = int(number)
        except (TypeError, ValueError, OverflowError):
            number, whole = -1.0, 0
        if whole != number or whole < 0 or isinstance(value, bool):
            raise InputError(
                f"{table.place(at)}: {column} is {short(value)}; it must be a whole number, "
                f"0 or more"
            )
        counts.append(whole)
    return counts


LONG = Format(
    name="long",
    title="a table with one row for each rollout",
    looks_for=(
        f"CSV, TSV or JSONL with a column for the task ({names(known.TASK, 3)}, ...) and one "
        f"for the outcome ({names(known.OUTCOME, 3)}, ...)"
    ),
    extensions=(".csv", ".tsv", ".jsonl"),
    detect=_detect_long,
    read=_read_long,
    general=True,
)

COUNTS = Format(
    name="counts",
    title="a table with one row for each task",
    looks_for=(
        f"CSV, TSV or JSONL with the columns task, passes ({names(known.PASSES, 3)}, ...) and "
        f"trials ({names(known.TRIALS, 3)}, ...)"
    ),
    extensions=(".csv", ".tsv", ".jsonl"),
    detect=_detect_counts,
    read=_read_counts,
    general=True,
)
