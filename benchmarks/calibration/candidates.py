"""The best of the searched priors beside the named ones, on runs that did not choose it."""

from typing import Any

import numpy as np

import bayeseval as be
from benchmarks.calibration import intervals, suites
from benchmarks.calibration.batch import Target, answers
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.draw import suites as draw_suites
from benchmarks.calibration.grid import prior_of

PART = "candidates"
RUNS = 5_000
# The last two did best among those of `alternatives`.
PRIORS = {
    "uniform, the default": be.HierarchicalPrior(),
    "`arcsine`": be.HierarchicalPrior.named("arcsine"),
    "ICC Beta(0.5, 0.75)": be.HierarchicalPrior(icc=(0.5, 0.75)),
    "ICC Beta(0.25, 0.5)": be.HierarchicalPrior(icc=(0.25, 0.5)),
}
KNOWN = "known ICC"


def work(rng: np.random.Generator, *, tasks: int, components: list[list[float]], runs: int) -> Any:
    """Coverage, tails and width of the pass rate by prior, and with a known ICC."""
    truth = suites.true_values(components)
    counts = draw_suites(map(tuple, components), tasks, suites.ROLLOUTS, runs, rng)
    targets = [Target("rate", truth["rate"])]
    found = answers(counts, {name: prior_of(prior) for name, prior in PRIORS.items()}, targets)
    found |= answers(counts, {KNOWN: prior_of(be.HierarchicalPrior())}, targets, icc=truth["icc"])
    return {
        "runs": runs,
        "methods": {
            name: {
                **intervals.misses(each.limits, truth["rate"]),
                **intervals.misses_of_posterior(each.below["rate"]),
            }
            for name, each in found.items()
        },
    }


def cells(share: float) -> list[Cell]:
    runs = max(int(RUNS * share), 40)
    return [
        Cell(
            PART,
            each.name,
            work,
            {key: each.options[key] for key in ("tasks", "components")} | {"runs": runs},
        )
        for each in suites.cells(share)
    ]
