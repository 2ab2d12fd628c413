"""multivon-eval: the JSON report of a suite.

A task is a case: ``case_id`` where every case has its own, else the position of the case
(version 1 of the report has no ids, and inputs may repeat). A rollout is one run of the
case: an entry of ``trials`` in version 2; version 1 keeps only how many runs there were
(``runs``) and the share that passed (``run_pass_rate``). A run passes if every evaluator
does; the harness itself calls a case passed only if every run passed, which is pass^runs.
Runs with a model, judge or evaluator error or a time-out are errored: the harness leaves
such cases out of its pass rate, and so does ``errors="exclude"``. Skipped cases are left
out and counted.

``scorer=`` reads the verdicts of one evaluator instead of all together (version 1 has
them for single runs only). ``pass_if=`` sets a bar for the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import FormatError, InputError
from bayeseval.io._fields import columns_of, flag, refuse_options, score_of, version_text
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.io._records import Records
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

_KNOWN_SCHEMAS = (None, "multivon.report/v1", "multivon.report/v2")
_BROKEN = ("model_error", "judge_error", "evaluator_error", "timeout")
_OUTCOMES = {
    "passed": Outcome.PASS,
    "failed_quality": Outcome.FAIL,
    **dict.fromkeys(_BROKEN, Outcome.ERRORED),
}
# Beyond any number of runs; without a limit one wrong count would fill the memory.
_MOST_RUNS = 1_000_000


class _Evaluator(msgspec.Struct):
    name: str
    score: Any = None
    passed: Any = None


class _Input(msgspec.Struct):
    tags: list[Any] | None = None
    metadata: dict[str, Any] | None = None


class _Trial(msgspec.Struct):
    status: str | None = None
    passed: Any = None
    skipped: bool | None = None
    model_error: Any = None
    judge_error: Any = None
    evaluator_error: Any = None
    evaluators: list[_Evaluator] = []
    case: _Input | None = None


class _Case(_Trial):
    case_id: int | str | None = None
    score: Any = None
    all_scores: list[Any] | None = None
    run_pass_rate: float | None = None
    runs: int | None = None
    pass_count: int | None = None
    trials: list[_Trial] | None = None
    tags: list[Any] | None = None


class _Report(msgspec.Struct):
    cases: list[_Case]
    suite_lock: Any = None
    schema: str | None = None
    suite: str | None = None
    model: str | None = None
    summary: dict[str, Any] | None = None


class _Run(msgspec.Struct):
    """One rollout before it becomes a row: its outcome, score and evaluators."""

    outcome: Outcome
    score: float | None
    evaluators: Sequence[_Evaluator]


def _detect(source: Source) -> bool:
    record = source.record
    if str(record.get("schema", "")).startswith("multivon.report/"):
        return True
    cases = record.get("cases")
    if not isinstance(cases, list) or "suite" not in record:
        return False
    first = cases[0] if cases and isinstance(cases[0], dict) else {}
    return "summary" in record or bool({"run_pass_rate", "is_flaky", "evaluators"} & first.keys())


def _read(source: Source, options: Options) -> Records:
    refuse_options(
        options, "a multivon-eval report", "metric", "filter", instead="scorer= names an evaluator"
    )
    report = decode(source.content(), _Report)
    if report.schema not in _KNOWN_SCHEMAS:
        raise FormatError(
            f"the report has the schema {report.schema!r}; known are multivon.report/v1 and /v2"
        )
    scorer = None
    if options.scorer is not None:
        scorer = pick(_evaluators(report), options.scorer, "scorer", "evaluators")
    ids = _ids(report.cases)
    rows: list[tuple[int, _Run]] = []
    skipped = 0
    for at, case in enumerate(report.cases):
        if case.skipped or case.status == "skipped":
            skipped += 1
            continue
        rows += ((at, run) for run in _runs(case, f"case {at + 1:,}", scorer))
    if skipped and not rows:
        raise FormatError(f"all {plural(skipped, 'case')} of the report were skipped")
    columns, notes = _columns(report, [at for at, _ in rows])
    lock = report.suite_lock
    written = lock.get("library_version") if isinstance(lock, dict) else None
    return Records(
        task=[ids[at] for at, _ in rows],
        outcome=np.array([run.outcome for _, run in rows], dtype=np.int8),
        system=[report.model] * len(rows) if report.model else None,
        score=None if all(run.score is None for _, run in rows) else [run.score for _, run in rows],
        columns=columns,
        place=lambda row: f"case {rows[row][0] + 1:,}",
        notes=(*_notes(report, rows, scorer, skipped), *notes),
        version=version_text(
            ("schema", report.schema),
            ("multivon-eval", written),
        ),
    )


def _ids(cases: list[_Case]) -> list[int | str]:
    ids = [case.case_id for case in cases if case.case_id is not None]
    if len(ids) == len(cases) == len(set(ids)):
        return ids
    return list(range(len(cases)))


def _evaluators(report: _Report) -> list[str]:
    names: dict[str, None] = {}
    for case in report.cases:
        for one in (case, *(case.trials or ())):
            names |= dict.fromkeys(evaluator.name for evaluator in one.evaluators)
    return list(names)


def _runs(case: _Case, place: str, scorer: str | None) -> list[_Run]:
    if case.trials:
        scores = case.all_scores if len(case.all_scores or ()) == len(case.trials) else None
        return [
            _run(
                trial,
                f"{place}, trial {number}",
                scorer,
                scores[number - 1] if scores else _mean_score(trial.evaluators),
            )
            for number, trial in enumerate(case.trials, start=1)
        ]
    runs = 1 if case.runs is None else case.runs
    if not 1 <= runs <= _MOST_RUNS:
        raise FormatError(f"{place}: runs is {runs:,}; it must be 1 to {_MOST_RUNS:,}")
    if runs == 1:
        return [_run(case, place, scorer, case.score)]
    if scorer is not None:
        raise InputError(
            f"{place} ran {runs:,} times, and this version of the report has the verdicts of "
            f"single evaluators for the last run only; read it without scorer="
        )
    if _broke(case):
        return [_Run(Outcome.ERRORED, None, ())] * runs
    # Which of the runs passed is not in the file, so scores cannot be matched to runs.
    passes = _passes(case, runs, place)
    return [_Run(Outcome.PASS, None, ())] * passes + [_Run(Outcome.FAIL, None, ())] * (
        runs - passes
    )


def _passes(case: _Case, runs: int, place: str) -> int:
    if case.pass_count is not None and 0 <= case.pass_count <= runs:
        return case.pass_count
    rate = case.run_pass_rate
    if rate is None or not 0 <= rate <= 1:
        raise FormatError(
            f"{place}: run_pass_rate is {short(rate)}; it must be the share of its {runs:,} runs "
            f"that passed, 0 to 1"
        )
    return round(rate * runs)


def _broke(one: _Trial) -> bool:
    if one.status is not None:
        return one.status in _BROKEN
    return any(each is not None for each in (one.model_error, one.judge_error, one.evaluator_error))


def _run(one: _Trial, place: str, scorer: str | None, score: Any) -> _Run:
    if _broke(one):
        return _Run(Outcome.ERRORED, None, ())
    if scorer is not None:
        evaluator = next((each for each in one.evaluators if each.name == scorer), None)
        passed = None if evaluator is None else flag(evaluator.passed, "passed", place)
        outcome = Outcome.MISSING if passed is None else Outcome(passed)
        return _Run(outcome, score_of(evaluator and evaluator.score), one.evaluators)
    if one.status is not None:
        if one.status == "skipped":
            return _Run(Outcome.MISSING, None, ())
        if one.status not in _OUTCOMES:
            raise FormatError(
                f"{place}: status is {short(one.status)}; known are "
                f"{', '.join(_OUTCOMES)} and skipped"
            )
        return _Run(_OUTCOMES[one.status], score_of(score), one.evaluators)
    passed = flag(one.passed, "passed", place)
    outcome = Outcome.MISSING if passed is None else Outcome(passed)
    return _Run(outcome, score_of(score), one.evaluators)


def _mean_score(evaluators: Sequence[_Evaluator]) -> float | None:
    scores = [score_of(evaluator.score) for evaluator in evaluators]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known and len(known) == len(scores) else None


def _columns(report: _Report, cases: list[int]) -> tuple[dict[str, list[Any]], list[str]]:
    columns: dict[str, list[Any]] = {}
    if report.suite:
        columns["suite"] = [report.suite] * len(cases)
    tags = [_tags(case) for case in report.cases]
    if any(tags):
        columns["tags"] = [", ".join(tags[at]) for at in cases]
    metadata = [_metadata(case) for case in report.cases]
    more, notes = columns_of([metadata[at] for at in cases], "metadata")
    return more | columns, notes


def _tags(case: _Case) -> list[str]:
    return sorted(map(str, case.tags or _input(case).tags or ()))


def _metadata(case: _Case) -> dict[str, Any]:
    return _input(case).metadata or {}


def _input(case: _Case) -> _Input:
    return (case.trials[0].case if case.trials else case.case) or _Input()


def _notes(
    report: _Report, rows: list[tuple[int, _Run]], scorer: str | None, skipped: int
) -> list[str]:
    notes = []
    if scorer is not None:
        notes.append(f"a rollout passes if the evaluator {scorer!r} does")
    if skipped:
        notes.append(f"{plural(skipped, 'skipped case')} left out, as multivon-eval does")
    rate = score_of((report.summary or {}).get("pass_rate"))
    broke = len({at for at, run in rows if run.outcome == Outcome.ERRORED})
    several = len(rows) > len({at for at, _ in rows})
    if rate is not None and (several or broke or scorer is not None):
        rule = "counts a case as passed only if every run passed" if several else ""
        left = f"leaves {plural(broke, 'case')} with errors out" if broke else ""
        said = " and ".join(filter(None, (rule, left))) or "asks all evaluators"
        notes.append(f"multivon-eval itself {said}; its own pass rate is {format_percent(rate)}")
    return notes


FORMAT = Format(
    name="multivon",
    title="multivon-eval report",
    looks_for="a JSON object with suite, summary and cases",
    extensions=(".json",),
    detect=_detect,
    read=_read,
)
