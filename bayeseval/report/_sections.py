"""The sections of a report, in order: the answers first."""

from __future__ import annotations

import numpy as np

from bayeseval.report._blocks import (
    Block,
    Bullets,
    Controls,
    FigureBlock,
    Headline,
    Paragraph,
    Section,
    Table,
    Tasks,
    Verdicts,
)
from bayeseval.report._gather import Report
from bayeseval.report._sections_more import against_baseline, leaked_tasks
from bayeseval.report._sections_rest import rest_sections
from bayeseval.report._words import HEADS, answer, chance, counted, level, percent, span
from bayeseval.unknown import Unknown

__all__ = ["BARS", "sections"]

# Bars of the table that needs no slider.
BARS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
# Tasks that are listed; of larger suites the flakiest.
MOST_TASKS = 5000


def sections(report: Report) -> tuple[Section, ...]:
    """Return everything that a report says."""
    found = [
        _verdict(report),
        _headline(report),
    ]
    if report.comparison is not None:
        found.append(against_baseline(report, report.comparison))
    found += [
        _baselines(report),
        _populations(report),
        _attempts(report),
        _grid(report),
    ]
    if report.sliced is not None:
        found.append(_slices(report))
    if report.contamination is not None:
        found.append(leaked_tasks(report, report.contamination))
    found += [_tasks(report), _spread(report)]
    return (*found, *rest_sections(report))


def _verdict(report: Report) -> Section:
    blocks: list[Block] = []
    if report.verdicts:
        blocks.append(Verdicts(report.verdicts))
    else:
        blocks.append(
            Paragraph(
                "No claim was stated, so there is nothing to decide. State one, such as "
                "--claim 'pass_rate > 0.8' or --claim 'pass^3 > 0.8', and the report begins "
                "with the verdict."
            )
        )
    blocks += [Paragraph(note, strong=True) for note in report.fit.notes]
    return Section("verdict", "Verdict" if len(report.verdicts) < 2 else "Verdicts", blocks)


def _headline(report: Report) -> Section:
    record = report.records[0]
    estimate = record.estimate
    limits = estimate.interval
    blocks: list[Block] = [
        Headline(
            percent(estimate.mean),
            f"{level(limits.ci_prob)} credible interval {span((limits.lower, limits.upper))} "
            f"(equal-tailed), n = {counted(record.n_tasks, 'task')}, "
            f"{counted(record.n_rollouts, 'scored rollout')}",
            record.estimand.text,
        ),
        Controls(),
        _bars(report),
    ]
    return Section("answer", "The answer", blocks)


def _bars(report: Report) -> Table:
    bars = sorted({*BARS, *(() if report.above is None else (report.above,))})
    columns = [row for row, _ in report.populations]
    return Table(
        "Probability that new tasks clear other bars",
        ["Bar", *(row.label for row in columns)],
        [
            (
                f"> {percent(bar)}",
                *(chance(row.posterior.prob_above(bar)) for row in columns),
            )
            for bar in bars
        ],
    )


def _baselines(report: Report) -> Section:
    rate, above = report.fit.pass_rate(), report.above
    rows = [
        (
            "Posterior, new tasks",
            percent(rate.mean),
            span(tuple(rate.eti(report.ci_prob))),
            "the model of this report",
        )
    ]
    rows += [
        (
            row.name,
            percent(row.estimate),
            span(row.interval if isinstance(row.interval, Unknown) else tuple(row.interval)),
            row.advice,
        )
        for row in report.baselines
    ]
    seen = f"Posterior of the pass rate of new tasks: {rate.summary_text(report.ci_prob)}."
    if above is not None:
        above_bar = chance(rate.prob_above(above))
        seen += f" The probability of exceeding {above:.10g} is {above_bar}."
    intervals = [f"{row[0]} {row[2]}" for row in rows[1:]]
    return Section(
        "baselines",
        "Beside Wilson and the bootstrap",
        [
            FigureBlock(
                "posterior",
                "Pass rate of new tasks",
                f"{seen} Beneath it, as lines: {'; '.join(intervals)}.",
            ),
            Table(
                "Pass rate beside the frequentist intervals",
                ["Method", "Estimate", f"{level(report.ci_prob)} interval", "When to believe it"],
                rows,
                words=(0, 3),
                notes=[
                    f"{row.name} has no interval: {row.interval.reason}."
                    for row in report.baselines
                    if isinstance(row.interval, Unknown)
                ],
            ),
        ],
    )


