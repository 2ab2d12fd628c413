"""plot_predictive: how many tasks passed how often, against what the model predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayeseval._validate import as_kind, as_probability
from bayeseval.hierarchical import Fit
from bayeseval.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["plot_predictive"]

# Up to this many cells each has its own bar and interval; more become points and a band.
MOST_BARS = 60


def plot_predictive(fit: Fit, *, ci_prob: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the histogram of passes per task, observed against predicted.

    Bars (points, where there are many) are the observed numbers of tasks; points (a
    line) and intervals what the fitted model predicts for another run of a suite like
    this one. Numbers outside of their intervals are marked: a few among many are expected.

    Parameters
    ----------
    fit : Fit
        A fitted suite. Where tasks have unequal numbers of rollouts, the tasks with
        the commonest number are shown, and the figure says how many they are.
    ci_prob : float, default 0.95
        Level of the predictive intervals, strictly between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        Passes on the x axis, number of tasks on the y axis.

    Raises
    ------
    InputError
        If `ci_prob` is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4)
    >>> ax = be.plot_predictive(be.fit(suite, engine="exact"))
    >>> [int(bar.get_height()) for bar in ax.patches]
    [15, 0, 5, 0, 30]
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    as_kind(fit, Fit, "fit", hint="as be.fit makes it")
    table = fit.predicted_histogram(ci_prob=level)
    passes, observed = np.asarray(table.passes), np.asarray(table.observed, dtype=float)
    mean, lower, upper = np.array([table.mean, table.lower, table.upper], dtype=float)
    outside = (observed < lower) | (observed > upper)

    ax = style.get_axes(ax)
    predicted = f"predicted: mean and {100 * level:g} % predictive interval"
    handles: list[Any]
    if passes.size <= MOST_BARS:
        bars = ax.bar(passes, observed, 0.8, color=style.OBSERVED, edgecolor=style.BASELINE)
        errors = np.array([mean - np.minimum(lower, mean), np.maximum(upper, mean) - mean])
        points = ax.errorbar(
            passes,
            mean,
            yerr=errors,
            fmt="o",
            color=style.POSTERIOR,
            markersize=5,
            markeredgecolor="white",
            elinewidth=1.8,
            capsize=3,
            clip_on=False,
        )
        handles = [bars, points]
    else:
        band = ax.fill_between(
            passes, lower, upper, step="mid", color=style.POSTERIOR, alpha=0.25, linewidth=0
        )
        (line,) = ax.plot(passes, mean, color=style.POSTERIOR, linewidth=1.6)
        (dots,) = ax.plot(passes, observed, ".", color=style.INK, markersize=3.5, clip_on=False)
        handles = [dots, (band, line)]
    labels = ["observed", predicted]
    if outside.any():
        (marks,) = ax.plot(
            passes[outside],
            np.maximum(observed, upper)[outside],
            linestyle="none",
            marker=7,
            color=style.FAIL,
            markersize=6,
            clip_on=False,
        )
        marks.set_transform(_raised(ax, 9.0))
        handles.append(marks)
        labels.append(f"outside of its interval ({int(outside.sum())} of {passes.size})")
    _dress(ax, passes, max(float(observed.max()), float(upper.max()), 1.0))
    style.legend_below(ax, handles, labels, 3)
    _heading(ax, fit, int(observed.sum()), int(table.trials_shown))
    return ax


def _raised(ax: Axes, points: float) -> Any:
    """Data coordinates, moved up by some points."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    assert figure is not None
    return ax.transData + ScaledTranslation(0.0, points / 72.0, figure.dpi_scale_trans)


def _dress(ax: Axes, passes: Any, highest: float) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(passes.min() - 0.6, passes.max() + 0.6)
    ax.set_ylim(0.0, 1.1 * highest)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, steps=[1, 2, 5, 10], integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
    ax.set_xlabel("passes of a task")
    ax.set_ylabel("number of tasks")


def _heading(ax: Axes, fit: Fit, n_shown: int, trials: int) -> None:
    of = f"{trials:,} rollout{'' if trials == 1 else 's'}"
    lines = [f"{style.suite_line(fit.rollouts)}; engine: {fit.engine}"]
    if not fit.rollouts.equal_trials:
        lines.append(f"shown: the {n_shown:,} of {fit.rollouts.n_tasks:,} tasks with {of}")
    style.heading(ax, f"passes of {of}: observed and predicted", [*lines, *fit.notes])
