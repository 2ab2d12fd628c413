"""plot_populations: one quantity for new tasks, for this suite and for its next run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from bayeseval._format import format_probability, format_value
from bayeseval._validate import Population, as_kind, as_probability, as_whole, one_of
from bayeseval.hierarchical import Fit
from bayeseval.plots import _style as style
from bayeseval.posterior import DiscretePosterior, Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["plot_populations"]

Quantity = Literal["pass_rate", "pass_at_k", "pass_hat_k"]

WORDS: dict[Population, tuple[str, str]] = {
    "new_tasks": ("new tasks", "tasks like these"),
    "suite": ("this suite", "exactly these tasks"),
    "next_run": ("next run", "what it will show"),
}
# Share of a row that its density may take; the interval lies under it.
TALL = 0.6


def plot_populations(
    fit: Fit,
    *,
    quantity: Quantity = "pass_rate",
    k: int = 1,
    threshold: float | None = None,
    ci_prob: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw one quantity for new tasks, for this suite, and for the next run of it.

    Three questions with three answers: what tasks like these would show, what exactly
    these tasks would show with rollouts without end, and what the suite will show when
    it is run once more. Each row has a density (as high as any other), the mean, and the
    equal-tailed interval with its numbers.

    Parameters
    ----------
    fit : Fit
        A fitted suite.
    quantity : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
        What is asked.
    k : int, default 1
        Number of attempts, for pass@k and pass^k.
    threshold : float, optional
        A bar, 0-1; the probability of exceeding it is printed in each row.
    ci_prob : float, default 0.95
        Level of the intervals, strictly between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        Proportions on the x axis, shown as per cent; a row for each population.

    Raises
    ------
    InputError
        If an option is out of range.

    Notes
    -----
    A run of the suite cannot show pass^k for k above the smallest number of rollouts of
    a task; that row then says UNKNOWN.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4)
    >>> ax = be.plot_populations(be.fit(suite, engine="exact"))
    >>> [label.get_text().partition(chr(10))[0] for label in ax.get_yticklabels()]
    ['new tasks', 'this suite', 'next run']
    """
    one_of(quantity, Quantity, "quantity")
    as_kind(fit, Fit, "fit", hint="as be.fit makes it")
    attempts = as_whole(k, "k", minimum=1)
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    bar = None if threshold is None else as_probability(threshold, "threshold")
    rows = {each: _ask(fit, quantity, attempts, each) for each in get_args(Population)}

    ax = style.get_axes(ax, height=3.7)
    known = [each for each in rows.values() if isinstance(each, Posterior)]
    left, right = _view(known, level, bar)
    ax.set_xlim(left, right)
    ax.set_ylim(len(rows) - 0.55, -0.72)
    for y, row in enumerate(rows.values()):
        ax.axhline(y, color=style.OBSERVED, linewidth=0.8, zorder=0)
        if isinstance(row, Unknown):
            ax.text(
                0.5 * (left + right),
                y - 0.1,
                f"UNKNOWN: {row.reason}",
                ha="center",
                fontsize=style.SMALL,
                color=style.QUIET,
                parse_math=False,
            )
        else:
            _draw_row(ax, y, row, level, bar)
    if bar is not None:
        ax.axvline(bar, color=style.THRESHOLD, linewidth=1.2, linestyle="--", zorder=1)
    ax.set_yticks(
        range(len(rows)),
        [f"{WORDS[each][0]}\n({WORDS[each][1]})" for each in rows],
        fontsize=style.SMALL,
        color=style.INK,
    )
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    style.percent_axis(ax, "x")
    name = known[0].about.quantity
    ax.set_xlabel(name if bar is None else f"{name}; dashed: the bar, {bar:.10g}")
    style.heading(
        ax,
        f"{name}: whom the number speaks of",
        [
            f"{style.suite_line(fit.rollouts)}; mean and {100 * level:g} % CrI (equal-tailed); "
            f"engine: {fit.engine}",
            *fit.notes,
        ],
        beside=10,
    )
    return ax


def _ask(fit: Fit, quantity: Quantity, k: int, population: Population) -> Posterior | Unknown:
    if population == "next_run" and quantity != "pass_rate" and k > fit.min_trials:
        return Unknown(f"k = {k}, but some tasks have {fit.min_trials} rollouts in a run")
    if quantity == "pass_rate":
        return fit.pass_rate(population=population)
    if quantity == "pass_at_k":
        return fit.pass_at_k(k, population=population)
    return fit.pass_hat_k(k, population=population)


def _view(rows: list[Posterior], ci_prob: float, bar: float | None) -> tuple[float, float]:
    ends = [value for row in rows for value in row.quantile(np.array([0.002, 0.998])).tolist()]
    ends += [value for row in rows for value in row.eti(ci_prob)]
    ends += [] if bar is None else [bar]
    margin = max(0.04 * (max(ends) - min(ends)), 0.002)
    return max(min(ends) - margin, -margin), min(max(ends) + margin, 1.0 + margin)


def _draw_row(ax: Axes, y: int, row: Posterior, ci_prob: float, bar: float | None) -> None:
    if isinstance(row, DiscretePosterior):
        x, height = row.values, row.probabilities / row.probabilities.max()
        step: dict[str, Any] = {"step": "mid"}
    else:
        left, right = ax.get_xlim()
        x = np.linspace(max(left, 1e-9), min(right, 1.0 - 1e-9), 500)
        density = np.asarray(row.pdf(x), dtype=float)
        inner = row.quantile(np.array([0.1, 0.9]))
        # What is much higher than a hump of that width is a spike at an edge.
        highest = min(float(density.max()), 4.0 / max(float(inner[1] - inner[0]), 1e-300))
        height, step = np.minimum(density / highest, 1.0), {}
    ax.fill_between(x, y, y - TALL * height, color=style.POSTERIOR, alpha=0.22, linewidth=0, **step)
    lower, upper = row.eti(ci_prob)
    below = y + 0.08
    ax.plot([lower, upper], [below, below], color=style.POSTERIOR, linewidth=3.2)
    ax.plot(
        [row.mean], [below], "o", color="white", markeredgecolor=style.POSTERIOR, markersize=5.5
    )
    text = f"{format_value(row.mean, 'percent')} ({format_value((lower, upper), 'percent')})"
    if row.extrapolated:
        text += ", extrapolated"
    if bar is not None:
        text += f"; Pr[> {bar:.10g}] = {format_probability(row.prob_above(bar))}"
    left, right = ax.get_xlim()
    middle = 0.5 * (lower + upper)
    align = style.side(middle, left, right)
    place = {"left": max(lower, left), "center": middle, "right": min(upper, right)}[align]
    ax.text(
        place,
        below + 0.09,
        text,
        ha=align,
        va="top",
        fontsize=style.SMALL,
        color=style.INK,
        parse_math=False,
        bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.6},
    )
