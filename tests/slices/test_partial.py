"""Partially pooled slices: one small fit, and the model beside the likelihood of each slice."""

import warnings
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from bayeseval._special import log_expit
from bayeseval.hierarchical._likelihood import log_likelihood, tail_counts
from bayeseval.posterior import DrawsPosterior
from bayeseval.slices import split
from bayeseval.slices._model import _apart, _log_likelihood

SIZES = {"a": 40, "b": 30, "c": 25, "small": 4}


def suite() -> be.Rollouts:
    rng = np.random.default_rng(6)
    means = {"a": 0.8, "b": 0.7, "c": 0.75, "small": 0.2}
    passes = [
        rng.binomial(4, rng.beta(2 * means[name], 2 * (1 - means[name]), size))
        for name, size in SIZES.items()
    ]
    labels = np.repeat(list(SIZES), list(SIZES.values())).tolist()
    return be.Rollouts.from_counts(np.concatenate(passes), 4, factors={"slice": labels})


@pytest.fixture(scope="session")
def partial() -> be.SlicedFit:
    with warnings.catch_warnings():
        # Few draws: what the checks say is looked at below.
        warnings.simplefilter("ignore", be.CheckWarning)
        return be.fit(suite(), by="slice", draws=500, tune=500, chains=4, cores=1, rng=3)


@pytest.fixture(scope="session")
def exactly() -> dict[str, be.SlicedFit]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        return {how: be.fit(suite(), by="slice", pooling=how) for how in ("none", "complete")}


def test_the_likelihood_is_that_of_every_slice() -> None:
    import pytensor
    import pytensor.tensor as pt

    slices = split(suite(), "slice")
    logits = [pt.dvector(), pt.dvector()]
    graph = _log_likelihood(list(slices.values()), *logits)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=len(slices)), rng.normal(size=len(slices))
    found = pytensor.function(logits, graph, mode="FAST_COMPILE")(x, y)
    expected = sum(
        float(log_likelihood(tail_counts(part), *log_expit(np.array(a)), np.array(b)))
        for part, a, b in zip(slices.values(), x, y, strict=True)
    )
    assert float(found) == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
def test_partial_pooling_lies_between_none_and_complete(
    partial: be.SlicedFit, exactly: dict[str, be.SlicedFit]
) -> None:
    alone, whole = exactly["none"]["small"].pass_rate(), exactly["complete"].pass_rate()
    drawn = partial["small"].pass_rate()
    assert alone.mean + 4 * drawn.mcse_mean < drawn.mean < whole.mean - 4 * drawn.mcse_mean
    # A large slice is hardly moved, a small one much.
    moved = {
        name: abs(partial[name].pass_rate().mean - exactly["none"][name].pass_rate().mean)
        for name in SIZES
    }
    assert moved["a"] < 0.03
    assert moved["small"] > moved["a"]


@pytest.mark.slow
def test_weighted_answers_are_made_draw_by_draw(partial: be.SlicedFit) -> None:
    weights = {"a": 0.1, "b": 0.2, "c": 0.3, "small": 0.4}
    answer = partial.pass_hat_k(2, weights=weights)
    assert isinstance(answer, DrawsPosterior)
    assert answer.engine == "nuts"
    draws = sum(w * np.asarray(partial[name].pass_hat_k(2).draws) for name, w in weights.items())  # type: ignore[attr-defined]
    assert answer.draws == pytest.approx(np.asarray(draws))
    assert answer.mcse_mean > 0
    for population in ("suite", "next_run"):
        each: Any = population
        assert partial.pass_rate(population=each).sd < partial.pass_rate().sd
    assert partial.pass_rate(population="suite").mean == pytest.approx(
        suite().pass_rate.mean(), abs=0.03
    )


@pytest.mark.slow
def test_worst_slice_and_bounds_by_draws(partial: be.SlicedFit) -> None:
    worst = partial.worst_slice()
    assert next(iter(worst.prob_worst)) == "small"
    assert worst.posterior.mean <= min(partial[name].pass_rate().mean for name in SIZES)
    low, high = partial.bounds(weights={"a": 0.3, "b": 0.3, "c": 0.1, "small": 0.1, "new": 0.2})
    assert isinstance(low, DrawsPosterior)
    assert isinstance(high, DrawsPosterior)
    assert high.draws - low.draws == pytest.approx(np.full(low.draws.shape, 0.2))


@pytest.mark.slow
def test_what_the_sampler_met_is_told(partial: be.SlicedFit) -> None:
    diverging = int(partial.dt["sample_stats"]["diverging"].sum())
    assert partial.checks["divergences"].value == diverging
    assert partial.checks["divergences"].passed == (diverging == 0)
    names = [check.name for check in partial.checks.rows]
    assert {"r_hat", "ess_bulk", "ess_tail", "divergences", "bfmi", "mcse"} < set(names)
    assert sum(name.startswith("predictive of ") for name in names) >= 1
    assert partial["a"].checks["predictive"].limit == pytest.approx(0.01 / 4)
    assert partial.dt["posterior"].sizes["slice"] == 4


@pytest.mark.slow
def test_the_same_seed_the_same_numbers(partial: be.SlicedFit) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        again = be.fit(suite(), by="slice", draws=500, tune=500, chains=4, cores=1, rng=3)
    assert again.pass_rate().mean == partial.pass_rate().mean


@pytest.mark.slow
def test_what_needs_a_suite_of_its_own_is_refused(
    partial: be.SlicedFit, exactly: dict[str, be.SlicedFit]
) -> None:
    for fit in (partial["a"], exactly["complete"]["a"]):
        for ask in (
            lambda one: one.log_marginal,
            lambda one: one.save("a.nc"),
            be.prior_sensitivity,
            be.power_scaling,
        ):
            with pytest.raises(be.InputError, match="this slice was pooled with others; fit it"):
                ask(fit)
    assert np.isfinite(exactly["none"]["a"].log_marginal)


def test_slices_far_apart_are_sampled_as_they_are() -> None:
    def parts(rates: list[float]) -> list[be.Rollouts]:
        return [
            be.Rollouts.from_counts(np.repeat([1, 0], [int(400 * r), 400 - int(400 * r)]), 1)
            for r in rates
        ]

    assert _apart(parts([0.1, 0.3, 0.5, 0.7, 0.9]))
    assert not _apart(parts([0.5] * 5))
    assert not _apart(parts([0.1, 0.9]))


@pytest.mark.parametrize(
    ("slices", "prior", "message"),
    [
        ({}, None, "two or more; got 0"),
        ({"a": suite()}, None, "two or more; got 1"),
        (
            {"a": suite(), "b": suite()},
            be.HierarchicalPrior(log_kappa=(1.0, 1.5)),
            "partial pooling needs a prior on the ICC; a prior on log_kappa goes with",
        ),
        (
            {"a": suite(), "b": be.Rollouts.from_counts([0], [0], errored=[1])},
            None,
            "slice 'b' has no scored rollout",
        ),
    ],
)
def test_models_that_are_refused(slices: Any, prior: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.build_sliced_model(slices, prior=prior)
