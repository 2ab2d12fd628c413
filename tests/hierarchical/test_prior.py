"""HierarchicalPrior: what it accepts, refuses and says."""

from typing import Any

import pytest

import bayeseval as be


def test_default_is_uniform_on_both() -> None:
    prior = be.HierarchicalPrior()
    assert (prior.mean, prior.icc, prior.log_kappa) == ((1, 1), (1, 1), None)
    assert prior == be.HierarchicalPrior.named("uniform")
    assert prior.kappa_mean_is_infinite


def test_formula_names_both_priors() -> None:
    prior = be.HierarchicalPrior(mean=(2, 5), log_kappa=(1, 1.5))
    assert prior.formula == "mean ~ Beta(2, 5), log kappa ~ Normal(1, 1.5)"
    assert not prior.kappa_mean_is_infinite
    assert "Beta(0.5, 0.5)" in repr(be.HierarchicalPrior.named("arcsine"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"icc": (1, 1), "log_kappa": (1, 1)}, "not both"),
        ({"mean": (0, 1)}, "mean must be above 0"),
        ({"mean": 3}, "mean must be a pair"),
        ({"icc": (1, 2, 3)}, "icc must be a pair"),
        ({"icc": (1, float("nan"))}, "icc must be a finite number"),
        ({"log_kappa": (1, 0)}, "log_kappa sd must be above 0"),
        ({"log_kappa": ("a", 1)}, "log_kappa must be a number"),
    ],
)
def test_wrong_priors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.HierarchicalPrior(**arguments)


def test_unknown_name_lists_the_names() -> None:
    with pytest.raises(be.InputError, match=r"'uniform', 'arcsine'.*did you mean 'arcsine'"):
        be.HierarchicalPrior.named("arcsin")  # type: ignore[arg-type]
