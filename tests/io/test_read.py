"""Several files as one suite: folders, patterns, pipes, and what they are to each other."""

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from tests.io.facts import check

Facts = dict[str, dict[str, Any]]
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


@pytest.fixture
def runs(write: Write) -> list[Path]:
    """Two runs of one system: the second lacks b, and has c and another difficulty for a."""
    return [
        write("runs/one.csv", "task,rollout,passed,slice,cost\na,1,1,x,2\na,2,0,x,2\nb,1,1,y,3\n"),
        write("runs/two.csv", "task,rollout,passed,slice,cost\na,1,1,x,5\nc,1,,y,3\n"),
    ]


# Further runs


def test_runs_of_one_system(runs: list[Path]) -> None:
    suite = be.read(runs, combine="rollouts")
    assert suite.task.tolist() == ["a", "b", "c"]
    assert suite.passes.tolist() == [2, 1, 0]
    assert suite.trials.tolist() == [3, 1, 0]
    assert suite.missing.tolist() == [0, 0, 1]
    assert suite.factors["slice"].tolist() == ["x", "y", "y"]
    assert suite.ledger.notes == (
        "2 runs joined on the task id; NOT all have the same tasks: 1 of 3 tasks are in all of "
        "them (1 in 2, 2 in 1)",
        "not used, since they differ between the runs: cost",
    )
    assert suite.source == ", ".join(map(str, runs))


@pytest.mark.parametrize(
    ("bundle", "files"),
    [
        ("humaneval/gpt35 reruns 1-3", "humaneval/gpt35_rerun*_results.jsonl"),
        ("swe_bench/auto-code-rover 3 runs", "swe_bench/auto-code-rover-run-*_report.json"),
        ("terminal_bench/mini-swe-agent 5 runs", "terminal_bench/mini-swe-agent_run*_results.json"),
    ],
)
def test_real_runs_agree_with_their_known_counts(
    shared: Path, facts: Facts, bundle: str, files: str
) -> None:
    fact = next(fact for key, fact in facts.items() if key.startswith(f"bundle:{bundle}"))
    suite = be.read(str(shared / "data/real" / files), combine="rollouts")
    check(suite, fact)
    in_all = "all have the same tasks" if "unequal" not in str(fact.get("files")) else ""
    assert in_all in suite.ledger.notes[0]


def test_different_systems_as_runs_are_told(write: Write) -> None:
    paths = [write(f"{name}.csv", f"task,model,passed\na,{name},1\n") for name in "mn"]
    suite = be.read(paths, combine="rollouts")
    assert "though the runs name different systems: 'm', 'n'" in suite.ledger.notes[1]
    assert "system" not in suite.factors


def test_ids_keep_their_type(write: Write) -> None:
    paths = [
        write("one.jsonl", '{"task": 8, "passed": 1}\n'),
        write("two.jsonl", '{"task": "8", "passed": 0}\n{"task": 8, "passed": 0}\n'),
    ]
    suite = be.read(paths, combine="rollouts")
    assert suite.task.tolist() == [8, "8"]
    assert suite.trials.tolist() == [2, 1]


# Parts of a suite


def test_parts_of_one_suite(write: Write) -> None:
    paths = [
        write("easy.csv", "task,passed,slice\na,1,x\n"),
        write("hard.csv", "task,passed\nb,0\nb,1\n"),
    ]
    suite = be.read(paths, combine="tasks")
    assert suite.histogram() == {(1, 1): 1, (1, 2): 1}
    assert suite.factors["file"].tolist() == ["easy.csv", "hard.csv"]
    assert suite.factors["slice"].tolist() == ["x", None]
    assert "hard.csv: there is no rollout column, so each row is one rollout" in suite.ledger.notes


def test_parts_share_no_task(runs: list[Path]) -> None:
    with pytest.raises(be.InputError, match=r"task 'a' is in .*one\.csv and in .*two\.csv.*--as"):
        be.read(runs, combine="tasks")


# Systems


