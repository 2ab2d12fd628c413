"""DeepEval test runs: wrapped and bare, metrics that crash, and near-valid files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io._pass_if import PassIf
from tests.io.fuzzing import Write, damaged_bytes, mutated_json, read, reads_or_refuses


def metric(name: str, success: Any = True, score: Any = 1.0, **fields: Any) -> dict[str, Any]:
    made = {"name": name, "threshold": 0.5, "success": success, "strictMode": False}
    return made | ({} if score is None else {"score": score}) | fields


def case(name: str | None, success: Any = True, *metrics: Any, **fields: Any) -> dict[str, Any]:
    made = {"input": "q", "success": success, "metricsData": list(metrics)} | fields
    return made if name is None else {"name": name} | made


def run(*cases: Any, wrapped: bool = True, **fields: Any) -> dict[str, Any]:
    inner = {"testCases": list(cases), "metricsScores": [], "runDuration": 1.0} | fields
    return {"testRunData": inner} if wrapped else inner


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(document: Any) -> Path:
        path = tmp_path / "run.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return to_file


@pytest.mark.parametrize("wrapped", [True, False])
def test_success_of_the_case_decides(write: Write, wrapped: bool) -> None:
    # Lower is better for the second metric: its score is below its threshold, and it succeeded.
    good = case("good", True, metric("Relevancy", score=0.9), metric("Bias", score=0.0))
    bad = case("bad", False, metric("Relevancy", score=0.9), metric("Bias", False, 0.8))
    rollouts = be.read(write(run(good, bad, wrapped=wrapped)))
    assert dict(zip(rollouts.task, rollouts.passes.tolist(), strict=True)) == {"good": 1, "bad": 0}
    assert rollouts.ledger.notes == ("a case passes if all its metrics succeeded: Relevancy, Bias",)


def test_a_crashed_metric_makes_the_case_errored(write: Write) -> None:
    crashed = metric("Judge", False, None, error="time-out")
    cases = [
        case("crashed", False, metric("A"), crashed),
        case("failed anyway", False, metric("A", False, 0.1), crashed),
        case("passed", True, metric("A")),
        case("no score and no error", False, metric("A", False, None)),
    ]
    ledger = be.read(write(run(*cases))).ledger
    assert (ledger.passed, ledger.failed, ledger.errored) == (1, 2, 1)
    assert ledger.notes[-1] == (
        "DeepEval itself counts 1 errored case as failed; by its rule 25.0 % pass"
    )


def test_a_case_without_success(write: Write) -> None:
    cases = [
        case("a", None, metric("A"), metric("B")),
        case("b", None, metric("A"), metric("B", False)),
        case("c", None),
        case("d", None, metric("A", None)),
    ]
    ledger = be.read(write(run(*cases))).ledger
    assert (ledger.passed, ledger.failed, ledger.missing) == (1, 1, 2)


def test_one_metric(write: Write) -> None:
    crashed = metric("Tone", False, None, error="time-out")
    path = write(
        run(
            case("a", False, metric("Tone", True, 0.7), metric("Facts", False, 0.2)),
            case("b", False, crashed, metric("Facts", True, 0.9)),
            case("c", True),
        )
    )
    ledger = read(path, metric="Tone").ledger
    assert (ledger.passed, ledger.errored, ledger.missing) == (1, 2, 1)
    assert read(path, metric="Facts").passes.tolist() == [0, 1, 0]
    assert read(path, metric="Facts", pass_if=lambda score: score < 0.5).passes.tolist() == [
        1,
        0,
        0,
    ]
    with pytest.raises(be.InputError, match=r"choose one with metric= .*'Tone', 'Facts'"):
        read(path, pass_if=lambda score: score > 0.5)
    with pytest.raises(be.InputError, match=r"metric = 'tone' .*did you mean 'Tone'"):
        read(path, metric="tone")
    with pytest.raises(be.InputError, match=r"filter = 'Tone' .*metric= names one"):
        read(path, filter="Tone")


def test_a_bar_of_the_wrong_polarity_is_refused(write: Write) -> None:
    path = write(
        run(
            case("a", True, metric("Bias", True, 0.1), metric("Tone", True, 0.9)),
            case("b", False, metric("Bias", False, 0.8), metric("Tone", False, 0.5)),
        )
    )
    message = (
        r"'Bias' is better where it is lower: in case 1 a score of 0.1 succeeded at a threshold of "
        r"0.5; write pass_if='<= 0.3'"
    )
    with pytest.raises(be.InputError, match=message):
        read(path, metric="Bias", pass_if=PassIf(">=", 0.3))
    assert read(path, metric="Bias", pass_if=PassIf("<=", 0.3)).passes.tolist() == [1, 0]
    assert read(path, metric="Tone", pass_if=PassIf(">=", 0.3)).passes.tolist() == [1, 1]


def test_a_metric_twice_in_one_case_is_refused(write: Write) -> None:
    path = write(run(case("a", True, metric("G"), metric("G"))))
    with pytest.raises(be.InputError, match="case 1 has 2 metrics called 'G'"):
        read(path, metric="G")


def test_names_that_repeat_give_way_to_order_and_position(write: Write) -> None:
    cases = [case("test_x", order=2), case("test_x", False, order=0)]
    rollouts = be.read(write(run(*cases)))
    assert dict(zip(rollouts.task.tolist(), rollouts.passes.tolist(), strict=True)) == {2: 1, 0: 0}
    rollouts = be.read(write(run(case("test_x"), case(None))))
    assert rollouts.task.tolist() == [0, 1]
    assert "a task is called by its position" in rollouts.ledger.notes[0]


def test_repeats_of_pytest_are_rollouts(write: Write) -> None:
    names = ["test_x[1-2]", "test_x[2-2]", "test_y[a-1-2]", "test_y[a-2-2]"]
    rollouts = be.read(write(run(*(case(name) for name in names))))
    assert (rollouts.task.tolist(), rollouts.trials.tolist()) == (["test_x", "test_y[a]"], [2, 2])
    assert "pytest-repeat" in rollouts.ledger.notes[0]


def test_factors_and_conversations(write: Write) -> None:
    document = run(
        case("a", True, tags=["x", "b"], metadata={"mode": "chat"}),
        conversationalTestCases=[case("b", False, additionalMetadata={"mode": "call"})],
    )
    rollouts = be.read(write(document))
    assert rollouts.levels("kind") == ("conversation", "single-turn")
    assert rollouts.levels("mode") == ("call", "chat")
    assert rollouts.n_tasks == 2


def test_totals_of_the_file_that_disagree_are_told(write: Write) -> None:
    notes = be.read(write(run(case("a"), case("b", False), testPassed=2))).ledger.notes
    assert notes == ("the file itself says that 2 cases passed",)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (run(), "holds no test cases"),
        (run(case("a"), case("b", "yes")), "case 2: success is 'yes'; it must be true or false"),
        (run(case("a", True, {"score": 1})), r"required field `name`.*metricsData"),
        ({"testRunData": {"testCases": 3}}, "a field is not what the format says"),
        ({"test_cases_lookup_map": {}}, "cache of metric results, not a test run"),
    ],
)
def test_what_cannot_be_right_is_refused(write: Write, document: Any, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write(document))


VALID = run(case("a", False, metric("A"), metric("B", False, None, error="x")), case("b"))


@given(mutated_json(VALID), st.sampled_from([None, "A"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_documents_are_read_or_refused(
    tmp_path: Path, content: bytes, metric: str | None
) -> None:
    reads_or_refuses(tmp_path / "x", content, "deepeval", metric=metric)


@given(damaged_bytes(json.dumps(VALID).encode()))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "x", content, "deepeval")
