"""Options of the model that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["PoolingOption", "PriorOption", "SeedOption", "WeightsOption", "names_in"]

_PANEL = "Slices"

PriorOption = Annotated[
    str,
    typer.Option("--prior", metavar="uniform|arcsine", help="Prior on how tasks differ."),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Seed; a new one is drawn and shown otherwise."),
]
PoolingOption = Annotated[
    str | None,
    typer.Option(
        "--pooling",
        metavar="partial|none|complete",
        help="How much slices tell of each other. Default: partial, and none with --engine exact.",
        rich_help_panel=_PANEL,
    ),
]
WeightsOption = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="CSV",
        help="The population: a column for each factor of --by, and weight (shares) or "
        "count (traffic).",
        rich_help_panel=_PANEL,
    ),
]


def names_in(text: str | None) -> tuple[str, ...]:
    """Names separated by commas, such as those of --by; none of nothing."""
    return tuple(part.strip() for part in text.split(",")) if text else ()