def test_one_file_per_system(runs: list[Path]) -> None:
    with pytest.raises(be.InputError, match=r"hold 2 systems; choose one .*'one', 'two'"):
        be.read(runs, combine="systems")
    suite = be.read(runs, combine="systems", system="two")
    assert suite.levels("system") == ("two",)
    assert suite.ledger.notes[-1] == "other systems in the files, not used: one"
    with pytest.raises(be.InputError, match=r"no system 'twoo' \(did you mean 'two'\?\)"):
        be.read(runs, combine="systems", system="twoo")


def test_systems_by_their_own_names(write: Write) -> None:
    paths = [write(f"{name}.csv", f"task,model,passed\na,gpt-{name},1\n") for name in "mn"]
    assert be.read(paths, combine="systems", system="gpt-n").levels("system") == ("gpt-n",)


# What is meant must be said


def test_several_files_ask_what_they_are(runs: list[Path]) -> None:
    message = r"2 files .*combine= \(--as\): 'rollouts' .*'tasks' .*'systems'"
    for paths in (runs, runs[0].parent, str(runs[0].parent / "*.csv")):
        with pytest.raises(be.InputError, match=message):
            be.read(paths)


def test_files_of_different_formats(write: Write) -> None:
    record = {"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}
    paths = [write("a.json", json.dumps([record])), write("b.csv", "task,passed\n1,1\n")]
    with pytest.raises(be.InputError, match=r"different formats.*'tau-bench'.*'long'"):
        be.read(paths, combine="rollouts")
    assert be.read(paths, combine="systems", system="b").n_tasks == 1


def test_a_file_named_twice(runs: list[Path]) -> None:
    with pytest.raises(be.InputError, match="named twice"):
        be.read([runs[0], runs[0]], combine="rollouts")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"combine": "runs"}, "combine must be one of 'rollouts', 'tasks', 'systems'"),
        ({"duplicates": "merge"}, "duplicates must be one of"),
        ({"pass_if": "half"}, "pass_if.*must be a comparison"),
        ({"pass_if": "> 50%"}, "without per cent"),
        ({"pass_if": True}, "pass_if.*must be a comparison"),
        ({"format": "csv"}, "format must be one of"),
    ],
)
def test_wrong_options(runs: list[Path], options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.read(runs[0], **options)


def test_wrong_paths(tmp_path: Path) -> None:
    for wrong, message in (
        ([], "no file is named"),
        (3, "must be a path"),
        ([b"a"], "must be text"),
        (str(tmp_path / "*.csv"), "no file matches"),
        (tmp_path / "nothing", "no such file"),
    ):
        with pytest.raises(be.InputError, match=message):
            be.read(wrong)  # type: ignore[arg-type]


# Folders, pipes and packed files


def test_folders(write: Write, tmp_path: Path) -> None:
    write("run/part/one.csv", "task,passed\na,1\n")
    write("run/part/two.csv", "task,passed\nb,1\n")
    write("run/README.md", "How this was made.\n")
    write("run/.hidden.csv", "task,passed\nc,1\n")
    suite = be.read(tmp_path / "run", combine="tasks")
    assert suite.task.tolist() == ["a", "b"]
    assert suite.ledger.notes[-1].startswith("not read, since not recognised as results: 1 file")
    assert "README.md" in suite.ledger.notes[-1]
    one = be.read(tmp_path / "run", combine="tasks", format="long")
    assert one.n_tasks == 2
    with pytest.raises(be.FormatError, match=r"a folder without results.*as 'junit'"):
        be.read(tmp_path / "run", format="junit")


def test_empty_folders(tmp_path: Path, write: Write) -> None:
    with pytest.raises(be.FormatError, match=r"a folder without results.*it is empty"):
        be.read(tmp_path)
    write("a.txt", "words")
    with pytest.raises(be.FormatError, match=r"a folder without results.*1 file in it: a\.txt"):
        be.read(tmp_path)


def test_links_that_go_round(tmp_path: Path, write: Write) -> None:
    write("run/one.csv", "task,passed\na,1\n")
    (tmp_path / "run/again").symlink_to(tmp_path / "run", target_is_directory=True)
    assert be.read(tmp_path / "run").n_tasks == 1


def test_a_name_with_brackets(write: Write) -> None:
    assert be.read(write("run[1].csv", "task,passed\na,1\n")).n_tasks == 1


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Standard:
        buffer = io.BytesIO(b"task,passed\na,1\n")

    monkeypatch.setattr(sys, "stdin", Standard())
    suite = be.read("-")
    assert (suite.n_tasks, suite.source) == (1, "standard input")


def test_standard_input_of_the_program() -> None:
    command = [sys.executable, "-m", "bayeseval", "show", "-"]
    done = subprocess.run(command, input=b"task,passed\na,1\n", capture_output=True, timeout=120)
    assert b"standard input: 1 task" in done.stdout
    done = subprocess.run(command, input=b"", capture_output=True, timeout=120)
    assert done.returncode == 2
    assert b"standard input: the file is empty" in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"task,passed\na,1\n",))
    writer.start()
    assert be.read(path).n_tasks == 1
    writer.join()


