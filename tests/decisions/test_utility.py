"""Expected losses: the closed formulas, predicted futures, laws, wrong input."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be

COSTS = be.Utility(false_release=100, delay=10, rollout=0.01)
counts = st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("sign", [">", "<"])
def test_value_of_further_tasks_is_the_sum_over_their_results(sign: str) -> None:
    passes, tasks, more, bar = 44, 50, 30, 0.85
    found = be.expected_loss(
        f"pass_rate {sign} {bar}", (passes, tasks), utility=COSTS, more_tasks=[more]
    )
    s = np.arange(more + 1)
    mass = stats.betabinom.pmf(s, more, 1 + passes, 1 + tasks - passes)
    above = stats.beta.sf(bar, 1 + passes + s, 1 + tasks - passes + more - s)
    holds = above if sign == ">" else 1 - above
    after = np.sum(mass * np.minimum(100 * (1 - holds), 10 * holds))
    now = stats.beta.sf(bar, 1 + passes, 1 + tasks - passes)
    now = now if sign == ">" else 1 - now
    assert found.ship == pytest.approx(100 * (1 - now))
    assert found.hold == pytest.approx(10 * now)
    assert found.perfect == pytest.approx(min(found.ship, found.hold))
    (option,) = found.measure
    assert option.value == pytest.approx(found.perfect - after, rel=1e-9)
    assert option.cost == pytest.approx(0.3)
    assert option.loss == pytest.approx(after + 0.3, rel=1e-9)
    assert option.mcse == 0


@given(counts, st.sampled_from([0.3, 0.8, 0.95]), st.floats(1, 1000), st.floats(1, 1000))
def test_laws(result: tuple[int, int], bar: float, false_release: float, delay: float) -> None:
    utility = be.Utility(false_release=false_release, delay=delay)
    found = be.expected_loss(
        f"pass_rate > {bar}", result, utility=utility, more_tasks=[1, 5, 25, 125]
    )
    values = [each.value for each in found.measure]
    # Data are never worth less than nothing, more data never less, and truth is worth most.
    assert all(0 <= value <= found.perfect * (1 + 1e-9) + 1e-12 for value in values)
    assert np.all(np.diff(values) >= -1e-9 * found.perfect - 1e-12)
    assert (found.ship <= found.hold) == (found.prob >= utility.confidence) or (
        found.prob == pytest.approx(utility.confidence)
    )
    assert found.loss <= min(found.ship, found.hold)


def test_dear_rollouts_are_not_worth_running() -> None:
    dear = be.Utility(false_release=100, delay=10, rollout=50)
    found = be.expected_loss("pass_rate > 0.9", (95, 100), utility=dear)
    assert found.best == "ship"
    assert isinstance(found.best_tasks, be.Unknown)
    assert found.loss == found.ship
    waiting = be.Utility(false_release=100, delay=10, wait=4, task=0.001)
    cheap = be.expected_loss("pass_rate > 0.9", (95, 100), utility=waiting)
    assert cheap.measure[0].cost == pytest.approx(4.01)


def test_reweighted_draws_agree_with_the_exact_sum() -> None:
    suite = be.Rollouts.from_counts([1] * 88 + [0] * 12, 1)
    exact = be.expected_loss("pass_rate > 0.85", (88, 100), utility=COSTS, more_tasks=[20, 100])
    fit = be.fit(suite, engine="exact")
    # Two rollouts of each further task are worth at least as much as one.
    two = be.expected_loss(
        "pass_rate > 0.85", suite, utility=COSTS, more_tasks=[20, 100], rollouts=2, rng=1
    )
    assert (
        two.measure
        == be.expected_loss(
            "pass_rate > 0.85", fit, utility=COSTS, more_tasks=[20, 100], rollouts=2, rng=1
        ).measure
    )
    assert two.ship == pytest.approx(exact.ship)
    for one, other in zip(exact.measure, two.measure, strict=True):
        assert other.value > one.value - 4 * other.mcse - 0.02 * exact.perfect
        assert other.value < exact.perfect


def test_clustered_value_is_that_of_refitted_futures() -> None:
    passes = [3] * 30 + [2] * 6 + [1] * 2 + [0] * 4
    fit = be.fit(be.Rollouts.from_counts(passes, 3), engine="exact")
    claim, more, runs = "pass^2 > 0.75", 40, 40
    found = be.expected_loss(claim, fit, utility=COSTS, more_tasks=[more], rng=3)
    now = fit.pass_hat_k(2).prob_above(0.75)
    assert found.hold == pytest.approx(10 * now, rel=1e-6)
    rng = np.random.default_rng(11)
    at = rng.integers(fit.draws.mean.size, size=runs)
    mean, icc = fit.draws.mean.ravel()[at], fit.draws.icc.ravel()[at]
    kappa = (1 - icc) / icc
    gains = []
    for m, k in zip(mean, kappa, strict=True):
        new = rng.binomial(3, rng.beta(m * k, (1 - m) * k, more))
        suite = be.Rollouts.from_counts([*passes, *new], 3)
        holds = float(be.fit(suite, engine="exact").pass_hat_k(2).prob_above(0.75))
        ship, hold = 100 * (1 - holds), 10 * holds
        gains.append(max(ship - hold if found.ship <= found.hold else hold - ship, 0.0))
    error = np.hypot(np.std(gains) / np.sqrt(runs), found.measure[0].mcse)
    assert abs(np.mean(gains) - found.measure[0].value) < 4 * error
    assert found.measure[0].mcse < 0.1 * found.measure[0].value


def test_a_posterior_brings_its_prior() -> None:
    posterior = be.beta_posterior(45, 50, prior=(8, 2))
    found = be.expected_loss("pass_rate > 0.8", posterior, utility=COSTS)
    assert found.prob == pytest.approx(posterior.prob_above(0.8))
    assert be.expected_loss("pass_rate > 0.8", (45, 50), utility=COSTS, prior=(8, 2)) == found
    assert "SHIP" in str(found) or "MEASURE" in str(found)
    assert found.to_dict()["measure"][0]["tasks"] == 10


def test_nothing_to_measure() -> None:
    found = be.expected_loss("pass_rate > 0.8", (45, 50), utility=COSTS, more_tasks=[])
    assert found.measure == ()
    assert found.best in ("ship", "hold")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"false_release": 0}, "false_release must be above 0"),
        ({"delay": -1}, "delay must be above 0"),
        ({"rollout": -0.1}, "rollout must be at least 0"),
        ({"wait": float("nan")}, "wait must be a finite number"),
    ],
)
def test_wrong_costs(options: dict[str, float], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.Utility(**{"false_release": 1, "delay": 1} | options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"utility": {"false_release": 1}}, "utility must be a Utility"),
        ({"more_tasks": [0]}, "more_tasks must be at least 1"),
        ({"rollouts": 0}, "rollouts must be at least 1"),
        ({"simulations": 5}, "simulations must be at least 100"),
        ({"claim": "pass_rate > 0.5 for suite"}, "new_tasks"),
        ({"results": (5, 4)}, "passes must not exceed tasks"),
        ({"results": "many"}, "must be a Rollouts, a Fit or a pair"),
    ],
)
def test_wrong_input(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"claim": "pass_rate > 0.5", "results": (3, 4), "utility": COSTS}
    given |= options
    with pytest.raises(be.InputError, match=message):
        be.expected_loss(given.pop("claim"), given.pop("results"), **given)
