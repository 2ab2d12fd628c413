"""power_scaling: how draws answer to a stronger prior or likelihood."""

import arviz as az
import numpy as np
import pytest

import bayeseval as be

SUITE = be.Rollouts.from_counts([4] * 8 + [2] * 2 + [0] * 2, 4)


def _fit(prior: be.HierarchicalPrior | None = None) -> be.Fit:
    return be.fit(SUITE, engine="exact", prior=prior, rng=1)


def test_a_uniform_prior_has_no_power_to_scale() -> None:
    found = be.power_scaling(_fit())
    assert found.flat_prior
    for row in found.rows:
        assert row.prior == 0
        assert row.likelihood > 0.05
        assert row.diagnosis.startswith("the data decide; a uniform prior")


def test_the_numbers_are_those_of_arviz_on_the_tree_of_the_fit() -> None:
    fit = _fit(be.HierarchicalPrior(mean=(2, 2), icc=(2, 2)))
    found = be.power_scaling(fit)
    assert not found.flat_prior
    for group in ("prior", "likelihood"):
        expected = az.psense(fit.dt, var_names=["mean", "icc"], group=group)
        for name in ("mean", "icc"):
            assert getattr(found[name], group) == pytest.approx(float(expected[name]), rel=1e-4)


def test_a_prior_against_the_data_is_seen() -> None:
    assert be.power_scaling(_fit(be.HierarchicalPrior(mean=(3, 12))))["mean"].diagnosis == (
        "prior and data disagree, or the prior is informative"
    )
    mild = be.power_scaling(_fit(be.HierarchicalPrior(mean=(1.1, 1.1))))
    assert mild["mean"].diagnosis == "the data decide"
    assert mild["mean"].prior < 0.05


def test_one_rollout_per_task_leaves_the_icc_to_its_prior() -> None:
    suite = be.Rollouts.from_counts([1] * 8 + [0] * 4, 1)
    fit = be.fit(suite, engine="exact", prior=be.HierarchicalPrior(icc=(2, 3)), rng=1)
    assert be.power_scaling(fit)["icc"].diagnosis.startswith("a strong prior, or weak data")
    flat = be.power_scaling(be.fit(suite, engine="exact", rng=1))
    assert flat["icc"].diagnosis.startswith("the data hardly tell about it")


def test_a_normal_prior_of_log_kappa() -> None:
    row = be.power_scaling(_fit(be.HierarchicalPrior(log_kappa=(0.5, 0.5))))["icc"]
    assert row.prior > 0.05


def test_draws_at_the_very_ends_are_not_reweighted() -> None:
    # All pass under a prior that is heavy at the ends: most draws are 1 to double precision.
    prior = be.HierarchicalPrior(mean=(0.5, 0.02), icc=(0.5, 0.02))
    fit = be.fit(be.Rollouts.from_counts([8] * 40, 8), engine="exact", prior=prior, rng=1)
    for row in be.power_scaling(fit).rows:
        assert np.isnan(row.prior)
        assert row.diagnosis.startswith("unknown: the draws pile up")


@pytest.mark.slow
def test_draws_of_nuts() -> None:
    prior = be.HierarchicalPrior(mean=(3, 12))
    fit = be.fit(SUITE, prior=prior, draws=1000, rng=1, progress=False)
    drawn, exact = be.power_scaling(fit), be.power_scaling(_fit(prior))
    for name in ("mean", "icc"):
        assert drawn[name].prior == pytest.approx(exact[name].prior, abs=0.05)
        assert drawn[name].likelihood == pytest.approx(exact[name].likelihood, abs=0.05)
    # The refits of a sampled fit are exact, that under its own prior included.
    found = be.prior_sensitivity(fit, above=0.5)
    assert found.reference.posterior.engine == "exact"
    assert found.reference.prob == pytest.approx(_fit(prior).pass_rate().prob_above(0.5), rel=1e-9)


def test_text_and_frame() -> None:
    found = be.power_scaling(_fit())
    assert str(found).startswith("mean: prior 0.000, likelihood 0.")
    assert list(found.to_pandas()["quantity"]) == ["mean", "icc"]
    with pytest.raises(KeyError, match="no row 'kappa'"):
        found["kappa"]


def test_wrong_input() -> None:
    with pytest.raises(be.InputError, match=r"fit must be a Fit.* got Rollouts"):
        be.power_scaling(SUITE)  # type: ignore[arg-type]
    with pytest.raises(be.InputError, match="threshold must be above 0"):
        be.power_scaling(_fit(), threshold=0)
