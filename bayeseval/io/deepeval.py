"""DeepEval: the JSON of the latest test run.

``.deepeval/.latest_test_run.json`` wraps the run in ``testRunData``;
``.deepeval/.temp_test_run_data.json`` is the run itself. A task is a test case, called by
its name where names are unique, else by its position. Each case is one rollout: several
runs are several files. A case passes if DeepEval says so (``success``: every metric
succeeded); scores are never compared with thresholds, since some metrics are better where
they are lower. A metric that crashed has an ``error`` and no score: a case that no metric
failed and that has such a one is errored. DeepEval itself counts it as a failure.

``metric=`` reads the verdicts of one metric; ``pass_if=`` then sets a bar for its scores.
pytest-repeat names (``test_x[1-3]``) are read as rollouts of one task.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import FormatError, InputError
from bayeseval.io._fields import columns_of, flag, position, refuse_options, score_of
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._pass_if import PassIf
from bayeseval.io._pick import pick
from bayeseval.io._records import Records
from bayeseval.io._repeats import without_repeats
from bayeseval.rollouts._tally import Outcome
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]


class _Metric(msgspec.Struct, rename="camel"):
    name: str
    success: Any = None
    score: Any = None
    threshold: Any = None
    error: Any = None


class _Case(msgspec.Struct, rename="camel"):
    name: str | None = None
    success: Any = None
    metrics_data: list[_Metric] | None = None
    order: int | None = None
    metadata: dict[str, Any] | None = None
    additional_metadata: dict[str, Any] | None = None
    tags: list[Any] | None = None


class _Run(msgspec.Struct, rename="camel"):
    test_cases: list[_Case] | None = None
    conversational_test_cases: list[_Case] | None = None
    test_passed: int | None = None
    test_failed: int | None = None


class _File(_Run):
    test_run_data: _Run | None = None


def _detect(source: Source) -> bool:
    record = source.json if isinstance(source.json, dict) else {}
    inner = record.get("testRunData", record)
    if not isinstance(inner, dict):
        return False
    if "testRunData" in record:
        return True
    if "test_cases_lookup_map" in record:
        return True
    keys = inner.keys()
    return bool({"testCases", "conversationalTestCases"} & keys) and bool(
        {"metricsScores", "testPassed", "runDuration", "testFile"} & keys
        or any(
            isinstance(case, dict) and "metricsData" in case
            for case in inner.get("testCases") or ()
        )
    )


def _read(source: Source, options: Options) -> Records:
    refuse_options(
        options, "a DeepEval run", "scorer", "filter", instead="metric= names one of its metrics"
    )
    record = source.json if isinstance(source.json, dict) else {}
    if "test_cases_lookup_map" in record:
        raise FormatError(
            "this is DeepEval's cache of metric results, not a test run; read "
            ".deepeval/.latest_test_run.json instead"
        )
    file = decode(source.content(), _File)
    run = file.test_run_data or file
    single, several_turns = run.test_cases or [], run.conversational_test_cases or []
    cases = single + several_turns
    if not cases:
        raise FormatError("the run holds no test cases (testCases, conversationalTestCases)")
    metric = None
    if options.metric is not None:
        metric = pick(_metrics(cases), options.metric, "metric", "metrics")
    elif options.pass_if is not None:
        metric = pick(_metrics(cases), None, "metric", "metrics")
    if metric is not None:
        _refuse_wrong_polarity(cases, metric, options)
    place = position("case")
    decided = [_outcome(case, place(at), metric) for at, case in enumerate(cases)]
    outcome = np.array([each for each, _ in decided], dtype=np.int8)
    scores = [score for _, score in decided]
    task, notes = _tasks(cases)
    columns, more_notes = _columns(cases)
    if single and several_turns:
        columns["kind"] = ["single-turn"] * len(single) + ["conversation"] * len(several_turns)
    return Records(
        task=task,
        outcome=outcome,
        score=scores if metric is not None else None,
        columns=columns,
        place=place,
        notes=(*notes, *_notes(cases, run, outcome, metric), *more_notes),
    )


def _metrics(cases: list[_Case]) -> list[str]:
    return list(dict.fromkeys(metric.name for case in cases for metric in case.metrics_data or ()))


def _refuse_wrong_polarity(cases: list[_Case], name: str, options: Options) -> None:
    """Raise where scores must be high to pass, and DeepEval lets low ones succeed."""
    if not isinstance(options.pass_if, PassIf) or options.pass_if.sign not in (">", ">="):
        return
    for at, case in enumerate(cases):
        for metric in case.metrics_data or ():
            score, threshold = score_of(metric.score), score_of(metric.threshold)
            if metric.name != name or score is None or threshold is None or score == threshold:
                continue
            if metric.success is (score < threshold):
                verdict = "succeeded" if metric.success else "did not succeed"
                raise InputError(
                    f"the metric {name!r} is better where it is lower: in case {at + 1:,} a score "
                    f"of {score:g} {verdict} at a threshold of {threshold:g}; write "
                    f"pass_if='<= {options.pass_if.bar:g}' (--pass-if), or leave it out to take "
                    f"DeepEval's own verdicts"
                )


def _outcome(case: _Case, place: str, name: str | None) -> tuple[Outcome, float | None]:
    metrics = case.metrics_data or []
    if name is not None:
        found = [metric for metric in metrics if metric.name == name]
        if len(found) > 1:
            raise InputError(
                f"{place} has {len(found)} metrics called {name!r}; give them different names"
            )
        if not found:
            return Outcome.MISSING, None
        return _verdict(found[0], place), score_of(found[0].score)
    verdicts = [_verdict(metric, f"{place}, metric {metric.name!r}") for metric in metrics]
    success = flag(case.success, "success", place)
    if success:
        return Outcome.PASS, None
    if Outcome.ERRORED in verdicts and Outcome.FAIL not in verdicts:
        return Outcome.ERRORED, None
    if success is None:
        if not verdicts or Outcome.MISSING in verdicts:
            return Outcome.MISSING, None
        return (Outcome.FAIL if Outcome.FAIL in verdicts else Outcome.PASS), None
    return Outcome.FAIL, None


def _verdict(metric: _Metric, place: str) -> Outcome:
    if metric.error is not None and metric.score is None:
        return Outcome.ERRORED
    success = flag(metric.success, "success", place)
    return Outcome.MISSING if success is None else Outcome(success)


def _tasks(cases: list[_Case]) -> tuple[list[int | str], list[str]]:
    names = [case.name for case in cases if case.name]
    if len(names) == len(cases) == len(set(names)):
        bases, n_repeated = without_repeats([("", name) for name in names])
        notes = []
        if n_repeated:
            notes.append(
                f"{plural(n_repeated, 'test')} whose names end in [i-n], read as n rollouts of "
                f"one task, as pytest-repeat names them"
            )
        return [base for _, base in bases], notes
    # Cases are written as they finish; `order` is where they stood in the data set.
    orders = [case.order for case in cases if case.order is not None]
    if len(orders) == len(cases) == len(set(orders)):
        return list(orders), ["names repeat, so a task is called by its order in the data set"]
    return list(range(len(cases))), ["names repeat, so a task is called by its position"]


def _columns(cases: list[_Case]) -> tuple[dict[str, list[Any]], list[str]]:
    columns: dict[str, list[Any]] = {}
    if any(case.tags for case in cases):
        columns["tags"] = [", ".join(sorted(map(str, case.tags or ()))) for case in cases]
    found = [(case.additional_metadata or {}) | (case.metadata or {}) for case in cases]
    more, notes = columns_of(found, "metadata")
    return more | columns, notes


def _notes(cases: list[_Case], run: _Run, outcome: Any, metric: str | None) -> list[str]:
    notes = []
    metrics = _metrics(cases)
    if metric is not None:
        notes.append(f"a case passes if the metric {metric!r} succeeded")
    elif len(metrics) > 1:
        notes.append(f"a case passes if all its metrics succeeded: {', '.join(metrics[:8])}")
    if errored := int(np.count_nonzero(outcome == Outcome.ERRORED)):
        passed = int(np.count_nonzero(outcome == Outcome.PASS))
        notes.append(
            f"DeepEval itself counts {plural(errored, 'errored case')} as failed; "
            f"by its rule {format_percent(passed / len(cases))} pass"
        )
    if metric is None and run.test_passed is not None:
        passed = int(np.count_nonzero(outcome == Outcome.PASS))
        if run.test_passed != passed:
            notes.append(f"the file itself says that {run.test_passed:,} cases passed")
    return notes


FORMAT = Format(
    name="deepeval",
    title="DeepEval test run",
    looks_for="a JSON object with testRunData, or with testCases and metricsScores",
    extensions=(".json",),
    detect=_detect,
    read=_read,
)
