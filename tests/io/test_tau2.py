"""tau2-bench results: one object, the directory form, and what is neither."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io import tau2
from bayeseval.io._format import Source
from tests.io.reading import check_any_bytes, encoded, mutated, write_json

INFO = {
    "num_trials": 2,
    "agent_info": {"implementation": "llm_agent", "llm": "model-a"},
    "user_info": {"llm": "model-b"},
    "environment_info": {"domain_name": "retail", "policy": "long text"},
}


def simulation(
    task: Any, trial: Any = 0, reward: Any = 1.0, end: Any = "user_stop", **more: Any
) -> dict[str, Any]:
    info = None if reward is None else {"reward": reward, "reward_basis": ["DB"]}
    return {
        "id": f"{task}-{trial}-{reward}",
        "task_id": task,
        "trial": trial,
        "reward_info": info,
        "termination_reason": end,
        "messages": [{"role": "user", "content": "hi"}],
        **more,
    }


def run(*simulations: Any, **more: Any) -> dict[str, Any]:
    return {"timestamp": "now", "info": INFO, "tasks": [], "simulations": simulations, **more}


def read(tmp_path: Path, document: Any, **options: Any) -> be.Rollouts:
    return be.read(write_json(tmp_path / "any", document), **options)


def test_outcomes_and_factors(tmp_path: Path) -> None:
    rollouts = read(
        tmp_path,
        run(
            simulation("0", 0, 1.0),
            simulation("0", 1, 1 + 5e-7),
            simulation("1", 0, 0.5),
            simulation("1", 1, 0.0, "max_steps"),
            simulation("2", 0, 0.0, "infrastructure_error"),
            simulation("2", 1, None),
            simulation("3", 0, float("nan")),
        ),
    )
    assert rollouts.task.tolist() == ["0", "1", "2", "3"]
    assert rollouts.passes.tolist() == [2, 0, 0, 0]
    assert rollouts.trials.tolist() == [2, 2, 0, 0]
    assert rollouts.errored.tolist() == [0, 0, 2, 1]
    assert rollouts.missing.tolist() == [0, 0, 1, 1]
    assert set(rollouts.factors["system"]) == {"model-a"}
    assert set(rollouts.factors["domain"]) == {"retail"}
    notes = "\n".join(rollouts.ledger.notes)
    assert "leaves the 1 rollout that ended with infrastructure_error out" in notes
    assert "pass rate of 28.6 %" in notes
    assert "ended early, failures in tau2 as well: 'max_steps' (1)" in notes
    assert "2 rollouts not evaluated yet" in notes
    assert "1 score between 0 and 1 (partial credit): not passed" in notes


def test_partial_credit_may_pass(tmp_path: Path) -> None:
    document = run(simulation("0", 0, 0.5), simulation("1", 0, 0.4))
    assert read(tmp_path, document, pass_if=lambda reward: reward >= 0.5).passes.tolist() == [1, 0]


def test_personas_are_a_factor(tmp_path: Path) -> None:
    tasks = ["[mobile|data]off[PERSONA:Hard]", "[mobile|data]off[PERSONA:None]", "plain"]
    rollouts = read(tmp_path, run(*map(simulation, tasks)))
    assert rollouts.task.tolist() == tasks
    assert rollouts.factors["persona"].tolist() == ["Hard", "None", None]


def test_attempts_without_a_trial_number(tmp_path: Path) -> None:
    bare = [simulation("0"), simulation("0", reward=0.0)]
    for each in bare:
        del each["trial"], each["id"]
    rollouts = read(tmp_path, run(*bare))
    assert rollouts.trials.tolist() == [2]
    assert "told apart by their order, since the field trial is absent" in rollouts.ledger.notes[0]


def test_joined_runs_repeat_their_trials(tmp_path: Path) -> None:
    one, other = simulation("0", 0, 1.0, id="a"), simulation("0", 0, 0.0, id="b")
    rollouts = read(tmp_path, run(one, other, one, simulation("1", 1)))
    assert (rollouts.trials.tolist(), rollouts.passes.tolist()) == ([2, 1], [1, 1])
    assert rollouts.ledger.duplicates == 1
    assert "by the id of the simulation" in rollouts.ledger.notes[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    write_json(path / "results.json", {"info": INFO, "tasks": []})
    for name, task, reward in (("a", "0", 1.0), ("b", "1", 0.0), ("c", "1", None)):
        write_json(path / f"simulations/{name}.json", simulation(task, name, reward, id=name))
    return path


@pytest.mark.parametrize("name", ["", "results.json"])
def test_directory_form(folder: Path, name: str) -> None:
    rollouts = be.read(folder / name)
    assert rollouts.task.tolist() == ["0", "1"]
    ledger = rollouts.ledger
    assert (ledger.passed, ledger.failed, ledger.missing) == (1, 1, 1)
    assert rollouts.factors["domain"].tolist() == ["retail", "retail"]


def test_the_index_serves_where_files_are_lost(folder: Path) -> None:
    index = [
        {"id": "a", "task_id": "0", "trial": 0, "reward": 1.0},
        {"id": "lost", "task_id": "7", "trial": 0, "reward": 1.0},
    ]
    write_json(folder / "results.json", {"info": INFO, "tasks": [], "simulation_index": index})
    rollouts = be.read(folder)
    assert rollouts.task.tolist() == ["0", "1", "7"]
    notes = "\n".join(rollouts.ledger.notes)
    assert "2 simulations read from files that the index of the run does not list" in notes
    assert "1 simulation read from the index of the run, since there is no file of it" in notes
    for path in (folder / "simulations").iterdir():
        path.unlink()
    assert be.read(folder / "results.json").passes.tolist() == [1, 1]


def test_a_folder_that_holds_more_is_not_claimed(folder: Path) -> None:
    write_json(folder / "second.json", run(simulation("0")))
    assert not tau2.FORMAT.detect(Source.open(str(folder)))
    notes = be.read(folder, format="tau2").ledger.notes
    assert "not read, since it is no part of the run: 1 file (second.json)" in notes


def test_a_bad_simulation_file_is_named(folder: Path) -> None:
    (folder / "simulations/b.json").write_text('{"task_id": ', encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"simulations/b\.json: not valid JSON.*skip_bad_rec"):
        be.read(folder)
    rollouts = be.read(folder, skip_bad_records=True)
    assert rollouts.ledger.attempted == 2
    assert (
        "1 record that could not be read left out: simulations/b.json" in rollouts.ledger.notes[0]
    )


def test_contradictions_name_the_files(folder: Path) -> None:
    for name, reward in (("b", 0.0), ("c", 1.0)):
        each = simulation("1", 0, reward)
        each["id"] = None
        write_json(folder / f"simulations/{name}.json", each)
    with pytest.raises(be.InputError, match=r"b\.json and pass at simulations/c\.json"):
        be.read(folder)


def test_no_simulations(tmp_path: Path) -> None:
    with pytest.raises(be.FormatError, match="lists no simulations, and there are none"):
        read(tmp_path, run())
    with pytest.raises(be.FormatError, match=r"\$\.simulations\[1\]\.task_id"):
        read(tmp_path, run(simulation("0"), simulation(1.5)))
    with pytest.raises(be.FormatError, match=r"holds no results\.json"):
        be.read(tmp_path, format="tau2")


def test_long_tasks_before_the_simulations(tmp_path: Path) -> None:
    document = {"info": INFO, "tasks": [{"id": "0", "text": "x" * (1 << 21)}]}
    rollouts = read(tmp_path, {**document, "simulations": [simulation("0")]})
    assert rollouts.ledger.passed == 1


DOCUMENT = run(simulation("0", 0), simulation("0", 1, 0.5), simulation("1", 0, None))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        mutated(DOCUMENT).map(encoded),
        st.integers(0, 900).map(lambda end: encoded(DOCUMENT, end)),
        st.binary(max_size=100),
    )
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    check_any_bytes(tmp_path / "any", content, "tau2")
    check_any_bytes(tmp_path / "any", content, None)


def test_deep_json(tmp_path: Path) -> None:
    deep = json.dumps(run(simulation("0")))[:-1] + ', "more": ' + "[" * 100_000
    check_any_bytes(tmp_path / "any", deep.encode(), "tau2")
    check_any_bytes(tmp_path / "any", (deep + "]" * 100_000 + "}").encode(), "tau2")


def test_a_folder_of_several_runs_in_directory_form(tmp_path: Path) -> None:
    for name, reward in (("one", 1.0), ("two", 0.0)):
        folder = tmp_path / "all" / name
        write_json(folder / "results.json", {"info": INFO, "tasks": []})
        for task in "ab":
            write_json(folder / f"simulations/{task}.json", simulation(task, 0, reward))
    with pytest.raises(be.InputError, match=r"all/one, .*all/two\): say what they are .*--as"):
        be.read(tmp_path / "all")
    suite = be.read(tmp_path / "all", combine="rollouts")
    assert suite.histogram() == {(1, 2): 2}
    assert be.read(tmp_path / "all", combine="systems", system="one").ledger.passed == 2
    with pytest.raises(be.FormatError, match="name the folders of its runs: 'one', 'two'"):
        be.read(tmp_path / "all", format="tau2")
