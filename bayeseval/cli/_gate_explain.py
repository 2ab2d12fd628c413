"""``bayeseval gate --explain``: how often a gate on a suite like this one errs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from bayeseval._format import format_percent
from bayeseval.claims import Claim, Comparison
from bayeseval.claims._answers import source_of
from bayeseval.claims._verdict import Rule
from bayeseval.cli._tables import Printer, bare_percent
from bayeseval.decisions import OperatingCharacteristics, RateRow, operating_characteristics
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical import Fit
from bayeseval.unknown import Unknown

__all__ = ["Explained", "document", "explain", "print_explained"]

# Seeds the simulated runs: the same gate prints the same numbers.
SEED = 1
# Of the rows around the bar, every so manieth is printed.
EVERY = 4


@dataclass(frozen=True, slots=True)
class Explained:
    """The operating characteristics of one comparison, or why there are none.

    Parameters
    ----------
    claim : str
        The comparison.
    found : OperatingCharacteristics or Unknown
        What is known of it.
    note : str
        What was assumed of the suite.
    """

    claim: str
    found: OperatingCharacteristics | Unknown
    note: str


def explain(
    claims: tuple[Claim, ...], fit: Fit, *, confidence: float, rule: Rule
) -> list[Explained]:
    """Operating characteristics of every comparison, for runs of the size of this one."""
    rows = []
    for comparison in dict.fromkeys(each for claim in claims for each in claim.comparisons):
        try:
            rows.append(_one(comparison, fit, confidence, rule))
        except InputError as error:
            rows.append(Explained(str(comparison), Unknown(str(error)), ""))
    return rows


def _one(comparison: Comparison, fit: Fit, confidence: float, rule: Rule) -> Explained:
    term = comparison.left
    chosen = fit
    if term.where and not term.baseline:
        with warnings.catch_warnings():
            # A failed check is part of the verdict; here only the size is asked.
            warnings.simplefilter("ignore", CheckWarning)
            part = source_of(fit, None)._chosen(term)
        assert isinstance(part, Fit)
        chosen = part
    cells = chosen.cells
    mean = float(cells.count @ cells.trials) / cells.n_tasks
    rollouts = max(round(mean), 1)
    icc = chosen.icc().mean if rollouts > 1 else None
    found = operating_characteristics(
        Claim((comparison,)),
        tasks=cells.n_tasks,
        rollouts=rollouts,
        icc=icc,
        confidence=confidence,
        rule=rule,
        prior=chosen.prior,
        rng=SEED,
    )
    notes = []
    if icc is not None:
        notes.append(f"systems whose ICC is {icc:.2f}, the mean of its posterior here")
    if rollouts != mean:
        notes.append(f"every task with {rollouts} rollouts, where the files have {mean:.3g} each")
    return Explained(str(comparison), found, f"Assumed: {'; '.join(notes)}." if notes else "")


def print_explained(rows: list[Explained], printer: Printer) -> None:
    """Print one table for each comparison."""
    for row in rows:
        found = row.found
        if isinstance(found, Unknown):
            printer.text()
            printer.text(f"The risk of a gate on {row.claim}: {found!r}.")
            continue
        exact = found.method == "exact"
        centre = min(range(len(found.rows)), key=lambda i: abs(found.rows[i].rate - _bar(found)))
        shown = found.rows[centre % EVERY :: EVERY]
        notes = [_release(found), _flips(found)]
        # Simulated probabilities have no digits beyond the tenth of a per cent.
        share = bare_percent if exact else _tenths
        if row.note:
            notes.append(row.note)
        if not exact:
            worst = max(each.mcse for each in found.rows)
            notes.append(
                f"{found.simulations:,} simulated runs; Monte Carlo error at most "
                f"{100 * worst:.1f} points."
            )
        if len(rows) > 1:
            notes.append("Each comparison by itself: all must hold, so fewer are released.")
        printer.table(
            f"What a gate on {row.claim} does, {found.size_text}{' (exact)' if exact else ''}",
            ["true value, %", "supported", "inconclusive", "contradicted", "two runs differ"],
            [
                (bare_percent(each.rate), *(share(value) for value in _values(each)))
                for each in shown
            ],
            left=(),
            notes=notes,
        )


def _values(row: RateRow) -> tuple[float, ...]:
    return row.supported, row.inconclusive, row.contradicted, row.flip


def _tenths(value: float) -> str:
    return f"{100 * value:.1f}"


def _bar(found: OperatingCharacteristics) -> float:
    return found.at_bar.rate


def _release(found: OperatingCharacteristics) -> str:
    bad, good = found.false_release, found.missed_release
    text = f"On the bar itself {format_percent(found.at_bar.supported)} are released, the worst."
    if not isinstance(bad, Unknown):
        text += f" Over all true values, {found.design}: released though the claim is false"
        text += f" {format_percent(bad)}"
    if not isinstance(good, Unknown):
        text += f", held back though it is true {format_percent(good)}"
    return f"{text}."


def _flips(found: OperatingCharacteristics) -> str:
    text = f"Two runs of one system get two verdicts in {format_percent(found.flip)}"
    return f"{text}, on the bar {format_percent(found.at_bar.flip)}."


def document(rows: list[Explained]) -> list[dict[str, Any]]:
    """The rows for JSON."""
    return [
        {
            "claim": row.claim,
            "assumed": row.note or None,
            "characteristics": row.found if isinstance(row.found, Unknown) else row.found.to_dict(),
        }
        for row in rows
    ]
