"""From what a caller names to the inputs that are read: files, folders, patterns, a pipe."""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path
from typing import IO

from bayeseval._validate import LONGEST_PATH, shown
from bayeseval.errors import FormatError, InputError
from bayeseval.io._format import Format, Source
from bayeseval.io._registry import choose, claims
from bayeseval.io._totals import in_file
from bayeseval.rollouts._text import plural

__all__ = ["Input", "Paths", "open_inputs", "path_list"]

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

STANDARD_INPUT = "-"
_MOST_NAMED = 5
_CHUNK = 1 << 20
# Beyond this a small compressed file is more likely made to fill a disk than to be read.
MOST_UNPACKED = 1 << 36
MOST_RATIO = 200
FREE_RATIO_BELOW = 1 << 26


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """One file or folder that a format reads.

    Parameters
    ----------
    name : str
        What it is called in messages and in the ledger.
    source : Source
        What is read.
    format : Format
        What reads it.
    in_folder : bool, default False
        Whether it was found in a folder, and not named itself.
    """

    name: str
    source: Source
    format: Format
    in_folder: bool = False


@contextmanager
def open_inputs(paths: Paths, format: str | None) -> Iterator[tuple[list[Input], list[str]]]:
    """Give the inputs that `paths` name, and notes on files of folders that were not read."""
    names = path_list(paths)
    with ExitStack() as stack:
        inputs: list[Input] = []
        notes: list[str] = []
        for name in names:
            for found in _matches(name):
                inputs += _of_path(found, format, stack, notes)
        _refuse_repeats(inputs)
        yield inputs, notes


def path_list(paths: Paths) -> list[str]:
    """Return the names that a caller gave, as texts."""
    try:
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        names = [os.fspath(each) for each in given]
    except TypeError:
        raise InputError(f"path must be a path or a list of paths; got {shown(paths)}") from None
    for each in names:
        if not isinstance(each, str):
            raise InputError(f"path must be text; got {shown(each)}")
        if len(each) > LONGEST_PATH:
            raise InputError(f"path must be the name of a file; got {shown(each)}")
    if not names:
        raise InputError("no file is named")
    return names


def _matches(name: str) -> list[str]:
    # A name that exists is meant as it stands, even where it has brackets in it.
    if name == STANDARD_INPUT or not has_magic(name) or os.path.exists(name):
        return [name]
    found = sorted(glob(name, recursive=True))
    if not found:
        raise InputError(f"{name}: no file matches this pattern")
    return found


def _of_path(name: str, format: str | None, stack: ExitStack, notes: list[str]) -> list[Input]:
    if name == STANDARD_INPUT:
        spooled = _spooled(sys.stdin.buffer, "standard input", stack)
        return [_of_file(spooled, "standard input", format, stack)]
    if os.path.isdir(name):
        return _of_folder(name, format, stack, notes)
    if stat.S_ISCHR(_mode(name)) or stat.S_ISBLK(_mode(name)):
        raise InputError(f"{name}: a device, not a file")
    if os.path.exists(name) and not os.path.isfile(name):
        # A pipe can be read only once, and readers look at the beginning first.
        try:
            with open(name, "rb") as pipe:
                spooled = _spooled(pipe, name, stack)
        except OSError as error:
            raise InputError(f"{name}: cannot be read: {error}") from None
        return [_of_file(spooled, name, format, stack)]
    return [_of_file(name, name, format, stack)]


def _mode(name: str) -> int:
    try:
        return os.stat(name).st_mode
    except (OSError, ValueError):
        # Opening it says what is wrong.
        return 0


def _of_file(path: str, name: str, format: str | None, stack: ExitStack) -> Input:
    try:
        source = Source.open(path)
        chosen = choose(source, format)
        taken = chosen.reads_gzip is not None and chosen.reads_gzip(source)
        if source.is_gzip and not taken:
            source = Source.open(_unpacked(source, stack))
        return Input(name, source, chosen)
    except InputError as error:
        raise in_file(name, error) from None


def _of_folder(name: str, format: str | None, stack: ExitStack, notes: list[str]) -> list[Input]:
    """Read a folder as one where a format claims it, else each thing in it that one claims."""
    unread: list[str] = []
    inputs = _in_folder(Path(name), format, stack, unread)
    if not inputs:
        what = f"{plural(len(unread), 'file')} in it" if unread else "it is empty"
        insisted = f" as {format!r}" if format else ""
        raise FormatError(
            f"{name}: a folder without results that could be recognised{insisted} ({what}"
            f"{_named(unread)})"
        )
    if unread:
        notes.append(
            f"not read, since not recognised as results: {plural(len(unread), 'file')} in "
            f"{name}{_named(unread)}"
        )
    return inputs


def _named(files: list[str]) -> str:
    if not files:
        return ""
    return f": {', '.join(files[:_MOST_NAMED])}" + (", ..." if len(files) > _MOST_NAMED else "")


def _in_folder(
    folder: Path, format: str | None, stack: ExitStack, unread: list[str]
) -> list[Input]:
    try:
        source = Source.open(str(folder))
        claimed = claims(source, format)
    except InputError as error:
        raise in_file(str(folder), error) from None
    if format is not None and not claimed and choose(source, format).reads_folders:
        claimed = [choose(source, format)]
    if len(claimed) == 1:
        return [Input(str(folder), source, claimed[0])]
    inputs: list[Input] = []
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error}") from None
    for entry in entries:
        mode = _mode(str(entry))
        if stat.S_ISDIR(mode):
            # A link could lead round in a circle.
            if not entry.is_symlink():
                inputs += _in_folder(entry, format, stack, unread)
        elif stat.S_ISREG(mode):
            if _is_claimed(entry, format):
                found = _of_file(str(entry), str(entry), format, stack)
                inputs.append(replace(found, in_folder=True))
            else:
                unread.append(entry.name)
    return inputs


def _is_claimed(path: Path, format: str | None) -> bool:
    try:
        return bool(claims(Source.open(str(path)), format))
    except InputError:
        return False


def _refuse_repeats(inputs: list[Input]) -> None:
    seen: set[str] = set()
    for each in inputs:
        real = os.path.realpath(each.source.path)
        if real in seen:
            raise InputError(f"{each.name}: the file is named twice")
        seen.add(real)


def _temporary() -> IO[bytes]:
    return tempfile.NamedTemporaryFile(prefix="bayeseval-")


def _spooled(stream: IO[bytes], name: str, stack: ExitStack) -> str:
    """Copy a stream to a file that lives as long as the stack."""
    file = stack.enter_context(_temporary())
    try:
        shutil.copyfileobj(stream, file, _CHUNK)
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error}") from None
    file.flush()
    return file.name


def _unpacked(source: Source, stack: ExitStack) -> str:
    """Unpack a gzip file for a reader that wants plain bytes."""
    file = stack.enter_context(_temporary())
    size, packed = 0, max(source.path.stat().st_size, 1)
    try:
        with gzip.open(source.path) as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > MOST_UNPACKED or (size > FREE_RATIO_BELOW and size > MOST_RATIO * packed):
                    raise FormatError(
                        f"unpacks to more than {MOST_RATIO} times its size; unpack it yourself "
                        f"if it is meant to"
                    )
                file.write(chunk)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"the gzip file is damaged: {error}") from None
    file.flush()
    return file.name