def _populations(report: Report) -> Section:
    rows, reasons = [], []
    for row, answers in report.populations:
        rows.append((row.label, *(answer(each, report.ci_prob) for each in answers.values())))
        if report.above is not None:
            chances = (
                "UNKNOWN" if isinstance(each, Unknown) else chance(each.prob_above(report.above))
                for each in answers.values()
            )
            rows.append((f"Pr[{row.label} > {report.above:.10g}]", *chances))
        reasons += [
            f"UNKNOWN for {row.label}: {each.reason}."
            for each in answers.values()
            if isinstance(each, Unknown)
        ]
    first = report.populations[0][1]
    seen = "; ".join(
        f"{HEADS[name].lower()} {answer(each, report.ci_prob)}" for name, each in first.items()
    )
    return Section(
        "populations",
        "Whom the number speaks of",
        [
            Paragraph(
                "New tasks: tasks like these, from the same source. This suite: exactly these "
                "tasks, with rollouts without end. Next run: the number that this suite will show "
                "when it is run once more."
            ),
            FigureBlock(
                "populations",
                "The pass rate for three populations",
                f"Three densities with mean and {level(report.ci_prob)} interval: {seen}.",
            ),
            Table(
                f"Posterior mean and {level(report.ci_prob)} equal-tailed interval",
                ["Quantity", *HEADS.values()],
                rows,
                notes=[*_stars(report), *reasons],
            ),
        ],
    )


def _stars(report: Report) -> list[str]:
    if all(not row.posterior.extrapolated for row, _ in report.populations):
        return []
    return [
        "* Extrapolated: k is beyond the rollouts of a task, so the answer rests on the shape "
        "of the model."
    ]


def _attempts(report: Report) -> Section:
    rows = []
    for k in report.curve_ks:
        at, hat = report.estimate("pass_at_k", k), report.estimate("pass_hat_k", k)
        rows.append(
            (
                f"{k:,}",
                answer(at.posterior, report.ci_prob),
                percent(at.unbiased),
                answer(hat.posterior, report.ci_prob),
                percent(hat.unbiased),
            )
        )
    last = report.curve_ks[-1]
    at, hat = report.estimate("pass_at_k", last), report.estimate("pass_hat_k", last)
    rate = report.fit.pass_rate()
    extrapolated = any(row.posterior.extrapolated for row in report.estimates)
    notes = []
    if extrapolated:
        notes.append(
            "* Extrapolated: k is beyond the rollouts of a task. The unbiased estimate does not "
            "exist there (UNKNOWN), and the model's answer rests on its shape."
        )
    return Section(
        "attempts",
        "Several attempts: pass@k and pass^k",
        [
            Paragraph(
                "pass@k is the probability that at least one of k attempts at a task passes: what "
                "retries buy. pass^k is the probability that all k pass: what unattended work "
                "needs. Both begin at the pass rate."
            ),
            FigureBlock(
                "pass_curve",
                "pass@k and pass^k on new tasks",
                f"From {percent(rate.mean)} at k = 1, pass@k rises to {percent(at.posterior.mean)} "
                f"and pass^k falls to {percent(hat.posterior.mean)} at k = {last:,}, with bands. "
                f"Beyond {report.fit.min_trials:,} the curves are dashed: they rest on the model.",
            ),
            Table(
                f"On new tasks: mean and {level(report.ci_prob)} equal-tailed interval",
                ["k", "pass@k", "unbiased", "pass^k", "unbiased"],
                rows,
                words=(),
                notes=notes,
            ),
        ],
    )


