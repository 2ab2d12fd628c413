"""The numbers of the study: exact ones, and those that the package gives as well."""

import numpy as np
import pytest
from scipy import special, stats

import bayeseval as be
from bayeseval._special import log_expit
from benchmarks.calibration import alternatives, intervals, one_rollout, panels
from benchmarks.calibration.agreement import exact_fit, largest_difference, rollouts_of
from benchmarks.calibration.batch import Target, answers
from benchmarks.calibration.draw import beta_rates, from_prior, suites
from benchmarks.calibration.grid import prior_of
from benchmarks.calibration.logit_normal import below_and_limits

PRIORS = {
    "uniform": be.HierarchicalPrior(),
    "arcsine": be.HierarchicalPrior.named("arcsine"),
    "steep": be.HierarchicalPrior(mean=(0.5, 2.0), icc=(1.5, 0.75)),
}


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    """Runs of many kinds: few tasks and many, all alike and all or nothing, perfect ones."""
    rng = np.random.default_rng(7)
    made = [
        suites([(1.0, mean, icc)], tasks, 4, 2, rng)
        for tasks, mean, icc in ((2, 0.5, 0.5), (30, 0.97, 0.1), (200, 0.5, 0.02), (60, 0.2, 0.95))
    ]
    return np.concatenate([*made, [[0, 0, 0, 0, 20], [7, 0, 0, 0, 0]]])


def test_enumeration_gives_the_known_coverage_and_width() -> None:
    # Computed elsewhere, to four digits.
    expected = {
        "wilson": (0.9514, 0.2034),
        "wald": (0.8059, 0.1717),
        "clopper_pearson": (0.9771, 0.2237),
        "uniform": (0.9465, 0.2037),
        "jeffreys": (0.9577, 0.1947),
    }
    found = one_rollout.at_fixed_rates(np.random.default_rng(1))
    for method, (coverage, width) in expected.items():
        assert found[method]["coverage"] == pytest.approx(coverage, abs=6e-5)
        assert found[method]["width"] == pytest.approx(width, abs=6e-5)


def test_uniform_rates_are_covered_as_known() -> None:
    expected = {
        "uniform": (0.95, 0.95, 0.95, 0.95),
        "wilson": (0.9560, 0.9541, 0.9524, 0.9511),
        "clopper_pearson": (0.9946, 0.9838, 0.9734, 0.9646),
        "wald": (0.4957, 0.7693, 0.8749, 0.9223),
    }
    found = one_rollout.at_uniform_rates(np.random.default_rng(1))
    for method, coverage in expected.items():
        assert list(found[method].values()) == pytest.approx(coverage, abs=6e-5)


def test_cumulative_integrals_are_those_of_the_normal() -> None:
    x = np.linspace(-8.0, 8.0, 65)
    density = stats.norm.pdf(x)[None]
    integral = panels.cumulative(density) * (x[1] - x[0])
    assert integral[0] == pytest.approx(stats.norm.cdf(x), abs=3e-6)
    levels = (0.001, 0.025, 0.6)
    places = panels.quantiles(density, panels.cumulative(density), levels)
    assert x[0] + places[0] * (x[1] - x[0]) == pytest.approx(stats.norm.ppf(levels), abs=2e-4)
    at = (np.array([0.3]) - x[0]) / (x[1] - x[0])
    found = panels.cumulative_at(density, panels.cumulative(density), at) * (x[1] - x[0])
    assert found == pytest.approx(stats.norm.cdf(0.3), abs=4e-6)


@pytest.mark.parametrize("name", PRIORS)
def test_fast_posterior_is_the_packages(counts: np.ndarray, name: str) -> None:
    # The exact engine takes seconds for some functionals under the other priors.
    beyond = [Target("pass^3", 0.6, 3), Target("pass@8", 0.95, 8, True)]
    targets = [
        Target("rate", 0.8),
        Target("each", np.linspace(0.1, 0.99, len(counts))),
        *(beyond if name == "uniform" else []),
    ]
    found = answers(counts, {name: prior_of(PRIORS[name])}, targets)[name]
    difference = largest_difference(
        counts, PRIORS[name], found, targets, np.random.default_rng(1), runs=len(counts)
    )
    assert difference["limits"] < 2e-5
    assert difference["below"] < 5e-5


