"""The PyMC model: its variables, and the same density collapsed or not."""

import numpy as np
import pytest

import bayeseval as be
from tests.hierarchical.suites import SUITES

PRIORS = [
    be.HierarchicalPrior(),
    be.HierarchicalPrior(mean=(2, 5), icc=(3, 1)),
    be.HierarchicalPrior(log_kappa=(1, 1.5)),
]


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_collapsed_and_explicit_densities_differ_by_a_constant(
    prior: be.HierarchicalPrior,
) -> None:
    rollouts = SUITES["unequal"]
    collapsed = be.build_model(rollouts, prior=prior).compile_logp()
    model = be.build_model(rollouts, prior=prior, collapse=False)
    explicit = model.compile_logp()
    start = model.initial_point()
    rng = np.random.default_rng(2)
    points = [{name: np.asarray(rng.normal()) for name in start} for _ in range(8)]
    differences = [float(explicit(point) - collapsed(point)) for point in points]
    assert differences == pytest.approx([be.fit(rollouts, engine="exact").exact.tails.log_ways] * 8)


def test_collapsed_density_is_that_of_the_exact_engine() -> None:
    rollouts = SUITES["u_shaped"]
    fit = be.fit(rollouts, engine="exact")
    logp = be.build_model(rollouts).compile_logp()
    for x, y in ((0.3, -1.0), (-2.0, 2.0), (1.0, 0.0)):
        point = {"mean_logodds__": np.asarray(x), "icc_logodds__": np.asarray(y)}
        joint = float(fit.exact.log_joint(np.asarray(x), np.asarray(y)))
        assert float(logp(point)) == pytest.approx(joint, rel=1e-10)


def test_variables_and_dimensions() -> None:
    rollouts = be.Rollouts.from_counts([1, 0, 2], [2, 0, 2], task=["a", "idle", 3])
    model = be.build_model(rollouts)
    assert [variable.name for variable in model.free_RVs] == ["mean", "icc"]
    assert [variable.name for variable in model.deterministics] == ["log_kappa"]
    assert list(model.coords["task"]) == ["a", "3"]
    explicit = be.build_model(rollouts, collapse=False)
    assert [variable.name for variable in explicit.observed_RVs] == ["passes"]
    assert explicit.named_vars_to_dims["passes"] == ("task",)
    on_kappa = be.build_model(rollouts, prior=be.HierarchicalPrior(log_kappa=(1, 1.5)))
    assert [variable.name for variable in on_kappa.free_RVs] == ["mean", "log_kappa"]
    assert [variable.name for variable in on_kappa.deterministics] == ["icc"]


def test_the_model_does_not_grow_with_the_number_of_tasks() -> None:
    small = be.build_model(be.Rollouts.from_counts([4, 0, 2] * 2, 4))
    large = be.build_model(be.Rollouts.from_counts([4, 0, 2] * 2000, 4))

    def size(model: object) -> int:
        (potential,) = model.potentials  # type: ignore[attr-defined]
        from pytensor.graph.traversal import ancestors

        return sum(1 for _ in ancestors([potential]))

    assert size(small) == size(large)
