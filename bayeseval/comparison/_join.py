"""Systems joined on the task id."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_mapping, as_text, one_of
from bayeseval.comparison._table import PairedTable
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts
from bayeseval.rollouts._tally import factorise, short
from bayeseval.rollouts._text import plural

__all__ = ["Joined", "Patterns", "Unmatched", "join", "system_name"]

Counts = npt.NDArray[np.int64]
Unmatched = Literal["drop", "use"]


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Tasks with the same counts on every system, taken together.

    Parameters
    ----------
    passes, trials : ndarray of int64, shape (n_patterns, n_systems)
        The counts.
    count : ndarray of int64, shape (n_patterns,)
        Tasks that have them.
    of_task : ndarray of int, shape (n_tasks,)
        The pattern of each task.
    """

    passes: Counts
    trials: Counts
    count: Counts
    of_task: npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Systems on the same tasks.

    Parameters
    ----------
    systems : tuple of str
        Names of the systems.
    task : ndarray, shape (n_tasks,)
        The tasks that are used.
    passes, trials : ndarray of int64, shape (n_systems, n_tasks)
        Scored rollouts, and how many of them passed; ``trials`` is 0 where a system has no
        scored rollout of a task.
    rollouts : tuple of Rollouts
        The systems' own results, whole.
    n_matched : int
        Tasks with a scored rollout of every system.
    n_unmatched : int
        Tasks with a scored rollout of some systems only.
    unmatched : {"drop", "use"}
        Whether the latter are part of `task`.
    """

    systems: tuple[str, ...]
    task: npt.NDArray[Any]
    passes: Counts
    trials: Counts
    rollouts: tuple[Rollouts, ...]
    n_matched: int
    n_unmatched: int
    unmatched: Unmatched

    @property
    def n_tasks(self) -> int:
        """Number of tasks that are used."""
        return len(self.task)

    @property
    def one_each(self) -> bool:
        """Whether every system has exactly one scored rollout of every task."""
        return bool(np.all(self.trials == 1))

    @property
    def max_trials(self) -> int:
        """Largest number of scored rollouts that every system has of some task."""
        return int(self.trials.max())

    def table(self, new: int = 1, old: int = 0) -> PairedTable:
        """The 2 x 2 table of two systems with one rollout of each task."""
        a, b = self.passes[new] == 1, self.passes[old] == 1
        cells = (a & b, a & ~b, b & ~a, ~a & ~b)
        return PairedTable(*(int(np.count_nonzero(cell)) for cell in cells))

    def rates(self) -> npt.NDArray[np.float64]:
        """Raw pass rates, NaN without a scored rollout, shape (n_systems, n_tasks)."""
        with np.errstate(invalid="ignore"):
            return self.passes / self.trials

    def patterns(self, order: Sequence[int]) -> Patterns:
        """Tasks collapsed by equal counts, systems in a given order."""
        stacked = np.concatenate([self.passes[list(order)], self.trials[list(order)]])
        found, of_task, count = np.unique(
            stacked.T, axis=0, return_inverse=True, return_counts=True
        )
        n = len(order)
        return Patterns(found[:, :n], found[:, n:], count.astype(np.int64), of_task.ravel())

    def canonical(self) -> tuple[int, ...]:
        """An order of the systems that depends on their counts only.

        What is sampled in this order comes out the same, whichever system was named first.
        """
        own = [
            sorted(zip(p.tolist(), n.tolist(), strict=True))
            for p, n in zip(self.passes, self.trials, strict=True)
        ]
        order = sorted(range(len(own)), key=own.__getitem__)
        if len(own) == 2 and own[0] == own[1]:
            # The same counts, but on other tasks.
            def pairs(which: list[int]) -> list[list[int]]:
                rows = np.concatenate([self.passes[which], self.trials[which]]).T
                return sorted(rows.tolist())

            order = min([0, 1], [1, 0], key=pairs)
        return tuple(order)

    @property
    def unmatched_note(self) -> str:
        """Sentence on tasks that not every system scored; empty without any."""
        if not self.n_unmatched:
            return ""
        used = "used where they are scored" if self.unmatched == "use" else "left out (unmatched)"
        have = "has" if self.n_unmatched == 1 else "have"
        own = ", ".join(
            f"{name} {each.n_scored_tasks:,}"
            for name, each in zip(self.systems[:8], self.rollouts, strict=False)
        )
        more = ", ..." if len(self.systems) > 8 else ""
        return (
            f"{plural(self.n_unmatched, 'task')} {have} scored rollouts of some systems only: "
            f"{used}. Scored tasks: {own}{more}; of all of them: {self.n_matched:,}."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what was left out, or is not shared."""
        notes = [self.unmatched_note] if self.n_unmatched else []
        lost = [each.ledger.errored for each in self.rollouts]
        if any(lost):
            own = ", ".join(
                f"{name} {count:,}" for name, count in zip(self.systems, lost, strict=True) if count
            )
            notes.append(f"Errored rollouts are left out: {own}.")
        return tuple(notes)


def join(systems: Mapping[str, Rollouts], unmatched: Unmatched) -> Joined:
    """Join systems on the task id."""
    one_of(unmatched, Unmatched, "unmatched")
    systems = as_mapping(systems, "systems", of="Rollouts")
    for name, each in systems.items():
        as_text(name, "the name of a system")
        as_rollouts(each, f"system {name!r}")
        if each.n_scored_tasks == 0:
            raise InputError(f"system {name!r} has no scored rollout: there is nothing to compare")
    if len(systems) < 2:
        raise InputError(f"a comparison needs two systems or more; got {len(systems)}")
    suites = list(systems.values())
    arrays = [each.task for each in suites]
    if not all(array.dtype.kind == "i" for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    codes, ids = factorise(np.concatenate(arrays))
    where = np.split(codes, np.cumsum([len(array) for array in arrays])[:-1])
    passes, trials = np.zeros((2, len(suites), len(ids)), dtype=np.int64)
    for at, (each, place) in enumerate(zip(suites, where, strict=True)):
        passes[at, place], trials[at, place] = each.passes, each.trials
    scored = trials > 0
    matched = np.all(scored, axis=0)
    some = np.any(scored, axis=0)
    if not matched.any():
        raise InputError(_nothing_shared(systems))
    keep = matched if unmatched == "drop" else some
    return Joined(
        tuple(systems),
        ids[keep],
        passes[:, keep],
        trials[:, keep],
        tuple(suites),
        int(np.count_nonzero(matched)),
        int(np.count_nonzero(some & ~matched)),
        unmatched,
    )


def _nothing_shared(systems: Mapping[str, Rollouts]) -> str:
    shown = "; ".join(
        f"{name}: {', '.join(short(task) for task in each.task[:3].tolist())}"
        + (", ..." if each.n_tasks > 3 else "")
        for name, each in list(systems.items())[:4]
    )
    return (
        "no task has a scored rollout of every system, so there is nothing to pair; tasks are "
        f"joined on their ids, which must be equal and of one type ({shown}); for separate suites "
        "use be.difference"
    )


def system_name(rollouts: Rollouts, fallback: str) -> str:
    """What a system is called: by its factor, else by its file."""
    if "system" in rollouts.factors:
        levels = rollouts.levels("system")
        if len(levels) == 1 and levels[0] is not None:
            return str(levels[0])
    if rollouts.source and "," not in rollouts.source and " and " not in rollouts.source:
        return os.path.basename(rollouts.source.rstrip("/")).split(".")[0] or fallback
    return fallback
