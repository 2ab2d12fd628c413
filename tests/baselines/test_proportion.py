"""Intervals for one proportion: reference vectors, worked examples, laws, and errors."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.baselines._proportion import Method, wilson_interval

METHODS = get_args(Method)

counts = st.integers(1, 3_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.floats(0.01, 0.9999)
methods = st.sampled_from(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_meet_the_vectors(
    method: Any, vectors: Callable[[str], list[dict[str, Any]]]
) -> None:
    for entry in vectors("intervals"):
        passes, trials, level = (entry["case"][name] for name in ("s", "n", "level"))
        got = be.interval(passes, trials, method=method, ci_prob=level)
        expected = entry["expected"][method]
        if expected is None:
            assert isinstance(got, be.Unknown)
            continue
        assert (got.ci_prob, got.kind) == (level, method)
        assert tuple(got) == pytest.approx(expected, abs=entry["tolerance"]["abs"], rel=0)


@pytest.mark.parametrize(
    ("passes", "trials", "expected"),
    [
        (80, 100, "71-87"),
        (20, 20, "84-100"),
        (17, 20, "64-95"),
        (85, 100, "77-91"),
        (425, 500, "82-88"),
    ],
)
def test_wilson_of_the_worked_examples(passes: int, trials: int, expected: str) -> None:
    lower, upper = be.interval(passes, trials)
    assert f"{100 * lower:.0f}-{100 * upper:.0f}" == expected


def test_without_trials() -> None:
    assert be.interval(0, 0, method="wald") == be.Unknown(
        "a Wald interval needs at least one trial"
    )
    for method in METHODS:
        if method not in ("wald", "jeffreys"):
            assert tuple(be.interval(0, 0, method=method)) == (0.0, 1.0)
    lower, upper = be.interval(0, 0, method="jeffreys")
    assert (lower, upper) == pytest.approx(stats.beta.interval(0.95, 0.5, 0.5), rel=1e-12)


def test_the_ends_are_exact() -> None:
    for method in ("wilson", "wilson_cc", "clopper_pearson", "mid_p", "jeffreys_bcd"):
        assert be.interval(0, 20, method=method).lower == 0.0
        assert be.interval(20, 20, method=method).upper == 1.0
        assert be.interval(20, 20, method=method).lower < 1.0
    assert be.interval(20, 20, method="jeffreys").upper < 1.0


def test_small_limits_keep_their_digits() -> None:
    # One pass in a billion: each limit is that of a Poisson count, to about 1e-9 relative.
    lower, upper = be.interval(1, 10**9, method="clopper_pearson")
    poisson = stats.gamma.ppf(0.025, 1), stats.gamma.ppf(0.975, 2)
    assert (lower * 1e9, upper * 1e9) == pytest.approx(poisson, rel=1e-7)
    lower, upper = (1e9 * limit for limit in be.interval(1, 10**9, method="mid_p"))
    above = stats.poisson.sf(1, lower) + stats.poisson.pmf(1, lower) / 2
    below = stats.poisson.pmf(0, upper) + stats.poisson.pmf(1, upper) / 2
    assert (above, below) == pytest.approx((0.025, 0.025), rel=1e-7)


# Laws


@given(counts, levels, methods)
def test_limits_are_ordered_and_inside(
    task_counts: tuple[int, int], ci_prob: float, method: Any
) -> None:
    lower, upper = be.interval(*task_counts, method=method, ci_prob=ci_prob)
    assert 0 <= lower <= upper <= 1


@given(counts, levels, st.sampled_from(["wilson", "wilson_cc", "clopper_pearson"]))
def test_interval_contains_the_estimate(
    task_counts: tuple[int, int], ci_prob: float, method: Any
) -> None:
    passes, trials = task_counts
    assert passes / trials in be.interval(passes, trials, method=method, ci_prob=ci_prob)


@given(counts, levels, levels, methods)
def test_intervals_nest_in_the_level(
    task_counts: tuple[int, int], one: float, other: float, method: Any
) -> None:
    narrow, wide = (
        be.interval(*task_counts, method=method, ci_prob=level) for level in sorted((one, other))
    )
    slack = 1e-14
    assert wide.lower <= narrow.lower + slack
    assert narrow.upper <= wide.upper + slack


@given(counts, levels, methods)
def test_passes_and_failures_mirror_each_other(
    task_counts: tuple[int, int], ci_prob: float, method: Any
) -> None:
    passes, trials = task_counts
    got = be.interval(passes, trials, method=method, ci_prob=ci_prob)
    mirrored = be.interval(trials - passes, trials, method=method, ci_prob=ci_prob)
    assert got.lower == pytest.approx(1 - mirrored.upper, rel=0, abs=1e-13)
    assert got.upper == pytest.approx(1 - mirrored.lower, rel=0, abs=1e-13)


@given(counts, levels)
def test_mid_p_lies_within_clopper_pearson(task_counts: tuple[int, int], ci_prob: float) -> None:
    mid = be.interval(*task_counts, method="mid_p", ci_prob=ci_prob)
    exact = be.interval(*task_counts, method="clopper_pearson", ci_prob=ci_prob)
    assert exact.lower <= mid.lower < mid.upper <= exact.upper


@given(st.integers(1, 200), st.floats(0, 1), levels)
def test_wilson_limits_solve_the_score_equation(trials: int, rate: float, ci_prob: float) -> None:
    z = stats.norm.isf((1 - ci_prob) / 2)
    for limit in wilson_interval(rate * trials, trials, ci_prob):
        score = (rate - limit) ** 2 * trials
        assert score == pytest.approx(z**2 * limit * (1 - limit), rel=1e-9, abs=1e-12)


# Wrong input


@pytest.mark.parametrize(
    ("passes", "trials", "options", "message"),
    [
        (5, 4, {}, "passes must not exceed trials; got passes = 5, trials = 4"),
        (-1, 4, {}, "passes must be at least 0; got -1"),
        (1, -4, {}, "trials must be at least 0; got -4"),
        (1.5, 4, {}, "passes must be a whole number; got 1.5"),
        (float("nan"), 4, {}, "passes must be a finite number; got nan"),
        (1, 4, {"ci_prob": 95}, "a percentage? divide it by 100"),
        (1, 4, {"ci_prob": 0}, "ci_prob must be strictly between 0 and 1; got 0"),
        (1, 4, {"ci_prob": 1}, "ci_prob must be strictly between 0 and 1; got 1"),
        (1, 4, {"method": "wilsn"}, "did you mean 'wilson'?"),
        (0, 0, {"method": "wilsn"}, "did you mean 'wilson'?"),
    ],
)
def test_wrong_input_is_refused(
    passes: Any, trials: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(be.InputError) as raised:
        be.interval(passes, trials, **options)
    assert message in str(raised.value)
