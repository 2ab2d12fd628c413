"""What ``bayeseval compare`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayeseval._format import format_probability, format_value, quantities
from bayeseval._interval import Interval
from bayeseval.cli._tables import Printer, bare_percent, bare_range, level
from bayeseval.comparison import Comparison, Leaderboard
from bayeseval.comparison._document import (
    POPULATIONS,
    changes,
    checks_of,
    losses,
    most_moved,
)
from bayeseval.comparison._join import Joined
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.cli._compare_run import Options

__all__ = ["board_document", "print_board", "print_pair", "print_systems"]

# Moved tasks and pairs that are printed; the document holds all of them.
MOST_MOVED, MOST_PAIRS, MOST_MATRIX = 12, 10, 8


def print_systems(joined: Joined, printer: Printer) -> None:
    """Print what was read of each system, and how their tasks match."""
    printer.table(
        "Systems",
        ["", "tasks", "passed", "rollouts", "raw rate, %", "errored"],
        [
            (
                name,
                f"{each.n_scored_tasks:,}",
                f"{each.ledger.passed:,}",
                f"{each.ledger.scored:,}",
                bare_percent(each.ledger.passed / each.ledger.scored),
                f"{each.ledger.errored:,}",
            )
            for name, each in zip(joined.systems, joined.rollouts, strict=True)
        ],
        notes=[f"Tasks that every system scored: {joined.n_matched:,}; others: "
               f"{joined.n_unmatched:,}" + _fate(joined)],
    )  # fmt: skip


def _fate(joined: Joined) -> str:
    if not joined.n_unmatched:
        return "."
    return ", used." if joined.unmatched == "use" else ", left out (--unmatched use uses them)."


def print_pair(found: Comparison, printer: Printer, options: Options, ks: tuple[int, ...]) -> None:
    """Print the answers of two systems."""
    printer.text()
    printer.text(found.sentence(options.ci_prob), style="bold")
    rows, chances = [], []
    for each in changes(found, ks):
        difference = each.difference
        if isinstance(difference, Unknown):
            rows.append((each.label, "UNKNOWN", "", "", ""))
            continue
        assert isinstance(each.old, Posterior)
        assert isinstance(each.new, Posterior)
        rows.append(
            (
                each.label + " *" * difference.extrapolated,
                bare_percent(each.old.mean),
                bare_percent(each.new.mean),
                _points(difference.mean),
                _points_range(difference.eti(options.ci_prob)),
            )
        )
        chances.append((each.label, difference))
    notes = [f"{level(options.ci_prob)} CrI, equal-tailed; per cent and points; engine "
             f"{found.engine}."]  # fmt: skip
    unknown = found.difference(population="suite")
    if isinstance(unknown, Unknown):
        notes.append(f"UNKNOWN: {unknown.reason}.")
    if any("*" in row[0] for row in rows):
        notes.append("* beyond the data: rests on the shape of the model.")
    printer.table("Difference, new - old", ["", "old", "new", "difference", "CrI"], rows,
                  notes=notes)  # fmt: skip
    _print_chances(chances, printer, options)
    _print_beside(found, printer, options)
    _print_moved(found, printer)
    _print_notes(found, printer)


def _print_chances(
    chances: list[tuple[str, Posterior]], printer: Printer, options: Options
) -> None:
    low, high = options.rope
    rows = []
    for label, each in chances:
        loss = losses(each)
        rows.append(
            (
                label,
                format_probability(each.prob_above(0.0)),
                format_probability(each.prob_above(options.by)),
                format_probability(each.prob_above(-options.margin)),
                format_probability(each.prob_between(low, high)),
                f"{100 * loss[0]:.2f}",
                f"{100 * loss[1]:.2f}",
            )
        )
    region = format_value((low, high), "points")
    printer.table(
        "How probable",
        ["new is", "better", f"by > {100 * options.by:g}", f"> -{100 * options.margin:g}",
         "equal", "lose: new", "old"],
        rows,
        notes=[
            f"by > {100 * options.by:g}: better by more than that many points. "
            f"> -{100 * options.margin:g}: not worse by as much. Equal: {region}.",
            "lose: points that choosing the new, or the old, system is expected to cost.",
        ],
    )  # fmt: skip


def _print_beside(found: Comparison, printer: Printer, options: Options) -> None:
    boot = found.bootstrap(ci_prob=options.ci_prob)
    rows = []
    if not isinstance(boot.interval, Unknown):
        name = "whole tasks resampled in pairs"
        if boot.fallback:
            name = "all tasks agree: Wilson on tasks"
        rows.append((name, _points(float(boot.estimate)), _points_range(boot.interval)))
    newcombe, tests = found.newcombe(ci_prob=options.ci_prob), found.tests()
    notes = []
    if not isinstance(newcombe, Unknown) and not isinstance(tests, Unknown):
        rows.append(("Newcombe, paired", _points(tests.difference), _points_range(newcombe)))
        notes.append(f"McNemar: exact p = {tests.exact:.3g}, mid-p = {tests.mid_p:.3g}.")
    notes.append(
        f"Pairing: the variance of an unpaired comparison would be {found.variance_ratio:.2g} "
        "times as large."
    )
    printer.table(
        f"Beside it: pass rate, {level(options.ci_prob)} intervals",
        ["", "difference", "interval"],
        rows,
        notes=notes,
    )


def _print_moved(found: Comparison, printer: Printer) -> None:
    moved = found.moved()
    if not len(moved):
        printer.text()
        printer.text("No task moved: both systems have the same raw rates.")
        return
    chosen = most_moved(moved, MOST_MOVED)
    rows = []
    for at in chosen:
        row = [
            str(moved.task[at]),
            f"{moved.old_passes[at]} of {moved.old_trials[at]}",
            f"{moved.new_passes[at]} of {moved.new_trials[at]}",
        ]
        if moved.mean is not None and moved.prob_worse is not None:
            row += [_points(float(moved.mean[at])), format_probability(float(moved.prob_worse[at]))]
        rows.append(row)
    heads = ["task", "old", "new", "shrunken", "Pr[worse]"]
    shown = "" if len(chosen) == len(moved) else f" ({len(chosen)} shown)"
    printer.table(
        f"Tasks that moved: {moved.n_regressed:,} regressed, {moved.n_improved:,} improved{shown}",
        heads[: len(rows[0])],
        rows,
        notes=["One rollout each does not tell change from chance, task by task."]
        if moved.mean is None
        else [],
    )


def _points(value: float) -> str:
    return format_value(value, "points").removesuffix(" points")


def _points_range(interval: Interval) -> str:
    limits = format_value((interval.lower, interval.upper), "points")
    return limits.removesuffix(" points")


def print_board(
    found: Leaderboard, printer: Printer, options: Options, ks: tuple[int, ...]
) -> None:
    """Print the answers of many systems."""
    printer.text()
    printer.text(found.sentence(options.ci_prob), style="bold")
    for kind, k, name in quantities(ks):
        table = found.table(kind, k=k, ci_prob=options.ci_prob)
        top = found.prob_top(options.top, kind, k=k)
        printer.table(
            f"{name} on new tasks, per cent",
            ["group", "system", "mean", f"{level(options.ci_prob)} CrI", "rank", "Pr[best]",
             f"Pr[top {options.top}]"],
            [
                (
                    str(table.group[at]),
                    system,
                    bare_percent(float(table.mean[at])),
                    bare_range(
                        Interval(float(table.lower[at]), float(table.upper[at]), 0.95, "eti")
                    ),
                    _ranks(int(table.rank_lower[at]), int(table.rank_upper[at])),
                    format_probability(float(table.prob_best[at])),
                    format_probability(top[system]),
                )
                for at, system in enumerate(table.system)
            ],
            left=(0, 1),
        )  # fmt: skip
    printer.text(
        f"Systems of one group are statistically tied: its first beats none of the others with "
        f"probability {options.ci_prob:g}. Intervals hold the luck with tasks, which is common to "
        f"all; ranks and groups do not."
    )
    if len(found.systems) <= MOST_MATRIX:
        order = found.table().system
        place = [found.systems.index(name) for name in order]
        chances = found.pairwise()[place][:, place]
        printer.table(
            "Pr[row is better than column], pass rate",
            ["", *order],
            [
                (
                    name,
                    *("" if i == j else f"{chances[i, j]:.2f}" for j in range(len(order))),
                )
                for i, name in enumerate(order)
            ],
        )
    holm = found.holm()
    shown = min(len(holm), MOST_PAIRS)
    printer.table(
        f"Beside it: tests of raw rates, the smallest p-values of {len(holm):,} pairs",
        ["pair", "difference", "p", "p, Holm"],
        [
            (
                f"{holm.first[at]} - {holm.second[at]}",
                _points(float(holm.difference[at])),
                f"{holm.p[at]:.2g}",
                f"{holm.p_holm[at]:.2g}",
            )
            for at in range(shown)
        ],
        notes=["The joint posterior needs no correction: it draws systems together."],
    )
    _print_notes(found, printer)


def _print_notes(found: Comparison | Leaderboard, printer: Printer) -> None:
    # Unmatched tasks stand under the first table already.
    notes = [note for note in found.notes if note != found.joined.unmatched_note]
    if notes:
        printer.text()
    for note in notes:
        printer.text(note)


def _ranks(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}-{high}"


def board_document(found: Leaderboard, options: Options, ks: tuple[int, ...]) -> dict[str, Any]:
    """Return all that is said of many systems for JSON."""
    tables = []
    for kind, k, _ in quantities(ks):
        for population in POPULATIONS:
            table = found.table(
                kind,
                k=k,
                population=population,  # type: ignore[arg-type]
                ci_prob=options.ci_prob,
            )
            top = found.prob_top(options.top, kind, k=k, population=population)  # type: ignore[arg-type]
            tables += [
                {
                    "quantity": kind,
                    "k": k,
                    "population": population,
                    "system": system,
                    "raw_rate": float(table.raw_rate[at]),
                    "mean": float(table.mean[at]),
                    "lower": float(table.lower[at]),
                    "upper": float(table.upper[at]),
                    "ci_prob": table.ci_prob,
                    "rank": float(table.rank[at]),
                    "rank_lower": int(table.rank_lower[at]),
                    "rank_upper": int(table.rank_upper[at]),
                    "prob_best": float(table.prob_best[at]),
                    "prob_top": top[system],
                    "group": int(table.group[at]),
                }
                for at, system in enumerate(table.system)
            ]
    holm = found.holm()
    return {
        "sentence": found.sentence(options.ci_prob),
        "engine": "nuts",
        "table": tables,
        "groups": [list(names) for names in found.groups(max(options.ci_prob, 0.5))],
        "top": {"r": options.top, "prob": dict(found.prob_top(options.top))},
        "pairwise": found.pairwise(),
        "holm": [
            {
                "first": holm.first[at],
                "second": holm.second[at],
                "difference": float(holm.difference[at]),
                "p": float(holm.p[at]),
                "p_holm": float(holm.p_holm[at]),
            }
            for at in range(len(holm))
        ],
        "notes": list(found.notes),
        "checks": checks_of(found),
    }
