"""Reports: one document that a reader can act on, audit, and check by machine."""

from __future__ import annotations

from bayeseval.report._gather import Report, make_report

__all__ = ["Report", "make_report"]
