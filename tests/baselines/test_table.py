"""The side-by-side display of baselines."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.baselines import baseline_table


def test_several_rollouts_per_task() -> None:
    suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, [4] * 50)
    bootstrap, clustered, pooled = baseline_table(suite, rng=1)
    assert tuple(bootstrap.interval) == pytest.approx((0.52, 0.77), abs=0.011)
    assert tuple(clustered.interval) == pytest.approx((0.524, 0.776), abs=5e-4)
    assert tuple(round(limit, 2) for limit in pooled.interval) == (0.58, 0.71)
    assert bootstrap.estimate == clustered.estimate == pooled.estimate == 0.65
    assert (bootstrap.sound, clustered.sound, pooled.sound) == (True, True, False)
    assert "do not use" in pooled.advice


def test_one_rollout_per_task() -> None:
    passes = np.repeat([1, 0], [80, 20])
    rows = baseline_table(be.Rollouts.from_counts(passes, np.ones(100, int)), rng=1)
    assert rows[0].name == "Wilson on tasks"
    assert rows[0].interval == be.interval(80, 100)
    kinds = [row.interval.kind for row in rows]
    assert kinds == [
        "wilson",
        "jeffreys",
        "agresti_coull",
        "clopper_pearson",
        "wald",
        "bootstrap",
        "cluster_normal",
    ]
    assert [row.interval.kind for row in rows if not row.sound] == ["wald"]


def test_unequal_rollouts_show_that_the_two_rates_differ() -> None:
    suite = be.Rollouts.from_counts([1, 0, 8], [1, 2, 8])
    bootstrap, clustered, pooled = baseline_table(suite, rng=1)
    assert bootstrap.estimate == pytest.approx(2 / 3)
    assert clustered.estimate == pooled.estimate == pytest.approx(9 / 11)
    assert clustered.interval.upper == 1.0


def test_a_perfect_score_has_no_interval_without_width() -> None:
    bootstrap, clustered, _ = baseline_table(be.Rollouts.from_counts([4] * 20, [4] * 20))
    assert bootstrap.interval == be.interval(20, 20)
    assert "Wilson" in bootstrap.advice
    assert clustered.interval == be.Unknown(
        "every task has the same rate, so the standard error is 0"
    )


def test_one_task_and_no_task() -> None:
    one = baseline_table(be.Rollouts.from_counts([3], [4]))
    assert one[1].interval == be.Unknown("one task shows no spread")
    none = {row.name: row for row in baseline_table(be.Rollouts.from_counts([0], [0]))}
    assert tuple(none["Wilson on tasks"].interval) == (0.0, 1.0)
    assert none["Wilson on tasks"].estimate == be.Unknown("no task has a scored rollout")
    for name in ("Wald on tasks", "Whole-task bootstrap", "Clustered standard error (CR1)"):
        assert isinstance(none[name].interval, be.Unknown)


def test_level_and_seed_are_passed_on() -> None:
    suite = be.Rollouts.from_counts([4, 2, 0, 1], [4, 4, 4, 4])
    rows = baseline_table(suite, ci_prob=0.8, n_resamples=500, rng=3)
    assert rows == baseline_table(suite, ci_prob=0.8, n_resamples=500, rng=3)
    assert {row.interval.ci_prob for row in rows} == {0.8}
    with pytest.raises(be.InputError, match="ci_prob"):
        baseline_table(suite, ci_prob=80)
