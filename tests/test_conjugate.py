"""Priors, posteriors and predictions of the Beta-binomial model."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.posterior import BetaMixture

LOG_10 = math.log(10)
Vectors = Callable[[str], list[dict[str, Any]]]

counts = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LAST_TIME = be.MixturePrior(((0.5, 1, 1), (0.5, 30, 3)))


def cases(vectors: Vectors, kind: str) -> list[tuple[dict[str, Any], dict[str, Any], Any]]:
    found = [
        (entry["case"], entry["expected"], entry["tolerance"])
        for entry in vectors("beta_posterior")
        if entry["case"]["kind"] == kind
    ]
    assert found
    return found


def of_case(case: dict[str, Any]) -> Any:
    return be.beta_posterior(case["s"], case["n"], prior=tuple(case["prior"]))


# Reference vectors


def test_predictions_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "predictive"):
        posterior, allowed = of_case(case), tolerance["abs"]
        prediction = posterior.predictive(case["m"])
        for got, name in (
            (prediction.prob_at_least(case["r"]), "pr_at_least_r"),
            (prediction.prob_at_least(case["m"]), "pr_all_pass"),
            (posterior.expect_pass_hat_k(case["m"]), "pr_all_pass"),
            (prediction.mean, "mean_passes"),
            (prediction.sd, "sd_passes"),
        ):
            assert got == pytest.approx(expected[name], abs=allowed, rel=0), (case, name)


def test_bayes_factors_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "bayes_factor"):
        posterior, t = of_case(case), float(case["t"])
        allowed = tolerance["log10_abs"]
        for got, name in (
            (posterior.log_bayes_factor_point(t), "log10_bf10_point"),
            (posterior.log_bayes_factor_above(t), "log10_bf_gt_vs_le"),
        ):
            assert got / LOG_10 == pytest.approx(expected[name], abs=allowed, rel=0), (case, name)


def test_mixtures_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "mixture"):
        prior = be.MixturePrior(tuple(map(tuple, case["components"])))
        posterior = be.beta_posterior(case["s"], case["n"], prior=prior)
        allowed = tolerance["abs"]
        assert posterior.mean == pytest.approx(expected["mean"], abs=allowed, rel=0)
        assert posterior.sd == pytest.approx(expected["sd"], abs=allowed, rel=0)
        for t, value in expected["pr_gt"].items():
            assert posterior.prob_above(float(t)) == pytest.approx(value, abs=allowed, rel=0)
        for level, limits in expected["eti"].items():
            assert tuple(posterior.eti(float(level))) == pytest.approx(limits, abs=allowed, rel=0)
        assert posterior.log_marginal == pytest.approx(
            expected["ln_marginal_sequence"], abs=tolerance["ln_abs"], rel=0
        )
        if len(posterior.weights) == len(expected["posterior_weights"]):
            np.testing.assert_allclose(
                posterior.weights, expected["posterior_weights"], atol=allowed
            )


def test_the_worked_example() -> None:
    posterior = be.beta_posterior(194, 200)
    assert round(posterior.prob_above(0.95), 4) == 0.8793
    assert repr(posterior) == "pass rate: 96.5 % (95 % CrI 93.6-98.6 %, n = 200 tasks)"


# Updating


@given(counts, counts, st.sampled_from(["uniform", "jeffreys", (8, 2), LAST_TIME]))
def test_two_steps_are_one(first: tuple[int, int], second: tuple[int, int], prior: Any) -> None:
    halfway = be.beta_posterior(*first, prior=prior)
    stepwise = be.beta_posterior(*second, prior=halfway)
    swapped = be.beta_posterior(*first, prior=be.beta_posterior(*second, prior=prior))
    at_once = be.beta_posterior(first[0] + second[0], first[1] + second[1], prior=prior)
    for other in (stepwise, swapped):
        assert other.mean == pytest.approx(at_once.mean, rel=1e-9)
        assert other.sd == pytest.approx(at_once.sd, rel=1e-7)
        # The chance of all data is that of the first part times that of the rest.
    assert halfway.log_marginal + stepwise.log_marginal == pytest.approx(
        at_once.log_marginal, abs=1e-8
    )


@given(counts, st.sampled_from(["uniform", (8.0, 2.0), LAST_TIME]))
def test_discounting_from_the_prior_to_the_posterior(data: tuple[int, int], prior: Any) -> None:
    posterior = be.beta_posterior(*data, prior=prior)
    forgotten, whole = (np.array(posterior.discounted(power).components) for power in (0.0, 1.0))
    np.testing.assert_allclose(forgotten, np.array(posterior.prior.components), atol=1e-12)
    np.testing.assert_allclose(
        whole[whole[:, 0] > 1e-15],
        np.column_stack([posterior.weights, posterior.alpha, posterior.beta])[
            posterior.weights > 1e-15
        ],
        rtol=1e-9,
    )


def test_half_of_an_earlier_run() -> None:
    last = be.beta_posterior(80, 100)
    assert last.discounted(0.5) == be.BetaPrior(41, 11)
    assert be.beta_posterior(8, 10, prior=last.discounted(0.5)).mean == pytest.approx(49 / 62)


def test_discounting_drops_a_component_that_the_data_rule_out() -> None:
    prior = be.MixturePrior(((0.5, 1, 1), (0.5, 3000, 1)))
    posterior = be.beta_posterior(0, 3000, prior=prior)
    assert posterior.discounted(1).components == ((1.0, 1.0, 3001.0),)


def test_no_data_return_the_prior() -> None:
    posterior = be.beta_posterior(0, 0, prior=(8, 2))
    assert (posterior.mean, posterior.log_marginal) == (0.8, 0.0)
    assert repr(posterior) == "pass rate: 80.0 % (95 % CrI 51.8-97.2 %, n = 0 tasks)"


# Priors


def test_priors_that_mean_the_same() -> None:
    same = [
        be.beta_posterior(3, 4, prior=prior)
        for prior in ("uniform", (1, 1), [1.0, 1.0], be.BetaPrior(), be.beta_posterior(0, 0))
    ]
    assert len({(p.mean, p.sd, p.prior) for p in same}) == 1
    assert be.BetaPrior.named("jeffreys") == be.BetaPrior(0.5, 0.5)


@given(st.floats(1e-9, 1 - 1e-9), st.floats(1e-3, 1e6))
def test_prior_from_its_mean_and_weight(mean: float, weight: float) -> None:
    prior = be.BetaPrior.from_mean(mean, weight)
    assert prior.alpha / (prior.alpha + prior.beta) == pytest.approx(mean, rel=1e-12)
    assert prior.alpha + prior.beta == pytest.approx(weight, rel=1e-12)


def test_prior_from_its_mean_reads_as_people_write_it() -> None:
    assert repr(be.BetaPrior.from_mean(0.85, 20)) == "BetaPrior(alpha=17.0, beta=3.0)"
    assert be.BetaPrior.from_mean(1e-14, 1).alpha == 1e-14


def test_priors_print_themselves() -> None:
    assert str(be.BetaPrior(8, 2)) == "Beta(8, 2)"
    assert str(LAST_TIME) == "0.5 Beta(1, 1) + 0.5 Beta(30, 3)"


def test_weights_off_by_rounding_are_made_exact() -> None:
    rows = be.MixturePrior(tuple((0.3333333, 1, k) for k in (1, 2, 3))).components
    assert sum(row[0] for row in rows) == pytest.approx(1, abs=1e-15)


# Mode and HDI


@pytest.mark.parametrize(
    ("prior", "mode"),
    [
        ((3, 2), 2 / 3),
        ((1, 2), 0.0),
        ((2, 1), 1.0),
        ((0.5, 1), 0.0),
        ((1, 0.5), 1.0),
        ((0.5, 3), 0.0),
    ],
)
def test_mode_and_hdi_at_an_end(prior: tuple[float, float], mode: float) -> None:
    posterior = be.beta_posterior(0, 0, prior=prior)
    assert posterior.mode == pytest.approx(mode)
    shortest = posterior.hdi()
    assert isinstance(shortest, be.Interval)
    assert mode in shortest
    if mode in (0, 1):
        assert (shortest.lower, shortest.upper)[int(mode)] == mode


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 0.5), (0.2, 0.6)])
def test_mode_that_is_not_unique(prior: tuple[float, float]) -> None:
    assert isinstance(be.beta_posterior(0, 0, prior=prior).mode, be.Unknown)


def test_hdi_of_a_flat_or_symmetric_posterior() -> None:
    assert tuple(be.beta_posterior(0, 0).hdi(0.9)) == pytest.approx((0.05, 0.95))
    assert isinstance(be.beta_posterior(0, 0, prior="jeffreys").hdi(), be.Unknown)


@pytest.mark.parametrize(
    ("rows", "passes", "trials"),
    [
        (((0.5, 1, 1), (0.5, 30, 3)), 17, 20),
        (((0.4, 2, 8), (0.6, 8, 2)), 0, 0),
        (((0.5, 200, 800), (0.5, 1, 1)), 900_000, 1_000_000),
        (((0.9, 3, 3), (0.1, 5000, 5000)), 0, 0),
    ],
)
def test_mode_of_a_mixture_is_the_top_of_the_density(rows: Any, passes: int, trials: int) -> None:
    posterior = be.beta_posterior(passes, trials, prior=be.MixturePrior(rows))
    mode = posterior.mode
    assert isinstance(mode, float)
    around = np.concatenate(
        [np.linspace(0, 1, 10_001), mode + posterior.sd * np.linspace(-1e-2, 1e-2, 101)]
    )
    assert posterior.pdf(mode) >= posterior.pdf(around).max() * (1 - 1e-12)


@pytest.mark.parametrize(
    ("rows", "mode"),
    [
        (((0.5, 1, 1), (0.5, 1, 3)), 0.0),
        (((0.5, 0.5, 8), (0.5, 8, 2)), 0.0),
        (((0.5, 9, 0.5), (0.5, 8, 2)), 1.0),
        (((0.5, 2, 8), (0.5, 8, 2)), None),
        (((0.5, 0.5, 8), (0.5, 8, 0.5)), None),
        (((0.5, 1, 1), (0.5, 1, 1)), None),
    ],
)
def test_mode_of_a_mixture_at_an_end_or_in_a_tie(rows: Any, mode: float | None) -> None:
    got = be.beta_posterior(0, 0, prior=be.MixturePrior(rows)).mode
    assert isinstance(got, be.Unknown) if mode is None else got == mode


# Predictions


@given(counts, st.integers(1, 40))
def test_prediction_is_beta_binomial(data: tuple[int, int], m: int) -> None:
    a, b = data[0] + 1, data[1] - data[0] + 1
    prediction = be.beta_posterior(*data).predictive(m)

    def rising(x: int, k: int) -> int:
        return math.prod(range(x, x + k))

    exact = [
        Fraction(math.comb(m, r) * rising(a, r) * rising(b, m - r), rising(a + b, m))
        for r in range(m + 1)
    ]
    np.testing.assert_allclose(prediction.probabilities, [float(p) for p in exact], rtol=1e-11)
    assert prediction.support == (0.0, float(m))


def test_prediction_keeps_its_digits_after_a_billion_trials() -> None:
    trials = 10**9
    prediction = be.beta_posterior(trials - 1000, trials).predictive(1000)
    all_pass = math.prod(Fraction(trials - 999 + j, trials + 2 + j) for j in range(1000))
    assert prediction.probabilities[-1] == pytest.approx(float(all_pass), rel=1e-12)


def test_prediction_of_a_mixture_weighs_its_parts() -> None:
    posterior = be.beta_posterior(17, 20, prior=LAST_TIME)
    parts = [
        w * be.beta_posterior(0, 0, prior=(a, b)).predictive(10).probabilities
        for w, a, b in zip(posterior.weights, posterior.alpha, posterior.beta, strict=True)
    ]
    got = posterior.predictive(10)
    np.testing.assert_allclose(got.probabilities, sum(parts), rtol=1e-12)
    assert got.mean == pytest.approx(10 * posterior.mean)


# Bayes factors


def test_bayes_factor_is_odds_over_odds() -> None:
    posterior = be.beta_posterior(194, 200)
    above, below = posterior.prob_above(0.95), posterior.prob_below(0.95)
    assert posterior.bayes_factor_above(0.95) == pytest.approx(above / below / (0.05 / 0.95))
    assert be.beta_posterior(0, 0).bayes_factor_above(0.3) == pytest.approx(1)
    assert be.beta_posterior(10**6, 10**6).bayes_factor_above(0.5) == math.inf


def test_bayes_factor_for_a_point_is_the_ratio_of_densities() -> None:
    # Savage-Dickey: prior density over posterior density at the point.
    for prior in ((2, 5), LAST_TIME):
        posterior = be.beta_posterior(13, 20, prior=prior)
        before = be.beta_posterior(0, 0, prior=prior)
        assert posterior.log_bayes_factor_point(0.4) == pytest.approx(
            math.log(before.pdf(0.4) / posterior.pdf(0.4)), abs=1e-11
        )


# What is refused


@pytest.mark.parametrize(
    ("passes", "trials", "message"),
    [
        (201, 200, "passes must not exceed trials; got 201 of 200"),
        (-1, 5, "passes must be at least 0; got -1"),
        (1, -5, "trials must be at least 0; got -5"),
        (1.5, 5, r"passes must be a whole number; got 1\.5"),
        (1, math.nan, "trials must be a finite number; got nan"),
        (1, math.inf, "trials must be a finite number; got inf"),
        (True, 5, "passes must be a whole number; got True"),
        (None, 5, "passes must be a number; got None"),
        ("most", 5, "passes must be a number; got 'most'"),
        (10**400, 10**400, "passes is too large"),
    ],
)
def test_wrong_counts(passes: Any, trials: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.beta_posterior(passes, trials)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("jeffrey", r"prior must be one of .*; got 'jeffrey' \(did you mean 'jeffreys'\?\)"),
        ("Uniform", "prior must be one of 'uniform', 'jeffreys'; got 'Uniform'"),
        ((0, 1), "alpha must be above 0; got 0"),
        ((1, -2), "beta must be above 0; got -2"),
        ((math.nan, 1), "alpha must be a finite number; got nan"),
        (("a", 1), "alpha must be a number; got 'a'"),
        ((1, 2, 3), r"prior must be one of .*a pair \(alpha, beta\).*got \(1, 2, 3\)"),
        (None, "prior must be one of .*; got None"),
        (0.9, r"prior must be one of .*; got 0\.9"),
    ],
)
def test_wrong_priors(prior: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.beta_posterior(3, 4, prior=prior)


@pytest.mark.parametrize(
    ("components", "message"),
    [
        (((0.5, 1, 1), (0.4, 2, 2)), r"weights must sum to 1; they sum to 0\.9"),
        (((0.500002, 1, 1), (0.5, 2, 2)), r"weights must sum to 1; they sum to 1\.000002"),
        (((50, 1, 1), (50, 2, 2)), "weights must sum to 1; they sum to 100"),
        (((1.5, 1, 1), (-0.5, 2, 2)), r"must be above 0; got .*-0\.5"),
        (((1.0, 0, 1),), r"weights, alpha and beta must be above 0; got \(\(1\.0, 0, 1\),\)"),
        (((math.nan, 1, 1),), "weight must be a finite number; got nan"),
        (((1, 1, "b"),), "beta must be a number; got 'b'"),
        ((), r"components must be \(weight, alpha, beta\) triples; got \(\)"),
        (((1, 1),), r"components must be .* triples; got \(\(1, 1\),\)"),
        ((1.0, 1, 1), r"components must be .* triples; got \(1\.0, 1, 1\)"),
        (5, "components must be .* triples; got 5"),
    ],
)
def test_wrong_mixtures(components: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.MixturePrior(components)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.discounted(50), r"power must be between 0 and 1; got 50 \(a percentage\?"),
        (lambda p: p.discounted(-0.1), r"power must be between 0 and 1; got -0\.1"),
        (lambda p: p.predictive(0), "m must be at least 1; got 0"),
        (lambda p: p.predictive(10**9), "m must be at most 10,000,000; got 1000000000"),
        (lambda p: p.predictive(2.5), r"m must be a whole number; got 2\.5"),
        (lambda p: p.log_bayes_factor_point(1), "value must be strictly between 0 and 1; got 1"),
        (lambda p: p.log_bayes_factor_above(0), "threshold must be strictly between 0 and 1; got"),
        (lambda p: p.bayes_factor_above(95), r"threshold must be .*; got 95 \(a percentage\?"),
        (lambda p: p.predictive(9).prob_at_least(10), "threshold must be between 0 and 9; got 10$"),
        (lambda _: be.BetaPrior.from_mean(85, 20), r"mean must be .*; got 85 \(a percentage\?"),
        (lambda _: be.BetaPrior.from_mean(0.85, 0), "weight must be above 0; got 0"),
        (lambda _: be.BetaPrior.from_mean(1, 20), "mean must be strictly between 0 and 1; got 1"),
    ],
)
def test_wrong_questions(ask: Callable[[Any], object], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        ask(be.beta_posterior(17, 20))


def test_a_posterior_of_many_parts_can_be_a_prior() -> None:
    earlier = BetaMixture(np.array([0.2, 0.8]), np.array([1.0, 9.0]), np.array([1.0, 2.0]))
    assert be.beta_posterior(0, 0, prior=earlier).mean == pytest.approx(earlier.mean)
