"""lm-evaluation-harness: ``samples_<task>_<time>.jsonl``, and ``results_<time>.json`` as totals.

A line is a doc under one filter: a task is a ``doc_id``, a pass is a metric of 1.
``metric=`` chooses where a line has several metrics (``acc``, ``acc_norm``), ``filter=`` where
docs went through several filters (``strict-match``, ``flexible-extract``); filters are never
rollouts. The harness has no rollouts of its own: where a ``doc_id`` repeats under one filter,
several runs were written to one file, and they are told apart by their order. ``pass_if=`` sets
another bar than 1, and is needed for metrics whose larger values are worse. Metrics that are
lists (inputs of perplexity, bleu) are no outcomes.

The harness knows no errors: a request that failed is an empty response with the score 0, so it
is a failure here too, and empty responses are counted in a note. Fields of the doc that are
shared by many docs (subject, category) are factors; model and polarity come from the results
file of the same run where it lies beside the samples. Older files without ``filter`` and
``metrics``, and lists of records from before 0.4.3, are read as well.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from bayeseval.errors import FormatError, InputError
from bayeseval.io._fields import refuse_options
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._lm_eval_totals import (
    LOWER_IS_BETTER,
    Run,
    detect_totals,
    refuse_totals,
    run_beside,
)
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.io._records import LONGEST_FACTOR_VALUE, Records
from bayeseval.io._stream import skipped_note, stream_lines
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

FULL_CREDIT = 1.0
_BEGINNING = re.compile(rb'\s*\[?\s*\{\s*"doc_id"\s*:')
_MARKS = ("resps", "filtered_resps", "doc_hash", "arguments", "truth")
# Whatever else a record holds is a metric.
_FIELDS = {
    *("doc_id", "doc", "doc_hash", "prompt_hash", "target", "target_hash", "truth"),
    *("arguments", "resps", "filtered_resps", "filter", "metrics"),
}
_V03_FIELD = re.compile(r"(prompt|logit)_\d+")
_RESERVED = ("system", "suite", "task")


class _Skipped(msgspec.Struct):
    """An object of which only the presence counts."""


_Inner = str | int | float | bool | _Skipped | list[Any] | None
_Line = dict[str, str | int | float | bool | dict[str, _Inner] | list[Any] | None]


@dataclass(frozen=True, slots=True)
class _Doc:
    """A line, without its texts."""

    place: str
    doc_id: int | str
    filter: str | None
    doc_hash: Any
    metrics: dict[str, Any]
    fields: dict[str, Any]
    is_empty: bool
    n_responses: int


def _detect(source: Source) -> bool:
    return _detect_samples(source) or detect_totals(source)


def _detect_samples(source: Source) -> bool:
    if "doc_id" in source.record and any(mark in source.record for mark in _MARKS):
        return True
    # A line that is broken has no record; its beginning tells what it was to be.
    marks = (b'"doc"', b'"resps"', b'"doc_hash"', b'"arguments"')
    return bool(_BEGINNING.match(source.head)) and any(mark in source.head for mark in marks)


def _read(source: Source, options: Options) -> Records:
    refuse_options(options, "lm-eval", "scorer", instead="choose with metric= and filter=")
    if not _detect_samples(source) and detect_totals(source):
        raise refuse_totals(source)
    skipped: list[str] | None = [] if options.skip_bad_records else None
    docs = [_doc(place, line) for place, line in _lines(source, skipped)]
    if not docs:
        raise FormatError("the file holds no docs")
    run = run_beside(source.path)
    docs, notes = _filtered(docs, options.filter)
    metric = _metric(docs, options, run)
    _refuse_mixed_tasks(docs)
    score = [_number(doc.metrics.get(metric), metric, doc.place) for doc in docs]
    columns, unused = _columns(docs, run)
    return Records(
        task=[doc.doc_id for doc in docs],
        outcome=np.array([_outcome(number) for number in score], dtype=np.int8),
        system=[run.model] * len(docs) if run is not None and run.model else None,
        columns=columns,
        place=lambda at: docs[at].place,
        notes=(
            *notes,
            *_notes(docs, metric, score, options),
            *unused,
            *skipped_note(skipped),
        ),
        score=score,
        version=run.version if run is not None else None,
    )


def _lines(source: Source, skipped: list[str] | None) -> Iterator[tuple[str, _Line]]:
    if source.head.lstrip().startswith(b"["):
        for at, record in enumerate(decode(source.content(), list[_Line]), start=1):
            yield f"record {at:,}", record
        return
    try:
        for number, _, line in stream_lines(source, _Line, skipped):
            yield f"line {number:,}", line
    except FormatError as error:
        raise FormatError(f"{error}{_pretty_printed(source)}") from None


def _pretty_printed(source: Source) -> str:
    """Say so where a record goes over several lines, as editors and formatters save it."""
    lines = [line.strip() for line in source.head.split(b"\n", 3)[:3]]
    if len(lines) > 1 and lines[0].startswith(b"{") and not lines[1].startswith(b"{"):
        return (
            "; its records go over several lines, so the file was saved anew as pretty-printed "
            "JSON: in JSONL each record stands on one line, as lm-eval wrote it"
        )
    return ""


def _doc(place: str, line: _Line) -> _Doc:
    doc_id, name = line.get("doc_id"), line.get("filter")
    if isinstance(doc_id, bool) or not isinstance(doc_id, int | str):
        raise FormatError(
            f"{place}: doc_id is {short(doc_id)}; it must be a whole number or a text"
        )
    if not isinstance(name, str | None):
        raise FormatError(f"{place}: filter is {short(name)}; it must be a text")
    declared = line.get("metrics")
    names = declared if isinstance(declared, list) else line.keys() - _FIELDS
    fields = line.get("doc")
    responses = line.get("resps")
    return _Doc(
        place=place,
        doc_id=doc_id,
        filter=name,
        doc_hash=line.get("doc_hash"),
        metrics={
            key: _kept(line[key]) for key in line if key in names and not _V03_FIELD.fullmatch(key)
        },
        fields={key: _kept(value) for key, value in fields.items()}
        if isinstance(fields, dict)
        else {},
        is_empty=_is_empty(responses),
        n_responses=_most_responses(responses),
    )


_TEXT: Any = _Skipped()


def _kept(value: Any) -> Any:
    """Return a plain value; long texts, lists and objects are not held in memory."""
    if isinstance(value, list | dict | _Skipped):
        return []
    if isinstance(value, str) and len(value) > LONGEST_FACTOR_VALUE:
        return _TEXT
    return value


def _is_empty(responses: Any) -> bool:
    while isinstance(responses, list) and len(responses) == 1:
        responses = responses[0]
    return isinstance(responses, str) and not responses


def _most_responses(responses: Any) -> int:
    if not isinstance(responses, list):
        return 0
    return max((len(each) for each in responses if isinstance(each, list)), default=0)


def _filtered(docs: list[_Doc], wanted: str | None) -> tuple[list[_Doc], list[str]]:
    found = Counter(doc.filter for doc in docs)
    names = [name for name in found if name is not None]
    if wanted is None and len(found) == 1:
        return docs, []
    chosen = pick(names, wanted, "filter", "filters")
    left = len(docs) - found[chosen]
    notes = [f"of {plural(len(docs), 'line')}, {left:,} are of other filters"] if left else []
    return [doc for doc in docs if doc.filter == chosen], notes


def _metric(docs: list[_Doc], options: Options, run: Run | None) -> str:
    names = dict.fromkeys(name for doc in docs for name in doc.metrics)
    lists = {name for doc in docs for name, value in doc.metrics.items() if value == []}
    usable = [
        name
        for name in names
        if name not in lists
        and all(_is_number(doc.metrics[name]) for doc in docs if name in doc.metrics)
    ]
    if options.metric in lists or (lists and not usable):
        name = options.metric or min(lists)
        raise FormatError(
            f"the metric {name!r} is a list for each doc, made for one number over all docs; no "
            f"doc passes or fails by it"
        )
    metric = pick(usable, options.metric, "metric", "metrics")
    lower = metric in LOWER_IS_BETTER or (run is not None and metric in run.lower_is_better)
    if lower and options.pass_if is None:
        raise InputError(
            f"the metric {metric!r} has the wrong polarity: its larger values are worse; say which "
            f"values pass with pass_if= (--pass-if '<= 0.1')"
        )
    return metric


def _is_number(value: Any) -> bool:
    try:
        float(value if value is not None else 0)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _number(value: Any, metric: str, place: str) -> float | None:
    number = math.nan if value is None else float(value)
    return None if math.isnan(number) else number


def _outcome(score: float | None) -> Outcome:
    if score is None:
        return Outcome.MISSING
    return Outcome.PASS if score >= FULL_CREDIT else Outcome.FAIL


def _refuse_mixed_tasks(docs: Sequence[_Doc]) -> None:
    """Refuse the joined files of several tasks: their docs share ids, and are no rollouts."""
    first: dict[int | str, _Doc] = {}
    for doc in docs:
        before = first.setdefault(doc.doc_id, doc)
        if None not in (doc.doc_hash, before.doc_hash) and doc.doc_hash != before.doc_hash:
            raise InputError(
                f"doc_id {short(doc.doc_id)} stands for two different docs, at {before.place} and "
                f"at {doc.place} (their doc_hash differs): files of several tasks were joined; "
                f"read them as several files"
            )


def _columns(docs: Sequence[_Doc], run: Run | None) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the fields of the docs that many docs share, and a note on the others."""
    columns: dict[str, list[Any]] = {}
    if run is not None:
        columns["suite"] = [run.task] * len(docs)
    n_docs = len({doc.doc_id for doc in docs})
    unused = []
    for key in dict.fromkeys(key for doc in docs for key in doc.fields):
        values = [doc.fields.get(key) for doc in docs]
        plain = all(isinstance(value, str | int | float | bool | None) for value in values)
        if plain and 2 * len(set(values)) <= n_docs:
            columns[f"doc.{key}" if key in _RESERVED else key] = values
        else:
            unused.append(key)
    if not unused:
        return columns, []
    listed = ", ".join(map(short, unused[:12])) + (", ..." if unused[12:] else "")
    return columns, [f"no factors, since they tell docs apart or are long or lists: {listed}"]


