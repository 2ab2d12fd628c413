"""A report as one HTML document that needs nothing else, not even JavaScript."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from bayeseval import __version__
from bayeseval.posterior import Posterior
from bayeseval.report._sections import sections
from bayeseval.report._svg import inline_svg
from bayeseval.report._words import answer, chance, level
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.report._gather import Estimate, Report

__all__ = ["STEPS", "to_html"]

# The slider of the bar stops at each half per cent.
STEPS = 200

SYMBOLS = {"supported": "✓", "contradicted": "✗", "inconclusive": "?"}


def to_html(report: Report) -> str:
    """Return the page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("bayeseval.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["probability"] = chance
    environment.filters["share"] = level

    def source(name: str) -> Markup:
        # Our own style sheet and script, which hold nothing of the data.
        loader = environment.loader
        assert loader is not None
        return Markup(loader.get_source(environment, name)[0])

    def figure(block: Any) -> Markup:
        # Matplotlib escapes the texts of a figure, and the alternative is escaped there.
        return Markup(
            inline_svg(report.figures[block.name], block.name, block.title, block.alternative)
        )

    return environment.get_template("report.html").render(
        title=report.title,
        version=__version__,
        suite=repr(report.rollouts).removeprefix("Rollouts(").removesuffix(")"),
        source=report.rollouts.source,
        time=report.provenance.time,
        sections=sections(report),
        symbols=SYMBOLS,
        figure=figure,
        style=source("report.css"),
        script=source("report.js"),
        start=_start(report),
        tables=Markup(_tables(report)),
        record=lambda record: Markup(record.to_html()),
    )


def _start(report: Report) -> dict[str, Any]:
    """Where the sliders stand at first."""
    bar = 0.8 if report.above is None else report.above
    return {
        "bar": round(bar * STEPS),
        "steps": STEPS,
        "k": report.curve_ks.index(report.k_most),
        "ks": report.curve_ks,
    }


def _tables(report: Report) -> str:
    """What the sliders read: texts as this package writes them, for each bar and each k."""
    bars = np.arange(STEPS + 1) / STEPS
    rate = report.populations[0][1]
    answers: dict[str, Any] = {
        "bars": [f"{100 * bar:.4g} %" for bar in bars.tolist()],
        "ks": list(report.curve_ks),
        "rate": {
            name: _row(each, bars, report.ci_prob)
            for name, each in rate.items()
            if not isinstance(each, Unknown)
        },
        "at": _rows(report, "pass_at_k", bars),
        "hat": _rows(report, "pass_hat_k", bars),
    }
    # No text of it may end the script element.
    return json.dumps(answers, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _rows(report: Report, quantity: Any, bars: Any) -> list[dict[str, Any]]:
    rows: list[Estimate] = [report.estimate(quantity, k) for k in report.curve_ks]
    return [_row(row.posterior, bars, report.ci_prob) for row in rows]


def _row(posterior: Posterior, bars: Any, ci_prob: float) -> dict[str, Any]:
    return {
        "answer": answer(posterior, ci_prob),
        "above": [chance(p) for p in posterior._above(bars).tolist()],
    }
