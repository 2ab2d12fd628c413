"""Reading what evaluation harnesses write: one module per format, and a registry."""

from bayeseval.io._read import read, read_totals
from bayeseval.io._totals import Totals
from bayeseval.io.frames import from_frame

__all__ = ["Totals", "from_frame", "read", "read_totals"]
