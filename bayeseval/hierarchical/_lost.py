"""What errored rollouts hide: the pass rate if all of them had failed, or had passed."""

from __future__ import annotations

import numpy as np

from bayeseval._format import format_percent
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.rollouts import Rollouts

__all__ = ["lost_note", "lost_rates", "lost_text"]


def lost_note(rollouts: Rollouts, prior: HierarchicalPrior) -> str:
    """Return a sentence on the errored rollouts of a suite; empty where it has none."""
    if rollouts.ledger.errored == 0:
        return ""
    return lost_text(rollouts, *lost_rates(rollouts, prior))


def lost_rates(rollouts: Rollouts, prior: HierarchicalPrior) -> tuple[float, float]:
    """Posterior mean of the pass rate if errored rollouts had failed, and if they had passed."""
    failed, passed = (
        integrate(rollouts.with_lost(as_), prior).mean_rate for as_ in ("fail", "pass")
    )
    return failed, passed


def lost_text(rollouts: Rollouts, failed: float, passed: float) -> str:
    """The sentence on errored rollouts, from both pass rates."""
    lost, tasks = rollouts.ledger.errored, int(np.count_nonzero(rollouts.errored))
    what, are = ("rollout", "is") if lost == 1 else ("rollouts", "are")
    return (
        f"{lost:,} errored {what} on {tasks:,} {'task' if tasks == 1 else 'tasks'} {are} left "
        f"out: with all of them failed the pass rate on new tasks would be "
        f"{format_percent(failed)}, with all passed {format_percent(passed)}."
    )
