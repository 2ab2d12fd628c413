"""HumanEval results: lines, summaries, resumed runs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from tests.io.reading import ODD, check_any_bytes, encoded, mutated


def sample(task: Any, result: str | None = "passed", **more: Any) -> dict[str, Any]:
    found = {"task_id": task, "completion": "return 1\n", "result": result}
    return {**found, "passed": result == "passed", **more}


def write(tmp_path: Path, *lines: Any) -> Path:
    path = tmp_path / "any"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_lines_are_rollouts(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        sample("HumanEval/0"),
        sample("HumanEval/1", "timed out"),
        "",
        sample("HumanEval/0", "failed: "),
        sample("HumanEval/1", "failed: passed"),
    )
    rollouts = be.read(path)
    assert rollouts.task.tolist() == ["HumanEval/0", "HumanEval/1"]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 0], [2, 2])
    assert rollouts.ledger.notes == ("1 completion timed out: failures, as in HumanEval itself",)


def test_as_a_list(tmp_path: Path) -> None:
    samples = [sample(0), sample("0", "failed: x"), {"task_id": 0, "result": "passed"}]
    rollouts = be.read(write(tmp_path, json.dumps(samples, indent=1)))
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == ([0, "0"], [2, 0])


def test_a_trailing_summary_is_not_counted(tmp_path: Path) -> None:
    rollouts = be.read(write(tmp_path, sample("a"), sample("b"), {"passed": 2, "failed": 0}))
    assert rollouts.ledger.attempted == 2
    assert rollouts.ledger.notes == (
        "1 line without task_id not counted, since it is a summary: line 3",
    )


def test_missing_verdicts(tmp_path: Path) -> None:
    first = sample("a", passed=None)
    lines = [first, sample("b", None, passed=None), sample("c", passed=0)]
    ledger = be.read(write(tmp_path, *lines)).ledger
    assert (ledger.passed, ledger.failed, ledger.missing) == (1, 1, 1)


def test_a_resumed_run_is_told(tmp_path: Path) -> None:
    rollouts = be.read(write(tmp_path, sample("a"), sample("b"), sample("b")))
    assert rollouts.trials.tolist() == [1, 2]
    notes = rollouts.ledger.notes
    assert "1 to 2 completions each" in notes[0]
    assert "1 line repeat an earlier one" in notes[1]
    equal = be.read(write(tmp_path, *[sample("a")] * 2, *[sample("b")] * 2))
    assert (equal.trials.tolist(), equal.ledger.notes) == ([2, 2], ())


def test_further_columns_are_named(tmp_path: Path) -> None:
    rollouts = be.read(write(tmp_path, sample("a", style=0.5, loc=3)))
    assert rollouts.ledger.notes == ("not used: style, loc",)


def test_a_table_with_systems_or_rollouts_is_read_as_one(tmp_path: Path) -> None:
    path = write(tmp_path, sample("a", model="x"), sample("a", "failed: ", model="y"))
    assert be.read(path, system="x").ledger.passed == 1
    path = write(tmp_path, sample("a", trial=0), sample("a", trial=0))
    assert be.read(path).ledger.duplicates == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"task_id": "b", "pas', r"line 2: not valid JSON: .*column"),
        ('{"task_id": 1.5, "passed": true}', r"line 2: a field is not what .*\$\.task_id"),
        ('{"task_id": "b", "passed": "yes"}', r"line 2: a field is not what .*\$\.passed"),
        ('{"task_id": "b", "passed": 2}', "line 2: passed is 2; it must be true or false"),
        ('{"passed": true}', "line 2: a completion without task_id"),
        ("[]", "line 2: a field is not what the format says: Expected `object`"),
    ],
)
def test_a_bad_line_is_named_and_may_be_skipped(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, sample("a"), line, sample("c", "failed: x"))
    with pytest.raises(be.InputError, match=message):
        be.read(path)
    rollouts = be.read(path, skip_bad_records=True)
    assert rollouts.task.tolist() == ["a", "c"]
    assert "1 record that could not be read left out: line 2: " in rollouts.ledger.notes[-1]


def test_lines_beyond_the_head(tmp_path: Path) -> None:
    long = "x" * (1 << 19)
    lines = [sample("a", completion=long) for _ in range(4)]
    with pytest.raises(be.FormatError, match=r"line 5: not valid JSON"):
        be.read(write(tmp_path, *lines, '{"task_id"'))
    assert be.read(write(tmp_path, *lines, sample("a"))).trials.tolist() == [5]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(
        st.one_of(mutated(sample("a")).map(encoded), ODD.map(encoded), st.binary(max_size=20)),
        max_size=4,
    )
)
def test_any_bytes(tmp_path: Path, lines: list[bytes]) -> None:
    check_any_bytes(tmp_path / "any", b"\n".join(lines), "humaneval")
    check_any_bytes(tmp_path / "any", b"\n".join([encoded(sample("a")), *lines]), None)
