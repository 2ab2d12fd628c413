"""How a suite prints itself: one line, a page of text, a small HTML table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from bayeseval.rollouts import Rollouts

__all__ = ["describe", "html", "ledger_lines", "plural", "summary"]

WIDTH = 80
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MOST_ROWS = 21
# As many different shares each have a row of their own; more are put into tenths.
_MOST_SHARES = 9

Counts = npt.NDArray[np.int64]


def plural(number: int, noun: str) -> str:
    """``1 task``, ``2 tasks``, ``1,000 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def summary(rollouts: Rollouts) -> str:
    """Return the suite in one line."""
    tasks = plural(rollouts.n_tasks, "task")
    if rollouts.equal_trials:
        shape = f"{tasks} x {plural(rollouts.max_trials, 'rollout')}"
    else:
        shape = f"{tasks}, {rollouts.min_trials} to {rollouts.max_trials} rollouts each"
    ledger = rollouts.ledger
    return f"{shape}: {ledger.passed:,} of {ledger.scored:,} passed, {ledger.errored:,} errored"


def describe(rollouts: Rollouts) -> str:
    """Return the histogram of passes, the ledger and the rollouts per task."""
    title = summary(rollouts)
    lines = []
    if rollouts.source and len(f"{rollouts.source}: {title}") <= WIDTH:
        title = f"{rollouts.source}: {title}"
    elif rollouts.source:
        # A path stays in one piece, so that it can be copied.
        source = f"{rollouts.source}:"
        lines += textwrap.wrap(source, WIDTH, break_on_hyphens=False, break_long_words=False)
    lines += textwrap.wrap(title, WIDTH, break_on_hyphens=False)
    lines += ["", *_trials_lines(rollouts), "", *_histogram_lines(rollouts)]
    lines += ["", *rollouts.ledger.lines()]
    if rollouts.factors:
        lines += ["", *_factor_lines(rollouts)]
    return "\n".join(lines)


def _trials_lines(rollouts: Rollouts) -> list[str]:
    if rollouts.equal_trials:
        return [f"Rollouts per task: equal, {rollouts.max_trials} each."]
    values, counts = np.unique(rollouts.trials, return_counts=True)
    shown = np.sort(np.argsort(-counts, kind="stable")[:6])
    parts = [f"{values[at]} ({plural(int(counts[at]), 'task')})" for at in shown]
    if len(values) > len(shown):
        parts.append(f"and {len(values) - len(shown)} other numbers")
    return textwrap.wrap("Rollouts per task: NOT equal: " + ", ".join(parts) + ".", WIDTH)


def _histogram_lines(rollouts: Rollouts) -> list[str]:
    rows, heading = _histogram_rows(rollouts)
    label_width = max(len(label) for label, _ in rows)
    number_width = max(len(f"{number:,}") for _, number in rows)
    room = WIDTH - label_width - number_width - 4
    most = max(number for _, number in rows) or 1
    lines = [heading]
    for label, number in rows:
        bar = _bar(number / most * room)
        lines.append(f"{label:>{label_width}}  {number:>{number_width},}  {bar}".rstrip())
    return lines


def _histogram_rows(rollouts: Rollouts) -> tuple[list[tuple[str, int]], str]:
    most = rollouts.max_trials
    if rollouts.equal_trials and most < _MOST_ROWS:
        number = np.bincount(rollouts.passes, minlength=most + 1)
        rows = [(f"{passes} of {most}", int(number[passes])) for passes in range(most + 1)]
        return rows, "Tasks by passes:"
    scored = rollouts.scored
    passes, trials = rollouts.passes[scored], rollouts.trials[scored]
    none, every = passes == 0, passes == trials
    share = passes[~none & ~every] / trials[~none & ~every]
    shares, sizes = np.unique(share, return_counts=True)
    if len(shares) <= _MOST_SHARES:
        between_rows = [
            (f"{100 * each:.3g} %", size)
            for each, size in zip(shares.tolist(), sizes.tolist(), strict=True)
        ]
    else:
        between_rows = _tenths(passes[~none & ~every], trials[~none & ~every])
    rows = [("none passed", int(none.sum())), *between_rows, ("all passed", int(every.sum()))]
    if not scored.all():
        rows.append(("not scored", int((~scored).sum())))
    return rows, "Tasks by share of rollouts passed:"


def _tenths(passes: Counts, trials: Counts) -> list[tuple[str, int]]:
    # A whole-number division keeps 3 of 10 in the bin that starts at 30 %.
    number = np.bincount((10 * passes) // trials, minlength=10)
    return [(f"{10 * at}-{10 * at + 10} %", int(number[at])) for at in range(10)]


def _bar(length: float) -> str:
    eighths = round(8 * length)
    # Anything above none is visible.
    eighths = max(eighths, 1) if length > 0 else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def ledger_lines(rows: Sequence[tuple[str, int]], notes: Sequence[str]) -> list[str]:
    """Return the rows of a ledger, aligned, and its notes, wrapped."""
    label_width = max(len(label) for label, _ in rows)
    number_width = max(len(f"{number:,}") for _, number in rows)
    lines = [f"{label:<{label_width}}  {number:>{number_width},}" for label, number in rows]
    for note in notes:
        lines += textwrap.wrap(
            f"Note: {note}.", WIDTH, subsequent_indent="  ", break_on_hyphens=False
        )
    return lines


def _factor_lines(rollouts: Rollouts) -> list[str]:
    lines = []
    for name in rollouts.factors:
        levels = rollouts.levels(name)
        shown = ", ".join(str(level) for level in levels[:8])
        more = f", ... ({len(levels)} levels)" if len(levels) > 8 else ""
        lines += textwrap.wrap(
            f"Factor {name}: {shown}{more}",
            WIDTH,
            subsequent_indent="  ",
            max_lines=3,
            break_on_hyphens=False,
        )
    return lines


def html(rollouts: Rollouts) -> str:
    """Return the ledger as a small HTML table with the one-line summary as its caption."""
    rows = "".join(
        f'<tr><td>{escape(label)}</td><td style="text-align:right">{number:,}</td></tr>'
        for label, number in rollouts.ledger.rows()
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in rollouts.ledger.notes)
    caption = escape(summary(rollouts))
    table = f"<table><caption>{caption}</caption><tbody>{rows}</tbody></table>"
    return table + (f"<ul>{notes}</ul>" if notes else "")
