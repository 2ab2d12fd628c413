"""The smallest of several quantities: closed forms, laws, and which of them it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bayeseval.posterior import About, BetaMixture, MinimumPosterior

ABOUT = About("worst", "exact")


def beta(a: float, b: float) -> BetaMixture:
    return BetaMixture(np.ones(1), np.array([float(a)]), np.array([float(b)]))


def test_minimum_of_uniforms_is_a_beta() -> None:
    # The smallest of n uniforms ~ Beta(1, n).
    least = MinimumPosterior((beta(1, 1),) * 5, ABOUT)
    law = stats.beta(1, 5)
    assert least.mean == pytest.approx(law.mean(), abs=1e-10)
    assert least.sd == pytest.approx(law.std(), rel=1e-8)
    for x in (1e-20, 1e-3, 0.3, 0.99):
        assert least.prob_below(x) == pytest.approx(law.cdf(x), rel=1e-12, abs=0)
        assert least.prob_above(x) == pytest.approx(law.sf(x), rel=1e-12, abs=0)
        assert least.pdf(x) == pytest.approx(law.pdf(x), rel=1e-9)
    levels = [1e-9, 0.025, 0.5, 0.975]
    assert least.quantile(levels) == pytest.approx(law.ppf(levels), rel=1e-8)
    assert least.prob_each_smallest() == pytest.approx([0.2] * 5, abs=1e-10)


def test_tails_keep_their_digits() -> None:
    least = MinimumPosterior((beta(96, 6), beta(121, 81)), ABOUT)
    for x in (0.3, 0.35):
        parts = [stats.beta.cdf(x, 96, 6), stats.beta.cdf(x, 121, 81)]
        assert least.prob_below(x) == pytest.approx(sum(parts), rel=1e-6, abs=0)
    above = stats.beta.sf(0.95, 96, 6) * stats.beta.sf(0.95, 121, 81)
    assert above < 1e-29
    assert least.prob_above(0.95) == pytest.approx(above, rel=1e-9, abs=0)


def test_which_is_smallest_against_draws(rng: np.random.Generator) -> None:
    parts = [(8, 4), (30, 12), (3, 1)]
    least = MinimumPosterior(tuple(beta(a, b) for a, b in parts), ABOUT)
    draws = np.stack([rng.beta(a, b, size=200_000) for a, b in parts])
    shares = np.bincount(draws.argmin(axis=0), minlength=3) / 200_000
    # Four standard errors of a share are at most 4 * 0.5 / sqrt(200,000) = 0.0045.
    assert least.prob_each_smallest() == pytest.approx(shares, abs=0.0045)
    assert least.mean == pytest.approx(draws.min(axis=0).mean(), abs=4 * least.sd / 447)
    assert least.sd == pytest.approx(draws.min(axis=0).std(), rel=0.01)
    again = least.sample(50_000, 5)
    assert again.mean() == pytest.approx(least.mean, abs=4 * least.sd / 223)


def test_one_alone_is_itself() -> None:
    least = MinimumPosterior((beta(3, 9),), ABOUT)
    assert least.mean == pytest.approx(0.25, abs=1e-10)
    assert least.prob_below(0.2) == pytest.approx(stats.beta.cdf(0.2, 3, 9), rel=1e-12, abs=0)
    assert least.prob_each_smallest().tolist() == [1.0]


def test_many_parts() -> None:
    least = MinimumPosterior((beta(20, 5),) * 40, ABOUT)
    median = float(stats.beta.ppf(-np.expm1(np.log(0.5) / 40), 20, 5))
    assert least.median == pytest.approx(median, abs=1e-9)
    assert least.prob_each_smallest() == pytest.approx([1 / 40] * 40, abs=1e-9)


@given(
    st.lists(st.tuples(st.floats(0.5, 300), st.floats(0.5, 300)), min_size=2, max_size=3),
    st.floats(0.01, 0.99),
)
@settings(max_examples=10)
def test_laws(parts: list[tuple[float, float]], x: float) -> None:
    every = [beta(a, b) for a, b in parts]
    least = MinimumPosterior(tuple(every), ABOUT)
    again = MinimumPosterior(tuple(every[::-1]), ABOUT)
    assert least.prob_below(x) == pytest.approx(again.prob_below(x), rel=1e-9)
    assert least.prob_below(x) >= max(part.prob_below(x) for part in every) * (1 - 1e-12)
    assert least.prob_below(x) + least.prob_above(x) == pytest.approx(1.0, abs=1e-12)
    assert least.mean <= min(part.mean for part in every) + 1e-9
    assert least.prob_each_smallest() == pytest.approx(again.prob_each_smallest()[::-1], abs=1e-6)
    level = least.quantile(0.3)
    assert least.cdf(level) == pytest.approx(0.3, abs=1e-6)
