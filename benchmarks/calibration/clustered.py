"""Few tasks, five rollouts each, rates drawn anew for every run."""

from typing import Any, Literal

import numpy as np

import bayeseval as be
from benchmarks.calibration import intervals
from benchmarks.calibration.agreement import largest_difference
from benchmarks.calibration.batch import Target, answers
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.draw import beta_rates, from_prior, histograms
from benchmarks.calibration.grid import Array, Counts, prior_of

PART = "clustered"
TASKS = (2, 6, 20, 60)
ROLLOUTS = 5
RUNS = 20_000
UNIFORM = be.HierarchicalPrior()

Generating = Literal["prior", "exponential"]


def simple_clt(counts: Counts) -> Array:
    """Rate -+ 1.96 clustered standard errors without the factor m / (m - 1)."""
    mean, se = intervals.mean_and_se(counts)
    tasks = counts.sum(axis=1)
    reach = intervals.Z * se * np.sqrt((tasks - 1) / tasks)
    return np.stack([mean - reach, mean + reach], axis=1)


def work(rng: np.random.Generator, *, tasks: int, generating: Generating, runs: int) -> Any:
    """Coverage of the pass rate by our interval and the others."""
    if generating == "prior":
        mean, _, counts = from_prior(tasks, ROLLOUTS, runs, rng)
    else:
        mean, kappa = rng.random(runs), rng.exponential(size=runs)
        counts = histograms(beta_rates(mean, kappa, tasks, rng), ROLLOUTS, rng)
    targets = [Target("rate", mean)]
    ours = answers(counts, {"uniform": prior_of(UNIFORM)}, targets)["uniform"]
    methods = {
        "uniform": {
            **intervals.misses(ours.limits, mean),
            **intervals.misses_of_posterior(ours.below["rate"]),
        },
        "clustered_clt": intervals.misses(simple_clt(counts), mean),
        "clustered_t": intervals.misses(intervals.clustered(counts), mean),
        "pooled_wilson": intervals.misses(intervals.pooled_wilson(counts), mean),
        "bootstrap": intervals.misses(intervals.bootstrap(counts, fallback=False), mean),
        "bootstrap_fallback": intervals.misses(intervals.bootstrap(counts), mean),
    }
    agreement = largest_difference(counts, UNIFORM, ours, targets, rng, runs=10)
    return {"methods": methods, "runs": runs, "agreement": agreement}


def cells(share: float) -> list[Cell]:
    runs = max(int(RUNS * share), 50)
    return [
        Cell(
            PART,
            f"{generating} {tasks} tasks",
            work,
            {"tasks": tasks, "generating": generating, "runs": runs},
        )
        for generating in ("prior", "exponential")
        for tasks in TASKS
    ]
