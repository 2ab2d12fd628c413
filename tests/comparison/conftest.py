"""Suites of two and of three systems, and the few fits that the tests share."""

import numpy as np
import pytest

import bayeseval as be


def make_suites(
    gaps: dict[str, float], *, n_tasks: int = 60, rollouts: int = 4, seed: int = 11
) -> dict[str, be.Rollouts]:
    """U-shaped tasks, shifted on the log odds scale by each system, plus variation of its own."""
    rng = np.random.default_rng(seed)
    base = np.clip(rng.beta(0.5, 0.4, n_tasks), 1e-9, 1 - 1e-9)
    kappa = 9.0
    suites = {}
    for name, gap in gaps.items():
        rate = 1.0 / (1.0 + np.exp(-(np.log(base / (1.0 - base)) + gap)))
        own = rng.beta(rate * kappa + 1e-9, (1.0 - rate) * kappa + 1e-9)
        suites[name] = be.Rollouts.from_counts(
            rng.binomial(rollouts, own), rollouts, task=[f"task-{i:02}" for i in range(n_tasks)]
        )
    return suites


@pytest.fixture(scope="session")
def pair() -> dict[str, be.Rollouts]:
    """An old system, and a new one that is much better."""
    return make_suites({"v1": -1.2, "v2": 1.2})


@pytest.fixture(scope="session")
def fitted(pair: dict[str, be.Rollouts]) -> be.Comparison:
    """The pair, fitted once."""
    return be.compare(
        pair["v1"], pair["v2"], names=("v1", "v2"), rng=3, draws=400, tune=500, progress=False
    )


@pytest.fixture(scope="session")
def board() -> be.Leaderboard:
    """Three systems, two of them alike, fitted once."""
    suites = make_suites({"large": 1.5, "medium": 1.4, "small": -1.5}, n_tasks=40)
    return be.leaderboard(suites, rng=3, draws=400, tune=500, progress=False)


@pytest.fixture(scope="session")
def one_each() -> tuple[be.Rollouts, be.Rollouts]:
    """One rollout of each of 100 tasks: 60 both, 15 new only, 8 old only, 17 neither."""
    old = [1] * 60 + [0] * 15 + [1] * 8 + [0] * 17
    new = [1] * 60 + [1] * 15 + [0] * 8 + [0] * 17
    return be.Rollouts.from_counts(old, 1), be.Rollouts.from_counts(new, 1)
