"""plot_slices: the slices of a suite side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayeseval._validate import as_kind, as_probability, one_of
from bayeseval.errors import InputError
from bayeseval.plots import _style as style
from bayeseval.slices import SlicedFit

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["plot_slices"]

Sort = Literal["mean", "label", "data"]

# Points of height of a row.
ROW = 15.0
LONGEST = 30


def plot_slices(
    fit: SlicedFit,
    *,
    sort: Sort = "mean",
    threshold: float | None = None,
    ci_prob: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the pass rate of each slice: raw, by bootstrap, and by the model.

    Thick lines are equal-tailed credible intervals of the rate of new tasks in the slice,
    thin ones whole-task bootstraps, diamonds raw rates. Slices that are too small to carry a
    claim of their own are dotted and grey. The last row is the mix of slices as in the suite.

    Parameters
    ----------
    fit : SlicedFit
        A suite fitted by slice: ``be.fit(rollouts, by=...)``.
    sort : {"mean", "label", "data"}, default "mean"
        Order from the top: by posterior mean, highest first; by name; or as fitted.
    threshold : float, optional
        A bar, 0-1, drawn as a dashed line.
    ci_prob : float, default 0.95
        Level of the intervals, strictly between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure, as tall as the slices need, if None.

    Returns
    -------
    matplotlib.axes.Axes
        Pass rates on the x axis as proportions, shown as per cent; slices from the top
        down on the y axis.

    Raises
    ------
    InputError
        If an option is out of range, or the fit has no slices.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts(
    ...     [1] * 30 + [0] * 20 + [1] * 28 + [0] * 2,
    ...     1,
    ...     factors={"slice": ["joins"] * 50 + ["lookups"] * 30},
    ... )
    >>> ax = be.plot_slices(be.fit(suite, by="slice", pooling="none"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lookups  30 tasks', 'joins  50 tasks', 'all  80 tasks']
    """
    one_of(sort, Sort, "sort")
    as_kind(fit, SlicedFit, "fit", hint="as be.fit with by= makes it")
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    bar = None if threshold is None else as_probability(threshold, "threshold")
    if not hasattr(fit, "worst_slice"):
        raise InputError(
            f"fit must be a SlicedFit, as be.fit(rollouts, by=FACTOR) makes it; got "
            f"{type(fit).__name__}"
        )
    table, every = fit.table(ci_prob=level), fit.pass_rate()
    order = np.arange(len(table.label))
    if sort == "mean":
        order = np.argsort(-table.mean, kind="stable")
    elif sort == "label":
        order = np.array(sorted(order.tolist(), key=lambda i: table.label[i]), dtype=np.intp)

    rows = order.size + 1
    ax = style.get_axes(ax, height=max(2.4, 1.6 + rows * ROW / 72))
    y = np.arange(order.size, dtype=float)
    small = table.small[order]
    lower, upper = table.interval[order].T
    for part, color, dashes in ((~small, style.POSTERIOR, "-"), (small, style.ERRORED, ":")):
        if part.any():
            ax.hlines(
                y[part] - 0.1,
                lower[part],
                upper[part],
                colors=color,
                linestyles=dashes,  # type: ignore[arg-type]
                linewidth=3.0,
            )
            ax.plot(table.mean[order][part], y[part] - 0.1, "o", color=color, markersize=5)
    known = ~np.isnan(table.bootstrap[order, 0])
    if known.any():
        low, high = table.bootstrap[order][known].T
        ax.hlines(y[known] + 0.2, low, high, colors=style.BASELINE, linewidth=1.2)
    ax.plot(table.raw_rate[order], y + 0.2, **RAW)
    last = float(order.size) + 0.2
    ends = every.eti(level)
    ax.hlines([last], [ends.lower], [ends.upper], colors=style.INK, linewidth=3.0)
    ax.plot([every.mean], [last], "o", color=style.INK, markersize=5)
    ax.axhline(order.size - 0.35, color=style.OBSERVED, linewidth=0.8)
    if bar is not None:
        ax.axvline(bar, color=style.THRESHOLD, linewidth=1.2, linestyle="--", zorder=0)

    labels = [_label(table.label[i], int(table.n_tasks[i])) for i in order]
    ax.set_yticks(
        [*y, last],
        [*labels, _label("all", fit.n_tasks)],
        fontsize=style.SMALL,
        color=style.INK,
        parse_math=False,
    )
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(order.size + 0.6, -0.6)
    ax.set_xlim(-0.02, 1.02)
    ax.spines["bottom"].set_bounds(0.0, 1.0)
    style.percent_axis(ax, "x")
    ax.set_xlabel("pass rate of new tasks" if bar is None else f"pass rate; dashed: {bar:.10g}")
    _legend(ax, level, weak=bool(small.any()))
    how = {"none": "fitted apart", "partial": "partially pooled", "complete": "fitted as one"}
    style.heading(
        ax,
        f"pass rate by {' and '.join(fit.by)}",
        [f"{style.suite_line(fit.rollouts)}; slices {how[fit.pooling]}; engine: {fit.engine}"],
        beside=max(max(map(len, labels)) - 8, 0),
    )
    return ax


RAW: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 4.5,
    "markerfacecolor": "white",
    "markeredgecolor": style.INK,
    "markeredgewidth": 1.0,
    "zorder": 3,
}


def _label(name: str, tasks: int) -> str:
    name = " ".join(name.split())
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST - LONGEST // 2 - 1) :]}"
    return f"{name}  {tasks:,} task{'' if tasks == 1 else 's'}"


def _legend(ax: Axes, ci_prob: float, *, weak: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=style.POSTERIOR, linewidth=3.0, marker="o", markersize=5),
        Line2D([], [], color=style.BASELINE, linewidth=1.2, **RAW | {"linestyle": "-"}),
    ]
    labels = [
        f"posterior mean and {100 * ci_prob:g} % CrI (equal-tailed)",
        "raw rate and whole-task bootstrap",
    ]
    if weak:
        handles.append(Line2D([], [], color=style.ERRORED, linewidth=3.0, linestyle=":"))
        labels.append("too small to carry a claim")
    style.legend_below(ax, handles, labels, 2, align="right")
