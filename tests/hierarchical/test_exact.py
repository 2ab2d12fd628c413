"""Laws of the exact engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

import bayeseval as be
from bayeseval.hierarchical._draws import independent_draws
from tests.hierarchical.suites import SUITES, exact

ARCSINE = be.HierarchicalPrior.named("arcsine")
PRIORS = {
    "uniform": be.HierarchicalPrior(),
    "arcsine": ARCSINE,
    "log_kappa": be.HierarchicalPrior(log_kappa=(1.0, 1.5)),
    "informed": be.HierarchicalPrior(mean=(2.0, 5.0), icc=(3.0, 1.0)),
    "extreme": be.HierarchicalPrior(mean=(0.05, 0.05), icc=(0.05, 0.05)),
}
EDGE_SUITES = {
    "one task, one pass": be.Rollouts.from_counts([1], 1),
    "one task": be.Rollouts.from_counts([7], 10),
    "all fail": be.Rollouts.from_counts([0] * 12, 3),
    "all pass": be.Rollouts.from_counts([3] * 12, 3),
    "two tasks apart": be.Rollouts.from_counts([0, 9], 9),
}
POPULATIONS = ("new_tasks", "suite", "next_run")

tasks = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=12,
)


def suite_of(pairs: list[tuple[int, int]]) -> be.Rollouts:
    passes, trials = zip(*pairs, strict=True)
    return be.Rollouts.from_counts(passes, trials)


@settings(max_examples=15)
@given(tasks)
def test_swapping_passes_and_failures_mirrors_every_answer(pairs: list[tuple[int, int]]) -> None:
    fit = exact(suite_of(pairs))
    mirror = exact(suite_of([(n - s, n) for s, n in pairs]))
    assert mirror.log_marginal == pytest.approx(fit.log_marginal, abs=1e-9)
    assert mirror.pass_rate().mean == pytest.approx(1 - fit.pass_rate().mean, abs=1e-9)
    assert mirror.icc().mean == pytest.approx(fit.icc().mean, abs=1e-9)
    for q in (0.025, 0.6):
        one_less = 1 - fit.pass_hat_k(3).quantile(1 - q)
        assert mirror.pass_at_k(3).quantile(q) == pytest.approx(one_less, abs=1e-7)
    assert mirror.pass_rate().prob_below(0.3) == pytest.approx(
        fit.pass_rate().prob_above(0.7), rel=1e-6
    )


@settings(max_examples=15)
@given(tasks, st.randoms())
def test_the_order_of_tasks_does_not_matter(pairs: list[tuple[int, int]], random) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)
    fit, again = exact(suite_of(pairs)), exact(suite_of(shuffled))
    assert again.log_marginal == fit.log_marginal
    assert again.pass_rate().eti() == fit.pass_rate().eti()


@settings(max_examples=15)
@given(tasks)
def test_a_task_without_scores_changes_nothing_but_the_notes(pairs: list[tuple[int, int]]) -> None:
    fit, more = exact(suite_of(pairs)), exact(suite_of([*pairs, (0, 0)]))
    assert more.log_marginal == fit.log_marginal
    assert more.pass_rate().eti() == fit.pass_rate().eti()
    assert more.pass_rate().about == fit.pass_rate().about
    (note,) = set(more.notes) - set(fit.notes)
    assert note == "1 task has no scored rollout and carries no information."


@settings(max_examples=5)
@given(tasks)
def test_pass_hat_falls_and_pass_at_rises_with_k(pairs: list[tuple[int, int]]) -> None:
    fit = exact(suite_of(pairs))
    levels = np.array([0.05, 0.5, 0.95])
    hat = [fit.pass_hat_k(k) for k in (1, 2, 3, 5)]
    at = [fit.pass_at_k(k) for k in (1, 2, 3, 5)]
    assert np.all(np.diff([p.mean for p in hat]) <= 1e-12)
    assert np.all(np.diff([p.mean for p in at]) >= -1e-12)
    assert np.all(np.diff([p.quantile(levels) for p in hat], axis=0) <= 1e-9)
    assert np.all(np.diff([p.quantile(levels) for p in at], axis=0) >= -1e-9)


@pytest.mark.parametrize("population", POPULATIONS)
def test_one_attempt_is_the_pass_rate(exact_fits: dict[str, be.Fit], population: str) -> None:
    fit = exact_fits["unequal"]
    rate = fit.pass_rate(population=population)
    levels = np.linspace(0.02, 0.98, 9)
    for other in (
        fit.pass_hat_k(1, population=population),
        fit.pass_at_k(1, population=population),
    ):
        assert other.mean == pytest.approx(rate.mean, abs=1e-12)
        assert other.quantile(levels) == pytest.approx(rate.quantile(levels), abs=1e-8)


@pytest.mark.parametrize(("passes", "tasks"), [(20, 30), (0, 7), (5, 5), (1, 1)])
@pytest.mark.parametrize("prior", ["uniform", "arcsine", "log_kappa", "informed"])
def test_one_rollout_each_is_the_conjugate_model(passes: int, tasks: int, prior: str) -> None:
    chosen = PRIORS[prior]
    fit = exact(be.Rollouts.from_counts([1] * passes + [0] * (tasks - passes), 1), chosen)
    a, b = chosen.mean
    beta = stats.beta(a + passes, b + tasks - passes)
    rate, icc = fit.pass_rate(), fit.icc()
    assert rate.mean == pytest.approx(beta.mean(), rel=1e-12)
    assert rate.sd == pytest.approx(beta.std(), rel=1e-11)
    levels = np.array([1e-9, 0.025, 0.5, 0.975])
    assert rate.quantile(levels) == pytest.approx(beta.ppf(levels), rel=1e-7)
    for t in (0.01, 0.2, 0.8, 0.99):
        assert rate.prob_above(t) == pytest.approx(beta.sf(t), rel=1e-7)
        assert rate.prob_below(t) == pytest.approx(beta.cdf(t), rel=1e-7)
    if chosen.icc is not None:
        assert icc.quantile(levels) == pytest.approx(stats.beta(*chosen.icc).ppf(levels), rel=1e-6)
    else:
        centre, spread = chosen.log_kappa
        assert fit.kappa_quantile(0.9) == pytest.approx(
            np.exp(stats.norm(centre, spread).ppf(0.9)), rel=1e-6
        )
    assert any("cannot tell tasks from luck" in note for note in fit.notes)


@pytest.mark.parametrize("name", ["uniform", "informed"])
def test_log_marginal_equals_brute_force_in_other_coordinates(name: str) -> None:
    """Gauss-Legendre on (mean, ICC), whole Beta-binomial probabilities from SciPy."""
    passes, trials = np.array([2, 4, 1, 0, 3]), np.array([4, 4, 3, 2, 5])
    prior = PRIORS[name]
    nodes, weights = np.polynomial.legendre.leggauss(150)
    grid, weights = 0.5 + 0.5 * nodes, 0.5 * weights
    mean, icc = np.meshgrid(grid, grid, indexing="ij")
    kappa = (1 - icc) / icc
    density = stats.beta(*prior.mean).pdf(mean) * stats.beta(*prior.icc).pdf(icc)
    for s, n in zip(passes, trials, strict=True):
        density = density * stats.betabinom(n, mean * kappa, (1 - mean) * kappa).pmf(s)
    total = weights @ density @ weights
    fit = exact(be.Rollouts.from_counts(passes, trials), prior)
    assert fit.log_marginal == pytest.approx(np.log(total), abs=1e-6)
    assert fit.pass_rate().mean == pytest.approx(
        weights @ (density * mean) @ weights / total, abs=1e-6
    )
    assert fit.icc().mean == pytest.approx(weights @ (density * icc) @ weights / total, abs=1e-6)
    # A question about the tail, as the mass above a value at each ICC.
    for q, answer in ((0.25, fit.share_of_tasks_above(0.75)), (0.1, fit.task_quantile(0.1))):
        a, b = mean * kappa, (1 - mean) * kappa
        value = special.betaincc(a, b, 0.75) if q == 0.25 else special.betaincinv(a, b, q)
        expected = weights @ (density * value) @ weights / total
        assert answer.mean == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", SUITES)
def test_distribution_functions_are_smooth_and_quantiles_invert_them(
    exact_fits: dict[str, be.Fit], name: str
) -> None:
    fit = exact_fits[name]
    for answer in (
        fit.pass_rate(),
        fit.pass_hat_k(3),
        fit.pass_at_k(2),
        fit.icc(),
        fit.pass_rate(population="suite"),
    ):
        levels = np.linspace(0.01, 0.99, 25)
        places = answer.quantile(levels)
        inside = (places > 1e-9) & (places < 1 - 1e-9)
        assert answer.cdf(places)[inside] == pytest.approx(levels[inside], abs=1e-7)
        # The density of a perfect score has no bound at 1.
        low, high = answer.quantile([0.02, 0.25 if name == "all_pass" else 0.9])
        x = np.linspace(low, high, 2001)
        below = answer.cdf(x)
        assert np.all(np.diff(below) >= -1e-14)
        assert answer.cdf(x[1000]) + answer.prob_above(x[1000]) == pytest.approx(1, abs=1e-8)
        # A step would stand out of the second differences, which are of order 1 / 2001^2.
        assert np.max(np.abs(np.diff(below, 2))) < 1e-4


@pytest.mark.parametrize(
    ("suite", "prior"),
    [
        (suite, prior)
        for suite in EDGE_SUITES
        for prior in PRIORS
        if prior != "extreme" or suite == "one task"
    ],
)
def test_edges_of_data_and_prior(suite: str, prior: str) -> None:
    rollouts = EDGE_SUITES[suite]
    fit = exact(rollouts, PRIORS[prior])
    # Under the extreme prior the grid has so many nodes that powers take seconds each.
    k = 1 if prior == "extreme" else min(int(rollouts.trials.min()), 3)
    answers = [fit.pass_rate(), fit.icc(), fit.task_rate(0)]
    answers += [fit.pass_hat_k(k), fit.pass_at_k(k)]
    answers += [fit.pass_hat_k(k, population=population) for population in POPULATIONS]
    answers += [fit.pass_rate(population="next_run", m=3, rollouts=2)]
    for answer in answers:
        assert 0 <= answer.mean <= 1
        assert 0 <= answer.sd <= 0.5
        lower, upper = answer.eti()
        assert 0 <= lower <= upper <= 1
        total = answer.cdf(0.5) + answer.prob_above(0.5)
        assert total == pytest.approx(1, abs=1e-7), answer
    a, b = PRIORS[prior].mean
    assert (answers[0].mean - a / (a + b)) * (np.mean(rollouts.pass_rate) - a / (a + b)) >= -1e-12


def test_a_million_tasks_from_counts(rng: np.random.Generator) -> None:
    rates = rng.beta(1.6, 0.4, size=1_000_000)
    fit = exact(be.Rollouts.from_counts(rng.binomial(8, rates), 8))
    # ICC = 1 / (1 + 1.6 + 0.4); standard errors are about 0.0003.
    assert fit.pass_rate().mean == pytest.approx(0.8, abs=0.002)
    assert fit.icc().mean == pytest.approx(1 / 3, abs=0.003)
    suite = fit.pass_rate(population="suite")
    assert abs(suite.mean - rates.mean()) < 5 * suite.sd
    assert suite.sd < fit.pass_rate().sd
    replay = fit.pass_rate(population="next_run")
    assert replay.mean == pytest.approx(suite.mean, abs=1e-6)
    assert replay.sd > suite.sd


@pytest.mark.parametrize("passes", [[9000], [9000, 9990, 5000, 0, 10_000]])
def test_ten_thousand_rollouts_of_a_task(passes: list[int]) -> None:
    fit = exact(be.Rollouts.from_counts(passes, 10_000))
    raw = np.mean(passes) / 10_000
    suite = fit.pass_rate(population="suite")
    assert suite.mean == pytest.approx(raw, abs=0.001)
    # At this many rollouts each task's rate is known to its binomial error.
    rates = np.array(passes) / 10_000
    binomial = np.sqrt(np.sum(rates * (1 - rates)) / 10_000) / len(passes)
    assert suite.sd == pytest.approx(binomial, rel=0.05)
    replay = fit.pass_rate(population="next_run")
    assert replay.mean == pytest.approx(suite.mean, abs=1e-6)
    assert replay.sd == pytest.approx(np.sqrt(2) * suite.sd, rel=0.05)


@pytest.mark.parametrize("name", ["u_shaped", "all_pass", "unequal"])
def test_independent_draws_follow_the_integrated_posterior(
    exact_fits: dict[str, be.Fit], name: str
) -> None:
    fit = exact_fits[name]
    mean, icc = (values.ravel() for values in independent_draws(fit.exact, 4, 2500, 11))
    pass_hat = mean * (mean + (1 - mean) * icc)
    # Critical distance of Kolmogorov and Smirnov at one in a million.
    limit = np.sqrt(-0.5 * np.log(0.5e-6) / mean.size)
    for draws, answer in ((mean, fit.pass_rate()), (icc, fit.icc()), (pass_hat, fit.pass_hat_k(2))):
        assert stats.kstest(draws, answer.cdf).statistic < limit


def test_errored_rollouts_are_bounded_by_the_two_extremes() -> None:
    rollouts = be.Rollouts.from_counts([4] * 20 + [1] * 10, 4, errored=[1] * 30)
    low, mid, high = (
        exact(rollouts.with_lost(how)).pass_rate().mean for how in ("fail", "exclude", "pass")
    )
    assert low < mid < high


def test_tails_of_hundreds_of_logits_beside_a_steep_side_are_integrated() -> None:
    # Where all pass, such a prior leaves a plateau that ends within a few logits on one side.
    prior = be.HierarchicalPrior(mean=(0.5, 0.02), icc=(0.5, 0.02))
    fit = exact(be.Rollouts.from_counts([1] * 40, 1), prior)
    known = special.betaln(40.5, 0.02) - special.betaln(0.5, 0.02)
    # The logit scale ends at 600: 6e-6 of this prior lies beyond.
    assert fit.exact.log_marginal_sequence == pytest.approx(known, abs=3e-5)
    assert fit.checks["quadrature"].passed
