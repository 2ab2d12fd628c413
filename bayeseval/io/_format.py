"""What a reader is, and what it is given: a source that is sniffed before it is read."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bayeseval.errors import FormatError, InputError
from bayeseval.io._options import Options
from bayeseval.io._records import CountTable, Records
from bayeseval.io._totals import in_file
from bayeseval.rollouts._tally import short
from bayeseval.rollouts._text import plural

__all__ = ["Format", "Source"]

HEAD_SIZE = 1 << 20
# Read where the first record fills the head, and its keys behind a long transcript decide.
WIDE_HEAD_SIZE = 1 << 26
# More than any table of results has; a line of commas would be a million columns.
MOST_COLUMNS = 10_000
MOST_MEMBERS = 200_000
SAMPLE_ROWS = 1_000
_ZIP_HEAD = 1 << 12
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",\t;|"


@dataclass(frozen=True, eq=False)
class Source:
    """A file or a folder: its first bytes or its files, and what they look like.

    Parameters
    ----------
    path : Path
        The file or folder.
    head : bytes
        The first bytes of a file, without a byte order mark; none of a folder.
    complete : bool
        Whether `head` is the whole file.
    is_folder : bool, default False
        Whether it is a folder, which has `members` and no content.
    is_gzip : bool, default False
        Whether the file is packed by gzip; `head` is unpacked.
    """

    path: Path
    head: bytes
    complete: bool
    is_folder: bool = False
    is_gzip: bool = False

    @classmethod
    def open(cls, name: str, *, size: int = HEAD_SIZE) -> Source:
        """Read the head of a file; a file that cannot be read, or is empty, is an error."""
        path = Path(name)
        if os.path.isdir(name):
            return cls(path, b"", True, is_folder=True)
        try:
            with path.open("rb") as file:
                head = file.read(_ZIP_HEAD + 1)
                if head.startswith(ZIP_MAGIC):
                    # The directory of an archive stands at its end.
                    size = min(size, _ZIP_HEAD)
                else:
                    head += file.read(max(size - _ZIP_HEAD, 0))
        except FileNotFoundError:
            raise InputError("no such file") from None
        except (OSError, ValueError) as error:
            raise InputError(f"cannot be read: {error}") from None
        is_gzip = head.startswith(GZIP_MAGIC)
        if is_gzip:
            head = unpacked_head(path, size + 1)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise FormatError("the text is UTF-16; save it as UTF-8")
        complete = len(head) <= size
        head = (head if complete else head[:size]).removeprefix(_BOM)
        if not head or head.isspace():
            raise FormatError("the file is empty")
        return cls(path, head, complete, is_gzip=is_gzip)

    def content(self) -> bytes:
        """Return all bytes of the file, without a byte order mark."""
        if self.is_folder:
            raise InputError("a folder; name a file in it")
        if self.complete:
            return self.head
        if self.is_gzip:
            raise FormatError("packed by gzip; unpack it first")
        return self.path.read_bytes().removeprefix(_BOM)

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The files of a folder, sorted, relative to it with ``/`` between; hidden ones not."""
        if not self.is_folder:
            return ()
        found: list[str] = []
        for folder, folders, files in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            relative = Path(folder).relative_to(self.path)
            found += (
                (relative / name).as_posix()
                for name in files
                if not name.startswith(".") and os.path.isfile(os.path.join(folder, name))
            )
            if len(found) > MOST_MEMBERS:
                raise InputError(
                    f"the folder holds more than {MOST_MEMBERS:,} files; name a folder in it"
                )
        return tuple(sorted(found))

    def member(self, name: str) -> Source:
        """Open one of `members`."""
        try:
            return Source.open(str(self.path / name))
        except InputError as error:
            raise in_file(name, error) from None

    @cached_property
    def text(self) -> str | None:
        """The head as text, or None where it is none."""
        # Sought first: to decode a binary file, and ignore its errors, takes long.
        if self.is_folder or b"\0" in self.head:
            return None
        try:
            return self.head.decode("utf-8")
        except UnicodeDecodeError as error:
            is_cut = not self.complete and error.start > len(self.head) - 4
            # A damaged line is named by the reader, or left out if the caller says so.
            if is_cut or self.is_json or error.start > self.head.find(b"\n") >= 0:
                return self.head.decode("utf-8", errors="replace")
            return None

    @cached_property
    def json(self) -> Any:
        """The first JSON object or list; cut short where the head is, None if there is none."""
        return None if self.text is None else _first_json(self.text)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The first JSON object: of the file, of its first line or of its list."""
        value = self.json
        if isinstance(value, list) and value:
            value = value[0]
        return value if isinstance(value, dict) else {}

    @cached_property
    def first_rows(self) -> dict[str, list[Any]]:
        """The columns of a Parquet file, with their first values."""
        # Loads DuckDB.
        from bayeseval.io._engine import parquet_rows

        return parquet_rows(self.path, SAMPLE_ROWS)

    @property
    def is_parquet(self) -> bool:
        """Whether the file is a Parquet file."""
        return self.head.startswith(b"PAR1") and not self.is_gzip

    @cached_property
    def is_json(self) -> bool:
        """Whether the head begins as a JSON object or list does."""
        return self.head.lstrip()[:1] in (b"{", b"[")

    @cached_property
    def delimiter(self) -> str:
        """What separates the columns of the first line, where it is a table."""
        line = next((line for line in (self.text or "").splitlines() if line.strip()), "")
        unquoted = re.sub(r'"[^"]*"', "", line)
        return max(_DELIMITERS, key=unquoted.count)

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns: keys of the first JSON object, or cells of the first line."""
        if self.is_parquet:
            return list(self.first_rows)
        if self.is_json or self.text is None:
            return list(self.record)[:MOST_COLUMNS]
        lines = (line for line in self.text.splitlines() if line.strip())
        try:
            cells = next(csv.reader(lines, delimiter=self.delimiter))
            return [cell.strip() for cell in cells[:MOST_COLUMNS]]
        except (csv.Error, StopIteration):
            return []

    def describe(self) -> str:
        """Say what the file looks like, for a message about a file that no reader knows."""
        if self.is_folder:
            return f"a folder of {plural(len(self.members), 'file')}"
        if self.text is None and not self.is_parquet:
            return "it is no text"
        listed = ", ".join(short(name, 30) for name in self.columns[:8])
        listed += ", ..." if len(self.columns) > 8 else ""
        if not self.is_json:
            where = "it is a Parquet file with" if self.is_parquet else "its first line has"
            return f"{where} the columns {listed}"
        if self.record:
            kind = "a list whose first record" if isinstance(self.json, list) else "an object that"
            return f"it is JSON: {kind} has the keys {listed}"
        return "it begins like JSON, but holds no object with keys"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Format:
    """A reader of one format.

    Parameters
    ----------
    name : str
        What ``format=`` takes.
    title : str
        What the format is, in a few words.
    looks_for : str
        What `detect` looks for, for the message about a file that no reader knows.
    extensions : tuple of str
        Usual endings of such files; a hint for people, never used to detect.
    detect : callable
        Whether the head of a source is of this format.
    read : callable
        Returns the records or counts of a source. Raises FormatError or InputError with
        the line or record, without the name of the file.
    general : bool, default False
        Such a format is taken only where no other one claims the file.
    reads_folders : bool, default False
        Whether `read` takes folders.
    reads_gzip : callable, default None
        Whether `read` takes a source that is packed by gzip; it is unpacked otherwise.
    """

    name: str
    title: str
    looks_for: str
    extensions: tuple[str, ...]
    detect: Callable[[Source], bool]
    read: Callable[[Source, Options], Records | CountTable]
    general: bool = False
    reads_folders: bool = False
    reads_gzip: Callable[[Source], bool] | None = None


def unpacked_head(path: Path, size: int) -> bytes:
    """Return the first bytes of what a gzip file holds."""
    try:
        with gzip.open(path) as file:
            return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"the gzip file is damaged: {error}") from None


_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],"]', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}
_MOST_DEPTH = 200


def _first_json(text: str) -> Any:
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] not in _CLOSER:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        pass
    try:
        return json.loads(_closed(text[start:]))
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> str:
    """Cut broken JSON after its last complete value and close what is open there."""
    closers: list[str] = []
    cut, open_at_cut = 0, ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == '"' or len(closers) > _MOST_DEPTH:
            break
        if token in _CLOSER:
            closers.append(_CLOSER[token])
        elif token in ("}", "]"):
            if not closers or closers.pop() != token:
                break
        elif token != ",":
            continue
        cut = match.start() if token == "," else match.end()
        open_at_cut = "".join(reversed(closers))
        if not closers:
            break
    return text[:cut] + open_at_cut
