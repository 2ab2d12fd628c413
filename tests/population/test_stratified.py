"""Weighted estimates without a model: reference vectors, laws, refusals."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.baselines import kish_n_eff

Vectors = Callable[[str], list[dict[str, Any]]]
strata = st.lists(
    st.tuples(st.integers(1, 30), st.integers(1, 40)).flatmap(
        lambda pair: st.tuples(st.just(pair[0]), st.integers(0, pair[1]), st.just(pair[1]))
    ),
    min_size=1,
    max_size=5,
)


def suite(parts: list[tuple[int, int]]) -> be.Rollouts:
    """One rollout per task: (passes, tasks) of each stratum."""
    passes = np.concatenate([np.repeat([1, 0], [s, n - s]) for s, n in parts])
    labels = np.repeat([f"s{at}" for at in range(len(parts))], [n for _, n in parts])
    return be.Rollouts.from_counts(passes, 1, factors={"stratum": labels.tolist()})


def estimate(parts: list[tuple[int, int, int]]) -> Any:
    """Of (raw weight, passes, tasks) of each stratum."""
    total = sum(w for w, _, _ in parts)
    weights = {f"s{at}": w / total for at, (w, _, _) in enumerate(parts)}
    return be.stratified_rate(suite([(s, n) for _, s, n in parts]), by="stratum", weights=weights)


def test_stratified_vectors(vectors: Vectors) -> None:
    cases = [each for each in vectors("weights") if each["case"]["kind"] == "stratified"]
    assert cases
    for entry in cases:
        rows = entry["case"]["strata"]
        total = sum(row["weight"] for row in rows)
        found = be.stratified_rate(
            suite([(row["s"], row["n"]) for row in rows]),
            by="stratum",
            weights={f"s{at}": row["weight"] / total for at, row in enumerate(rows)},
        )
        expected, within = entry["expected"], entry["tolerance"]
        assert found.estimate == pytest.approx(expected["estimate"], **within)
        assert found.se == pytest.approx(expected["se"], **within)
        assert found.unweighted == pytest.approx(expected["unweighted_estimate"], **within)
        assert found.item_weight == pytest.approx(expected["item_weights"], **within)
        assert found.n_eff == pytest.approx(expected["kish_n_eff"], rel=1e-12)
        if expected["se"] == 0:
            assert found.variance_share is None
            assert isinstance(found.interval, be.Unknown)
            assert found.to_pandas()["variance_share"].isna().all()
        else:
            assert found.variance_share == pytest.approx(expected["variance_shares"], **within)


def test_kish_vectors(vectors: Vectors) -> None:
    cases = [each for each in vectors("weights") if each["case"]["kind"] == "kish"]
    assert cases
    for entry in cases:
        found = kish_n_eff(entry["case"]["weights"])
        assert found == pytest.approx(entry["expected"]["n_eff"], **entry["tolerance"])


def test_weighted_mean_vectors(vectors: Vectors) -> None:
    cases = [each for each in vectors("weights") if each["case"]["kind"] == "weighted_mean"]
    assert cases
    for entry in cases:
        weights, passes = zip(*entry["case"]["items"], strict=True)
        found = be.weighted_rate(be.Rollouts.from_counts(passes, 1), weights)
        expected, within = entry["expected"], entry["tolerance"]
        assert found.estimate == pytest.approx(expected["estimate"], **within)
        assert found.se == pytest.approx(expected["se_linearized"], **within)
        assert found.n_eff == pytest.approx(expected["kish_n_eff"], **within)


def test_the_worked_example() -> None:
    found = estimate([(2, 120, 200), (8, 95, 100)])
    assert round(100 * found.estimate, 1) == 88.0
    assert round(100 * found.se, 2) == 1.88
    assert round(found.n_eff) == 152
    assert round(100 * found.variance_share[1]) == 86
    assert round(100 * found.unweighted, 1) == 71.7
    assert isinstance(found.interval, be.Interval)
    assert found.interval.lower == pytest.approx(0.88 - 1.959964 * found.se, abs=1e-6)
    assert repr(found) == (
        "StratifiedEstimate(88.0 %, se 1.88 points, n_eff 152 of 300 tasks; unweighted 71.7 %)"
    )
    assert "86" in found._repr_html_()


# -- laws ---------------------------------------------------------------------------------


@given(strata)
def test_weights_of_the_suite_change_nothing(parts: list[tuple[int, int, int]]) -> None:
    found = estimate([(n, s, n) for _, s, n in parts])
    assert found.estimate == pytest.approx(found.unweighted, abs=1e-12)
    assert found.n_eff == pytest.approx(sum(n for _, _, n in parts))
    assert found.item_weight == pytest.approx([1.0] * len(parts))


@given(strata)
def test_two_equal_halves_are_the_whole(parts: list[tuple[int, int, int]]) -> None:
    doubled = [(2 * w, 2 * s, 2 * n) for w, s, n in parts]
    (w, s, n), *rest = parts
    halves = [(w, s, n), (w, s, n), *((2 * w, 2 * s, 2 * n) for w, s, n in rest)]
    whole, split = estimate(doubled), estimate(halves)
    assert split.estimate == pytest.approx(whole.estimate, abs=1e-12)
    assert split.se == pytest.approx(whole.se, abs=1e-12)
    assert split.n_eff == pytest.approx(whole.n_eff)


@given(strata)
def test_order_of_slices_is_irrelevant(parts: list[tuple[int, int, int]]) -> None:
    one, other = estimate(parts), estimate(parts[::-1])
    assert other.estimate == pytest.approx(one.estimate, abs=1e-12)
    assert other.se == pytest.approx(one.se, abs=1e-12)
    assert other.rate == pytest.approx(one.rate[::-1])


@given(strata)
def test_it_is_the_weighted_mean_of_its_tasks(parts: list[tuple[int, int, int]]) -> None:
    found = estimate(parts)
    rollouts = suite([(s, n) for _, s, n in parts])
    weights = np.repeat(found.item_weight, found.n_tasks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.BayesevalWarning)
        items = be.weighted_rate(rollouts, weights)
    assert items.estimate == pytest.approx(found.estimate, abs=1e-12)
    assert items.n_eff == pytest.approx(found.n_eff)
    assert 0 <= found.estimate <= 1
    assert items.se >= found.se - 1e-12


def test_rollouts_of_a_task_count_as_one_task() -> None:
    rollouts = be.Rollouts.from_counts(
        [4, 2, 0, 1, 3], [4, 4, 2, 1, 4], factors={"s": ["a", "a", "a", "b", "b"]}
    )
    found = be.stratified_rate(rollouts, by="s", weights={"a": 0.5, "b": 0.5})
    assert found.rate == pytest.approx([0.5, 0.875])
    variance = 0.25 * np.var([1, 0.5, 0]) / 3 + 0.25 * np.var([1, 0.75]) / 2
    assert found.se == pytest.approx(float(variance**0.5))


def test_a_slice_of_weight_0_is_left_out() -> None:
    found = estimate([(0, 1, 10), (1, 5, 10)])
    assert found.estimate == 0.5
    assert found.variance_share.tolist() == [0.0, 1.0]
    assert found.n_eff == pytest.approx(10)


def test_what_was_lost_is_told() -> None:
    rollouts = be.Rollouts.from_counts(
        [1, 0, 1, 0], [1, 1, 1, 0], errored=[0, 0, 0, 1], factors={"s": list("aabb")}
    )
    found = be.stratified_rate(rollouts, by="s", weights={"a": 0.5, "b": 0.5})
    assert found.n_unscored == 1
    assert repr(found).endswith("unweighted 66.7 %; 1 without a scored rollout left out)")
    items = be.weighted_rate(rollouts, [1, 1, 1, 5])
    assert items.n_unscored == 1
    assert "1 without a scored rollout" in repr(items)
    assert items.estimate == pytest.approx(2 / 3)


# -- weights of single tasks ----------------------------------------------------------------


def test_weights_from_a_factor() -> None:
    rollouts = be.Rollouts.from_counts(
        [1, 0, 1], 1, factors={"w": [2, 1, 1], "s": ["a", None, "c"]}
    )
    assert be.weighted_rate(rollouts, "w").estimate == pytest.approx(0.75)
    with pytest.raises(be.InputError, match=r"factor 's' must hold a weight .*; got 'a'"):
        be.weighted_rate(rollouts, "s")
    with pytest.raises(be.InputError, match=r"no factor 'v'.*; its factors: 'w', 's'"):
        be.weighted_rate(rollouts, "v")


def test_few_tasks_that_carry_all_are_warned_of() -> None:
    rollouts = be.Rollouts.from_counts([1, 0] * 10, 1)
    with pytest.warns(be.BayesevalWarning, match=r"leave 1\.0 effective tasks of 20: few tasks"):
        be.weighted_rate(rollouts, [1000.0] + [0.1] * 19)


def test_the_level_is_named() -> None:
    found = be.weighted_rate(be.Rollouts.from_counts([1, 0, 1], 1), [1, 1, 1], ci_prob=0.8)
    assert "80 % interval" in repr(found)
    sure = be.weighted_rate(be.Rollouts.from_counts([1, 1], 1), [1, 2])
    assert "interval UNKNOWN" in repr(sure)
    assert sure.se == 0.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], r"one number for each of 3 tasks; got shape \(2,\)"),
        ([1, -1, 1], r"finite and not negative; got -1\.0 for task 1"),
        ([1, float("nan"), 1], "finite and not negative; got nan for task 1"),
        ([1, float("inf"), 1], "finite and not negative; got inf for task 1"),
        ([0, 0, 0], "weights are 0 for every scored task"),
        ([1, "x", 1], "weights must hold a number for each task"),
        (3.0, r"got shape \(\)"),
    ],
)
def test_wrong_item_weights(weights: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.weighted_rate(be.Rollouts.from_counts([1, 0, 1], 1), weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"s0": 0.5, "s1": 0.2, "s2": 0.3}, r"slice 's2' has weight 0\.3 but no task"),
        ({"s0": 1.0}, "slice 's1' has no weight"),
        ({"s0": 0.5, "s1": 0.6}, r"weights must sum to 1; got a sum of 1\.1"),
    ],
)
def test_wrong_weights(weights: dict[str, float], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.stratified_rate(suite([(1, 2), (1, 2)]), by="stratum", weights=weights)


def test_nothing_scored() -> None:
    rollouts = be.Rollouts.from_counts([0], [0], errored=[1], factors={"s": ["a"]})
    with pytest.raises(be.InputError, match="no task has a scored rollout"):
        be.weighted_rate(rollouts, [1.0])
    with pytest.raises(be.InputError, match="slice 'a' has no scored rollout"):
        be.stratified_rate(rollouts, by="s", weights={"a": 1})
