"""Tables as text: CSV with any delimiter, JSONL and JSON lists, into columns."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bayeseval.errors import FormatError
from bayeseval.io._format import MOST_COLUMNS, SAMPLE_ROWS, Source
from bayeseval.io._json import decode, decode_lines
from bayeseval.io._stream import skipped_note
from bayeseval.rollouts._tally import short

__all__ = ["Table", "parse", "sample"]

# Columns are filled up where a record has no such key: this many times its own values.
MOST_BLANKS = 100
_BAD_BYTE = re.compile("[\udc80-\udcff]")
_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length, and where each row stands in the file.

    Parameters
    ----------
    columns : dict of str to list
        Values as the file has them: texts from CSV, JSON types from JSON.
    numbers : list of int
        Line of each row, or number of each record in a JSON list.
    unit : str
        What `numbers` count: ``"line"`` or ``"record"``.
    notes : tuple of str
        What the ledger must tell.
    """

    columns: dict[str, list[Any]]
    numbers: list[int]
    unit: str
    notes: tuple[str, ...] = ()

    def place(self, at: int) -> str:
        """Name a row: ``line 12``."""
        return f"{self.unit} {self.numbers[at]}"


def parse(source: Source, *, skip_bad_records: bool = False) -> Table:
    """Return the table that a file holds.

    Rows that cannot be decoded are an error, or counted in a note with `skip_bad_records`.
    """
    skipped: list[str] | None = [] if skip_bad_records else None
    if source.is_parquet:
        # Loads DuckDB.
        from bayeseval.io._engine import parquet_rows

        return _table_of_columns(parquet_rows(source.path))
    if not source.is_json:
        return _parse_csv(source, skipped)
    if source.head.lstrip().startswith(b"["):
        records = decode(source.content(), list[dict[str, Any]])
        numbers, unit = list(range(1, len(records) + 1)), "record"
    else:
        records, numbers = decode_lines(source.content(), skipped)
        unit = "line"
    names = dict.fromkeys(name for record in records for name in record)
    n_values = sum(map(len, records))
    if len(names) * len(records) > MOST_BLANKS * n_values + 1_000_000:
        raise FormatError(
            f"{len(records):,} records have {len(names):,} different keys, few of which are in "
            f"any one record; records of one table have the same keys"
        )
    columns = {name: [record.get(name) for record in records] for name in names}
    return Table(columns, numbers, unit, tuple(skipped_note(skipped)))


def _table_of_columns(columns: dict[str, list[Any]]) -> Table:
    n_rows = len(next(iter(columns.values()), []))
    if not n_rows:
        raise FormatError("the table has columns but no rows")
    return Table(columns, list(range(1, n_rows + 1)), "row")


def sample(source: Source) -> Table:
    """Return the first rows of a table, which is perhaps too large to be parsed here."""
    if source.is_parquet:
        return _table_of_columns(source.first_rows)
    return parse(Source(source.path, _first_lines(source), True), skip_bad_records=True)


def _first_lines(source: Source) -> bytes:
    """Return the first lines of a text; an end of line within quotes is none."""
    lines: list[bytes] = []
    whole, quotes = 0, 0
    for line in source.head.splitlines(keepends=True):
        lines.append(line)
        quotes += line.count(b'"')
        if source.is_json or quotes % 2 == 0:
            whole = len(lines)
            if whole > SAMPLE_ROWS:
                return b"".join(lines[:whole])
    if source.complete:
        return source.head
    # The last line is cut.
    return b"".join(lines[: min(whole, len(lines) - 1)])


def _parse_csv(source: Source, skipped: list[str] | None) -> Table:
    data = source.content()
    try:
        text, is_damaged = data.decode("utf-8"), False
    except UnicodeDecodeError:
        # Bad bytes become halves of surrogate pairs, which no text in UTF-8 holds.
        text, is_damaged = data.decode("utf-8", errors="surrogateescape"), True
    header: list[str] | None = None
    rows: list[list[str]] = []
    numbers: list[int] = []
    blank = 0
    # Strict: a quote that is never closed must not swallow the rest of the file.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=source.delimiter, strict=True)
    try:
        with _any_field_length():
            for row in reader:
                if is_damaged and (bad := _BAD_BYTE.search(_SEPARATOR.join(row))):
                    wrong = (
                        f"line {reader.line_num} is not UTF-8 (byte {ord(bad[0]) - 0xDC00:#04x})"
                    )
                    if skipped is None or header is None:
                        raise FormatError(
                            f"{wrong}; save the file as UTF-8, or leave such lines out with "
                            f"skip_bad_records= (--skip-bad-records)"
                        )
                    skipped.append(wrong)
                elif not any(map(str.strip, row)):
                    blank += bool(row)
                elif header is None:
                    header = _header(row)
                elif len(row) != len(header):
                    wrong = (
                        f"line {reader.line_num} has {len(row)} fields where the header has "
                        f"{len(header)}"
                    )
                    if skipped is None:
                        raise FormatError(
                            f"{wrong}; complete it, put quotes around a field that holds "
                            f"{source.delimiter!r}, or leave such lines out with "
                            f"skip_bad_records= (--skip-bad-records)"
                        )
                    skipped.append(wrong)
                else:
                    rows.append(row)
                    numbers.append(reader.line_num)
    except csv.Error as error:
        raise FormatError(f"line {reader.line_num} is no CSV: {error}") from None
    if header is None or not rows:
        raise FormatError("the table has a header but no rows")
    columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    notes = [f"{blank} rows without any value were skipped"] if blank else []
    return Table(columns, numbers, "line", (*notes, *skipped_note(skipped)))


def _header(row: list[str]) -> list[str]:
    if len(row) > MOST_COLUMNS:
        raise FormatError(
            f"the first line has {len(row):,} columns; a table of results has at most "
            f"{MOST_COLUMNS:,}"
        )
    header = [cell.strip() or f"column {at}" for at, cell in enumerate(row, start=1)]
    seen: set[str] = set()
    for name in header:
        if name in seen:
            raise FormatError(
                f"the header names the column {short(name)} twice; rename one of them"
            )
        seen.add(name)
    return header


@contextmanager
def _any_field_length() -> Iterator[None]:
    """Lift the csv module's limit of 128 KiB a field, which transcripts exceed."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
