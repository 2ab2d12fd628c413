"""A refit is the fit that the exact engine would have made, without its checks."""

from typing import Any, Literal

import pytest

import bayeseval as be
from bayeseval.sensitivity import NAMED_PRIORS
from bayeseval.slices._refit import both_fates, refit

SUITE = be.Rollouts.from_counts(
    [3, 0, 2, 4, 1, 2],
    [4, 4, 3, 4, 4, 2],
    errored=[0, 0, 1, 0, 0, 2],
    factors={"kind": ["a", "a", "a", "b", "b", "b"]},
)
JEFFREYS = NAMED_PRIORS["jeffreys"].hierarchical()
POOLINGS: tuple[Literal["none", "complete"], ...] = ("none", "complete")


def exact(suite: be.Rollouts, **options: Any) -> be.Fit:
    return be.fit(suite, engine="exact", rng=1, **options)


@pytest.mark.filterwarnings("ignore::bayeseval.CheckWarning")
@pytest.mark.parametrize("lost", ["exclude", "fail", "pass"])
@pytest.mark.parametrize("prior", [None, JEFFREYS])
def test_a_suite(lost: Any, prior: be.HierarchicalPrior | None) -> None:
    found = refit(exact(SUITE), lost=lost, prior=prior)
    expected = exact(SUITE.with_lost(lost), prior=prior)
    assert found.pass_rate().mean == expected.pass_rate().mean
    assert found.icc().mean == expected.icc().mean
    assert found.prior == expected.prior
    assert not len(found.checks.rows)


@pytest.mark.filterwarnings("ignore::bayeseval.CheckWarning")
@pytest.mark.parametrize("lost", ["exclude", "fail"])
@pytest.mark.parametrize("pooling", POOLINGS)
def test_slices(lost: Any, pooling: Literal["none", "complete"]) -> None:
    fit = be.fit(SUITE, by="kind", pooling=pooling, rng=1)
    found = refit(fit, lost=lost, prior=JEFFREYS)
    expected = be.fit(SUITE.with_lost(lost), by="kind", pooling=pooling, prior=JEFFREYS, rng=1)
    assert found.pooling == pooling
    assert list(found.slices) == list(expected.slices)
    for label, each in expected.slices.items():
        assert found.slices[label].pass_rate().mean == each.pass_rate().mean
        assert found.slices[label].pooled == each.pooled


@pytest.mark.filterwarnings("ignore::bayeseval.CheckWarning")
def test_both_fates() -> None:
    fates = both_fates(exact(SUITE))
    assert fates is not None
    failed, passed = fates
    assert failed.pass_rate().mean < exact(SUITE).pass_rate().mean < passed.pass_rate().mean
    assert both_fates(exact(SUITE.with_lost("fail"))) is None
