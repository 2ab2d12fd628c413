"""plot_operating_characteristics: the three verdicts and the A/A flip rate over the true rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayeseval.errors import InputError
from bayeseval.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayeseval.decisions import OperatingCharacteristics

__all__ = ["plot_operating_characteristics"]


def plot_operating_characteristics(
    result: OperatingCharacteristics, *, ax: Axes | None = None
) -> Axes:
    """Draw how often a gate releases, holds back and hesitates, over the true rate.

    Lines are the probabilities of the three verdicts; the dotted line is the A/A flip rate,
    the chance that two runs of one system get two verdicts. The hatched area is false
    release: the claim is false, and supported.

    Parameters
    ----------
    result : OperatingCharacteristics
        With two true values at least, as `operating_characteristics` makes it.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        True values of the claimed quantity on the x axis, probabilities on the y axis.

    Raises
    ------
    InputError
        If there are fewer than two true values.

    Examples
    --------
    >>> import bayeseval as be
    >>> risk = be.operating_characteristics("pass_rate > 0.9", tasks=200)
    >>> ax = be.plot_operating_characteristics(risk)
    >>> ax.get_xlabel()
    'true pass rate'
    """
    from bayeseval.decisions import OperatingCharacteristics
    from bayeseval.decisions._question import Question

    if not isinstance(result, OperatingCharacteristics):
        raise InputError(f"result must be an OperatingCharacteristics; got {type(result).__name__}")
    rows = sorted(result.rows, key=lambda row: row.rate)
    rates = np.array([row.rate for row in rows])
    if np.unique(rates).size < 2:
        raise InputError("a curve needs two true values at least: rates=")
    question = Question.of(result.claim)
    ax = style.get_axes(ax)
    lines = (
        ("supported", "-", style.PASS, 2.2, "supported: released"),
        ("inconclusive", "--", style.AT_LEAST_ONE, 1.8, "inconclusive"),
        ("contradicted", "-.", style.FAIL, 1.8, "contradicted"),
        ("flip", ":", style.QUIET, 1.6, "two runs of one system disagree"),
    )
    handles: list[Any] = []
    labels: list[str] = []
    for name, dashes, color, width, label in lines:
        values = [getattr(row, name) for row in rows]
        (line,) = ax.plot(rates, values, linestyle=dashes, color=color, linewidth=width)
        handles.append(line)
        labels.append(label)
    # The bar itself closes the area of false release.
    x = np.union1d(rates, [question.bar])
    supported = np.interp(x, rates, [row.supported for row in rows])
    wrong = x <= question.bar if question.above else x >= question.bar
    handles.append(
        ax.fill_between(
            x[wrong],
            0.0,
            supported[wrong],
            facecolor=style.FAIL,
            alpha=0.35,
            hatch="////",
            edgecolor=style.FAIL,
            linewidth=0.0,
        )
    )
    labels.append("false release")
    ax.axvline(question.bar, color=style.THRESHOLD, linewidth=1.0)
    left, right = float(rates.min()), float(rates.max())
    ax.set_xlim(left, right)
    ax.set_ylim(0.0, 1.0)
    if left < question.bar < right:
        # Halfway up: there the curves are far from the bar, unless the suite is tiny.
        ax.annotate(
            f"bar {100 * question.bar:.10g} %",
            (question.bar, 0.5),
            (-4.0, 0.0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="right",
            va="center",
            rotation=90,
            fontsize=style.SMALL,
            color=style.INK,
        )
    style.percent_axis(ax, "x")
    style.percent_axis(ax, "y")
    ax.set_xlabel(f"true {question.functional.name}")
    ax.set_ylabel("probability")
    style.legend_below(ax, handles, labels, 3)
    how = (
        "exact"
        if result.method == "exact"
        else f"{result.simulations:,} simulated runs, Monte Carlo error at most "
        f"{100 * max(row.mcse for row in rows):.1f} points"
    )
    style.heading(
        ax,
        f"What a gate on {result.claim} does",
        [
            f"{result.size_text}; a verdict needs {100 * result.confidence:.10g} %"
            f"{'' if result.rule == 'posterior' else ', by the lower bound'}; {how}; "
            f"on the bar {100 * result.at_bar.supported:.2g} % are released",
        ],
    )
    return ax
