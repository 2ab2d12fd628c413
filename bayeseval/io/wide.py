"""Wide tables: one row for each task, and the outcomes side by side.

``wide``: columns called ``Trial_1``, ``run 2``, ``attempt3``, ``epoch_4`` and so on, in any case,
hold the rollouts of the row's task. Columns that are derived from them (``pass^1``, ``pass@4``,
``rate``, ``mean``, ``total``) are no trials, and are not used; any other column is a factor of the
tasks.

``wide-systems``: one column for each system, called as it likes, one rollout each. A task column
is used where there is one; without it the number of the row is the task. ``system=`` picks the
column.

A cell is an outcome in the spelling of long tables, or a score with ``pass_if=``. An empty cell is
a missing rollout: it was not scored, and is counted as such.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayeseval.errors import FormatError, InputError
from bayeseval.io import _columns as known
from bayeseval.io._columns import matching
from bayeseval.io._format import Format, Source
from bayeseval.io._layout import one_column, scores, task_ids
from bayeseval.io._options import Options
from bayeseval.io._parse import Table, parse, sample
from bayeseval.io._records import Records
from bayeseval.rollouts._tally import Outcome, outcome_codes, short
from bayeseval.rollouts._text import plural

__all__ = ["SYSTEMS", "WIDE", "detect_systems", "detect_trials"]

_TRIAL = re.compile(
    r"(?:trial|run|attempt|rollout|epoch|repeat|repetition|replicate|sample|seed|try|iteration)"
    r"[\s_.#-]*([0-9]{1,9})(?:[\s_.-]*(?:passed|pass|success|correct|resolved|result|outcome|reward|"
    r"score))?",
    re.IGNORECASE,
)
_DERIVED = re.compile(
    r"(?:pass|passed|success|successes|resolved|solved|correct)?[\s_.-]*(?:[\^@]\s*k?[0-9]*|"
    r"(?:pass|success|resolve|solve)?[\s_.-]*rate|mean|avg|average|total|sum|count|std|stderr|"
    r"n|passes|all|any)(?:[\s_.-]*(?:passes|passed|score|reward|pass|success))?|"
    r"pass(?:ed)?|success(?:es)?|pass[\s_.-]*(?:at|hat|power)[\s_.-]*(?:k|[0-9]+)",
    re.IGNORECASE,
)


def _trials(columns: Sequence[str]) -> dict[str, int]:
    """Return the columns that are trials, and the number of each, in the order of the numbers."""
    found = {name: int(match[1]) for name in columns if (match := _TRIAL.fullmatch(name.strip()))}
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def detect_trials(source: Source) -> bool:
    """Whether the columns of a table are trials of one task a row."""
    trials = _trials(source.columns)
    if not matching(source.columns, known.TASK + known.WEAK_TASK):
        return False
    return len(trials) > 1 or bool(trials and not matching(source.columns, known.OUTCOME))


def detect_systems(source: Source) -> bool:
    """Whether the columns of a table are systems: their cells are outcomes throughout."""
    if source.is_json or source.head.lstrip().startswith(b"<"):
        return False
    if not source.is_parquet and (source.text is None or len(source.columns) < 2):
        return False
    others = known.OUTCOME + known.WEAK_OUTCOME + known.PASSES + known.CLEAR_TRIALS
    if matching(source.columns, others) or _trials(source.columns):
        return False
    try:
        table = sample(source)
    except InputError:
        return False
    systems = _systems(table)
    return len(systems) > 1 and (bool(_task_columns(table)) or len(systems) == len(table.columns))


def _task_columns(table: Table) -> list[str]:
    return matching(table.columns, known.TASK + known.WEAK_TASK)


def _systems(table: Table) -> list[str]:
    tasks = _task_columns(table)[:1]
    return [
        name for name, values in table.columns.items() if name not in tasks and _outcomes(values)
    ]


def _outcomes(values: list[Any]) -> bool:
    try:
        codes = outcome_codes(values, "column")
    except InputError:
        return False
    return bool((codes != Outcome.MISSING).any())


def _read_trials(source: Source, options: Options) -> Records:
    table = parse(source, skip_bad_records=options.skip_bad_records)
    trials = _trials(list(table.columns))
    if not trials:
        raise FormatError(
            "no column is called as a trial (Trial_1, run 2, attempt3, ...); the columns are "
            f"{', '.join(map(short, list(table.columns)[:12]))}"
        )
    numbers = list(trials.values())
    for name, number in trials.items():
        if numbers.count(number) > 1:
            same = [other for other, its in trials.items() if its == number]
            raise InputError(
                f"the columns {' and '.join(map(repr, same))} are both trial {number}; remove "
                f"one of them, or rename {name!r}"
            )
    task = one_column(table, known.TASK + known.WEAK_TASK, "task")
    ids = task_ids(table, task)
    systems = matching(table.columns, known.SYSTEM)
    system = None if not systems else [str(each) for each in table.columns[systems[0]]]
    _check_once(table, ids, system)
    others = [name for name in table.columns if name not in (task, *trials, *systems[:1])]
    derived = [name for name in others if _DERIVED.fullmatch(name.strip())]
    factors = {name: table.columns[name] for name in others if name not in derived}
    notes = list(table.notes)
    if derived:
        notes.append(f"not used, since derived from the trials: {', '.join(derived)}")
    return _records(
        table,
        list(trials),
        options,
        ids=ids,
        system=None if system is None else system * len(trials),
        rollout=[number for number in numbers for _ in ids],
        columns=factors,
        notes=notes,
    )


def _read_systems(source: Source, options: Options) -> Records:
    table = parse(source, skip_bad_records=options.skip_bad_records)
    notes = list(table.notes)
    tasks = _task_columns(table)
    systems = _systems(table) if options.pass_if is None else [*table.columns]
    systems = [name for name in systems if name not in tasks[:1]]
    if not systems:
        raise FormatError("no column holds outcomes")
    ids: list[Any]
    if tasks:
        ids = task_ids(table, tasks[0])
        _check_once(table, ids, None)
    else:
        ids = list(range(1, len(table.numbers) + 1))
        notes.append("there is no task column, so the number of the row is the task")
    factors = {
        name: values
        for name, values in table.columns.items()
        if name not in systems and name not in tasks[:1]
    }
    return _records(
        table,
        systems,
        options,
        ids=ids,
        system=[name for name in systems for _ in ids],
        rollout=None,
        columns=factors,
        notes=notes,
    )


def _records(
    table: Table,
    cells: list[str],
    options: Options,
    *,
    ids: list[Any],
    system: list[str] | None,
    rollout: list[int] | None,
    columns: dict[str, list[Any]],
    notes: list[str],
) -> Records:
    """Put the columns of outcomes beneath each other."""
    score: list[float | None] | None = None
    if options.pass_if is None:
        parts = [
            outcome_codes(table.columns[name], f"column {name!r}", table.place) for name in cells
        ]
    else:
        pairs = [scores(table, name) for name in cells]
        parts = [codes for codes, _ in pairs]
        score = [each for _, found in pairs for each in found]
    highest = max((each for each in score or () if each is not None), default=1.0)

    def place(at: int) -> str:
        return f"{table.place(at % len(ids))}, column {cells[at // len(ids)]!r}"

    return Records(
        task=ids * len(cells),
        outcome=np.concatenate(parts),
        rollout=rollout,
        system=system,
        columns={name: values * len(cells) for name, values in columns.items()},
        place=place,
        notes=tuple(notes),
        score=score,
        full_credit=max(1.0, highest),
    )


def _check_once(table: Table, ids: list[Any], system: list[str] | None) -> None:
    first: dict[Any, int] = {}
    keys: list[Any] = ids if system is None else list(zip(system, ids, strict=True))
    for at, key in enumerate(keys):
        key = (type(ids[at]), key)
        if first.setdefault(key, at) != at:
            raise InputError(
                f"task {short(ids[at])} stands at {table.place(first[key])} and again at "
                f"{table.place(at)}; a wide table has one row for each task ("
                f"{plural(len(ids), 'row')})"
            )


WIDE = Format(
    name="wide",
    title="a table with one row for each task, and its trials side by side",
    looks_for="CSV, TSV, JSONL or Parquet with a task column and columns Trial_1, Trial_2, ...",
    extensions=(".csv", ".tsv", ".jsonl", ".parquet"),
    detect=detect_trials,
    read=_read_trials,
    general=True,
)

SYSTEMS = Format(
    name="wide-systems",
    title="a table with one row for each task, and one column for each system",
    looks_for="CSV, TSV or Parquet whose columns hold nothing but outcomes, a task column aside",
    extensions=(".csv", ".tsv", ".parquet"),
    detect=detect_systems,
    read=_read_systems,
    general=True,
)
