"""Tables at any size through DuckDB: only counts per task come back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayeseval.errors import FormatError

if TYPE_CHECKING:
    import duckdb

__all__ = ["connected", "parquet_rows", "path_text", "quoted", "text"]

MEMORY_LIMIT = "600MB"
# It lets the reader of CSV convert what is only to be tried to: one text that is no number is then
# an error, or its whole row is lost where bad rows are to be left out.
_TYPE_PUSHDOWN = "type_pushdown"
_SPILL: dict[int, tempfile.TemporaryDirectory[str]] = {}


@contextmanager
def connected() -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with bounded memory that loads nothing from elsewhere."""
    import duckdb

    with _database(os.getpid()).cursor() as connection:
        try:
            yield connection
        except duckdb.Error as error:
            raise FormatError(_reason(error)) from None


@cache
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """Return the one database of a process, which holds no tables; a fork needs its own."""
    import duckdb

    # Kept until the process ends, and then removed.
    _SPILL[process] = tempfile.TemporaryDirectory(prefix="bayeseval-", ignore_cleanup_errors=True)
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": _SPILL[process].name,
        "preserve_insertion_order": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    database = duckdb.connect(":memory:", config=config)
    known = database.execute("SELECT name FROM duckdb_optimizers()").fetchall()
    if (_TYPE_PUSHDOWN,) in known:
        database.execute(f"SET GLOBAL disabled_optimizers = '{_TYPE_PUSHDOWN}'")
    return database


def _reason(error: Exception) -> str:
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return first.rstrip(".")


def quoted(name: str) -> str:
    """A name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def path_text(path: Path) -> str:
    """A path in SQL, meant as it stands: brackets and stars are no pattern."""
    return text("".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path.absolute())))


def parquet_rows(path: Path, most: int | None = None) -> dict[str, list[Any]]:
    """Return the columns of a Parquet file, or their first values."""
    with connected() as connection:
        limit = "" if most is None else f" LIMIT {most}"
        found = connection.sql(f"SELECT * FROM read_parquet({path_text(path)}){limit}")
        rows = found.fetchall()
        names = list(found.columns)
    columns = list(map(list, zip(*rows, strict=True))) or [[] for _ in names]
    return dict(zip(names, columns, strict=True))
