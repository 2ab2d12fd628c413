"""Comparison of a suite with its known counts in ``data/real/FACTS.json``."""

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import pytest

import bayeseval as be

__all__ = ["check"]


def _pass_hat(n: int, c: int, k: int) -> Fraction:
    return Fraction(comb(c, k), comb(n, k))


def _pass_at(n: int, c: int, k: int) -> Fraction:
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def _curve(rollouts: be.Rollouts, of: Callable[[int, int, int], Fraction]) -> dict[str, float]:
    """Mean over the tasks with at least k rollouts, for each k, in exact arithmetic."""
    counts = list(zip(rollouts.passes.tolist(), rollouts.trials.tolist(), strict=True))
    curve = {}
    for k in range(1, rollouts.max_trials + 1):
        values = [of(n, c, k) for c, n in counts if n >= k]
        curve[str(k)] = float(sum(values, Fraction()) / len(values))
    return curve


def check(rollouts: be.Rollouts, fact: dict[str, Any]) -> None:
    """Compare counts, pass^k and pass@k, with errors as failures and left out."""
    ledger = rollouts.ledger
    assert rollouts.n_tasks == fact["n_tasks"]
    assert ledger.attempted == fact["n_attempts"]
    assert (ledger.passed, ledger.failed) == (fact["n_passed"], fact["n_failed"])
    assert ledger.missing == fact["n_missing_score"]
    # A missing score is one kind of errored rollout here, and apart from errors there.
    assert ledger.errored == fact["n_errored"] + fact["n_missing_score"]
    if ledger.scored:
        assert ledger.passed / ledger.scored == pytest.approx(fact["pass_rate_scored_only"])
    attempts = rollouts.trials + rollouts.errored
    assert int(attempts.min()) == fact["attempts_per_task"]["min"]
    assert int(attempts.max()) == fact["attempts_per_task"]["max"]
    as_failures = rollouts.with_lost("fail")
    histogram = {f"{c}/{n}": tasks for (c, n), tasks in as_failures.histogram().items()}
    assert histogram == fact["task_success_histogram"]
    nothing_scored = {"n_tasks": 0, "pass_hat_k": {}, "pass_at_k": {}}
    scored_only = fact.get("scored_only", fact if ledger.scored else nothing_scored)
    assert rollouts.n_scored_tasks == scored_only.get("n_tasks", fact["n_tasks"])
    for suite, expected in ((as_failures, fact), (rollouts, scored_only)):
        assert _curve(suite, _pass_hat) == pytest.approx(expected["pass_hat_k"], rel=1e-12)
        assert _curve(suite, _pass_at) == pytest.approx(expected["pass_at_k"], rel=1e-12)