def _grid(report: Report) -> Section:
    suite = report.rollouts
    cells = sorted(suite.histogram().items(), key=lambda item: (-item[0][1], -item[0][0]))
    shown = "; ".join(
        f"{counted(number, 'task')} with {passes:,} of {trials:,} passed"
        for (passes, trials), number in cells[:12]
    )
    more = f"; and {len(cells) - 12:,} more kinds" if len(cells) > 12 else ""
    ledger = suite.ledger
    return Section(
        "grid",
        "Every task and rollout",
        [
            Paragraph(
                f"{counted(suite.n_tasks, 'task')}; {ledger.passed:,} rollouts passed, "
                f"{ledger.failed:,} failed, {ledger.errored:,} errored and were not scored."
            ),
            FigureBlock(
                "sampling_grid",
                "The sampling grid",
                f"A row for each task, a cell for each rollout: {shown}{more}. The bar of a row is "
                f"the task's unbiased pass^{report.k_most}.",
            ),
        ],
    )


def _slices(report: Report) -> Section:
    sliced, table = report.sliced, report.slice_table
    assert sliced is not None
    assert table is not None
    how = {
        "none": "each fitted alone",
        "partial": "partially pooled",
        "complete": "fitted as one",
    }[sliced.pooling]
    weights = report.weights
    heads = ["Slice", "Tasks", "Raw", "Wilson", "Bootstrap", "Posterior"]
    rows = []
    for at, label in enumerate(table.label):
        row = [
            label + (" (small)" if table.small[at] else ""),
            f"{table.n_tasks[at]:,}",
            percent(float(table.raw_rate[at])),
            span(table.wilson[at]),
            span(table.bootstrap[at]),
            f"{percent(float(table.mean[at]))} ({span(table.interval[at])})",
        ]
        if weights is not None:
            row.append(percent(weights.share[label]))
        rows.append(row)
    if weights is not None:
        heads.append("Weight")
    notes = ["Wilson takes rollouts of one task for independent tasks: right for one rollout each."]
    if table.small.any():
        notes.insert(
            0,
            "Small: too small to carry a claim of its own, with fewer than 10 tasks or an interval "
            "wider than 30 points.",
        )
    seen = "; ".join(f"{row[0]} {row[5]}" for row in rows[:12])
    blocks: list[Block] = [
        FigureBlock("slices", f"Pass rate by {' and '.join(sliced.by)}", f"Slices, {how}: {seen}."),
        Table(f"Pass rate of new tasks by slice, {how}", heads, rows, notes=notes),
    ]
    if len(sliced.labels) > 1:
        worst = sliced.worst_slice()
        label, share = next(iter(worst.prob_worst.items()))
        blocks.append(
            Paragraph(
                f"The worst slice: {answer(worst.posterior, report.ci_prob)}; it is {label} with "
                f"probability {chance(share)}."
            )
        )
    blocks.append(_mix(report))
    blocks += [Paragraph(f"Check {check}", strong=True) for check in sliced.checks.failed]
    return Section("slices", "Slices and weights", blocks)


def _mix(report: Report) -> Table:
    sliced, stratified = report.sliced, report.stratified
    assert sliced is not None
    assert stratified is not None
    weights, k = report.weights, report.k_most
    rows = [("pass rate", answer(sliced.pass_rate(weights=weights), report.ci_prob))]
    if k > 1:
        at = sliced.pass_at_k(k, weights=weights)
        hat = sliced.pass_hat_k(k, weights=weights)
        rows += [(f"pass@{k}", answer(at, report.ci_prob))]
        rows += [(f"pass^{k}", answer(hat, report.ci_prob))]
    limits = stratified.interval
    rows.append(
        (
            "pass rate, without a model (stratified)",
            f"{percent(stratified.estimate)} "
            f"({span(limits if isinstance(limits, Unknown) else tuple(limits))})",
        )
    )
    mix = "as mixed in the suite" if weights is None else "weighted as in the population"
    return Table(
        f"New tasks, slices {mix}",
        ["Quantity", f"Mean and {level(report.ci_prob)} interval"],
        rows,
        notes=[
            f"With these weights the suite is worth {stratified.n_eff:,.1f} of its "
            f"{counted(sliced.n_tasks, 'task')} (Kish)."
        ],
    )


