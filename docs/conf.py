"""How Sphinx builds these pages. Nothing here needs the network."""

from pathlib import Path

from sphinx.application import Sphinx

import bayeseval
from bayeseval.playground_page import write_playground

project = "bayeseval"
author = "the bayeseval authors"
release = bayeseval.__version__

# Formulas are plain text: MathJax would have to be fetched by every reader.
extensions = ["sphinx.ext.autodoc", "myst_parser", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"bayeseval {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]

autodoc_member_order = "bysource"
# The docstrings state types with their shapes and units.
autodoc_typehints = "none"
numpydoc_show_class_members = False


def _write_pages(app: Sphinx, failure: Exception | None) -> None:
    if failure is None and app.builder.format == "html":
        write_playground(Path(app.outdir) / "_static" / "playground.html")


def setup(app: Sphinx) -> None:
    """Add the page that the package makes itself."""
    app.connect("build-finished", _write_pages)
