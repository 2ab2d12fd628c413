"""``bayeseval simulate``: a file that ``fit`` reads, and the truth about it."""

import csv
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from tests.cli.conftest import Run


@pytest.mark.slow
def test_fit_reads_what_simulate_writes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "suite.csv"
    made = run(
        "simulate", "-o", file, "--slice", "joins=4:0.6", "--slice", "dates=6:0.8:0.1",
        "--rollouts", "2-3", "--leaked-share", "0.2", "--error-rate", "0.2", "--json",
    ).document  # fmt: skip
    with file.open(newline="") as rows:
        assert csv.DictReader(rows).fieldnames == ["task", "rollout", "outcome", "slice", "leaked"]
    fitted = run("fit", file, "--engine", "exact", "--json").document
    ledger = fitted["ledger"]
    assert ledger["tasks"] == made["tasks"] == 10
    for name in ("passed", "failed", "errored"):
        assert ledger[name] == made[name] > 0
    assert made["leaked_tasks"] == 2


def test_the_document_is_the_truth(run: Run, tmp_path: Path) -> None:
    options: list[Any] = ["--tasks", "25", "--mean", "0.7", "--icc", "0.4", "--seed", "9"]
    made = run("simulate", "-o", tmp_path / "suite.csv", *options, "--json").document
    found = be.simulate(25, 4, mean=0.7, icc=0.4, rng=9)
    assert made["schema"] == "bayeseval.simulate/1"
    assert made["rates"] == found.rates.tolist()
    values = {(row["quantity"], row["population"]): row["value"] for row in made["truth"]}
    assert values["pass_rate", "new_tasks"] == 0.7
    assert values["pass^3", "suite"] == found.truth.pass_hat_k(3, population="suite")
    assert values["pass@4", "new_tasks"] == found.truth.pass_at_k(4)
    assert made["icc"] == found.truth.icc
    assert be.read(tmp_path / "suite.csv").passes.tolist() == found.rollouts.passes.tolist()


def test_text_names_the_truth_and_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "suite.csv"
    plain = run("simulate", "-o", file, "--mean", "0.9")
    assert plain.status == 0
    assert "pass rate        90.0" in plain.out
    assert "suite.csv (seed 0)" in plain.out.replace("\n", "")
    assert "clean" not in plain.out
    leaked = run("simulate", "-o", file, "--mean", "0.5", "--leaked-share", "0.5")
    # Half of the tasks pass with 0.5 + 0.5 * 0.9.
    assert "pass rate        72.5" in leaked.out
    assert "new, clean" in leaked.out


def test_mixtures_are_typed(run: Run, tmp_path: Path) -> None:
    made = run(
        "simulate", "-o", tmp_path / "s.csv", "--mixture", "0.3:0,0.2:1,0.5:0.6:0.3", "--json"
    ).document
    assert made["truth"][0]["value"] == pytest.approx(0.5)
    assert made["rates"].count(0) + made["rates"].count(1) > 10


def test_same_seed_same_file(run: Run, tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("other", 4)):
        assert run("simulate", "-o", tmp_path / f"{name}.csv", "--seed", seed).status == 0
    one, two, other = ((tmp_path / f"{name}.csv").read_bytes() for name in ("one", "two", "other"))
    assert one == two != other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tasks", "0"], "--tasks must be at least 1; got '0'"),
        (["--tasks", "2.5"], "--tasks must be a whole number"),
        (["--rollouts", "5-2"], "--rollouts LOW-HIGH: the lower number comes first; got '5-2'"),
        (["--rollouts", "-3"], "--rollouts must be at least 1"),
        (["--rollouts", "2-x"], "--rollouts LOW-HIGH must be a number; got 'x'"),
        (["--mean", "65"], "--mean must be between 0 and 1; got '65' (a percentage?"),
        (["--icc", "2"], "--icc must be between 0 and 1"),
        (["--mixture", "0.3"], "--mixture must be WEIGHT:MEAN[:RHO], and so on; got '0.3'"),
        (["--mixture", "0.3:0,0.7:2"], "--mixture 0.7:2: MEAN must be between 0 and 1"),
        (["--mixture", "0.3:0,0.3:1"], "must sum to 1; they sum to 0.6"),
        (["--mixture", "1:0.5", "--mean", "0.5"], "--mixture and --mean exclude each other"),
        (["--slice", "joins"], "--slice must be NAME=TASKS:MEAN[:RHO]; got 'joins'"),
        (["--slice", "joins=5"], "--slice joins must be NAME=TASKS:MEAN[:RHO]; got '5'"),
        (["--slice", "a=5:0.5", "--slice", "a=6:0.5"], "--slice a is given twice"),
        (["--slice", "a=5:0.5", "--tasks", "6"], "--slice and --tasks exclude each other"),
        (["--slice", "a=x:0.5"], "--slice a: TASKS must be a number; got 'x'"),
        (["--leaked-share", "1.5"], "--leaked-share"),
        (["--recall", "-1"], "--recall"),
        (["--error-rate", "no"], "--error-rate must be a number"),
        (["--errors-on", "hrad"], "--errors-on must be one of 'any', 'hard'; got 'hrad'"),
        (["--error-rate", "0.5", "--errors-on", "hard"], "error_rate must be at most"),
        (["--seed", "-1"], "--seed must be at least 0"),
    ],
)
def test_mistakes_end_with_2_and_write_nothing(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    ended = run("simulate", "-o", tmp_path / "suite.csv", *arguments)
    assert ended.status == 2
    assert ended.out == ""
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("output", "message"),
    [("suite.json", "must end in .csv"), ("absent/suite.csv", "there is no folder")],
)
def test_places_that_cannot_be_written(run: Run, tmp_path: Path, output: str, message: str) -> None:
    ended = run("simulate", "-o", tmp_path / output)
    assert ended.status == 2
    assert message in ended.err


def test_output_is_needed(run: Run) -> None:
    ended = run("simulate")
    assert ended.status == 2
    assert "--output" in ended.err
