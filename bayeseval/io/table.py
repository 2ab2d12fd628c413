"""Plain tables: one row for each rollout (``long``), or one for each task (``counts``).

CSV with any delimiter, TSV, JSONL, a JSON list of objects, or Parquet; packed by gzip or not.

``long``: a task, an outcome, and optionally a rollout id, a system and whether the rollout
errored, found by their usual names in any case (``Task ID``, ``run``, ``correct``, ``model``).
``metric=`` names the column of the outcome where another one is meant. Further columns that are
constant within each task are factors. Ids in CSV are text, as they stand; in JSON and Parquet
they keep their type. An outcome is true/false, yes/no, 1/0, pass/fail, passed/failed, in any case;
``error`` is errored, and empty or null is missing. A column of scores is refused without
``pass_if=``. Options: ``system``, ``metric``, ``pass_if``, ``duplicates``, ``skip_bad_records``.

``counts``: a task, passes, trials (scored rollouts), and optionally errored and missing.

Parquet, and text of more than 20 MB, is counted by DuckDB in bounded memory, whatever its size.
Tasks then come sorted by their ids, not in the order of the file.
"""

from __future__ import annotations

from typing import Any

from bayeseval.errors import FormatError, InputError
from bayeseval.io import _columns as known
from bayeseval.io._columns import matching, names
from bayeseval.io._format import Format, Source
from bayeseval.io._layout import long_layout, one_column, outcomes, scores, task_ids
from bayeseval.io._options import Options
from bayeseval.io._parse import Table, parse
from bayeseval.io._records import CountTable, Records
from bayeseval.io.wide import detect_systems, detect_trials
from bayeseval.rollouts._tally import (
    Outcome,
    factorise,
    first_varying,
    is_blank,
    outcome_codes,
    short,
)

__all__ = ["COUNTS", "LONG", "is_large"]

# Below this, decoding in Python takes no noticeable time and names the line of every mistake.
LARGE = 20 << 20
LARGE_PACKED = 2 << 20
NO_ROLLOUT_COLUMN = "there is no rollout column, so each row is one rollout"


def is_large(source: Source) -> bool:
    """Whether a table is for the engine: a Parquet file, or a large one."""
    if source.is_parquet:
        return True
    if source.complete or source.head.lstrip()[:1] == b"[":
        return False
    # The engine's columns are chosen by the first lines: two of them must be whole.
    if source.head.count(b"\n") < 2 and not source.is_gzip:
        return False
    return source.path.stat().st_size > (LARGE_PACKED if source.is_gzip else LARGE)


def _detect_long(source: Source) -> bool:
    task = matching(source.columns, known.TASK + known.WEAK_TASK)
    outcome = matching(source.columns, known.OUTCOME + known.WEAK_OUTCOME)
    if detect_trials(source) or (not outcome and detect_systems(source)):
        return False
    # Half of a CSV header is enough to say which column is missing.
    found = (task and outcome) if source.is_json else (task or outcome)
    return bool(found) and not _is_count_header(source.columns)


def _detect_counts(source: Source) -> bool:
    columns = source.columns
    if detect_trials(source):
        # Counts beside the trials are sums of them.
        return False
    # ``task, passed, runs`` may be counts or single rollouts: both claim it, and it is asked.
    unclear = matching(columns, known.OUTCOME) and matching(columns, known.CLEAR_TRIALS)
    return _is_count_header(columns) or bool(unclear)


def _is_count_header(columns: list[str]) -> bool:
    return bool(matching(columns, known.PASSES) and matching(columns, known.TRIALS))


def _read_long(source: Source, options: Options) -> Records | CountTable:
    if is_large(source):
        # Loads DuckDB.
        from bayeseval.io._large import read_large

        return read_large(source, options)
    table = parse(source, skip_bad_records=options.skip_bad_records)
    notes = list(table.notes)
    layout = long_layout(table, options)
    ids = task_ids(table, layout.task)
    system = _joined(table, layout.systems)
    rollout = _rollout_ids(table, layout.rollouts) if layout.rollouts else None
    _check_one_task_column(table, layout.task, system, rollout)
    score: list[float | None] | None = None
    if options.pass_if is None:
        outcome = outcomes(table, layout, chosen=options.metric is not None)
    else:
        outcome, score = scores(table, layout.outcome)
    for column in layout.errored:
        broke = outcome_codes(table.columns[column], f"column {column!r}", table.place)
        outcome[broke == Outcome.PASS] = Outcome.ERRORED
    if rollout is None and len(set(ids)) < len(ids):
        notes.append(NO_ROLLOUT_COLUMN)
    known_scores = [each for each in score or () if each is not None]
    return Records(
        task=ids,
        outcome=outcome,
        rollout=rollout,
        system=system,
        columns={name: table.columns[name] for name in layout.others},
        place=table.place,
        notes=tuple(notes),
        score=score,
        full_credit=max(1.0, *known_scores, 1.0),
    )


def _read_counts(source: Source, options: Options) -> CountTable:
    table = parse(source, skip_bad_records=options.skip_bad_records)
    task = one_column(table, known.TASK + known.WEAK_TASK, "task")
    passes = one_column(table, known.PASSES + known.OUTCOME, "passes")
    trials = one_column(table, known.TRIALS, "trials")
    system_columns = matching(table.columns, known.SYSTEM)
    used = {task, passes, trials, *system_columns}
    lost: dict[str, list[int]] = {}
    for name, usual in (("errored", known.ERRORED), ("missing", known.MISSING)):
        if found := matching(table.columns, usual):
            lost[name] = _whole_numbers(table, found[0], blank_is_none=True)
            used.add(found[0])
    # Rollouts without an outcome were attempted and not scored: errored, by our words.
    lost.setdefault("errored", lost.get("missing", [0] * len(table.numbers)))
    ids = task_ids(table, task)
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
        system=_joined(table, tuple(system_columns)),
        columns={name: table.columns[name] for name in table.columns if name not in used},
        place=table.place,
        notes=table.notes,
    )


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


def _rollout_ids(table: Table, columns: tuple[str, ...]) -> list[Any]:
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


def _joined(table: Table, columns: tuple[str, ...]) -> list[str] | None:
    """Return what was under test; where several columns say it, those that differ, joined."""
    if not columns:
        return None
    texts = {
        column: ["" if is_blank(value) else str(value) for value in table.columns[column]]
        for column in columns
    }
    differing = [column for column in columns if len(set(texts[column])) > 1]
    differing = differing or [columns[0]]
    if len(differing) == 1:
        return texts[differing[0]]
    return list(map(" / ".join, zip(*(texts[column] for column in differing), strict=True)))


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
        f"CSV, TSV, JSONL or Parquet with a column for the task ({names(known.TASK, 3)}, ...) "
        f"and one for the outcome ({names(known.OUTCOME, 3)}, ...)"
    ),
    extensions=(".csv", ".tsv", ".jsonl", ".parquet"),
    detect=_detect_long,
    read=_read_long,
    general=True,
    reads_gzip=is_large,
)

COUNTS = Format(
    name="counts",
    title="a table with one row for each task",
    looks_for=(
        f"CSV, TSV, JSONL or Parquet with the columns task, passes ({names(known.PASSES, 3)}, ...) "
        f"and trials ({names(known.TRIALS, 3)}, ...)"
    ),
    extensions=(".csv", ".tsv", ".jsonl", ".parquet"),
    detect=_detect_counts,
    read=_read_counts,
    general=True,
)
