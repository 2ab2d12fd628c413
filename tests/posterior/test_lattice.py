"""Weighted means: convolution against integrals and against closed forms, discrete, by draws."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from bayeseval import InputError, Posterior
from bayeseval.posterior import (
    About,
    BetaMixture,
    DiscretePosterior,
    DrawsPosterior,
    MeanPosterior,
    dirichlet_mean,
    weighted_mean,
)

ABOUT = About("mean", "exact", "new_tasks", 10)
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(400)


def beta(a: float, b: float) -> BetaMixture:
    return BetaMixture(np.ones(1), np.array([float(a)]), np.array([float(b)]))


def mean_of(*parts: tuple[float, float, float]) -> Posterior:
    """Weighted mean of Betas, each given as weight, alpha, beta."""
    return weighted_mean([beta(a, b) for _, a, b in parts], [w for w, _, _ in parts], ABOUT)


def tail(
    first: tuple[float, float, float], second: tuple[float, float, float], x: float, side: str
) -> float:
    """Tail of a weighted sum of two Betas: Gauss-Legendre over the first, the other closed.

    Panels are laid over the region that carries the integrand, which is found on a scan.
    """
    (w, a, b), (v, c, d) = first, second

    def integrand(p: np.ndarray) -> np.ndarray:
        q = (x - w * p) / v
        inside = np.clip(q, 0.0, 1.0)
        other = special.betainc(c, d, inside) if side == "below" else special.betaincc(c, d, inside)
        return np.asarray(stats.beta.pdf(p, a, b) * other)

    # Where q passes 0 or 1 the integrand has kinks.
    edges = sorted({0.0, 1.0, *(p for p in ((x - v) / w, x / w) if 0 < p < 1)})
    total = 0.0
    for low, high in pairwise(edges):
        scan = np.linspace(low, high, 4001)[1:-1]
        values = integrand(scan)
        if values.max() == 0:
            continue
        heavy = scan[values > 1e-18 * values.max()]
        step = (high - low) / 4000
        left, right = max(heavy[0] - step, low), min(heavy[-1] + step, high)
        panels = np.linspace(left, right, 9)
        for start, end in pairwise(panels):
            half = 0.5 * (end - start)
            total += half * float(NODE_WEIGHTS @ integrand(start + half * (1.0 + NODES)))
    return total


PAIRS = [
    ((0.2, 121.0, 81.0), (0.8, 96.0, 6.0)),
    ((0.5, 21.0, 1.0), (0.5, 11.0, 1.0)),
    ((0.9, 3.0, 21.0), (0.1, 300.0, 4.0)),
    ((0.001, 2.0, 2.0), (0.999, 400.0, 50.0)),
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_centre_and_tails_against_an_integral(first: Any, second: Any) -> None:
    mean = mean_of(first, second)
    assert isinstance(mean, MeanPosterior)
    seen = 0
    for z in (-14.0, -11.0, -8.0, -4.0, -1.5, 0.0, 1.5, 3.0, 4.5):
        x = mean.mean + z * mean.sd
        if not 0.0 < x < 1.0:
            continue
        for side, found in (("below", mean.prob_below(x)), ("above", mean.prob_above(x))):
            truth = tail(first, second, x, side)
            # The lattice is known to 1e-5 of a tail, however small; 1e-30 is the promise.
            if truth > 1e-30:
                assert found == pytest.approx(truth, rel=2e-5, abs=0), (z, side)
                seen += 1
    assert seen >= 10


def test_a_tail_of_1e_30_keeps_its_digits() -> None:
    first, second = (0.2, 121.0, 81.0), (0.8, 96.0, 6.0)
    mean = mean_of(first, second)
    low, high = 0.3, mean.mean
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if tail(first, second, middle, "below") < 1e-30 else (low, middle)
        )
    assert mean.prob_below(high) == pytest.approx(1e-30, rel=2e-5, abs=0)
    assert mean.log_prob_below(high) == pytest.approx(-30 * np.log(10), abs=1e-4)


def test_two_uniforms_make_a_triangle() -> None:
    mean = mean_of((0.5, 1.0, 1.0), (0.5, 1.0, 1.0))
    x = np.array([0.01, 0.2, 0.5, 0.7, 0.999])
    exact = np.where(x < 0.5, 2 * x**2, 1 - 2 * (1 - x) ** 2)
    assert mean.cdf(x) == pytest.approx(exact, abs=1e-8)
    # A kink at the middle: there the interpolated density is as wide as a cell.
    assert mean.pdf(x[[0, 1, 3]]) == pytest.approx([0.04, 0.8, 1.2], abs=1e-3)
    assert mean.quantile([0.02, 0.5, 0.98]) == pytest.approx([0.1, 0.5, 0.9], abs=1e-7)


def test_moments_are_exact() -> None:
    parts = [(0.1, 2.0, 1.0), (0.6, 40.0, 3.0), (0.3, 1.0, 9.0)]
    mean = mean_of(*parts)
    assert mean.mean == pytest.approx(sum(w * a / (a + b) for w, a, b in parts), abs=1e-14)
    variance = sum(w**2 * stats.beta.var(a, b) for w, a, b in parts)
    assert mean.sd == pytest.approx(variance**0.5, rel=1e-12)


def test_200_slices_are_nearly_normal(rng: np.random.Generator) -> None:
    parts = [(1 / 200, float(a), float(b)) for a, b in rng.uniform(5, 60, size=(200, 2))]
    mean = mean_of(*parts)
    law = stats.norm(mean.mean, mean.sd)
    for level in (0.025, 0.5, 0.975):
        assert mean.quantile(level) == pytest.approx(law.ppf(level), abs=0.01 * mean.sd)
    # Edgeworth: the third cumulant decides what is left of a tail at four sd.
    skew = sum(
        w**3 * stats.beta.stats(a, b, moments="s") * stats.beta.std(a, b) ** 3 for w, a, b in parts
    )
    skew /= mean.sd**3
    z = -4.0
    edge = stats.norm.cdf(z) - stats.norm.pdf(z) * skew * (z**2 - 1) / 6
    assert mean.prob_below(mean.mean + z * mean.sd) == pytest.approx(float(edge), rel=0.02)


@given(
    st.lists(
        st.tuples(st.floats(0.01, 1.0), st.floats(0.5, 200.0), st.floats(0.5, 200.0)),
        min_size=2,
        max_size=4,
    ),
    st.randoms(use_true_random=False),
)
@settings(max_examples=8)
def test_order_is_irrelevant_and_the_law_is_a_law(parts: Any, random: Any) -> None:
    total = sum(w for w, _, _ in parts)
    parts = [(w / total, a, b) for w, a, b in parts]
    mean = mean_of(*parts)
    random.shuffle(parts)
    again = mean_of(*parts)
    x = np.clip(mean.mean + mean.sd * np.linspace(-3, 3, 25), 0.01, 0.99)
    assert mean.cdf(x) == pytest.approx(again.cdf(x), abs=1e-8)
    assert np.all(np.diff(mean.cdf(x)) >= -1e-12)
    lower, upper = mean.eti()
    assert 0 <= lower < mean.median < upper <= 1
    wide = mean.eti(0.99)
    assert wide.lower <= lower
    assert upper <= wide.upper


@given(st.floats(1.0, 200.0), st.floats(1.0, 200.0), st.floats(0.05, 0.95))
@settings(max_examples=6)
def test_mirror(a: float, b: float, w: float) -> None:
    up, down = mean_of((w, a, b), (1 - w, 7.0, 3.0)), mean_of((w, b, a), (1 - w, 3.0, 7.0))
    for x in (0.15, 0.7):
        assert up.prob_below(x) == pytest.approx(down.prob_above(1 - x), rel=2e-5, abs=1e-33)


def test_one_with_weight_is_itself() -> None:
    only = weighted_mean([beta(3, 4), beta(1, 1)], [1.0, 0.0], ABOUT)
    assert isinstance(only, BetaMixture)
    assert only.about == ABOUT
    assert only.prob_above(0.9) == beta(3, 4).prob_above(0.9)


def test_samples_have_the_moments(rng: np.random.Generator) -> None:
    mean = mean_of((0.3, 2.0, 5.0), (0.7, 30.0, 3.0))
    draws = mean.sample(40_000, rng)
    assert draws.mean() == pytest.approx(mean.mean, abs=4 * mean.sd / 200)
    assert draws.std() == pytest.approx(mean.sd, rel=4 / np.sqrt(2 * 40_000) * 1.5)


# -- discrete ---------------------------------------------------------------------------


def binomial(n: int, p: float) -> DiscretePosterior:
    return DiscretePosterior(np.arange(n + 1) / n, stats.binom.pmf(np.arange(n + 1), n, p), ABOUT)


def test_discrete_means_are_convolved_value_by_value() -> None:
    mean = weighted_mean([binomial(4, 0.3), binomial(4, 0.3)], [0.5, 0.5], ABOUT)
    assert isinstance(mean, DiscretePosterior)
    assert mean.values == pytest.approx(np.arange(9) / 8)
    assert mean.probabilities == pytest.approx(stats.binom.pmf(np.arange(9), 8, 0.3), rel=1e-12)
    assert mean.prob_at_least(0.5) == pytest.approx(stats.binom.sf(3, 8, 0.3), rel=1e-12)


def test_many_discrete_values_keep_mean_and_spread() -> None:
    sizes, rates = (801, 900, 1001, 1100, 1203), (0.3, 0.6, 0.9, 0.5, 0.95)
    weights = np.array([0.11, 0.23, 0.17, 0.2, 0.29])
    mean = weighted_mean(
        [binomial(n, p) for n, p in zip(sizes, rates, strict=True)], weights.tolist(), ABOUT
    )
    assert isinstance(mean, DiscretePosterior)
    variance = sum(w**2 * p * (1 - p) / n for w, n, p in zip(weights, sizes, rates, strict=True))
    assert mean.mean == pytest.approx(float(weights @ rates), abs=1e-10)
    assert mean.sd == pytest.approx(variance**0.5, rel=1e-4)
    assert mean.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert mean.values[0] >= 0
    assert mean.values[-1] <= 1
    law = stats.norm(mean.mean, mean.sd)
    assert mean.cdf(mean.mean - 2 * mean.sd) == pytest.approx(law.cdf(law.ppf(0.02275)), abs=1e-3)


def test_a_certain_prediction_only_shifts() -> None:
    sure = DiscretePosterior(np.array([1.0]), np.ones(1), ABOUT)
    mean = weighted_mean([sure, binomial(3, 0.5)], [0.25, 0.75], ABOUT)
    assert mean.quantile([0.0, 1.0]) == pytest.approx([0.25, 1.0])


# -- draws ------------------------------------------------------------------------------


def test_draws_belong_together(rng: np.random.Generator) -> None:
    draws = rng.uniform(size=(4, 100))
    parts = [DrawsPosterior(draws, ABOUT), DrawsPosterior(1.0 - draws, ABOUT)]
    mean = weighted_mean(parts, [0.5, 0.5], ABOUT)
    assert isinstance(mean, DrawsPosterior)
    # One is what the other is not: their mean is known, drawn singly it would not be.
    assert mean.sd == pytest.approx(0.0, abs=1e-12)


def test_draws_and_closed_forms_mix(rng: np.random.Generator) -> None:
    draws = DrawsPosterior(rng.beta(3, 4, size=(4, 10_000)), ABOUT)
    mean = weighted_mean([draws, beta(8, 2)], [0.5, 0.5], ABOUT, rng=1)
    exact = mean_of((0.5, 3.0, 4.0), (0.5, 8.0, 2.0))
    assert mean.mean == pytest.approx(exact.mean, abs=4 * exact.sd / 200)
    assert mean.eti().lower == pytest.approx(exact.eti().lower, abs=0.01)


def test_draws_of_two_shapes_are_refused() -> None:
    parts = [DrawsPosterior(np.full((2, size), 0.5), ABOUT) for size in (10, 20)]
    with pytest.raises(InputError, match=r"draws of one shape; got \(2, 10\), \(2, 20\)"):
        weighted_mean(parts, [0.5, 0.5], ABOUT)


def test_a_difference_has_no_weighted_mean() -> None:
    gap = DrawsPosterior(np.zeros((2, 10)), ABOUT, (-1.0, 1.0))
    with pytest.raises(InputError, match=r"needs posteriors on \[0, 1\]"):
        weighted_mean([gap, beta(1, 1)], [0.5, 0.5], ABOUT)


def test_dirichlet_of_known_quantities_is_a_beta() -> None:
    ends = [DiscretePosterior(np.array([v]), np.ones(1), ABOUT) for v in (1.0, 0.0)]
    mean = dirichlet_mean(ends, [30.0, 10.0], ABOUT, rng=2)
    law = stats.beta(30, 10)
    assert mean.mean == pytest.approx(0.75, abs=4 * law.std() / np.sqrt(100_000))
    for level in (0.025, 0.5, 0.975):
        assert mean.quantile(level) == pytest.approx(law.ppf(level), abs=0.003)


def test_huge_counts_are_known_shares() -> None:
    parts = [beta(121, 81), beta(96, 6)]
    fixed = weighted_mean(parts, [0.2, 0.8], ABOUT)
    counted = dirichlet_mean(parts, [2e9, 8e9], ABOUT, rng=3)
    assert counted.mean == pytest.approx(fixed.mean, abs=4 * fixed.sd / np.sqrt(100_000))
    assert counted.sd == pytest.approx(fixed.sd, rel=0.015)


def test_many_quantities_take_fewer_draws() -> None:
    many = dirichlet_mean([beta(2, 2)] * 500, [1.0] * 500, ABOUT, rng=4)
    assert many.draws.shape == (4, 5_000)
