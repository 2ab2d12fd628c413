"""Confidence sequences and e-values: the closed formula, coverage at all times, wrong input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import bayeseval as be
from bayeseval.decisions._anytime import log_e_value


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_ends_are_where_the_ratio_reaches_the_level(passed: int, failed: int, level: float) -> None:
    lower, upper = be.confidence_sequence(passed, passed + failed, ci_prob=level)
    mixed = special.betaln(1 + passed, 1 + failed)
    for end in (lower, upper):
        if 0 < end < 1:
            ratio = mixed - special.xlogy(passed, end) - special.xlog1py(failed, -end)
            assert ratio == pytest.approx(-math.log(1 - level), abs=1e-6)
    if passed + failed:
        assert lower <= passed / (passed + failed) <= upper
    else:
        assert (lower, upper) == (0, 1)


@given(st.integers(1, 100), st.floats(0, 1), st.floats(0.5, 0.98))
def test_nested_mirrored_and_wider_than_for_one_look(n: int, share: float, level: float) -> None:
    total = share * n
    inner = be.confidence_sequence(total, n, ci_prob=level)
    outer = be.confidence_sequence(total, n, ci_prob=level + 0.01)
    assert outer.lower <= inner.lower
    assert inner.upper <= outer.upper
    mirrored = be.confidence_sequence(n - total, n, ci_prob=level)
    assert mirrored.lower == pytest.approx(1 - inner.upper, abs=1e-9)
    assert inner.kind == "anytime"


@pytest.mark.parametrize("clustered", [False, True])
def test_holds_the_mean_at_all_times_and_e_values_stay_small(clustered: bool) -> None:
    rng, runs, tasks, rate = np.random.default_rng(6), 1_500, 120, 0.85
    if clustered:
        values = rng.binomial(4, rng.beta(rate, 1 - rate, (runs, tasks))) / 4
    else:
        values = rng.binomial(1, rate, (runs, tasks)).astype(float)
    totals = values.cumsum(axis=1)
    n = np.arange(1, tasks + 1)
    # The interval misses the mean where the mixture's ratio at the mean reaches 20.
    mixed = special.betaln(1 + totals, 1 + n - totals)
    ratio = mixed - totals * np.log(rate) - (n - totals) * np.log(1 - rate)
    missed = float(np.mean((ratio >= math.log(20)).any(axis=1)))
    assert missed < 0.05
    share = stats.beta.sf(rate, 1 + totals, 1 + n - totals) / (1 - rate)
    ever = float(np.mean((ratio + np.log(share) >= math.log(20)).any(axis=1)))
    assert ever < 0.05
    last = log_e_value(float(totals[0, -1]), tasks, rate, above=True)
    assert last == pytest.approx(float(ratio[0, -1] + np.log(share[0, -1])), abs=1e-9)
    interval = be.confidence_sequence(float(totals[0, -1]), tasks)
    assert (rate in interval) == bool(ratio[0, -1] < math.log(20))


def test_evidence_against_is_the_mirror_of_evidence_for() -> None:
    above = log_e_value(30, 40, 0.6, above=True)
    below = log_e_value(10, 40, 0.4, above=False)
    assert above == pytest.approx(below)
    assert log_e_value(0, 0, 0.5, above=True) == pytest.approx(0)
    assert log_e_value(40, 40, 0.5, above=True) > math.log(1e9)
    assert log_e_value(0, 500, 0.5, above=True) < -5


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((11, 10), {}, "total must lie between 0 and tasks"),
        ((-1, 10), {}, "total must lie between 0 and tasks"),
        ((1, 2.5), {}, "tasks must be a whole number"),
        ((1, 2), {"ci_prob": 95}, "divide it by 100"),
        ((1, 2), {"mixture": (0, 1)}, "mixture must be above 0"),
    ],
)
def test_wrong_input(arguments: tuple[float, int], options: dict[str, float], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.confidence_sequence(*arguments, **options)  # type: ignore[arg-type]
