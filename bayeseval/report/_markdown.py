"""A report as Markdown: the same sections, with figures as files or in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bayeseval import __version__
from bayeseval.report._blocks import (
    Block,
    Bullets,
    FigureBlock,
    Headline,
    Paragraph,
    Records,
    References,
    Table,
    Tasks,
    Verdicts,
)
from bayeseval.report._sections import sections
from bayeseval.report._words import chance, level

if TYPE_CHECKING:
    from bayeseval.claims import Verdict
    from bayeseval.report._gather import Report

__all__ = ["to_markdown"]

# Tasks that are listed: a page of them, the flakiest.
MOST_TASKS = 100
_SIGNS = re.compile(r"([\\`*_\[\]<>|#&~$])")


def to_markdown(report: Report, figures: str | None) -> str:
    """Return the text; see `Report.to_markdown`."""
    lines = [f"# {_plain(report.title)}", "", _plain(repr(report.rollouts)), ""]
    for section in sections(report):
        lines += [f"## {_plain(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block, figures), ""]
    lines.append(f"Made by bayeseval {__version__}.")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _plain(text: str) -> str:
    """Text on one line, in which no sign means anything to Markdown or HTML."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def _block(block: Block, figures: str | None) -> Iterator[str]:
    if isinstance(block, Paragraph):
        text = _plain(block.text)
        yield f"**{text}**" if block.strong else text
    elif isinstance(block, Bullets):
        yield from (f"- {_plain(item)}" for item in block.items)
    elif isinstance(block, References):
        yield "### References"
        yield ""
        for at, (text, address) in enumerate(block.items, start=1):
            yield f"{at}. {_plain(text)}{f', <{address}>' if address else ''}"
    elif isinstance(block, Headline):
        yield f"**{_plain(block.value)}**, {_plain(block.interval)}."
        yield ""
        yield _plain(block.estimand)
    elif isinstance(block, Verdicts):
        for verdict in block.rows:
            yield from _verdict(verdict)
            yield ""
    elif isinstance(block, FigureBlock):
        if figures is not None:
            name = f"{figures.rstrip('/')}/{block.name}.svg"
            yield f"![{_plain(block.alternative)}](<{name}>)"
        else:
            yield f"Figure: {_plain(block.title)}. {_plain(block.alternative)}"
    elif isinstance(block, Table):
        yield f"**{_plain(block.caption)}**"
        yield ""
        yield from _table(block.heads, block.rows, block.words)
        for note in block.notes:
            yield ""
            yield _plain(note)
    elif isinstance(block, Tasks):
        yield f"**{_plain(block.caption)}**"
        yield ""
        yield from _table(
            block.heads, [(name, *cells) for name, cells in block.rows[:MOST_TASKS]], (0,)
        )
        for note in block.notes:
            yield ""
            yield _plain(note)
        if len(block.rows) > MOST_TASKS:
            yield ""
            yield (
                f"The {MOST_TASKS} flakiest tasks are listed here; HTML lists up to 5,000, and "
                "JSON all of them."
            )
    elif isinstance(block, Records):
        for record in block.rows:
            yield f"- {_plain(record.to_markdown())}"
        yield ""
        source = block.rows[0].provenance
        for file in source.inputs:
            yield f"- Input {_plain(file.name)}: {file.size:,} bytes, SHA-256 {file.sha256}"
        versions = ", ".join(f"{name} {each}" for name, each in source.versions.items())
        yield f"- Versions: {_plain(versions)}; seed {source.seed}"
        if source.command is not None:
            yield f"- Command: {_plain(source.command)}"
        if source.time is not None:
            yield f"- Time: {_plain(source.time)}"


def _verdict(verdict: Verdict) -> Iterator[str]:
    yield (
        f"**{verdict.outcome.upper()}**: Pr\\[{_plain(str(verdict.claim))}\\] = "
        f"{chance(verdict.prob)}; a verdict needs {level(verdict.confidence)}."
    )
    yield ""
    for part, posterior in zip(verdict.claim.comparisons, verdict.posteriors, strict=True):
        yield f"- {_plain(part.quantity)}: {posterior.summary_text()}"
    yield from (f"- {_plain(reason)}." for reason in verdict.reasons)
    for each in verdict.lost:
        yield f"- If {each.name}: Pr = {chance(each.prob)}, {each.outcome}."


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int]
) -> Iterator[str]:
    yield f"| {' | '.join(_plain(head) for head in heads)} |"
    yield f"|{'|'.join('---' if at in words else '---:' for at in range(len(heads)))}|"
    for row in rows:
        yield f"| {' | '.join(_plain(cell) for cell in row)} |"
