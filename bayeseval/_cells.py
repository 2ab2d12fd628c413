"""The count histogram of a suite, without the tasks that carry no information."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts

__all__ = ["NO_SCORED_TASK", "ScoredCells", "mean_and_se", "scored_cells"]

NO_SCORED_TASK = "no task has a scored rollout"


@dataclass(frozen=True, slots=True, eq=False)
class ScoredCells:
    """Tasks with equal counts as one cell; every cell has at least one trial.

    Parameters
    ----------
    passes, trials, count : ndarray of int, shape (n_cells,)
        Passes and trials of each task of the cell, and the number of such tasks;
        sorted by trials, then by passes.
    n_tasks : int
        Tasks with at least one scored rollout.
    n_unscored : int
        Tasks left out because none of their rollouts was scored.
    """

    passes: npt.NDArray[np.int64]
    trials: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    n_tasks: int
    n_unscored: int


def scored_cells(rollouts: Rollouts) -> ScoredCells:
    """Return the cells of `rollouts` that hold at least one scored rollout."""
    cells = as_rollouts(rollouts).cells
    scored = cells.trials > 0
    count = cells.count[scored]
    n_tasks = int(count.sum())
    return ScoredCells(
        passes=cells.passes[scored],
        trials=cells.trials[scored],
        count=count,
        n_tasks=n_tasks,
        n_unscored=int(cells.count.sum()) - n_tasks,
    )


def mean_and_se(
    values: npt.NDArray[np.float64], count: npt.NDArray[np.int64]
) -> tuple[float, float | None]:
    """Mean over tasks of a value per cell, and its standard error (None for one task).

    Deviations are taken from the first value, so that equal values give exactly 0.
    """
    n_tasks = int(count.sum())
    shift = float(values[0])
    deviations = values - shift
    mean_deviation = float(count @ deviations) / n_tasks
    mean = float(count @ values) / n_tasks if deviations.any() else shift
    if n_tasks == 1:
        return mean, None
    squares = float(count @ (deviations - mean_deviation) ** 2)
    return mean, (squares / (n_tasks - 1) / n_tasks) ** 0.5
