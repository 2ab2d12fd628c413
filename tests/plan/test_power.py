"""Two pass rates: against statsmodels, against brute force, laws, wrong input."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be

rates = st.integers(2, 98).map(lambda percent: percent / 100)


@pytest.mark.parametrize(("p1", "p2", "n"), [(0.85, 0.75, 180), (0.5, 0.6, 100), (0.98, 0.9, 50)])
def test_unpaired_power_agrees_with_statsmodels(p1: float, p2: float, n: int) -> None:
    from statsmodels.stats.proportion import power_proportions_2indep

    found = power_proportions_2indep(p1 - p2, p2, n, ratio=1, alpha=0.05)
    assert be.plan.unpaired_power(p1, p2, n).power_both_tails == pytest.approx(
        found.power, abs=1e-9
    )


def test_unpooled_formula() -> None:
    # (1.959964 + 0.841621)^2 (0.85 * 0.15 + 0.75 * 0.25) / 0.1^2
    plan = be.plan.unpaired_size(0.85, 0.75, variance="unpooled")
    z = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert plan.tasks_real == pytest.approx(z**2 * 0.315 / 0.01, rel=1e-9)
    assert plan.tasks == 248
    assert plan.at.power == pytest.approx(0.8, abs=0.005)


@pytest.mark.parametrize("variance", ["pooled", "unpooled"])
@pytest.mark.parametrize(("p1", "p2", "n"), [(0.7, 0.4, 25), (1.0, 0.6, 12), (0.05, 0.3, 31)])
def test_exact_power_by_brute_force(p1: float, p2: float, n: int, variance: Any) -> None:
    z, total = stats.norm.isf(0.025), 0.0
    for a in range(n + 1):
        for b in range(n + 1):
            x, y = a / n, b / n
            mean = (x + y) / 2
            spread = 2 * mean * (1 - mean) if variance == "pooled" else x * (1 - x) + y * (1 - y)
            if a != b and (x - y) ** 2 * n >= z * z * spread:
                total += stats.binom.pmf(a, n, p1) * stats.binom.pmf(b, n, p2)
    got = be.plan.unpaired_power(p1, p2, n, variance=variance)
    assert got.exact_power == pytest.approx(total, abs=1e-12)


def test_exact_power_by_simulation(rng: np.random.Generator) -> None:
    n, runs = 180, 40_000
    a, b = rng.binomial(n, 0.85, runs), rng.binomial(n, 0.75, runs)
    mean = (a + b) / (2 * n)
    share = np.mean(np.abs(a - b) / n >= stats.norm.isf(0.025) * np.sqrt(2 * mean * (1 - mean) / n))
    error = math.sqrt(share * (1 - share) / runs)
    assert abs(be.plan.unpaired_power(0.85, 0.75, n).exact_power - share) < 4 * error


def test_the_popular_180_and_750_are_too_few() -> None:
    assert be.plan.unpaired_size(0.85, 0.75).tasks == 250
    assert be.plan.unpaired_size(0.85, 0.80).tasks == 906
    assert be.plan.unpaired_power(0.85, 0.75, 180).power == pytest.approx(0.661, abs=5e-4)
    assert be.plan.unpaired_power(0.85, 0.80, 750).power == pytest.approx(0.722, abs=5e-4)


@given(rates, rates, st.floats(0.5, 0.99), st.floats(0.001, 0.2))
def test_size_reaches_its_power_and_one_task_less_does_not(
    p1: float, p2: float, power: float, alpha: float
) -> None:
    assume(p1 != p2)
    plan = be.plan.unpaired_size(p1, p2, power=power, alpha=alpha)
    assert plan.at.power >= power - 1e-9
    if plan.tasks > 1:
        assert be.plan.unpaired_power(p1, p2, plan.tasks - 1, alpha=alpha).power < power
    assert plan.tasks_corrected >= plan.tasks


@given(rates, rates, st.integers(1, 400))
def test_more_tasks_more_power_and_the_two_sides_may_be_swapped(
    p1: float, p2: float, n: int
) -> None:
    assume(p1 != p2)
    few, many = (be.plan.unpaired_power(p1, p2, k) for k in (n, 2 * n))
    assert many.power >= few.power
    swapped = be.plan.unpaired_power(p2, p1, n)
    assert swapped.power == few.power
    assert swapped.exact_power == pytest.approx(few.exact_power, abs=1e-12)
    assert 0 <= few.exact_power <= 1


def _mcnemar(share: float, difference: float, n: int, alpha: float) -> tuple[float, float]:
    """Both powers by summing over every table of n tasks."""
    gains, losses = (share + difference) / 2, (share - difference) / 2
    z, by_z, by_tail = stats.norm.isf(alpha / 2), 0.0, 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            if a + b == 0:
                continue
            chance = stats.multinomial.pmf([a, b, n - a - b], n, [gains, losses, 1 - share])
            by_z += chance * ((a - b) ** 2 >= z * z * (a + b))
            by_tail += chance * (2 * stats.binom.cdf(min(a, b), a + b, 0.5) <= alpha)
    return by_z, by_tail


@pytest.mark.parametrize(
    ("p1", "p2", "share", "n", "alpha"),
    [(0.7, 0.5, 0.4, 30, 0.05), (0.9, 0.8, 0.1, 25, 0.05), (0.5, 0.4, 0.9, 20, 0.2)],
)
def test_paired_power_by_brute_force(
    p1: float, p2: float, share: float, n: int, alpha: float
) -> None:
    got = be.plan.paired_power(p1, p2, n, discordant=share, alpha=alpha)
    expected = _mcnemar(share, abs(p1 - p2), n, alpha)
    assert (got.exact_power, got.exact_test_power) == pytest.approx(expected, abs=1e-11)


def test_paired_formula() -> None:
    z, z_power = stats.norm.isf(0.025), stats.norm.isf(0.2)
    real = (z * math.sqrt(0.2) + z_power * math.sqrt(0.19)) ** 2 / 0.01
    plan = be.plan.paired_size(0.85, 0.75, discordant=0.2)
    assert plan.tasks_real == pytest.approx(real, rel=1e-9)
    assert plan.tasks == 155


def test_correlation_stands_for_a_share() -> None:
    share = 0.85 * 0.25 + 0.75 * 0.15 - 2 * 0.5 * math.sqrt(0.85 * 0.15 * 0.75 * 0.25)
    by_share = be.plan.paired_size(0.85, 0.75, discordant=share)
    by_correlation = be.plan.paired_size(0.85, 0.75, correlation=0.5)
    assert by_correlation.discordant == pytest.approx(share, rel=1e-12)
    assert by_correlation.tasks == by_share.tasks < be.plan.unpaired_size(0.85, 0.75).tasks


@given(rates, rates, st.floats(0, 0.4), st.floats(0, 0.4))
def test_alike_systems_need_no_more_tasks(p1: float, p2: float, one: float, two: float) -> None:
    assume(abs(p1 - p2) > 1e-9)
    low, high = abs(p1 - p2), min(p1 + p2, 2 - p1 - p2)
    less, more = sorted(low + share * (high - low) for share in (one, two))
    sizes = [be.plan.paired_size(p1, p2, discordant=share).tasks for share in (less, more)]
    assert sizes[0] <= sizes[1]


def test_exact_test_never_exceeds_its_level_where_the_rates_are_nearly_equal() -> None:
    power = be.plan.paired_power(0.5, 0.5 + 1e-9, 200, discordant=0.3)
    assert power.exact_test_power <= 0.05 + 1e-9
    assert power.exact_power == pytest.approx(0.05, abs=0.01)


def test_not_enumerated_where_it_would_take_long() -> None:
    for plan in (
        be.plan.unpaired_power(0.5, 0.501, 10**6),
        be.plan.paired_power(0.5, 0.501, 10**6, discordant=0.3),
    ):
        assert isinstance(plan.exact_power, be.Unknown)
        assert "exact" not in repr(plan)


def test_certain_rates() -> None:
    assert be.plan.unpaired_size(1, 0).tasks == 2
    assert be.plan.unpaired_power(1, 0, 50).power == 1
    assert be.plan.paired_power(1, 0, 50, discordant=1).exact_test_power == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: be.plan.unpaired_size(0.8, 0.8), "rate_from and rate_to must differ"),
        (lambda: be.plan.unpaired_size(85, 75), "rate_from must be between 0 and 1"),
        (lambda: be.plan.unpaired_size(0.8, 0.7, power=1), "power must be strictly between"),
        (lambda: be.plan.unpaired_size(0.8, 0.7, power=0.02), "power must exceed alpha / 2"),
        (lambda: be.plan.unpaired_size(0.8, 0.7, alpha=0), "alpha must be strictly between"),
        (lambda: be.plan.unpaired_size(0.8, 0.7, variance="both"), "variance must be one of"),  # type: ignore[arg-type]
        (lambda: be.plan.unpaired_size(0.5, 0.5 + 1e-9), "lie further apart"),
        (lambda: be.plan.unpaired_power(0.8, 0.7, 0), "tasks must be at least 1"),
        (lambda: be.plan.paired_size(0.8, 0.7), "exactly one of discordant"),
        (
            lambda: be.plan.paired_size(0.8, 0.7, discordant=0.2, correlation=0.1),
            "exactly one of discordant",
        ),
        (lambda: be.plan.paired_size(0.8, 0.7, discordant=0.05), "between 0.1 and 0.5"),
        (lambda: be.plan.paired_size(0.8, 0.7, discordant=0.6), "between 0.1 and 0.5"),
        (lambda: be.plan.paired_size(0.8, 0.7, correlation=1), "correlation = 1.0, which is"),
        (lambda: be.plan.paired_size(0.8, 0.7, correlation=2), "between -1 and 1"),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call()
