"""Flaky tasks: the gap between pass@k and pass^k, against integrals and draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import bayeseval as be
from bayeseval.hierarchical._flaky import GapPosterior, _gap
from bayeseval.posterior import About, BetaMixture, DrawsPosterior
from tests.hierarchical.suites import exact

ABOUT = About("gap", "exact")


def beta(a: float, b: float) -> BetaMixture:
    return BetaMixture(np.ones(1), np.array([a]), np.array([b]))


def gap_of(a: float, b: float, k: int) -> GapPosterior:
    def moment(power: int) -> float:
        def weighted(p: float) -> float:
            return float(_gap(np.array(p), k) ** power * stats.beta.pdf(p, a, b))

        return float(integrate.quad(weighted, 0, 1)[0])

    mean = moment(1)
    return GapPosterior(beta(a, b), k, (mean, (moment(2) - mean**2) ** 0.5), ABOUT)


def suite() -> be.Rollouts:
    return be.Rollouts.from_counts(
        [4, 4, 2, 0, 3, 1, 4, 0],
        [4, 4, 4, 4, 4, 4, 4, 0],
        task=["a", "b", "even", "d", "e", "f", "g", "lost"],
        errored=[0] * 7 + [2],
    )


def test_the_gap_of_known_rates() -> None:
    p = np.array([0.0, 1e-9, 0.25, 0.5, 0.75, 1.0])
    exact_ = 1 - (1 - p) ** 3 - p**3
    assert _gap(p, 3) == pytest.approx(exact_, abs=1e-15)
    assert _gap(np.array([1e-9]), 3)[0] == pytest.approx(3e-9, rel=1e-8, abs=0)


@pytest.mark.parametrize(("a", "b", "k"), [(3.0, 2.0, 2), (1.0, 1.0, 4), (8.0, 1.5, 3)])
def test_distribution_against_draws(a: float, b: float, k: int) -> None:
    posterior = gap_of(a, b, k)
    draws = _gap(np.random.default_rng(1).beta(a, b, 100_000), k)
    for x in (0.05, 0.3, 0.6):
        if x < posterior.largest:
            # Four standard errors of a share of 100,000 are at most 0.0064.
            assert posterior.prob_below(x) == pytest.approx(np.mean(draws < x), abs=0.0064)
            assert posterior.prob_below(x) + posterior.prob_above(x) == pytest.approx(1, abs=1e-12)
    low, high = posterior.eti()
    assert np.mean((draws > low) & (draws < high)) == pytest.approx(0.95, abs=0.003)
    assert posterior.mean == pytest.approx(draws.mean(), abs=4 * draws.std() / 316)
    assert posterior.sample(2_000, 3).max() <= posterior.largest


def test_ends() -> None:
    posterior = gap_of(3.0, 2.0, 2)
    assert posterior.largest == 0.5
    assert posterior.prob_above(0.5) == 0.0
    assert posterior.prob_below(0.5) == 1.0
    assert posterior.pdf(0.6) == 0.0
    area = integrate.quad(lambda x: float(posterior.pdf(x)), 0, 0.4999)[0]
    assert area == pytest.approx(posterior.prob_below(0.4999), abs=1e-4)


@pytest.mark.parametrize("k", [2, 4, 7])
def test_moments_are_those_of_the_law(k: int) -> None:
    fit = exact(suite())
    gap = fit.task_gap("e", k)
    assert isinstance(gap, GapPosterior)
    levels = (np.arange(2_000) + 0.5) / 2_000
    values = gap.quantile(levels)
    assert gap.mean == pytest.approx(values.mean(), abs=1e-3)
    assert gap.sd == pytest.approx(values.std(), abs=1e-3)


def test_it_is_pass_at_k_minus_pass_hat_k() -> None:
    fit = exact(suite())
    table = fit.tasks(k=(3,))
    for task in ("a", "even", "d"):
        row = table.loc[task]
        assert fit.task_gap(task, 3).mean == pytest.approx(row["pass@3"] - row["pass^3"], abs=1e-9)


def test_ranking() -> None:
    table = exact(suite()).flaky_tasks(k=3)
    # Equal tasks keep their order, and a task without a score is not ranked.
    # The suite leans to passing, so that 1 of 4 is drawn nearer to a half than 3 of 4.
    assert table.task.tolist() == ["even", "f", "e", "d", "a", "b", "g"]
    assert np.all(np.diff(table.mean) <= 0)
    assert np.all((table.lower < table.mean) & (table.mean < table.upper))
    assert table.passes[0] == 2
    assert "the flakiest is 'even'" in repr(table)
    frame = table.to_pandas()
    assert frame.index.name == "task"
    assert frame.loc["even", "mean"] == table.mean[0]


def test_the_first_few() -> None:
    fit = exact(suite())
    table, every = fit.flaky_tasks(top=2), fit.flaky_tasks()
    assert table.k == 4
    assert table.task.tolist() == every.task.tolist()[:2]
    assert table.lower == pytest.approx(every.lower[:2])
    assert fit.flaky_tasks(ci_prob=0.5).upper[0] < every.upper[0]


def test_one_rollout_each_is_asked_for_two() -> None:
    table = exact(be.Rollouts.from_counts([1, 0, 1], 1)).flaky_tasks()
    assert table.k == 2


@pytest.mark.slow
def test_draws_agree(nuts_fits: dict[str, be.Fit], exact_fits: dict[str, be.Fit]) -> None:
    sampled, truth = (fits["unequal"].task_gap(3, 3) for fits in (nuts_fits, exact_fits))
    assert isinstance(sampled, DrawsPosterior)
    assert sampled.mean == pytest.approx(truth.mean, abs=4 * sampled.mcse_mean)


@given(st.floats(0.3, 80.0), st.floats(0.3, 80.0), st.integers(2, 12))
@settings(max_examples=15)
def test_mirror_and_order(a: float, b: float, k: int) -> None:
    one, other = (GapPosterior(beta(*pair), k, (0.1, 0.1), ABOUT) for pair in ((a, b), (b, a)))
    for share in (0.02, 0.5, 0.9):
        x = share * one.largest
        assert one.prob_below(x) == pytest.approx(other.prob_below(x), rel=1e-6, abs=1e-12)
        assert one.cdf(one.quantile(share)) == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda f: f.task_gap("nobody", 2), "there is no task 'nobody'"),
        (lambda f: f.task_gap("a", 1), "k must be at least 2; got 1"),
        (lambda f: f.flaky_tasks(k=1), "k must be at least 2"),
        (lambda f: f.flaky_tasks(top=0), "top must be at least 1"),
        (lambda f: f.flaky_tasks(ci_prob=1), "ci_prob must be strictly between 0 and 1"),
    ],
)
def test_refusals(ask: object, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        ask(exact(suite()))  # type: ignore[operator]
