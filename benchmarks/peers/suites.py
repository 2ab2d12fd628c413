"""The suites that every method is given, and the forms that methods take them in."""

from dataclasses import dataclass

import numpy as np

RATE, ICC = 0.8, 0.5
SIZES = ((50, 4), (1_000, 8), (100_000, 8), (1_000_000, 8))


@dataclass(frozen=True, slots=True, eq=False)
class Suite:
    """Passes of each task, and the true rates of these tasks on average."""

    passes: np.ndarray
    rollouts: int
    truth: float


def draw(tasks: int, rollouts: int, *, seed: int = 1) -> Suite:
    """Task rates from a Beta with the mean `RATE` and the intraclass correlation `ICC`."""
    rng = np.random.default_rng(seed)
    kappa = (1 - ICC) / ICC
    rates = rng.beta(RATE * kappa, (1 - RATE) * kappa, size=tasks)
    return Suite(rng.binomial(rollouts, rates), rollouts, float(rates.mean()))


def as_counts(suite: Suite) -> tuple[np.ndarray, int]:
    return suite.passes, suite.rollouts


def as_matrix(suite: Suite) -> np.ndarray:
    """Zeros and ones, one row a task. The order within a row tells none of the methods anything."""
    return (np.arange(suite.rollouts) < suite.passes[:, None]).view(np.int8)


def as_pairs(suite: Suite) -> list[tuple[int, int]]:
    """Trials and passes of each task, as plain integers."""
    return [(suite.rollouts, int(each)) for each in suite.passes]


def size_name(tasks: int, rollouts: int) -> str:
    return f"{tasks:,} x {rollouts}"


SIZE_NAMES = tuple(size_name(*size) for size in SIZES)
