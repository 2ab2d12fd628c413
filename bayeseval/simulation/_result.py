"""Simulation: a suite, the rates behind it, and the file that it makes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._atomic import as_output_path, atomic_path
from bayeseval.rollouts import Rollouts
from bayeseval.simulation._truth import Truth

__all__ = ["ERRORED", "FAILED", "NONE", "PASSED", "Simulation"]

# Codes of `Simulation.grid`.
NONE, FAILED, PASSED, ERRORED = -1, 0, 1, 2
_WORDS = {FAILED: "fail", PASSED: "pass", ERRORED: "error"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Simulation:
    """A simulated suite.

    Parameters
    ----------
    rollouts : Rollouts
        What was observed. Factors: ``slice`` where slices were asked for, ``leaked``
        (``"true"`` or ``"false"``) where tasks leaked.
    grid : ndarray of int8, shape (n_tasks, most rollouts)
        Single outcomes: 1 passed, 0 failed, 2 errored, -1 where a task has fewer rollouts.
    truth : Truth
        What an analysis should find.

    Examples
    --------
    >>> import bayeseval as be
    >>> found = be.simulate(50, 4, mean=0.8, icc=0.3, error_rate=0.02, rng=7)
    >>> found
    Simulation(50 tasks, 3 to 4 rollouts each: 147 of 196 passed, 4 errored; true rate 80.0 %)
    >>> found.grid.shape
    (50, 4)
    """

    rollouts: Rollouts
    grid: npt.NDArray[np.int8]
    truth: Truth

    def __post_init__(self) -> None:
        self.grid.setflags(write=False)

    @property
    def rates(self) -> npt.NDArray[np.float64]:
        """True rate of each task, 0-1, shape (n_tasks,)."""
        return self.truth.rates

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write one row for each rollout: task, rollout, outcome, and the factors.

        `read` and ``bayeseval fit`` read the file back to the same counts. An outcome is
        ``pass``, ``fail`` or ``error``.

        Parameters
        ----------
        path : str or path-like
            A file whose name ends in ``.csv``; written whole or not at all.

        Raises
        ------
        InputError
            Another ending, or a file that cannot be written.
        """
        as_output_path(path, suffixes=(".csv",))
        with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(self._lines())

    def _lines(self) -> Iterator[str]:
        factors = self.rollouts.factors
        yield ",".join(["task", "rollout", "outcome", *factors]) + "\n"
        columns = [[_quoted(str(value)) for value in values] for values in factors.values()]
        properties = zip(*columns, strict=True) if columns else iter([()] * self.rollouts.n_tasks)
        tasks = self.rollouts.task.tolist()
        for task, outcomes, more in zip(tasks, self.grid, properties, strict=True):
            end = "".join(f",{value}" for value in more)
            start = _quoted(task)
            yield "".join(
                f"{start},{number},{_WORDS[code]}{end}\n"
                for number, code in enumerate(outcomes.tolist(), start=1)
                if code != NONE
            )

    def __repr__(self) -> str:
        observed = repr(self.rollouts).removeprefix("Rollouts(").removesuffix(")")
        rate = repr(self.truth).removeprefix("Truth(new tasks ").partition(",")[0]
        return f"Simulation({observed}; true rate {rate})"


def _quoted(text: str) -> str:
    """A cell of a CSV file."""
    if any(sign in text for sign in ',"\n\r') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
