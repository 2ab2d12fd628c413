"""Slices, flaky and leaked tasks in the document of ``bayeseval fit --json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayeseval._format import quantities
from bayeseval.cli._sensitivity import prior_document
from bayeseval.cli._slices import SliceReport
from bayeseval.population import Contamination
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.hierarchical._flaky import FlakyTable

__all__ = ["flaky_document", "leak_document", "slice_document"]


def slice_document(report: SliceReport) -> dict[str, Any]:
    """Return all that is said of slices for JSON."""
    sliced, chosen, found = report.fit, report.options, report.stratified
    table, worst = report.table, report.worst
    weights = chosen.weights
    return {
        "by": list(sliced.by),
        "pooling": sliced.pooling,
        "rows": [
            {
                "slice": label,
                "tasks": int(table.n_tasks[at]),
                "rollouts": int(table.n_rollouts[at]),
                "passes": int(table.passes[at]),
                "errored": int(table.errored[at]),
                "raw_rate": float(table.raw_rate[at]),
                "wilson": table.wilson[at].tolist(),
                "bootstrap": table.bootstrap[at].tolist(),
                "mean": float(table.mean[at]),
                "lower": float(table.interval[at, 0]),
                "upper": float(table.interval[at, 1]),
                "small": bool(table.small[at]),
            }
            for at, label in enumerate(table.label)
        ],
        "worst": {**_numbers(worst.posterior, report), "prob_worst": dict(worst.prob_worst)},
        "weights": None
        if weights is None
        else {
            "share": dict(weights.share),
            "count": None if weights.count is None else dict(weights.count),
            "unsupported": dict(weights.align(sliced.labels).unsupported),
        },
        "estimates": [
            {"quantity": row.kind, "k": row.k, "population": population, **ends}
            for row in report.weighted
            for population, each in row.answers.items()
            for ends in [
                {"unknown": each.reason}
                if isinstance(each, Unknown)
                else {
                    **_numbers(each[0], report),
                    "if_unsupported_pass": None
                    if each[0] is each[1]
                    else _numbers(each[1], report),
                }
            ]
        ],
        "lost": None
        if report.weighted[0].lost is None
        else [
            {
                "quantity": row.kind,
                "k": row.k,
                "if_failed": _numbers(row.lost[0], report),
                "if_passed": _numbers(row.lost[1], report),
            }
            for row in report.weighted
            if row.lost is not None
        ],
        "priors": None if report.priors is None else prior_document(report.priors),
        "stratified": found
        if isinstance(found, Unknown)
        else {
            "estimate": found.estimate,
            "se": found.se,
            "interval": found.interval
            if isinstance(found.interval, Unknown)
            else [found.interval.lower, found.interval.upper],
            "unweighted": found.unweighted,
            "n_eff": found.n_eff,
            "variance_share": None
            if found.variance_share is None
            else dict(zip(found.label, found.variance_share.tolist(), strict=True)),
        },
        "next_tasks": None
        if chosen.next_tasks is None
        else sliced.next_tasks(chosen.next_tasks, weights=weights),
        "checks": [
            {"name": row.name, "value": row.value, "limit": row.limit, "passed": row.passed}
            for row in sliced.checks.rows
        ],
    }


def _numbers(posterior: Posterior, report: SliceReport) -> dict[str, Any]:
    lower, upper = posterior.eti(report.ci_prob)
    return {
        "engine": posterior.engine,
        "mean": posterior.mean,
        "sd": posterior.sd,
        "lower": lower,
        "upper": upper,
        "ci_prob": report.ci_prob,
        "ci_kind": "eti",
        "mcse_mean": posterior.mcse_mean,
        "extrapolated": posterior.extrapolated,
        "threshold": report.above,
        "prob_above": None if report.above is None else posterior.prob_above(report.above),
    }


def flaky_document(table: FlakyTable) -> list[dict[str, Any]]:
    """Return the flakiest tasks for JSON."""
    return [
        {
            "task": task,
            "passes": int(table.passes[at]),
            "trials": int(table.trials[at]),
            "k": table.k,
            "mean": float(table.mean[at]),
            "lower": float(table.lower[at]),
            "upper": float(table.upper[at]),
        }
        for at, task in enumerate(table.task.tolist())
    ]


def leak_document(found: Contamination, ks: tuple[int, ...], ci_prob: float) -> dict[str, Any]:
    """Return the answers for all and for clean tasks for JSON."""

    def numbers(posterior: Posterior) -> dict[str, Any]:
        lower, upper = posterior.eti(ci_prob)
        return {"mean": posterior.mean, "lower": lower, "upper": upper, "ci_prob": ci_prob}

    return {
        "leaked_tasks": found.leaked.cells.n_tasks,
        "tasks": found.sliced.n_tasks,
        "rows": [
            {
                "quantity": kind,
                "k": k,
                "all": numbers(found.answer("all", kind, k)),
                "clean": numbers(found.answer("clean", kind, k)),
                "inflation": numbers(found.inflation(kind, k)),
            }
            for kind, several, _ in quantities(ks)
            for k in [several or 1]
        ],
    }
