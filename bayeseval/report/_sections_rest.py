"""The sections of a report that say how far its answers can be trusted."""

from __future__ import annotations

import math

from bayeseval.hierarchical import Fit
from bayeseval.report._blocks import (
    Block,
    Bullets,
    FigureBlock,
    Paragraph,
    Records,
    References,
    Section,
    Table,
)
from bayeseval.report._gather import Report
from bayeseval.report._methods import methods, references
from bayeseval.report._words import answer, chance, counted, level, percent, span

__all__ = ["rest_sections"]


def rest_sections(report: Report) -> tuple[Section, ...]:
    """Checks, lost rollouts, priors, methods and records."""
    return (
        _checks(report),
        _ledger(report),
        _priors(report),
        Section(
            "methods",
            "Methods",
            [*map(Paragraph, methods(report)), References(references(report))],
        ),
        Section(
            "records",
            "Records and provenance",
            [
                Paragraph(
                    "One record for the headline and one for each claim: what was estimated, from "
                    "what, by what, and where the data came from."
                ),
                Records(report.records),
            ],
        ),
    )


def _checks(report: Report) -> Section:
    blocks: list[Block] = []
    sampled = report.sampled
    if sampled is not None:
        agreement = next((row for row in sampled.checks.rows if row.name == "agreement"), None)
        if agreement is not None:
            blocks.append(
                Paragraph(
                    "The PyMC model was sampled by NUTS as well. It and the exact engine, which "
                    "every answer of this report comes from, differ by at most "
                    f"{_number(agreement.value)} Monte Carlo standard errors."
                )
            )
        blocks.append(_check_table(sampled, "Checks of the sampled PyMC model"))
        blocks += [
            FigureBlock(
                "trace",
                "Traces of the chains",
                "Draws of the mean rate and of the ICC in each chain, in order. Chains that lie "
                "over each other without drift are what it should look like.",
            ),
            FigureBlock(
                "rank",
                "Ranks of the draws",
                "Differences of each chain's ranks from uniform ones, for the mean rate and the "
                "ICC, with the probability p of such differences where chains agree. Below α "
                "they do not agree.",
            ),
            FigureBlock(
                "energy",
                "Energy of the sampler",
                "Densities of the marginal energy and of its transitions. Where they overlap, the "
                "sampler reaches the tails of the posterior.",
            ),
        ]
    else:
        blocks.append(
            Paragraph(
                "The posterior was integrated on a grid, without sampling. --engine nuts also "
                "samples the PyMC model and compares the two."
            )
        )
    blocks.append(_check_table(report.fit, "Checks of the exact engine"))
    blocks.append(
        FigureBlock(
            "predictive",
            "Does the model fit?",
            "The number of tasks with each count of passes, observed as bars and predicted as "
            f"points with {level(report.ci_prob)} predictive intervals. {_outside(report)}",
        )
    )
    power = report.power
    if power is not None:
        blocks.append(
            Table(
                "Power-scaling of the draws",
                ["Quantity", "Prior", "Likelihood", "Reading"],
                [
                    (row.quantity, f"{row.prior:.3f}", f"{row.likelihood:.3f}", row.diagnosis)
                    for row in power.rows
                ],
                words=(0, 3),
                notes=[f"Sensitivities from {power.threshold:g} on count."],
            )
        )
    return Section("checks", "Checks", blocks)


def _outside(report: Report) -> str:
    table = report.fit.predicted_histogram(ci_prob=report.ci_prob)
    outside = (table.observed < table.lower) | (table.observed > table.upper)
    number = int(outside.sum())
    if number == 0:
        return "All numbers lie inside of their intervals."
    return f"{number:,} of {outside.size:,} numbers lie outside of their intervals."


def _check_table(fit: Fit, caption: str) -> Table:
    return Table(
        caption,
        ["Check", "Value", "Limit", "Result", "What it is"],
        [
            (
                row.name,
                _number(row.value),
                f"{'≤' if row.at_most else '≥'} {_number(row.limit)}",
                "ok" if row.passed else "FAILED",
                row.meaning,
            )
            for row in fit.checks.rows
        ],
        words=(0, 3, 4),
        notes=[f"{row.name} FAILED: {row.remedy}." for row in fit.checks.failed],
    )


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "none"


