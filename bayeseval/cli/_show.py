"""``bayeseval show`` and ``bayeseval formats``: what is in a file, and what can be read."""

from __future__ import annotations

from bayeseval.cli._reading import ErrorsOption, FilesArgument, Read, with_reading
from bayeseval.cli._tables import Printer

__all__ = ["formats", "show"]


@with_reading
def show(
    files: FilesArgument,
    errors: ErrorsOption = "exclude",
    *,
    reading: Read,
) -> None:
    """Show what is in FILE: its format, tasks, rollouts, and where every one of them went.

    Files that hold totals only are shown as such.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli._show_print import print_found

    print_found(reading(files, errors=errors), Printer())


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
