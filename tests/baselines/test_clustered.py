"""Clustered standard errors: reference vectors, a direct computation, and edges."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.baselines import ClusterSummary, kish_n_eff

Vectors = Callable[[str], list[dict[str, Any]]]

suites = st.lists(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=25,
)


def _summary(tasks: list[tuple[int, int]]) -> ClusterSummary:
    passes, trials = np.array(tasks).T
    return be.clustered_se(be.Rollouts.from_counts(passes, trials))


def test_clusters_meet_the_vectors(vectors: Vectors) -> None:
    cases = [entry for entry in vectors("weights") if entry["case"]["kind"] == "cluster"]
    assert cases
    for entry in cases:
        got = _summary([(passes, trials) for trials, passes in entry["case"]["tasks"]])
        for name, expected in entry["expected"].items():
            if name.endswith("_exact"):
                continue
            value = getattr(got, name)
            if expected is None:
                assert isinstance(value, be.Unknown), name
            else:
                assert value == pytest.approx(expected, **entry["tolerance"]), name


def test_kish_meets_the_vectors(vectors: Vectors) -> None:
    cases = [entry for entry in vectors("weights") if entry["case"]["kind"] == "kish"]
    assert cases
    for entry in cases:
        got = kish_n_eff(entry["case"]["weights"])
        assert got == pytest.approx(entry["expected"]["n_eff"], rel=entry["tolerance"]["rel"])


def test_fifty_tasks_of_four_are_worth_fifty_five_rollouts() -> None:
    got = _summary([(4, 4)] * 30 + [(0, 4)] * 15 + [(2, 4)] * 5)
    assert round(got.ess_cr1, 2) == 55.05
    assert round(got.ess_icc_clipped, 2) == 56.05
    assert repr(got) == (
        "ClusterSummary(rate=0.65, se_cluster_cr1=0.06429, ess_cr1=55.05, icc_anova=0.8561, "
        "n_tasks=50, n_rollouts=200)"
    )


@given(suites)
def test_agrees_with_the_sums_over_single_rollouts(tasks: list[tuple[int, int]]) -> None:
    got = _summary(tasks)
    outcomes = [np.repeat([1.0, 0.0], [c, n - c]) for c, n in tasks]
    together = np.concatenate(outcomes)
    rate, total = together.mean(), len(together)
    residuals = [y - rate for y in outcomes]
    cross = sum(
        r[i] * r[j] for r in residuals for i in range(len(r)) for j in range(len(r)) if i != j
    )
    naive = ((together - rate) ** 2).sum() / (total - 1) / total
    between = sum(len(y) * (y.mean() - rate) ** 2 for y in outcomes) / (len(tasks) - 1)
    assert got.rate == pytest.approx(rate, rel=1e-13)
    assert got.se_naive_clt**2 == pytest.approx(naive, rel=1e-12, abs=1e-17)
    assert got.se_clustered_miller**2 == pytest.approx(naive + cross / total**2, abs=1e-14)
    cr0 = sum(r.sum() ** 2 for r in residuals) / total**2
    assert got.se_cluster_cr1**2 == pytest.approx(cr0 * len(tasks) / (len(tasks) - 1), abs=1e-15)
    if not isinstance(got.msb, be.Unknown):
        within = sum(((y - y.mean()) ** 2).sum() for y in outcomes) / (total - len(tasks))
        assert got.msb == pytest.approx(between, rel=1e-12, abs=1e-14)
        assert got.msw == pytest.approx(within, rel=1e-12, abs=1e-14)


@given(suites)
def test_order_of_tasks_and_names_of_outcomes_do_not_matter(
    tasks: list[tuple[int, int]],
) -> None:
    got = _summary(tasks)
    assert _summary(tasks[::-1]) == got
    mirrored = _summary([(n - c, n) for c, n in tasks])
    for name in ("se_naive_clt", "se_clustered_miller", "se_cluster_cr1", "icc_anova", "ess_cr1"):
        one, other = getattr(got, name), getattr(mirrored, name)
        if isinstance(one, be.Unknown):
            assert other == one
        else:
            assert one == pytest.approx(other, rel=1e-9, abs=1e-14)


@given(suites, st.integers(2, 50))
def test_tiling_the_suite_shrinks_the_error_by_its_root(
    tasks: list[tuple[int, int]], times: int
) -> None:
    one, many = _summary(tasks), _summary(tasks * times)
    assert many.se_cluster_cr0 == pytest.approx(one.se_cluster_cr0 / math.sqrt(times), abs=1e-15)
    assert many.rate == one.rate
    if not isinstance(one.ess_cr0, be.Unknown):
        assert many.ess_cr0 == pytest.approx(times * one.ess_cr0, rel=1e-12)


def test_a_million_tasks_keep_their_digits() -> None:
    # Two kinds of tasks at nearly the same rate: the spread is small and known exactly.
    half, n = 500_000, 10_000
    got = _summary([(9_000, n)] * half + [(9_001, n)] * half)
    deviation = 0.5 / n
    assert got.se_cluster_cr0 == pytest.approx(deviation / math.sqrt(2 * half), rel=1e-12)
    assert got.se_task_means == pytest.approx(deviation / math.sqrt(2 * half - 1), rel=1e-9)


def test_counts_too_large_for_products_of_machine_integers() -> None:
    small = _summary([(3, 4), (1, 5), (2, 2)])
    large = _summary([(3 * 10**12, 4 * 10**12), (10**12, 5 * 10**12), (2 * 10**12, 2 * 10**12)])
    assert large.se_cluster_cr1 == pytest.approx(small.se_cluster_cr1, rel=1e-13)


# Edges


def test_undefined_quantities_say_why() -> None:
    one_task = _summary([(2, 4)])
    assert one_task.icc_anova == be.Unknown("it needs more than one task")
    assert one_task.ess_cr0 == be.Unknown("it needs more than one task")
    one_rollout = _summary([(1, 1)])
    assert one_rollout.se_clustered_miller == be.Unknown("it needs more than one rollout")
    single = _summary([(1, 1), (0, 1)])
    assert single.icc_anova_clipped == be.Unknown(
        "it needs a task with more than one scored rollout"
    )
    perfect = _summary([(4, 4), (4, 4)])
    assert perfect.icc_anova == be.Unknown("every rollout has the same outcome")
    assert "every task has the same rate" in perfect.ess_cr1.reason
    assert "UNKNOWN" in repr(perfect)
    with pytest.raises(be.UnknownValueError, match="every rollout has the same outcome"):
        perfect.icc_anova + 1


def test_equal_rates_from_unequal_trials_have_no_spread_at_all() -> None:
    got = _summary([(1, 3), (2, 6), (3, 9), (7, 21)])
    assert got.se_cluster_cr0 == got.se_task_means == 0.0
    assert isinstance(got.ess_cr1, be.Unknown)
    assert got.icc_anova < 0
    assert got.icc_anova_clipped == 0.0


def test_tasks_without_a_scored_rollout_are_left_out_and_counted() -> None:
    got = _summary([(4, 4), (0, 0), (2, 4)])
    assert (got.n_tasks, got.n_rollouts, got.n_unscored) == (2, 8, 1)
    assert got.se_cluster_cr1 == _summary([(4, 4), (2, 4)]).se_cluster_cr1
    nothing = _summary([(0, 0)])
    assert nothing.n_unscored == 1
    for name in ("rate", "task_mean", "se_cluster_cr1", "ess_cr1", "ess_icc_clipped"):
        assert getattr(nothing, name) == be.Unknown("no task has a scored rollout")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([], "at least one number above 0"),
        ([0.0, 0.0], "at least one number above 0"),
        ([1.0, -1.0], "finite and at least 0; got -1.0 at position 1"),
        ([1.0, float("nan")], "finite and at least 0; got nan at position 1"),
        ([[1.0]], "one-dimensional; got shape (1, 1)"),
        (["heavy"], "weights must be numbers"),
    ],
)
def test_wrong_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(be.InputError) as raised:
        kish_n_eff(weights)
    assert message in str(raised.value)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30), st.floats(1e-200, 1e200))
def test_kish_lies_between_one_and_the_items_whatever_the_scale(
    weights: list[float], scale: float
) -> None:
    got = kish_n_eff(weights)
    assert 1 - 1e-12 <= got <= len(weights) + 1e-12
    assert kish_n_eff([scale * weight for weight in weights]) == pytest.approx(got, rel=1e-12)
