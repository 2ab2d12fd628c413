"""Tables in Markdown."""

from collections.abc import Sequence


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right unless they hold words."""
    marks = [
        "---" if any(cell[:1].isalpha() or cell[:1] == "`" for cell in column) else "---:"
        for column in zip(*rows, strict=True)
    ]
    lines = [head, ["---", *marks[1:]], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
