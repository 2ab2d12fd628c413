"""How ``bayeseval fit`` prints its answers."""

from __future__ import annotations

import math

from bayeseval._format import format_probability
from bayeseval.cli._fit_report import POPULATIONS, Estimate, ExactReport
from bayeseval.cli._tables import Printer, bare_percent, bare_range, density_line, level
from bayeseval.hierarchical import Fit
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

__all__ = ["print_checks", "print_exact"]

_HEADS = ("new tasks", "this suite", "next run")
_POPULATION_NOTE = (
    "New tasks: tasks like these, from the same source. This suite: exactly these tasks, "
    "rollouts without end. Next run: what this suite will show when it is run once more."
)


def print_exact(
    report: ExactReport, printer: Printer, bounds: tuple[ExactReport, ...] = ()
) -> None:
    """Print all that is known before anything is sampled.

    `bounds` are the reports if all errored rollouts had failed, and if all had passed.
    """
    printer.verbatim(report.fit.rollouts.describe())
    _print_answers(report, printer)
    for each, what in zip(bounds, ("failed", "passed"), strict=False):
        printer.text()
        errored = report.fit.rollouts.ledger.errored
        printer.text(
            f"IF ALL ERRORED ROLLOUTS ({errored:,}) HAD {what.upper()}: {each.fit.rollouts!r}",
            style="bold",
        )
        _print_answers(each, printer)
    if report.lost is not None:
        _print_lost(report, printer)
    # The table of checks shows what failed, and the one of errored rollouts what they hide.
    shown = {f"Check {check}." for check in report.fit.checks.failed} | {report.fit.lost_note}
    for note in (note for note in report.fit.notes if note not in shown):
        printer.text()
        printer.text(f"Note: {note}")


def _print_answers(report: ExactReport, printer: Printer) -> None:
    _print_estimates(report, printer)
    if report.above is not None:
        _print_probabilities(report, report.above, printer)
    _print_icc(report, printer)
    _print_baselines(report, printer)


def print_checks(fit: Fit, printer: Printer) -> None:
    """Print the checks of a fit, what to do where one failed, and the agreement."""
    checks = fit.checks
    title = {"nuts": "Checks of the sampled model", "exact": "Checks of the exact engine"}
    printer.table(
        title[fit.engine],
        ["check", "value", "limit", "result", "what it is"],
        [
            (
                row.name,
                _number(row.value),
                f"{'<=' if row.at_most else '>='} {_number(row.limit)}",
                "ok" if row.passed else "FAILED",
                row.meaning,
            )
            for row in checks.rows
        ],
        left=(0, 3, 4),
        notes=[f"{row.name} FAILED: {row.remedy}" for row in checks.rows if not row.passed],
    )
    for row in checks.rows:
        if row.name == "agreement":
            printer.text()
            printer.text(
                f"NUTS and the exact engine differ by at most {_number(row.value)} Monte Carlo "
                "standard errors."
            )


def _print_estimates(report: ExactReport, printer: Printer) -> None:
    rows = _shown(report.estimates)
    notes = [
        f"Per cent: posterior mean ({level(report.ci_prob)} equal-tailed credible interval). "
        f"Prior: {report.fit.prior.formula}.",
        _POPULATION_NOTE,
    ]
    if len(rows) > 1:
        notes.append("pass@k: at least one of k rollouts passes. pass^k: all k of them pass.")
    if len(rows) < len(report.estimates):
        notes.append("pass@1 and pass^1 are the pass rate.")
    if any(row.extrapolated for row in rows):
        notes.append(
            "* Extrapolated: k is beyond the rollouts of a task, so the answer rests on the "
            "shape of the model."
        )
    for label, reason in _reasons(rows):
        notes.append(f"UNKNOWN for {label}: {reason}.")
    printer.table(
        "Answers by the exact engine",
        ["", "unbiased", *_HEADS],
        [
            (
                _label(row),
                bare_percent(row.unbiased),
                *(_cell(row.posterior[each], report.ci_prob) for each in POPULATIONS),
            )
            for row in rows
        ],
        notes=notes,
    )
    line = density_line(report.pass_rate.new_tasks)
    if line:
        printer.text()
        printer.text("Posterior of the pass rate of new tasks, per cent")
        printer.verbatim(line)


def _print_probabilities(report: ExactReport, above: float, printer: Printer) -> None:
    printer.table(
        f"Probability of being above {above:.15g}",
        ["", *_HEADS],
        [
            (
                _label(row),
                *(_probability_cell(row.posterior[each], above) for each in POPULATIONS),
            )
            for row in _shown(report.estimates)
        ],
    )
    if report.verdict is not None:
        printer.text()
        printer.text(f"Pass rate of new tasks: {_lower_first(report.verdict)}")


