"""Cluster bootstrap: its exact limit, its fallback, laws, and what is refused."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.baselines import _bootstrap
from bayeseval.passk import suite_pass_at_k, suite_pass_hat_k

FIFTY = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, [4] * 50)

suites = st.lists(
    st.integers(2, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=15,
)


def _rollouts(tasks: list[tuple[int, int]]) -> be.Rollouts:
    passes, trials = np.array(tasks).T
    return be.Rollouts.from_counts(passes, trials)


def test_interval_and_sd_meet_the_limit_of_the_vectors(
    vectors: Callable[[str], list[dict[str, Any]]],
) -> None:
    cases = [entry for entry in vectors("weights") if entry["case"]["kind"] == "bootstrap_limit"]
    assert cases
    for entry in cases:
        suite = _rollouts([(passes, trials) for trials, passes in entry["case"]["tasks"]])
        for level in entry["case"]["levels"]:
            n_resamples = 100_000
            got = be.cluster_bootstrap(suite, ci_prob=level, n_resamples=n_resamples, rng=3)
            expected = entry["expected"]
            assert tuple(got.interval) == pytest.approx(
                expected["interval"][str(level)], rel=0, abs=entry["tolerance"]["abs"]
            )
            assert got.estimate == pytest.approx(expected["mean"], rel=1e-14)
            # The standard error of a standard deviation is about sd / sqrt(2 resamples).
            assert got.sd == pytest.approx(expected["sd"], rel=5 / math.sqrt(2 * n_resamples))
            assert not got.fallback


@given(suites, st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=15)
def test_limits_stand_where_the_exact_distribution_puts_them(
    tasks: list[tuple[int, int]], ci_prob: float
) -> None:
    n_resamples = 20_000
    got = be.cluster_bootstrap(_rollouts(tasks), ci_prob=ci_prob, n_resamples=n_resamples, rng=5)
    if got.fallback:
        return
    # The sum over m resampled tasks is the m-fold convolution of one task's value.
    rates = [Fraction(c, n) for c, n in tasks]
    step = math.lcm(*(rate.denominator for rate in rates))
    one = np.bincount([int(rate * step) for rate in rates], minlength=step + 1) / len(tasks)
    total = np.ones(1)
    for _ in tasks:
        total = np.convolve(total, one)
    cumulative = np.cumsum(total)
    for limit, share in zip(got.interval, ((1 - ci_prob) / 2, (1 + ci_prob) / 2), strict=True):
        at = round(limit * step * len(tasks))
        slack = 5 * math.sqrt(share * (1 - share) / n_resamples)
        assert cumulative[at] >= share - slack
        assert at == 0 or cumulative[at - 1] <= share + slack


def test_fifty_tasks_of_four() -> None:
    got = be.cluster_bootstrap(FIFTY, rng=1)
    assert tuple(got.interval) == pytest.approx((0.52, 0.77), abs=0.011)
    assert got.interval.kind == "bootstrap"
    assert repr(got).startswith("BootstrapInterval(pass_rate: 0.65, 95 % interval 0.5")


@pytest.mark.parametrize("k", [1, 2, 4])
def test_pass_at_k_and_pass_hat_k_are_about_the_suite_values(k: int) -> None:
    at = be.cluster_bootstrap(FIFTY, statistic="pass_at_k", k=k, rng=1)
    hat = be.cluster_bootstrap(FIFTY, statistic="pass_hat_k", k=k, rng=1)
    assert at.estimate == pytest.approx(suite_pass_at_k(FIFTY, k), rel=1e-14)
    assert hat.estimate == pytest.approx(suite_pass_hat_k(FIFTY, k), rel=1e-14)
    assert at.estimate in at.interval
    assert hat.estimate in hat.interval
    # The spread of the bootstrap is the standard error with divisor m in place of m - 1.
    curve = be.pass_curve(FIFTY, k=k)
    for found, se in ((at, curve.pass_at_k_se[0]), (hat, curve.pass_hat_k_se[0])):
        assert found.sd == pytest.approx(se * math.sqrt(49 / 50), rel=5 / math.sqrt(2 * 10_000))


# The fallback


def test_a_perfect_score_gets_wilson_on_tasks() -> None:
    got = be.cluster_bootstrap(be.Rollouts.from_counts([4] * 20, [4] * 20), rng=1)
    assert got.fallback
    assert "Wilson" in got.reason
    assert got.interval == be.interval(20, 20)
    assert (got.estimate, got.sd) == (1.0, 0.0)


@pytest.mark.parametrize("passes", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("n_tasks", [1, 7, 40])
def test_tasks_that_agree_never_give_an_interval_without_width(passes: int, n_tasks: int) -> None:
    got = be.cluster_bootstrap(be.Rollouts.from_counts([passes] * n_tasks, [4] * n_tasks))
    assert got.fallback
    assert got.interval.kind == "wilson"
    assert got.interval.width > 0.05
    assert passes / 4 in got.interval


def test_tasks_that_agree_on_the_statistic_only() -> None:
    suite = be.Rollouts.from_counts([1, 2, 3], [4, 4, 4])
    assert be.cluster_bootstrap(suite, statistic="pass_at_k", k=4).fallback
    assert not be.cluster_bootstrap(suite, statistic="pass_at_k", k=1).fallback


# Laws


@given(suites, st.integers(0, 2**32))
def test_order_of_tasks_does_not_matter(tasks: list[tuple[int, int]], seed: int) -> None:
    options: dict[str, Any] = {"statistic": "pass_hat_k", "k": 2, "n_resamples": 50}
    got = be.cluster_bootstrap(_rollouts(tasks), rng=seed, **options)
    assert be.cluster_bootstrap(_rollouts(tasks[::-1]), rng=seed, **options) == got


@given(suites)
@settings(max_examples=20)
def test_tiling_the_suite_shrinks_the_spread_by_its_root(tasks: list[tuple[int, int]]) -> None:
    n_resamples, times = 20_000, 25
    one = be.cluster_bootstrap(_rollouts(tasks), n_resamples=n_resamples, rng=1)
    many = be.cluster_bootstrap(_rollouts(tasks * times), n_resamples=n_resamples, rng=2)
    assert many.estimate == pytest.approx(one.estimate, rel=1e-13)
    assert many.fallback == one.fallback
    # A value on two points has up to this relative error in its standard deviation.
    rates = np.array([c / n for c, n in tasks])
    centred = rates - rates.mean()
    if one.fallback:
        return
    excess = (centred**4).mean() / (centred**2).mean() ** 2 / len(tasks) + 2
    slack = 5 * math.sqrt(excess / 4 / n_resamples) * math.sqrt(2)
    assert many.sd * math.sqrt(times) == pytest.approx(one.sd, rel=slack)


def test_same_seed_same_numbers_and_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = be.cluster_bootstrap(FIFTY, rng=7)
    assert be.cluster_bootstrap(FIFTY, rng=np.random.default_rng(7)) == whole
    assert be.cluster_bootstrap(FIFTY, rng=8) != whole
    monkeypatch.setattr(_bootstrap, "_CHUNK", 1_000)
    assert be.cluster_bootstrap(FIFTY, rng=7) == whole


# UNKNOWN and errors


def test_a_task_with_fewer_rollouts_than_k_leaves_no_answer() -> None:
    suite = be.Rollouts.from_counts([4, 1], [4, 2])
    for statistic in ("pass_at_k", "pass_hat_k"):
        got = be.cluster_bootstrap(suite, statistic=statistic, k=3)
        assert got.estimate == got.interval == got.sd == suite_pass_at_k(suite, 3)
        assert got.reason == got.estimate.reason
        assert "UNKNOWN (k = 3, but 1 of 2 tasks has fewer" in repr(got)


def test_tasks_without_a_scored_rollout_are_left_out_and_counted() -> None:
    with_empty = be.Rollouts.from_counts([4, 0, 1], [4, 0, 2])
    got = be.cluster_bootstrap(with_empty, rng=1)
    assert (got.n_tasks, got.n_unscored, got.estimate) == (2, 1, 0.75)
    nothing = be.cluster_bootstrap(be.Rollouts.from_counts([0], [0]))
    assert nothing.estimate == nothing.interval == be.Unknown("no task has a scored rollout")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "pass_rat"}, "did you mean 'pass_rate'?"),
        ({"statistic": "pass_at_k"}, "pass_at_k needs k"),
        ({"statistic": "pass_hat_k", "k": 0}, "k must be at least 1; got 0"),
        ({"k": 2}, "k goes with pass_at_k and pass_hat_k, not pass_rate; got k = 2"),
        ({"ci_prob": 95}, "divide it by 100"),
        ({"n_resamples": 1}, "n_resamples must be at least 2; got 1"),
        ({"rng": "seed"}, "rng must be a number; got 'seed'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError) as raised:
        be.cluster_bootstrap(FIFTY, **options)
    assert message in str(raised.value)
