"""DiscretePosterior: mass at single values, so that < and <= differ."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.posterior import About, DiscretePosterior

masses = st.lists(st.integers(0, 20), min_size=1, max_size=12).filter(any)
levels = st.floats(0.02, 0.98)


def discrete(weights: list[int], step: float = 1.0) -> DiscretePosterior:
    share = np.array(weights) / sum(weights)
    top = step * (len(weights) - 1)
    return DiscretePosterior(
        step * np.arange(len(weights)), share, About("passes", unit="number"), (0.0, max(top, 1.0))
    )


def test_strict_and_non_strict_at_attained_values() -> None:
    passes = discrete([1, 2, 3, 4])
    assert passes.prob_below(2) == pytest.approx(0.3)
    assert passes.cdf(2) == pytest.approx(0.6)
    assert passes.prob_above(2) == pytest.approx(0.4)
    assert passes.prob_at_least(2) == pytest.approx(0.7)
    assert passes.prob_between(1, 3) == pytest.approx(0.3)
    assert passes.prob_between(0, 3) == pytest.approx(0.5)
    assert passes.prob_between(2, 2) == 0.0
    assert passes.pdf([2, 2.5, 7]).tolist() == pytest.approx([0.3, 0, 0])


def test_between_attained_values_strict_and_non_strict_agree() -> None:
    passes = discrete([1, 2, 3, 4])
    assert passes.prob_below(1.5) == passes.cdf(1.5) == pytest.approx(0.3)
    assert passes.prob_above(1.5) == passes.prob_at_least(1.5) == pytest.approx(0.7)


@given(masses, st.data())
def test_probabilities_against_exact_sums(weights: list[int], data: st.DataObject) -> None:
    passes = discrete(weights)
    t = data.draw(st.integers(0, len(weights) - 1))
    high = data.draw(st.integers(t, len(weights) - 1))
    share = [Fraction(w, sum(weights)) for w in weights]
    expected = {
        "prob_below": sum(share[:t]),
        "prob_above": sum(share[t + 1 :]),
        "prob_at_least": sum(share[t:]),
    }
    for name, value in expected.items():
        assert getattr(passes, name)(t) == pytest.approx(float(value), abs=1e-14)
    for got, value in (
        (passes.log_prob_above(t), expected["prob_above"]),
        (passes.log_prob_below(t), expected["prob_below"]),
    ):
        assert got == pytest.approx(math.log(value) if value else -math.inf, abs=1e-14)
    between = float(sum(share[t + 1 : high], Fraction(0)))
    assert passes.prob_between(t, high) == pytest.approx(between, abs=1e-14)
    assert passes.mean == pytest.approx(float(sum(i * p for i, p in enumerate(share))))


@given(masses, st.integers(1, 99))
def test_quantile_is_the_smallest_value_that_reaches_the_level(
    weights: list[int], percent: int
) -> None:
    share = [Fraction(w, sum(weights)) for w in weights]
    level = Fraction(percent, 100)
    expected = next(i for i in range(len(share)) if sum(share[: i + 1]) >= level)
    assert discrete(weights).quantile(percent / 100) == expected


def test_quantile_far_in_the_tail() -> None:
    passes = DiscretePosterior(np.arange(3.0), np.array([1e-40, 1e-20, 1.0]), About(), (0.0, 2.0))
    assert passes.quantile([1e-41, 1e-30, 1e-19, 0.5]).tolist() == [0, 1, 2, 2]


@given(masses, levels)
def test_hdi_is_the_shortest_run_and_never_wider_than_eti(weights: list[int], level: float) -> None:
    passes = discrete(weights)
    got, equal_tailed = passes.hdi(level), passes.eti(level)
    share = np.array(weights) / sum(weights)
    n = len(weights)
    runs = {
        (i, j): share[i : j + 1].sum()
        for i in range(n)
        for j in range(i, n)
        if share[i : j + 1].sum() >= level - 1e-13
    }
    shortest = min(j - i for i, j in runs)
    largest = max(mass for (i, j), mass in runs.items() if j - i == shortest)
    best = [r for r, m in runs.items() if r[1] - r[0] == shortest and m >= largest - 1e-13]
    if isinstance(got, be.Unknown):
        assert len(best) > 1
        return
    assert best == [(got.lower, got.upper)]
    assert got.width <= equal_tailed.width


def test_arrays_are_copied_and_read_only() -> None:
    values, share = np.arange(2.0), np.array([0.25, 0.75])
    passes = DiscretePosterior(values, share, About())
    values[0] = share[0] = 9.0
    assert (passes.values.tolist(), passes.probabilities.tolist()) == ([0, 1], [0.25, 0.75])
    with pytest.raises(ValueError, match="read-only"):
        passes.values[0] = 3.0


def test_draws_follow_the_masses() -> None:
    passes = discrete([1, 2, 3, 4])
    draws = passes.sample(40_000, rng=1)
    np.testing.assert_array_equal(draws, passes.sample(40_000, rng=1))
    share = np.bincount(draws.astype(int), minlength=4) / draws.size
    # Five standard errors of a share.
    assert np.all(np.abs(share - [0.1, 0.2, 0.3, 0.4]) < 5 * 0.5 / np.sqrt(draws.size))


@pytest.mark.parametrize("value", [-1, 4, 95])
def test_thresholds_outside_the_values(value: float) -> None:
    for ask in (discrete([1, 2, 3, 4]).prob_at_least, discrete([1, 2, 3, 4]).prob_below):
        with pytest.raises(
            be.InputError, match=rf"threshold must be between 0 and 3; got {value}$"
        ):
            ask(value)


def test_display_in_numbers() -> None:
    prediction = be.beta_posterior(80, 100).predictive(100_000)
    assert repr(prediction) == (
        "passes in the next 100000 tasks: 79,412 (95 % CrI 71,083 to 86,648, n = 100 tasks)"
    )
