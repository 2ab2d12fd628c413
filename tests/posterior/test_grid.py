"""GridPosterior: against the Beta that it was made from, plain, stretched and reflected."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import bayeseval as be
from bayeseval.posterior import About, BetaMixture, GridPosterior

PARAMETERS = [(1, 1), (0.5, 0.5), (3, 7), (195, 7), (1, 40), (1e6, 1e5), (0.1, 0.2)]
LEVELS = np.array([1e-12, 1e-6, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-6])


def closed(alpha: float, beta: float) -> BetaMixture:
    return BetaMixture(np.ones(1), np.array([alpha]), np.array([beta]))


def grid(of: BetaMixture, *, stretched: bool = False, **options: Any) -> GridPosterior:
    if not stretched:
        return GridPosterior.from_log_density(of.log_density_z, About(), limit=700, **options)
    return GridPosterior.from_log_density(
        lambda u: of.log_density_z(np.sinh(u)) + np.log(np.cosh(u)),
        About(),
        limit=8,
        stretched=True,
        **options,
    )


@pytest.fixture(params=[False, True], ids=["plain", "stretched"])
def stretched(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize(("alpha", "beta"), PARAMETERS)
def test_grid_answers_as_the_beta_it_came_from(alpha: float, beta: float, stretched: bool) -> None:
    exact = closed(alpha, beta)
    found = grid(exact, stretched=stretched)
    x = exact.quantile(LEVELS)
    # Where a quantile rounds to an end of the support there is no density to compare.
    x = x[(x > 0) & (x < 1)]
    np.testing.assert_allclose(found.cdf(x), exact.cdf(x), rtol=1e-9)
    for value in x:
        above = exact.prob_above(value)
        # Beside 1 the argument itself is rounded, which moves a small upper tail.
        allowed = 1e-9 * above + 1e-15 * exact.pdf(value)
        assert found.prob_above(value) == pytest.approx(above, abs=allowed, rel=0)
    np.testing.assert_allclose(found.quantile(LEVELS), exact.quantile(LEVELS), rtol=1e-8)
    np.testing.assert_allclose(found.pdf(x), exact.pdf(x), rtol=1e-8)
    assert found.mean == pytest.approx(exact.mean, abs=1e-12)
    assert found.sd == pytest.approx(exact.sd, rel=1e-9)
    assert tuple(found.eti()) == pytest.approx(tuple(exact.eti()), abs=1e-12)


def test_tails_keep_their_digits(stretched: bool) -> None:
    # Beta(10, 1): Pr[p < t] = t^10.
    found = grid(closed(10, 1), stretched=stretched)
    assert found.prob_below(1e-3) == pytest.approx(1e-30, rel=1e-8)
    assert found.log_prob_below(1e-3) == pytest.approx(-30 * np.log(10), rel=1e-10)
    assert grid(closed(1, 10), stretched=stretched).prob_above(0.999) == pytest.approx(
        1e-30, rel=1e-8
    )


def test_above_and_below_sum_to_one(stretched: bool) -> None:
    found = grid(closed(17, 4), stretched=stretched)
    for t in np.linspace(0.001, 0.999, 101):
        assert found.prob_above(t) + found.prob_below(t) == pytest.approx(1, abs=1e-12)


def test_ends_of_the_support(stretched: bool) -> None:
    found = grid(closed(3, 2), stretched=stretched)
    assert found.quantile([0, 1]).tolist() == [0, 1]
    assert found.cdf([-1, 0, 1, 2]) == pytest.approx([0, 0, 1, 1], abs=1e-30)
    assert found.prob_above(0) == pytest.approx(1, abs=1e-15)
    assert found.prob_above(1) == pytest.approx(0, abs=1e-30)


def test_cdf_rises_and_quantile_inverts_it(stretched: bool) -> None:
    found = grid(closed(4, 9), stretched=stretched)
    x = np.linspace(0, 1, 2_001)
    assert np.all(np.diff(found.cdf(x)) >= 0)
    np.testing.assert_allclose(found.cdf(found.quantile(LEVELS)), LEVELS, rtol=1e-10)


@pytest.mark.parametrize(("alpha", "beta"), [(3, 7), (195, 7), (0.5, 2)])
def test_hdi_agrees_with_the_closed_form(alpha: float, beta: float) -> None:
    exact = be.beta_posterior(0, 0, prior=(alpha, beta)).hdi(0.9)
    assert isinstance(exact, be.Interval)
    got = grid(closed(alpha, beta)).hdi(0.9)
    assert isinstance(got, be.Interval)
    assert tuple(got) == pytest.approx(tuple(exact), abs=1e-7)


def test_hdi_of_a_symmetric_valley_is_unknown() -> None:
    assert isinstance(grid(closed(0.5, 0.5)).hdi(), be.Unknown)


def test_reflected_mirrors_every_answer(stretched: bool) -> None:
    exact = closed(30, 4)
    found = grid(exact, stretched=stretched)
    mirror = found.reflected(About("failure rate"))
    other = closed(4, 30)
    assert mirror.about.quantity == "failure rate"
    assert mirror.mean == pytest.approx(other.mean, abs=1e-12)
    for t in (0.01, 0.1, 0.3):
        assert mirror.prob_above(t) == pytest.approx(other.prob_above(t), rel=1e-9)
        assert mirror.prob_below(t) == pytest.approx(other.prob_below(t), rel=1e-9)
    back = mirror.reflected(found.about)
    x = np.linspace(0.5, 0.99, 9)
    np.testing.assert_allclose(back.cdf(x), found.cdf(x), rtol=1e-13)


def test_given_moments_are_reported_and_reflected() -> None:
    found = grid(closed(30, 4), moments=(0.9, 0.05))
    assert (found.mean, found.sd) == (0.9, 0.05)
    mirror = found.reflected(About())
    assert (mirror.mean, mirror.sd) == pytest.approx((0.1, 0.05))


def test_support_of_a_difference() -> None:
    exact = closed(6, 3)
    found = grid(exact, support=(-1.0, 1.0))
    assert found.mean == pytest.approx(2 * exact.mean - 1, abs=1e-12)
    assert found.prob_above(0) == pytest.approx(exact.prob_above(0.5), rel=1e-10)
    assert found.pdf(0.2) == pytest.approx(exact.pdf(0.6) / 2, rel=1e-9)
    assert found.quantile([0, 0.3, 1]) == pytest.approx([-1, 2 * exact.quantile(0.3) - 1, 1])
    with pytest.raises(be.InputError, match=r"threshold must be between -1 and 1; got 5 \(a per"):
        found.prob_above(5)
    with pytest.raises(be.InputError, match=r"lower must be between -1 and 1; got -1\.5"):
        found.prob_between(-1.5, 0)


def test_draws_follow_the_density_and_their_seed(stretched: bool) -> None:
    exact = closed(17, 4)
    found = grid(exact, stretched=stretched)
    draws = found.sample(10_000, rng=5)
    assert stats.kstest(draws, exact.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(draws, found.sample(10_000, rng=5))
