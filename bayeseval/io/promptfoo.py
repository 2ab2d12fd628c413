"""promptfoo: the JSON that ``promptfoo eval -o`` and ``promptfoo export`` write.

Versions 2 and 3 of the results, and the JSONL of rows. A row is one output: a test case
under one provider and one prompt. That pair is the system; where a file holds several,
choose one with ``system=``. A task is a test case. With ``--repeat n`` each repeat has a
``testIdx`` of its own and no mark, so rows of one system whose variables, description and
assertions are equal are rollouts of one task. A row passes if ``success`` is true.

``error`` is filled with the message of the assertion on every ordinary failure. A row is
errored where ``failureReason`` is 2; in older files, which have no such field, where
nothing was graded and the provider gave an error. promptfoo counts errors apart, but they
stay in the denominator of the pass rate that it prints.

``metric=`` reads one of the ``namedScores``, of which 1 is a pass unless ``pass_if=`` says
otherwise; without it ``pass_if=`` sets a bar for ``score``.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import FormatError
from bayeseval.io._fields import columns_of, flag, refuse_options, score_of, version_text
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note, stream_lines
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

_VERSIONS = (2, 3)
_FAILURE_REASONS = (0, 1, 2)
_ERROR = 2
_LONGEST_LABEL = 60
_LONGEST_ID = 120


class _Provider(msgspec.Struct):
    id: str | None = None
    label: str | None = None


class _Prompt(msgspec.Struct):
    raw: Any = None
    label: Any = None
    display: Any = None


class _Response(msgspec.Struct):
    error: Any = None


class _Graded(msgspec.Struct):
    """A result of grading: only whether there is one matters."""


class _TestCase(msgspec.Struct):
    description: str | None = None
    asserts: Any = msgspec.field(default=None, name="assert")
    metadata: dict[str, Any] | None = None


class _Row(msgspec.Struct, rename="camel"):
    success: Any
    provider: _Provider | str | None = None
    prompt: _Prompt | str | None = None
    prompt_idx: int | None = None
    prompt_id: str | None = None
    test_idx: int | None = None
    test_case: _TestCase | None = None
    vars: dict[str, Any] | None = None
    description: str | None = None
    score: Any = None
    named_scores: dict[str, Any] | None = None
    error: Any = None
    failure_reason: int | None = None
    grading_result: _Graded | None = None
    response: _Response | str | None = None


class _Summary(msgspec.Struct):
    version: int | str | None = None
    results: list[_Row] | None = None


class _File(msgspec.Struct):
    version: int | str | None = None
    results: _Summary | list[_Row] | None = None
    metadata: Any = None


def _detect(source: Source) -> bool:
    record = source.record
    if _is_row(record):
        return True
    if isinstance(source.json, list):
        return False
    summary = record.get("results")
    if isinstance(summary, dict):
        if "evalId" in record or isinstance(summary.get("table"), dict):
            return True
        rows = summary.get("results")
        if isinstance(rows, list):
            return {"version", "stats"} <= summary.keys() or _has_rows(rows)
        return {"version", "prompts"} <= summary.keys() and "config" in record
    return isinstance(summary, list) and _has_rows(summary) and "version" in record


def _has_rows(rows: list[Any]) -> bool:
    return bool(rows) and isinstance(rows[0], dict) and {"success", "vars"} <= rows[0].keys()


def _is_row(record: dict[str, Any]) -> bool:
    return {"testIdx", "promptIdx", "success"} <= record.keys()


def _read(source: Source, options: Options) -> Records:
    refuse_options(
        options, "a promptfoo file", "scorer", "filter", instead="metric= names one of namedScores"
    )
    rows, place, notes, version = _rows(source, options)
    if not rows:
        raise FormatError("the file holds no rows (results.results is empty)")
    metric = None
    if options.metric is not None:
        names = dict.fromkeys(name for row in rows for name in row.named_scores or ())
        metric = pick(list(names), options.metric, "metric", "named scores")
    outcome = np.array([_outcome(row, place(at)) for at, row in enumerate(rows)], dtype=np.int8)
    if metric is None:
        scores = [score_of(row.score) for row in rows]
    else:
        scores = [score_of((row.named_scores or {}).get(metric)) for row in rows]
        for at, score in enumerate(scores):
            if outcome[at] != Outcome.ERRORED:
                outcome[at] = Outcome.MISSING if score is None else Outcome(score >= 1)
        notes.append(f"a row passes by its named score {metric!r}, not by its success")
    task, rollout, repeated = _tasks(rows)
    if repeated:
        notes.append(
            "rows of one system with equal variables, description and assertions are rollouts "
            "of one task, as --repeat writes them"
        )
    columns, more_notes = _columns(rows)
    return Records(
        task=task,
        outcome=outcome,
        rollout=rollout,
        system=_systems(rows),
        score=scores,
        columns=columns,
        place=place,
        notes=(*notes, *_error_note(outcome, options), *more_notes),
        version=version,
    )


def _rows(
    source: Source, options: Options
) -> tuple[list[_Row], Callable[[int], str], list[str], str | None]:
    """Return the rows, what names each, notes, and the version that the file names."""
    if _is_row(source.record) and not isinstance(source.json, list):
        skipped: list[str] | None = [] if options.skip_bad_records else None
        lines = [(number, row) for number, _, row in stream_lines(source, _Row, skipped)]
        rows = [row for _, row in lines]
        return rows, lambda at: f"line {lines[at][0]:,}", skipped_note(skipped), None
    if isinstance(source.json, list):
        return decode(source.content(), list[_Row]), lambda at: f"row {at + 1:,}", [], None
    file = decode(source.content(), _File)
    summary = file.results
    found = summary.results if isinstance(summary, _Summary) else summary
    version = summary.version if isinstance(summary, _Summary) else file.version
    if version not in _VERSIONS:
        raise FormatError(
            f"promptfoo results of version {short(version)} are not known, only 2 and 3; "
            f"write them again with 'promptfoo export eval ID -o results.json'"
        )
    if found is None:
        raise FormatError(
            "results.results is missing: the file holds no rows; write it with "
            "'promptfoo eval -o results.json'"
        )
    written = file.metadata.get("promptfooVersion") if isinstance(file.metadata, dict) else None
    versions = version_text(("version", version), ("promptfoo", written))
    return found, lambda at: f"row {at + 1:,}", [], versions


def _outcome(row: _Row, place: str) -> Outcome:
    if row.failure_reason is not None and row.failure_reason not in _FAILURE_REASONS:
        raise FormatError(
            f"{place}: failureReason is {row.failure_reason}; known are 0 (none), 1 (an "
            f"assertion) and 2 (an error)"
        )
    success = flag(row.success, "success", place)
    if row.failure_reason == _ERROR:
        return Outcome.ERRORED
    if success is None:
        return Outcome.MISSING
    if not success and row.failure_reason is None and _broke(row):
        return Outcome.ERRORED
    return Outcome(success)


def _broke(row: _Row) -> bool:
    """Whether an older row is errored: an answer that was not graded, and no empty one."""
    if not row.error or row.grading_result is not None:
        return False
    return row.response is None or (
        isinstance(row.response, _Response) and bool(row.response.error)
    )


def _provider(row: _Row) -> str:
    if isinstance(row.provider, _Provider):
        return row.provider.label or row.provider.id or ""
    return row.provider or ""


def _prompt(row: _Row) -> str:
    if isinstance(row.prompt, _Prompt):
        text = row.prompt.label or row.prompt.display or ""
        return text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return ""


def _prompt_key(row: _Row) -> Any:
    return next(
        (key for key in (row.prompt_idx, row.prompt_id) if key is not None),
        _prompt(row),
    )


def _systems(rows: Sequence[_Row]) -> list[str]:
    """Name each provider and prompt: the provider alone where it has but one prompt."""
    keys = [(_provider(row), _prompt_key(row)) for row in rows]
    pairs = {key: row for key, row in reversed(list(zip(keys, rows, strict=True)))}
    ordered = sorted(pairs, key=lambda key: (str(type(key[1])), key[1], key[0]))
    prompts_of = Counter(provider for provider, _ in ordered)
    names: dict[Any, str] = {}
    for key in ordered:
        provider = key[0]
        names[key] = provider
        if prompts_of[provider] > 1:
            names[key] = f"{provider} | {_one_line(_prompt(pairs[key]))}"
    taken = Counter(names.values())
    numbers: Counter[str] = Counter()
    for key in ordered:
        if taken[name := names[key]] > 1:
            numbers[name] += 1
            number = key[1] if isinstance(key[1], int) else numbers[name] - 1
            names[key] = f"{name} #{number}"
    return [names[key] for key in keys]


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LABEL else line[: _LONGEST_LABEL - 3] + "..."


def _tasks(rows: Sequence[_Row]) -> tuple[list[int | str], list[Any] | None, bool]:
    """Return the task and the repeat of each row, and whether any task was repeated."""
    contents = [_content(row) for row in rows]
    if any(row.test_idx is None for row in rows):
        names = _content_ids(rows, contents)
        pairs = Counter(zip(map(_provider, rows), map(_prompt_key, rows), contents, strict=True))
        return names, None, max(pairs.values()) > 1
    indices: dict[bytes, set[int]] = {}
    for row, content in zip(rows, contents, strict=True):
        indices.setdefault(content, set()).add(row.test_idx or 0)
    repeated = any(len(each) > 1 for each in indices.values())
    order = sorted(indices, key=lambda content: min(indices[content]))
    # Numbered without gaps, so that files with other numbers of repeats agree on the tasks.
    ids = {content: at if repeated else min(indices[content]) for at, content in enumerate(order)}
    return [ids[content] for content in contents], [row.test_idx for row in rows], repeated


def _content(row: _Row) -> bytes:
    """Return what makes a test case the same test case."""
    case = row.test_case or _TestCase()
    variables = {
        name: value for name, value in (row.vars or {}).items() if not name.startswith("_")
    }
    said = [variables, case.description or row.description, case.asserts]
    return hashlib.sha256(_as_text(said).encode()).digest()


def _as_text(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:
        raise FormatError("a test case is nested too deeply to be results") from None


def _content_ids(rows: Sequence[_Row], contents: Sequence[bytes]) -> list[int | str]:
    """Name tests of version 2 by description or variables: rows stand as they finished."""
    names: dict[bytes, str] = {}
    for row, content in zip(rows, contents, strict=True):
        case = row.test_case or _TestCase()
        said = case.description or row.description
        if not said:
            said = ", ".join(
                f"{name}={value if isinstance(value, str) else _as_text(value)}"
                for name, value in (row.vars or {}).items()
                if not name.startswith("_")
            )
        names.setdefault(content, " ".join(said.split()) or "no variables")
    taken = Counter(names.values())
    for content, name in names.items():
        if taken[name] > 1 or len(name) > _LONGEST_ID:
            names[content] = f"{name[:_LONGEST_ID]} ({content.hex()[:8]})"
    return [names[content] for content in contents]


def _columns(rows: Sequence[_Row]) -> tuple[dict[str, list[Any]], list[str]]:
    cases = [row.test_case or _TestCase() for row in rows]
    columns: dict[str, list[Any]] = {}
    said = [case.description or row.description for case, row in zip(cases, rows, strict=True)]
    if any(said):
        columns["description"] = said
    variables, notes = columns_of([row.vars or {} for row in rows], "vars")
    metadata, more_notes = columns_of([case.metadata or {} for case in cases], "metadata")
    return variables | metadata | columns, notes + more_notes


def _error_note(outcome: Any, options: Options) -> list[str]:
    errored = int(np.count_nonzero(outcome == Outcome.ERRORED))
    if not errored or options.metric is not None:
        return []
    passed = int(np.count_nonzero(outcome == Outcome.PASS))
    return [
        f"promptfoo itself counts {plural(errored, 'errored row')} apart, and keeps them in the "
        f"denominator: over all systems {format_percent(passed / len(outcome))} of "
        f"{len(outcome):,} passed"
    ]


FORMAT = Format(
    name="promptfoo",
    title="promptfoo results",
    looks_for="a JSON object whose results hold version, results and stats",
    extensions=(".json", ".jsonl"),
    detect=_detect,
    read=_read,
)
