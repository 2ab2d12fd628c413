"""Telling attempts apart by the trial number that a harness wrote, where it is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

__all__ = ["by_trial"]


def by_trial(
    task: Sequence[int | str], trial: Sequence[int | str | None]
) -> tuple[Sequence[Any] | None, list[str]]:
    """Return the trial numbers, or None and a note where they do not tell attempts apart."""
    tasks = Counter(task)
    trials = set(trial)
    if None in trials:
        why = "the field trial is absent"
    elif len(tasks) > 1 and all(map(_same, trial, task)):
        why = "the field trial repeats the task id"
    elif len(trials) == 1 and max(tasks.values()) > 1:
        why = f"the field trial is always {trial[0]!r}"
    else:
        return trial, []
    return None, [f"attempts are told apart by their order, since {why}"]


def _same(one: Any, other: Any) -> bool:
    return bool(one == other)
