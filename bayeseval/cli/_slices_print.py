"""How ``bayeseval fit`` prints slices, flaky and leaked tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayeseval._format import format_probability, format_value, quantities
from bayeseval._interval import Interval
from bayeseval.cli._sensitivity import prior_lines
from bayeseval.cli._slices import HEADS, SliceReport
from bayeseval.cli._tables import Printer, bare_percent, bare_range, level
from bayeseval.population import Contamination
from bayeseval.posterior import Posterior
from bayeseval.slices._table import LEAST_TASKS, WIDEST
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.hierarchical._flaky import FlakyTable

__all__ = ["print_flaky", "print_leak", "print_slices"]


def print_slices(report: SliceReport, printer: Printer) -> None:
    """Print the table of slices and the answers over their mix."""
    sliced, table, worst = report.fit, report.table, report.worst
    how = {
        "none": "each fitted alone",
        "partial": "partially pooled",
        "complete": "fitted as one",
    }[sliced.pooling]
    notes = []
    if table.small.any():
        notes.append(
            f"* Too small to carry a claim: fewer than {LEAST_TASKS} tasks, or an interval "
            f"wider than {100 * WIDEST:.0f} points."
        )
    notes.append(
        "Wilson takes rollouts of one task for independent tasks: right for one rollout each."
    )
    printer.table(
        f"Slices by {' and '.join(sliced.by)}, {how}: pass rate of new tasks, per cent",
        ["", "tasks", "raw", "Wilson", "bootstrap", "posterior"],
        [
            (
                label + ("*" if table.small[at] else ""),
                f"{table.n_tasks[at]:,}",
                bare_percent(float(table.raw_rate[at])),
                _range(table.wilson[at]),
                _range(table.bootstrap[at]),
                f"{bare_percent(float(table.mean[at]))} ({_range(table.interval[at])})",
            )
            for at, label in enumerate(table.label)
        ],
        notes=notes,
    )
    label, chance = next(iter(worst.prob_worst.items()))
    if len(sliced.labels) > 1:
        printer.text(
            f"The worst slice: {bare_percent(worst.posterior.mean)} % "
            f"({bare_range(worst.posterior.eti(report.ci_prob))}); it is {label} with "
            f"probability {format_probability(chance)}."
        )
    _print_weighted(report, printer)
    for check in sliced.checks.failed:
        printer.text(f"Check {check}")


def _print_weighted(report: SliceReport, printer: Printer) -> None:
    chosen, sliced = report.options, report.fit
    if chosen.weights is None:
        title = "The same mix of slices as in the suite, per cent"
    else:
        title = f"In the population of {chosen.weights_file}, per cent"
    notes = [f"Posterior mean ({level(report.ci_prob)} equal-tailed credible interval)."]
    if chosen.weights is not None:
        missing = chosen.weights.align(sliced.labels).missing_share
        if missing:
            notes.append(
                f"{100 * missing:.3g} % of the weight lies on slices without tasks: the range "
                "from always failing to always passing there."
            )
    for reason in dict.fromkeys(
        each.reason
        for row in report.weighted
        for each in row.answers.values()
        if isinstance(each, Unknown)
    ):
        notes.append(f"UNKNOWN: {reason}.")
    printer.table(
        title,
        ["", *HEADS.values()],
        [
            (row.label, *(_cell(row.answers[each], report.ci_prob) for each in HEADS))
            for row in report.weighted
        ],
        notes=notes,
    )
    if report.above is not None:
        printer.table(
            f"Probability of being above {report.above:.15g} in that population",
            ["", *HEADS.values()],
            [
                (row.label, *(_chance(row.answers[each], report.above) for each in HEADS))
                for row in report.weighted
            ],
        )
    if report.weighted[0].lost is not None:
        printer.table(
            f"New tasks of that population, if the errored rollouts "
            f"({sliced.rollouts.ledger.errored:,}) had been scored",
            ["", "all failed", "all passed"],
            [
                (row.label, *(_cell((each, each), report.ci_prob) for each in row.lost))
                for row in report.weighted
                if row.lost is not None
            ],
        )
    if report.priors is not None:
        printer.text()
        for line in prior_lines((report.priors,)):
            printer.text(line)
    _print_stratified(report, printer)
    if chosen.next_tasks is not None:
        where = sliced.next_tasks(chosen.next_tasks, weights=chosen.weights)
        listed = ", ".join(f"{number:,} {label}" for label, number in where.items() if number)
        printer.text(f"Of the next {chosen.next_tasks:,} tasks, these would tell most: {listed}.")


def _print_stratified(report: SliceReport, printer: Printer) -> None:
    found = report.stratified
    printer.text()
    if isinstance(found, Unknown):
        printer.text(f"Stratified estimate without a model: UNKNOWN, {found.reason}.")
        return
    limits = "no interval, since all tasks of each slice agree"
    if isinstance(found.interval, Interval):
        limits = format_value((found.interval.lower, found.interval.upper), "percent")
    text = (
        f"Stratified estimate without a model: {bare_percent(found.estimate)} % ({limits}), "
        f"standard error {100 * found.se:.2f} points. The weights leave {found.n_eff:.0f} "
        f"effective tasks (Kish) of {int(found.n_tasks.sum()):,}."
    )
    share = found.variance_share
    if share is not None:
        order = sorted(range(len(found.label)), key=lambda at: -share[at])[:5]
        listed = ", ".join(f"{found.label[at]} {100 * share[at]:.0f} %" for at in order)
        text += f" Shares of the variance: {listed}."
    printer.text(text)
    if report.options.weights is not None:
        printer.text(
            f"Unweighted: {bare_percent(found.unweighted)} %, the estimate for a fictional "
            "population that is mixed as the suite is."
        )


def print_flaky(table: FlakyTable, printer: Printer) -> None:
    """Print the flakiest tasks."""
    k, ci_prob = table.k, table.ci_prob
    printer.table(
        f"Flakiest tasks: pass@{k} minus pass^{k}, per cent",
        ["task", "passed", f"mean ({level(ci_prob)} CrI)"],
        [
            (
                str(task),
                f"{table.passes[at]} of {table.trials[at]}",
                f"{bare_percent(float(table.mean[at]))} "
                f"({_range((table.lower[at], table.upper[at]))})",
            )
            for at, task in enumerate(table.task.tolist())
        ],
        notes=[f"Probability that {k} attempts at the task neither all fail nor all pass."],
    )


def print_leak(found: Contamination, ks: tuple[int, ...], ci_prob: float, printer: Printer) -> None:
    """Print answers for all and for clean tasks, and the inflation."""
    rows = []
    for kind, several, label in quantities(ks):
        k = several or 1
        gap = found.inflation(kind, k)
        rows.append(
            (
                label,
                _cell((found.answer("all", kind, k),) * 2, ci_prob),
                _cell((found.answer("clean", kind, k),) * 2, ci_prob),
                f"{100 * gap.mean:+.1f} "
                f"({format_value(tuple(gap.eti(ci_prob)), 'points').removesuffix(' points')})",  # type: ignore[arg-type]
            )
        )
    printer.table(
        f"Leaked tasks: {found.leaked.cells.n_tasks:,} of {found.sliced.n_tasks:,}; new tasks, "
        "per cent",
        ["", "all", "clean", "inflation, points"],
        rows,
        notes=["Inflation: what the leaked tasks add to the answer for all tasks."],
    )


def _cell(answer: tuple[Posterior, Posterior] | Unknown, ci_prob: float) -> str:
    if isinstance(answer, Unknown):
        return "UNKNOWN"
    low, high = answer
    if low is high:
        return f"{bare_percent(low.mean)} ({bare_range(low.eti(ci_prob))})"
    ends = Interval(low.eti(ci_prob).lower, high.eti(ci_prob).upper, ci_prob, "bounds")
    return f"{bare_percent(low.mean)} to {bare_percent(high.mean)} ({bare_range(ends)})"


def _chance(answer: tuple[Posterior, Posterior] | Unknown, above: float) -> str:
    if isinstance(answer, Unknown):
        return "UNKNOWN"
    low, high = (format_probability(each.prob_above(above)) for each in answer)
    return low if answer[0] is answer[1] else f"{low} to {high}"


def _range(limits: Any) -> str:
    low, high = float(limits[0]), float(limits[1])
    if low != low:
        return "UNKNOWN"
    return format_value((low, high), "percent").removesuffix(" %")
