"""Long tables that are too large for Python: counted by DuckDB, one group-by for the file."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy.typing as npt

from bayeseval.errors import FormatError, InputError
from bayeseval.io import _columns as known
from bayeseval.io._coding import Layout, known_spellings
from bayeseval.io._columns import matching
from bayeseval.io._counting import Counted, count_or_refuse, counted_notes
from bayeseval.io._engine import connected, path_text, quoted, text
from bayeseval.io._engine_text import (
    as_engine_text,
    bad_lines,
    decoded,
    reason_of,
    refuse_bad_line,
    task_ids_of,
)
from bayeseval.io._format import Source
from bayeseval.io._layout import LongLayout, long_layout, outcomes
from bayeseval.io._options import Options
from bayeseval.io._packing import HIGHEST_BIT, MOST_PACKED
from bayeseval.io._parse import Table, sample
from bayeseval.io._pass_if import PassIf
from bayeseval.io._records import CountTable, several_systems, unknown_system, usable_columns
from bayeseval.io._stream import MOST_NAMED, skipped_note
from bayeseval.rollouts._tally import Outcome, spellings
from bayeseval.rollouts._text import plural

if TYPE_CHECKING:
    import duckdb

__all__ = ["read_large"]

# One line of a CSV file or one JSON record may hold a transcript.
LONGEST_RECORD = 1 << 26
# The engine works on one buffer in each thread, and wants two lines in one.
LONGEST_LINE = 1 << 24
_BUFFER = 1 << 25
_SEPARATOR = "\x1f"


def read_large(source: Source, options: Options) -> CountTable:
    """Count the rollouts of a Parquet, CSV, TSV or JSONL file without holding them."""
    if options.pass_if is not None and not isinstance(options.pass_if, PassIf):
        raise InputError(
            "pass_if must be text or a number here, since the engine compares; the file is large"
        )
    first = sample(source)
    layout = long_layout(first, options)
    if options.pass_if is None:
        # Scores and other mistakes at the beginning are told with their place.
        outcomes(first, layout, chosen=options.metric is not None)
    table = _Engine(source, options, first, layout)
    with connected() as connection:
        try:
            return table.read(connection)
        except _duckdb_error() as error:
            if source.is_json:
                refuse_bad_line(source)
            raise FormatError(reason_of(str(error))) from None


def _duckdb_error() -> type[Exception]:
    import duckdb

    return duckdb.Error


class _Engine:
    """The SQL of one file: what the columns of its layout are."""

    def __init__(self, source: Source, options: Options, first: Table, layout: LongLayout) -> None:
        self.source = source
        self.options = options
        self.layout = layout
        self.is_json = source.is_json
        self.spellings = None
        if options.pass_if is None:
            values = first.columns[layout.outcome]
            texts = values if source.is_parquet else map(as_engine_text, values)
            self.spellings = known_spellings(texts, f"column {layout.outcome!r}")
        self.notes: list[str] = []
        # Whether counts fit into one number, as far as the first rows tell.
        self.few_attempts = True
        others, notes = usable_columns({name: first.columns[name] for name in layout.others})
        self.notes += notes
        self.factors = tuple(others)
        attempts = first.columns[layout.rollouts[0]] if len(layout.rollouts) == 1 else []
        self.bit = self._bit(attempts) if attempts else None
        if not layout.rollouts:
            self.notes.append("there is no rollout column, so each row is one rollout")
        self.columns = list(first.columns) if self.is_json or source.is_parquet else _header(source)

    def read(self, connection: duckdb.DuckDBPyConnection) -> CountTable:
        where, system = self._system(connection)
        frame = nw.from_native(connection.sql(self._query(where)))
        pass_if = self.options.pass_if
        counted = count_or_refuse(
            frame,
            Layout(
                task="task",
                passed="passed",
                errored="errored" if self._broken() else None,
                rollout="rollout" if self.layout.rollouts else None,
                bit="bit" if self.bit else None,
                packed=self.few_attempts,
                factors=tuple(f"factor {name}" for name in self.factors),
                pass_if=pass_if if isinstance(pass_if, PassIf) else None,
                spellings=self.spellings,
                keep_contradictory=self.options.duplicates == "rollouts",
            ),
            name=self.layout.outcome,
        )
        counted = self._without_nameless(connection, counted)
        self._note_rejected(connection)
        self.notes += counted_notes(counted.contradictory, counted.partial, pass_if)
        return CountTable(
            task=task_ids_of(counted.task, self.layout.task, is_json=self.is_json),  # type: ignore[arg-type]
            passes=counted.passes,  # type: ignore[arg-type]
            trials=counted.trials,  # type: ignore[arg-type]
            errored=counted.errored,  # type: ignore[arg-type]
            missing=counted.missing,  # type: ignore[arg-type]
            system=None if system is None else [system] * len(counted.task),
            columns=self._constant(counted),  # type: ignore[arg-type]
            notes=tuple(self.notes),
            duplicates=counted.duplicates,
            by_engine=True,
        )

    def _table(self, columns: list[str]) -> str:
        path = path_text(self.source.path)
        skip = self.options.skip_bad_records
        if self.source.is_parquet:
            return f"read_parquet({path})"
        if self.is_json:
            kinds = ", ".join(f"{text(name)}: 'JSON'" for name in columns)
            ignore = ", ignore_errors=true" if skip else ""
            return (
                f"read_json({path}, format='newline_delimited', columns={{{kinds}}}, "
                f"maximum_object_size={LONGEST_RECORD}{ignore})"
            )
        kinds = ", ".join(f"{text(name)}: 'VARCHAR'" for name in self.columns)
        rejects = ", store_rejects=true" if skip else ""
        return (
            f"read_csv({path}, auto_detect=false, header=true, columns={{{kinds}}}, "
            f"delim={text(self.source.delimiter)}, quote='\"', escape='\"', strict_mode=true, "
            f"max_line_size={LONGEST_LINE}, buffer_size={_BUFFER}, "
            f"skip={_blank_lines(self.source)}{rejects})"
        )

    def _from(self) -> str:
        layout = self.layout
        used = [
            *(layout.task, layout.outcome, *layout.systems, *layout.rollouts, *layout.errored),
            *self.factors,
        ]
        return self._table(used)

    def _text(self, name: str) -> str:
        """A column as text: what a JSON text holds, without its quotes."""
        if self.is_json:
            return f"({quoted(name)}->>'$')"
        return f"{quoted(name)}::VARCHAR" if self.source.is_parquet else quoted(name)

    def _task(self) -> str:
        name = quoted(self.layout.task)
        if not self.is_json:
            return name
        # Texts and numbers stay apart, and escapes do not matter.
        return (
            f"CASE json_type({name}) WHEN 'VARCHAR' THEN 's' || ({name}->>'$') "
            f"ELSE nullif({name}::VARCHAR, 'null') END"
        )

    def _broken(self) -> str:
        """What makes a record errored: a column of its own, or a word in place of a score."""
        parts = [_is_one_of(self._text(name), Outcome.PASS) for name in self.layout.errored]
        if self.options.pass_if is not None and not self._holds_numbers:
            parts.append(_is_one_of(self._text(self.layout.outcome), Outcome.ERRORED))
        return " OR ".join(parts)

    @property
    def _holds_numbers(self) -> bool:
        return self.source.is_parquet

    def _bit(self, attempts: list[Any]) -> str | None:
        """2 to the number of the attempt, where the first attempts are small numbers or few texts.

        All other attempts share one more power of 2, so that they look like repeats.
        """
        column = self.layout.rollouts[0]
        levels = sorted(set(filter(_is_text, attempts)))
        if all(map(_is_small_number, attempts)):
            number = f"TRY_CAST({self._text(column)} AS INTEGER)"
            if not any(map(_is_text, attempts)) and self.source.is_parquet:
                number = quoted(column)
            self.few_attempts = max(map(int, attempts)) < MOST_PACKED
            return (
                f"CASE WHEN {number} BETWEEN 0 AND {HIGHEST_BIT - 1} "
                f"THEN (1::BIGINT << {number}::INTEGER)::DOUBLE ELSE {2.0**HIGHEST_BIT}::DOUBLE END"
            )
        if all(map(_is_text, attempts)) and len(levels) <= MOST_PACKED:
            whens = " ".join(f"WHEN {text(each)} THEN {2**at}" for at, each in enumerate(levels))
            return f"(CASE {self._text(column)} {whens} ELSE {2**HIGHEST_BIT} END)::DOUBLE"
        return None

    def _passed(self) -> str:
        column = self.layout.outcome
        if self.options.pass_if is not None:
            word = self._text(column)
            if self.source.is_parquet:
                return f"TRY_CAST({quoted(column)} AS DOUBLE)"
            blank = ", ".join(text(each) for each in spellings(Outcome.MISSING))
            errors = ", ".join(text(each) for each in spellings(Outcome.ERRORED))
            # A text that is no number fails here, and is named by the engine.
            return (
                f"CASE WHEN lower(trim({word})) IN ({blank}, {errors}) THEN NULL "
                f"ELSE CAST({word} AS DOUBLE) END"
            )
        return quoted(column) if self.source.is_parquet else self._text(column)

    def _query(self, where: str) -> str:
        parts = [f"{self._task()} AS task", f"{self._passed()} AS passed"]
        if broken := self._broken():
            parts.append(f"coalesce({broken}, false) AS errored")
        rollouts = self.layout.rollouts
        if len(rollouts) == 1:
            name = quoted(rollouts[0])
            parts.append(
                f"nullif({name}::VARCHAR, 'null') AS rollout"
                if self.is_json
                else f"{name} AS rollout"
            )
        elif rollouts:
            joined = ", ".join(f"coalesce({self._text(name)}, '')" for name in rollouts)
            parts.append(f"concat_ws({text(_SEPARATOR)}, {joined}) AS rollout")
        if self.bit:
            parts.append(f"{self.bit} AS bit")
        for name in self.factors:
            value = f"nullif({quoted(name)}::VARCHAR, 'null')" if self.is_json else quoted(name)
            parts.append(f"{value} AS {quoted(f'factor {name}')}")
        return f"SELECT {', '.join(parts)} FROM {self._from()}{where}"

    def _system(self, connection: duckdb.DuckDBPyConnection) -> tuple[str, str | None]:
        """Return the condition that picks the system, and its name."""
        names = self.layout.systems
        if not names:
            return "", None
        label = ", ".join(f"coalesce({self._text(name)}, '')" for name in names)
        label = f"concat_ws(' / ', {label})" if len(names) > 1 else label
        rows = connection.execute(
            f"SELECT {label}, count(*) FROM {self._from()} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1000"
        ).fetchall()
        found = {name or "(no name)": number for name, number in rows}
        wanted = self.options.system
        if wanted is None and len(found) > 1:
            raise several_systems(found)
        if wanted is None:
            return "", next(iter(found))
        if wanted not in found:
            raise unknown_system(wanted, found)
        value = "" if wanted == "(no name)" else wanted
        return f" WHERE {label} = {text(value)}", wanted

    def _without_nameless(self, connection: duckdb.DuckDBPyConnection, counted: Counted) -> Counted:
        """Refuse records without a task; rows that are blank throughout are no records."""
        # Sorted, so that records which name no task stand last.
        if counted.task.dtype != object or counted.task[-1:].tolist() != [None]:
            return counted
        task = quoted(self.layout.task)
        filled = ", ".join(quoted(name) for name in self.columns if name != self.layout.task)
        (partly,) = connection.execute(
            f"SELECT count(*) FROM {self._table(self.columns)} WHERE {task} IS NULL "
            f"AND coalesce({filled}) IS NOT NULL"
        ).fetchone() or (0,)
        blank = int((counted.trials + counted.errored)[-1]) - partly
        if partly:
            raise FormatError(
                f"{plural(partly, 'record')} without a task in column {self.layout.task!r}; "
                f"it must be a text or a whole number"
            )
        named: list[str] = []
        if self.is_json and self.options.skip_bad_records:
            # To the engine such lines are records without any value.
            named = list(islice(bad_lines(self.source), min(blank, MOST_NAMED)))
            self.notes += skipped_note(named, blank)
        if not named:
            self.notes.append(f"{plural(blank, 'row')} without any value skipped")
        return counted.head(len(counted.task) - 1)

    def _note_rejected(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self.is_json or self.source.is_parquet or not self.options.skip_bad_records:
            return
        rows = connection.execute(
            "SELECT line, any_value(error_message) FROM reject_errors GROUP BY line ORDER BY line"
        ).fetchall()
        if rows:
            named = [f"line {line:,}: {reason.rstrip('.')}" for line, reason in rows[:MOST_NAMED]]
            self.notes += skipped_note(named, len(rows))

    def _constant(self, counted: Counted) -> dict[str, npt.NDArray[Any]]:
        columns: dict[str, npt.NDArray[Any]] = {}
        varying: list[str] = []
        tasks = matching(self.layout.others, known.TASK)
        for name in self.factors:
            values = counted.factors[f"factor {name}"]
            if isinstance(values, tuple):
                if name in tasks and not self.layout.rollouts:
                    raise InputError(
                        f"the columns {self.layout.task!r} and {name!r} could both name the "
                        f"task, and {name!r} differs between rows of one {self.layout.task!r}; "
                        f"rename it to 'rollout' or to 'task', as it is meant"
                    )
                varying.append(name)
            else:
                columns[name] = decoded(values) if self.is_json else values
        if varying:
            self.notes.insert(0, f"not used, since they vary within a task: {', '.join(varying)}")
        return columns


def _is_one_of(column: str, outcome: Outcome) -> str:
    listed = ", ".join(text(each) for each in spellings(outcome))
    return f"lower(trim({column})) IN ({listed})"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_small_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    word = str(value)
    return word.isascii() and word.isdecimal() and int(word[:9]) < HIGHEST_BIT


def _header(source: Source) -> list[str]:
    """Return the names of all columns of a CSV file, in order."""
    names = list(source.columns)
    return [name or f"column {at}" for at, name in enumerate(names, start=1)]


def _blank_lines(source: Source) -> int:
    """Return how many blank lines stand above the header."""
    lines = (source.text or "").splitlines()
    return next((at for at, line in enumerate(lines) if line.strip()), 0)