def _ledger(report: Report) -> Section:
    ledger, suite = report.rollouts.ledger, report.rollouts
    rows = [
        ("Tasks", f"{suite.n_tasks:,}"),
        ("Tasks without a scored rollout", f"{ledger.tasks_without_score:,}"),
        ("Rollouts passed", f"{ledger.passed:,}"),
        ("Rollouts failed", f"{ledger.failed:,}"),
        ("Rollouts errored, not scored", f"{ledger.errored:,}"),
        ("Of these, without a recorded outcome", f"{ledger.missing:,}"),
        ("Duplicate records merged", f"{ledger.duplicates:,}"),
    ]
    blocks: list[Block] = [Table("The ledger: where every record went", ["", "Number"], rows)]
    if ledger.notes:
        blocks.append(Bullets([f"{note[:1].upper()}{note[1:]}." for note in ledger.notes]))
    if report.lost is None:
        blocks.append(Paragraph("Every rollout was scored: there is nothing to bound."))
    else:
        blocks.append(_envelope(report))
    return Section("ledger", "Rollouts that were not scored", blocks)


def _envelope(report: Report) -> Table:
    assert report.lost is not None
    fits = (report.fit, *report.lost)
    rows = []
    for row, _ in report.populations:
        posteriors = [
            fit.pass_at_k(row.k) if row.quantity == "pass_at_k" else fit.pass_hat_k(row.k)
            for fit in fits
        ]
        rows.append((row.label, *(answer(each, report.ci_prob) for each in posteriors)))
        if report.above is not None:
            chances = (chance(each.prob_above(report.above)) for each in posteriors)
            rows.append((f"Pr[{row.label} > {report.above:.10g}]", *chances))
    errored = report.rollouts.ledger.errored
    return Table(
        f"New tasks, if the {counted(errored, 'errored rollout')} had been scored",
        ["Quantity", "Left out", "All failed", "All passed"],
        rows,
        notes=["Errored rollouts are left out above; these two answers bound what they hide."],
    )


def _priors(report: Report) -> Section:
    first = report.priors[0]
    heads = ["Prior", "Formula"]
    for found in report.priors:
        name = found.reference.posterior.about.quantity
        heads.append(f"{name}, new tasks")
        if found.claim is not None:
            heads.append(f"Pr[{found.claim}]")
    rows = []
    for at, row in enumerate(first.rows):
        cells = [row.label, row.formula]
        for found in report.priors:
            each = found.rows[at]
            cells.append(f"{percent(each.mean)} ({span(tuple(each.interval))})")
            if each.prob is not None:
                cells.append(f"{chance(each.prob)}, {each.verdict}")
        rows.append(cells)
    seen = "; ".join(f"{row.label} {percent(row.mean)}" for row in first.rows)
    moves = "moves" if first.moves else "does not move"
    blocks: list[Block] = [
        Paragraph(f"Prior of this report: {report.fit.prior.formula}."),
        FigureBlock(
            "priors",
            f"{first.quantity} under other priors",
            f"Posterior means and intervals: {seen}. The conclusion {moves} with the prior.",
        ),
        Table("New tasks under other priors", heads, rows, words=(0, 1)),
        Bullets([found.conclusion for found in report.priors]),
    ]
    judged = [
        (
            str(verdict.claim),
            *(f"{chance(j.prob)}, {j.outcome}" for j in verdict.priors),
        )
        for verdict in report.verdicts
        if verdict.priors
    ]
    if judged:
        names = [each.name for each in report.verdicts[0].priors]
        blocks.append(
            Table(
                "The claims under other priors",
                ["Claim", *names],
                judged,
                words=range(len(names) + 1),
            )
        )
    return Section("priors", "Priors", blocks)
