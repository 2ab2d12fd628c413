"""How ``bayeseval show`` prints what it found."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import numpy as np

from bayeseval.cli._reading import Reading
from bayeseval.cli._tables import Printer, bare_percent
from bayeseval.io._read import FileRead
from bayeseval.io._records import SeveralSystems
from bayeseval.io._totals import TotalsOnly
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._text import WIDTH, plural

__all__ = ["print_found"]

_MOST_FILES = 5
_MOST_ROWS = 12
# Each is read by itself, from a large table by a query of its own.
_MOST_SYSTEMS = 50


def print_found(reading: Reading, printer: Printer) -> None:
    """Read the files, and print what was found in them."""
    try:
        found = reading.find()
    except TotalsOnly as totals:
        if not totals.totals:
            raise
        _print_totals(totals, printer)
        return
    except SeveralSystems as several:
        _print_systems(reading, several.names, printer)
        return
    for line in _format_lines(found.files):
        printer.verbatim(line)
    printer.verbatim(found.rollouts.describe())
    if not found.rollouts.equal_trials:
        _print_trials(found.rollouts, printer)
    if reading.errors == "bounds":
        _print_bounds(found.rollouts, printer)


def _format_lines(files: tuple[FileRead, ...]) -> list[str]:
    """Say what each file was read as; files of one format together."""
    names: dict[str, list[str]] = {}
    for each in files:
        version = f"; {each.version}" if each.version else ""
        names.setdefault(f"{each.format.name} ({each.format.title}{version})", []).append(each.name)
    lines = []
    for known, those in names.items():
        what = "" if len(files) == 1 else f"{plural(len(those), 'file')}: "
        if len(files) > 1:
            what += ", ".join(those[:_MOST_FILES])
            what += ", ..." if len(those) > _MOST_FILES else ""
            what += ": "
        lines += textwrap.wrap(f"{what}read as {known}.", WIDTH, break_on_hyphens=False)
    return [
        line[:1].upper() + line[1:] if at == 0 and len(files) == 1 else line
        for at, line in enumerate(lines)
    ]


def _print_trials(rollouts: Rollouts, printer: Printer) -> None:
    values, counts = np.unique(rollouts.trials, return_counts=True)
    pairs = list(zip(values.tolist(), counts.tolist(), strict=True))
    if len(pairs) > _MOST_ROWS:
        edges = np.unique(np.linspace(values[0], values[-1] + 1, _MOST_ROWS + 1).astype(int))
        binned, _ = np.histogram(rollouts.trials, edges)
        labels = [
            f"{low}" if high - low == 1 else f"{low} to {high - 1}"
            for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ]
        rows = list(zip(labels, binned.tolist(), strict=True))
    else:
        rows = [(str(value), number) for value, number in pairs]
    most = max(number for _, number in rows)
    printer.table(
        "Tasks by scored rollouts",
        ["rollouts", "tasks", ""],
        [
            (label, f"{number:,}", "█" * max(1, round(40 * number / most)) if number else "")
            for label, number in rows
        ],
        left=(2,),
    )


def _print_bounds(rollouts: Rollouts, printer: Printer) -> None:
    errored = rollouts.ledger.errored
    cells = []
    for label, suite in (
        ("left out", rollouts),
        ("all failed", rollouts.with_lost("fail")),
        ("all passed", rollouts.with_lost("pass")),
    ):
        ledger = suite.ledger
        rate = bare_percent(ledger.passed / ledger.scored) if ledger.scored else "UNKNOWN"
        cells.append((label, f"{ledger.passed:,}", f"{ledger.scored:,}", rate))
    printer.table(
        f"Rollouts passed, by what the errored ones ({errored:,}) count as",
        ["errored", "passed", "of", "%"],
        cells,
    )


def _print_systems(reading: Reading, names: tuple[str, ...], printer: Printer) -> None:
    """Say what there is of each system, so that one can be chosen."""
    rows = []
    files: tuple[FileRead, ...] = ()
    for name in names[:_MOST_SYSTEMS]:
        found = replace(reading, system=name).find()
        files = found.files
        ledger, trials = found.rollouts.ledger, found.rollouts.trials
        low, high = int(trials.min()), int(trials.max())
        rows.append(
            (
                name,
                f"{len(trials):,}",
                f"{low:,}" if low == high else f"{low:,}-{high:,}",
                *(f"{each:,}" for each in (ledger.passed, ledger.failed, ledger.errored)),
                bare_percent(ledger.passed / ledger.scored) if ledger.scored else "UNKNOWN",
            )
        )
    if len(reading.files) == 1:
        for line in _format_lines(files):
            printer.verbatim(line)
    left_out = len(names) - len(rows)
    more = [f"and {plural(left_out, 'more system')}"] if left_out else []
    printer.table(
        plural(len(names), "system"),
        ["system", "tasks", "scored each", "passed", "failed", "errored", "%"],
        rows,
        left=(0,),
        notes=[*more, "Other commands take one of them: --system NAME. 'compare' takes them all."],
    )


def _print_totals(found: TotalsOnly, printer: Printer) -> None:
    printer.text(f"{found}.")
    if found.version:
        printer.text(f"Written by {found.version}.")
    printer.table(
        "Totals",
        ["name", "passed", "of", "rate, %"],
        [
            (
                each.name,
                "not whole" if each.passes is None else f"{each.passes:,}",
                f"{each.trials:,}",
                bare_percent(each.rate),
            )
            for each in found.totals
        ],
        notes=["'bayeseval rate FILE --metric NAME' takes them for independent trials."],
    )
