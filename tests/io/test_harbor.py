"""Harbor results: a trial, a job, the folder of a job."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io import harbor
from bayeseval.io._format import Source
from bayeseval.io._totals import TotalsOnly
from tests.io.reading import check_any_bytes, encoded, mutated, write_json

AGENT = {"name": "coder", "version": "1", "model_info": {"name": "m", "provider": "p"}}


def trial(
    task: str, mark: str, exception: str | None = None, *, source: str | None = None, **rewards: Any
) -> dict[str, Any]:
    return {
        "task_name": task,
        "trial_name": f"{task[:8]}__{mark}",
        "task_id": {"path": task},
        "source": source,
        "config": {"agent": {"name": "coder", "model_name": "p/m"}},
        "agent_info": AGENT,
        "verifier_result": {"rewards": rewards} if rewards else None,
        "exception_info": exception and {"exception_type": exception, "exception_message": "x"},
    }


def job(**more: Any) -> dict[str, Any]:
    stats = {
        "n_trials": 4,
        "evals": {
            "coder__m__adhoc": {
                "n_trials": 3,
                "n_errors": 2,
                "metrics": [{"mean": 0.375}],
                "reward_stats": {"reward": {"1.0": ["a__1"], "0.5": ["a__2"], "0": ["b__1"]}},
                "exception_stats": {"Timeout": ["b__1", "b__2"]},
            }
        },
    }
    return {"id": "x", "n_total_trials": 5, "stats": stats, **more}


TRIALS = [
    trial("a", "1", reward=1.0),
    trial("a", "2", reward=0.5),
    trial("b", "1", "Timeout", reward=0),
    trial("b", "2", "Timeout"),
    trial("b", "3"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "job"
    write_json(path / "result.json", job(n_total_trials=7))
    write_json(path / "config.json", {"job_name": "job"})
    for each in TRIALS:
        write_json(path / each["trial_name"] / "result.json", each)
    return path


def test_folder_of_a_job(folder: Path) -> None:
    rollouts = be.read(folder)
    assert rollouts.task.tolist() == ["a", "b"]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 0], [2, 1])
    assert (rollouts.errored.tolist(), rollouts.missing.tolist()) == ([0, 2], [0, 1])
    assert set(rollouts.factors["system"]) == {"coder / m"}
    notes = "\n".join(rollouts.ledger.notes)
    assert "7 trials planned, 5 found" in notes
    assert "takes the 2 trials without a reward as 0 in its mean reward, 0.3," in notes
    assert "1 trial with an exception and a reward, counted by the reward: Timeout (1)" in notes
    assert "1 score between 0 and 1 (partial credit)" in notes


def test_partial_rewards_may_pass(folder: Path) -> None:
    rollouts = be.read(folder, pass_if=lambda reward: reward >= 0.5)
    assert rollouts.passes.tolist() == [2, 0]


def test_folder_of_jobs(folder: Path) -> None:
    other = trial("a", "9", reward=True, source="set")
    other["agent_info"] = None
    write_json(folder.parent / "second/a__9/result.json", other)
    write_json(folder.parent / "second/result.json", job(n_total_trials=1))
    rollouts = be.read(folder.parent)
    assert rollouts.task.tolist() == ["no dataset/a", "b", "set/a"]
    assert "trials of 2 jobs together" in rollouts.ledger.notes


def test_several_systems(folder: Path) -> None:
    other = trial("a", "9", reward=1.0)
    other["agent_info"] = {"name": "other", "model_info": None}
    write_json(folder / "a__9/result.json", other)
    with pytest.raises(be.InputError, match=r"2 systems.*'coder / m'.*'other / m'"):
        be.read(folder)
    assert be.read(folder, system="other / m").passes.tolist() == [1]


def test_one_trial(tmp_path: Path) -> None:
    rollouts = be.read(write_json(tmp_path / "any", trial("a", "1", source="set", reward=1)))
    assert rollouts.passes.tolist() == [1]
    assert rollouts.factors["dataset"].tolist() == ["set"]


def test_several_rewards(tmp_path: Path) -> None:
    path = write_json(tmp_path / "any", trial("a", "1", tests=1.0, style=0.2))
    with pytest.raises(be.InputError, match=r"2 rewards; choose one .*--metric.*'tests', 'style'"):
        be.read(path)
    assert be.read(path, metric="tests").passes.tolist() == [1]
    assert be.read(path, metric="style").passes.tolist() == [0]


def test_a_job_holds_totals(tmp_path: Path) -> None:
    with pytest.raises(TotalsOnly, match="name the folder of the job") as caught:
        be.read(write_json(tmp_path / "any", job()))
    (total,) = caught.value.totals
    assert (total.name, total.passes, total.trials, total.rate) == ("coder__m__adhoc", 1, 4, 0.25)
    document = job()
    found = document["stats"]["evals"]["coder__m__adhoc"]
    found["reward_stats"]["style"] = {"1": ["a__1", "a__2"]}
    with pytest.raises(TotalsOnly) as caught:
        be.read(write_json(tmp_path / "any", document))
    assert [total.passes for total in caught.value.totals] == [1, 2]
    found["reward_stats"] = {"reward": {"high": ["a__1"]}}
    with pytest.raises(be.FormatError, match="'high'; it must be a number"):
        be.read(write_json(tmp_path / "any", document))
    with pytest.raises(be.FormatError, match="no trials that ended"):
        be.read(write_json(tmp_path / "any", job(stats={"evals": {}})))


def test_bad_files_are_named(folder: Path) -> None:
    write_json(folder / "notes/result.json", {"unlike": "both"})
    notes = be.read(folder).ledger.notes
    assert "not read, since it is no part of the run: 1 file (notes/result.json)" in notes
    (folder / "a__1/result.json").write_text("{", encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"a__1/result\.json: not valid JSON"):
        be.read(folder)
    rollouts = be.read(folder, skip_bad_records=True)
    assert rollouts.ledger.attempted == 4
    assert "1 record that could not be read left out" in rollouts.ledger.notes[0]


def test_a_folder_that_holds_more_is_not_claimed(folder: Path) -> None:
    (folder.parent / "other.csv").write_text("task,passed\na,1\n", encoding="utf-8")
    assert not harbor.FORMAT.detect(Source.open(str(folder.parent)))
    notes = be.read(folder.parent, format="harbor").ledger.notes
    assert "not read, since it is no part of the run: 1 file (other.csv)" in notes


def test_a_job_without_trials(tmp_path: Path) -> None:
    write_json(tmp_path / "job/result.json", job())
    with pytest.raises(be.FormatError, match="the folder holds no trial"):
        be.read(tmp_path / "job")
    with pytest.raises(be.FormatError, match="neither a trial"):
        be.read(write_json(tmp_path / "any", {"a": 1}), format="harbor")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        mutated(TRIALS[2]).map(encoded), mutated(job()).map(encoded), st.binary(max_size=100)
    )
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    check_any_bytes(tmp_path / "any", content, "harbor")
    check_any_bytes(tmp_path / "any", content, None)
