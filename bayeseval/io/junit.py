"""JUnit XML: what pytest, Maven Surefire, Gradle, gtest and many others write.

A task is a test, called ``classname::name``; suites may nest. A ``testcase`` without a
``failure``, ``error`` or ``skipped`` child passed; of several children an error weighs
more than a failure, and a failure more than ``skipped``. Skipped tests (and tests that were
expected to fail) are left out and counted.

Several attempts at one test are its rollouts: repeated ``testcase`` elements; the
``flakyFailure``, ``flakyError``, ``rerunFailure`` and ``rerunError`` children of Surefire,
each a failed attempt; names that pytest-repeat numbers (``test[2-3]``); and the elements
of pytest-rerunfailures, which writes failed attempts as if they had passed. Reruns stop at
the first pass, so attempts are not exchangeable; ``filter="first"`` reads first attempts
only (default: ``"all"``).

Tools count errors with failures as not passed. A file with a document type declaration is
refused: with one come entities, which can read other files or fill the memory.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np

from bayeseval._format import format_percent
from bayeseval._validate import one_of
from bayeseval.errors import FormatError
from bayeseval.io._fields import columns_of, refuse_options, version_text
from bayeseval.io._format import Format, Source
from bayeseval.io._options import Options
from bayeseval.io._records import NO_SCORES, Records
from bayeseval.io._repeats import without_repeats
from bayeseval.rollouts._tally import Outcome
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

_ROOTS = ("testsuites", "testsuite")
_RESULTS = ("failure", "error", "skipped")
_EARLIER = ("flakyFailure", "flakyError", "rerunFailure", "rerunError")
_MOST_DEPTH = 100
_MOST_BYTES = 1 << 30
# A million tests with a failure each; empty elements would otherwise be read for minutes.
_MOST_ELEMENTS = 2_000_000
_XML = re.compile(rb"\s*<(\?xml|!--|!DOCTYPE|[A-Za-z_][\w.:-]*[\s/>])", re.IGNORECASE)
_TEARDOWN = "failed on teardown with"
_NOT_RUN = {"status": ("notrun", "disabled"), "result": ("suppressed", "skipped")}


@dataclass(slots=True)
class _Suite:
    """One suite: its name, the number of tests that it claims, its nested suites not."""

    name: str
    tests: int | None
    cases: list[_Case] = field(default_factory=list)


@dataclass(slots=True)
class _Case:
    """One ``testcase`` element."""

    suite: _Suite
    name: str
    classname: str
    file: str
    line: int
    results: list[str] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    error_message: str = ""
    expected_to_fail: bool = False

    @property
    def group(self) -> str:
        return self.classname or self.suite.name

    @property
    def is_bare(self) -> bool:
        return not self.results and not self.earlier


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One attempt at a test; `outcome` is None where it was skipped."""

    task: str
    case: _Case
    outcome: Outcome | None


