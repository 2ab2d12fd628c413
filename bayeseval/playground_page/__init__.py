"""The playground: one page of calculators that runs in a browser, without a network."""

from __future__ import annotations

import os
from importlib.resources import files

from bayeseval import __version__
from bayeseval._atomic import as_output_path, atomic_path
from bayeseval.plots import _style as style

__all__ = ["playground_html", "write_playground"]

SCRIPTS = ("distributions.js", "numbers.js", "charts.js", "fields.js", "calculators.js")


def playground_html() -> str:
    """Return the whole page: markup, style and scripts in one document."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_text("template.html")).render(
        version=__version__,
        colours={
            "posterior": style.POSTERIOR,
            "at-least-one": style.AT_LEAST_ONE,
            "pass": style.PASS,
            "fail": style.FAIL,
        },
        style=_text("style.css"),
        script="\n".join(map(_text, SCRIPTS)),
    )


def write_playground(path: str | os.PathLike[str]) -> None:
    """Write the page.

    Parameters
    ----------
    path : str or path-like
        A file whose name ends in ``.html``; written whole or not at all.

    Raises
    ------
    InputError
        Another ending, or a file that cannot be written.
    """
    as_output_path(path, suffixes=(".html",))
    page = playground_html()
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _text(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
