"""plot_sampling_grid: a row for each task, a cell for each rollout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_whole, one_of
from bayeseval.errors import InputError
from bayeseval.passk import pass_at_k, pass_hat_k
from bayeseval.plots import _style as style
from bayeseval.population._contamination import leaked_levels
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_sampling_grid"]

Counts = npt.NDArray[np.int64]
Quantity = Literal["pass_at_k", "pass_hat_k"]
Sort = Literal["rate", "data"]

# Points of height of a row with a name, and characters that the name may take.
ROW, LONGEST = 9.5, 28
# Each task of a suite of at most so many has its own row even without room for names.
MOST_ROWS = 300
# Beyond this many rollouts of a task, cells are no longer parted by lines.
MOST_CELLS = 40
# Width of the bars, and of the gap before them, as shares of the width of the cells.
BARS, GAP = 0.32, 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of the grid from the top down: single tasks, or blocks of equal ones.

    Parameters
    ----------
    label : list of str
        Name of the task, or counts and number of tasks of the block.
    passes, trials, errored, size : ndarray of int, shape (n_rows,)
        Counts of each of the tasks in it, and how many tasks they are.
    leaked : ndarray of bool, shape (n_rows,)
        Whether the tasks are marked as leaked.
    """

    label: list[str]
    passes: Counts
    trials: Counts
    errored: Counts
    size: Counts
    leaked: npt.NDArray[np.bool_]


def plot_sampling_grid(
    rollouts: Rollouts,
    *,
    k: int | None = None,
    quantity: Quantity = "pass_hat_k",
    leaked: str | None = None,
    sort: Sort = "rate",
    max_labels: int = 60,
    ax: Axes | None = None,
) -> Axes:
    """Draw every rollout: a row for each task, a cell for each of its rollouts.

    Passed, failed and errored cells differ in colour and in hatching. The bar at the
    end of a row is the task's unbiased pass^k or pass@k; where fewer than k rollouts
    were scored there is none, and a dash says so. Of more than 300 tasks, those with
    equal counts share a row whose height is their number.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. It holds counts, so the cells of a row are sorted: passed, failed,
        errored, not in the order in which they ran.
    k : int, optional
        Number of attempts of the bar, at least 1; default: the smallest number of
        scored rollouts of a task that has any.
    quantity : {"pass_hat_k", "pass_at_k"}, default "pass_hat_k"
        What the bar shows.
    leaked : str, optional
        A factor with two levels that marks leaked tasks; see `contamination`.
    sort : {"rate", "data"}, default "rate"
        Order from the top: by raw rate, highest first, or as in the data.
    max_labels : int, default 60
        Most tasks that are named.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure, as tall as the names need, if None.

    Returns
    -------
    matplotlib.axes.Axes
        Rollouts on the x axis, tasks from the top down on the y axis.

    Raises
    ------
    InputError
        If an option is out of range, or `leaked` is no such factor.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4, 1], 4, task=["orders", "refunds"])
    >>> ax = be.plot_sampling_grid(suite)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['orders', 'refunds']
    """
    if not isinstance(rollouts, Rollouts):
        raise InputError(f"rollouts must be a Rollouts; got {type(rollouts).__name__}")
    one_of(quantity, Quantity, "quantity")
    one_of(sort, Sort, "sort")
    most = as_whole(max_labels, "max_labels")
    scored = rollouts.trials[rollouts.scored]
    fewest = int(scored.min()) if scored.size else 1
    attempts = fewest if k is None else as_whole(k, "k", minimum=1)
    marks = np.zeros(rollouts.n_tasks, dtype=bool)
    if leaked is not None:
        level, _ = leaked_levels(rollouts, leaked)
        values = rollouts.factors[leaked].tolist()
        marks = np.array([type(each) is type(level) and each == level for each in values])

    n = rollouts.n_tasks
    height = max(2.2, 1.5 + n * ROW * 1.05 / 72) if n <= most else 5.2
    own = ax is None
    ax = style.get_axes(ax, height=height)
    rows = _tasks(rollouts, marks, sort) if n <= MOST_ROWS else _blocks(rollouts, marks)
    named = n <= most and (own or n * ROW <= style.size_in_points(ax)[1])
    width = max(int((rows.trials + rows.errored).max()), 1)
    _draw_cells(ax, rows, width, lines=n <= MOST_ROWS)
    name = f"pass{'^' if quantity == 'pass_hat_k' else '@'}{attempts}"
    _draw_bars(ax, rows, width, quantity, attempts, name)
    _draw_names(ax, rows, named, blocks=n > MOST_ROWS)
    _dress(ax, rows, width)
    _legend(ax, rows, name)
    longest = max((len(label.get_text()) for label in ax.get_yticklabels()), default=0)
    style.heading(
        ax,
        "every task and rollout",
        [
            style.suite_line(rollouts),
            f"bars: unbiased {name} of each task; cells are sorted within a row",
        ],
        beside=max(longest - 8, 0) if named else 0,
    )
    return ax