def _notes(
    docs: Sequence[_Doc], metric: str, score: Sequence[float | None], options: Options
) -> Iterator[str]:
    repeats = max(Counter(doc.doc_id for doc in docs).values())
    if repeats > 1:
        yield (
            f"a doc_id stands up to {repeats} times in the file: several runs, told apart by their "
            f"order"
        )
    if empty := sum(doc.is_empty for doc in docs):
        yield (
            f"{plural(empty, 'response')} empty: lm-eval writes a failed request so, and scores it "
            f"like any other"
        )
    several = max(doc.n_responses for doc in docs)
    if several > 1 and docs[0].filter is not None:
        yield f"lm-eval scores a doc once, whatever its repeats: up to {several} responses each"
    numbers = [number for number in score if number is not None]
    if numbers and max(numbers) > FULL_CREDIT and options.pass_if is None:
        yield (
            f"values of {metric!r} reach {max(numbers):g}, and each of at least 1 counts as a "
            f"pass; if that is no pass on this scale, set another bar with pass_if= (--pass-if)"
        )


FORMAT = Format(
    name="lm-eval",
    title="lm-evaluation-harness samples or results",
    looks_for="JSONL with doc_id, resps, doc_hash and metrics, or an object with results, versions",
    extensions=(".jsonl", ".json"),
    detect=_detect,
    read=_read,
)
