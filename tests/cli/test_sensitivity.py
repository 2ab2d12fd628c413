"""Other priors and errored rollouts on the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be

Run = Callable[..., Any]


def _words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """12 tasks pass all four rollouts; of 3 others some rollouts errored."""
    path = tmp_path / "lossy.csv"
    rows = [*[(4, 4, 0)] * 12, (2, 3, 1), (0, 2, 2), (1, 4, 0)]
    lines = [f"t{at},{s},{n},{e}" for at, (s, n, e) in enumerate(rows)]
    path.write_text("\n".join(["task,passes,trials,errored", *lines]) + "\n")
    return path


def test_rate_says_whether_the_conclusion_moves(run: Run) -> None:
    words = _words(run("rate", "194/200", "--above", "0.95").out)
    assert (
        "Other priors: Pr[p > 0.95] 0.879 uniform, 0.910 Jeffreys, 0.690 sceptical: the "
        "conclusion (inconclusive at 95 %) does not move." in words
    )
    document = run("rate", "194/200", "--above", "0.95", "--json").document
    (found,) = document["priors"]
    assert [row["prior"] for row in found["rows"]] == ["uniform", "jeffreys", "sceptical"]
    assert found["rows"][0]["prob"] == document["claims"][0]["prob"]
    assert (found["moves"], found["moved"], found["confidence"]) == (False, [], 0.95)


def test_rate_without_a_bar_compares_means(run: Run) -> None:
    assert "Other priors: pass rate 79.4 % uniform" in _words(run("rate", "80/100").out)
    (found,) = run("rate", "80/100", "--json").document["priors"]
    assert found["claim"] is None
    assert found["rows"][0]["prob"] is None


def test_rate_takes_every_claim(run: Run) -> None:
    document = run(
        "rate", "194/200", "--above", "0", "--below", "1", "--between", "0.9", "1", "--json"
    ).document
    claims = [each["claim"] for each in document["claims"]]
    assert [each["claim"] for each in document["priors"]] == claims
    for claim, found in zip(document["claims"], document["priors"], strict=True):
        assert found["rows"][0]["prob"] == claim["prob"]


def test_rate_of_a_file_bounds_what_errored(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    rows = [f"t{at},true" for at in range(19)] + ["u,false", "v,error"]
    path.write_text("\n".join(["task,passed", *rows]) + "\n")
    document = run("rate", path, "--above", "0.8", "--json").document
    assert (document["passes"], document["trials"], document["errored"]) == (19, 20, 1)
    for name, passes in (("if_failed", 19), ("if_passed", 20)):
        lost, expected = document["lost"][name], be.beta_posterior(passes, 21)
        assert (lost["passes"], lost["trials"]) == (passes, 21)
        assert (lost["mean"], lost["lower"], lost["upper"]) == (expected.mean, *expected.eti())
        assert lost["probs"] == {"p > 0.8": expected.prob_above(0.8)}
    words = _words(run("rate", path, "--above", "0.8").out)
    assert "If the errored rollouts (1) had been scored" in words
    assert run("rate", "19/20", "--json").document["lost"] is None


def test_fit_says_whether_conclusions_move(run: Run, lossy: Path) -> None:
    arguments = ("fit", lossy, "--engine", "exact", "--k", "1,2", "--above", "0.8")
    document = run(*arguments, "--json").document
    fit = be.fit(be.read(lossy), engine="exact")
    asked = [("pass_rate", None), ("pass_at_k", 2), ("pass_hat_k", 2)]
    assert [(each["quantity"], each["k"]) for each in document["priors"]] == asked
    found = document["priors"][2]
    names = [row["prior"] for row in found["rows"]]
    assert names == ["uniform", "jeffreys", "sceptical", "empirical"]
    expected = be.prior_sensitivity(fit, answer="pass_hat_k", k=2, above=0.8)
    assert [row["prob"] for row in found["rows"]] == [row.prob for row in expected.rows]
    assert (found["moves"], found["conclusion"]) == (expected.moves, expected.conclusion)
    assert document["by_odds_ratio"] is None
    words = _words(run(*arguments).out)
    assert "New tasks under other priors: probability of being above 0.8" in words
    assert "No conclusion moves with the prior." in words
    # Without a bar the means are compared.
    words = _words(run("fit", lossy, "--engine", "exact", "--k", "1").out)
    assert "The conclusion moves with the prior for pass rate." in words
    # What errored stands in a table of its own, and not again as a note.
    assert "Note: 3 errored" not in words


def test_errors_model(run: Run, lossy: Path) -> None:
    arguments = ("fit", lossy, "--engine", "exact", "--k", "2", "--above", "0.8", "--seed", "1")
    document = run(*arguments, "--errors", "model", "--json").document
    assert document["errors"] == "model"
    found = document["by_odds_ratio"]
    assert (found["errored"], found["tasks"]) == (3, 2)
    ratios = [0, 0.25, 0.5, 1, 2, 4, "inf"]
    assert [row["odds_ratio"] for row in found["rows"][::3]] == ratios
    # The ends are the envelope that is always shown.
    for row, lost in zip(found["rows"][:3], document["lost"]["if_failed"], strict=True):
        assert row["mean"] == pytest.approx(lost["mean"], rel=1e-12)
        assert row["prob_above"] == pytest.approx(lost["prob_above"], rel=1e-12)
    expected = be.errored_sensitivity(be.read(lossy), rng=1)
    assert found["rows"][9]["mean"] == expected[1].pass_rate().mean
    assert found["summary"] == expected.summary
    ran = run(*arguments, "--errors", "model", "--odds-ratio", "0.5")
    assert ran.width <= 80
    words = _words(ran.out)
    assert "New tasks by the odds ratio of errored rollouts" in words
    assert "3 errored rollouts on 2 tasks; the pass rate of new tasks is" in words


def test_named_odds_ratios_stand_between_the_ends(run: Run, lossy: Path) -> None:
    found = run(
        "fit", lossy, "--engine", "exact", "--k", "1", "--errors", "model",
        "--odds-ratio", "0.5, 2", "--json",
    ).document["by_odds_ratio"]  # fmt: skip
    assert [row["odds_ratio"] for row in found["rows"]] == [0, 0.5, 2, "inf"]


def test_errors_model_where_nothing_was_lost(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "whole.csv"
    path.write_text("task,passes,trials\na,4,4\nb,1,4\n")
    words = _words(run("fit", path, "--engine", "exact", "--k", "1", "--errors", "model").out)
    assert "No rollout errored: every odds ratio gives the same answer." in words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--odds-ratio", "2"], "--odds-ratio goes with --errors model"),
        (["--errors", "model", "--odds-ratio", "two"], "--odds-ratio must be numbers"),
        (["--errors", "model", "--odds-ratio", "-1"], "an odds ratio must be 0 or more"),
        (["--errors", "modle"], "did you mean 'model'"),
    ],
)
def test_wrong_options(run: Run, lossy: Path, arguments: list[str], message: str) -> None:
    ran = run("fit", lossy, "--engine", "exact", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert message in ran.err


def test_show_has_no_model(run: Run, lossy: Path) -> None:
    ran = run("show", lossy, "--errors", "model")
    assert ran.status == 2
    assert "--errors must be one of 'exclude', 'fail', 'bounds'" in ran.err
