"""A report as JSON, with unrounded numbers.

The document (``"schema": "bayeseval.report/1"``):

``schema, version, title, source, seed, command, time``
    Which document this is, who wrote it, from what.
``verdicts``
    As the claims of ``bayeseval gate --json``.
``estimates``
    On new tasks, for each quantity and k of the curves: ``quantity``, ``k``, ``unbiased``,
    ``unbiased_se``, and the posterior: ``mean``, ``median``, ``sd``, ``lower``, ``upper``,
    ``ci_prob``, ``ci_kind``, ``engine``, ``extrapolated``, ``threshold``, ``prob_above``.
``populations``
    The same for ``suite`` and ``next_run``, at k = 1 and the largest k asked for.
``icc, effective_rollouts, baselines, ledger, histogram, notes``
    As in ``bayeseval fit --json``.
``slices``
    null, or ``by``, ``pooling``, ``rows``, ``weights`` and ``stratified``.
``comparison``
    null, or the suite against its baseline, as in ``bayeseval compare --json``.
``leaked``
    null, or ``tasks``, ``leaked_tasks`` and ``rows``: ``quantity``, ``k``, and the posteriors
    ``all``, ``clean``, ``leaked`` and ``inflation``.
``tasks``
    All of them: ``task``, ``passes``, ``trials``, ``errored``, ``raw_rate`` (null without a
    score), ``mean``, ``lower``, ``upper``, ``k``, ``pass_at_k`` and ``pass_hat_k``.
``lost``
    null, or the estimates ``if_failed`` and ``if_passed``.
``priors``
    ``quantity``, ``k``, ``rows``, ``moves`` and ``conclusion``.
``checks, sampled``
    Those of the exact engine; null, or the checks and the power-scaling of the PyMC model.
``records``
    The estimate records.

What has no answer is ``{"unknown": reason}``.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from bayeseval import __version__
from bayeseval.comparison._document import pair_document
from bayeseval.population._contamination import SETS
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.hierarchical import Fit
    from bayeseval.report._gather import Estimate, Report

__all__ = ["to_json"]


def to_json(report: Report) -> str:
    """Return the document as text."""
    return json.dumps(_clean(_document(report)), ensure_ascii=False, indent=2) + "\n"


def _clean(value: Any) -> Any:
    """Only what JSON knows: no NaN, and UNKNOWN with its reason."""
    if isinstance(value, Unknown):
        return {"unknown": value.reason}
    if isinstance(value, dict):
        return {str(key): _clean(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _document(report: Report) -> dict[str, Any]:
    suite, ledger = report.rollouts, report.rollouts.ledger
    return {
        "schema": "bayeseval.report/1",
        "version": __version__,
        "title": report.title,
        "source": suite.source,
        "seed": report.seed,
        "command": report.provenance.command,
        "time": report.provenance.time,
        "verdicts": [verdict.document() for verdict in report.verdicts],
        "estimates": [_estimate(row, report) for row in report.estimates],
        "populations": [
            {"quantity": row.quantity, "k": row.k, "population": name} | _posterior(each, report)
            for row, answers in report.populations
            for name, each in answers.items()
        ],
        "icc": _posterior(report.fit.icc(), report, bar=False),
        "effective_rollouts": report.effective_rollouts,
        "baselines": [
            {
                "name": row.name,
                "estimate": row.estimate,
                "interval": row.interval
                if isinstance(row.interval, Unknown)
                else list(row.interval),
                "sound": row.sound,
                "advice": row.advice,
            }
            for row in report.baselines
        ],
        "ledger": {
            name: getattr(ledger, name)
            for name in ("passed", "failed", "errored", "missing", "duplicates", "notes")
        }
        | {"tasks": suite.n_tasks, "tasks_without_score": ledger.tasks_without_score},
        "histogram": [
            {"passes": passes, "trials": trials, "tasks": number}
            for (passes, trials), number in suite.histogram().items()
        ],
        "slices": _slices(report),
        "comparison": None
        if report.comparison is None
        else pair_document(report.comparison, (1, report.k_most), ci_prob=report.ci_prob),
        "leaked": _leaked(report),
        "tasks": _tasks(report),
        "lost": _lost(report),
        "prior": report.fit.prior.formula,
        "priors": [_prior(found) for found in report.priors],
        "checks": _checks(report.fit),
        "sampled": _sampled(report),
        "notes": list(report.fit.notes),
        "records": [json.loads(record.to_json()) for record in report.records],
    }


def _posterior(
    posterior: Posterior | Unknown, report: Report, *, bar: bool = True
) -> dict[str, Any]:
    if isinstance(posterior, Unknown):
        return {"mean": posterior, "lower": posterior, "upper": posterior}
    lower, upper = posterior.eti(report.ci_prob)
    above = report.above if bar else None
    return {
        "mean": posterior.mean,
        "median": posterior.median,
        "sd": posterior.sd,
        "lower": lower,
        "upper": upper,
        "ci_prob": report.ci_prob,
        "ci_kind": "eti",
        "engine": posterior.engine,
        "extrapolated": posterior.extrapolated,
        "threshold": above,
        "prob_above": None if above is None else posterior.prob_above(above),
    }


def _leaked(report: Report) -> dict[str, Any] | None:
    found = report.contamination
    if found is None:
        return None
    rows = []
    for each in report.headlines:
        row: dict[str, Any] = {"quantity": each.quantity, "k": each.k}
        for which in SETS:
            rate = found.answer(which, each.quantity, each.k)
            row[which] = _posterior(rate, report, bar=False)
        row["inflation"] = _posterior(found.inflation(each.quantity, each.k), report, bar=False)
        rows.append(row)
    return {
        "tasks": found.sliced.n_tasks,
        "leaked_tasks": found.leaked.cells.n_tasks,
        "rows": rows,
    }


def _estimate(row: Estimate, report: Report) -> dict[str, Any]:
    return {
        "quantity": row.quantity,
        "k": row.k,
        "population": "new_tasks",
        "unbiased": row.unbiased,
        "unbiased_se": row.se,
    } | _posterior(row.posterior, report)


def _slices(report: Report) -> dict[str, Any] | None:
    sliced, table, stratified = report.sliced, report.slice_table, report.stratified
    if sliced is None or table is None or stratified is None:
        return None
    columns = ("label", "n_tasks", "n_rollouts", "passes", "errored", "raw_rate", "mean", "small")
    limits = stratified.interval
    return {
        "by": list(sliced.by),
        "pooling": sliced.pooling,
        "rows": [
            {name: getattr(table, name)[at] for name in columns}
            | {"lower": table.interval[at][0], "upper": table.interval[at][1]}
            for at in range(len(table.label))
        ],
        "weights": None if report.weights is None else dict(report.weights.share),
        "pass_rate": _posterior(sliced.pass_rate(weights=report.weights), report),
        "stratified": {
            "estimate": stratified.estimate,
            "interval": limits if isinstance(limits, Unknown) else list(limits),
            "n_eff": stratified.n_eff,
        },
    }


def _tasks(report: Report) -> list[dict[str, Any]]:
    k = max(2, report.k_most)
    table = report.fit.task_table(k=(1, k), ci_prob=report.ci_prob)
    columns: dict[str, list[Any]] = {
        name: getattr(table, name).tolist()
        for name in ("task", "passes", "trials", "errored", "raw_rate", "mean", "lower", "upper")
    }
    columns |= {
        "pass_at_k": table.pass_at_k[k].tolist(),
        "pass_hat_k": table.pass_hat_k[k].tolist(),
    }
    return [
        dict(zip(columns, row, strict=True)) | {"k": k}
        for row in zip(*columns.values(), strict=True)
    ]


def _lost(report: Report) -> dict[str, Any] | None:
    if report.lost is None:
        return None
    return {
        name: [
            {"quantity": row.quantity, "k": row.k}
            | _posterior(
                fit.pass_at_k(row.k) if row.quantity == "pass_at_k" else fit.pass_hat_k(row.k),
                report,
            )
            for row, _ in report.populations
        ]
        for name, fit in zip(("if_failed", "if_passed"), report.lost, strict=True)
    }


def _prior(found: Any) -> dict[str, Any]:
    return {
        "quantity": found.quantity,
        "claim": found.claim,
        "rows": [
            {
                "prior": row.name,
                "formula": row.formula,
                "mean": row.mean,
                "lower": row.interval.lower,
                "upper": row.interval.upper,
                "prob": row.prob,
                "verdict": row.verdict,
            }
            for row in found.rows
        ],
        "moves": found.moves,
        "conclusion": found.conclusion,
    }


def _checks(fit: Fit) -> list[dict[str, Any]]:
    names = ("name", "value", "limit", "at_most", "passed", "meaning", "remedy")
    return [{name: getattr(row, name) for name in names} for row in fit.checks.rows]


def _sampled(report: Report) -> dict[str, Any] | None:
    if report.sampled is None or report.power is None:
        return None
    names = ("quantity", "prior", "likelihood", "diagnosis")
    return {
        "checks": _checks(report.sampled),
        "power_scaling": [
            {name: getattr(row, name) for name in names} for row in report.power.rows
        ],
        "pass_rate": _posterior(report.sampled.pass_rate(), report),
    }
