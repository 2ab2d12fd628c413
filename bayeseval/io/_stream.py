"""JSONL at any size: one line in memory at a time, only the fields that are needed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from bayeseval.errors import FormatError
from bayeseval.io._format import Source
from bayeseval.io._json import check_utf8, decode
from bayeseval.rollouts._text import plural

__all__ = ["MOST_NAMED", "skipped_note", "stream_lines"]

_BUFFER_SIZE = 1 << 20
_BOM = b"\xef\xbb\xbf"
MOST_NAMED = 3


def stream_lines[T](
    source: Source, kind: type[T], skipped: list[str] | None = None
) -> Iterator[tuple[int, bytes, T]]:
    """Yield the number, the bytes and the record of each line that is not blank.

    Parameters
    ----------
    source : Source
        A JSONL file.
    kind : type
        What a line holds; fields that it does not name are not decoded.
    skipped : list of str, default None
        Takes the reason for each line that cannot be read; an error if None.
    """
    decoder = msgspec.json.Decoder(kind)
    with _opened(source) as file:
        for number, raw in enumerate(file, start=1):
            line = raw.removeprefix(_BOM) if number == 1 else raw
            try:
                check_utf8(line)
                record = decoder.decode(line)
            except (msgspec.MsgspecError, FormatError, RecursionError):
                if not line.strip():
                    continue
                try:
                    # Slower, but it reads bare NaN and says what is wrong.
                    record = decode(line, kind)
                except FormatError as error:
                    reason = str(error).replace(" at line 1,", " at").replace(" at line 1", "")
                    if skipped is None:
                        raise FormatError(
                            f"line {number:,}: {reason}; mend the line, or leave such lines out "
                            f"with skip_bad_records= (--skip-bad-records)"
                        ) from None
                    skipped.append(f"line {number:,}: {reason}")
                    continue
            yield number, line, record


def _opened(source: Source) -> BinaryIO:
    if source.complete:
        return io.BytesIO(source.head)
    return source.path.open("rb", buffering=_BUFFER_SIZE)


def skipped_note(skipped: list[str] | None, total: int | None = None) -> list[str]:
    """Return a note that counts the records that were left out, and says why; none if none.

    They are `total`, where only the first reasons are known.
    """
    if not skipped:
        return []
    total = total or len(skipped)
    named = "; ".join(skipped[:MOST_NAMED])
    if total > MOST_NAMED:
        named += f"; and {total - MOST_NAMED:,} more"
    return [f"{plural(total, 'record')} that could not be read left out: {named}"]
