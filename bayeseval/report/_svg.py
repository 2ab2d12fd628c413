"""A figure as SVG inside of a page: in the page's colours, and with a text alternative."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

from bayeseval.report._figures import variables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["inline_svg"]

_USED = re.compile(r'(?:xlink:href="#|url\(#)([^")]+)')
_ID = re.compile(r' id="([^"]+)"')
_COLOR = re.compile(r"#[0-9a-fA-F]{6}(?=[;\"])")
_PLACES = re.compile(r' (?:d|x|y|transform|points|width|height)="[^"]*"')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def inline_svg(figure: Figure, name: str, title: str, alternative: str) -> str:
    """Return a figure as an SVG element of a page.

    Parameters
    ----------
    figure : Figure
        What is shown.
    name : str
        Its name, in front of every id, so that no two figures share one.
    title, alternative : str
        The text alternative.
    """
    import matplotlib as mpl

    file = io.StringIO()
    # Text stays text: smaller, sharp, and found by the browser's search.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bayeseval"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    found = file.getvalue()
    start = found.index("<svg")
    head = found[start : found.index(">", start) + 1]
    box = re.search(r'viewBox="([^"]+)"', head)
    assert box is not None
    body = found[start + len(head) :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    used = set(_USED.findall(body))
    body = _ID.sub(
        lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "",
        body,
    )
    body = _USED.sub(lambda match: match[0].replace(f"#{match[1]}", f"#{name}-{match[1]}"), body)
    names = variables()
    body = _COLOR.sub(
        lambda match: f"var({names[match[0].upper()]})" if match[0].upper() in names else match[0],
        body,
    )
    body = _PLACES.sub(lambda match: _NUMBER.sub(_rounded, match[0]), body)
    body = re.sub(r"\n\s*", "\n", body)
    return (
        f'<svg viewBox="{box[1]}" role="img" class="plot" '
        f'aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{html.escape(title)}</title>'
        f'<desc id="{name}-desc">{html.escape(alternative)}</desc>{body}'
    )


def _rounded(match: re.Match[str]) -> str:
    """A coordinate to a hundredth of a point."""
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
