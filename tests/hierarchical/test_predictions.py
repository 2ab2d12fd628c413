"""What the next run will show, and the suite itself, against simulation and closed forms."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.hierarchical._draws import independent_draws
from bayeseval.hierarchical._functionals import (
    Functional,
    beta_binomial_chances,
    log_rising,
    solve_pass_hat,
)
from tests.hierarchical.suites import SUITES, exact

SIZE = 8000


def simulated(
    fit: be.Fit, *, m: int | None = None, rollouts: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rates of every task and passes of its next run: draw, then count, task by task."""
    rng = np.random.default_rng(5)
    mean, icc = independent_draws(fit.exact, 1, SIZE, 23)
    kappa = np.clip((1 - icc) / np.maximum(icc, 1e-12), 1e-200, 1e12).T
    alpha, beta = mean.T * kappa, (1 - mean.T) * kappa
    if m is None:
        s, n = fit.rollouts.passes, fit.rollouts.trials
        rates = rng.beta(alpha + s, beta + (n - s))
        return rates, rng.binomial(n, rates)
    rates = rng.beta(alpha, beta, size=(SIZE, m))
    return rates, rng.binomial(rollouts, rates)


def agrees(answer: be.Posterior, draws: np.ndarray) -> None:
    error = draws.std(ddof=1) / np.sqrt(draws.size)
    assert answer.mean == pytest.approx(draws.mean(), abs=5 * error)
    assert answer.sd == pytest.approx(draws.std(ddof=1), rel=0.06)
    for t in np.quantile(draws, [0.1, 0.5, 0.9]):
        # Strictly between two possible values.
        t = min(t + 1e-7, 1.0)
        share = np.mean(draws > t)
        assert answer.prob_above(t) == pytest.approx(share, abs=5 * 0.5 / np.sqrt(draws.size))


@pytest.mark.parametrize("name", ["u_shaped", "unequal", "all_pass"])
def test_next_run_of_the_same_suite(exact_fits: dict[str, be.Fit], name: str) -> None:
    fit = exact_fits[name]
    rates, passes = simulated(fit)
    shown = passes / fit.rollouts.trials
    agrees(fit.pass_rate(population="next_run"), shown.mean(axis=1))
    if name != "unequal":
        n = fit.max_trials
        pairs = passes * (passes - 1) / (n * (n - 1))
        agrees(fit.pass_hat_k(2, population="next_run"), pairs.mean(axis=1))
    agrees(fit.pass_rate(population="suite"), rates.mean(axis=1))
    agrees(fit.pass_hat_k(3, population="suite"), (rates**3).mean(axis=1))


def test_next_run_of_new_tasks(exact_fits: dict[str, be.Fit]) -> None:
    fit = exact_fits["mild"]
    _, passes = simulated(fit, m=10, rollouts=3)
    agrees(fit.pass_rate(population="next_run", m=10, rollouts=3), (passes / 3).mean(axis=1))
    at = 1 - (3 - passes) * (2 - passes) / 6
    agrees(fit.pass_at_k(2, population="next_run", m=10, rollouts=3), at.mean(axis=1))


@pytest.mark.parametrize("name", SUITES)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_next_run_shows_on_average_what_the_suite_is(
    exact_fits: dict[str, be.Fit], name: str, k: int
) -> None:
    fit = exact_fits[name]
    weights, alpha, beta = fit.exact.weights, fit.exact.alpha, fit.exact.beta
    s, n = fit.rollouts.passes, fit.rollouts.trials
    hat = np.mean(
        [
            weights @ np.exp(log_rising(alpha + a, beta + b, k))
            for a, b in zip(s, n - s, strict=True)
        ]
    )
    at = 1 - np.mean(
        [
            weights @ np.exp(log_rising(beta + b, alpha + a, k))
            for a, b in zip(s, n - s, strict=True)
        ]
    )
    assert fit.pass_hat_k(k, population="suite").mean == pytest.approx(hat, abs=1e-6)
    assert fit.pass_at_k(k, population="suite").mean == pytest.approx(at, abs=1e-6)
    if k <= n.min():
        assert fit.pass_hat_k(k, population="next_run").mean == pytest.approx(hat, abs=1e-6)
        assert fit.pass_at_k(k, population="next_run").mean == pytest.approx(at, abs=1e-6)
    new_hat = fit.pass_hat_k(k)
    new_run = fit.pass_hat_k(k, population="next_run", m=4, rollouts=4)
    assert new_run.mean == pytest.approx(new_hat.mean, abs=1e-6)
    assert new_run.sd > new_hat.sd


