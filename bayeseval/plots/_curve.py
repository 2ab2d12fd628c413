"""plot_pass_curve: pass@k rising and pass^k falling over k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Population, as_kind, as_probability, as_whole, one_of
from bayeseval.hierarchical import Fit
from bayeseval.passk import pass_curve
from bayeseval.plots import _style as style
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["plot_pass_curve"]

# Markers of which the second leaves the first in sight where both lie on one point.
CIRCLE, SQUARE = ("o", 8.0), ("s", 4.2)
# Each k costs an integration: beyond this many, k is taken at even ratios.
MOST_K = 16
WORDS = {
    "new_tasks": "on new tasks",
    "suite": "on this suite",
    "next_run": "of the next run",
}


def plot_pass_curve(
    fit: Fit,
    *,
    k_max: int | None = None,
    population: Population = "new_tasks",
    ci_prob: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw pass@k rising and pass^k falling over k, with bands.

    Lines are posterior means, bands equal-tailed credible intervals, open markers the
    unbiased estimates, which exist up to the smallest number of rollouts of a task. What
    lies beyond the data is dashed, hatched and on a grey ground: it rests on the shape
    of the model.

    Parameters
    ----------
    fit : Fit
        A fitted suite.
    k_max : int, optional
        Largest k, at least 1. Default: twice the smallest number of rollouts of a
        task, but at least 4 and at most 24. Many k are thinned to 16 at even ratios.
    population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
        Which population the curves speak of.
    ci_prob : float, default 0.95
        Level of the bands, strictly between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        k on the x axis, on a logarithmic scale for `k_max` above 32; proportions on
        the y axis, shown as per cent.

    Raises
    ------
    InputError
        If an option is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4)
    >>> ax = be.plot_pass_curve(be.fit(suite, engine="exact"), k_max=5)
    >>> ax.get_title(loc="left")
    'pass@k and pass^k on new tasks'
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    one_of(population, Population, "population")
    as_kind(fit, Fit, "fit", hint="as be.fit makes it")
    smallest = pass_curve(fit.rollouts, k=1).min_trials
    if k_max is None:
        largest = max(4, min(2 * smallest, 24))
    else:
        largest = as_whole(k_max, "k_max", minimum=1)
    ks = _chosen_k(largest, smallest)
    at = [fit.pass_at_k(int(k), population=population) for k in ks]
    hat = [fit.pass_hat_k(int(k), population=population) for k in ks]

    ax = style.get_axes(ax)
    curves = (
        (at, CIRCLE, style.AT_LEAST_ONE, "pass@k: at least one of k passes"),
        (hat, SQUARE, style.POSTERIOR, "pass^k: all of k pass"),
    )
    handles, labels, lowest = [], [], 1.0
    for posteriors, _, color, name in curves:
        line, floor = _draw_curve(ax, ks, posteriors, color, level)
        handles.append(line)
        labels.append(name)
        lowest = min(lowest, floor)
    _draw_unbiased(ax, fit, ks[ks <= smallest], curves, handles, labels)

    beyond = np.array([posterior.extrapolated for posterior in hat])
    _dress(ax, ks, lowest)
    if beyond.any():
        _draw_beyond(ax, ks, beyond)
    style.legend_below(ax, handles, labels, 2)
    style.heading(
        ax,
        f"pass@k and pass^k {WORDS[population]}",
        [
            f"{style.suite_line(fit.rollouts)}; mean and {100 * level:g} % CrI (equal-tailed); "
            f"engine: {fit.engine}",
            *fit.notes,
        ],
    )
    return ax


def _chosen_k(largest: int, smallest: int) -> npt.NDArray[np.int64]:
    if largest <= MOST_K:
        return np.arange(1, largest + 1)
    spread = np.geomspace(1, largest, MOST_K - 1).round().astype(np.int64)
    if 1 <= smallest < largest:
        # The last k that the data reach, in place of its nearest neighbour.
        spread[np.argmin(np.abs(spread - smallest))] = smallest
    return np.unique(np.r_[1, spread, largest])


def _draw_curve(
    ax: Axes, ks: npt.NDArray[np.int64], posteriors: list[Posterior], color: str, ci_prob: float
) -> tuple[Any, float]:
    """Draw one curve; return its line and the lowest limit of its band."""
    mean = np.array([posterior.mean for posterior in posteriors])
    lower, upper = np.array([tuple(posterior.eti(ci_prob)) for posterior in posteriors]).T
    beyond = np.array([posterior.extrapolated for posterior in posteriors])
    known = int(np.argmax(beyond)) if beyond.any() else ks.size
    # The dashed part starts at the last k that the data reach.
    parts = ((slice(0, known), "-", None), (slice(max(known - 1, 0), None), "--", "////"))
    line = None
    for part, dashes, hatch in parts:
        if hatch and not beyond.any():
            continue
        x = ks[part]
        if x.size == 1 and not hatch:
            ax.plot([x[0]] * 2, [lower[0], upper[0]], color=color, linewidth=3.0, alpha=0.35)
        ax.fill_between(
            x,
            lower[part],
            upper[part],
            facecolor=color,
            alpha=0.25 if hatch is None else 0.18,
            hatch=hatch,
            edgecolor="none" if hatch is None else color,
            linewidth=0.0,
        )
        (drawn,) = ax.plot(x, mean[part], color=color, linestyle=dashes, linewidth=1.8)
        line = line or drawn
    return line, float(lower.min())


def _draw_unbiased(
    ax: Axes,
    fit: Fit,
    ks: npt.NDArray[np.int64],
    curves: tuple[tuple[list[Posterior], tuple[str, float], str, str], ...],
    handles: list[Any],
    labels: list[str],
) -> None:
    if ks.size == 0:
        return
    curve = pass_curve(fit.rollouts, k=ks.tolist())
    for (_, marker, color, name), found in zip(
        curves, (curve.pass_at_k, curve.pass_hat_k), strict=True
    ):
        values = [float(value) for value in found if not isinstance(value, Unknown)]
        (points,) = ax.plot(
            ks[: len(values)],
            values,
            marker[0],
            color="white",
            markeredgecolor=color,
            markeredgewidth=1.4,
            markersize=marker[1],
            clip_on=False,
            zorder=3,
        )
        handles.append(points)
        upto = "k = 1" if ks[-1] == 1 else f"k up to {ks[-1]:,}"
        labels.append(f"{name.partition(':')[0]}, unbiased estimate, {upto}")


def _draw_beyond(ax: Axes, ks: npt.NDArray[np.int64], beyond: npt.NDArray[np.bool_]) -> None:
    first = int(np.argmax(beyond))
    left, right = ax.get_xlim()
    start = left if first == 0 else float(ks[first - 1])
    ax.axvspan(start, right, facecolor=style.EXTRAPOLATED, edgecolor="none", zorder=0)
    ax.axvline(start, color=style.QUIET, linewidth=0.8, linestyle=":", zorder=1)
    ax.annotate(
        "beyond the data: rests on the model",
        (1.0, 1.0),
        (-4.0, -3.0),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=style.SMALL,
        color=style.INK,
        style="italic",
        in_layout=False,
    )


def _dress(ax: Axes, ks: npt.NDArray[np.int64], lowest: float) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    largest = int(ks[-1])
    if largest > 32:
        ax.set_xscale("log")
        ax.set_xlim(0.9, largest * 1.1)
        # Powers of two, thinned to at most eight, and the end.
        powers = [2**i for i in range(int(np.log2(largest / 1.4)) + 1)]
        ax.xaxis.set_major_locator(FixedLocator([*powers[:: 1 + len(powers) // 9], largest]))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda k, _: f"{k:,.0f}"))
    else:
        ax.set_xlim(0.7, largest + 0.3)
        ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))
    # One step of white under the band; the room above 100 % holds the label.
    floor = max(np.floor(10.0 * (lowest - 0.02)) / 10.0, 0.0)
    ax.set_ylim(floor, 1.0 + 0.09 * (1.0 - floor))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    style.percent_axis(ax, "y")
    ax.spines["left"].set_bounds(floor, 1.0)
    ax.set_xlabel("k, rollouts of one task")
    ax.set_ylabel("probability")
