"""The parts that a report is made of, whatever form it takes in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from bayeseval.claims import Verdict
from bayeseval.record import EstimateRecord

__all__ = [
    "Block",
    "Bullets",
    "Controls",
    "FigureBlock",
    "Headline",
    "Paragraph",
    "Records",
    "References",
    "Section",
    "Table",
    "Tasks",
    "Verdicts",
]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph.

    Parameters
    ----------
    text : str
        Its sentences.
    strong : bool, default False
        Whether a reader must not miss it.
    """

    kind: ClassVar[str] = "paragraph"
    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list.

    Parameters
    ----------
    items : sequence of str
        Its entries.
    """

    kind: ClassVar[str] = "bullets"
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class References:
    """Sources of methods.

    Parameters
    ----------
    items : sequence of (str, str)
        The reference, and the address of its page.
    """

    kind: ClassVar[str] = "references"
    items: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Parameters
    ----------
    caption : str
        What it shows.
    heads : sequence of str
        Heads of the columns.
    rows : sequence of sequences of str
        The cells; the first of each row is its head.
    words : sequence of int, default (0,)
        Columns of words, set to the left; others hold numbers.
    notes : sequence of str, default ()
        Sentences beneath.
    """

    kind: ClassVar[str] = "table"
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[int] = (0,)
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """A figure.

    Parameters
    ----------
    name : str
        Its name among the figures of the report.
    title : str
        What it shows, in a few words.
    alternative : str
        What is to be seen in it, for those who do not see it.
    """

    kind: ClassVar[str] = "figure"
    name: str
    title: str
    alternative: str


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """The verdicts on the claims.

    Parameters
    ----------
    rows : sequence of Verdict
        One for each claim.
    """

    kind: ClassVar[str] = "verdicts"
    rows: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class Headline:
    """The number that a reader takes away.

    Parameters
    ----------
    value, interval : str
        The estimate, and its interval with level and kind.
    estimand : str
        What it is an estimate of.
    """

    kind: ClassVar[str] = "headline"
    value: str
    interval: str
    estimand: str


@dataclass(frozen=True, slots=True)
class Controls:
    """Sliders for the bar and for k, which need a browser."""

    kind: ClassVar[str] = "controls"


@dataclass(frozen=True, slots=True)
class Tasks:
    """The table of all tasks.

    Parameters
    ----------
    caption : str
        What it shows.
    heads : sequence of str
        Heads of the columns.
    rows : sequence of (str, sequence of str)
        The task, and the other cells, which tasks with equal counts share.
    notes : sequence of str
        Sentences beneath.
    """

    kind: ClassVar[str] = "tasks"
    caption: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Estimate records.

    Parameters
    ----------
    rows : sequence of EstimateRecord
        The headline first.
    """

    kind: ClassVar[str] = "records"
    rows: Sequence[EstimateRecord]


Block = (
    Paragraph
    | Bullets
    | References
    | Table
    | FigureBlock
    | Verdicts
    | Headline
    | Controls
    | Tasks
    | Records
)


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A section under a heading.

    Parameters
    ----------
    name : str
        Its anchor.
    title : str
        Its heading.
    blocks : sequence of Block
        Its parts.
    """

    name: str
    title: str
    blocks: Sequence[Block]
