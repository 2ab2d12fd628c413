"""Tasks collapsed by equal counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Cells", "cells_of"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Tasks collapsed by equal (passes, trials): what a likelihood needs, and no more.

    Cells are sorted by trials, then by passes. Tasks without a scored rollout form the
    cell (0, 0), which adds nothing to a likelihood.

    Parameters
    ----------
    passes, trials : ndarray of int64, shape (n_cells,)
        Passes and scored rollouts of each task in the cell.
    count : ndarray of int64, shape (n_cells,)
        Number of tasks in the cell, at least 1.
    index : ndarray of int64, shape (n_tasks,)
        The cell of each task: ``cells.passes[cells.index]`` gives back the passes.
    """

    passes: Counts
    trials: Counts
    count: Counts
    index: Counts

    def __len__(self) -> int:
        return len(self.count)

    def __repr__(self) -> str:
        return f"Cells({len(self)} cells of {len(self.index)} tasks)"


def cells_of(passes: Counts, trials: Counts) -> Cells:
    """Return the cells of the tasks, by tables or, for very large counts, by sorting."""
    width = int(trials.max()) + 1
    # Tables beat sorting as long as they stay about as small as the data.
    affordable = 4 * len(trials) + 65_536
    if width <= affordable:
        equal = int(trials.min()) == width - 1
        trial_levels = trials[:1] if equal else np.flatnonzero(np.bincount(trials))
        if len(trial_levels) * width <= affordable:
            row = np.zeros(width, dtype=np.int64)
            row[trial_levels] = np.arange(len(trial_levels)) * width
            key = row[trials] + passes if len(trial_levels) > 1 else passes
            per_key = np.bincount(key)
            present = np.flatnonzero(per_key)
            cell_of_key = np.zeros(len(per_key), dtype=np.int64)
            cell_of_key[present] = np.arange(len(present))
            return _frozen_cells(
                passes=present % width,
                trials=trial_levels[present // width],
                count=per_key[present],
                index=cell_of_key[key],
            )
    order = np.lexsort((passes, trials))
    sorted_passes, sorted_trials = passes[order], trials[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(sorted_trials) != 0) | (np.diff(sorted_passes) != 0)
    start = np.flatnonzero(new)
    index = np.empty(len(order), dtype=np.int64)
    index[order] = np.cumsum(new) - 1
    return _frozen_cells(
        passes=sorted_passes[start],
        trials=sorted_trials[start],
        count=np.diff(start, append=len(order)),
        index=index,
    )


def _frozen_cells(*, passes: Counts, trials: Counts, count: Counts, index: Counts) -> Cells:
    for array in (passes, trials, count, index):
        array.setflags(write=False)
    return Cells(passes, trials, count, index)
