"""Real shapes: tasks drawn from leaderboard rows as if those were the population.

The rows are not part of this project: they are read from a folder beside it, where it is there.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

import bayeseval as be
from benchmarks.calibration import intervals
from benchmarks.calibration.agreement import largest_difference
from benchmarks.calibration.batch import Target, answers
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.grid import prior_of

PART = "shapes"
ROWS = Path(__file__).parents[3] / "shared" / "data" / "leaderboard_pass_hat.json"
TASKS, RUNS = (20, 50, 100), 1_000
UNIFORM = be.HierarchicalPrior()


def recoverable(path: Path = ROWS) -> list[list[int]]:
    """Tasks by passes of every row whose counts are known; none where there is no file."""
    if not path.is_file():
        return []
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    return [row["tasks_by_passes"] for row in rows if row["tasks_by_passes"] is not None]


def work(rng: np.random.Generator, *, tasks: int, row: int, runs: int) -> Any:
    """Coverage of pass^1..n of one row by every method."""
    population = np.array(recoverable()[row])
    rollouts = len(population) - 1
    counts = rng.multinomial(tasks, population / population.sum(), size=runs)
    truths = {
        k: float(population @ intervals.lattice(rollouts, k))
        / float(population.sum() * intervals.lattice(rollouts, k)[-1])
        for k in range(1, rollouts + 1)
    }
    targets = [Target(f"pass^{k}", truth, k) for k, truth in truths.items()]
    found = answers(counts, {"uniform": prior_of(UNIFORM)}, targets)["uniform"]
    methods: dict[str, dict[str, dict[str, float]]] = {
        "uniform": {
            target.name: intervals.misses_of_posterior(found.below[target.name])
            for target in targets
        }
    }
    for name, of in (
        ("pooled_wilson", intervals.pooled_wilson),
        ("clustered_t", intervals.clustered),
        ("bootstrap", intervals.bootstrap),
    ):
        methods[name] = {f"pass^{k}": intervals.misses(of(counts, k), truths[k]) for k in truths}
    agreement = largest_difference(counts, UNIFORM, found, targets, rng, runs=1)
    return {"methods": methods, "runs": runs, "agreement": agreement}


def cells(share: float) -> list[Cell]:
    runs = max(int(RUNS * share), 40)
    return [
        Cell(PART, f"row {row} {tasks} tasks", work, {"tasks": tasks, "row": row, "runs": runs})
        for tasks in TASKS
        for row in range(len(recoverable()))
    ]