def _print_icc(report: ExactReport, printer: Printer) -> None:
    icc = report.icc
    lower, upper = icc.eti(report.ci_prob)
    printer.text()
    printer.text("How much tasks differ", style="bold")
    printer.text(
        f"Intraclass correlation {icc.mean:.2f} ({level(report.ci_prob)} credible interval "
        f"{lower:.2f}-{upper:.2f}): the share of the variance of outcomes that lies between "
        f"tasks. 0: every task is equally hard. 1: each task always passes or always fails. "
        f"Here {_icc_words(icc)}."
    )
    if not isinstance(report.effective_rollouts, Unknown) and report.fit.max_trials > 1:
        printer.text(
            f"The {report.fit.rollouts.n_rollouts:,} rollouts tell as much about the pass rate "
            f"as about {report.effective_rollouts:,.0f} independent ones."
        )


def _icc_words(icc: Posterior) -> str:
    lower, upper = icc.eti(0.9)
    if upper - lower > 0.7:
        return "the data hardly say which"
    if icc.mean < 0.1:
        return "tasks are nearly equally hard"
    if icc.mean < 0.4:
        return "tasks differ, and rollouts of one task differ more"
    if icc.mean < 0.7:
        return "tasks differ about as much as rollouts of one task do"
    return "most tasks nearly always pass or nearly always fail: more rollouts of them tell little"


def _print_baselines(report: ExactReport, printer: Printer) -> None:
    posterior = report.pass_rate.new_tasks
    first = (
        "Posterior, new tasks",
        bare_percent(posterior.mean),
        bare_range(posterior.eti(report.ci_prob)),
        "the model above",
    )
    printer.table(
        "Pass rate beside the baselines, per cent",
        ["", "estimate", f"{level(report.ci_prob)}", "when to believe it"],
        [
            first,
            *(
                (row.name, bare_percent(row.estimate), bare_range(row.interval), row.advice)
                for row in report.baselines
            ),
        ],
        left=(0, 3),
        notes=[
            f"{row.name} has no interval: {row.interval.reason}."
            for row in report.baselines
            if isinstance(row.interval, Unknown)
        ],
    )


def _print_lost(report: ExactReport, printer: Printer) -> None:
    envelope = report.lost_estimates()
    assert envelope is not None
    errored = report.fit.rollouts.ledger.errored
    columns = [_shown(each) for each in (report.estimates, *envelope)]
    rows = []
    for row in zip(*columns, strict=True):
        posteriors = [each.new_tasks for each in row]
        cells = (_cell(posterior, report.ci_prob) for posterior in posteriors)
        rows.append((_label(row[0]), *cells))
        if report.above is not None:
            probabilities = (format_probability(p.prob_above(report.above)) for p in posteriors)
            rows.append((f"  Pr > {report.above:.15g}", *probabilities))
    printer.table(
        f"New tasks, if the errored rollouts ({errored:,}) had been scored",
        ["", "left out", "all failed", "all passed"],
        rows,
        notes=["Errored rollouts are left out above; these two answers bound what they hide."],
    )


def _shown(rows: tuple[Estimate, ...]) -> list[Estimate]:
    """All but pass@1 and pass^1, which are the pass rate."""
    return [row for row in rows if row.k != 1]


def _reasons(rows: list[Estimate]) -> list[tuple[str, str]]:
    """Labels and reasons of what is UNKNOWN, those of one reason together."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if isinstance(row.unbiased, Unknown):
            found.setdefault(row.unbiased.reason, []).append(row.label)
    for row in rows:
        # Where there is no unbiased estimate either, its reason serves for both.
        answer = row.posterior["next_run"]
        if isinstance(answer, Unknown) and not isinstance(row.unbiased, Unknown):
            found.setdefault(answer.reason, []).append(row.label)
    return [(" and ".join(labels), reason) for reason, labels in found.items()]


def _cell(posterior: Posterior | Unknown, ci_prob: float) -> str:
    if isinstance(posterior, Unknown):
        return "UNKNOWN"
    return f"{bare_percent(posterior.mean)} ({bare_range(posterior.eti(ci_prob))})"


def _probability_cell(posterior: Posterior | Unknown, above: float) -> str:
    if isinstance(posterior, Unknown):
        return "UNKNOWN"
    return format_probability(posterior.prob_above(above))


def _label(row: Estimate) -> str:
    return f"{row.label}*" if row.extrapolated else row.label


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "none"


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