def test_priors_answered_together_are_those_alone(counts: np.ndarray) -> None:
    # The nodes reach as far as the widest prior asks, and are fewer for the others.
    priors = {name: prior_of(prior) for name, prior in PRIORS.items()}
    together = answers(counts, priors, [Target("rate", 0.8)])
    for name, prior in priors.items():
        alone = answers(counts, {name: prior}, [Target("rate", 0.8)])[name]
        assert together[name].limits == pytest.approx(alone.limits, abs=5e-5)


def test_known_icc_is_one_dimensional(counts: np.ndarray) -> None:
    icc, rate = 0.4, 0.7
    found = answers(counts, {"known": prior_of(PRIORS["uniform"])}, [Target("rate", rate)], icc=icc)
    mean = (np.arange(200_000) + 0.5) / 200_000
    kappa = (1 - icc) / icc
    chances = stats.betabinom.logpmf(np.arange(5)[:, None], 4, mean * kappa, (1 - mean) * kappa)
    for at, histogram in enumerate(counts):
        logs = histogram @ chances
        mass = np.cumsum(np.exp(logs - logs.max()))
        below = mass[mean < rate][-1] / mass[-1]
        assert found["known"].below["rate"][at] == pytest.approx(below, abs=2e-5)
        limits = [mean[np.searchsorted(mass, level * mass[-1])] for level in (0.025, 0.975)]
        assert found["known"].limits[at] == pytest.approx(limits, abs=2e-5)


def test_searched_priors_are_the_packages(counts: np.ndarray) -> None:
    below = alternatives.below_by_beta(counts, 0.8)
    for mean, icc in ((0.5, (0.25, 1.5)), (1.0, (1.0, 1.0)), (0.75, (1.5, 0.5))):
        prior = be.HierarchicalPrior(mean=(mean, mean), icc=icc)
        for at in (1, 3, len(counts) - 2):
            expected = exact_fit(rollouts_of(counts[at]), prior).pass_rate().cdf(0.8)
            found = below[alternatives.beta_name(mean, icc)][at]
            assert found == pytest.approx(expected, abs=1e-4)


def test_information_is_the_variance_of_the_slopes() -> None:
    x, y, step = 0.7, -0.4, 1e-5

    def chances(x: float, y: float) -> np.ndarray:
        mean, kappa = special.expit(x), np.exp(-y)
        return np.asarray(stats.betabinom.pmf(np.arange(5), 4, mean * kappa, (1 - mean) * kappa))

    in_x = (chances(x + step, y) - chances(x - step, y)) / (2 * step)
    in_y = (chances(x, y + step) - chances(x, y - step)) / (2 * step)
    here = chances(x, y)
    expected = [np.sum(in_x**2 / here), np.sum(in_x * in_y / here), np.sum(in_y**2 / here)]
    log_mean, log_rest = log_expit(np.array(x))
    found = alternatives.information(4, log_mean, log_rest, np.array(y))
    assert [float(each) for each in found] == pytest.approx(expected, rel=1e-6)


def test_frequentist_intervals_are_the_packages(counts: np.ndarray) -> None:
    several = counts[counts.sum(axis=1) > 1]
    mean, se = intervals.mean_and_se(several)
    wilson = intervals.pooled_wilson(several)
    bare = intervals.bootstrap(counts[:2])
    for at, histogram in enumerate(several):
        suite = rollouts_of(histogram)
        summary = be.clustered_se(suite)
        assert mean[at] == pytest.approx(summary.rate)
        assert se[at] == pytest.approx(summary.se_cluster_cr1)
        passes, trials = int(suite.passes.sum()), int(suite.trials.sum())
        assert wilson[at] == pytest.approx(tuple(be.interval(passes, trials)))
    assert bare.shape == (2, 2)


