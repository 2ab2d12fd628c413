"""Operating characteristics: against scipy's enumeration, independent simulation, and laws."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import bayeseval as be
from bayeseval.decisions._question import CONTRADICTED, SUPPORTED, Judge
from bayeseval.plan._clustered_assurance import pass_probabilities

bars = st.sampled_from([0.05, 0.3, 0.5, 0.8, 0.95])
signs = st.sampled_from([">", ">=", "<", "<="])


def by_scipy(n: int, bar: float, confidence: float, above: bool = True) -> np.ndarray:
    """Verdict for 0..n passes under the uniform prior."""
    s = np.arange(n + 1)
    upper = stats.beta.sf(bar, 1 + s, 1 + n - s)
    lower = stats.beta.cdf(bar, 1 + s, 1 + n - s)
    holds, fails = (upper, lower) if above else (lower, upper)
    codes = np.where(holds <= 1 - confidence, CONTRADICTED, 1)
    return np.where(fails <= 1 - confidence, SUPPORTED, codes)


@pytest.mark.parametrize(("operator", "bar"), [(">", 0.9), ("<", 0.9), (">=", 0.3), ("<=", 0.02)])
@pytest.mark.parametrize("n", [1, 7, 60, 211])
def test_verdict_probabilities_are_those_of_every_result(operator: str, bar: float, n: int) -> None:
    rates = np.array([0.0, 0.01, 0.3, bar, 0.93, 1.0])
    found = be.operating_characteristics(
        f"pass_rate {operator} {bar}", tasks=n, rates=rates, sensitivity=False
    )
    codes = by_scipy(n, bar, 0.95, operator in (">", ">="))
    for row in found.rows:
        mass = stats.binom.pmf(np.arange(n + 1), n, row.rate)
        shares = [mass[codes == code].sum() for code in range(3)]
        expected = [row.contradicted, row.inconclusive, row.supported]
        assert expected == pytest.approx(shares, abs=1e-12)
        assert row.flip == pytest.approx(1 - np.sum(np.square(shares)), abs=1e-12)
        assert row.mcse == row.mcse_flip == 0


@pytest.mark.parametrize("design", [(1, 1), (0.5, 0.5), (30, 3)])
def test_averages_over_the_design_by_quadrature(design: tuple[float, float]) -> None:
    n, bar = 80, 0.85
    found = be.operating_characteristics(
        f"pass_rate > {bar}", tasks=n, design=design, sensitivity=False
    )
    codes = by_scipy(n, bar, 0.95)
    truth = stats.beta(*design)

    def over(low: float, high: float, value: Any) -> float:
        # In the angle of the rate, where the density is bounded for parameters from 1/2 on.
        def integrand(angle: float) -> float:
            p = float(np.sin(angle) ** 2)
            jacobian = 2 * np.sin(angle) * np.cos(angle)
            mass = stats.binom.pmf(np.arange(n + 1), n, p)
            return float(value(mass) * truth.pdf(p) * jacobian)

        ends = np.arcsin(np.sqrt([low, high]))
        grid = np.linspace(ends[0], ends[1], 9)
        total = sum(
            integrate.quad(integrand, a + 1e-12 * (a == 0), b - 1e-12 * (b > 1.57), epsabs=1e-11)[0]
            for a, b in pairwise(grid)
        )
        return float(total)

    def supported(mass: np.ndarray) -> float:
        return float(mass[codes == SUPPORTED].sum())

    def flip(mass: np.ndarray) -> float:
        return float(1 - sum(mass[codes == code].sum() ** 2 for code in range(3)))

    bad, good = truth.cdf(bar), truth.sf(bar)
    false = over(0, bar, supported)
    missed = over(bar, 1, lambda mass: 1 - supported(mass))
    assert found.prob_holds == pytest.approx(good, abs=1e-12)
    assert found.false_release == pytest.approx(false / bad, rel=1e-6)
    assert found.missed_release == pytest.approx(missed / good, rel=1e-6)
    assert found.released_false == pytest.approx(false / (false + good - missed), rel=1e-6)
    assert found.flip == pytest.approx(over(0, 1, flip), rel=1e-6)


def test_passes_needed_is_that_of_the_plan() -> None:
    found = be.operating_characteristics("pass_rate > 0.95", tasks=200, sensitivity=False)
    assert found.passes == be.plan.passes(200, above=0.95).passes
    assert found.at_bar.supported == pytest.approx(
        be.plan.assurance(200, above=0.95, design=0.95).assurance, abs=1e-14
    )
    none = be.operating_characteristics("pass_rate > 0.95", tasks=20)
    assert isinstance(none.passes, be.Unknown)
    assert isinstance(none.released_false, be.Unknown)


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("pass_rate > 0.7", "posterior"),
        ("pass_rate <= 0.7", "lower-bound"),
        ("pass^2 >= 0.5", "posterior"),
        ("pass@2 < 0.9", "lower-bound"),
    ],
)
def test_every_result_gets_the_verdict_that_evaluate_gives(rule: Any, claim: str) -> None:
    n = 9
    judge = Judge.of(claim, 0.9, rule, None, True)
    names = ["contradicted", "inconclusive", "supported"]
    codes = judge.of_passes(n)
    for passes in range(0, n + 1, 3):
        fit = be.fit(be.Rollouts.from_counts([1] * passes + [0] * (n - passes), 1), engine="exact")
        verdict = be.evaluate(claim, fit, confidence=0.9, rule=rule)
        assert names[codes[passes]] == verdict.outcome


@pytest.mark.parametrize("claim", ["pass_rate > 0.7", "pass^2 > 0.5", "pass@3 > 0.8"])
def test_clustered_suites_get_the_verdict_that_evaluate_gives(claim: str) -> None:
    rng = np.random.default_rng(3)
    chances = pass_probabilities(3, np.array([0.8]), np.array([0.4]))[0]
    histograms = rng.multinomial(40, chances, size=4)
    codes = Judge.of(claim, 0.9, "posterior", None, True).of_histograms(histograms)
    names = ["contradicted", "inconclusive", "supported"]
    for histogram, code in zip(histograms, codes, strict=True):
        suite = be.Rollouts.from_counts(np.repeat(np.arange(4), histogram), 3)
        fit = be.fit(suite, engine="exact")
        assert names[code] == be.evaluate(claim, fit, confidence=0.9).outcome


def test_stated_rates_are_those_of_fresh_simulated_runs() -> None:
    claim, tasks, rollouts, icc = "pass_rate > 0.7", 60, 4, 0.4
    found = be.operating_characteristics(
        claim,
        tasks=tasks,
        rollouts=rollouts,
        icc=icc,
        rates=[0.7, 0.8],
        sensitivity=False,
        simulations=3_000,
        rng=1,
    )
    judge = Judge.of(claim, 0.95, "posterior", None, False)
    runs = 1_500
    rng = np.random.default_rng(99)
    kappa = (1 - icc) / icc
    for row in (*found.rows, found.at_bar):
        rates = rng.beta(row.rate * kappa, (1 - row.rate) * kappa, (runs, tasks))
        passes = rng.binomial(rollouts, rates)
        histograms = np.stack([(passes == s).sum(axis=1) for s in range(rollouts + 1)], axis=1)
        codes = judge.of_histograms(histograms)
        for code, stated in ((0, row.contradicted), (1, row.inconclusive), (2, row.supported)):
            share = float(np.mean(codes == code))
            error = np.hypot(np.sqrt((stated * (1 - stated) + 1e-3) / runs), row.mcse)
            assert abs(share - stated) < 4 * error
        pairs = codes[: runs // 2] != codes[runs // 2 :]
        error = np.hypot(np.sqrt(0.25 / pairs.size), row.mcse_flip)
        assert abs(pairs.mean() - row.flip) < 4 * error
    assert 0 < found.rows[0].mcse < 0.01


def test_averages_of_clustered_runs_agree_with_fresh_ones() -> None:
    found = be.operating_characteristics(
        "pass^2 > 0.6", tasks=40, rollouts=2, sensitivity=False, simulations=3_000, rng=2
    )
    judge = Judge.of("pass^2 > 0.6", 0.95, "posterior", None, False)
    rng = np.random.default_rng(5)
    value, icc = rng.uniform(size=1_500), rng.uniform(0.001, 0.999, 1_500)
    mean = judge.question.mean_at(value, icc)
    codes = judge.of_histograms(rng.multinomial(40, pass_probabilities(2, mean, icc)))
    good = value > 0.6
    missed = float(np.mean(codes[good] != SUPPORTED))
    error = np.hypot(np.sqrt(0.25 / good.sum()), found.mcse_missed_release)
    assert abs(missed - found.missed_release) < 4 * error
    false = float(np.mean(codes[~good] == SUPPORTED))
    assert abs(false - found.false_release) < 4 * np.sqrt(0.01 / np.sum(~good))


def test_large_suites_are_certain_away_from_the_bar() -> None:
    options: dict[str, Any] = {"rollouts": 8, "simulations": 300, "sensitivity": False, "rng": 1}
    found = be.operating_characteristics(
        "pass_rate > 0.9", tasks=100_000, icc=0.3, rates=[0.5, 0.99], **options
    )
    assert [row.supported for row in found.rows] == [0, 1]
    # Only rates within half a point of the bar are missed.
    assert 0 < float(found.missed_release) < 0.05
    # A suite that can never support the claim does not, at a rate of 1 either.
    tiny = be.operating_characteristics("pass_rate > 0.9", tasks=2, rates=[0, 1], **options)
    assert [row.supported for row in tiny.rows] == [0, 0]


@given(bars, signs, st.integers(1, 120), st.sampled_from([0.8, 0.95, 0.99]), st.booleans())
def test_one_more_pass_never_lowers_the_verdict(
    bar: float, sign: str, n: int, confidence: float, sensitivity: bool
) -> None:
    codes = Judge.of(f"pass_rate {sign} {bar}", confidence, "posterior", None, sensitivity)
    steps = np.diff(codes.of_passes(n).astype(int))
    assert np.all(steps >= 0) if sign[0] == ">" else np.all(steps <= 0)


@given(bars, st.integers(1, 120), st.booleans())
def test_better_systems_are_released_more_often(bar: float, n: int, sensitivity: bool) -> None:
    found = be.operating_characteristics(
        f"pass_rate > {bar}", tasks=n, rates=np.linspace(0, 1, 21), sensitivity=sensitivity
    )
    released = [row.supported for row in found.rows]
    refused = [row.contradicted for row in found.rows]
    assert np.all(np.diff(released) >= -1e-14)
    assert np.all(np.diff(refused) <= 1e-14)
    for row in found.rows:
        assert row.supported + row.contradicted + row.inconclusive == pytest.approx(1, abs=1e-12)
        assert row.holds == (row.rate > bar)


def test_more_doubt_never_releases_more() -> None:
    plain = be.operating_characteristics("pass_rate > 0.9", tasks=150, sensitivity=False)
    careful = be.operating_characteristics("pass_rate > 0.9", tasks=150)
    bound = be.operating_characteristics(
        "pass_rate > 0.9", tasks=150, sensitivity=False, rule="lower-bound"
    )
    assert careful.at_bar.supported <= plain.at_bar.supported
    assert bound.at_bar.supported < plain.at_bar.supported
    # Under the prior of the analysis, of what is released at most 5 % is bad.
    assert plain.released_false <= 0.05


def test_same_seed_same_numbers_and_a_plain_dictionary() -> None:
    options: dict[str, Any] = {"tasks": 20, "rollouts": 2, "icc": 0.3, "simulations": 200}
    first, second = (
        be.operating_characteristics("pass_rate > 0.6", rng=4, **options) for _ in range(2)
    )
    assert first.to_dict() == second.to_dict()
    assert first.to_dict()["passes"] == {
        "unknown": "it depends on how the passes lie among the tasks"
    }
    assert "200 simulated runs" in str(first)
    assert "<div>" in first._repr_html_()


@pytest.mark.parametrize(
    ("claim", "options", "message"),
    [
        ("pass_rate > 0.9 and pass^2 > 0.5", {}, "joins several comparisons"),
        ("pass_rate - pass_rate[baseline] > 0", {}, "compares two systems"),
        ("worst_slice pass_rate > 0.5", {}, "only pass_rate, pass\\^k and pass@k"),
        ("share_of_tasks(rate >= 0.9) > 0.5", {}, "only pass_rate, pass\\^k and pass@k"),
        ("pass_rate > 0.9 for suite", {}, "only claims for new_tasks"),
        ("pass_rate > 1", {}, "strictly between 0 and 1"),
        ("pass_rate >", {}, "character 12"),
        ("pass_rate > 0.9", {"tasks": 0}, "tasks must be at least 1"),
        ("pass_rate > 0.9", {"tasks": 2_000_000}, "tasks must be at most 1,000,000"),
        ("pass_rate > 0.9", {"rollouts": 0}, "rollouts must be at least 1"),
        ("pass_rate > 0.9", {"icc": 1.2, "rollouts": 2}, "icc must be between 0 and 1"),
        ("pass_rate > 0.9", {"confidence": 95}, "confidence must lie above 0.5"),
        ("pass_rate > 0.9", {"rule": "bound"}, "rule must be one of"),
        ("pass_rate > 0.9", {"rates": [0.5, 2]}, "rates must be between 0 and 1"),
        ("pass_rate > 0.9", {"rates": "high"}, "rates must be a number or an array"),
        ("pass_rate > 0.9", {"rates": []}, "rates must be a list"),
        ("pass_rate > 0.9", {"simulations": 10}, "simulations must be at least 100"),
        ("pass_rate > 0.9", {"design": "flat"}, "prior must be one of"),
        ("pass^2 > 0.9", {"prior": be.MixturePrior(((1.0, 1, 1),))}, "HierarchicalPrior"),
    ],
)
def test_wrong_input(claim: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.operating_characteristics(claim, **{"tasks": 50} | options)
