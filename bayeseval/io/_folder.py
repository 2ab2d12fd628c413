"""Folders that one run wrote: reading their files, and finding those that are none of it."""

from __future__ import annotations

from collections.abc import Callable, Container

from bayeseval.errors import FormatError, InputError
from bayeseval.io._format import Source
from bayeseval.io._json import decode
from bayeseval.rollouts._text import plural

__all__ = ["below", "decode_member", "strangers", "strangers_note"]

_RESULT_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".parquet", ".eval", ".xml")
_MOST_NAMED = 3


def decode_member[T](
    folder: Source, name: str, kind: type[T], skipped: list[str] | None
) -> T | None:
    """Decode one file of a folder; None where it cannot be read and `skipped` takes the reason."""
    try:
        return decode(folder.member(name).content(), kind)
    except InputError as error:
        reason = str(error) if str(error).startswith(name) else f"{name}: {error}"
        if skipped is None:
            raise FormatError(
                f"{reason}; mend the file, or leave such files out with skip_bad_records= "
                f"(--skip-bad-records)"
            ) from None
        skipped.append(reason)
        return None


def below(name: str, folders: Container[str]) -> bool:
    """Whether a file lies in one of the folders, at any depth; ``""`` is the root."""
    parent = name
    while parent:
        parent = parent.rpartition("/")[0]
        if parent in folders:
            return True
    return False


def strangers(folder: Source, belongs: Callable[[str], bool]) -> list[str]:
    """Return the files that could hold results, and are no part of the run by `belongs`.

    A folder with such files is not claimed: reading the run alone would lose them.
    """
    return [name for name in folder.members if name.endswith(_RESULT_ENDINGS) and not belongs(name)]


def strangers_note(found: list[str]) -> list[str]:
    """Return a note on files that were not read; none if none."""
    if not found:
        return []
    named = ", ".join(found[:_MOST_NAMED]) + (", ..." if len(found) > _MOST_NAMED else "")
    return [f"not read, since it is no part of the run: {plural(len(found), 'file')} ({named})"]
