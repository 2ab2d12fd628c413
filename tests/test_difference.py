"""Difference of two independent quantities: vectors, laws, brute force, errors."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import bayeseval as be
from bayeseval.posterior import About, BetaMixture, DrawsPosterior, GridPosterior

Vectors = Callable[[str], list[dict[str, Any]]]
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def mixture(*rows: tuple[float, float, float]) -> BetaMixture:
    return BetaMixture(*np.array(rows, dtype=float).T)


def brute_above(a: BetaMixture, b: BetaMixture, d: float) -> float:
    """Pr[a - b > d] as one integral over b on its logit scale."""
    z, step = np.linspace(-60, 60, 200_001, retstep=True)
    least = special.expit(z) + d
    above = np.where(least < 0, 1.0, 1 - a.cdf(np.clip(least, 0, 1)))
    return float(np.sum(np.exp(b.log_density_z(z)) * above) * step)


def test_differences_meet_the_vectors(vectors: Vectors) -> None:
    met = 0
    for entry in vectors("beta_posterior"):
        case, expected, tolerance = entry["case"], entry["expected"], entry["tolerance"]
        if case["kind"] != "two_sample":
            continue
        met += 1
        a = be.beta_posterior(case["s_a"], case["n_a"], prior=tuple(case["prior_a"]))
        b = be.beta_posterior(case["s_b"], case["n_b"], prior=tuple(case["prior_b"]))
        got, allowed = be.difference(a, b), tolerance["abs"]
        assert got.prob_above(0) == pytest.approx(expected["pr_a_gt_b"], abs=allowed, rel=0)
        for log, name in (
            (got.log_prob_above(0), "log10_pr_a_gt_b"),
            (got.log_prob_below(0), "log10_pr_b_gt_a"),
        ):
            assert log / math.log(10) == pytest.approx(
                expected[name], abs=tolerance["log10_abs"], rel=0
            )
        for d, value in expected["pr_diff_gt"].items():
            assert got.prob_above(float(d)) == pytest.approx(value, abs=allowed, rel=0)
        for level, limits in expected["diff_eti"].items():
            assert tuple(got.eti(float(level))) == pytest.approx(limits, abs=allowed, rel=0)
        assert got.mean == pytest.approx(expected["mean_diff"], abs=allowed, rel=0)
        assert got.sd == pytest.approx(expected["sd_diff"], abs=allowed, rel=0)
    assert met


@settings(max_examples=15)
@given(counts, counts, st.floats(-0.5, 0.5))
def test_order_mirrors_the_difference(
    first: tuple[int, int], second: tuple[int, int], d: float
) -> None:
    a, b = be.beta_posterior(*first), be.beta_posterior(*second)
    forth, back = be.difference(a, b), be.difference(b, a)
    assert forth.support == (-1.0, 1.0)
    assert forth.mean == -back.mean == pytest.approx(a.mean - b.mean)
    assert forth.sd == back.sd
    assert forth.prob_above(d) == pytest.approx(back.prob_below(-d), abs=1e-9)
    lower, upper = forth.eti()
    assert -1 <= lower < upper <= 1
    assert (-upper, -lower) == pytest.approx(tuple(back.eti()), abs=1e-8)
    assert forth.prob_above(d) + forth.prob_below(d) == pytest.approx(1, abs=1e-12)


def test_against_a_sum_in_two_dimensions() -> None:
    a, b = be.beta_posterior(12, 15), be.beta_posterior(30, 60)
    got = be.difference(a, b)
    n = 2_000
    x = (np.arange(n) + 0.5) / n
    joint = a.pdf(x)[:, None] * b.pdf(x) / n**2
    gap = x[:, None] - x
    for d in (-0.1, 0.0, 0.2, 0.45):
        # The cells on the line a - b = d count half: midpoint rule.
        cells = np.where(np.abs(gap - d) < 0.1 / n, 0.5, gap > d)
        assert got.prob_above(d) == pytest.approx(np.sum(joint * cells), abs=2e-6)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (mixture((0.5, 1000, 9000), (0.5, 9000, 1000)), mixture((1, 1, 1))),
        (mixture((0.5, 1000, 9000), (0.5, 9000, 1000)), mixture((0.3, 100, 900), (0.7, 900, 100))),
        (mixture((0.5, 2, 8), (0.5, 9e5, 1e5)), mixture((1, 51, 51))),
        (mixture((0.999, 9e5, 1e5), (0.001, 2, 8)), mixture((0.5, 2000, 8000), (0.5, 8000, 2000))),
        (mixture((0.6, 1, 1), (0.4, 40, 4)), mixture((1, 7, 3))),
    ],
)
def test_mixtures_with_several_humps(a: BetaMixture, b: BetaMixture) -> None:
    got = be.difference(a, b)
    for d in (0.0, got.mean + got.sd / 2, got.mean - got.sd):
        assert got.prob_above(d) == pytest.approx(brute_above(a, b, d), abs=1e-8)


@pytest.mark.parametrize("trials", [10**6, 10**9])
def test_many_trials(trials: int) -> None:
    a, b = (be.beta_posterior(trials - trials // k, trials) for k in (1_000, 1_001))
    got = be.difference(a, b)
    z = got.mean / got.sd
    # Close to normal: the skewness moves the probability by far less than this.
    assert got.prob_above(0) == pytest.approx(special.ndtr(z), abs=2e-3)
    assert got.sd == pytest.approx(math.hypot(a.sd, b.sd))


def test_jeffreys_posteriors_with_a_spike_at_zero() -> None:
    a, b = (be.beta_posterior(0, n, prior="jeffreys") for n in (0, 5))
    got = be.difference(a, b)
    # The density has a logarithmic peak at 0, which the panels narrow down on.
    assert got.prob_above(0) == pytest.approx(brute_above(a, b, 0.0), abs=1e-5)


def test_grids_stand_for_the_beta_they_hold() -> None:
    new, old = be.beta_posterior(85, 100), be.beta_posterior(78, 100)
    plain = GridPosterior.from_log_density(new.log_density_z, About(), limit=700)
    stretched = GridPosterior.from_log_density(
        lambda u: new.log_density_z(np.sinh(u)) + np.log(np.cosh(u)),
        About(),
        limit=7,
        stretched=True,
    )
    expected = be.difference(new, old)
    for posterior in (plain, stretched):
        got = be.difference(posterior, old)
        assert got.prob_above(0) == pytest.approx(expected.prob_above(0), abs=1e-10)
        assert tuple(got.eti()) == pytest.approx(tuple(expected.eti()), abs=1e-9)


# Draws


def drawn(seed: int, shape: tuple[int, int] = (4, 2_000)) -> DrawsPosterior:
    exact = be.beta_posterior(85, 100)
    return DrawsPosterior(exact.sample(math.prod(shape), rng=seed).reshape(shape), About())


def test_draws_are_paired() -> None:
    old = be.beta_posterior(78, 100)
    exact = be.difference(be.beta_posterior(85, 100), old)
    for got in (
        be.difference(drawn(1), old, rng=2),
        be.difference(drawn(1), drawn(2, (2, 900)), rng=2),
        be.difference(drawn(1), drawn(2)),
    ):
        assert isinstance(got, DrawsPosterior)
        assert got.draws.shape == (4, 2_000)
        assert got.support == (-1.0, 1.0)
    got = be.difference(drawn(1), old, rng=2)
    assert abs(got.prob_above(0) - exact.prob_above(0)) < 4 * got.mcse_prob_above(0)
    assert abs(got.mean - exact.mean) < 4 * got.mcse_mean
    np.testing.assert_array_equal(got.draws, be.difference(drawn(1), old, rng=2).draws)
    assert not np.array_equal(got.draws, be.difference(drawn(1), old, rng=3).draws)
    back = be.difference(old, drawn(1), rng=2)
    assert back.mean == pytest.approx(-got.mean, abs=6 * got.mcse_mean)


# Display and errors


def test_one_honest_line() -> None:
    new, old = be.beta_posterior(85, 100), be.beta_posterior(78, 100)
    assert repr(be.difference(new, old)) == (
        "difference in pass rate: +6.9 points (95 % CrI -3.8 to +17.6 points, n = 100 tasks)"
    )


def test_what_differs_is_named() -> None:
    a = BetaMixture(
        np.ones(1), np.array([3.0]), np.array([2.0]), About("pass^3", "exact", "suite", 9)
    )
    about = be.difference(a, be.beta_posterior(8, 10)).about
    assert about.quantity == "difference, pass^3 - pass rate"
    assert (about.engine, about.population, about.n_tasks) == ("exact, conjugate", None, 9)
    assert about.note == "9 against 10 tasks; n is the smaller"
    assert be.difference(a, a).about.population == "suite"


def test_what_has_no_difference() -> None:
    rate = be.beta_posterior(8, 10)
    with pytest.raises(be.InputError, match=r"passes in the next 5 tasks on \[0, 5\]"):
        be.difference(rate, rate.predictive(5))
    with pytest.raises(be.InputError, match=r"difference in pass rate on \[-1, 1\]"):
        be.difference(be.difference(rate, rate), rate)
    with pytest.raises(be.InputError, match=r"continuous posteriors .* got DiscretePosterior of"):
        be.difference(rate, rate.predictive(1))


def test_a_difference_that_cannot_be_integrated_is_refused() -> None:
    # Most of the mass of both lies where no double is: 1e-40 of the way to 0 or 1.
    a, b = (be.beta_posterior(0, 0, prior=prior) for prior in ((0.01, 0.01), (0.01, 0.02)))
    with pytest.raises(be.InputError, match="cannot be integrated for posteriors as close to 0"):
        be.difference(a, b)
