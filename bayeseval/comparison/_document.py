"""What is said of two systems, as a document for JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayeseval._format import quantities
from bayeseval._interval import Interval
from bayeseval.comparison._bootstrap import Kind
from bayeseval.comparison._leaderboard import Leaderboard
from bayeseval.comparison._questions import MovedTasks, loss_of
from bayeseval.comparison._result import Comparison
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

__all__ = [
    "POPULATIONS",
    "Change",
    "changes",
    "checks_of",
    "losses",
    "most_moved",
    "pair_document",
]

POPULATIONS = {"new_tasks": "new tasks", "suite": "this suite"}


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A quantity of both systems, and its difference.

    Parameters
    ----------
    label : str
        Such as ``pass^4, this suite``.
    kind, k, population : str, int or None, str
        What is asked.
    old, new, difference : Posterior or Unknown
        The answers; all are unknown where the difference is.
    """

    label: str
    kind: Kind
    k: int | None
    population: str
    old: Posterior | Unknown
    new: Posterior | Unknown
    difference: Posterior | Unknown


def changes(found: Comparison, ks: tuple[int, ...]) -> list[Change]:
    """Every quantity for each population, and how it changed."""
    rows = []
    for population, where in POPULATIONS.items():
        for kind, k, name in quantities(ks):
            asked: dict[str, Any] = {"k": k, "population": population}
            difference = found.difference(kind, **asked)
            old = new = difference
            if not isinstance(difference, Unknown):
                old, new = (found.rate(each, kind, **asked) for each in (found.old, found.new))
            label = f"{name}, {where}"
            rows.append(Change(label, kind, k, population, old, new, difference))
    return rows


def most_moved(moved: MovedTasks, most: int) -> list[int]:
    """Rows to show of the tasks that moved: half of them regressions, if there are as many."""
    fell = min(moved.n_regressed, max(most // 2, most - moved.n_improved))
    rose = min(moved.n_improved, most - fell)
    return [*range(fell), *range(len(moved) - rose, len(moved))]


def losses(difference: Posterior) -> tuple[float, float]:
    """Points that choosing the new, or the old, system is expected to cost."""
    loss = loss_of(difference)
    return loss.choose_new, loss.choose_old


def pair_document(
    found: Comparison,
    ks: tuple[int, ...],
    *,
    by: float = 0.0,
    margin: float = 0.02,
    rope: tuple[float, float] = (-0.01, 0.01),
    ci_prob: float = 0.95,
) -> dict[str, Any]:
    """Return all that is said of two systems for JSON.

    Parameters
    ----------
    found : Comparison
        The two systems.
    ks : tuple of int
        Values of k for pass@k and pass^k.
    by, margin : float
        Better by more than `by`; not worse by as much as `margin`.
    rope : tuple of float
        Differences that make no difference.
    ci_prob : float
        Level of the intervals.
    """
    estimates = []
    for each in changes(found, ks):
        difference = each.difference
        row: dict[str, Any] = {"quantity": each.kind, "k": each.k, "population": each.population}
        if isinstance(difference, Unknown):
            estimates.append({**row, "unknown": difference.reason})
            continue
        loss_new, loss_old = losses(difference)
        estimates.append(
            {
                **row,
                **_numbers(difference, ci_prob),
                "prob_better": difference.prob_above(0.0),
                "prob_worse": difference.prob_below(0.0),
                "prob_better_by": difference.prob_above(by),
                "prob_not_worse": difference.prob_above(-margin),
                "prob_equal": difference.prob_between(*rope),
                "loss_new": loss_new,
                "loss_old": loss_old,
            }
        )
    boot, tests = found.bootstrap(ci_prob=ci_prob), found.tests()
    newcombe, moved = found.newcombe(ci_prob=ci_prob), found.moved()
    rates = {}
    for name in (found.old, found.new):
        rate = found.rate(name)
        assert isinstance(rate, Posterior)
        rates[name] = _numbers(rate, ci_prob)
    return {
        "sentence": found.sentence(ci_prob),
        "evidence": found.evidence(ci_prob),
        "engine": found.engine,
        "estimates": estimates,
        "asked": {"by": by, "margin": margin, "rope": list(rope)},
        "rates": rates,
        "variance_ratio": found.variance_ratio,
        "baselines": {
            "bootstrap": _limits(boot.interval),
            "newcombe": _limits(newcombe),
            "mcnemar_exact": tests if isinstance(tests, Unknown) else tests.exact,
            "mcnemar_mid_p": tests if isinstance(tests, Unknown) else tests.mid_p,
        },
        "errored_bounds": found.errored_bounds(),
        "moved": [
            {
                "task": task,
                "old": [int(moved.old_passes[at]), int(moved.old_trials[at])],
                "new": [int(moved.new_passes[at]), int(moved.new_trials[at])],
                "mean": None if moved.mean is None else float(moved.mean[at]),
                "prob_worse": None if moved.prob_worse is None else float(moved.prob_worse[at]),
            }
            for at, task in enumerate(moved.task.tolist())
        ],
        "notes": list(found.notes),
        "checks": checks_of(found),
    }


def _numbers(posterior: Posterior, ci_prob: float) -> dict[str, Any]:
    lower, upper = posterior.eti(ci_prob)
    return {
        "mean": posterior.mean,
        "sd": posterior.sd,
        "lower": lower,
        "upper": upper,
        "ci_prob": ci_prob,
        "ci_kind": "eti",
        "mcse_mean": posterior.mcse_mean,
        "extrapolated": posterior.extrapolated,
    }


def _limits(interval: Interval | Unknown) -> Any:
    if isinstance(interval, Unknown):
        return interval
    return {"lower": interval.lower, "upper": interval.upper, "kind": interval.kind,
            "ci_prob": interval.ci_prob}  # fmt: skip


def checks_of(found: Comparison | Leaderboard) -> list[dict[str, Any]]:
    """The checks of the sampler, for JSON."""
    return [
        {"name": row.name, "value": row.value, "limit": row.limit, "passed": row.passed}
        for row in found.checks.rows
    ]