@pytest.mark.parametrize("k", [1, 3])
def test_bootstrap_is_the_packages_with_resamples_without_end(k: int) -> None:
    histogram = np.array([[4, 3, 2, 5, 16]])
    limits = intervals.bootstrap(histogram, k)[0]
    # The share of resamples at or below a limit, from either side of its step.
    values = intervals.lattice(4, k) / intervals.lattice(4, k)[-1]
    rng = np.random.default_rng(3)
    means = rng.multinomial(30, histogram[0] / 30, size=200_000) @ values / 30
    for limit, level in zip(limits, intervals.LEVELS, strict=True):
        error = 4 * np.sqrt(level * (1 - level) / 200_000)
        assert np.mean(means <= limit + 1e-9) >= level - error
        assert np.mean(means < limit - 1e-9) <= level + error
    statistic = "pass_rate" if k == 1 else "pass_hat_k"
    found = be.cluster_bootstrap(
        rollouts_of(histogram[0]), statistic=statistic, k=None if k == 1 else k,
        n_resamples=100_000, rng=1,
    )  # fmt: skip
    assert isinstance(found.interval, be.Interval)
    assert limits == pytest.approx(tuple(found.interval), abs=0.009)


def test_bootstrap_of_equal_tasks_falls_back() -> None:
    perfect = np.array([[0, 0, 0, 0, 20]])
    assert intervals.bootstrap(perfect)[0] == pytest.approx(tuple(be.interval(20, 20)))
    assert intervals.bootstrap(perfect, fallback=False)[0] == pytest.approx((1, 1))


def test_logit_normal_by_weighted_draws_of_its_prior() -> None:
    histogram, truth, draws = np.array([[2, 1, 2, 3, 4]]), 0.6, 20_000
    rng = np.random.default_rng(5)
    m, sd = rng.normal(size=draws), rng.exponential(size=draws)
    z, weights = np.polynomial.hermite_e.hermegauss(60)
    p = special.expit(m[:, None] + sd[:, None] * z)
    weights = weights / weights.sum()
    rate = p @ weights
    logs = sum(
        count * np.log((p**s * (1 - p) ** (4 - s)) @ weights)
        for s, count in enumerate(histogram[0])
    )
    importance = np.exp(logs - np.max(logs))
    importance /= importance.sum()
    expected = float(importance @ (rate < truth))
    error = np.sqrt(float(importance**2 @ ((rate < truth) - expected) ** 2))
    below, limits = below_and_limits(histogram, truth)
    assert abs(below[0] - expected) < 4 * error
    held = float(importance @ ((limits[0, 0] < rate) & (rate < limits[0, 1])))
    assert abs(held - 0.95) < 4 * np.sqrt(float(importance**2 @ ((rate < 0.5) - 0.5) ** 2))


def test_suites_are_those_that_the_package_simulates() -> None:
    mixture = [(0.3, 0.0, 0.0), (0.3, 1.0, 0.0), (0.4, 0.6, 0.3)]
    ours = suites(mixture, 50, 4, 400, np.random.default_rng(1)).sum(axis=0)
    theirs = be.simulate(20_000, 4, mixture=mixture, rng=2).rollouts
    other = np.bincount(theirs.passes, minlength=5)
    result = stats.chi2_contingency(np.stack([ours, other]))
    assert result.pvalue > 1e-4


def test_rates_of_an_extreme_beta_are_coins() -> None:
    rates = beta_rates(np.full(2_000, 0.3), np.full(2_000, 1e-14), 5, np.random.default_rng(1))
    assert set(np.unique(rates)) == {0.0, 1.0}
    assert abs(rates.mean() - 0.3) < 4 * np.sqrt(0.3 * 0.7 / rates.size)


def test_prior_draws_make_whole_runs() -> None:
    _, _, made = from_prior(20, 4, 50, np.random.default_rng(1))
    assert made.shape == (50, 5)
    assert (made.sum(axis=1) == 20).all()
