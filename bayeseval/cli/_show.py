"""``bayeseval show`` and ``bayeseval formats``: what is in a file, and what can be read."""

from __future__ import annotations

from bayeseval.cli._reading import (
    AsOption,
    DuplicatesOption,
    ErrorsOption,
    FilesArgument,
    FilterOption,
    FormatOption,
    MetricOption,
    PassIfOption,
    Reading,
    ScorerOption,
    SkipBadRecordsOption,
    SystemOption,
)
from bayeseval.cli._tables import Printer

__all__ = ["formats", "show"]


def show(
    files: FilesArgument,
    format: FormatOption = None,
    system: SystemOption = None,
    scorer: ScorerOption = None,
    metric: MetricOption = None,
    filter: FilterOption = None,
    pass_if: PassIfOption = None,
    errors: ErrorsOption = "exclude",
    duplicates: DuplicatesOption = "error",
    skip_bad_records: SkipBadRecordsOption = False,
    combine: AsOption = None,
) -> None:
    """Show what is in FILE: its format, tasks, rollouts, and where every one of them went.

    Files that hold totals only are shown as such.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli._show_print import print_found

    reading = Reading(
        files=files,
        errors=errors,
        format=format,
        system=system,
        scorer=scorer,
        metric=metric,
        filter=filter,
        pass_if=pass_if,
        duplicates=duplicates,
        skip_bad_records=skip_bad_records,
        combine=combine,
    )
    print_found(reading, Printer())


def formats() -> None:
    """List the formats that can be read."""
    from bayeseval.io._registry import FORMATS

    Printer().table(
        "Formats, recognised by content",
        ["name", "files", "what it is"],
        [(known.name, " ".join(known.extensions), known.title) for known in FORMATS],
        left=(0, 1, 2),
        notes=["docs/formats.md says what is a task, a rollout and a pass in each of them."],
    )