def _tasks(report: Report) -> Section:
    k = max(2, report.k_most)
    table = report.fit.task_table(k=(1, k), ci_prob=report.ci_prob)
    gap = np.asarray(table.pass_at_k[k]) - np.asarray(table.pass_hat_k[k])
    order = np.argsort(-gap, kind="stable")
    names = table.task.tolist()
    made: dict[tuple[int, int, int], tuple[str, ...]] = {}
    rows = []
    for i in order[:MOST_TASKS].tolist():
        key = int(table.passes[i]), int(table.trials[i]), int(table.errored[i])
        if key not in made:
            made[key] = (
                *(f"{count:,}" for count in key),
                percent(float(table.raw_rate[i])),
                percent(float(table.mean[i])),
                span((table.lower[i], table.upper[i])),
                percent(float(table.pass_hat_k[k][i])),
                percent(float(gap[i])),
            )
        rows.append((str(names[i]), made[key]))
    notes = [
        f"Flaky: pass@{k} minus pass^{k}, the probability that {k} attempts neither all fail nor "
        "all pass. Shrunken: the model's mean, drawn towards the other tasks."
    ]
    if len(names) > MOST_TASKS:
        notes.append(
            f"The {MOST_TASKS:,} flakiest of {len(names):,} tasks are listed; a report in JSON "
            "(-o report.json) lists them all."
        )
    top = ", ".join(name for name, _ in rows[:5])
    return Section(
        "tasks",
        "Tasks",
        [
            FigureBlock(
                "tasks",
                "Pass rates of tasks, raw and shrunken",
                "Each task's raw pass rate against its posterior mean and interval, best first; "
                f"the table below has the numbers. The flakiest: {top}.",
            ),
            Tasks(
                "Every task, the flakiest first",
                [
                    "Task",
                    "Passed",
                    "Scored",
                    "Errored",
                    "Raw",
                    "Shrunken",
                    f"{level(report.ci_prob)} interval",
                    f"pass^{k}",
                    "Flaky",
                ],
                rows,
                notes,
            ),
        ],
    )


def _spread(report: Report) -> Section:
    icc, fit = report.fit.icc(), report.fit
    lower, upper = icc.eti(report.ci_prob)
    blocks: list[Block] = [
        Paragraph(
            f"Intraclass correlation (ICC) {icc.mean:.2f} ({level(report.ci_prob)} credible "
            f"interval {lower:.2f}-{upper:.2f}): the share of the variance of outcomes that lies "
            "between tasks. 0: every task is equally hard. 1: each task always passes or always "
            "fails."
        )
    ]
    items = []
    if fit.max_trials > 1 and not isinstance(report.effective_rollouts, Unknown):
        items.append(
            f"The {report.rollouts.n_rollouts:,} rollouts tell as much about the pass rate as "
            f"about {report.effective_rollouts:,.0f} independent ones."
        )
    run = report.populations[0][1]["next_run"]
    if not isinstance(run, Unknown):
        items.append(
            f"The next run of this suite will show a pass rate of {answer(run, report.ci_prob)}; "
            "two runs that differ by less than that say nothing of a change."
        )
    if items:
        blocks.append(Bullets(items))
    if table := _designs(report):
        blocks.append(table)
    return Section("spread", "How much tasks differ, and the next run", blocks)


def _designs(report: Report) -> Table | None:
    """Half-widths that other sizes of the suite would give."""
    from bayeseval.plan import clustered_design

    rate, icc = report.fit.pass_rate().mean, report.fit.icc().mean
    tasks, each = report.fit.cells.n_tasks, report.fit.max_trials
    if not 0.0 < rate < 1.0:
        return None
    sizes = [
        ("as it is", tasks, each),
        ("twice the rollouts of each task", tasks, 2 * each),
        ("twice the tasks", 2 * tasks, each),
        ("four times the tasks", 4 * tasks, each),
    ]
    if each > 1:
        sizes.insert(1, ("one rollout of each task", tasks, 1))
    rows = []
    for name, number, rollouts in sizes:
        design = clustered_design(rate, icc, number, rollouts, ci_prob=report.ci_prob)
        rows.append(
            (
                name,
                f"{number:,}",
                f"{rollouts:,}",
                f"{design.n_eff:,.0f}",
                f"±{100 * design.half_width:.1f}",
            )
        )
    return Table(
        "What a suite of another size would tell of new tasks, at this rate and ICC",
        ["Suite", "Tasks", "Rollouts each", "Worth (independent)", "Half-width, points"],
        rows,
    )
