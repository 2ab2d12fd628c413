"""tau-bench files: real ones against their known counts, and small ones of our own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from tests.io.reading import ODD, check_any_bytes, encoded, mutated

Write = Callable[[Any], Path]
Facts = dict[str, dict[str, Any]]
Agrees = Callable[[be.Rollouts, dict[str, Any]], None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(records: Any) -> Path:
        path = tmp_path / "results.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        return path

    return to_file


def record(task: Any, reward: Any, **fields: Any) -> dict[str, Any]:
    return {"task_id": task, "reward": reward, "info": {}, "traj": [], "trial": 0} | fields


BROKEN = {"error": "APIError", "traceback": "Traceback ..."}


def test_every_real_file_agrees_with_its_known_counts(
    shared: Path, facts: Facts, assert_agrees: Agrees
) -> None:
    files = sorted((shared / "data/real/tau_bench").iterdir())
    assert files
    for file in files:
        assert_agrees(be.read(file), facts[f"tau_bench/{file.name}"])


def test_the_harness_own_rule_for_errors_is_told(shared: Path) -> None:
    folder = shared / "data/real/tau_bench"
    notes = be.read(folder / "assertions-agent_0-100_errors.json").ledger.notes
    assert notes == (
        "attempts are told apart by their order, since the field trial repeats the task id",
        "tau-bench itself counts the 34 errored rollouts as failures; its own pass rate is 35.0 %",
    )
    assert be.read(folder / "gpt-4o-airline.json").ledger.notes == ()


def test_outcomes(write: Write) -> None:
    rewards = [1, 1.0, 1 + 9e-7, 1 - 9e-7, 1 + 2e-6, 0.5, 0, -1, None, float("nan")]
    rollouts = be.read(write([record(at, reward) for at, reward in enumerate(rewards)]))
    assert rollouts.passes.tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert rollouts.missing.tolist() == [0] * 8 + [1, 1]
    np.testing.assert_array_equal(rollouts.trials + rollouts.errored, 1)


def test_an_error_is_errored_and_not_failed(write: Write) -> None:
    ledger = be.read(write([record(0, 0.0, info=BROKEN), record(1, 1.0)])).ledger
    assert (ledger.failed, ledger.errored, ledger.missing) == (0, 1, 0)
    assert ledger.notes == (
        "tau-bench itself counts the 1 errored rollout as failures; its own pass rate is 50.0 %",
    )


def test_ids_keep_their_type(write: Write) -> None:
    assert be.read(write([record(8, 1), record("8", 0)])).task.tolist() == [8, "8"]


def test_fields_of_forks_are_ignored(write: Write) -> None:
    rollouts = be.read(write([record(0, 1, records=[1], extra={"task_id": 9}, info=None)]))
    assert rollouts.ledger.passed == 1


def test_trials_tell_attempts_apart(write: Write) -> None:
    rollouts = be.read(
        write([record(0, 1, trial=0), record(0, 0, trial=1), record(0, 1, trial=0), record(1, 0)])
    )
    assert (rollouts.trials.tolist(), rollouts.ledger.duplicates) == ([2, 1], 1)
    assert rollouts.ledger.notes == ()


def test_contradictory_trials_are_refused(write: Write) -> None:
    path = write([record(3, 1, trial=0), record(4, 1, trial=1), record(3, 0, trial=0)])
    message = r"task 3, rollout 0 has two outcomes: pass at record 1 and fail at record 3"
    with pytest.raises(be.InputError, match=message):
        be.read(path)


@pytest.mark.parametrize(
    ("trials", "why"),
    [
        ([None, None, None], "the field trial is absent"),
        ([0, None, 1], "the field trial is absent"),
        ([5, 6, 5], "the field trial repeats the task id"),
        ([2, 2, 2], "the field trial is always 2"),
    ],
)
def test_trials_that_are_no_index(write: Write, trials: list[Any], why: str) -> None:
    records = [record(5, 1), record(6, 0), record(5, 0)]
    for one, trial in zip(records, trials, strict=True):
        one["trial"] = trial
    rollouts = be.read(write(records))
    assert (rollouts.task.tolist(), rollouts.trials.tolist()) == ([5, 6], [2, 1])
    assert rollouts.ledger.notes == (f"attempts are told apart by their order, since {why}",)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (record(1.5, 1), r"a field is not what the format says: .*\$\[1\]\.task_id"),
        (record(1, "high"), r"\$\[1\]\.reward"),
        (record(1, True), r"\$\[1\]\.reward"),
        (record(1, 1, info=[]), r"\$\[1\]\.info"),
        ({"reward": 1.0}, r"task_id.*\$\[1\]"),
        ([], r"\$\[1\]"),
    ],
)
def test_a_record_of_another_kind_is_named(write: Write, second: Any, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write([record(0, 1), second]))


def test_a_file_cut_short_is_refused(write: Write) -> None:
    path = write([record(0, 1), record(1, 1)])
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"results\.json: not valid JSON: .* line 1, column"):
        be.read(path)


def test_no_rollouts(write: Write) -> None:
    with pytest.raises(be.FormatError, match="the file holds no rollouts"):
        be.read(write([]), format="tau-bench")


def test_it_names_no_system(write: Write) -> None:
    with pytest.raises(be.InputError, match="'gpt' was asked for, but the file names no system"):
        be.read(write([record(0, 1)]), system="gpt")


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    def to_file(*lines: Any) -> Path:
        path = tmp_path / "results.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\ufeff" + "\r\n".join(texts), encoding="utf-8")
        return path

    return to_file


def test_lines(write_lines: Callable[..., Path]) -> None:
    broken = record(1, 0.0, trial=0, info=BROKEN)
    lines = [record(0, 1), record(0, 0.5, trial=1), "", broken, record("0", float("nan"))]
    rollouts = be.read(write_lines(*lines))
    assert rollouts.task.tolist() == [0, 1, "0"]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 0, 0], [2, 0, 0])
    assert (rollouts.errored.tolist(), rollouts.missing.tolist()) == ([0, 1, 1], [0, 0, 1])
    assert "its own pass rate is 25.0 %" in rollouts.ledger.notes[0]
    assert "1 score between 0 and 1 (partial credit)" in rollouts.ledger.notes[1]


def test_rewards_may_pass_in_part(write_lines: Callable[..., Path]) -> None:
    path = write_lines(record(0, 1), record(1, 0.5), record(2, 0.4))
    assert be.read(path, pass_if=lambda reward: reward >= 0.5).passes.tolist() == [1, 1, 0]


def test_contradictory_lines_are_named(write_lines: Callable[..., Path]) -> None:
    path = write_lines(record(3, 1), "", record(4, 1, trial=1), record(3, 0))
    with pytest.raises(be.InputError, match="pass at line 1 and fail at line 4"):
        be.read(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"task_id": 1, "rew', "line 2: not valid JSON"),
        ('{"reward": 1.0}', "line 2: a field is not what .* `task_id`"),
        ('{"task_id": 1, "reward": "high"}', r"line 2: a field is not what .*\$\.reward"),
        ('{"more": ' * 200_000, "line 2: the JSON is nested too deeply"),
    ],
)
def test_a_bad_line(write_lines: Callable[..., Path], line: str, message: str) -> None:
    path = write_lines(record(0, 1), line, record(2, 0))
    with pytest.raises(be.FormatError, match=message + r".*skip_bad_records= \(--skip-bad"):
        be.read(path)
    rollouts = be.read(path, skip_bad_records=True)
    assert rollouts.task.tolist() == [0, 2]
    assert "1 record that could not be read left out: line 2: " in rollouts.ledger.notes[0]


def test_lines_beyond_the_head(write_lines: Callable[..., Path]) -> None:
    turns = [{"content": "long " * 100_000}]
    lines = [record(task, task % 2, traj=turns) for task in range(6)]
    rollouts = be.read(write_lines(*lines))
    assert rollouts.passes.tolist() == [0, 1, 0, 1, 0, 1]
    with pytest.raises(be.FormatError, match="line 7: not valid JSON"):
        be.read(write_lines(*lines, "x"))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(
        st.one_of(mutated(record(0, 1)).map(encoded), ODD.map(encoded), st.binary(max_size=20)),
        max_size=4,
    )
)
def test_any_lines(tmp_path: Path, lines: list[bytes]) -> None:
    check_any_bytes(tmp_path / "any", b"\n".join(lines), "tau-bench")
    check_any_bytes(tmp_path / "any", b"\n".join([encoded(record(0, 1)), *lines]), None)
