"""``bayeseval show`` and ``bayeseval formats``: what is in a file, and what can be read."""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._tables import Printer

__all__ = ["FileArgument", "FormatOption", "SystemOption", "formats", "show"]

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="A file of results.")]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Insist on a format ('bayeseval formats' lists them); recognised otherwise.",
    ),
]
SystemOption = Annotated[
    str | None,
    typer.Option("--system", metavar="NAME", help="The system to read, if FILE holds several."),
]


def show(file: FileArgument, format: FormatOption = None, system: SystemOption = None) -> None:
    """Show what is in FILE: tasks, rollouts, their histogram and the ledger."""
    from bayeseval.io import read

    Printer().verbatim(read(file, format=format, system=system).describe())


def formats() -> None:
    """List the formats that can be read."""
    from bayeseval.io._registry import FORMATS

    Printer().table(
        "Formats, recognised by content",
        ["name", "files", "what it is"],
        [(known.name, " ".join(known.extensions), known.title) for known in FORMATS],
        left=(0, 1, 2),
    )
