"""What the engine says, in our words: its errors, and the values it gives back as text."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bayeseval.errors import FormatError
from bayeseval.io._format import Source
from bayeseval.rollouts._tally import short

__all__ = [
    "as_engine_text",
    "bad_lines",
    "decoded",
    "reason_of",
    "refuse_bad_line",
    "task_ids_of",
]

_BOM = b"\xef\xbb\xbf"


def refuse_bad_line(source: Source) -> None:
    """Raise for the first line that is no JSON object; the engine counts lines otherwise."""
    for reason in bad_lines(source):
        raise FormatError(
            f"{reason}; mend it, or leave such lines out with skip_bad_records= "
            f"(--skip-bad-records)"
        )


def bad_lines(source: Source) -> Iterator[str]:
    """Yield what is wrong with each line that is no JSON object."""
    decoder = msgspec.json.Decoder(dict[str, Any])
    with gzip.open(source.path) if source.is_gzip else source.path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                decoder.decode(line.removeprefix(_BOM) if number == 1 else line)
            except UnicodeDecodeError:
                yield f"line {number:,} is not UTF-8"
            except (msgspec.MsgspecError, RecursionError) as error:
                yield f"line {number:,} is no JSON object ({error})"


_LINE = re.compile(r"[Ll]ine:? ([0-9]+)")


def reason_of(message: str) -> str:
    """Return an error of the engine on one line, the place first."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    line = _LINE.search(message)
    expected = next((each for each in lines[1:] if each.startswith(("Expected", "Invalid"))), "")
    first = re.sub(r'in file "[^"]*", ', "", lines[0]) if lines else "the engine cannot read it"
    place = f"line {line[1]}: " if line else ""
    reason = expected or first
    hint = "; mend it, or leave such lines out with skip_bad_records= (--skip-bad-records)"
    return f"{place}{reason.strip().rstrip('.')}{hint if line else ''}"


def as_engine_text(value: Any) -> str | None:
    """Return a value of JSON or CSV as the engine's text of it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else None if value is None else str(value)


def task_ids_of(
    task: npt.NDArray[Any], column: str, *, is_json: bool
) -> npt.NDArray[Any] | list[int | str]:
    """Return the ids of tasks as the file has them: texts, or whole numbers."""
    if not is_json:
        if task.dtype.kind in "iu":
            return task
        listed = task.tolist()
        if set(map(type, listed)) == {str} and "" not in listed:
            return task
        for value in listed:
            if type(value) not in (int, str) or value == "":
                raise FormatError(
                    f"the task in column {column!r} is {short(value)}; it must be a text or a "
                    f"whole number"
                )
        return task
    ids: list[int | str] = []
    for value in task.tolist():
        if value.startswith("s") and len(value) > 1:
            ids.append(value[1:])
        elif re.fullmatch(r"-?[0-9]{1,4000}", value):
            ids.append(int(value))
        else:
            found = "empty" if value == "s" else value
            raise FormatError(
                f"a task in column {column!r} is {found[:60]}; it must be a text or a whole number"
            )
    return ids


def decoded(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values that JSON texts stand for."""
    levels = {value: None if value is None else json.loads(value) for value in set(values)}
    column = np.empty(len(values), dtype=object)
    column[:] = [levels[value] for value in values.tolist()]
    return column
