"""What errored rollouts hide: the pass rate if all of them had failed, or had passed."""

from __future__ import annotations

import numpy as np

from bayeseval._format import format_percent
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.posterior import About
from bayeseval.rollouts import Rollouts

__all__ = ["lost_note"]


def lost_note(rollouts: Rollouts, prior: HierarchicalPrior) -> str:
    """Return a sentence on the errored rollouts of a suite; empty where it has none."""
    lost = rollouts.ledger.errored
    if lost == 0:
        return ""
    tasks = int(np.count_nonzero(rollouts.errored))
    what, are = ("rollout", "is") if lost == 1 else ("rollouts", "are")
    failed, passed = (
        format_percent(integrate(rollouts.with_lost(as_), prior).marginal_pass_hat(1, About()).mean)
        for as_ in ("fail", "pass")
    )
    return (
        f"{lost:,} errored {what} on {tasks:,} {'task' if tasks == 1 else 'tasks'} {are} left "
        f"out: with all of them failed the pass rate on new tasks would be {failed}, with all "
        f"passed {passed}."
    )
