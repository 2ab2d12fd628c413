"""The exact 2 x 2 table against reference values, and its laws."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from bayeseval.comparison import PairedTable, newcombe_interval, paired_tests
from bayeseval.comparison._questions import loss_of
from bayeseval.comparison._table import paired_posterior
from bayeseval.errors import InputError
from bayeseval.posterior import About, GridPosterior

Vectors = Callable[[str], list[dict[str, Any]]]
ABOUT = About("difference in pass rate", "exact", unit="points")
UNIFORM = (1.0, 1.0, 1.0, 1.0)


def table_of(case: dict[str, int]) -> PairedTable:
    """System A of the vectors is the new one, so that differences are A - B."""
    return PairedTable(case["n11"], case["n10"], case["n01"], case["n00"])


def posterior_of(table: PairedTable) -> GridPosterior:
    return paired_posterior(table, UNIFORM, ABOUT)


def test_posterior_meets_the_vectors(vectors: Vectors) -> None:
    for case in vectors("paired"):
        expected, tolerance = case["expected"]["bayes"], case["tolerance"]
        close = pytest.approx
        for flipped in (False, True):
            table = table_of(case["case"])
            found = posterior_of(table.swapped if flipped else table)
            sign = -1.0 if flipped else 1.0
            assert sign * found.mean == close(expected["mean_diff"], abs=tolerance["abs"])
            assert found.sd == close(expected["sd_diff"], abs=tolerance["abs"])
            for by, chance in expected["pr_diff_gt"].items():
                threshold = float(by)
                tail = found.prob_below(-threshold) if flipped else found.prob_above(threshold)
                assert tail == close(chance, abs=tolerance["abs"])
            logs = found.log_prob_above(0.0) if flipped else found.log_prob_below(0.0)
            assert logs / np.log(10.0) == close(
                expected["log10_pr_b_gt_a"], abs=tolerance["log10_abs"]
            )
            for prob, limits in expected["diff_eti"].items():
                lower, upper = found.eti(float(prob))
                mine = [-upper, -lower] if flipped else [lower, upper]
                assert mine == close(limits, abs=tolerance["abs"])


def test_tests_and_intervals_meet_the_vectors(vectors: Vectors) -> None:
    for case in vectors("paired"):
        expected, tolerance = case["expected"], case["tolerance"]["abs"]
        table = table_of(case["case"])
        found = paired_tests(table)
        assert found.difference == pytest.approx(expected["diff"], abs=tolerance)
        assert found.exact == pytest.approx(expected["mcnemar_exact"], abs=tolerance)
        assert found.mid_p == pytest.approx(expected["mcnemar_mid_p"], abs=tolerance)
        assert found.exact_new_better == pytest.approx(
            expected["mcnemar_exact_one_sided_a_better"], abs=tolerance
        )
        assert found.se == pytest.approx(expected["se_diff"], abs=tolerance)
        assert found.phi == pytest.approx(expected["phi"] or 0.0, abs=tolerance)
        for name, value in (
            ("se_diff_n_minus_1", found.se_sample),
            ("mcnemar_chi2", found.chi2),
            ("mcnemar_chi2_cc", found.chi2_cc),
        ):
            if expected[name] is None:
                assert repr(value).startswith("UNKNOWN")
            else:
                assert value == pytest.approx(expected[name], abs=tolerance)
        for method, corrected in (("newcombe10", True), ("newcombe8", False)):
            for prob, limits in expected[method].items():
                interval = newcombe_interval(table, ci_prob=float(prob), corrected=corrected)
                assert list(interval) == pytest.approx(limits, abs=tolerance)


counts = st.integers(0, 60)
tables = st.builds(PairedTable, counts, counts, counts, counts)


@settings(max_examples=20)
@given(tables)
def test_swapping_flips_the_sign_exactly(table: PairedTable) -> None:
    found, other = posterior_of(table), posterior_of(table.swapped)
    assert other.mean == -found.mean
    assert other.sd == found.sd
    assert other.prob_above(0.1) == pytest.approx(found.prob_below(-0.1), rel=1e-12, abs=1e-15)
    assert other.quantile(0.1) == pytest.approx(-found.quantile(0.9), abs=1e-12)
    if table.n_tasks:
        lower, upper = newcombe_interval(table)
        if table.new_only != table.old_only:
            assert tuple(newcombe_interval(table.swapped)) == (-upper, -lower)


@settings(max_examples=20)
@given(tables)
def test_posterior_has_its_closed_moments_and_sign(table: PairedTable) -> None:
    found = posterior_of(table)
    bare = replace(found, moments=None)
    assert bare.mean == pytest.approx(found.mean, abs=1e-9)
    assert bare.sd == pytest.approx(found.sd, abs=1e-9)
    # Pr[new better] has a closed form: the share of wins among discordant tasks.
    closed = special.betainc(1 + table.old_only, 1 + table.new_only, 0.5)
    assert found.prob_above(0.0) == pytest.approx(closed, abs=1e-9)
    loss = loss_of(found)
    assert loss.choose_old - loss.choose_new == pytest.approx(found.mean, abs=1e-9)
    assert min(loss.choose_old, loss.choose_new) >= 0.0


@pytest.mark.parametrize(
    ("table", "prior"),
    [
        (PairedTable(5, 0, 0, 5), (0.5,) * 4),
        (PairedTable(10**6, 500, 300, 10**6), UNIFORM),
        (PairedTable(0, 300, 0, 0), UNIFORM),
        (PairedTable(3, 40, 200, 4), (0.1,) * 4),
    ],
)
def test_extreme_tables_keep_their_digits(
    table: PairedTable, prior: tuple[float, float, float, float]
) -> None:
    found = paired_posterior(table, prior, ABOUT)
    bare = replace(found, moments=None)
    assert bare.mean == pytest.approx(found.mean, abs=1e-9)
    assert bare.sd == pytest.approx(found.sd, rel=1e-8)
    new, old = table.new_only + prior[1], table.old_only + prior[2]
    assert found.prob_below(0.0) == pytest.approx(special.betainc(new, old, 0.5), rel=1e-7)


def test_intervals_cover_at_their_level(rng: np.random.Generator) -> None:
    # Tables at the centre of the prior's reach: 95 % intervals of 100 of them, whose cells are
    # drawn from the prior, hold the truth in 95 % of cases by construction.
    cells = rng.dirichlet(np.ones(4), size=100)
    held = 0
    for cell in cells:
        both, new, old, neither = rng.multinomial(50, cell)
        lower, upper = posterior_of(PairedTable(both, new, old, neither)).eti(0.95)
        held += lower <= cell[1] - cell[2] <= upper
    # Four standard errors of a share of 100 at 95 %.
    assert abs(held / 100 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 100)


def test_equal_systems_are_told_apart_at_the_stated_rate(rng: np.random.Generator) -> None:
    # A/A: one U-shaped suite of 60 tasks, run twice by the same system.
    found = 0
    for _ in range(100):
        rate = rng.beta(0.4, 0.3, size=60)
        first, second = rng.uniform(size=(2, 60)) < rate
        table = PairedTable(
            int(np.sum(first & second)),
            int(np.sum(second & ~first)),
            int(np.sum(first & ~second)),
            int(np.sum(~first & ~second)),
        )
        lower, upper = posterior_of(table).eti(0.95)
        found += lower > 0 or upper < 0
    assert found / 100 < 0.05 + 4 * np.sqrt(0.95 * 0.05 / 100)


@pytest.mark.parametrize("prior", [(1, 1, 1), (1, 1, 1, 0), (1, 1, 1, -1), "many", 3])
def test_wrong_prior(prior: Any) -> None:
    from bayeseval.comparison._table import as_dirichlet

    with pytest.raises(InputError, match="prior must"):
        as_dirichlet(prior)


def test_wrong_table() -> None:
    with pytest.raises(InputError, match="new_only must be at least 0"):
        PairedTable(1, -1, 0, 0)
    with pytest.raises(InputError, match="empty"):
        paired_tests(PairedTable(0, 0, 0, 0))
