"""Logs of OpenAI evals: verdicts, scores, errors, and near-valid files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import bayeseval as be
from tests.io.fuzzing import Write, damaged_bytes, mutated_json, read, reads_or_refuses

SPEC = {"spec": {"completion_fns": ["gpt-4"], "eval_name": "test.s1", "run_config": {}}}
REPORT = {"final_report": {"accuracy": 0.5}}


def event(sample: Any, kind: str, data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": 0, "sample_id": sample, "type": kind, "data": data}


def match(sample: Any, correct: Any) -> dict[str, Any]:
    return event(sample, "match", {"correct": correct, "expected": "a", "picked": "b"})


def sampling(sample: Any) -> dict[str, Any]:
    return event(sample, "sampling", {"prompt": "?", "sampled": "!"})


def graded(sample: Any, **data: Any) -> dict[str, Any]:
    return event(sample, "metrics", data)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(lines: Any) -> Path:
        path = tmp_path / "log.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
        return path

    return to_file


@pytest.mark.parametrize("report_at", [0, 1, 3, 5])
def test_the_final_report_may_stand_anywhere(write: Write, report_at: int) -> None:
    lines = [SPEC, sampling("a"), match("a", True), sampling("b"), match("b", False)]
    lines.insert(report_at, REPORT)
    rollouts = be.read(write(lines))
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == (["a", "b"], [1, 0])
    assert rollouts.levels("system") == ("gpt-4",)
    assert rollouts.levels("eval") == ("test.s1",)
    assert rollouts.ledger.notes == (
        "oaieval itself reports accuracy = 0.5; it takes verdicts alone",
    )


def test_several_verdicts_are_rollouts(write: Write) -> None:
    rollouts = be.read(write([SPEC, match("a", True), match("b", True), match("a", False), REPORT]))
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 1], [2, 1])
    assert rollouts.ledger.notes[0].startswith("1 verdict on a sample that has one already")


def test_errors_and_samples_that_broke_off(write: Write) -> None:
    lines = [
        SPEC,
        sampling("ok"),
        match("ok", True),
        event("broke", "error", {"message": "500"}),
        event("again", "error", {"message": "500"}),
        match("again", False),
        sampling("cut"),
    ]
    rollouts = be.read(write(lines))
    ledger = rollouts.ledger
    assert (ledger.passed, ledger.failed, ledger.errored, ledger.missing) == (1, 1, 2, 1)
    assert ledger.notes == ("there is no final report: the run may have broken off",)


def test_only_errors(write: Write) -> None:
    ledger = be.read(write([SPEC, event("a", "error", {}), event("b", "error", {})])).ledger
    assert (ledger.scored, ledger.errored) == (0, 2)


def test_ids_keep_their_type(write: Write) -> None:
    assert be.read(write([SPEC, match(8, True), match("8", True)])).task.tolist() == [8, "8"]


def test_scores_of_a_model_that_grades(write: Write) -> None:
    lines = [
        SPEC,
        graded("a", choice="Y", score=1.0, latency=3),
        graded("b", choice="N", score=0.0, latency=2),
        graded("c", choice="U", score=0.5, latency=2),
    ]
    path = write(lines)
    assert be.read(path).passes.tolist() == [1, 0, 0]
    assert read(path, pass_if=lambda score: score >= 0.5).passes.tolist() == [1, 0, 1]
    with pytest.raises(be.InputError, match=r"'latency' holds scores from 2 to 3, which are not"):
        read(path, metric="latency")
    assert read(path, metric="latency", pass_if=lambda s: s < 3).passes.tolist() == [0, 1, 1]


def test_scores_that_are_no_verdicts_need_a_bar(write: Write) -> None:
    path = write([SPEC, graded("a", choice="4", score=4), graded("b", choice="1", score=1)])
    with pytest.raises(be.InputError, match=r"'score' holds scores from 1 to 4.*--pass-if"):
        be.read(path)
    assert read(path, pass_if=lambda score: score >= 4).passes.tolist() == [1, 0]


def test_a_score_of_the_wrong_polarity_needs_a_bar(write: Write) -> None:
    path = write([SPEC, graded("a", wer=1.0), graded("b", wer=0.05)])
    with pytest.raises(be.InputError, match=r"'wer' is better where it is lower.*'<= 0.1'"):
        be.read(path)
    assert read(path, pass_if=lambda score: score <= 0.1).passes.tolist() == [0, 1]


def test_several_outcomes(write: Write) -> None:
    path = write([SPEC, graded("a", accuracy=1, brief=False), match("a", False)])
    with pytest.raises(be.InputError, match=r"3 outcomes; choose one .*'accuracy', 'brief', 'mat"):
        be.read(path)
    assert read(path, metric="accuracy").ledger.passed == 1
    assert read(path, metric="brief").ledger.failed == 1
    assert read(path, metric="match").ledger.failed == 1
    with pytest.raises(be.InputError, match=r"scorer = 'match' .*has no scorers; metric= names"):
        read(path, scorer="match")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([SPEC, REPORT], "no events of samples, only its final report"),
        ([SPEC, sampling("a")], "holds no verdicts .*only sampling events"),
        ([SPEC, match("a", "yes")], "line 2: correct is 'yes'; it must be true or false"),
        ([SPEC, event("a", "match", [1])], "line 2: data of a match event is no object"),
        ([SPEC, match("a", True), SPEC], "holds 2 runs"),
        ([SPEC, graded("a", choice="Y")], "hold no score, only choice"),
        ([SPEC, match(1.5, True)], r"line 2: a field is not what the format says: .*sample_id"),
    ],
)
def test_what_cannot_be_right_is_refused(write: Write, lines: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.read(write(lines))


def test_a_corrupt_line_is_named(write: Write) -> None:
    path = write([SPEC, match("a", True), REPORT])
    path.write_bytes(path.read_bytes().replace(b'"a", "type"', b'"a\xff", "type"'))
    with pytest.raises(be.FormatError, match=r"line 2: not UTF-8.*--skip-bad-records"):
        be.read(path, format="openai-evals")
    with pytest.raises(be.FormatError, match="no events of samples"):
        read(path, "openai-evals", skip_bad_records=True)


LINES = [SPEC, match("a", True), graded("b", choice="Y", score=1), event("c", "error", {}), REPORT]


@given(mutated_json(LINES))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_documents_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    lines = json.loads(content)
    content = "\n".join(map(json.dumps, lines)).encode("utf-8", errors="replace")
    reads_or_refuses(tmp_path / "x", content, "openai-evals")
    reads_or_refuses(tmp_path / "x", content, "openai-evals", metric="match")


@given(damaged_bytes("\n".join(map(json.dumps, LINES)).encode()))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "x", content, "openai-evals", metric="match")
    reads_or_refuses(tmp_path / "x", content, "openai-evals", metric="match", skip_bad_records=True)
