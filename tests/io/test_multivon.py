"""multivon-eval reports: both versions, their runs and statuses, and near-valid files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from tests.io.fuzzing import Write, damaged_bytes, mutated_json, read, reads_or_refuses


def case(status: str, runs: int = 1, rate: Any = None, **fields: Any) -> dict[str, Any]:
    passed = status == "passed"
    return {
        "input": "q",
        "status": status,
        "passed": passed,
        "score": 1.0 if passed else 0.5,
        "all_scores": [],
        "run_pass_rate": float(passed) if rate is None else rate,
        "runs": runs,
        "evaluators": [
            {"name": "exact", "score": float(passed), "passed": passed},
            {"name": "tone", "score": 1.0, "passed": True},
        ],
    } | fields


def trial(status: str, exact: bool = True) -> dict[str, Any]:
    return {
        "attempt": 1,
        "status": status,
        "evaluators": [{"name": "exact", "score": float(exact), "passed": exact}],
        "case": {"tags": ["b", "a"], "metadata": {"level": "hard"}},
    }


def report(cases: list[Any], rate: Any = 0.5, **fields: Any) -> dict[str, Any]:
    return {
        "suite": "demo",
        "model": "fake",
        "summary": {"pass_rate": rate},
        "cases": cases,
    } | fields


def v2_case(name: str, *trials: dict[str, Any], **fields: Any) -> dict[str, Any]:
    all_passed = all(each["status"] == "passed" for each in trials)
    made = case("passed" if all_passed else "failed_quality", runs=len(trials))
    return made | {"case_id": name, "trials": list(trials)} | fields


SCHEMA = {"schema": "multivon.report/v2"}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(document: Any) -> Path:
        path = tmp_path / "report.json"
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return path

    return to_file


def test_statuses_of_single_runs(write: Write) -> None:
    errors = ["model_error", "judge_error", "evaluator_error", "timeout"]
    cases = [case(status) for status in ("passed", "failed_quality", *errors, "skipped")]
    rollouts = be.read(write(report(cases)))
    ledger = rollouts.ledger
    assert rollouts.task.tolist() == list(range(6))
    assert (ledger.passed, ledger.failed, ledger.errored, ledger.missing) == (1, 1, 4, 0)
    assert ledger.notes[:2] == (
        "1 skipped case left out, as multivon-eval does",
        "multivon-eval itself leaves 4 cases with errors out; its own pass rate is 50.0 %",
    )
    assert rollouts.levels("suite") == ("demo",)
    assert rollouts.levels("system") == ("fake",)


def test_runs_of_version_1_come_from_the_share_that_passed(write: Write) -> None:
    cases = [
        case("failed_quality", runs=3, rate=0.6667),
        case("passed", runs=3),
        case("model_error", runs=3),
        case("failed_quality", runs=3, rate=0.0, pass_count=1),
    ]
    rollouts = be.read(write(report(cases)))
    assert rollouts.passes.tolist() == [2, 3, 0, 1]
    assert rollouts.trials.tolist() == [3, 3, 0, 3]
    assert rollouts.errored.tolist() == [0, 0, 3, 0]
    assert "counts a case as passed only if every run passed" in rollouts.ledger.notes[0]


def test_trials_of_version_2(write: Write) -> None:
    cases = [
        v2_case("a", trial("passed"), trial("failed_quality", False), trial("model_error")),
        v2_case("b", trial("passed"), trial("passed"), trial("passed")),
    ]
    rollouts = be.read(write(report(cases, **SCHEMA)))
    assert rollouts.task.tolist() == ["a", "b"]
    assert (rollouts.passes.tolist(), rollouts.errored.tolist()) == ([1, 3], [1, 0])
    assert rollouts.levels("tags") == ("a, b",)
    assert rollouts.levels("level") == ("hard",)


def test_ids_that_repeat_are_not_used(write: Write) -> None:
    cases = [v2_case("a", trial("passed")), v2_case("a", trial("failed_quality"))]
    assert be.read(write(report(cases, **SCHEMA))).task.tolist() == [0, 1]


def test_one_evaluator(write: Write) -> None:
    cases = [case("failed_quality"), case("passed"), case("passed", evaluators=[])]
    path = write(report(cases))
    assert read(path, scorer="tone").ledger.passed == 2
    assert read(path, scorer="exact").passes.tolist() == [0, 1, 0]
    assert read(path, scorer="exact").ledger.missing == 1
    with pytest.raises(be.InputError, match=r"scorer = 'ton' .*did you mean 'tone'"):
        read(path, scorer="ton")
    with pytest.raises(be.InputError, match=r"metric = 'tone' .*scorer= names an evaluator"):
        read(path, metric="tone")
    with pytest.raises(be.InputError, match=r"case 1 ran 3 times.*last run only"):
        read(write(report([case("passed", runs=3)])), scorer="exact")


def test_scores(write: Write) -> None:
    path = write(report([case("failed_quality"), case("passed")]))
    assert read(path, pass_if=lambda score: score >= 0.5).ledger.passed == 2
    assert "1 score between 0 and 1" in be.read(path).ledger.notes[0]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (report([case("odd")]), "case 1: status is 'odd'; known are passed, failed_quality"),
        (report([case("passed"), case("passed", runs=0)]), "case 2: runs is 0; it must be 1 to"),
        (report([case("passed", runs=10**9)]), "case 1: runs is 1,000,000,000"),
        (report([case("passed", runs=2, rate=1.5)]), "case 1: run_pass_rate is 1.5"),
        (report([case("skipped")]), "all 1 case of the report were skipped"),
        (report([]), "holds no rollouts"),
        (report([case("passed")], schema="multivon.report/v9"), "known are .*v1 and /v2"),
        (
            report([case("passed") | {"status": None, "passed": "x"}]),
            "passed is 'x'; it must be true",
        ),
    ],
)
def test_what_cannot_be_right_is_refused(write: Write, document: Any, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write(document))


def test_a_file_without_cases_is_no_report(write: Write) -> None:
    path = write({"trap_family": "dates", "question": "When?", "model": "m", "score": {"a": 1}})
    with pytest.raises(be.FormatError, match="one JSON object with the keys 'trap_family'"):
        be.read(path)
    with pytest.raises(be.FormatError, match="missing required field `cases`"):
        be.read(path, format="multivon")


VALID = report(
    [v2_case("a", trial("passed"), trial("model_error")), case("failed_quality", 3, 0.33)],
    **SCHEMA,
)


@given(mutated_json(VALID), st.sampled_from([None, "exact"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_documents_are_read_or_refused(
    tmp_path: Path, content: bytes, scorer: str | None
) -> None:
    reads_or_refuses(tmp_path / "x", content, "multivon", scorer=scorer)


@given(damaged_bytes(json.dumps(VALID).encode()))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "x", content, "multivon")
