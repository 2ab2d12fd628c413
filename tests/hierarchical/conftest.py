"""Vectors and fits that the tests of the hierarchical model share."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from tests.hierarchical.suites import PRIORS, SUITES, exact


@pytest.fixture(scope="session")
def exact_fits() -> dict[str, be.Fit]:
    return {name: exact(rollouts) for name, rollouts in SUITES.items()}


@pytest.fixture(scope="session")
def nuts_fits() -> dict[str, be.Fit]:
    return {
        name: be.fit(rollouts, engine="nuts", draws=1000, tune=600, chains=4, cores=1, rng=7)
        for name, rollouts in SUITES.items()
    }


@pytest.fixture(scope="session")
def vector_case(
    vectors: Callable[[str], list[dict[str, Any]]],
) -> Callable[[str, str], tuple[dict[str, Any], dict[str, Any], be.Fit]]:
    """Reads a case by name and prior: expected values, tolerances, and the exact fit."""

    @cache
    def load(name: str, prior: str) -> tuple[dict[str, Any], dict[str, Any], be.Fit]:
        (found,) = [
            case
            for case in vectors("hierarchical")
            if (case["case"]["name"], case["case"]["prior"]) == (name, prior)
        ]
        tasks = found["case"]["tasks"]
        count = [task["count"] for task in tasks]
        rollouts = be.Rollouts.from_counts(
            np.repeat([task["s"] for task in tasks], count),
            np.repeat([task["n"] for task in tasks], count),
        )
        return found["expected"], found["tolerance"], exact(rollouts, PRIORS[prior])

    return load
