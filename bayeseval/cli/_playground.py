"""``bayeseval playground``: the page of calculators."""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._tables import Printer

__all__ = ["playground"]


def playground(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE.html", help="Where to write the page.")
    ],
) -> None:
    """Write one page of calculators: rates, sizes, pass@k, a simulated suite.

    It runs in any browser, without a network.
    """
    # Loads the plots' colours and the templates, which the help does without.
    from bayeseval.playground_page import write_playground

    write_playground(output)
    Printer().text(f"Page: {output}; open it in a browser")