def _tasks(rollouts: Rollouts, marks: npt.NDArray[np.bool_], sort: Sort) -> Rows:
    passes, trials, errored = rollouts.passes, rollouts.trials, rollouts.errored
    order = np.arange(rollouts.n_tasks)
    if sort == "rate":
        order = np.lexsort((errored, -trials, -_rate(passes, trials)))
    names = rollouts.task.tolist()
    return Rows(
        [_shortened(str(names[i])) for i in order],
        passes[order],
        trials[order],
        errored[order],
        np.ones(order.size, dtype=np.int64),
        marks[order],
    )


def _blocks(rollouts: Rollouts, marks: npt.NDArray[np.bool_]) -> Rows:
    counts = np.column_stack([rollouts.passes, rollouts.trials, rollouts.errored, marks])
    distinct, size = np.unique(counts, axis=0, return_counts=True)
    passes, trials, errored, marked = distinct.T
    order = np.lexsort((marked, errored, -trials, -_rate(passes, trials)))
    columns = passes[order], trials[order], errored[order], size[order]
    passes, trials, errored, size = columns
    labels = [
        f"{s:,}/{n:,}{f', {lost:,} errored' if lost else ''}: "
        f"{count:,} task{'' if count == 1 else 's'}"
        for s, n, lost, count in zip(*(each.tolist() for each in columns), strict=True)
    ]
    return Rows(labels, passes, trials, errored, size, marked[order].astype(bool))


def _rate(passes: Counts, trials: Counts) -> npt.NDArray[np.float64]:
    """Raw rates; tasks without a score come last."""
    rate = np.full(trials.shape, -1.0)
    np.divide(passes, trials, out=rate, where=trials > 0)
    return rate


def _shortened(name: str) -> str:
    name = " ".join(name.split())
    if len(name) > LONGEST:
        return f"{name[: LONGEST // 2]}…{name[-(LONGEST - LONGEST // 2 - 1) :]}"
    return name


def _draw_cells(ax: Axes, rows: Rows, width: int, *, lines: bool) -> None:
    top = np.concatenate([[0], np.cumsum(rows.size)[:-1]])
    gap = 0.08 if lines and rows.size.sum() <= 120 else 0.0
    kinds: tuple[tuple[Any, Any, dict[str, Any]], ...] = (
        (np.zeros_like(rows.passes), rows.passes, {"color": style.POSTERIOR}),
        (
            rows.passes,
            rows.trials - rows.passes,
            {"color": style.FAIL, "alpha": 0.55},
        ),
        (
            rows.trials,
            rows.errored,
            {"facecolor": style.OBSERVED, "edgecolor": style.BASELINE, "hatch": "////"},
        ),
    )
    for left, length, look in kinds:
        some = length > 0
        if some.any():
            ax.barh(
                (top + gap)[some],
                length[some],
                (rows.size - 2 * gap)[some],
                left[some],
                align="edge",
                linewidth=0,
                **look,
            )
    if width <= MOST_CELLS:
        total = int(rows.size.sum())
        ax.vlines(np.arange(1, width), 0, total, colors="white", linewidth=1.0)


