"""``bayeseval rate``."""

import math
from collections.abc import Callable
from typing import Any

import pytest

import bayeseval as be

Run = Callable[..., Any]


def test_prints_posterior_wilson_and_the_sentence(run: Run) -> None:
    ran = run("rate", "194/200", "--above", "0.95")
    assert ran.status == 0
    assert ran.err == ""
    for line in (
        "194 of 200 passed: 97.0 %",
        "posterior mean        96.5       93.6-98.6   equal-tailed credible interval",
        "posterior median      96.7",
        "Wilson                97.0       93.6-98.6   confidence interval",
        "Pr[p > 0.95]                                   0.879",
        "Pr[p <= 0.95]                                  0.121",
    ):
        assert line in ran.out
    assert " ".join(ran.out.split()).endswith(
        "The observed rate clears the bar; the true rate falls short with probability about one "
        "in eight."
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["194/200", "--above", "0.95", "--below", "0.99", "--between", "0.9", "0.95"],
        ["1000000/1000000", "--above", "0.999", "--next", "10000000"],
        ["0/0"],
    ],
)
def test_fits_80_columns_without_colour(run: Run, arguments: list[str]) -> None:
    ran = run("rate", *arguments)
    assert ran.status == 0
    assert ran.width <= 80
    assert "\x1b" not in ran.out


def test_without_a_bar_there_is_no_verdict(run: Run) -> None:
    ran = run("rate", "8/10")
    assert "true rate" not in ran.out
    assert "Pr[" not in ran.out


def test_json_is_one_document_with_the_library_s_own_numbers(run: Run) -> None:
    document = run(
        "rate", "194/200", "--above", "0.95", "--below", "0.99", "--between", "0.9", "1",
        "--next", "50", "--json",
    ).document  # fmt: skip
    posterior = be.beta_posterior(194, 200)
    assert document["schema"] == "bayeseval.rate/1"
    assert document["version"] == be.__version__
    assert document["observed_rate"] == 0.97
    assert document["prior"] == {"alpha": 1.0, "beta": 1.0}
    found = document["posterior"]
    assert (found["alpha"], found["beta"]) == (195, 7)
    assert (found["mean"], found["median"]) == (posterior.mean, posterior.median)
    assert (found["lower"], found["upper"]) == tuple(posterior.eti(0.95))
    assert (found["ci_prob"], found["ci_kind"]) == (0.95, "eti")
    wilson = document["wilson"]
    assert (wilson["lower"], wilson["upper"]) == tuple(be.interval(194, 200))
    above, below, between = document["claims"]
    assert above["claim"] == "p > 0.95"
    assert above["prob"] == posterior.prob_above(0.95)
    assert above["prob"] == pytest.approx(0.8793, abs=5e-5)
    assert above["prob_not"] == posterior.prob_below(0.95)
    assert above["log_bayes_factor"] == posterior.log_bayes_factor_above(0.95)
    assert below["log_bayes_factor"] == -posterior.log_bayes_factor_above(0.99)
    assert between["prob"] == posterior.prob_between(0.9, 1)
    # The range from 0.9 to 1 is the claim p > 0.9, and so has its Bayes factor.
    assert between["log_bayes_factor"] == pytest.approx(posterior.log_bayes_factor_above(0.9))
    predicted = posterior.predictive(50)
    assert document["next"]["mean"] == predicted.mean
    assert document["next"]["prob_all_pass"] == pytest.approx(predicted.prob_at_least(50))


def test_far_tails_keep_their_digits(run: Run) -> None:
    (claim,) = run("rate", "2000/2000", "--above", "0.5", "--json").document["claims"]
    assert claim["prob_not"] == pytest.approx(0.5**2001, rel=1e-9, abs=0)
    assert claim["log_bayes_factor"] == pytest.approx(2001 * math.log(2), rel=1e-12)
    assert "1 - " in run("rate", "100/100", "--above", "0.5").out


def test_without_trials_the_observed_rate_is_unknown(run: Run) -> None:
    document = run("rate", "0/0", "--above", "0.9", "--json").document
    assert document["observed_rate"] == {"unknown": "there was no trial"}
    assert document["posterior"]["mean"] == 0.5
    assert "Nothing was observed" in document["claims"][0]["sentence"]


@pytest.mark.parametrize("bar", ["0", "1"])
def test_a_bar_at_the_end_of_the_scale_has_no_bayes_factor(run: Run, bar: str) -> None:
    (claim,) = run("rate", "9/10", "--above", bar, "--json").document["claims"]
    assert claim["log_bayes_factor"] == {"unknown": "one side of this bar is empty"}
    assert claim["prob"] == 1 - float(bar)


@pytest.mark.parametrize(
    ("options", "alpha", "beta"),
    [
        (["--prior", "uniform"], 1, 1),
        (["--prior", "jeffreys"], 0.5, 0.5),
        (["--prior", "17,3"], 17, 3),
        (["--prior", "17, 3"], 17, 3),
        (["--prior-mean", "0.85", "--prior-weight", "20"], 17, 3),
    ],
)
def test_priors(run: Run, options: list[str], alpha: float, beta: float) -> None:
    document = run("rate", "8/10", *options, "--json").document
    assert document["prior"] == {"alpha": alpha, "beta": beta}
    assert document["posterior"]["alpha"] == alpha + 8


def test_the_level_of_all_intervals(run: Run) -> None:
    document = run("rate", "80/100", "--ci-prob", "0.9", "--next", "10", "--json").document
    lower, upper = be.beta_posterior(80, 100).eti(0.9)
    assert (document["posterior"]["lower"], document["posterior"]["upper"]) == (lower, upper)
    assert document["wilson"]["lower"] == be.interval(80, 100, ci_prob=0.9).lower
    assert document["next"]["ci_prob"] == 0.9
    assert "90 % interval" in run("rate", "80/100", "--ci-prob", "0.9").out


def test_a_prior_against_the_data_is_named(run: Run) -> None:
    ran = run("rate", "10/10", "--above", "0.9", "--prior", "50,50")
    assert "but the true rate more likely falls short" in " ".join(ran.out.split())


@pytest.mark.parametrize("counts", ["194/200", " 194 / 200 ", "+194/200"])
def test_counts_may_have_blanks(run: Run, counts: str) -> None:
    assert run("rate", counts, "--json").document["passes"] == 194
