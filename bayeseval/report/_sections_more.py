"""Sections of a report for what was given beside the suite: a baseline, marks of leaked tasks."""

from __future__ import annotations

from bayeseval.comparison import Comparison
from bayeseval.comparison._document import changes, most_moved
from bayeseval.population import Contamination
from bayeseval.population._contamination import SETS
from bayeseval.posterior import Posterior
from bayeseval.report._blocks import Block, Bullets, FigureBlock, Paragraph, Section, Table
from bayeseval.report._gather import Report
from bayeseval.report._words import answer, chance, counted, level, percent, points, points_span
from bayeseval.unknown import Unknown

__all__ = ["against_baseline", "leaked_tasks"]

# Tasks that are listed among those that moved.
MOST_MOVED = 20
BEYOND = "* beyond the rollouts of some tasks: rests on the shape of the model."


def against_baseline(report: Report, found: Comparison) -> Section:
    """What changed since the results that were given as the baseline."""
    blocks: list[Block] = [
        Paragraph(found.sentence(report.ci_prob), strong=True),
        FigureBlock(
            "comparison",
            "Difference of pass rates, new tasks",
            f"Posterior of {found.new} minus {found.old}, with the mass on either side of 0. "
            "Beneath it, as lines, the credible interval and those that are usually reported.",
        ),
        _differences(report, found),
        _beside(report, found),
        *_moved(found),
    ]
    joined = found.joined
    notes = [f"Both systems scored {counted(joined.n_matched, 'task')}."]
    if joined.n_unmatched:
        notes.append(
            f"Left out: {counted(joined.n_unmatched, 'task')} that one system only scored."
        )
    notes += [note for note in found.notes if note != joined.unmatched_note]
    blocks.append(Bullets(notes))
    return Section("baseline", "Against the baseline", blocks)


def _differences(report: Report, found: Comparison) -> Table:
    rows = []
    for each in changes(found, (1, report.k_most)):
        change = each.difference
        if isinstance(change, Unknown):
            rows.append((each.label, *["UNKNOWN"] * 5))
            continue
        assert isinstance(each.old, Posterior)
        assert isinstance(each.new, Posterior)
        rows.append(
            (
                each.label + "*" * change.extrapolated,
                percent(each.old.mean),
                percent(each.new.mean),
                points(change.mean),
                points_span(change.eti(report.ci_prob)),
                chance(change.prob_above(0.0)),
            )
        )
    notes = [
        f"{level(report.ci_prob)} credible intervals, equal-tailed; engine {found.engine}. The "
        "rates are those of the joint model of both systems, so they differ a little from those "
        "of this suite alone."
    ]
    unknown = found.difference(population="suite")
    if isinstance(unknown, Unknown):
        notes.append(f"UNKNOWN: {unknown.reason}.")
    if any("*" in row[0] for row in rows):
        notes.append(BEYOND)
    return Table(
        f"{found.new} minus {found.old}",
        ["Quantity", found.old, found.new, "Difference, points", "Interval", "Pr[better]"],
        rows,
        notes=notes,
    )


def _beside(report: Report, found: Comparison) -> Table:
    boot, newcombe = found.bootstrap(ci_prob=report.ci_prob), found.newcombe(ci_prob=report.ci_prob)
    tests = found.tests()
    rows, notes = [], []
    if not isinstance(boot.interval, Unknown):
        name = (
            "Wilson on tasks, since all agree" if boot.fallback else "Bootstrap of pairs of tasks"
        )
        rows.append((name, points(float(boot.estimate)), points_span(boot.interval)))
    if not isinstance(newcombe, Unknown) and not isinstance(tests, Unknown):
        rows.append(("Newcombe, paired", points(tests.difference), points_span(newcombe)))
        notes.append(f"McNemar: exact p = {tests.exact:.3g}, mid-p = {tests.mid_p:.3g}.")
    notes.append(
        "Pairing by task: the variance of an unpaired comparison would be "
        f"{found.variance_ratio:.2g} times as large."
    )
    return Table(
        "The same difference without a model", ["Method", "Difference, points", "Interval"],
        rows, notes=notes,
    )  # fmt: skip


def _moved(found: Comparison) -> list[Block]:
    moved = found.moved()
    if not len(moved):
        return [Paragraph("No task moved: both systems have the same raw rates.")]
    rows = []
    for at in most_moved(moved, MOST_MOVED):
        row = [
            str(moved.task[at]),
            f"{moved.old_passes[at]} of {moved.old_trials[at]}",
            f"{moved.new_passes[at]} of {moved.new_trials[at]}",
        ]
        if moved.mean is not None and moved.prob_worse is not None:
            row += [points(float(moved.mean[at])), chance(float(moved.prob_worse[at]))]
        rows.append(row)
    heads = ["Task", found.old, found.new, "Shrunken, points", "Pr[worse]"]
    left = len(moved) - len(rows)
    notes = [] if not left else [f"{counted(left, 'task')} more moved; compare --json has all."]
    if moved.mean is None:
        notes.append("One rollout each does not tell change from chance, task by task.")
    return [
        Table(
            f"Tasks that moved: {moved.n_regressed:,} regressed, {moved.n_improved:,} improved",
            heads[: len(rows[0])],
            rows,
            notes=notes,
        )
    ]


def leaked_tasks(report: Report, found: Contamination) -> Section:
    """What tasks that are marked as leaked add to the score."""
    rows = []
    for row in report.headlines:
        rates = (found.answer(which, row.quantity, row.k) for which in SETS)
        cells = [answer(rate, report.ci_prob) for rate in rates]
        added = found.inflation(row.quantity, row.k)
        inflation = f"{points(added.mean)} ({points_span(added.eti(report.ci_prob))})"
        rows.append((row.label, *cells, inflation))
    notes = [
        f"Posterior means with {level(report.ci_prob)} intervals. Inflation: all minus clean. "
        "Leaked and clean tasks were fitted apart."
    ]
    if any("*" in cell for row in rows for cell in row):
        notes.append(BEYOND)
    leaked = found.leaked.cells.n_tasks
    return Section(
        "leaked",
        "Leaked tasks",
        [
            Paragraph(
                f"{counted(leaked, 'task')} of {found.sliced.n_tasks:,} "
                f"{'is' if leaked == 1 else 'are'} marked as leaked. All other sections are about "
                "all tasks, as the suite mixes them; a new task has not leaked, so the clean "
                "column is the one to release on."
            ),
            Table(
                "Rates with and without leaked tasks, new tasks",
                ["Quantity", "All tasks", "Clean", "Leaked", "Inflation, points"],
                rows,
                notes=notes,
            ),
        ],
    )
