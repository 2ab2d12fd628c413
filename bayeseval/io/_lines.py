"""JSONL decoded into a given kind of record, line by line and without the whole in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from bayeseval.errors import FormatError
from bayeseval.io._format import Source
from bayeseval.io._json import decode
from bayeseval.rollouts._text import plural

__all__ = ["skipped_note", "typed_lines"]

_MOST_NAMED = 5
_BOM = b"\xef\xbb\xbf"


def typed_lines[T](
    source: Source, kind: type[T], skipped: list[str] | None
) -> Iterator[tuple[int, bytes, T]]:
    """Yield the number, the text and the record of each line; blank lines are passed over.

    Lines that cannot be decoded are an error, or are added to `skipped` where it is a list.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(_lines(source), start=1):
        if not line or line.isspace():
            continue
        try:
            record = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            try:
                record = decode(line, kind)
            except FormatError as error:
                reason = f"line {number}: {str(error).replace(' at line 1', '')}"
                if skipped is None:
                    raise FormatError(
                        f"{reason}; mend the line, or leave such lines out with "
                        f"skip_bad_records= (--skip-bad-records)"
                    ) from None
                skipped.append(reason)
                continue
        yield number, line, record


def skipped_note(skipped: Sequence[str]) -> list[str]:
    """Return a note on the records that could not be read, or none."""
    if not skipped:
        return []
    listed = "; ".join(skipped[:_MOST_NAMED]) + ("; ..." if len(skipped) > _MOST_NAMED else "")
    return [f"{plural(len(skipped), 'record')} that could not be read left out: {listed}"]


def _lines(source: Source) -> Iterator[bytes]:
    """Split at line feeds only: a text may hold other line separators."""
    if source.complete:
        yield from source.content().split(b"\n")
        return
    with source.path.open("rb") as file:
        for number, line in enumerate(file):
            yield line.removeprefix(_BOM) if number == 0 else line