def test_packed_files_of_any_format(tmp_path: Path) -> None:
    record = {"task_id": 0, "reward": 1.0, "info": {}, "traj": ["x" * 2_000_000], "trial": 0}
    path = tmp_path / "results.json.gz"
    path.write_bytes(gzip.compress(json.dumps([record]).encode()))
    suite = be.read(path)
    assert (suite.ledger.passed, suite.source) == (1, str(path))


# Duplicates and scores


DUPLICATES = "task,rollout,passed\na,1,1\na,1,1\na,2,0\nb,1,1\nb,1,0\n"


def test_contradictory_records(write: Write) -> None:
    path = write("a.csv", DUPLICATES)
    with pytest.raises(be.InputError, match=r"task 'b', rollout '1' has two .*--duplicates"):
        be.read(path)
    suite = be.read(path, duplicates="rollouts")
    assert suite.histogram() == {(1, 2): 2}
    assert suite.ledger.duplicates == 1
    assert "1 record that contradict" in suite.ledger.notes[0]


def test_scores_where_smaller_is_better(write: Write) -> None:
    suite = be.read(write("a.csv", "task,score\na,3.5\nb,0.1\n"), pass_if="<= 1")
    assert suite.passes.tolist() == [0, 1]


def test_pass_if_needs_scores(write: Write) -> None:
    with pytest.raises(be.InputError, match=r"holds no scores|holds no numbers"):
        be.read(write("a.csv", "task,passed\na,yes\n"), pass_if=0.5)
    with pytest.raises(be.InputError, match="holds no scores"):
        be.read(write("b.csv", "task,passes,trials\na,1,2\n"), pass_if=0.5)


def test_metric_names_the_column(write: Write) -> None:
    path = write("a.csv", "task,correct,passed\na,1,0\n")
    with pytest.raises(be.InputError, match="differ at line 2; choose one with metric="):
        be.read(path)
    assert be.read(path, metric="correct").ledger.passed == 1
    with pytest.raises(be.InputError, match=r"no column \(did you mean 'correct'\?\)"):
        be.read(path, metric="corect")


# Totals


def test_totals_of_rollouts(write: Write) -> None:
    totals = be.read_totals(write("a.csv", "task,passed\na,1\nb,0\nc,\n"))
    assert totals == be.Totals("scored rollouts", 1, 2, 0.5)
    with pytest.raises(be.InputError, match="no rollout was scored"):
        be.read_totals(write("a.csv", "task,passed\na,\n"))


def test_totals_only(shared: Path) -> None:
    path = shared / "data/real/lm_eval/kobest_gpt-4o_results.json"
    with pytest.raises(be.FormatError, match="without the outcome of single docs"):
        be.read(path)
    with pytest.raises(be.InputError, match="choose one with metric=") as caught:
        be.read_totals(path)
    name = str(caught.value).rpartition("): ")[2].split(", ")[0].strip("'")
    totals = be.read_totals(path, metric=name)
    assert totals.name == name
    assert 0 <= totals.rate <= 1


def test_totals_of_several_files(runs: list[Path]) -> None:
    with pytest.raises(be.InputError, match="totals are read from one file"):
        be.read_totals(runs)
