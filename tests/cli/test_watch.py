"""``bayeseval watch`` and ``gate --explain``: what they print and write, and mistakes."""

from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from tests.cli.conftest import Run

CLAIM = "pass_rate > 0.9"


def write(path: Path, name: str, outcomes: list[int], tasks: str) -> Path:
    """One file of single outcomes, tasks named with a prefix."""
    rows = "".join(f"{tasks}{i},{passed}\n" for i, passed in enumerate(outcomes))
    file = path / name
    file.write_text(f"task,passed\n{rows}")
    return file


@pytest.fixture
def nights(tmp_path: Path) -> list[Path]:
    """Three nights of 20 new tasks."""
    return [write(tmp_path, f"n{i}.csv", [1] * 19 + [0], f"n{i}-") for i in range(3)]


def test_files_are_looks(run: Run, nights: list[Path]) -> None:
    out = run("watch", *nights, "--as", "tasks", "--claim", CLAIM, "--looks", 30).out
    plan = be.Sequential(CLAIM, looks=30, tasks_per_look=20)
    assert out.startswith("GO ON: look 3 of 30")
    assert "ever released in 5.0 % (exact); with a fixed 95 % it" in out
    assert f"{plan.confidence:.3f}" in out
    assert "more until a decision" in out


def test_document(run: Run, nights: list[Path]) -> None:
    options = ["--as", "tasks", "--claim", CLAIM, "--looks", 30, "--json"]
    document = run("watch", *nights, *options).document
    plan = be.Sequential(CLAIM, looks=30, tasks_per_look=20)
    look = plan.assess((57, 60))
    assert document["schema"] == "bayeseval.watch/1"
    assert document["look"] == look.to_dict()
    assert document["plan"]["confidence"] == plan.confidence
    assert document["plan"]["method"] == "exact"


def test_one_file_that_grows(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path, "all.csv", [1] * 100, "t")
    options = ["--claim", CLAIM, "--looks", 10, "--tasks-per-look"]
    released = run("watch", file, *options, 50)
    assert released.status == 0
    assert "RELEASED: look 2 of 10" in released.out
    assert "Stop: the claim is supported" in released.out
    assert "the next is at 120 tasks" in run("watch", file, *options, 40).out


def test_the_same_tasks_again_are_recognised(run: Run, tmp_path: Path) -> None:
    files = [write(tmp_path, f"r{i}.csv", [1] * 14 + [0], "t") for i in range(2)]
    options = ["--as", "rollouts", "--claim", "pass_rate > 0.6", "--looks", 3, "--icc", 0.3]
    document = run("watch", *files, *options, "--simulations", 200, "--json").document
    assert document["plan"]["same_tasks"]
    assert document["plan"]["tasks_per_look"] == 15
    assert document["plan"]["method"] == "simulated"
    assert document["look"]["look"] == 2
    assert "the same tasks" in document["look"]["e_value"]["unknown"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--looks", 5], "one file needs --tasks-per-look"),
        (["--looks", 5, "--same-tasks"], "needs --rollouts N"),
        (["--looks", 0, "--tasks-per-look", 5], "--looks must be at least 1"),
        (["--looks", 2, "--tasks-per-look", 5], "the plan has 2"),
        (["--looks", 2, "--tasks-per-look", "x"], "--tasks-per-look must be a number"),
        (["--looks", 9, "--tasks-per-look", 5, "--alpha", 5], "alpha must be strictly"),
        (["--looks", 9, "--tasks-per-look", 5, "--rollouts", 2, "--icc", 7], "icc must be"),
    ],
)
def test_mistakes(run: Run, tmp_path: Path, options: list[Any], message: str) -> None:
    file = write(tmp_path, "all.csv", [1] * 30, "t")
    ran = run("watch", file, "--claim", CLAIM, *options)
    assert ran.status == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1


def test_claims_of_other_kinds_are_mistakes(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path, "all.csv", [1] * 30, "t")
    ran = run("watch", file, "--claim", f"{CLAIM} for suite", "--looks", 1)
    assert (ran.status, "only claims for new_tasks" in ran.err) == (2, True)


def test_gate_explains_its_risk(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path, "all.csv", [1] * 30, "t")
    gate = [
        "gate",
        file,
        "--claim",
        "pass_rate > 0.7",
        "--claim",
        "share_of_tasks(rate >= 0.5) > 0.2",
    ]
    out = " ".join(run(*gate, "--explain").out.split())
    assert "What a gate on pass_rate > 0.7 does, 30 tasks x 1 rollout (exact)" in out
    assert "Each comparison by itself" in out
    assert "share_of_tasks(rate >= 0.5) > 0.2: UNKNOWN" in out
    assert "What a gate on" not in run(*gate).out
    document = run(*gate, "--explain", "--json").document
    found = be.operating_characteristics("pass_rate > 0.7", tasks=30)
    first, second = document["explain"]
    assert first["characteristics"] == found.to_dict()
    assert "only pass_rate, pass^k" in second["characteristics"]["unknown"]
    assert run(*gate, "--json").document["explain"] is None


def test_gate_explains_a_slice_of_several_rollouts(run: Run, tmp_path: Path) -> None:
    rows = [
        f"{part}{i},{part},{int((i + r) % 4 > 0)}"
        for part in ("a", "b")
        for i in range(12)
        for r in range(2)
    ]
    file = tmp_path / "s.csv"
    file.write_text("task,slice,passed\n" + "\n".join(rows) + "\n")
    out = run("gate", file, "--claim", "pass_rate[slice=a] > 0.3", "--explain").out
    out = " ".join(out.split())
    assert "What a gate on pass_rate[slice=a] > 0.3 does, 12 tasks x 2 rollouts, ICC" in out
    assert "4,000 simulated runs; Monte Carlo error at most" in out
    assert "the mean of its posterior here" in out
