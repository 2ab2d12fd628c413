"""``bayeseval compare``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two systems, one rollout of each task: 12 both, 5 new only, 1 old only, 2 neither."""
    old, new = [1] * 12 + [0] * 5 + [1] + [0] * 2, [1] * 12 + [1] * 5 + [0] + [0] * 2
    paths = []
    for name, outcomes in (("v1", old), ("v2", new)):
        path = tmp_path / f"{name}.csv"
        rows = [f"t{at},0,{passed}" for at, passed in enumerate(outcomes)]
        path.write_text("\n".join(["task,rollout,passed", *rows]) + "\n")
        paths.append(path)
    return paths[0], paths[1]


def test_text_and_document_say_the_same(run: Run, files: tuple[Path, Path]) -> None:
    ran = run("compare", *files)
    assert (ran.status, ran.err) == (0, "")
    assert ran.width <= 80
    text = " ".join(ran.out.split())
    assert "No evidence of a difference between v1 and v2: +16.7 points" in text
    assert "Tasks that moved: 1 regressed, 5 improved" in text
    document = run("compare", *files, "--json").document
    assert document["schema"] == "bayeseval.compare/1"
    assert document["sentence"] in text
    assert (document["evidence"], document["engine"]) == ("none", "exact")
    assert document["tasks"] == {"matched": 20, "unmatched": 0, "used": 20}
    first, suite = document["estimates"]
    # Pr[Beta(6, 2) > 1/2]
    assert first["prob_better"] == pytest.approx(120 / 128)
    assert first["prob_better"] + first["prob_worse"] == pytest.approx(1.0)
    assert first["mean"] == pytest.approx(4 / 24)
    assert "one rollout" in suite["unknown"]
    assert document["moved"][0]["task"] == "t17"
    assert document["baselines"]["mcnemar_exact"] == pytest.approx(14 / 64)


def test_swapped_files_flip_the_answer(run: Run, files: tuple[Path, Path]) -> None:
    there = run("compare", *files, "--json").document["estimates"][0]
    back = run("compare", *files[::-1], "--json").document["estimates"][0]
    assert back["mean"] == -there["mean"]
    assert back["lower"] == pytest.approx(-there["upper"], abs=1e-12)
    assert back["prob_worse"] == pytest.approx(there["prob_better"], abs=1e-12)


def test_questions_are_asked(run: Run, files: tuple[Path, Path]) -> None:
    document = run(
        "compare", *files, "--by", "0.1", "--margin", "0", "--rope", "-0.1,0.2",
        "--names", "old agent,new agent", "--ci-prob", "0.8", "--json",
    ).document  # fmt: skip
    found = document["estimates"][0]
    assert document["asked"] == {"by": 0.1, "margin": 0.0, "rope": [-0.1, 0.2]}
    assert found["prob_not_worse"] == found["prob_better"] > found["prob_better_by"]
    assert [each["name"] for each in document["systems"]] == ["old agent", "new agent"]
    assert document["evidence"] == "better"


def test_one_file_of_two_systems(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = [f"{system},t{at},{int(at < passed)}"
            for system, passed in (("a", 5), ("b", 9), ("c", 2)) for at in range(10)]  # fmt: skip
    path.write_text("\n".join(["system,task,passed", *rows]) + "\n")
    document = run("compare", path, "--system", "b", "--system", "a", "--json").document
    assert [each["name"] for each in document["systems"]] == ["b", "a"]
    assert document["estimates"][0]["mean"] < 0


def test_unmatched_tasks_are_shown(run: Run, files: tuple[Path, Path]) -> None:
    old, new = files
    old.write_text(old.read_text() + "extra,0,1\n")
    ran = run("compare", old, new)
    assert "Tasks that every system scored: 20; others: 1, left out" in ran.out


def test_figure_is_written(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    ran = run("compare", *files, "--plot", path)
    assert ran.status == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_three_systems(run: Run, tmp_path: Path) -> None:
    paths = []
    for name, passed in (("small", 6), ("large", 34), ("medium", 20)):
        path = tmp_path / f"{name}.csv"
        rows = [f"t{at},{int(at < passed)}" for at in range(40)]
        path.write_text("\n".join(["task,passed", *rows]) + "\n")
        paths.append(path)
    ran = run("compare", *paths, "--seed", "1", "--draws", "500", "--top", "2")
    assert ran.status == 0, ran.err
    assert "divergences" not in ran.err
    assert "large has the highest pass rate on new tasks" in " ".join(ran.out.split())
    assert ran.width <= 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rope", "wide"], "--rope must be a number"),
        (["--rope", "0.1,0,1"], "--rope must be D, or LOW,HIGH"),
        (["--rope", "0.1,-0.1"], "rope must run from low to high"),
        (["--by", "2"], "--by must be between 0 and 1"),
        (["--margin", "x"], "--margin must be a number"),
        (["--k", "0"], "--k must be whole numbers"),
        (["--unmatched", "keep"], "--unmatched must be one of"),
        (["--engine", "exakt"], "--engine must be one of"),
        (["--names", "a"], "--names must name 2 systems; got 1"),
        (["--names", "a,a"], "--names must be different names"),
        (["--plot", "figure.txt"], "figure.txt"),
        (["--seed", "x"], "--seed must be a number"),
        (["--ci-prob", "95"], "--ci-prob must be strictly between 0 and 1"),
        (["--errors", "bounds"], "--errors must be one of"),
    ],
)
def test_mistakes_end_with_2(
    run: Run, files: tuple[Path, Path], options: list[str], message: str
) -> None:
    ran = run("compare", *files, *options)
    assert ran.status == 2
    assert ran.out == ""
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1


def test_wrong_files(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    alone = run("compare", files[0])
    assert alone.status == 2
    assert "needs two systems or more" in alone.err
    missing = run("compare", files[0], tmp_path / "none.csv")
    assert missing.status == 2
    assert "none.csv" in missing.err
    other = tmp_path / "other.csv"
    other.write_text("task,passed\nx,1\n")
    apart = run("compare", files[0], other)
    assert apart.status == 2
    assert "no task has a scored rollout of every system" in apart.err
