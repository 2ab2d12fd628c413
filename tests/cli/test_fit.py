"""``bayeseval fit``; by the exact engine, except for one run that samples."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from bayeseval.baselines import baseline_table
from bayeseval.cli._fit_report import default_ks

Run = Callable[..., Any]
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a count table."""

    def write(*rows: tuple[int, int, int]) -> Path:
        path = tmp_path / "counts.csv"
        lines = [f"t{at},{s},{n},{e}" for at, (s, n, e) in enumerate(rows)]
        path.write_text("\n".join(["task,passes,trials,errored", *lines]) + "\n")
        return path

    return write


@pytest.fixture
def suite(write: Write) -> Path:
    """30 tasks pass all four rollouts, 15 none, 5 two."""
    return write(*[(4, 4, 0)] * 30, *[(0, 4, 0)] * 15, *[(2, 4, 0)] * 5)


def _find(rows: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


def _words(text: str) -> str:
    return " ".join(text.split())


def test_prints_ledger_answers_and_baselines(run: Run, suite: Path) -> None:
    ran = run("fit", suite, "--engine", "exact", "--above", "0.8", "--k", "1,2", "--seed", "1")
    assert ran.status == 0
    assert ran.err == ""
    assert ran.width <= 80
    assert "\x1b" not in ran.out
    words = _words(ran.out)
    for part in (
        "50 tasks x 4 rollouts: 130 of 200 passed, 0 errored",
        "0 of 4 15",
        "rollouts errored (not scored) 0",
        "unbiased new tasks this suite next run",
        "Per cent: posterior mean (95 % equal-tailed credible interval).",
        "Probability of being above 0.8",
        "Pass rate of new tasks: the observed rate falls short of the bar; the true rate clears it",
        "Intraclass correlation 0.",
        "The 200 rollouts tell as much about the pass rate as about 55 independent ones.",
        "Posterior, new tasks",
        "Whole-task bootstrap 65.0 52.0-77.0",
        "Wilson on pooled rollouts 65.0 58.2-71.3 do not use",
        "Checks of the exact engine",
        "--seed 1 repeats this run.",
    ):
        assert part in words
    # Nothing errored, so there is nothing to bound.
    assert "all failed" not in words


def test_answers_are_those_of_the_library(run: Run, suite: Path) -> None:
    document = run(
        "fit", suite, "--engine", "exact", "--above", "0.6", "--k", "2", "--ci-prob", "0.9",
        "--seed", "7", "--json",
    ).document  # fmt: skip
    rollouts = be.read(suite)
    fit = be.fit(rollouts, engine="exact")
    assert document["schema"] == "bayeseval.fit/1"
    assert document["seed"] == 7
    assert document["source"] == str(suite)
    assert document["ledger"]["passed"] == 130
    assert {"passes": 2, "trials": 4, "tasks": 5} in document["histogram"]
    assert document["prior"] == fit.prior.formula
    assert document["sampled"] is None
    assert document["lost"] is None
    assert document["files"] == {"plot": None, "save": None}
    assert len(document["estimates"]) == 9
    for population in ("new_tasks", "suite", "next_run"):
        for quantity, k, posterior in (
            ("pass_rate", None, fit.pass_rate(population=population)),
            ("pass_at_k", 2, fit.pass_at_k(2, population=population)),
            ("pass_hat_k", 2, fit.pass_hat_k(2, population=population)),
        ):
            row = _find(document["estimates"], quantity=quantity, k=k, population=population)
            assert row["mean"] == pytest.approx(posterior.mean, rel=1e-12)
            lower, upper = posterior.eti(0.9)
            assert row["lower"] == pytest.approx(lower, rel=1e-9)
            assert row["upper"] == pytest.approx(upper, rel=1e-9)
            assert (row["ci_prob"], row["ci_kind"], row["engine"]) == (0.9, "eti", "exact")
            assert row["prob_above"] == pytest.approx(posterior.prob_above(0.6), rel=1e-9)
            assert row["prob_below"] == pytest.approx(posterior.prob_below(0.6), rel=1e-9)
            assert (row["threshold"], row["mcse_mean"], row["extrapolated"]) == (0.6, 0, False)
    assert document["icc"]["mean"] == pytest.approx(fit.icc().mean, rel=1e-12)
    curve = be.pass_curve(rollouts, k=2)
    row = _find(document["unbiased"], quantity="pass_hat_k", k=2)
    assert (row["value"], row["se"]) == (curve.pass_hat_k[0], curve.pass_hat_k_se[0])
    expected = baseline_table(rollouts, ci_prob=0.9, rng=7)
    assert [row["name"] for row in document["baselines"]] == [row.name for row in expected]
    bootstrap = document["baselines"][0]
    assert (bootstrap["lower"], bootstrap["upper"]) == tuple(expected[0].interval)
    assert _find(document["baselines"], name="Wilson on pooled rollouts")["sound"] is False
    assert document["effective_rollouts"] == be.clustered_se(rollouts).ess_cr1


def test_the_default_k_are_those_that_the_data_reach(suite: Path, write: Write) -> None:
    assert default_ks(be.read(suite)) == (1, 2, 4)
    # The fewest rollouts of a scored task decide.
    assert default_ks(be.read(write((1, 3, 0), (5, 9, 0)))) == (1, 2)
    assert default_ks(be.read(write((1, 10, 0), (0, 0, 3)))) == (1, 2, 4, 8)
    assert default_ks(be.read(write((1, 1, 0), (0, 1, 0)))) == (1,)


def test_beyond_the_rollouts_the_model_extrapolates_and_the_estimators_do_not(
    run: Run, write: Write
) -> None:
    path = write(*[(2, 2, 0)] * 12, *[(0, 2, 0)] * 6, *[(1, 2, 0)] * 2)
    arguments = ("fit", path, "--engine", "exact", "--k", "2,3", "--above", "0.5")
    document = run(*arguments, "--json").document
    row = _find(document["estimates"], quantity="pass_at_k", k=3, population="new_tasks")
    assert row["extrapolated"] is True
    row = _find(document["unbiased"], quantity="pass_at_k", k=3)
    assert list(row["value"]) == ["unknown"]
    assert "k = 3" in row["value"]["unknown"]
    # A run of two rollouts per task cannot show what three attempts do.
    row = _find(document["estimates"], quantity="pass_hat_k", k=3, population="next_run")
    assert list(row["mean"]) == list(row["prob_above"]) == ["unknown"]
    words = _words(run(*arguments).out)
    assert "pass@3* UNKNOWN" in words
    assert "pass@2 70.0" in words
    assert "* Extrapolated" in words
    assert "UNKNOWN for pass@3 and pass^3: k = 3 exceeds the scored rollouts of every" in words


def test_errored_rollouts_are_bounded_from_both_sides(run: Run, write: Write) -> None:
    path = write(*[(4, 4, 0)] * 10, (2, 3, 1), (0, 2, 2))
    arguments = ("fit", path, "--engine", "exact", "--above", "0.8", "--k", "1")
    document = run(*arguments, "--json").document
    rollouts = be.read(path)
    for name, as_ in (("if_failed", "fail"), ("if_passed", "pass")):
        (row,) = [each for each in document["lost"][name] if each["quantity"] == "pass_rate"]
        expected = be.fit(rollouts.with_lost(as_), engine="exact").pass_rate()
        assert row["mean"] == pytest.approx(expected.mean, rel=1e-12)
        assert row["prob_above"] == pytest.approx(expected.prob_above(0.8), rel=1e-9)
    words = _words(run(*arguments).out)
    assert "New tasks, if the errored rollouts (3) had been scored" in words
    assert "left out all failed all passed" in words


def test_one_rollout_per_task_cannot_tell_tasks_from_luck(run: Run, write: Write) -> None:
    path = write(*[(1, 1, 0)] * 17, *[(0, 1, 0)] * 3)
    ran = run("fit", path, "--engine", "exact")
    assert "cannot tell" in ran.out
    document = run("fit", path, "--engine", "exact", "--json").document
    assert any("cannot tell" in note for note in document["notes"])
    # The pass rate is then that of independent trials.
    lower, upper = be.beta_posterior(17, 20).eti()
    row = _find(document["estimates"], quantity="pass_rate", population="new_tasks")
    assert row["lower"] == pytest.approx(lower, abs=1e-9)
    assert row["upper"] == pytest.approx(upper, abs=1e-9)
    # And the intervals for independent trials stand beside it.
    assert "Wilson on tasks" in ran.out


@pytest.mark.parametrize(
    "rows",
    [
        [(4, 4, 0)] * 20,
        [(0, 4, 0)] * 20,
        [(3, 4, 0)],
        [(1, 1, 0)],
        [(29, 30, 0), (1, 2, 0), (0, 0, 1)],
    ],
    ids=["all pass", "all fail", "one task", "one rollout", "unequal"],
)
def test_extreme_suites(run: Run, write: Write, rows: list[tuple[int, int, int]]) -> None:
    path = write(*rows)
    ran = run("fit", path, "--engine", "exact", "--k", "1", "--above", "0.9")
    assert ran.status == 0, ran.err
    assert ran.width <= 80
    document = run("fit", path, "--engine", "exact", "--k", "1", "--json").document
    for row in document["estimates"]:
        assert 0 <= row["lower"] <= row["upper"] <= 1


def test_the_prior_by_name(run: Run, suite: Path) -> None:
    document = run(
        "fit", suite, "--engine", "exact", "--prior", "arcsine", "--k", "1", "--json"
    ).document
    assert document["prior"] == be.HierarchicalPrior.named("arcsine").formula


def test_the_same_seed_gives_the_same_text(run: Run, suite: Path) -> None:
    arguments = ("fit", suite, "--engine", "exact", "--k", "1", "--seed", "3")
    assert run(*arguments).out == run(*arguments).out


def test_a_seed_that_was_drawn_is_shown_and_repeats_the_run(run: Run, suite: Path) -> None:
    arguments = ("fit", suite, "--engine", "exact", "--k", "1", "--json")
    first = run(*arguments).document
    again = run(*arguments, "--seed", first["seed"]).document
    assert first == again


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_the_figure_is_what_its_name_says(
    run: Run, suite: Path, tmp_path: Path, suffix: str, start: bytes
) -> None:
    plot = tmp_path / f"out{suffix}"
    ran = run("fit", suite, "--engine", "exact", "--k", "1", "--plot", plot, "--above", "0.8")
    assert ran.status == 0, ran.err
    assert plot.read_bytes().startswith(start)
    assert f"Figure: {plot}" in ran.out.replace("\n", "")
    assert sorted(os.listdir(tmp_path)) == ["counts.csv", plot.name]


def test_a_figure_that_fails_leaves_the_old_one(
    run: Run, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bayeseval.cli import _figure

    def fail(*_: object, **__: object) -> None:
        raise be.InputError("no figure today")

    monkeypatch.setattr(_figure, "plot_tasks", fail)
    plot = tmp_path / "out.png"
    plot.write_text("old")
    ran = run("fit", suite, "--engine", "exact", "--k", "1", "--plot", plot)
    assert ran.status == 2
    assert ran.err == "bayeseval: no figure today\n"
    assert plot.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["counts.csv", "out.png"]


def test_an_exact_fit_can_be_saved(run: Run, suite: Path, tmp_path: Path) -> None:
    path = tmp_path / "fit.nc"
    document = run("fit", suite, "--engine", "exact", "--k", "1", "--save", path, "--json").document
    assert document["files"]["save"] == str(path)
    loaded = be.load_fit(path)
    row = _find(document["estimates"], quantity="pass_rate", population="new_tasks")
    assert loaded.pass_rate().mean == pytest.approx(row["mean"], rel=1e-9)
    assert sorted(os.listdir(tmp_path)) == ["counts.csv", "fit.nc"]


def test_a_system_is_picked_from_several(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    rows = [f"{system},t{at},true" for system in ("x", "y") for at in range(3)]
    path.write_text("\n".join(["system,task,passed", *rows]) + "\n")
    document = run("fit", path, "--engine", "exact", "--k", "1", "--system", "y", "--json").document
    assert document["ledger"]["passed"] == 3


@pytest.mark.slow
def test_sampling_agrees_with_the_exact_engine(suite: Path, tmp_path: Path) -> None:
    # A process of its own: standard output must hold the document and nothing else.
    plot, save = tmp_path / "out.png", tmp_path / "fit.nc"
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "bayeseval", "fit", str(suite), "--json"),
            *("--seed", "20260101", "--draws", "500", "--k", "2", "--above", "0.6"),
            *("--plot", str(plot), "--save", str(save)),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    # No terminal, so no progress; a check that failed would have said so here.
    assert ran.stderr == ""
    document = json.loads(ran.stdout)
    sampled = document["sampled"]
    assert (sampled["draws"], sampled["chains"]) == (500, 4)
    checks = {row["name"]: row for row in sampled["checks"]}
    assert {"r_hat", "ess_bulk", "ess_tail", "divergences", "agreement"} <= set(checks)
    assert all(row["passed"] for row in checks.values())
    assert len(sampled["estimates"]) == len(document["estimates"])
    for exact, drawn in zip(document["estimates"], sampled["estimates"], strict=True):
        assert drawn["engine"] == "nuts"
        assert drawn["extrapolated"] == exact["extrapolated"]
        # Four Monte Carlo errors, and a floor where the draws leave next to none.
        assert abs(drawn["mean"] - exact["mean"]) <= max(4 * drawn["mcse_mean"], 1e-6)
    loaded = be.load_fit(save)
    row = _find(sampled["estimates"], quantity="pass_rate", population="new_tasks")
    assert loaded.engine == "nuts"
    assert np.isclose(loaded.pass_rate().mean, row["mean"], rtol=1e-9)
    assert plot.read_bytes().startswith(b"\x89PNG")
