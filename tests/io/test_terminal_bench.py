"""Terminal-Bench results: a run, a trial, the folder of a run."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io import terminal_bench
from bayeseval.io._format import Source
from bayeseval.io._totals import TotalsOnly
from tests.io.reading import check_any_bytes, encoded, mutated, write_json


def trial(
    task: str, number: int, resolved: Any, mode: str | None = "unset", **tests: str
) -> dict[str, Any]:
    return {
        "trial_name": f"{task}.{number}-of-2",
        "task_id": task,
        "instruction": "do it",
        "is_resolved": resolved,
        "failure_mode": mode,
        "parser_results": tests or None,
    }


TRIALS = [
    trial("a", 1, True, "agent_timeout", one="passed"),
    trial("a", 2, False, one="passed", two="failed"),
    trial("b", 1, None, "parse_error"),
    trial("b", 2, None, "test_timeout"),
]
RUN = {"results": TRIALS, "n_resolved": 1, "resolved_ids": ["a"], "accuracy": 0.25}
METADATA = {
    "run_id": "now",
    "agent_name": "agent",
    "model_name": "model",
    "n_attempts": 2,
    "dataset_size": 2,
    "accuracy": 0.25,
}


def read(tmp_path: Path, document: Any, **options: Any) -> be.Rollouts:
    return be.read(write_json(tmp_path / "any", document), **options)


def test_run(tmp_path: Path) -> None:
    rollouts = read(tmp_path, RUN)
    assert rollouts.task.tolist() == ["a", "b"]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 0], [2, 0])
    assert rollouts.errored.tolist() == [0, 2]
    assert rollouts.ledger.missing == 0
    notes = "\n".join(rollouts.ledger.notes)
    assert "counts the 2 trials without a verdict as unresolved, 'parse_error' (1), " in notes
    assert "'test_timeout' (1); its own accuracy is 25.0 %" in notes
    assert "1 trial resolved although the agent ran out of time" in notes
    assert "vary within a task: failure_mode" in notes


def test_share_of_tests_is_partial_credit(tmp_path: Path) -> None:
    assert read(tmp_path, RUN, pass_if=lambda share: share >= 0.5).passes.tolist() == [2, 0]
    assert read(tmp_path, RUN, pass_if=lambda share: share > 0.5).passes.tolist() == [1, 0]


def test_the_verdict_counts_where_all_tests_pass(tmp_path: Path) -> None:
    run = {"results": [trial("a", 1, False, one="passed"), trial("b", 1, True)]}
    assert read(tmp_path, run).passes.tolist() == [0, 1]
    assert read(tmp_path, run, pass_if=lambda share: share >= 1).passes.tolist() == [0, 1]


def test_failure_mode_is_a_factor_of_single_trials(tmp_path: Path) -> None:
    run = {"results": [trial("a", 1, True), trial("b", 1, False, "agent_timeout")]}
    rollouts = read(tmp_path, run)
    assert rollouts.factors["failure_mode"].tolist() == ["unset", "agent_timeout"]


def test_one_trial(tmp_path: Path) -> None:
    rollouts = read(tmp_path, trial("a", 1, True))
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == (["a"], [1])


def test_repeated_trials(tmp_path: Path) -> None:
    twice = {"results": [TRIALS[0], TRIALS[0]]}
    assert read(tmp_path, twice).ledger.duplicates == 1
    contrary = {"results": [TRIALS[0], {**TRIALS[0], "is_resolved": False}]}
    with pytest.raises(be.InputError, match=r"fail at record 2 \(trial 'a\.1-of-2'\)"):
        read(tmp_path, contrary)
    assert read(tmp_path, contrary, duplicates="rollouts").trials.tolist() == [2]


def test_metadata_holds_totals(tmp_path: Path) -> None:
    with pytest.raises(TotalsOnly, match=r"results\.json beside it") as caught:
        read(tmp_path, METADATA)
    (total,) = caught.value.totals
    assert (total.passes, total.trials, total.rate) == (1, 4, 0.25)
    with pytest.raises(TotalsOnly) as caught:
        read(tmp_path, {**METADATA, "accuracy": 0.3})
    assert caught.value.totals[0].passes is None
    with pytest.raises(be.FormatError, match="has no accuracy"):
        read(tmp_path, {**METADATA, "accuracy": None})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    write_json(path / "results.json", RUN)
    write_json(path / "run_metadata.json", METADATA)
    for each in TRIALS:
        write_json(path / each["task_id"] / each["trial_name"] / "results.json", each)
    return path


def test_folder_counts_each_trial_once(folder: Path) -> None:
    rollouts = be.read(folder)
    assert rollouts.ledger.attempted == 4
    assert set(rollouts.factors["system"]) == {"agent / model"}


def test_bad_metadata_is_named(folder: Path) -> None:
    write_json(folder / "run_metadata.json", {"agent_name": 3})
    with pytest.raises(be.FormatError, match=r"run_metadata\.json: .*\$\.agent_name"):
        be.read(folder)
    rollouts = be.read(folder, skip_bad_records=True)
    assert "could not be read left out: run_metadata.json" in rollouts.ledger.notes[0]
    assert "system" not in rollouts.factors


def test_folder_of_a_run_that_broke(folder: Path) -> None:
    (folder / "results.json").unlink()
    assert be.read(folder).ledger.attempted == 4
    (folder / "a/a.1-of-2/results.json").write_text("{", encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"a/a\.1-of-2/results\.json: not valid JSON"):
        be.read(folder)
    rollouts = be.read(folder, skip_bad_records=True)
    assert rollouts.ledger.attempted == 3
    assert "1 record that could not be read left out" in rollouts.ledger.notes[0]
    assert be.read(folder / "b").task.tolist() == ["b"]


def test_folder_of_several_runs(folder: Path) -> None:
    # The names of the trials are the same in both.
    write_json(folder.parent / "second/results.json", {"results": TRIALS[:1]})
    write_json(folder.parent / "second/a/1/results.json", TRIALS[0])
    with pytest.raises(be.InputError, match=r"2 systems.*'agent / model' \(4 .*'\(no name\)'"):
        be.read(folder.parent)
    write_json(folder.parent / "second/run_metadata.json", METADATA)
    rollouts = be.read(folder.parent)
    assert rollouts.trials.tolist() == [3, 0]
    assert "trials of 2 runs together" in rollouts.ledger.notes


def test_a_folder_that_holds_more_is_not_claimed(folder: Path) -> None:
    write_json(folder / "older_results.json", RUN)
    assert not terminal_bench.FORMAT.detect(Source.open(str(folder)))
    write_json(folder / "b/else/results.json", {"results": 3})
    (folder / "results.json").unlink()
    with pytest.raises(be.FormatError, match=r"b/else/results\.json: a field is not"):
        be.read(folder, format="terminal-bench")
    write_json(folder / "b/else/results.json", {"unlike": "both"})
    (note,) = (
        note
        for note in be.read(folder, format="terminal-bench").ledger.notes
        if note.startswith("not read")
    )
    assert "2 files (older_results.json, b/else/results.json)" in note


def test_no_trials(tmp_path: Path) -> None:
    with pytest.raises(be.FormatError, match="holds no rollouts"):
        read(tmp_path, {"results": [], "n_resolved": 0, "resolved_ids": []})
    with pytest.raises(be.FormatError, match=r"\$\.results\[0\]\.is_resolved"):
        read(tmp_path, {"results": [trial("a", 1, "yes")]})
    with pytest.raises(be.FormatError, match=r"holds no results\.json"):
        be.read(tmp_path, format="terminal-bench")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        mutated(RUN).map(encoded),
        mutated(METADATA).map(encoded),
        mutated(TRIALS[1]).map(encoded),
        st.binary(max_size=100),
    )
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    check_any_bytes(tmp_path / "any", content, "terminal-bench")
    check_any_bytes(tmp_path / "any", content, None)
