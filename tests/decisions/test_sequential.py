"""Looking again: exact crossing probabilities, guarantees measured by simulation, wrong input."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.decisions._boundary import ExactBoundary, SimulatedBoundary
from bayeseval.decisions._question import Judge

CLAIM = "pass_rate > 0.8"


def sequences(plan: be.Sequential, rate: float) -> tuple[float, float]:
    """Probabilities to release, and to contradict, over every sequence of batches."""
    m, tail = plan.tasks_per_look, 1 - plan.confidence
    released = contradicted = 0.0
    for passes in product(range(m + 1), repeat=plan.looks):
        mass = float(np.prod(stats.binom.pmf(passes, m, rate)))
        for look, s in enumerate(np.cumsum(passes), start=1):
            posterior = stats.beta(1 + s, 1 + look * m - s)
            if posterior.cdf(0.8) <= tail:
                released += mass
                break
            if posterior.sf(0.8) <= tail:
                contradicted += mass
                break
    return released, contradicted


@pytest.mark.parametrize("rate", [0.6, 0.8, 0.95])
def test_exact_endings_are_those_of_every_sequence(rate: float) -> None:
    plan = be.Sequential(CLAIM, looks=3, tasks_per_look=6, alpha=0.3)
    found = plan.at_rate(rate)
    released, contradicted = sequences(plan, rate)
    assert found.released == pytest.approx(released, abs=1e-9)
    assert found.contradicted == pytest.approx(contradicted, abs=1e-9)
    assert found.undecided == pytest.approx(1 - released - contradicted, abs=1e-9)
    assert 6 <= found.mean_tasks <= 18


def test_one_look_is_the_operating_characteristic() -> None:
    plan = be.Sequential("pass_rate > 0.9", looks=1, tasks_per_look=200)
    one = be.operating_characteristics("pass_rate > 0.9", tasks=200, sensitivity=False)
    assert plan.false_release_at(0.95) == pytest.approx(one.at_bar.supported, abs=1e-12)
    # Passes are whole: with one pass less the chance would exceed 5 %.
    assert plan.false_release == pytest.approx(one.at_bar.supported, abs=1e-12)


@given(
    st.sampled_from([0.3, 0.8, 0.95]),
    st.sampled_from([">", "<"]),
    st.integers(1, 12),
    st.integers(1, 30),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_alpha_is_kept_and_more_looks_need_a_higher_bar(
    bar: float, sign: str, looks: int, batch: int, alpha: float
) -> None:
    claim = f"pass_rate {sign} {bar}"
    plan = be.Sequential(claim, looks=looks, tasks_per_look=batch, alpha=alpha)
    longer = be.Sequential(claim, looks=looks + 1, tasks_per_look=batch, alpha=alpha)
    assert plan.false_release <= alpha
    assert plan.confidence <= longer.confidence + 1e-9
    assert plan.mcse == 0
    # Worse systems are released less often than one on the bar.
    worse = bar - 0.1 if sign == ">" else bar + 0.04
    assert plan.at_rate(worse).released <= plan.false_release + 1e-12


def test_a_fixed_bar_is_measured_to_release_more_often_than_once() -> None:
    looks, batch, runs = 30, 20, 20_000
    plan = be.Sequential("pass_rate > 0.9", looks=looks, tasks_per_look=batch)
    rng = np.random.default_rng(8)
    passes = rng.binomial(batch, 0.9, (runs, looks)).cumsum(axis=1)
    n = batch * np.arange(1, looks + 1)
    below = stats.beta.cdf(0.9, 1 + passes, 1 + n - passes)
    for level in (0.95, plan.confidence):
        share = float(np.mean((below <= 1 - level).any(axis=1)))
        stated = plan.false_release_at(level)
        assert abs(share - stated) < 4 * np.sqrt(stated * (1 - stated) / runs)
    assert plan.false_release_at(0.95) > 0.18


@pytest.mark.parametrize("same_tasks", [False, True])
def test_simulated_guarantee_is_measured_by_fresh_runs(same_tasks: bool) -> None:
    options: dict[str, Any] = {"looks": 3, "tasks_per_look": 12, "rollouts": 2, "icc": 0.3}
    plan = be.Sequential(CLAIM, alpha=0.1, same_tasks=same_tasks, simulations=800, rng=1, **options)
    assert plan.method == "simulated"
    assert plan.false_release <= 0.1
    fresh = SimulatedBoundary(plan._judge, 3, 12, 2, 0.3, same_tasks, 800, seed=77)
    share = fresh.false_release(1 - plan.confidence)
    # The bar and the measurement both come from 800 runs.
    assert abs(share - 0.1) < 4 * np.sqrt(2) * plan.mcse
    assert plan.at_rate(0.95).released > plan.at_rate(0.85).released


@pytest.mark.parametrize("claim", ["pass_rate > 0.9", "pass_rate < 0.3", "pass^2 > 0.5"])
def test_runs_that_are_not_integrated_could_not_have_stopped(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge.of(claim, 0.95, "posterior", None, False)
    boundary = SimulatedBoundary(judge, 3, 10, 3, 0.4, False, 150, 5)
    bar = judge.question.bar
    some = boundary.tails(bar, 0.4, (0.05, 0.95))
    release = boundary.tails(bar, 0.4, (0.05, 0.95), release_only=True)
    monkeypatch.setattr("bayeseval.decisions._boundary.SCREEN", 0.0)
    every = boundary.tails(bar, 0.4, (0.05, 0.95))
    left_out = (some == 0.5).all(axis=2)
    assert left_out.any()
    assert every[left_out].min() > 0.1
    assert np.array_equal(some[~left_out] < 0.05, every[~left_out] < 0.05)
    assert every[..., 1][(release == 0.5).all(axis=2)].min() > 0.1


def test_an_unknown_icc_means_the_worst_of_three() -> None:
    options: dict[str, Any] = {"looks": 2, "tasks_per_look": 8, "rollouts": 2, "rng": 1}
    options |= {"alpha": 0.05, "simulations": 300}
    worst = be.Sequential(CLAIM, **options)
    bars = [be.Sequential(CLAIM, icc=icc, **options).confidence for icc in (0.1, 0.4, 0.8)]
    assert worst.confidence == max(bars)
    assert worst.false_release <= 0.05


def test_single_rollouts_simulated_agree_with_the_exact_boundary() -> None:
    judge = Judge.of(CLAIM, 0.95, "posterior", None, False)
    exact = ExactBoundary(judge, 5, 20).false_release(0.05)
    simulated = SimulatedBoundary(judge, 5, 20, 1, 0.3, False, 1_500, 3).false_release(0.05)
    assert abs(simulated - exact) < 4 * np.sqrt(exact * (1 - exact) / 1_500)


def test_assess_says_stop_or_go_on() -> None:
    plan = be.Sequential("pass_rate > 0.9", looks=10, tasks_per_look=50)
    good, bad = plan.assess((50, 50)), plan.assess((30, 50))
    assert (good.outcome, bad.outcome) == ("released", "contradicted")
    assert good.stop
    assert isinstance(good.more_tasks, be.Unknown)
    middle = plan.assess((140, 150))
    assert middle.look == 3
    assert middle.outcome == "go on"
    assert middle.prob == pytest.approx(be.beta_posterior(140, 150).prob_above(0.9))
    assert middle.prob_released + middle.prob_contradicted + middle.prob_undecided == (
        pytest.approx(1)
    )
    assert int(middle.more_tasks) % 50 == 0
    between = plan.assess((175, 175))
    assert between.outcome == "go on"
    assert "next is at 200 tasks" in between.note
    # A look may be named, such as when some tasks have crashed.
    assert plan.assess((168, 168), look=4).outcome == "released"
    assert plan.assess((450, 500)).outcome == "undecided"
    assert plan.assess((0, 0)).look == 0


def test_predicted_endings_are_those_of_simulated_futures() -> None:
    plan = be.Sequential("pass_rate > 0.9", looks=8, tasks_per_look=25)
    now = plan.assess((70, 75))
    rng, runs = np.random.default_rng(2), 20_000
    rate = rng.beta(71, 6, runs)
    passes = 70 + rng.binomial(25, rate[:, None], (runs, 5)).cumsum(axis=1)
    n = 75 + 25 * np.arange(1, 6)
    tail = 1 - plan.confidence
    fine = stats.beta.cdf(0.9, 1 + passes, 1 + n - passes) <= tail
    against = stats.beta.sf(0.9, 1 + passes, 1 + n - passes) <= tail
    first = np.where((fine | against).any(axis=1), (fine | against).argmax(axis=1), -1)
    released = (first >= 0) & fine[np.arange(runs), first]
    # 32 quantiles stand for the posterior.
    assert released.mean() == pytest.approx(float(now.prob_released), abs=0.02)
    assert np.mean(first < 0) == pytest.approx(float(now.prob_undecided), abs=0.02)


def test_clustered_suites_are_assessed_by_their_fit(rng: np.random.Generator) -> None:
    plan = be.Sequential(
        "pass^2 > 0.6", looks=4, tasks_per_look=20, rollouts=3, icc=0.3, simulations=200, rng=1
    )
    suite = be.Rollouts.from_counts([3] * 28 + [2] * 8 + [1] * 2 + [0] * 2, 3)
    look = plan.assess(suite)
    fit = be.fit(suite, engine="exact")
    assert look.look == 2
    assert look.prob == pytest.approx(fit.pass_hat_k(2).prob_above(0.6), abs=1e-9)
    assert look.to_dict() == plan.assess(fit).to_dict()
    # Unbiased pass^2 of each task: 1, 1/3, 0, 0.
    interval = be.confidence_sequence(28 + 8 / 3, 40)
    assert look.anytime == interval
    again = be.Sequential(
        "pass_rate > 0.6",
        looks=3,
        tasks_per_look=40,
        rollouts=1,
        same_tasks=True,
        icc=0.3,
        simulations=200,
        rng=1,
    ).assess(suite)
    assert again.look == 3
    assert isinstance(again.e_value, be.Unknown)


def test_follow_stops_where_assess_says_so() -> None:
    plan = be.Sequential("pass_rate > 0.5", looks=6, tasks_per_look=10)
    looks = plan.follow([(7, 10), (8, 10), (10, 10), (10, 10), (10, 10)])
    assert [look.tasks for look in looks] == [10, 20, 30][: len(looks)]
    assert looks[-1].outcome == "released"
    assert all(look.outcome == "go on" for look in looks[:-1])
    suites = [be.Rollouts.from_counts([1] * s + [0] * (10 - s), 1) for s in (7, 8, 10)]
    assert [x.to_dict() for x in plan.follow(suites)] == [x.to_dict() for x in looks]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"looks": 0}, "looks must be at least 1"),
        ({"looks": 5_000}, "looks must be at most 1,000"),
        ({"looks": 1_000, "tasks_per_look": 10_000}, "looks x tasks_per_look"),
        ({"tasks_per_look": 0}, "tasks_per_look must be at least 1"),
        ({"alpha": 0}, "alpha must be strictly between"),
        ({"alpha": 0.6}, "alpha must be below 0.5"),
        ({"alpha": 5}, "divide it by 100"),
        ({"rollouts": 0}, "rollouts must be at least 1"),
        ({"icc": 2}, "icc must be between 0 and 1"),
        ({"simulations": 10}, "simulations must be at least 100"),
        ({"claim": "worst_slice pass_rate > 0.5"}, "only pass_rate"),
        ({"prior": "flat"}, "prior must be one of"),
    ],
)
def test_wrong_plans(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"claim": CLAIM, "looks": 5, "tasks_per_look": 10} | options
    with pytest.raises(be.InputError, match=message):
        be.Sequential(given.pop("claim"), **given)


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ((60, 60), {}, "the plan has 5"),
        ((11, 10), {}, "passes must not exceed tasks"),
        ((5, 10), {"look": 6}, "the plan has 5"),
        ((5, 10), {"look": 0}, "look must be at least 1"),
        (7, {}, "must be a Rollouts, a Fit or a pair"),
    ],
)
def test_wrong_results(results: Any, options: dict[str, Any], message: str) -> None:
    plan = be.Sequential(CLAIM, looks=5, tasks_per_look=10)
    with pytest.raises(be.InputError, match=message):
        plan.assess(results, **options)


def test_simulated_plans_have_no_low_bars() -> None:
    plan = be.Sequential(CLAIM, looks=2, tasks_per_look=5, rollouts=2, icc=0.2, simulations=100)
    with pytest.raises(be.InputError, match=r"at least 0\.9"):
        plan.false_release_at(0.8)
    assert 0.9 <= plan.confidence < 1


def test_pairs_are_for_single_rollouts() -> None:
    plan = be.Sequential(CLAIM, looks=5, tasks_per_look=10, rollouts=2)
    with pytest.raises(be.InputError, match="give a Rollouts"):
        plan.assess((5, 10))
