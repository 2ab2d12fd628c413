"""HumanEval: ``<samples>.jsonl_results.jsonl``, one line for each completion.

The samples with ``passed`` (true or false) and mostly ``result`` added: ``"passed"``,
``"timed out"`` or ``"failed: ..."``. A task is a ``task_id``, a rollout is a line; attempts
are told apart by their order. A completion that timed out is a failure, here as in the
harness; there are no errors. Completions are not decoded.

A line without ``task_id`` whose ``passed`` is a number is a summary that some tools append:
it is not counted, and a note says so. A resumed run may have written lines twice; equal
lines can also be equal completions, so they stay, and a note counts them where the tasks do
not have equally many. Further columns, such as style scores, are not used.
Options: ``skip_bad_records``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import cast

import msgspec
import numpy as np

from bayeseval.errors import InputError
from bayeseval.io._columns import ROLLOUT, SYSTEM, matching
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note, stream_lines
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

_USED = {"task_id", "passed", "result", "completion", "solution"}
_SIGNS = ("completion", "result", "solution")
_TIMED_OUT = ("timed out", "timeout")
_MOST_NAMED = 8


class _Sample(msgspec.Struct):
    task_id: int | str | None = None
    passed: bool | int | float | None = None
    result: str | None = None


def _detect(source: Source) -> bool:
    record = source.record
    if not {"task_id", "passed"} <= record.keys():
        return False
    if matching(record, ROLLOUT + SYSTEM):
        # Such a table says more than HumanEval does: it is read as one.
        return False
    return isinstance(record["passed"], bool | None) and any(sign in record for sign in _SIGNS)


def _read(source: Source, options: Options) -> Records:
    skipped: list[str] | None = [] if options.skip_bad_records else None
    task: list[int | str] = []
    outcome: list[Outcome] = []
    places: list[str] = []
    summaries: list[str] = []
    seen: set[int] = set()
    timed_out = repeated = 0
    for place, line, sample in _samples(source, skipped):
        if _is_summary(sample):
            summaries.append(place)
            continue
        if problem := _problem(sample):
            if skipped is None:
                raise InputError(f"{place}: {problem}")
            skipped.append(f"{place}: {problem}")
            continue
        task.append(cast("int | str", sample.task_id))
        outcome.append(_outcome(sample))
        places.append(place)
        timed_out += _timed_out(sample)
        repeated += line in seen
        seen.add(line)
    notes = _notes(task, timed_out, repeated, summaries)
    if unused := [name for name in source.record if name not in _USED]:
        more = ", ..." if len(unused) > _MOST_NAMED else ""
        notes.append(f"not used: {', '.join(unused[:_MOST_NAMED])}{more}")
    return Records(
        task=task,
        outcome=np.array(outcome, dtype=np.int8),
        place=places.__getitem__,
        notes=(*notes, *skipped_note(skipped)),
    )


def _samples(source: Source, skipped: list[str] | None) -> Iterator[tuple[str, int, _Sample]]:
    """Yield the place of each record, a hash of its text, and the record."""
    if source.head.lstrip()[:1] == b"[":
        for at, each in enumerate(decode(source.content(), list[msgspec.Raw])):
            yield f"record {at + 1}", hash(bytes(each)), decode(bytes(each), _Sample)
    else:
        for number, line, sample in stream_lines(source, _Sample, skipped):
            yield f"line {number}", hash(line.strip()), sample


def _is_summary(sample: _Sample) -> bool:
    number = sample.passed is not None and not isinstance(sample.passed, bool)
    return sample.task_id is None and number


def _problem(sample: _Sample) -> str | None:
    """Say why a record cannot be counted, if it cannot."""
    if sample.task_id is None:
        return "a completion without task_id; each names its task"
    if sample.passed is not None and sample.passed not in (0, 1):
        return f"passed is {short(sample.passed)}; it must be true or false"
    return None


def _outcome(sample: _Sample) -> Outcome:
    if sample.passed is not None:
        return Outcome.PASS if sample.passed else Outcome.FAIL
    if sample.result is not None:
        return Outcome.PASS if sample.result == "passed" else Outcome.FAIL
    return Outcome.MISSING


def _timed_out(sample: _Sample) -> bool:
    return sample.result is not None and sample.result.strip().lower() in _TIMED_OUT


def _notes(task: list[int | str], timed_out: int, repeated: int, summaries: list[str]) -> list[str]:
    notes = []
    if timed_out:
        notes.append(
            f"{plural(timed_out, 'completion')} timed out: failures, as in HumanEval itself"
        )
    if summaries:
        notes.append(
            f"{plural(len(summaries), 'line')} without task_id not counted, since it is a "
            f"summary: {', '.join(summaries[:3])}"
        )
    per_task = Counter(task).values()
    if len(set(per_task)) > 1:
        notes.append(
            f"the tasks have {min(per_task)} to {max(per_task)} completions each; HumanEval "
            f"itself gives pass@k up to the smallest number only"
        )
        if repeated:
            notes.append(
                f"{plural(repeated, 'line')} repeat an earlier one word for word and count as "
                f"rollouts of their own; if a resumed run wrote them twice, remove them"
            )
    return notes


FORMAT = Format(
    name="humaneval",
    title="HumanEval results",
    looks_for="JSONL with task_id, passed and completion or result",
    extensions=(".jsonl",),
    detect=_detect,
    read=_read,
)