class _Reader:
    """Handlers of one parse: the suites and cases, in the order of the file."""

    def __init__(self) -> None:
        self.root = ""
        self.version: str | None = None
        self.claimed: int | None = None
        self.suites: list[_Suite] = []
        self.cases: list[_Case] = []
        self._path: list[str] = []
        self._n_elements = 0
        self._open: list[_Suite] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def parse(self, content: bytes) -> None:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, expat.ErrorString(error.code))
            cut = "; the file seems to be cut short" if error.code in _CUT_SHORT else ""
            raise FormatError(
                f"the XML is ill-formed at line {error.lineno:,}, column {error.offset + 1:,}: "
                f"{reason or 'unknown error'}{cut}"
            ) from None
        except (LookupError, ValueError, UnicodeError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"the XML is in an encoding that cannot be read: {error}") from None

    def _refuse_doctype(self, name: str, *_: object) -> None:
        if name.lower() == "html":
            raise FormatError("this is an HTML page; of XML only JUnit reports can be read")
        raise FormatError(
            f"line {self._parser.CurrentLineNumber:,}: the XML declares a document type "
            f"(<!DOCTYPE {name[:40]}), which JUnit reports do not need and which is refused, since "
            f"its entities can read other files; remove the declaration"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if len(self._path) >= _MOST_DEPTH:
            raise FormatError(
                f"line {self._parser.CurrentLineNumber:,}: elements are nested more than "
                f"{_MOST_DEPTH} deep, which no JUnit report needs"
            )
        self._n_elements += 1
        if self._n_elements > _MOST_ELEMENTS:
            raise FormatError(
                f"the report holds more than {_MOST_ELEMENTS:,} elements; split it by suite"
            )
        parent = self._path[-1] if self._path else ""
        if not self._path:
            self.root = tag
            if tag not in _ROOTS:
                raise FormatError(
                    f"no JUnit report: the root element is <{tag[:40]}>, not <testsuites> or "
                    f"<testsuite>; of XML only JUnit reports can be read"
                )
            self.claimed = _count(attributes.get("tests"))
        if tag in _ROOTS and parent in ("", *_ROOTS):
            # Surefire says here which version of its own schema it wrote.
            self.version = self.version or attributes.get("version")
            suite = _Suite(attributes.get("name", ""), _count(attributes.get("tests")))
            self._open.append(suite)
            self.suites.append(suite)
        elif tag == "testcase" and parent in _ROOTS:
            self._case(attributes)
        elif parent == "testcase" and self.cases:
            self._result(tag, attributes)
        elif tag == "property" and parent == "properties" and self._path[-2] == "testcase":
            self.cases[-1].properties[attributes.get("name", "")] = attributes.get("value", "")
        self._path.append(tag)

    def _end(self, tag: str) -> None:
        if self._path.pop() in _ROOTS and self._open:
            self._open.pop()

    def _case(self, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if not attributes.get("name"):
            raise FormatError(f"line {line:,}: a testcase has no name")
        case = _Case(
            self._open[-1],
            attributes["name"],
            attributes.get("classname", ""),
            attributes.get("file", ""),
            line,
        )
        if any(attributes.get(name, "").lower() in not_run for name, not_run in _NOT_RUN.items()):
            case.results.append("skipped")
        self._open[-1].cases.append(case)
        self.cases.append(case)

    def _result(self, tag: str, attributes: dict[str, str]) -> None:
        case = self.cases[-1]
        if tag in _RESULTS:
            case.results.append(tag)
            if tag == "error":
                case.error_message = attributes.get("message", "")
            case.expected_to_fail |= attributes.get("type") == "pytest.xfail"
        elif tag in _EARLIER:
            case.earlier.append(tag)


_CUT_SHORT = {
    expat.errors.codes[name]
    for name in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN)
}


def _count(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,15}", text.strip()) else None


def _detect(source: Source) -> bool:
    return _XML.match(source.head) is not None


def _read(source: Source, options: Options) -> Records:
    refuse_options(
        options, "a JUnit report", "scorer", "metric", instead="filter='first' reads first attempts"
    )
    if options.pass_if is not None:
        raise FormatError(NO_SCORES)
    wanted = one_of(options.filter or "all", ("all", "first"), "filter (--filter)")
    content = source.content()
    if len(content) > _MOST_BYTES:
        raise FormatError("the report is larger than 1 GiB; split it by suite")
    reader = _Reader()
    reader.parse(content)
    if not reader.cases:
        raise FormatError("the report holds no testcase elements: the suite is empty")
    notes = []
    merged = _merge_teardown(reader.suites)
    failed = _hidden_failures(reader.suites)
    cases = [case for case in reader.cases if id(case) not in merged]
    attempts, n_repeats = _attempts(cases, failed)
    skipped = [attempt for attempt in attempts if attempt.outcome is None]
    kept = [attempt for attempt in attempts if attempt.outcome is not None]
    if not kept:
        raise FormatError(f"all {plural(len(skipped), 'test')} of the report were skipped")
    if skipped:
        notes.append(_skipped_note(skipped))
    if merged:
        notes.append(
            f"{plural(len(merged), 'element')} with an error on teardown joined to the "
            f"failed attempt before them"
        )
    if failed:
        notes.append(
            f"{plural(len(failed), 'element')} without a result that another of the same test "
            f"follows, read as failed attempts: the suite counts fewer tests than elements, "
            f"and pytest-rerunfailures writes them so"
        )
    if n_repeats:
        notes.append(
            f"{plural(n_repeats, 'test')} whose names end in [i-n], read as n rollouts of one "
            f"task, as pytest-repeat names them"
        )
    n_children = sum(len(case.earlier) for case in cases)
    if n_children:
        notes.append(
            f"{plural(n_children, 'flaky or rerun result')} within a testcase, read as failed "
            f"attempts"
        )
    kept, rerun_note = _first_only(kept, wanted, bool(failed or n_children))
    notes += rerun_note
    notes += _count_notes(reader, kept, wanted)
    return Records(
        task=[attempt.task for attempt in kept],
        outcome=np.array([attempt.outcome for attempt in kept], dtype=np.int8),
        columns=_columns(kept, notes),
        place=lambda at: f"line {kept[at].case.line:,}",
        notes=tuple(notes),
        version=version_text(("schema", reader.version)),
    )


def _merge_teardown(suites: Iterable[_Suite]) -> set[int]:
    """Join what pytest splits, a failure and an error on teardown; return ids of the second."""
    merged: set[int] = set()
    for suite in suites:
        kept: list[_Case] = []
        for case in suite.cases:
            last = kept[-1] if kept else None
            if (
                last is not None
                and (last.classname, last.name) == (case.classname, case.name)
                and last.results == ["failure"]
                and case.results == ["error"]
                and case.error_message.startswith(_TEARDOWN)
            ):
                last.results.append("error")
                merged.add(id(case))
            else:
                kept.append(case)
        suite.cases = kept
    return merged


def _hidden_failures(suites: Iterable[_Suite]) -> set[int]:
    """Return the ids of cases that pytest-rerunfailures wrote as if they had passed."""
    failed: set[int] = set()
    for suite in suites:
        if suite.tests is None or len(suite.cases) <= suite.tests:
            continue
        same: dict[tuple[str, str], list[_Case]] = defaultdict(list)
        for case in suite.cases:
            same[case.classname, case.name].append(case)
        for group in same.values():
            if all(case.is_bare for case in group[:-1]):
                failed |= {id(case) for case in group[:-1]}
    return failed


def _attempts(cases: list[_Case], failed: set[int]) -> tuple[list[_Attempt], int]:
    names, n_repeats = without_repeats([(case.group, case.name) for case in cases])
    attempts = []
    for case, (group, name) in zip(cases, names, strict=True):
        task = f"{group}::{name}" if group else name
        final = _Attempt(task, case, _outcome(case, failed))
        earlier = [_Attempt(task, case, Outcome.FAIL)] * len(case.earlier)
        # Surefire gives the first of several failed attempts as `failure` or `error`.
        attempts += [final, *earlier] if _reran(case) else [*earlier, final]
    return attempts, n_repeats


def _outcome(case: _Case, failed: set[int]) -> Outcome | None:
    if "error" in case.results:
        return Outcome.ERRORED
    if "failure" in case.results or id(case) in failed:
        return Outcome.FAIL
    if "skipped" in case.results:
        return None
    # A rerun that is told without the first result: the test failed to the end.
    return Outcome.FAIL if _reran(case) else Outcome.PASS


def _reran(case: _Case) -> bool:
    return any(tag.startswith("rerun") for tag in case.earlier)


def _first_only(
    attempts: list[_Attempt], wanted: str, reruns: bool
) -> tuple[list[_Attempt], list[str]]:
    seen = Counter(attempt.task for attempt in attempts)
    n_further = len(attempts) - len(seen)
    if wanted == "first":
        first = {attempt.task: attempt for attempt in reversed(attempts)}
        kept = list(reversed(first.values()))
        return kept, [f"first attempts only: {plural(n_further, 'further attempt')} left out"]
    if not n_further or not (reruns or _stops_at_pass(attempts)):
        return attempts, []
    return attempts, [
        "reruns stop at the first pass, so the attempts of a test are not exchangeable: pass@k, "
        "pass^k and pass rates of such data are biased; filter='first' (--filter first) reads "
        "first attempts only"
    ]


def _stops_at_pass(attempts: list[_Attempt]) -> bool:
    """Whether repeated tests look like reruns: unequal in number, and none after a pass."""
    outcomes: dict[str, list[Outcome | None]] = defaultdict(list)
    for attempt in attempts:
        outcomes[attempt.task].append(attempt.outcome)
    rerun_to_a_pass = any(len(each) > 1 and each[-1] == Outcome.PASS for each in outcomes.values())
    nothing_after = all(Outcome.PASS not in each[:-1] for each in outcomes.values())
    return rerun_to_a_pass and nothing_after and len(set(map(len, outcomes.values()))) > 1


def _skipped_note(skipped: list[_Attempt]) -> str:
    note = f"{plural(len(skipped), 'skipped test')} left out"
    if expected := sum(attempt.case.expected_to_fail for attempt in skipped):
        note += f" ({expected:,} of them expected to fail)"
    return note


def _count_notes(reader: _Reader, kept: list[_Attempt], wanted: str) -> list[str]:
    notes = []
    n_errored = sum(attempt.outcome == Outcome.ERRORED for attempt in kept)
    if n_errored:
        n_passed = sum(attempt.outcome == Outcome.PASS for attempt in kept)
        notes.append(
            f"readers of JUnit XML count {plural(n_errored, 'error')} as not passed: "
            f"{format_percent(n_passed / len(kept))} of {plural(len(kept), 'attempt')} passed by "
            f"that rule"
        )
    if reader.claimed is not None and reader.claimed > len(reader.cases):
        notes.append(
            f"the root element counts {plural(reader.claimed, 'test')}, but the file holds "
            f"{len(reader.cases):,}"
        )
    return notes


def _columns(attempts: list[_Attempt], notes: list[str]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for name, values in (
        ("suite", [attempt.case.suite.name for attempt in attempts]),
        ("classname", [attempt.case.classname for attempt in attempts]),
        ("file", [attempt.case.file for attempt in attempts]),
    ):
        if any(values):
            columns[name] = values
    more, more_notes = columns_of([attempt.case.properties for attempt in attempts], "property")
    notes += more_notes
    return more | columns


FORMAT = Format(
    name="junit",
    title="JUnit XML report",
    looks_for="XML whose root is testsuites or testsuite",
    extensions=(".xml",),
    detect=_detect,
    read=_read,
)
