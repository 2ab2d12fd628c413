"""What is printed: one console, one style of table, readable without colour at 80 columns."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bayeseval._format import format_value
from bayeseval._interval import Interval
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from rich.console import Console

    from bayeseval.posterior import Posterior

__all__ = ["Printer", "bare_percent", "bare_range", "density_line", "level", "print_json"]

_BARS = " ▁▂▃▄▅▆▇█"


class Printer:
    """Prints text and tables on standard output, or nothing where it is `silent`.

    Parameters
    ----------
    silent : bool, default False
        True where standard output is for a JSON document only.
    """

    def __init__(self, *, silent: bool = False) -> None:
        self._console: Console | None = None
        if not silent:
            from rich.console import Console

            self._console = Console(highlight=False, markup=False, emoji=False)

    def text(self, text: str = "", *, style: str | None = None) -> None:
        """Print text as it stands; long lines are wrapped at words."""
        if self._console is not None:
            self._console.print(text, style=style)

    def verbatim(self, text: str) -> None:
        """Print lines that are laid out already."""
        if self._console is not None:
            self._console.print(text, no_wrap=True, overflow="ignore", crop=False)

    def flush(self) -> None:
        """Show what has been printed so far, before work that takes a while."""
        if self._console is not None:
            sys.stdout.flush()

    def table(
        self,
        title: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[str]],
        *,
        left: Sequence[int] = (0,),
        notes: Iterable[str] = (),
    ) -> None:
        """Print a table and its notes.

        Parameters
        ----------
        title : str
            One line above it; none if empty.
        columns : sequence of str
            Heads of the columns; no head row is printed where all are empty.
        rows : iterable of sequences of str
            The cells.
        left : sequence of int, default (0,)
            Columns of words, set to the left; others hold numbers.
        notes : iterable of str
            Sentences beneath.
        """
        if self._console is None:
            return
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(
            box=box.SIMPLE_HEAD, show_header=any(columns), show_edge=False, pad_edge=False
        )
        for at, head in enumerate(columns):
            # Wrapped, never cut: no digit may be lost on a narrow terminal.
            table.add_column(
                Text(head, style="bold"),
                justify="left" if at in left else "right",
                overflow="fold",
            )
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._console.print()
        if title:
            self._console.print(title, style="bold")
        self._console.print(table)
        for note in notes:
            self._console.print(note)


def level(ci_prob: float) -> str:
    """A level as people write it: ``95 %``."""
    return f"{100 * ci_prob:.10g} %"


def bare_percent(value: float | Unknown) -> str:
    """A share in per cent, without the sign that the head of its column shows."""
    if isinstance(value, Unknown):
        return "UNKNOWN"
    return format_value(value, "percent").removesuffix(" %")


def bare_range(interval: Interval | Unknown) -> str:
    """An interval in per cent, without the sign that the head of its column shows."""
    if isinstance(interval, Unknown):
        return "UNKNOWN"
    return format_value((interval.lower, interval.upper), "percent").removesuffix(" %")


def density_line(posterior: Posterior, *, width: int = 40) -> str:
    """A posterior as a row of small bars between its 0.1 % and 99.9 % quantiles."""
    low, high = (float(each) for each in posterior.quantile([0.001, 0.999]))
    if not high > low:
        return ""
    edges = [low + (high - low) * at / width for at in range(width + 1)]
    below = [float(each) for each in posterior.cdf(edges)]
    mass = [max(after - before, 0.0) for before, after in pairwise(below)]
    top = max(mass)
    bars = "".join(_BARS[round((len(_BARS) - 1) * each / top)] for each in mass)
    return f"{bare_percent(low)} {bars} {bare_percent(high)}"


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document: numbers unrounded, `Unknown` as ``{"unknown": reason}``."""
    import json

    text = json.dumps(_plain(document), allow_nan=False, ensure_ascii=False, indent=2)
    sys.stdout.write(text + "\n")


def _plain(value: Any) -> Any:
    """Replace what JSON does not know: UNKNOWN, infinities, NumPy's numbers and arrays."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Unknown):
        return {"unknown": value.reason}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {"unknown": f"not a finite number: {value}"}
    return value
