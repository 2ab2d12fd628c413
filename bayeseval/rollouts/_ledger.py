"""The ledger: where every rollout went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval.rollouts._text import ledger_lines

__all__ = ["Ledger", "ledger_of"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where every rollout went: nothing is dropped without being counted here.

    Parameters
    ----------
    tasks : int
        Tasks in the suite, those without a scored rollout included.
    tasks_without_score : int
        Tasks of which no rollout was scored.
    passed, failed : int
        Scored rollouts.
    errored : int
        Rollouts that were attempted but not scored, whatever the reason.
    missing : int
        Those of `errored` that have no recorded outcome at all.
    duplicates : int, default 0
        Repeated records of one (task, rollout) that agreed and were merged into one.
    notes : tuple of str, default ()
        What else a reader of the numbers must know: columns not used, attempts numbered
        by order, the harness's own rule for errors.
    """

    tasks: int
    tasks_without_score: int
    passed: int
    failed: int
    errored: int
    missing: int
    duplicates: int = 0
    notes: tuple[str, ...] = ()

    @property
    def scored(self) -> int:
        """Rollouts that passed or failed."""
        return self.passed + self.failed

    @property
    def attempted(self) -> int:
        """Rollouts that passed, failed or errored."""
        return self.scored + self.errored

    def rows(self) -> list[tuple[str, int]]:
        """Return (label, number) for each line of the ledger, notes aside."""
        return [
            ("tasks", self.tasks),
            ("tasks without a scored rollout", self.tasks_without_score),
            ("rollouts passed", self.passed),
            ("rollouts failed", self.failed),
            ("rollouts errored (not scored)", self.errored),
            ("of these, no outcome recorded", self.missing),
            ("duplicate records merged", self.duplicates),
        ]

    def lines(self) -> list[str]:
        """Return the ledger as text, one line for each row and note, 80 columns wide."""
        return ledger_lines(self.rows(), self.notes)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def ledger_of(
    passes: Counts, trials: Counts, errored: Counts, missing: Counts, *, duplicates: int = 0
) -> Ledger:
    """Return the ledger of the counts per task."""
    passed = int(passes.sum())
    return Ledger(
        tasks=len(passes),
        tasks_without_score=int(np.count_nonzero(trials == 0)),
        passed=passed,
        failed=int(trials.sum()) - passed,
        errored=int(errored.sum()),
        missing=int(missing.sum()),
        duplicates=duplicates,
    )
