"""Writing files whole: to a temporary name in the same folder, then renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bayeseval._validate import as_path
from bayeseval.errors import InputError

__all__ = ["as_output_path", "atomic_path"]

# A disk or a quota that is full, a file beyond the limit, a device that fails or is read-only.
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


def as_output_path(path: str | os.PathLike[str], *, suffixes: tuple[str, ...] = ()) -> Path:
    """Check that a file can be written at `path`, before the work that fills it.

    Parameters
    ----------
    path : str or path-like
        The file to be written; it may exist.
    suffixes : tuple of str, default ()
        Endings of which it must have one, in any case (``(".png", ".svg")``); any
        ending will do if empty.

    Returns
    -------
    Path
        Where the file will lie, symbolic links followed.

    Raises
    ------
    InputError
        Another ending, a folder of that name, a folder that is missing or not writable.
    """
    name = path if isinstance(path, str) else as_path(path, "path")
    try:
        target = Path(os.path.realpath(name))
        target.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be written: {error}") from None
    if suffixes and Path(name).suffix.lower() not in suffixes:
        raise InputError(f"{name}: the name of this file must end in {' or '.join(suffixes)}")
    if target.is_dir():
        raise InputError(f"{name}: a folder; name a file in it")
    if not target.parent.is_dir():
        raise InputError(
            f"{name}: there is no folder {target.parent} to write it in; make it first"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{name}: the folder {target.parent} is not writable")
    return target


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file that takes the place of `path` when the block succeeds.

    Whatever ends the block early, an error or an interrupt, removes the temporary file
    and leaves `path` as it was: nobody ever finds half a file. What a process that was
    killed leaves is hidden, and taken away when the same file is written again.

    Parameters
    ----------
    path : str or path-like
        The file to write, new or to be replaced.

    Yields
    ------
    Path
        An empty file in the same folder and with the same suffix.

    Raises
    ------
    InputError
        `path` cannot be written, or there is no room for it.

    Examples
    --------
    >>> import os, tempfile
    >>> from bayeseval._atomic import atomic_path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_path(os.path.join(folder, "answer.txt")) as temporary:
    ...         _ = temporary.write_text("80.0 %")
    ...     os.listdir(folder)
    ['answer.txt']
    """
    target = as_output_path(path)
    stem = f".{target.stem[:40]}-"
    _remove_abandoned(target, stem)
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f"{stem}{_machine()}-{os.getpid()}-", suffix=target.suffix
        )
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be written: {error.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _take_mode(temporary, target)
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if reason := _no_room(error):
            raise InputError(f"{os.fspath(path)}: cannot be written: {reason}") from None
        raise


def _machine() -> str:
    """Where process ids mean the same: this computer, and this container on it."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return f"{zlib.crc32(f'{platform.node()} {space}'.encode()):08x}"


def _remove_abandoned(target: Path, stem: str) -> None:
    """Take away what processes that were killed while they wrote `target` have left."""
    name = re.compile(rf"{re.escape(stem + _machine())}-(\d+)-\w+{re.escape(target.suffix)}")
    with contextlib.suppress(OSError):
        for each in os.listdir(target.parent):
            if (found := name.fullmatch(each)) and not _is_alive(int(found[1])):
                (target.parent / each).unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _no_room(error: BaseException) -> str:
    """Why a device took no more; empty for other errors."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return os.strerror(error.errno)
    # HDF5 tells the number of the error in its message only.
    told = re.search(r"errno = (\d+)", str(error))
    return os.strerror(int(told[1])) if told and int(told[1]) in NO_ROOM else ""


def _take_mode(temporary: Path, target: Path) -> None:
    """Give the file the rights of the one it replaces, or those of any new file."""
    if target.exists():
        shutil.copymode(target, temporary)
    else:
        # The only way to read the mask is to set it.
        mask = os.umask(0o077)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
