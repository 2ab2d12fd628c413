"""Is a probability right? Claims, pass^k and pass@k where the truth is drawn from the prior."""

from typing import Any

import numpy as np
import numpy.typing as npt

import bayeseval as be
from benchmarks.calibration import intervals
from benchmarks.calibration.agreement import largest_difference
from benchmarks.calibration.batch import Target, answers
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.draw import from_prior
from benchmarks.calibration.grid import Array, prior_of

PART = "claims"
TASKS, ROLLOUTS, RUNS = (20, 50), 4, 20_000
UNIFORM = be.HierarchicalPrior()
# Name, k, whether it is pass@k, and the bars; k beyond the rollouts rests on the model.
ASKED = (
    ("pass rate", 1, False, (0.5, 0.8, 0.95)),
    ("pass^2", 2, False, (0.5, 0.8)),
    ("pass^4", 4, False, (0.5, 0.8)),
    ("pass^8", 8, False, (0.5, 0.8)),
    ("pass@2", 2, True, (0.5, 0.9)),
    ("pass@4", 4, True, (0.5, 0.9)),
    ("pass@8", 8, True, (0.5, 0.9)),
)
BINS = 10


def pass_hat(mean: Array, icc: Array, k: int) -> Array:
    """E[p^k] of new tasks, as `be.simulate` has it."""
    value = mean.copy()
    for j in range(1, k):
        value *= (mean * (1 - icc) + j * icc) / (1 - icc + j * icc)
    return value


def work(rng: np.random.Generator, *, tasks: int, runs: int) -> Any:
    """Coverage of every quantity, and how often claims of each probability are true."""
    mean, icc, counts = from_prior(tasks, ROLLOUTS, runs, rng)
    truths = {
        name: 1 - pass_hat(1 - mean, icc, k) if at else pass_hat(mean, icc, k)
        for name, k, at, _ in ASKED
    }
    targets = [Target(name, truths[name], k, at) for name, k, at, _ in ASKED]
    bars = [
        Target(f"{name} > {bar:g}", np.full(runs, bar), k, at)
        for name, k, at, of in ASKED
        for bar in of
    ]
    found = answers(counts, {"uniform": prior_of(UNIFORM)}, targets + bars)["uniform"]
    curves = {
        bar.name: curve(1 - found.below[bar.name], truths[bar.name.split(" > ")[0]] > bar.truth)
        for bar in bars
    }
    return {
        "coverage": {
            target.name: intervals.misses_of_posterior(found.below[target.name])
            for target in targets
        },
        "curves": curves,
        "runs": runs,
        "agreement": largest_difference(counts, UNIFORM, found, targets, rng, runs=5),
    }


def curve(probability: Array, true: npt.NDArray[np.bool_]) -> dict[str, list[float]]:
    """Runs, mean probability and share of true claims in each tenth."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    runs = np.bincount(bins, minlength=BINS)
    of = np.maximum(runs, 1)
    return {
        "runs": runs.tolist(),
        "probability": (np.bincount(bins, probability, BINS) / of).tolist(),
        "true": (np.bincount(bins, true, BINS) / of).tolist(),
    }


def cells(share: float) -> list[Cell]:
    runs = max(int(RUNS * share), 50)
    return [Cell(PART, f"{tasks} tasks", work, {"tasks": tasks, "runs": runs}) for tasks in TASKS]
