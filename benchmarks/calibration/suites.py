"""Suites with a fixed rate: tasks x rate x ICC, and U-shaped mixtures; four rollouts."""

from typing import Any

import numpy as np

import bayeseval as be
from bayeseval.simulation._rates import RateComponent, moment
from benchmarks.calibration import alternatives, intervals
from benchmarks.calibration.agreement import largest_difference
from benchmarks.calibration.batch import Target, answers
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.draw import suites
from benchmarks.calibration.grid import prior_of
from benchmarks.calibration.logit_normal import below_and_limits

PART = "suites"
TASKS = (10, 20, 30, 50, 100, 200)
RATES = (0.5, 0.65, 0.9, 0.97)
ICCS = (0.1, 0.5, 0.85)
ROLLOUTS = 4
RUNS, SOME_RUNS = 3_000, 750
PRIORS = {"uniform": be.HierarchicalPrior(), "arcsine": be.HierarchicalPrior.named("arcsine")}
# Many tasks never pass, many always do, and the rest vary: (weight, mean, ICC).
MIXTURES = {
    "U .5": ((0.4, 0.0, 0.0), (0.4, 1.0, 0.0), (0.2, 0.5, 0.3)),
    "U .65": ((0.25, 0.0, 0.0), (0.5, 1.0, 0.0), (0.25, 0.6, 0.3)),
    "U .9": ((0.05, 0.0, 0.0), (0.8, 1.0, 0.0), (0.15, 2 / 3, 0.3)),
}
BEYOND = (("pass^2", 2, False), ("pass^4", 4, False), ("pass^8", 8, False),
          ("pass@2", 2, True), ("pass@4", 4, True), ("pass@8", 8, True))  # fmt: skip


def true_values(components: list[list[float]]) -> dict[str, float]:
    """Pass rate, ICC, pass^k and pass@k of new tasks."""
    parts = [RateComponent(*each) for each in components]

    def hat(k: int) -> float:
        return sum(each.weight * moment(each.mean, each.icc, k) for each in parts)

    def at(k: int) -> float:
        return 1 - sum(each.weight * moment(1 - each.mean, each.icc, k) for each in parts)

    rate = hat(1)
    icc = (hat(2) - rate**2) / (rate * (1 - rate))
    functionals = {name: (at if is_at else hat)(k) for name, k, is_at in BEYOND}
    return {"rate": rate, "icc": icc, **functionals}


def work(
    rng: np.random.Generator, *, tasks: int, components: list[list[float]], runs: int, some: int
) -> Any:
    """Coverage, width and both tails of every method in one cell."""
    truth = true_values(components)
    counts = suites(map(tuple, components), tasks, ROLLOUTS, runs, rng)
    few = counts[:some]
    rate = truth["rate"]
    # Coverage is counted on all runs, and widths, which vary less, on some.
    tried = alternatives.below_by_beta(counts, rate)
    targets = [Target("rate", rate), *(Target(name, truth[name], k, at) for name, k, at in BEYOND)]
    found = answers(few, {name: prior_of(prior) for name, prior in PRIORS.items()}, targets)
    methods = {
        name: {
            **intervals.misses(ours.limits, rate),
            **intervals.misses_of_posterior(tried[alternatives.name_of(PRIORS[name])]),
        }
        for name, ours in found.items()
    }
    for name, limits in (
        ("pooled_wilson", intervals.pooled_wilson(counts)),
        ("clustered_t", intervals.clustered(counts)),
        ("bootstrap", intervals.bootstrap(counts)),
        ("bootstrap_bare", intervals.bootstrap(counts, fallback=False)),
    ):
        methods[name] = intervals.misses(limits, rate)
    below, limits = below_and_limits(few, rate)
    methods["logit_normal"] = {
        **intervals.misses(limits, rate),
        **intervals.misses_of_posterior(below),
    }
    known = answers(counts, {"known": prior_of(PRIORS["uniform"])}, targets[:1], icc=truth["icc"])
    methods["known_icc"] = {
        **intervals.misses(known["known"].limits, rate),
        **intervals.misses_of_posterior(known["known"].below["rate"]),
    }
    agreement = largest_difference(few, PRIORS["uniform"], found["uniform"], targets[:1], rng)
    for name, ours in found.items():
        other = tried[alternatives.name_of(PRIORS[name])][:some]
        apart = float(np.abs(other - ours.below["rate"]).max())
        agreement["below"] = max(agreement["below"], apart)
    tried |= alternatives.below_by_joint(few, rate)
    return {
        "methods": methods,
        "alternatives": {
            name: intervals.misses_of_posterior(below) for name, below in tried.items()
        },
        "functionals": {
            target.name: intervals.misses_of_posterior(found["uniform"].below[target.name])
            for target in targets[1:]
        },
        "runs": runs,
        "some_runs": some,
        "agreement": agreement,
    }


def cells(share: float) -> list[Cell]:
    runs, some = max(int(RUNS * share), 40), max(int(SOME_RUNS * share), 20)
    kinds = {f"rate {rate:g} ICC {icc:g}": [[1.0, rate, icc]] for rate in RATES for icc in ICCS} | {
        name: [list(each) for each in parts] for name, parts in MIXTURES.items()
    }
    return [
        Cell(
            PART,
            f"{tasks} tasks {name}",
            work,
            {"tasks": tasks, "components": components, "runs": runs, "some": some},
        )
        for tasks in TASKS
        for name, components in kinds.items()
    ]
