"""pass@k and pass^k: reference vectors, exact fractions, laws, and what is refused."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.passk import (
    log_pass_at_k,
    log_pass_hat_k,
    pass_at_k,
    pass_curve,
    pass_hat_k,
    plugin_pass_at_k,
    plugin_pass_hat_k,
    suite_pass_at_k,
    suite_pass_hat_k,
)
from bayeseval.passk._numbers import _distinct, log_hat

Vectors = Callable[[str], list[dict[str, Any]]]

ESTIMATORS = {
    "pass_at_k": pass_at_k,
    "pass_hat_k": pass_hat_k,
    "plugin_pass_at_k": plugin_pass_at_k,
    "plugin_pass_hat_k": plugin_pass_hat_k,
}


def _cases(vectors: Vectors, kind: str) -> list[dict[str, Any]]:
    cases = [entry for entry in vectors("passk") if entry["case"]["kind"] == kind]
    assert cases
    return cases


def _suite(tasks: list[list[int]]) -> be.Rollouts:
    trials, passes = np.array(tasks).T
    return be.Rollouts.from_counts(passes, trials)


def _assert_close(got: Any, expected: float | None, **tolerance: float) -> None:
    if expected is None:
        assert isinstance(got, be.Unknown)
    else:
        assert isinstance(got, float)
        assert got == pytest.approx(expected, **tolerance)


# Reference vectors


def test_tasks_meet_the_vectors(vectors: Vectors) -> None:
    for entry in _cases(vectors, "task"):
        n, c, k = (entry["case"][name] for name in "nck")
        rel = entry["tolerance"]["rel"]
        for name, estimator in ESTIMATORS.items():
            expected = entry["expected"][name]
            _assert_close(estimator(n, c, k), expected, rel=rel, abs=0)
            _assert_close(estimator([n], c, k)[0], expected, rel=rel, abs=0)


def test_tasks_meet_the_vectors_on_the_log_scale_from_both_sides(vectors: Vectors) -> None:
    found = 0
    for entry in _cases(vectors, "task"):
        n, c, k = (entry["case"][name] for name in "nck")
        logs = {
            "pass_at_k_log10": log_pass_at_k(n, c, k),
            "pass_at_k_log10_complement": log_pass_hat_k(n, n - c, k),
            "pass_hat_k_log10": log_pass_hat_k(n, c, k),
            "pass_hat_k_log10_complement": log_pass_at_k(n, n - c, k),
        }
        for name in logs.keys() & entry["expected"].keys():
            found += 1
            expected = entry["expected"][name]
            got = logs[name] / math.log(10)
            assert got == pytest.approx(expected, rel=0, abs=entry["tolerance"]["log10_abs"])
            # Far tighter than asked: the digits of a logarithm near 0 are there too.
            assert got == pytest.approx(expected, rel=1e-13, abs=0)
    assert found == 8


def test_suites_meet_the_vectors(vectors: Vectors) -> None:
    for entry in _cases(vectors, "suite"):
        suite, k = _suite(entry["case"]["tasks"]), entry["case"]["k"]
        expected, tolerance = entry["expected"], entry["tolerance"]
        curve = pass_curve(suite, k=k)
        eligible = pass_curve(suite, k=k, unequal="eligible")
        for name, suite_value in (("pass_at_k", suite_pass_at_k), ("pass_hat_k", suite_pass_hat_k)):
            _assert_close(getattr(curve, name)[0], expected[name], **tolerance)
            _assert_close(suite_value(suite, k), expected[name], **tolerance)
            among = expected[f"eligible_only_{name}"]
            _assert_close(getattr(eligible, name)[0], among, **tolerance)
            _assert_close(suite_value(suite, k, unequal="eligible"), among, **tolerance)
            se = getattr(curve, f"{name}_se")[0]
            _assert_close(se, expected.get(f"{name}_se"), **tolerance)
            plugin = ESTIMATORS[f"plugin_{name}"](suite.trials, suite.passes, k)
            assert plugin.mean() == pytest.approx(expected[f"plugin_{name}"], **tolerance)
        assert curve.n_tasks == expected["n_tasks"]
        assert curve.n_eligible == eligible.n_eligible == (expected["n_eligible"],)
        assert curve.min_trials == expected["min_trials"]


def test_curves_meet_the_vectors(vectors: Vectors) -> None:
    for entry in _cases(vectors, "curve"):
        curve = pass_curve(_suite(entry["case"]["tasks"]))
        assert list(curve.k) == entry["expected"]["k"]
        for name in ("pass_at_k", "pass_hat_k"):
            for got, expected in zip(getattr(curve, name), entry["expected"][name], strict=True):
                _assert_close(got, expected, **entry["tolerance"])


def test_bias_of_the_plugin_versions_meets_the_vectors(vectors: Vectors) -> None:
    for entry in _cases(vectors, "plugin_bias"):
        n, k, p = entry["case"]["n"], entry["case"]["k"], float(entry["case"]["p"])
        passes = np.arange(n + 1)
        weights = np.array([math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in passes])
        for name in ("pass_at_k", "pass_hat_k"):
            mean = weights @ ESTIMATORS[f"plugin_{name}"](n, passes, k)
            true = entry["expected"][f"true_{name}"]
            assert mean == pytest.approx(
                entry["expected"][f"expected_plugin_{name}"], **entry["tolerance"]
            )
            assert mean - true == pytest.approx(
                entry["expected"][f"bias_{name}"], **entry["tolerance"]
            )
            if k <= n:
                unbiased = weights @ ESTIMATORS[name](n, passes, k)
                assert unbiased == pytest.approx(true, **entry["tolerance"])


def test_known_rates_meet_the_vectors(vectors: Vectors) -> None:
    for entry in _cases(vectors, "known_rates"):
        rates = [Fraction(rate) for rate in entry["case"]["rates"]]
        n = [rate.denominator for rate in rates]
        c = [rate.numerator for rate in rates]
        for name in ("pass_at_k", "pass_hat_k"):
            values = ESTIMATORS[f"plugin_{name}"](n, c, entry["case"]["k"])
            assert values.mean() == pytest.approx(entry["expected"][name], **entry["tolerance"])


# Worked examples


def test_three_passes_in_ten() -> None:
    assert pass_at_k(10, 3, 5) == 11 / 12
    assert f"{pass_at_k(10, 3, 5):.1%}" == "91.7%"
    assert f"{plugin_pass_at_k(10, 3, 5):.1%}" == "83.2%"


def test_three_passes_in_five() -> None:
    assert pass_hat_k(5, 3, 2) == 0.3


def test_half_of_the_tasks_certain_and_half_coin_flips() -> None:
    assert plugin_pass_at_k([1, 2], [1, 1], 3).mean() == 0.9375
    assert plugin_pass_hat_k([1, 2], [1, 1], 3).mean() == 0.5625


# Exact values


@given(st.data())
def test_values_agree_with_fractions(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 60))
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    hat = Fraction(math.comb(c, k), math.comb(n, k))
    at = 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    assert pass_hat_k(n, c, k) == float(hat)
    assert pass_at_k(n, c, k) == float(at)
    assert math.exp(log_pass_hat_k(n, c, k)) == pytest.approx(float(hat), rel=1e-13, abs=0)
    assert math.exp(log_pass_at_k(n, c, k)) == pytest.approx(float(at), rel=1e-13, abs=0)
    curve = pass_curve(be.Rollouts.from_counts([c], [n]), k=k)
    assert curve.pass_at_k[0] == pytest.approx(float(at), rel=1e-14, abs=0)
    assert curve.pass_hat_k[0] == pytest.approx(float(hat), rel=1e-14, abs=0)


@pytest.mark.parametrize("n", [129, 1_000, 10_000])
def test_large_tasks_keep_twelve_digits(n: int, rng: np.random.Generator) -> None:
    compared = 0
    for _ in range(60):
        c, k = int(rng.integers(1, n + 1)), int(rng.integers(1, rng.choice([300, n]) + 1))
        k = min(k, n)
        hat = Fraction(math.comb(c, k), math.comb(n, k))
        for got, exact in (
            (pass_hat_k(n, c, k), hat),
            (math.exp(log_hat(n, c, k)), hat),
            (pass_at_k(n, n - c, k), 1 - hat),
            (-math.expm1(log_hat(n, c, k)), 1 - hat),
        ):
            expected = exact.numerator / exact.denominator
            if expected > 1e-300:
                compared += 1
                assert got == pytest.approx(expected, rel=1e-12, abs=0)
            else:
                assert got < 2e-300
    assert compared > 100


def test_the_smallest_values_keep_their_digits() -> None:
    assert pass_at_k(10_000, 1, 1) == 1e-4
    assert pass_at_k([10_000], [1], [1])[0] == 1e-4
    assert pass_curve(be.Rollouts.from_counts([1], [10_000]), k=1).pass_at_k == (1e-4,)
    assert plugin_pass_at_k(10**9, 1, 1) == pytest.approx(1e-9, rel=1e-15)


def test_certain_and_impossible_are_exact() -> None:
    assert pass_at_k(10, 3, 8) == 1.0
    assert pass_hat_k(10, 3, 4) == 0.0
    assert log_pass_hat_k(10, 3, 4) == -math.inf
    assert log_pass_at_k(10, 0, 4) == -math.inf
    assert log_pass_at_k(10, 10, 4) == log_pass_hat_k(10, 10, 4) == 0.0
    assert plugin_pass_at_k(10, 0, 4) == plugin_pass_hat_k(10, 0, 4) == 0.0
    assert plugin_pass_at_k(10, 10, 4) == plugin_pass_hat_k(10, 10, 4) == 1.0
    curve = pass_curve(be.Rollouts.from_counts([3] * 7, [10] * 7))
    assert curve.pass_at_k[7:] == (1.0, 1.0, 1.0)
    assert curve.pass_hat_k[3:] == (0.0,) * 7


# Laws

counts = st.lists(
    st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=20,
)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_pass_at_k_rises_and_pass_hat_k_falls(task: tuple[int, int]) -> None:
    n, c = task
    k = np.arange(1, n + 1)
    at, hat = pass_at_k(n, c, k), pass_hat_k(n, c, k)
    slack = 1e-13  # beyond 128 factors values are rounded, not exact
    assert (np.diff(at) >= -slack).all()
    assert (np.diff(hat) <= slack).all()
    assert at[0] == hat[0] == c / n
    assert ((at >= 0) & (at <= 1) & (hat >= 0) & (hat <= 1)).all()
    np.testing.assert_allclose(at, 1 - pass_hat_k(n, n - c, k), rtol=0, atol=1e-13)


@given(counts)
def test_curve_is_the_mean_of_the_tasks_in_any_order(tasks: list[tuple[int, int]]) -> None:
    passes, trials = np.array(tasks).T
    curve = pass_curve(be.Rollouts.from_counts(passes, trials), unequal="eligible")
    backwards = be.Rollouts.from_counts(passes[::-1], trials[::-1])
    assert pass_curve(backwards, unequal="eligible") == curve
    assert curve.k == tuple(range(1, trials.max() + 1))
    for k, at, hat, at_se, n in zip(
        curve.k, curve.pass_at_k, curve.pass_hat_k, curve.pass_at_k_se, curve.n_eligible,
        strict=True,
    ):  # fmt: skip
        enough = trials >= k
        values = pass_at_k(trials[enough], passes[enough], k)
        assert n == enough.sum()
        assert at == pytest.approx(values.mean(), rel=1e-13)
        assert hat == pytest.approx(
            pass_hat_k(trials[enough], passes[enough], k).mean(), rel=1e-13, abs=0
        )
        if n > 1:
            assert at_se == pytest.approx(values.std(ddof=1) / math.sqrt(n), abs=1e-14)
        else:
            assert isinstance(at_se, be.Unknown)


# Arrays


def test_arrays_broadcast_and_agree_with_scalars() -> None:
    n, c, k = np.array([[4], [6]]), np.array([0, 2, 4]), 3
    got = pass_at_k(n, c, k)
    assert got.shape == (2, 3)
    assert got.dtype == float
    assert got.tolist() == [[pass_at_k(i, j, k) for j in c] for i in (4, 6)]


def test_an_array_with_k_above_n_holds_unknown_and_refuses_arithmetic() -> None:
    got = pass_at_k([4, 2, 2], [2, 1, 2], 3)
    assert got.dtype == object
    assert got[0] == 1.0
    assert got[1] == be.Unknown("k = 3 exceeds the 2 scored rollouts of the task")
    assert got[2] == got[1]
    with pytest.raises(be.UnknownValueError, match="k = 3 exceeds the 2 scored rollouts"):
        got.mean()
    with pytest.raises(be.UnknownValueError, match="k = 3 exceeds"):
        got + 1
    with pytest.raises(be.UnknownValueError, match="k = 3 exceeds"):
        got.astype(float)


def test_an_empty_array_gives_an_empty_array() -> None:
    assert pass_at_k([], [], 2).shape == (0,)


def test_distinct_rows_are_the_same_where_their_numbers_are_too_large_for_one_key() -> None:
    n, c, k = np.array([5, 3, 5, 3, 4]), np.array([1, 3, 1, 2, 0]), np.array([2, 1, 2, 1, 4])
    rows, position = _distinct(n, c, k)
    assert rows[position].tolist() == np.column_stack([n, c, k]).tolist()
    assert len(rows) == 4
    huge, again = _distinct(n * 2**40, c * 2**40, k)
    assert huge[again].tolist() == np.column_stack([n * 2**40, c * 2**40, k]).tolist()
    assert len(huge) == 4


# UNKNOWN, and its reason


def test_k_above_n_is_unknown() -> None:
    for estimator in (pass_at_k, pass_hat_k, log_pass_at_k, log_pass_hat_k):
        assert estimator(5, 3, 6) == be.Unknown("k = 6 exceeds the 5 scored rollouts of the task")
    assert pass_at_k(1, 1, 2) == be.Unknown("k = 2 exceeds the 1 scored rollout of the task")
    assert isinstance(pass_at_k(0, 0, 1), be.Unknown)
    for plugin in (plugin_pass_at_k, plugin_pass_hat_k):
        assert plugin(0, 0, 1) == be.Unknown("the task has no scored rollout")


def test_a_suite_with_a_short_task_is_unknown_and_says_which_number_is_short() -> None:
    suite = be.Rollouts.from_counts([3, 7, 3, 0], [5, 10, 3, 3])
    assert suite_pass_at_k(suite, 4) == be.Unknown(
        "k = 4, but 2 of 4 tasks have fewer scored rollouts (the fewest: 3)"
    )
    assert suite_pass_hat_k(suite, 11, unequal="eligible") == be.Unknown(
        "k = 11 exceeds the scored rollouts of every task (the most: 10)"
    )


def test_eligible_is_named_as_another_estimand() -> None:
    suite = be.Rollouts.from_counts([3, 7, 3], [5, 10, 3])
    whole, part = pass_curve(suite), pass_curve(suite, unequal="eligible")
    assert whole.estimand != part.estimand
    assert "at least k" in part.estimand
    assert part.n_eligible == (3, 3, 3, 2, 2, 1, 1, 1, 1, 1)
    assert "at least k" in repr(part)


def test_tasks_without_a_scored_rollout_are_left_out_and_counted() -> None:
    suite = be.Rollouts.from_counts([4, 0, 2, 0], [4, 0, 4, 0])
    curve = pass_curve(suite)
    assert (curve.n_tasks, curve.n_unscored, curve.min_trials) == (2, 2, 4)
    assert curve.pass_hat_k[0] == 0.75
    nothing = pass_curve(be.Rollouts.from_counts([0, 0], [0, 0]))
    assert nothing.k == (1,)
    assert nothing.pass_at_k == (be.Unknown("no task has a scored rollout"),)
    assert nothing.n_unscored == 2


def test_one_task_has_a_value_and_no_standard_error() -> None:
    curve = pass_curve(be.Rollouts.from_counts([2], [4]))
    assert curve.pass_at_k[0] == 0.5
    assert curve.pass_at_k_se[0] == be.Unknown("one task has no standard error")


# Wrong input


@pytest.mark.parametrize("estimator", [*ESTIMATORS.values(), log_pass_at_k, log_pass_hat_k])
@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        (5, 3, 0, "k must be at least 1; got 0"),
        (5, 3, -2, "k must be at least 1; got -2"),
        (5, 3, 1.5, "k must be a whole number; got 1.5"),
        (5, 6, 2, "c must not exceed n; got c = 6, n = 5"),
        (5, -1, 2, "c must be at least 0; got -1"),
        (-5, -6, 2, "n must be at least 0; got -5"),
        (5, float("nan"), 2, "c must be a finite number; got nan"),
        (5, True, 2, "c must be a whole number; got True"),
        ("five", 3, 2, "n must be a number; got 'five'"),
        ([5, 5], [3, 6], 2, "c must not exceed n; got c = 6, n = 5 at position 1"),
        ([5, 5], [3, -1], 2, "c must not be negative; got -1 at position 1"),
        ([5, 5], [3, 2.5], 2, "c must hold whole numbers; got 2.5 at position 1"),
        ([5, 5], 3, [1, 0], "k must be at least 1; got 0"),
        ([5, 5], [3, 3, 3], 2, "n, c and k must broadcast together"),
        ([5, [5, 6]], 3, 2, "n must be an array of whole numbers"),
    ],
)
def test_wrong_counts_are_refused(estimator: Any, n: Any, c: Any, k: Any, message: str) -> None:
    with pytest.raises(be.InputError) as raised:
        estimator(n, c, k)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 1; got 0"),
        ({"k": [1, 2.5]}, "k must be a whole number; got 2.5"),
        ({"k": []}, "k must hold at least one whole number"),
        ({"unequal": "skip"}, "unequal must be one of 'unknown', 'eligible'; got 'skip'"),
    ],
)
def test_wrong_options_of_a_curve_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError) as raised:
        pass_curve(be.Rollouts.from_counts([2], [4]), **options)
    assert message in str(raised.value)


def test_what_is_not_rollouts_is_refused() -> None:
    with pytest.raises(be.InputError, match=r"rollouts must be a Rollouts.*got list"):
        pass_curve([[4, 2]])  # type: ignore[arg-type]


# -- what mutation testing found untested ----------------------------------------------


def test_logarithms_near_zero_keep_their_digits() -> None:
    assert log_pass_hat_k(10**12, 10**12 - 1, 1) == pytest.approx(-1e-12, rel=1e-11, abs=0)
    assert log_pass_hat_k(10**14, 10**14 - 1, 3) == pytest.approx(-3e-14, rel=1e-11, abs=0)


def test_distinct_rows_whose_key_does_not_fit_an_integer() -> None:
    n, c, k = np.array([10**15, 10**15 - 1, 10**15]), np.array([0, 0, 0]), np.array([10**15, 5, 7])
    rows, position = _distinct(n, c, k)
    assert np.array_equal(rows[position], np.column_stack([n, c, k]))


@pytest.mark.parametrize("k", [0, (1, 0), [0]])
def test_a_curve_begins_at_one_attempt(k: Any) -> None:
    with pytest.raises(be.InputError, match="k must be at least 1; got 0"):
        pass_curve(be.Rollouts.from_counts([1], [4]), k=k)
