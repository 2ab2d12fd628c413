"""plot_sensitivity: one answer under several priors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayeseval._format import format_probability, format_value
from bayeseval.errors import InputError
from bayeseval.plots import _style as style
from bayeseval.sensitivity import PriorSensitivity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_sensitivity"]

# Points of height of a row.
ROW = 24.0


def plot_sensitivity(
    sensitivity: PriorSensitivity, *, threshold: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw one answer under each prior, and whether the conclusion moves.

    Points are posterior means, lines equal-tailed intervals. Where a claim was judged, its
    probability stands in each row; else the 50 % interval under the fit's own prior is
    shaded, which no mean should leave. Rows whose conclusion is another one are marked.

    Parameters
    ----------
    sensitivity : PriorSensitivity
        What `prior_sensitivity` gave.
    threshold : float, optional
        A bar to draw as a dashed line.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        The quantity on the x axis, a row for each prior.

    Raises
    ------
    InputError
        If `sensitivity` is something else, or the bar lies outside of the support.

    Examples
    --------
    >>> import bayeseval as be
    >>> found = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.95)
    >>> ax = be.plot_sensitivity(found, threshold=0.95)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['uniform', 'Jeffreys', 'sceptical']
    """
    if not isinstance(sensitivity, PriorSensitivity):
        raise InputError(
            f"sensitivity must be what be.prior_sensitivity gives; got {type(sensitivity).__name__}"
        )
    rows = sensitivity.rows
    first = rows[0].posterior
    unit = first.about.unit
    bar = None if threshold is None else first._threshold(threshold)
    ax = style.get_axes(ax, height=1.5 + len(rows) * ROW / 72)
    ends = [value for row in rows for value in row.interval] + ([] if bar is None else [bar])
    margin = max(0.05 * (max(ends) - min(ends)), 1e-4)
    left, right = min(ends) - margin, max(ends) + margin
    ax.set_xlim(left, right)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    if sensitivity.claim is None:
        inner = first.eti(0.5)
        ax.axvspan(inner.lower, inner.upper, color=style.POSTERIOR, alpha=0.12, linewidth=0)
    if bar is not None:
        ax.axvline(bar, color=style.THRESHOLD, linewidth=1.2, linestyle="--", zorder=0)
    moved = set(sensitivity.moved)
    for y, row in enumerate(rows):
        other = row.name in moved
        color = style.FAIL if other else style.POSTERIOR
        ax.plot(list(row.interval), [y, y], color=color, linewidth=2.6)
        marker = "s" if other else "o"
        ax.plot([row.mean], [y], marker, color="white", markeredgecolor=color, markersize=6)
        text = f"{format_value(row.mean, unit)} ({format_value(tuple(row.interval), unit)})"  # type: ignore[arg-type]
        if row.prob is not None:
            text += f"; Pr[{sensitivity.claim}] = {format_probability(row.prob)}, {row.verdict}"
        elif other:
            text += ": moves"
        middle = 0.5 * (row.interval.lower + row.interval.upper)
        align = style.side(middle, left, right)
        place = {"left": row.interval.lower, "center": middle, "right": row.interval.upper}[align]
        ax.text(
            place,
            y + 0.14,
            text,
            ha=align,
            va="top",
            fontsize=style.SMALL,
            color=style.INK,
            parse_math=False,
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.6},
        )
    ax.set_yticks(
        range(len(rows)), [row.label for row in rows], fontsize=style.TEXT, color=style.INK
    )
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    if unit != "number":
        style.percent_axis(ax, "x", signed=unit == "points")
    ax.set_xlabel(first.about.quantity)
    conclusion = "moves" if sensitivity.moves else "does not move"
    lines = [
        f"mean and {100 * rows[0].interval.ci_prob:g} % CrI (equal-tailed); "
        f"the conclusion {conclusion} with the prior"
    ]
    if sensitivity.claim is None:
        lines.append("shaded: the 50 % interval under the fit's own prior, in the first row")
    style.heading(ax, f"{sensitivity.quantity} under other priors", lines)
    return ax
