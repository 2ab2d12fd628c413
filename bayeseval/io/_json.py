"""Decoding JSON: only the fields that are needed, and errors that name the place."""

from __future__ import annotations

import codecs
import json
from typing import Any

import msgspec

from bayeseval.errors import FormatError

__all__ = ["check_utf8", "decode", "decode_lines"]

_CHUNK = 1 << 20


def decode[T](data: bytes, kind: type[T]) -> T:
    """Decode one JSON document into `kind`; what `kind` does not name is skipped."""
    check_utf8(data)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise _unexpected(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return msgspec.convert(_lenient(data), kind)
    except msgspec.ValidationError as error:
        raise _unexpected(error) from None


def check_utf8(data: bytes) -> None:
    """Raise FormatError for bytes that are no UTF-8; decoders do not look into what they skip."""
    if data.isascii():
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        chunk = data[start : start + _CHUNK]
        try:
            decoder.decode(chunk, final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, start) + error.object.count(b"\n", 0, error.start) + 1
            raise FormatError(f"not UTF-8 at line {line}; save the file as UTF-8") from None


def _unexpected(error: msgspec.ValidationError) -> FormatError:
    return FormatError(f"a field is not what the format says: {error}")


def _lenient(data: bytes) -> Any:
    """Decode JSON with the bare NaN and Infinity that Python's own writer produces."""
    check_utf8(data)
    try:
        value = json.loads(data)
        # Half of a surrogate pair is no character: it could be neither printed nor saved.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError("a text holds half of a surrogate pair, which is no character") from None
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply to be results") from None
    except ValueError as error:
        raise FormatError(f"not valid JSON: {error}") from None
    return value


def decode_lines(
    data: bytes, skipped: list[str] | None = None
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the objects of a JSONL file, and the line of each; blank lines are passed over.

    Lines that hold none are an error, or are added to `skipped` where it is a list.
    """
    decoder = msgspec.json.Decoder()
    records: list[dict[str, Any]] = []
    numbers: list[int] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            try:
                value = _lenient(line)
            except FormatError as error:
                if not records:
                    _refuse_single_object(data)
                reason = str(error).replace(" at line 1", "").replace("line 1, ", "")
                reason = f"line {number} is no JSON object ({reason})"
                if skipped is None:
                    raise FormatError(
                        f"{reason}; JSONL has one object a line; mend it, or leave such lines "
                        f"out with skip_bad_records= (--skip-bad-records)"
                    ) from None
                skipped.append(reason)
                continue
        if not isinstance(value, dict):
            reason = f"line {number} holds no JSON object, but {type(value).__name__}"
            if skipped is None:
                raise FormatError(reason)
            skipped.append(reason)
            continue
        records.append(value)
        numbers.append(number)
    return records, numbers


def _refuse_single_object(data: bytes) -> None:
    """Raise a helpful error where JSON over several lines is one object, not one a line."""
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    if isinstance(value, dict):
        keys = ", ".join(repr(key[:30]) for key in list(value)[:8])
        keys += ", ..." if len(value) > 8 else ""
        raise FormatError(
            f"the file is one JSON object with the keys {keys}: neither a known report nor "
            f"JSONL, which has one object a line"
        )
