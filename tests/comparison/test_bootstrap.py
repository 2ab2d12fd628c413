"""The whole-task paired bootstrap."""

import numpy as np
import pytest
from scipy import stats

import bayeseval as be
from bayeseval.comparison._bootstrap import paired_bootstrap
from bayeseval.comparison._join import Joined, join

R = be.Rollouts.from_counts


def pair(old: be.Rollouts, new: be.Rollouts) -> Joined:
    return join({"old": old, "new": new}, "drop")


def test_interval_is_that_of_a_loop_over_tasks() -> None:
    rng = np.random.default_rng(2)
    old, new = R(rng.binomial(4, 0.5, 60), 4), R(rng.binomial(4, 0.6, 60), 4)
    found = paired_bootstrap(pair(old, new), n_resamples=20_000, rng=1)
    change = (new.passes - old.passes) / 4
    assert found.estimate == pytest.approx(change.mean())
    means = change[rng.integers(0, 60, (20_000, 60))].mean(axis=1)
    # A quantile of 20,000 resamples is known to sqrt(q (1 - q) / 20,000) / density.
    sd = means.std()
    error = np.sqrt(0.025 * 0.975 / 20_000) / (stats.norm.pdf(1.96) / sd)
    assert not isinstance(found.interval, be.Unknown)
    for mine, level in ((found.interval.lower, 0.025), (found.interval.upper, 0.975)):
        # Both are random, and both lie on a lattice of steps of 1 / 240.
        assert abs(mine - np.quantile(means, level)) < 4 * np.sqrt(2) * error + 1 / 240


def test_unbiased_pass_hat_k() -> None:
    old, new = R([4, 2, 0, 3], 4), R([4, 4, 1, 3], 4)
    found = paired_bootstrap(pair(old, new), kind="pass_hat_k", k=2)
    expected = np.mean(be.pass_hat_k(4, new.passes, 2)) - np.mean(be.pass_hat_k(4, old.passes, 2))
    assert found.estimate == pytest.approx(expected)
    few = paired_bootstrap(pair(old, R([1, 0, 2, 2], 2)), kind="pass_hat_k", k=3)
    assert repr(few.interval) == "UNKNOWN (k = 3 exceeds the 2 scored rollouts of a task)"


def test_no_spread_is_no_certainty() -> None:
    same = R([1] * 20, 1)
    found = paired_bootstrap(pair(same, same))
    assert found.fallback
    assert not isinstance(found.interval, be.Unknown)
    assert found.interval.upper == pytest.approx(be.interval(0, 20).upper)
    assert found.interval.lower == -found.interval.upper


def test_wrong_options() -> None:
    joined = pair(R([1, 0], 1), R([1, 1], 1))
    with pytest.raises(be.InputError, match="ci_prob"):
        paired_bootstrap(joined, ci_prob=1.5)
    with pytest.raises(be.InputError, match="n_resamples must be at least 2"):
        paired_bootstrap(joined, n_resamples=1)