def test_unequal_rollouts_without_a_common_unit_have_a_prediction() -> None:
    fit = exact(be.Rollouts.from_counts([90, 91, 60, 93, 20, 95], [95, 96, 97, 98, 99, 101]))
    _, passes = simulated(fit)
    answer = fit.pass_rate(population="next_run")
    agrees(answer, (passes / fit.rollouts.trials).mean(axis=1))
    pairs = passes * (passes - 1) / (fit.rollouts.trials * (fit.rollouts.trials - 1))
    agrees(fit.pass_hat_k(2, population="next_run"), pairs.mean(axis=1))


def test_one_task_is_its_own_suite(exact_fits: dict[str, be.Fit]) -> None:
    fit = exact(be.Rollouts.from_counts([7], 10))
    task, levels = fit.task_rate(0), np.array([0.1, 0.5, 0.9])
    assert fit.pass_rate(population="suite").quantile(levels) == pytest.approx(
        task.quantile(levels)
    )
    cubed = fit.pass_hat_k(3, population="suite")
    assert cubed.quantile(levels) == pytest.approx(task.quantile(levels) ** 3, abs=1e-4)


@pytest.mark.parametrize("count", [1999, 30_000])
@pytest.mark.parametrize("functional", [Functional("pass_hat_k", 1), Functional("pass_at_k", 2)])
def test_many_equal_tasks_drawn_at_once(count: int, functional: Functional) -> None:
    """A perfect score: next to 1, skew, and never above it."""
    fit = exact(be.Rollouts.from_counts([3] * count, 3))
    draws = fit.draws.suite(fit.cells, functional, fit.pass_rate().about)
    suite = getattr(fit, functional.kind)(functional.k, population="suite")
    assert draws.draws.max() <= 1
    assert draws.mean == pytest.approx(suite.mean, abs=5 * draws.mcse_mean)
    wide = 5 * draws.mcse_quantile(0.05)
    assert draws.quantile(0.05) == pytest.approx(suite.quantile(0.05), abs=wide)


@pytest.mark.parametrize("kappa", [1e-250, 1e-3, 1.0, 1e6, 1e13, 1e18])
def test_beta_binomial_chances_keep_their_digits(kappa: float) -> None:
    found = beta_binomial_chances(np.array([0.25 * kappa]), np.array([0.75 * kappa]), 3)[0]
    a, b = 0.25 * kappa, 0.75 * kappa
    # The failures' chances as products, term by term.
    exact_chances = [
        b * (b + 1) * (b + 2),
        3 * a * b * (b + 1),
        3 * a * b * (a + 1),
        a * (a + 1) * (a + 2),
    ]
    expected = np.array(exact_chances) / sum(exact_chances)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-200)


def test_pass_hat_is_inverted(rng: np.random.Generator) -> None:
    x, y = rng.uniform(-30, 30, size=200), rng.uniform(-30, 30, size=200)
    for k in (1, 2, 5, 40):
        mean, rest = 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))
        log_value = log_rising(mean * np.exp(-y), rest * np.exp(-y), k)
        z = log_value - np.log(-np.expm1(log_value))
        found, _ = solve_pass_hat(z, y, k)
        assert found == pytest.approx(x, abs=1e-6)


def test_values_of_counts_are_the_unbiased_estimates() -> None:
    for k in (1, 2, 4):
        for name, estimate in (("pass_hat_k", be.pass_hat_k), ("pass_at_k", be.pass_at_k)):
            values = Functional(name, k).of_counts(4)
            assert values == pytest.approx([estimate(4, c, k) for c in range(5)])
