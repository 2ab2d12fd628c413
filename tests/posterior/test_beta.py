"""BetaMixture and the questions of every Posterior: reference vectors, laws, tails, errors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.posterior import About, BetaMixture, Posterior, log_beta_tail

LOG_10 = math.log(10)
Vectors = Callable[[str], list[dict[str, Any]]]

counts = st.integers(0, 3_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
priors = st.sampled_from([(1.0, 1.0), (0.5, 0.5), (8.0, 2.0), (0.3, 0.7), (1.0, 3.0)])
levels = st.floats(0.01, 0.999)
inside = st.floats(1e-6, 1 - 1e-6)


def mixture(*rows: tuple[float, float, float]) -> BetaMixture:
    return BetaMixture(*np.array(rows, dtype=float).T)


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


def log10_agrees(got: float, expected: float, tolerance: float) -> bool:
    return abs(got / LOG_10 - expected) <= max(tolerance, 1e-10 * abs(expected))


# Reference vectors


def test_summaries_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "summary"):
        posterior, allowed = of_case(case), tolerance["abs"]
        for name in ("mean", "sd", "median"):
            assert getattr(posterior, name) == pytest.approx(expected[name], abs=allowed, rel=0)
        if expected["mode"] is None:
            assert isinstance(posterior.mode, be.Unknown)
        else:
            assert posterior.mode == pytest.approx(expected["mode"], abs=allowed, rel=0)
        for level, limits in expected["eti"].items():
            assert tuple(posterior.eti(float(level))) == pytest.approx(limits, abs=allowed, rel=0)
        for level, limits in expected["hdi"].items():
            got = posterior.hdi(float(level))
            shortest = limits["shortest_interval"] if isinstance(limits, dict) else limits
            if shortest is None:
                assert isinstance(got, be.Unknown)
            else:
                assert tuple(got) == pytest.approx(shortest, abs=allowed, rel=0)


def test_tails_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "tail"):
        posterior, t = of_case(case), float(case["t"])
        allowed = tolerance["abs"]
        assert posterior.prob_above(t) == pytest.approx(expected["pr_gt"], abs=allowed, rel=0)
        assert posterior.prob_below(t) == pytest.approx(expected["pr_le"], abs=allowed, rel=0)
        for got, name in (
            (posterior.log_prob_above(t), "log10_pr_gt"),
            (posterior.log_prob_below(t), "log10_pr_le"),
        ):
            assert log10_agrees(got, expected[name], tolerance["log10_abs"]), (case, name)


def test_ropes_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "rope"):
        posterior, allowed = of_case(case), tolerance["abs"]
        low, high = float(case["lo"]), float(case["hi"])
        assert posterior.prob_between(low, high) == pytest.approx(
            expected["pr_in"], abs=allowed, rel=0
        )
        assert posterior.prob_below(low) == pytest.approx(expected["pr_below"], abs=allowed, rel=0)
        assert posterior.prob_above(high) == pytest.approx(expected["pr_above"], abs=allowed, rel=0)


def test_moments_meet_the_vectors(vectors: Vectors) -> None:
    for case, expected, tolerance in cases(vectors, "moments"):
        posterior, allowed = of_case(case), tolerance["abs"]
        for k, value in expected["e_pow"].items():
            assert posterior.expect_pass_hat_k(int(k)) == pytest.approx(value, abs=allowed, rel=0)
        for k, value in expected["e_at_least_once"].items():
            assert posterior.expect_pass_at_k(int(k)) == pytest.approx(value, abs=allowed, rel=0)


# Laws


@given(counts, priors, levels, levels)
def test_intervals_nest_and_stay_inside(
    data: tuple[int, int], prior: tuple[float, float], first: float, second: float
) -> None:
    posterior = be.beta_posterior(*data, prior=prior)
    small, large = sorted((first, second))
    inner, outer = posterior.eti(small), posterior.eti(large)
    assert 0 <= outer.lower <= inner.lower <= inner.upper <= outer.upper <= 1
    assert (inner.ci_prob, inner.kind) == (small, "eti")


@given(counts, priors, levels)
def test_hdi_is_never_wider_than_eti_and_holds_its_mass(
    data: tuple[int, int], prior: tuple[float, float], level: float
) -> None:
    posterior = be.beta_posterior(*data, prior=prior)
    shortest = posterior.hdi(level)
    if isinstance(shortest, be.Unknown):
        assert prior[0] == prior[1] < 1
        assert data == (0, 0)
        return
    assert shortest.width <= posterior.eti(level).width * (1 + 1e-9)
    assert posterior.prob_between(*shortest) == pytest.approx(level, abs=1e-9)


@given(counts, priors, inside)
def test_above_and_below_sum_to_one(
    data: tuple[int, int], prior: tuple[float, float], t: float
) -> None:
    posterior = be.beta_posterior(*data, prior=prior)
    above, below = posterior.prob_above(t), posterior.prob_below(t)
    assert above + below == pytest.approx(1.0, abs=1e-12)
    assert posterior.cdf(t) == below
    for log, value, other in (
        (posterior.log_prob_above(t), above, below),
        (posterior.log_prob_below(t), below, above),
    ):
        if 1e-290 < value <= 0.5:
            assert log == pytest.approx(math.log(value), rel=1e-12, abs=1e-12)
        elif value > 0.5 and other > 0:
            assert log == pytest.approx(math.log1p(-other), rel=1e-11)


@given(counts, priors, inside, levels)
def test_swapping_passes_and_failures_mirrors_every_answer(
    data: tuple[int, int], prior: tuple[float, float], t: float, level: float
) -> None:
    passes, trials = data
    one = be.beta_posterior(passes, trials, prior=prior)
    other = be.beta_posterior(trials - passes, trials, prior=prior[::-1])
    assert one.mean == pytest.approx(1 - other.mean, abs=1e-14)
    assert one.sd == pytest.approx(other.sd, rel=1e-12)
    # 1 - t is rounded, and the density may be steep there: hence the allowance.
    allowed = 1e-12 + 4e-16 * one.pdf(t)
    assert one.prob_above(t) == pytest.approx(other.prob_below(1 - t), abs=allowed)
    assert one.expect_pass_hat_k(3) == pytest.approx(1 - other.expect_pass_at_k(3), abs=1e-13)
    lower, upper = one.eti(level)
    assert (1 - upper, 1 - lower) == pytest.approx(tuple(other.eti(level)), abs=1e-12)
    mirrored = other.hdi(level)
    if not isinstance(mirrored, be.Unknown):
        lower, upper = one.hdi(level)
        assert (1 - upper, 1 - lower) == pytest.approx(tuple(mirrored), abs=1e-9)


@given(counts, st.lists(st.floats(0, 1), min_size=2, max_size=9))
def test_cdf_rises_and_quantile_inverts_it(data: tuple[int, int], xs: list[float]) -> None:
    posterior = be.beta_posterior(*data)
    levels_of = posterior.cdf(sorted(xs))
    assert np.all(np.diff(levels_of) >= 0)
    q = np.clip(xs, 1e-9, 1 - 1e-9)
    np.testing.assert_allclose(posterior.cdf(posterior.quantile(q)), q, rtol=1e-9, atol=1e-11)
    assert posterior.quantile([0.0, 1.0]).tolist() == [0.0, 1.0]


@given(st.floats(1e-12, 1 - 1e-12))
def test_quantile_of_a_mixture_inverts_its_cdf(q: float) -> None:
    posterior = mixture((0.3, 2, 500), (0.6, 30, 3), (0.1, 0.5, 0.5))
    assert posterior.cdf(posterior.quantile(q)) == pytest.approx(q, rel=1e-9)


def test_quantile_keeps_the_shape_of_its_argument() -> None:
    posterior = be.beta_posterior(3, 4)
    assert isinstance(posterior.quantile(0.5), float)
    assert posterior.quantile([[0.1, 0.5], [0.6, 0.9]]).shape == (2, 2)
    assert posterior.cdf(np.zeros((3, 1))).shape == (3, 1)


# Tails


@pytest.mark.parametrize("exponent", [30, 100, 300])
def test_far_tails_are_exact(exponent: int) -> None:
    # Under a uniform prior, n of n passed: Pr[p < t] = t^(n + 1), exactly.
    n = 9
    t = 10.0 ** -(exponent / (n + 1))
    posterior = be.beta_posterior(n, n)
    assert posterior.prob_below(t) == pytest.approx(10.0**-exponent, rel=1e-12)
    assert posterior.prob_above(t) == 1.0
    assert posterior.log_prob_above(t) == pytest.approx(-(10.0**-exponent), rel=1e-12)
    mirrored = be.beta_posterior(0, 29)
    assert mirrored.prob_above(0.9) == pytest.approx(1e-30, rel=1e-12)


def test_tails_beyond_double_precision_have_a_logarithm() -> None:
    posterior = be.beta_posterior(8866, 8866)
    assert posterior.prob_below(0.1) == 0.0
    assert posterior.log_prob_below(0.1) == pytest.approx(8867 * math.log(0.1), rel=1e-12)
    assert posterior.log_prob_below(0.0) == -math.inf
    assert posterior.log_prob_above(0.0) == 0.0
    assert be.beta_posterior(5, 9).log_prob_below(1e-300) == pytest.approx(
        math.log(math.comb(10, 6)) - 1800 * LOG_10, rel=1e-12
    )


@given(st.floats(0.2, 50), st.floats(0.2, 50), st.floats(1e-6, 0.999))
def test_log_beta_tail_is_the_log_of_scipys_tail(alpha: float, beta: float, x: float) -> None:
    value = stats.beta.cdf(x, alpha, beta)
    if 1e-280 < value < 0.5:
        got = log_beta_tail(alpha, beta, x, 1 - x)
        assert got == pytest.approx(math.log(value), abs=1e-11, rel=1e-12)


@pytest.mark.parametrize("trials", [10**6, 10**9])
def test_many_trials(trials: int) -> None:
    posterior = be.beta_posterior(trials - trials // 1000, trials)
    sd = posterior.sd
    assert sd == pytest.approx(math.sqrt(0.999 * 0.001 / trials), rel=1e-2)
    lower, upper = posterior.eti()
    assert (lower - posterior.mean) / sd == pytest.approx(-1.96, abs=0.05)
    assert posterior.prob_between(lower, upper) == pytest.approx(0.95, abs=1e-7)
    shortest = posterior.hdi()
    assert isinstance(shortest, be.Interval)
    assert shortest.width <= upper - lower
    above, below = posterior.prob_above(0.999), posterior.prob_below(0.999)
    assert above + below == pytest.approx(1.0, abs=1e-12)


# Shortest intervals of mixtures


def test_hdi_of_a_mixture_is_the_shortest_interval() -> None:
    posterior = mixture((0.5, 20, 80), (0.5, 60, 40))
    level = 0.8
    got = posterior.hdi(level)
    assert isinstance(got, be.Interval)
    starts = np.linspace(0, 1 - level, 2_001)
    widths = posterior.quantile(starts + level) - posterior.quantile(starts)
    assert got.width <= widths.min() + 1e-9
    assert posterior.prob_between(*got) == pytest.approx(level, abs=1e-9)


def test_hdi_goes_to_the_heavier_of_two_humps() -> None:
    posterior = mixture((0.4, 100, 900), (0.6, 900, 100))
    got = posterior.hdi(0.5)
    assert isinstance(got, be.Interval)
    assert 0.85 < got.lower < got.upper < 0.95


def test_hdi_of_a_tie_is_unknown() -> None:
    for posterior in (mixture((0.5, 100, 900), (0.5, 900, 100)), mixture((1, 0.5, 0.5))):
        assert isinstance(posterior.hdi(0.4), be.Unknown)


def test_hdi_of_a_flat_density_is_central() -> None:
    got = mixture((1, 1, 1)).hdi(0.9)
    assert isinstance(got, be.Interval)
    assert tuple(got) == pytest.approx((0.05, 0.95))
    assert got.kind == "hdi"


# Density, draws, moments


def test_density_at_the_edges() -> None:
    assert be.beta_posterior(0, 0).pdf([0, 0.5, 1]).tolist() == pytest.approx([1, 1, 1])
    assert be.beta_posterior(0, 1).pdf([0, 1]).tolist() == pytest.approx([2, 0])
    assert be.beta_posterior(0, 0, prior="jeffreys").pdf([0, 1]).tolist() == [np.inf, np.inf]
    assert be.beta_posterior(2, 3).pdf([-0.1, 1.1]).tolist() == [0, 0]


@given(counts, priors)
def test_density_is_that_of_scipy(data: tuple[int, int], prior: tuple[float, float]) -> None:
    posterior = be.beta_posterior(*data, prior=prior)
    x = posterior.quantile([0.01, 0.3, 0.9])
    expected = stats.beta.pdf(x, prior[0] + data[0], prior[1] + data[1] - data[0])
    np.testing.assert_allclose(posterior.pdf(x), expected, rtol=1e-9)


def test_draws_follow_the_mixture_and_their_seed() -> None:
    posterior = mixture((0.7, 3, 20), (0.3, 40, 2))
    draws = posterior.sample(20_000, rng=3)
    assert draws.shape == (20_000,)
    assert stats.kstest(draws, posterior.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(draws, posterior.sample(20_000, rng=3))
    np.testing.assert_array_equal(draws, posterior.sample(20_000, rng=np.random.default_rng(3)))
    assert not np.array_equal(draws, posterior.sample(20_000, rng=4))


def test_mean_and_sd_of_a_mixture() -> None:
    posterior = mixture((0.7, 3, 20), (0.3, 40, 2))
    x, step = np.linspace(0, 1, 200_001, retstep=True)
    density = posterior.pdf(x)
    mean = np.sum(x * density) * step
    assert posterior.mean == pytest.approx(mean, abs=1e-8)
    assert posterior.sd == pytest.approx(
        np.sqrt(np.sum((x - mean) ** 2 * density) * step), abs=1e-8
    )


def test_weights_are_made_to_sum_to_one() -> None:
    assert mixture((2, 1, 1), (6, 2, 2)).weights.tolist() == [0.25, 0.75]


@given(counts, st.integers(1, 60))
def test_powers_in_closed_form(data: tuple[int, int], k: int) -> None:
    a, b = data[0] + 1, data[1] - data[0] + 1
    expected = math.prod((a + j) / (a + b + j) for j in range(k))
    posterior = be.beta_posterior(*data)
    assert posterior.expect_pass_hat_k(k) == pytest.approx(expected, rel=1e-12)


def test_powers_beyond_a_thousand() -> None:
    posterior = be.beta_posterior(0, 0)
    assert posterior.expect_pass_hat_k(10_000) == pytest.approx(1 / 10_001, rel=1e-9)
    assert posterior.expect_pass_at_k(10_000) == pytest.approx(1 - 1 / 10_001, rel=1e-12)


def test_an_exact_posterior_has_no_monte_carlo_error() -> None:
    posterior = be.beta_posterior(3, 4)
    assert posterior.mcse_mean == posterior.mcse_quantile(0.1) == 0.0
    assert posterior.mcse_prob_above(0.5) == 0.0
    assert (posterior.engine, posterior.extrapolated) == ("conjugate", False)


def test_interval_by_name() -> None:
    posterior = be.beta_posterior(17, 20)
    assert posterior.interval() == posterior.eti(0.95)
    assert posterior.interval(0.8, "hdi") == posterior.hdi(0.8)


# Display


def test_one_honest_line() -> None:
    assert repr(be.beta_posterior(80, 100)) == (
        "pass rate: 79.4 % (95 % CrI 71.1-86.6 %, n = 100 tasks)"
    )
    assert be.beta_posterior(80, 100).summary_text(0.8) == (
        "79.4 % (80 % CrI 74.2-84.4 %, n = 100 tasks)"
    )
    assert "n = 0 tasks" in repr(be.beta_posterior(0, 0))
    assert "n = 1,000,000 tasks" in repr(be.beta_posterior(5, 10**6))


def test_html_escapes_and_shows_population_and_note() -> None:
    about = About("pass^3 <b>", "exact", "new_tasks", 5, extrapolated=True, note="k > n & more")
    shown = BetaMixture(np.ones(1), np.ones(1), np.ones(1), about)
    text = shown._repr_html_()
    assert "pass^3 &lt;b&gt; on new tasks" in text
    assert "k &gt; n &amp; more" in text
    assert "n = 5 tasks, extrapolated" in text
    assert "[exact]" in text


# What is refused


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.prob_above(95), r"threshold must be between 0 and 1; got 95 \(a percentage\?"),
        (lambda p: p.prob_above(1.0001), "threshold must be between 0 and 1; got 1.0001"),
        (lambda p: p.prob_below(-0.1), "threshold must be between 0 and 1; got -0.1$"),
        (lambda p: p.prob_below(math.nan), "threshold must be a finite number; got nan"),
        (lambda p: p.log_prob_above(math.inf), "threshold must be a finite number; got inf"),
        (lambda p: p.log_prob_below("high"), "threshold must be a number; got 'high'"),
        (lambda p: p.mcse_prob_above(None), "threshold must be a number; got None"),
        (lambda p: p.prob_between(75, 0.9), "lower must be between 0 and 1; got 75"),
        (lambda p: p.prob_between(0.5, 90), "upper must be between 0 and 1; got 90"),
        (lambda p: p.prob_between(0.9, 0.5), "lower must not exceed upper; got 0.9 and 0.5"),
        (lambda p: p.eti(0), "prob must be strictly between 0 and 1; got 0"),
        (lambda p: p.eti(1), "prob must be strictly between 0 and 1; got 1"),
        (lambda p: p.hdi(95), r"prob must be strictly between 0 and 1; got 95 \(a percentage\?"),
        (lambda p: p.hdi(math.nan), "prob must be a finite number; got nan"),
        (lambda p: p.interval(0.9, "hpd"), "ci_kind must be one of 'eti', 'hdi'; got 'hpd'"),
        (lambda p: p.quantile(1.5), "q must be between 0 and 1; got 1.5"),
        (lambda p: p.quantile([0.1, -0.1]), r"q must be between 0 and 1; got \[0.1, -0.1\]"),
        (lambda p: p.quantile(math.nan), "q must not be NaN; got nan"),
        (lambda p: p.quantile("median"), "q must be a number or an array; got 'median'"),
        (lambda p: p.cdf([0.1, math.nan]), r"x must not be NaN; got \[0.1, nan\]"),
        (lambda p: p.pdf("x"), "x must be a number or an array; got 'x'"),
        (lambda p: p.mcse_quantile(2), "q must be between 0 and 1; got 2"),
        (lambda p: p.sample(0), "size must be at least 1; got 0"),
        (lambda p: p.sample(2.5), "size must be a whole number; got 2.5"),
        (lambda p: p.sample(2, rng=-1), "rng must be at least 0; got -1"),
        (lambda p: p.expect_pass_hat_k(0), "k must be at least 1; got 0"),
        (lambda p: p.expect_pass_at_k(1.5), "k must be a whole number; got 1.5"),
    ],
)
@pytest.mark.parametrize(
    "posterior",
    [be.beta_posterior(17, 20), mixture((0.5, 1, 1), (0.5, 8, 2))],
    ids=["beta", "mixture"],
)
def test_wrong_questions(
    ask: Callable[[Posterior], object], message: str, posterior: Posterior
) -> None:
    with pytest.raises(be.InputError, match=message):
        ask(posterior)


@pytest.mark.parametrize("b", [1.002, 1.01, 1.02, 1.05])
def test_the_search_for_the_shortest_interval_reaches_the_last_of_its_starts(b: float) -> None:
    # Nearly all of the excluded mass lies below, so that the interval all but touches 1.
    single = be.beta_posterior(0, 0, prior=(30.0, b))
    searched = BetaMixture(np.ones(1), np.array([30.0]), np.array([b])).hdi(0.95)
    exact = single.hdi(0.95)
    assert not isinstance(searched, be.Unknown)
    assert not isinstance(exact, be.Unknown)
    assert searched.lower == pytest.approx(exact.lower, rel=1e-8)
    assert searched.width == pytest.approx(exact.width, rel=1e-9)
