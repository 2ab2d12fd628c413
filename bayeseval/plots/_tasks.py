"""plot_tasks: raw against shrunken pass rates of the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_kind, as_probability, as_whole, one_of
from bayeseval.hierarchical import Fit
from bayeseval.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["plot_tasks"]

Sort = Literal["rate", "mean", "task", "data"]

# Points of height that one label needs, and characters that it may take.
ROW = 9.5
LONGEST = 32
# Blocks lower than this many points are drawn without marker and gap.
THIN = 8.0


def plot_tasks(
    fit: Fit,
    *,
    sort: Sort = "rate",
    max_labels: int = 60,
    ci_prob: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw each task's raw pass rate against its posterior mean and interval.

    The model pulls extreme raw rates, which few rollouts make common, towards those of
    the other tasks. Up to `max_labels` tasks are drawn one by one with their names and
    counts; more are drawn as blocks of tasks with equal counts, whose heights are
    numbers of tasks.

    Parameters
    ----------
    fit : Fit
        A fitted suite.
    sort : {"rate", "mean", "task", "data"}, default "rate"
        Order from the top: by raw rate, highest first; by posterior mean; by name; or
        as in the data. Blocks can only be sorted by rate or mean; others count as rate.
    max_labels : int, default 60
        Most tasks that are drawn one by one. Fewer where `ax` is too low for them.
    ci_prob : float, default 0.95
        Level of the intervals, strictly between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure, as tall as the labels need, if None.

    Returns
    -------
    matplotlib.axes.Axes
        Pass rates on the x axis as proportions, shown as per cent; tasks from the top
        down on the y axis.

    Raises
    ------
    InputError
        If an option is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4, 1], 4, task=["orders", "refunds"])
    >>> ax = be.plot_tasks(be.fit(suite, engine="exact"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['orders  4/4', 'refunds  1/4']
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    as_kind(fit, Fit, "fit", hint="as be.fit makes it")
    one_of(sort, Sort, "sort")
    most = as_whole(max_labels, "max_labels")
    style.check_axes(ax)
    table = fit.task_table(ci_prob=level)
    n = len(table.task)
    one_by_one = n <= most and (ax is None or n * ROW <= style.size_in_points(ax)[1])
    ax = style.get_axes(ax, height=max(2.2, 1.5 + n * ROW * 1.05 / 72) if one_by_one else 5.2)

    if one_by_one:
        _draw_tasks(ax, table, sort)
    else:
        _draw_blocks(ax, table, sort)
    ax.set_xlim(-0.02, 1.02)
    ax.spines["bottom"].set_bounds(0.0, 1.0)
    style.percent_axis(ax, "x")
    ax.set_xlabel("pass rate of the task")
    _legend(ax, level, unscored=bool((np.asarray(table.trials) == 0).any()))
    longest = max(len(label.get_text()) for label in ax.get_yticklabels())
    style.heading(
        ax,
        "task pass rates, raw and shrunken",
        [f"{style.suite_line(fit.rollouts)}; engine: {fit.engine}", *fit.notes],
        beside=max(longest - 8, 0),
    )
    return ax


def _legend(ax: Axes, ci_prob: float, *, unscored: bool) -> None:
    from matplotlib.lines import Line2D

    markers = {line.get_marker() for line in ax.lines}
    handles: list[Any] = [
        Line2D([], [], **(RAW if "D" in markers else RAW | {"marker": ".", "markersize": 2})),
        Line2D([], [], color=style.POSTERIOR, marker="o", markersize=4, linewidth=2.0),
    ]
    labels = ["raw rate", f"posterior mean and {100 * ci_prob:g} % CrI (equal-tailed)"]
    if unscored:
        handles.append(Line2D([], [], color=style.ERRORED, linewidth=2.0, linestyle=":"))
        labels.append("no scored rollout: model only")
    # From the right, under the names of the tasks, which may take half of the width.
    style.legend_below(ax, handles, labels, 3, align="right")


RAW: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 5,
    "markerfacecolor": "none",
    "markeredgecolor": style.INK,
    "markeredgewidth": 1.0,
}


# -- one by one -------------------------------------------------------------------


def _draw_tasks(ax: Axes, table: Any, sort: Sort) -> None:
    order = _order(table, sort)
    y = np.arange(order.size)
    raw, mean = np.asarray(table.raw_rate, dtype=float)[order], np.asarray(table.mean)[order]
    lower, upper = np.asarray(table.lower)[order], np.asarray(table.upper)[order]
    scored = np.asarray(table.trials)[order] > 0
    kinds: tuple[tuple[Any, str, Literal["-", ":"]], ...] = (
        (scored, style.POSTERIOR, "-"),
        (~scored, style.ERRORED, ":"),
    )
    for part, color, dashes in kinds:
        if not part.any():  # an artist without data would claim room at the figure's corner
            continue
        ax.hlines(y[part], lower[part], upper[part], colors=color, linestyles=dashes, linewidth=2.0)
        ax.plot(mean[part], y[part], "o", color=color, markersize=4, zorder=3)
    if scored.any():
        ax.plot(raw[scored], y[scored], zorder=4, clip_on=False, **RAW)
    labels = [_task_label(table, i) for i in order]
    ax.set_yticks(y, labels, fontsize=style.SMALL, color=style.INK, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(order.size - 0.4, -0.6)


def _order(table: Any, sort: Sort) -> npt.NDArray[np.intp]:
    mean, n = np.asarray(table.mean, dtype=float), len(table.task)
    if sort == "data":
        return np.arange(n)
    if sort == "task":
        # Ids are whole numbers or text; numbers come first, in their own order.
        return np.array(
            sorted(range(n), key=lambda i: (isinstance(table.task[i], str), table.task[i])),
            dtype=np.intp,
        )
    if sort == "mean":
        return np.argsort(-mean, kind="stable")
    raw = np.nan_to_num(np.asarray(table.raw_rate, dtype=float), nan=-1.0)
    return np.lexsort((-mean, -raw))


def _task_label(table: Any, i: int) -> str:
    name = " ".join(str(table.task[i]).split())
    if len(name) > LONGEST:
        # Ids that share a beginning differ at the end, and the other way round.
        name = f"{name[: LONGEST // 2]}…{name[-(LONGEST - LONGEST // 2 - 1) :]}"
    counts = f"{int(table.passes[i]):,}/{int(table.trials[i]):,}"
    errored = int(table.errored[i])
    return f"{name}  {counts}" + (f", {errored:,} errored" if errored else "")


# -- blocks of tasks with equal counts --------------------------------------------


def _draw_blocks(ax: Axes, table: Any, sort: Sort) -> None:
    passes, trials = np.asarray(table.passes), np.asarray(table.trials)
    order = _order(table, "mean" if sort == "mean" else "rate")
    pairs = np.stack([passes[order], trials[order]], axis=1)
    # Equal counts have equal rates and means, so in this order they are neighbours.
    first = np.flatnonzero(np.r_[True, np.any(pairs[1:] != pairs[:-1], axis=1)])
    size = np.diff(np.r_[first, order.size])
    middle = first + 0.5 * size
    task = order[first]
    raw, mean = np.asarray(table.raw_rate, dtype=float)[task], np.asarray(table.mean)[task]
    lower, upper = np.asarray(table.lower)[task], np.asarray(table.upper)[task]
    scored = trials[task] > 0
    points = style.size_in_points(ax)[1] / order.size
    tall = size * points >= THIN
    gap = np.where(tall, 0.6 / points, 0.0)
    start, stop = first + gap, first + size - gap

    for part, color, hatch in ((scored, style.POSTERIOR, None), (~scored, style.ERRORED, "....")):
        if not part.any():
            continue
        ax.barh(
            start[part],
            (upper - lower)[part],
            (stop - start)[part],
            lower[part],
            align="edge",
            color=color,
            alpha=0.3,
            linewidth=0,
            hatch=hatch,
        )
        ax.vlines(mean[part], start[part], stop[part], colors=color, linewidth=2.0)
    named, dotted = scored & tall, scored & ~tall
    if named.any():
        ax.vlines(
            raw[named], start[named], stop[named], colors=style.INK, linewidth=0.8, linestyles="--"
        )
        ax.plot(raw[named], middle[named], zorder=4, clip_on=False, **RAW)
    if dotted.any():
        ax.plot(raw[dotted], middle[dotted], ".", color=style.INK, markersize=1.6, clip_on=False)
    ax.set_ylim(order.size, 0)
    _label_blocks(ax, passes[task], trials[task], size, middle)


def _label_blocks(
    ax: Axes,
    passes: npt.NDArray[np.int64],
    trials: npt.NDArray[np.int64],
    size: npt.NDArray[np.intp],
    middle: npt.NDArray[np.float64],
) -> None:
    """Name the blocks where there is room, the tallest first."""
    needed = ROW * float(size.sum()) / style.size_in_points(ax)[1]
    places: list[float] = []
    labels: list[str] = []
    for i in np.argsort(-size, kind="stable"):
        if any(abs(middle[i] - place) < needed for place in places):
            continue
        places.append(float(middle[i]))
        counts = f"{int(passes[i]):,}/{int(trials[i]):,}"
        labels.append(f"{counts}:  {int(size[i]):,} task{'' if size[i] == 1 else 's'}")
    ax.set_yticks(places, labels, fontsize=style.SMALL, color=style.INK, parse_math=False)
    ax.tick_params(axis="y", length=2)
    some = "" if len(places) == size.size else f"; {len(places)} of {size.size:,} named"
    ax.set_ylabel(f"tasks with equal counts (passes/rollouts){some}")
