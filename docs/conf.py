"""How Sphinx builds these pages. Nothing here needs the network."""

import bayeseval

project = "bayeseval"
author = "the bayeseval authors"
release = bayeseval.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.mathjax", "myst_parser", "numpydoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"bayeseval {release}"

myst_enable_extensions = ["dollarmath"]

autodoc_member_order = "bysource"
# The docstrings state types with their shapes and units.
autodoc_typehints = "none"
numpydoc_show_class_members = False
