"""Wide tables: trials side by side, and systems side by side."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from tests.io.facts import check

Write = Callable[[str], Path]
Facts = dict[str, dict[str, Any]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "results"
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


@pytest.mark.parametrize(
    "name", ["tau2_retail_wide_trial_matrix.csv", "tau2_retail_wide_mermaid_medium.csv"]
)
def test_real_trials_agree_with_their_known_counts(shared: Path, facts: Facts, name: str) -> None:
    suite = be.read(shared / "data/real/csv" / name)
    check(suite, facts[f"csv/{name}"])
    assert suite.ledger.notes == ()


def test_real_systems_agree_with_their_known_counts(shared: Path, facts: Facts) -> None:
    path = shared / "data/real/csv/langchain_tool_use_wide_no_ids.csv"
    by_column = facts[f"csv/{path.name}"]["by_column"]
    assert len(by_column) > 1
    for system, fact in by_column.items():
        ledger = be.read(path, system=system).ledger
        assert (ledger.tasks, ledger.passed, ledger.failed) == (
            fact["n"],
            fact["n_ones"],
            fact["n"] - fact["n_ones"],
        )
    with pytest.raises(be.InputError, match="holds 9 systems; choose one with system=") as caught:
        be.read(path)
    assert all(repr(system) in str(caught.value) for system in by_column)


@pytest.mark.parametrize(
    "header",
    [
        *("Trial_1,Trial_2", "trial 1,trial 2", "RUN-0,RUN-1", "attempt1,attempt2"),
        *("rollout.1,rollout.2", "Epoch #1,Epoch #2", "run_1_passed,run_2_passed"),
    ],
)
def test_names_of_trials(write: Write, header: str) -> None:
    suite = be.read(write(f"task,{header},slice\na,1,0,x\nb,Yes,,y\n"))
    assert suite.passes.tolist() == [1, 1]
    assert suite.trials.tolist() == [2, 1]
    assert suite.missing.tolist() == [0, 1]
    assert suite.levels("slice") == ("x", "y")


def test_derived_columns_are_no_trials(write: Write) -> None:
    derived = [
        "pass^1",
        "pass^2",
        "pass@2",
        "pass@k",
        "rate",
        "pass_rate",
        "mean",
        "Total",
        "passed",
    ]
    text = f"task,trial_1,trial_2,{','.join(derived)}\na,1,0{',0.5' * len(derived)}\n"
    suite = be.read(write(text))
    assert suite.histogram() == {(1, 2): 1}
    assert not suite.factors
    assert suite.ledger.notes == (f"not used, since derived from the trials: {', '.join(derived)}",)


def test_a_single_trial(write: Write) -> None:
    assert be.read(write("task,trial_1\na,1\nb,0\n")).ledger.passed == 1


def test_scores_in_wide_tables(write: Write) -> None:
    path = write("task,run_1,run_2\na,8,3\nb,10,\n")
    with pytest.raises(be.InputError, match="no outcome"):
        be.read(path)
    suite = be.read(path, pass_if=">= 8")
    assert suite.histogram() == {(1, 1): 1, (1, 2): 1}
    assert suite.ledger.missing == 1


def test_systems_beside_a_task_column(write: Write) -> None:
    path = write("task,m,n,difficulty\na,1,0,hard\nb,1,1,easy\n")
    suite = be.read(path, system="n")
    assert suite.task.tolist() == ["a", "b"]
    assert suite.passes.tolist() == [0, 1]
    assert suite.levels("difficulty") == ("easy", "hard")
    assert suite.levels("system") == ("n",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,trial_1,trial_2\na,1,0\nb,1,1\na,0,0\n", "task 'a' stands at line 2 and again at"),
        ("task,trial_1,trial_2\na,1,maybe\n", "column 'trial_2' holds 'maybe' at line 2"),
        ("task,trial_1,Trial 1\na,1,0\n", "are both trial 1"),
        ("task,trial_1,trial_2\na,1,0\n,1,1\n", "line 3: the task in column 'task' is empty"),
        ("task,trial_1,trial_2\n", "header but no rows"),
        ("m,n\n", "no rows|not recognised"),
    ],
)
def test_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(be.FormatError if "recog" in message else be.InputError, match=message):
        be.read(write(text))
