"""Known counts of the real files, and the comparison of a suite with them."""

import json
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be


@pytest.fixture(scope="session")
def facts(shared: Path) -> dict[str, dict[str, Any]]:
    """Counts of each file under ``data/real``, made without this package."""
    text = (shared / "data/real/FACTS.json").read_text(encoding="utf-8")
    known: dict[str, dict[str, Any]] = json.loads(text)
    return known


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


def _assert_agrees(rollouts: be.Rollouts, known: dict[str, Any]) -> None:
    ledger = rollouts.ledger
    assert rollouts.n_tasks == known["n_tasks"]
    assert ledger.attempted == known["n_attempts"]
    assert (ledger.passed, ledger.failed) == (known["n_passed"], known["n_failed"])
    assert ledger.missing == known["n_missing_score"]
    # A missing score is one kind of errored rollout here, and apart from errors there.
    assert ledger.errored == known["n_errored"] + known["n_missing_score"]
    assert ledger.passed / ledger.scored == pytest.approx(known["pass_rate_scored_only"])
    as_failures = rollouts.with_lost("fail")
    histogram = {f"{c}/{n}": tasks for (c, n), tasks in as_failures.histogram().items()}
    assert histogram == known["task_success_histogram"]
    scored_only = known.get("scored_only", known)
    assert rollouts.n_scored_tasks == scored_only.get("n_tasks", known["n_tasks"])
    for suite, expected in ((as_failures, known), (rollouts, scored_only)):
        assert _curve(suite, _pass_hat) == pytest.approx(expected["pass_hat_k"], rel=1e-12)
        assert _curve(suite, _pass_at) == pytest.approx(expected["pass_at_k"], rel=1e-12)


@pytest.fixture(scope="session")
def assert_agrees() -> Callable[[be.Rollouts, dict[str, Any]], None]:
    """Compare counts, pass^k and pass@k, errors as failures and left out."""
    return _assert_agrees
