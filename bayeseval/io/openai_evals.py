"""OpenAI evals: the JSONL log that ``oaieval`` records.

The first line holds ``spec``, one line ``final_report`` (last, as a rule, but not always),
and the others are events. A task is a ``sample_id``. A ``match`` event is a verdict
(``data.correct``); evals graded by a model record a ``metrics`` event instead, whose
``score`` is a pass if it is 1, or as ``pass_if=`` says. Several verdicts on one sample are
its rollouts, in their order; the harness takes the mean over all events. A sample that has
an ``error`` event and no verdict is errored, one with other events only is missing: its
run broke off. The accuracy of the harness is over verdicts alone.

``metric=`` names what to read where the log holds several outcomes: ``match``, or a field
of the metrics events.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from bayeseval.errors import FormatError, InputError
from bayeseval.io._fields import flag, refuse_options, score_of, spread_of
from bayeseval.io._format import Format, Source
from bayeseval.io._lm_eval_totals import LOWER_IS_BETTER
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note, stream_lines
from bayeseval.rollouts._tally import Outcome
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

_MATCH = "match"
_METRICS = "metrics"


class _Spec(msgspec.Struct):
    completion_fns: list[Any] | None = None
    model_name: Any = None
    eval_name: str | None = None
    base_eval: str | None = None
    split: str | None = None


class _Line(msgspec.Struct):
    spec: _Spec | None = None
    final_report: dict[str, Any] | None = None
    sample_id: int | str | None = None
    type: str | None = None
    data: Any = None


class _Verdict(msgspec.Struct):
    """One verdict on a sample: the outcome, its score, and the line it stands on."""

    sample: int | str
    outcome: Outcome
    score: float | None
    line: int


def _detect(source: Source) -> bool:
    record = source.record
    if isinstance(source.json, list):
        return False
    spec = record.get("spec")
    if isinstance(spec, dict):
        return bool({"completion_fns", "eval_name", "base_eval"} & spec.keys())
    if "final_report" in record and len(record) == 1:
        return True
    return {"event_id", "sample_id", "type", "data"} <= record.keys()


def _read(source: Source, options: Options) -> Records:
    refuse_options(
        options, "an OpenAI evals log", "scorer", "filter", instead="metric= names an outcome"
    )
    skipped: list[str] | None = [] if options.skip_bad_records else None
    lines: list[_Line] = []
    events: list[tuple[_Line, int]] = []
    for number, _, line in stream_lines(source, _Line, skipped):
        if line.sample_id is not None and line.type is not None:
            if line.type not in (_MATCH, _METRICS):
                # Prompts and answers: whole transcripts that nothing here reads.
                line.data = None
            events.append((line, number))
        else:
            lines.append(line)
    notes = skipped_note(skipped)
    report = next((line.final_report for line in lines if line.final_report is not None), None)
    specs = [line.spec for line in lines if line.spec is not None]
    if not events:
        raise FormatError(
            "the log holds no events of samples"
            + (", only its final report" if report else "")
            + "; the log of a whole run has one line for each event"
        )
    if len(specs) > 1:
        raise FormatError(
            f"the log holds {len(specs)} runs (lines with 'spec'); split it at them, one file a run"
        )
    payloads = _payloads(events)
    name = pick(_names(payloads), _wanted(payloads, options), "metric", "outcomes")
    verdicts = [_verdict(*each, name, options) for each in payloads]
    found = [verdict for verdict in verdicts if verdict is not None]
    if name != _MATCH:
        _refuse_ordinal(found, name, options)
    unscored = _unscored(events, {verdict.sample for verdict in found})
    several = len(found) - len({verdict.sample for verdict in found})
    if several:
        notes.append(
            f"{plural(several, 'verdict')} on a sample that has one already: verdicts on one "
            f"sample are its rollouts, in their order"
        )
    if report:
        notes.append(f"oaieval itself reports {_report_text(report)}; it takes verdicts alone")
    else:
        notes.append("there is no final report: the run may have broken off")
    rows = found + unscored
    spec = specs[0] if specs else _Spec()
    return Records(
        task=[row.sample for row in rows],
        outcome=np.array([row.outcome for row in rows], dtype=np.int8),
        system=_system(spec, len(rows)),
        score=None if name == _MATCH else [row.score for row in rows],
        columns={"eval": [spec.eval_name] * len(rows)} if spec.eval_name else {},
        place=lambda at: f"line {rows[at].line:,}",
        notes=tuple(notes),
    )


def _payloads(events: list[tuple[_Line, int]]) -> list[tuple[_Line, int, dict[str, Any]]]:
    found = []
    for line, number in events:
        if line.type not in (_MATCH, _METRICS):
            continue
        if not isinstance(line.data, dict):
            raise FormatError(f"line {number:,}: data of a {line.type} event is no object")
        found.append((line, number, line.data))
    if not found:
        kinds = ", ".join(dict.fromkeys(str(line.type) for line, _ in events))
        if all(line.type != "error" for line, _ in events):
            raise FormatError(
                f"the log holds no verdicts (match or metrics events), only {kinds} events; "
                f"this eval cannot be read as passed and failed"
            )
    return found


def _names(payloads: list[tuple[_Line, int, dict[str, Any]]]) -> list[str]:
    names: dict[str, None] = {}
    for line, _, data in payloads:
        if line.type == _MATCH:
            names[_MATCH] = None
        else:
            names |= dict.fromkeys(key for key, value in data.items() if _numeric(value))
    if not names and any(line.type == _METRICS for line, _, _ in payloads):
        fields = ", ".join(dict.fromkeys(key for _, _, data in payloads for key in data))
        raise InputError(
            f"the metrics events hold no score, only {fields}; an eval without choice_scores "
            f"cannot be read as passed and failed"
        )
    return list(names) or [_MATCH]


def _wanted(payloads: list[tuple[_Line, int, dict[str, Any]]], options: Options) -> str | None:
    if options.metric is not None or any(line.type == _MATCH for line, _, _ in payloads):
        return options.metric
    # What a model-graded eval calls its outcome; further fields only explain it.
    graded = any("score" in data and "choice" in data for _, _, data in payloads)
    return (
        "score" if graded and any(_numeric(data.get("score")) for _, _, data in payloads) else None
    )


def _numeric(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _verdict(
    line: _Line, number: int, data: dict[str, Any], name: str, options: Options
) -> _Verdict | None:
    sample = line.sample_id
    assert sample is not None
    if line.type == _MATCH:
        if name != _MATCH:
            return None
        correct = flag(data.get("correct"), "correct", f"line {number:,}")
        outcome = Outcome.MISSING if correct is None else Outcome(correct)
        return _Verdict(sample, outcome, None, number)
    if name == _MATCH or name not in data:
        return None
    value = data[name]
    score = float(value) if isinstance(value, bool) else score_of(value)
    outcome = Outcome.MISSING if score is None else Outcome(score >= 1)
    return _Verdict(sample, outcome, score, number)


def _refuse_ordinal(found: list[_Verdict], name: str, options: Options) -> None:
    if options.pass_if is None and name in LOWER_IS_BETTER:
        raise InputError(
            f"{name!r} is better where it is lower, so a score of 1 is no pass; say which scores "
            f"pass with pass_if= (--pass-if), such as '<= 0.1'"
        )
    scores = [verdict.score for verdict in found]
    if options.pass_if is None and any(
        score is not None and not 0 <= score <= 1 for score in scores
    ):
        raise InputError(
            f"{name!r} holds scores from {spread_of(scores)}, which are not passed or failed by "
            f"themselves; say which pass with pass_if= (--pass-if), such as '>= 4'"
        )


def _unscored(events: list[tuple[_Line, int]], scored: set[int | str]) -> list[_Verdict]:
    """Return samples without a verdict: errored where an event says so, else missing."""
    rest: dict[int | str, _Verdict] = {}
    for line, number in events:
        sample = line.sample_id
        if sample is None or sample in scored:
            continue
        if line.type == "error":
            rest[sample] = _Verdict(sample, Outcome.ERRORED, None, number)
        else:
            rest.setdefault(sample, _Verdict(sample, Outcome.MISSING, None, number))
    return list(rest.values())


def _system(spec: _Spec, n: int) -> list[str] | None:
    names = [name for name in spec.completion_fns or () if isinstance(name, str)]
    if not names and isinstance(spec.model_name, str):
        names = [spec.model_name]
    return [" + ".join(names)] * n if names else None


def _report_text(report: dict[str, Any]) -> str:
    said = [f"{key} = {value:.4g}" for key, value in report.items() if score_of(value) is not None]
    return ", ".join(said[:6]) or "no numbers"


FORMAT = Format(
    name="openai-evals",
    title="OpenAI evals log",
    looks_for="JSONL whose first line has spec, and events with sample_id, type and data",
    extensions=(".jsonl",),
    detect=_detect,
    read=_read,
)