def _draw_bars(ax: Axes, rows: Rows, width: int, quantity: Quantity, k: int, name: str) -> None:
    estimator = pass_hat_k if quantity == "pass_hat_k" else pass_at_k
    found = [
        estimator(n, s, k) for n, s in zip(rows.trials.tolist(), rows.passes.tolist(), strict=True)
    ]
    top = np.concatenate([[0], np.cumsum(rows.size)[:-1]])
    start, room = (1.0 + GAP) * width, BARS * width
    known = np.array([not isinstance(each, Unknown) for each in found])
    values = np.array([0.0 if isinstance(each, Unknown) else float(each) for each in found])
    gap = 0.2 * rows.size if rows.size.sum() <= 120 else 0.0 * rows.size
    if known.any():
        ax.barh(
            (top + gap)[known],
            (room * values)[known],
            (rows.size - 2 * gap)[known],
            start,
            align="edge",
            color=style.INK,
            linewidth=0,
        )
    for at in np.flatnonzero(~known) if rows.size.sum() <= 120 else ():
        ax.plot([start, start + 0.12 * room], [top[at] + 0.5] * 2, color=style.QUIET, linewidth=1)
    total = float(rows.size.sum())
    for place in (start, start + room):
        ax.plot([place, place], [0, total], color=style.QUIET, linewidth=0.6)
    ax.annotate(
        f"{name}\n0 to 100 %",
        (start + 0.5 * room, 0.0),
        (0.0, -4.0),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=style.SMALL,
        color=style.INK,
        parse_math=False,
    )
    if rows.leaked.any():
        last = start + room + 0.03 * width
        ax.barh(
            top[rows.leaked],
            0.02 * width,
            rows.size[rows.leaked],
            last,
            align="edge",
            color=style.AT_LEAST_ONE,
            linewidth=0,
        )


def _draw_names(ax: Axes, rows: Rows, named: bool, *, blocks: bool) -> None:
    middle = np.cumsum(rows.size) - 0.5 * rows.size
    total = float(rows.size.sum())
    if not named and not blocks:
        ax.set_yticks([])
        ax.set_ylabel(f"{rows.size.sum():,} tasks, one row each")
        return
    chosen = list(range(rows.size.size))
    if blocks:
        needed = ROW * total / style.size_in_points(ax)[1]
        chosen = []
        for at in np.argsort(-rows.size, kind="stable").tolist():
            if all(abs(middle[at] - middle[other]) >= needed for other in chosen):
                chosen.append(at)
        ax.set_ylabel("tasks with equal counts (passes/rollouts)")
    ax.set_yticks(
        middle[chosen],
        [rows.label[at] for at in chosen],
        fontsize=style.SMALL,
        color=style.INK,
        parse_math=False,
    )
    ax.tick_params(axis="y", length=2 if blocks else 0)


def _dress(ax: Axes, rows: Rows, width: int) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter

    right = (1.0 + GAP + BARS) * width + (0.07 * width if rows.leaked.any() else 0.01 * width)
    ax.set_xlim(0.0, right)
    ax.set_ylim(float(rows.size.sum()), 0.0)
    step = max(1, -(-width // 10))
    ax.xaxis.set_major_locator(FixedLocator([i + 0.5 for i in range(0, width, step)]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x + 0.5:,.0f}"))
    ax.tick_params(axis="x", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlabel("rollouts", loc="left")


def _legend(ax: Axes, rows: Rows, name: str) -> None:
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(color=style.POSTERIOR, linewidth=0),
        Patch(color=style.FAIL, alpha=0.55, linewidth=0),
    ]
    labels = ["passed", "failed"]
    if rows.errored.any():
        handles.append(
            Patch(facecolor=style.OBSERVED, edgecolor=style.BASELINE, hatch="////", linewidth=0)
        )
        labels.append("errored: not scored")
    handles.append(Patch(color=style.INK, linewidth=0))
    labels.append(name)
    if rows.leaked.any():
        handles.append(Patch(color=style.AT_LEAST_ONE, linewidth=0))
        labels.append("leaked task")
    style.legend_below(ax, handles, labels, len(handles))
