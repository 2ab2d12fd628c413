"""``bayeseval fit``."""

from __future__ import annotations

from bayeseval.cli._show import FileArgument

__all__ = ["fit"]


def fit(file: FileArgument) -> None:
    """Stub."""
