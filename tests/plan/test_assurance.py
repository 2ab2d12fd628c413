"""Assurance, exact and simulated: brute force, the exact engine, laws, wrong input."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.plan._assurance import as_design, chances_up_to
from bayeseval.plan._clustered_assurance import pass_probabilities
from bayeseval.plan._decide import probs_above
from bayeseval.plan._passes import Supports

bars = st.integers(5, 98).map(lambda percent: percent / 100)
designs = st.sampled_from(
    [0.9, 0.5, 1.0, "uniform", (97, 3), (2, 40), be.MixturePrior(((0.5, 1, 1), (0.5, 60, 2)))]
)
priors = st.sampled_from(["uniform", "jeffreys", (400, 1), (1, 300)])


@given(bars, st.sampled_from([0.3, 0.8, 0.95]), designs, priors)
def test_every_size_of_a_search_agrees_with_the_sum_at_that_size(
    above: float, confidence: float, design: Any, prior: Any
) -> None:
    chances = chances_up_to(300, as_design(design), Supports.of(above, confidence, prior))
    for tasks in (1, 2, 3, 7, 20, 55, 142, 300):
        plan = be.plan.assurance(
            tasks, above=above, confidence=confidence, design=design, prior=prior
        )
        assert chances[tasks - 1] == pytest.approx(plan.assurance, abs=1e-12)


@given(st.floats(0.1, 0.9), bars, designs)
def test_size_is_the_smallest_from_which_on_it_holds(
    target: float, above: float, design: Any
) -> None:
    plan = be.plan.assurance_size(target, above=above, design=design)

    def chance(tasks: int) -> float:
        return be.plan.assurance(tasks, above=above, design=design).assurance

    if isinstance(plan.tasks, be.Unknown):
        assert plan.ceiling < target or plan.searched >= 2**20
        assert isinstance(plan.assurance_at, be.Unknown)
        return
    assert plan.first <= plan.tasks
    assert 2 * plan.tasks <= plan.searched + 2
    assert all(chance(plan.tasks + more) >= target - 1e-9 for more in range(30))
    assert chance(plan.first) >= target - 1e-9
    for size in (plan.tasks - 1, plan.first - 1):
        assert size == 0 or chance(size) < target + 1e-9


@given(st.integers(1, 300), bars, st.integers(0, 99).map(lambda percent: percent / 100))
def test_a_better_system_is_supported_no_less_often(tasks: int, above: float, rate: float) -> None:
    worse, better = (
        be.plan.assurance(tasks, above=above, design=p).assurance for p in (rate, rate + 0.01)
    )
    assert better >= worse - 1e-12


def test_assurance_averages_the_known_rates() -> None:
    nodes, weights = np.polynomial.legendre.leggauss(200)
    rates = (nodes + 1) / 2
    known = [be.plan.assurance(120, above=0.8, design=float(p)).assurance for p in rates]
    average = np.sum(weights / 2 * known * stats.beta.pdf(rates, 17, 3))
    plan = be.plan.assurance(120, above=0.8, design=(17, 3))
    assert plan.assurance == pytest.approx(average, abs=1e-10)


def test_today_s_posterior_is_a_design() -> None:
    today = be.beta_posterior(96, 98)
    assert be.plan.assurance(200, above=0.95, design=today).assurance == pytest.approx(
        be.plan.assurance(200, above=0.95, design=(97, 3)).assurance, rel=1e-12
    )


def test_more_tasks_lead_to_the_ceiling() -> None:
    plan = be.plan.assurance(10**7, above=0.95, design=(97, 3))
    assert plan.assurance == pytest.approx(plan.ceiling, abs=0.002)
    assert be.plan.assurance(100, above=0.9, design=0.9).ceiling == pytest.approx(0.05)
    assert be.plan.assurance(10**6, above=0.9, design=0.9).assurance == pytest.approx(
        0.05, abs=0.002
    )


def test_beyond_the_search_is_unknown() -> None:
    plan = be.plan.assurance_size(0.8, above=0.95, design=0.9501)
    assert isinstance(plan.tasks, be.Unknown)
    assert "1,048,576 tasks give" in repr(plan)


# -- several rollouts per task -------------------------------------------------------------


@pytest.mark.parametrize(("mean", "icc"), [(0.8, 0.3), (0.97, 1e-3), (0.5, 0.999), (0.2, 0.5)])
@pytest.mark.parametrize("rollouts", [1, 2, 5, 40])
def test_pass_probabilities_are_beta_binomial(mean: float, icc: float, rollouts: int) -> None:
    kappa = (1 - icc) / icc
    got = pass_probabilities(rollouts, np.array([mean]), np.array([icc]))[0]
    expected = stats.betabinom.pmf(
        np.arange(rollouts + 1), rollouts, mean * kappa, (1 - mean) * kappa
    )
    assert got == pytest.approx(expected, abs=1e-10)


def test_pass_probabilities_at_the_ends() -> None:
    mean = np.array([0.8, 0.8, 0.0, 1.0])
    got = pass_probabilities(3, mean, np.array([0.0, 1.0, 0.5, 0.0]))
    assert got[0] == pytest.approx(stats.binom.pmf(range(4), 3, 0.8), abs=1e-12)
    assert got[1] == pytest.approx([0.2, 0, 0, 0.8], abs=1e-12)
    assert got[2].tolist() == [1, 0, 0, 0]
    assert got[3].tolist() == [0, 0, 0, 1]
    assert np.isfinite(pass_probabilities(1000, mean, np.array([0.0, 1.0, 0.5, 0.9]))).all()


@pytest.mark.parametrize(
    ("tasks", "rollouts", "mean", "icc"),
    [
        (50, 4, 0.8, 0.3),
        (20, 2, 0.95, 0.01),
        (300, 8, 0.75, 0.9),
        (5, 3, 0.8, 0.5),
        (40, 1, 0.9, 0),
    ],
)
@pytest.mark.parametrize("prior", [be.HierarchicalPrior(), be.HierarchicalPrior.named("arcsine")])
def test_probabilities_are_those_of_the_exact_engine(
    tasks: int, rollouts: int, mean: float, icc: float, prior: Any, rng: np.random.Generator
) -> None:
    table = pass_probabilities(rollouts, np.array([mean]), np.array([icc]))
    histograms = rng.multinomial(tasks, np.repeat(table, 40, axis=0))
    got = probs_above(histograms, 0.75, prior)
    quick = probs_above(histograms, 0.75, prior, near=0.95)
    assert np.array_equal(got >= 0.95, quick >= 0.95)
    for histogram, value in list(zip(histograms, got, strict=True))[:3]:
        suite = be.Rollouts.from_counts(np.repeat(np.arange(rollouts + 1), histogram), rollouts)
        fit = be.fit(suite, engine="exact", prior=prior)
        assert value == pytest.approx(fit.pass_rate().prob_above(0.75), abs=1e-6)


def test_decisions_hold_for_suites_of_every_kind(rng: np.random.Generator) -> None:
    table = pass_probabilities(4, rng.beta(8, 2, 300), rng.beta(1, 1, 300))
    histograms = rng.multinomial(400, table)
    full = probs_above(histograms, 0.7, be.HierarchicalPrior())
    quick = probs_above(histograms, 0.7, be.HierarchicalPrior(), near=0.95)
    assert np.array_equal(full >= 0.95, quick >= 0.95)
    assert 0.2 < np.mean(full >= 0.95) < 0.9


def test_narrow_posteriors_far_apart_are_found(rng: np.random.Generator) -> None:
    # 5,000 tasks know mean and ICC well, and suites that share a window lie far from each other.
    table = pass_probabilities(5, rng.beta(8, 2, 40), rng.beta(1, 1, 40))
    histograms = rng.multinomial(5000, table)
    together = probs_above(histograms, 0.8, be.HierarchicalPrior())
    alone = [probs_above(each[None], 0.8, be.HierarchicalPrior())[0] for each in histograms]
    assert together == pytest.approx(alone, abs=1e-6)
    for at in np.argsort(np.abs(together - 0.5))[:4]:
        suite = be.Rollouts.from_counts(np.repeat(np.arange(6), histograms[at]), 5)
        expected = be.fit(suite, engine="exact").pass_rate().prob_above(0.8)
        assert together[at] == pytest.approx(expected, abs=1e-6)


def test_one_rollout_each_is_the_conjugate_answer() -> None:
    exact = be.plan.assurance(100, above=0.8, design=(17, 3)).assurance
    plan = be.plan.clustered_assurance(
        100, 1, above=0.8, design=be.HierarchicalPrior(mean=(17, 3)), simulations=4000, rng=3
    )
    assert abs(plan.assurance - exact) < 4 * plan.mcse


def test_same_seed_same_answer_and_a_ceiling() -> None:
    design = be.HierarchicalPrior(mean=(17, 3))
    one, two, other = (
        be.plan.clustered_assurance(80, 4, above=0.8, design=design, simulations=400, rng=seed)
        for seed in (5, 5, 6)
    )
    assert one == two
    assert one.assurance != other.assurance
    expected = stats.beta.sf(0.8, 17, 3)
    assert abs(one.ceiling - expected) < 4 * math.sqrt(expected * (1 - expected) / 400)
    assert one.mcse > 0


def test_alike_rollouts_help_less() -> None:
    chances = [
        be.plan.clustered_assurance(
            60, 6, above=0.7, design=(0.8, icc), simulations=1000, rng=1
        ).assurance
        for icc in (0.05, 0.4, 0.9)
    ]
    assert chances[0] > chances[1] + 0.05 > chances[2] + 0.1


def test_a_fit_is_a_design() -> None:
    fit = be.fit(be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4), engine="exact")
    plan = be.plan.clustered_assurance(100, 4, above=0.5, design=fit, simulations=1000, rng=1)
    assert abs(plan.ceiling - fit.pass_rate().prob_above(0.5)) < 0.03
    assert plan.assurance < plan.ceiling
    assert "the fit of 50 tasks" in repr(plan)


def test_log_kappa_prior_is_a_design() -> None:
    design = be.HierarchicalPrior(mean=(17, 3), log_kappa=(0, 1))
    plan = be.plan.clustered_assurance(50, 4, above=0.7, design=design, simulations=200, rng=1)
    assert 0 < plan.assurance < 1


def test_perfect_runs_and_hopeless_ones_keep_a_monte_carlo_error() -> None:
    sure = be.plan.clustered_assurance(200, 2, above=0.2, design=(0.9, 0.1), simulations=50, rng=1)
    never = be.plan.clustered_assurance(3, 2, above=0.99, design=(0.5, 0.1), simulations=50, rng=1)
    assert (sure.assurance, never.assurance) == (1, 0)
    assert sure.mcse == pytest.approx(never.mcse)
    assert sure.mcse > 0


@pytest.mark.slow
def test_size_reaches_the_target() -> None:
    found = be.plan.clustered_assurance_size(
        0.8, 4, above=0.7, design=(0.8, 0.3), simulations=1000, rng=1
    )
    assert found.at.assurance >= 0.8
    assert found.tasks == found.at.tasks
    sizes = dict(found.tried)
    below = max(size for size in sizes if size < found.tasks)
    assert sizes[below] < 0.8
    assert below >= found.tasks / 1.06 - 1
    again = be.plan.clustered_assurance(
        found.tasks, 4, above=0.7, design=(0.8, 0.3), simulations=4000, rng=9
    )
    assert abs(again.assurance - 0.8) < 0.02 + 4 * found.at.mcse


def test_size_out_of_reach_is_unknown() -> None:
    found = be.plan.clustered_assurance_size(
        0.8, 2, above=0.7, design=(0.72, 0.3), max_tasks=40, simulations=100, rng=1
    )
    assert isinstance(found.tasks, be.Unknown)
    assert found.at.tasks == 40
    assert "40 tasks give" in repr(found)


@settings(max_examples=10)
@given(st.integers(1, 30), st.floats(0.05, 0.95))
def test_more_passes_never_make_the_bar_less_probable(tasks: int, bar: float) -> None:
    # One rollout each. With several a pass may also make tasks more alike, see below.
    histograms = np.array([[tasks - passes, passes] for passes in range(tasks + 1)])
    probs = probs_above(histograms, bar, be.HierarchicalPrior())
    assert np.all(np.diff(probs) > -1e-6)


@pytest.mark.filterwarnings("ignore::bayeseval.CheckWarning")
def test_a_pass_that_makes_tasks_alike_can_make_the_bar_less_probable() -> None:
    suites = [[1] * passing + [0] * (6 - passing) for passing in (3, 4, 5)]
    histograms = np.array([np.bincount(passes, minlength=7) for passes in suites])
    probs = probs_above(histograms, 0.5, be.HierarchicalPrior())
    exact = [
        be.fit(be.Rollouts.from_counts(passes, 6), engine="exact").pass_rate().prob_above(0.5)
        for passes in suites
    ]
    assert probs == pytest.approx(exact, abs=1e-6)
    assert np.all(np.diff(exact) < -1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: be.plan.assurance(0, above=0.9), "tasks must be at least 1"),
        (lambda: be.plan.assurance(10**8, above=0.9), "tasks must be at most 10,000,000"),
        (lambda: be.plan.assurance(10, above=0.9, design=97), "design must be between 0 and 1"),
        (lambda: be.plan.assurance(10, above=0.9, design=True), "design must be a prior or a rate"),
        (lambda: be.plan.assurance(10, above=0.9, design="today"), "prior must be one of"),
        (lambda: be.plan.assurance_size(1, above=0.9), "target must be strictly between"),
        (
            lambda: be.plan.clustered_assurance(10, 0, above=0.9, design=(0.9, 0.1)),
            "rollouts must be at least 1",
        ),
        (
            lambda: be.plan.clustered_assurance(10, 4, above=1, design=(0.9, 0.1)),
            "above must be strictly between",
        ),
        (
            lambda: be.plan.clustered_assurance(10, 4, above=0.9, design=0.9),  # type: ignore[arg-type]
            "design must be a Fit, a HierarchicalPrior or a pair",
        ),
        (
            lambda: be.plan.clustered_assurance(10, 4, above=0.9, design=(0.9, 1.1)),
            "design ICC must be between 0 and 1",
        ),
        (
            lambda: be.plan.clustered_assurance(
                10,
                4,
                above=0.9,
                design=(0.9, 0.1),
                prior="uniform",  # type: ignore[arg-type]
            ),
            "prior must be a HierarchicalPrior",
        ),
        (
            lambda: be.plan.clustered_assurance(10, 4, above=0.9, design=(0.9, 0.1), simulations=1),
            "simulations must be at least 2",
        ),
        (
            lambda: be.plan.clustered_assurance_size(
                0.8, 4, above=0.9, design=(0.9, 0.1), max_tasks=0
            ),
            "max_tasks must be at least 1",
        ),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call()
