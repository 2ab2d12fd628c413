"""tau-bench files: real ones against their known counts, and small ones of our own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayeseval as be

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
