"""plot_leaderboard: many systems with intervals, ranks and tied groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayeseval._format import format_probability
from bayeseval._validate import Population, as_kind, as_probability
from bayeseval.comparison import Leaderboard
from bayeseval.plots import _style as style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayeseval.comparison._bootstrap import Kind

__all__ = ["plot_leaderboard"]

# Inches that one system takes, and characters of its name that are shown.
ROW, LONGEST = 0.24, 32


def plot_leaderboard(
    leaderboard: Leaderboard,
    kind: Kind = "pass_rate",
    *,
    k: int | None = None,
    population: Population = "new_tasks",
    ci_prob: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw every system's posterior with its rank, best first, tied groups set apart.

    Parameters
    ----------
    leaderboard : Leaderboard
        From `leaderboard`.
    kind : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
        What is compared.
    k : int, optional
        Number of attempts, for the last two.
    population : {"new_tasks", "suite"}, default "new_tasks"
        Tasks like these, or exactly these tasks.
    ci_prob : float, default 0.95
        Level of the intervals and ranges of ranks, and probability that separates groups.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure, as tall as the systems need, if None.

    Returns
    -------
    matplotlib.axes.Axes
        Rates on the x axis as proportions, shown as per cent; systems from the top down.

    Raises
    ------
    InputError
        If an option is out of range.

    Notes
    -----
    Intervals of two systems that overlap do not mean that the systems are tied: they ran the
    same tasks, and luck with the tasks is common to both. The groups and ranks know this.
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    as_kind(leaderboard, Leaderboard, "leaderboard", hint="as be.leaderboard makes it")
    table = leaderboard.table(kind, k=k, population=population, ci_prob=level)
    n = len(table)
    ax = style.get_axes(ax, height=max(2.4, 1.5 + ROW * n))
    y = np.arange(n, dtype=float)
    shaded = table.group % 2 == 0
    for at in y[shaded]:
        ax.axhspan(at - 0.5, at + 0.5, color=style.EXTRAPOLATED, zorder=0, linewidth=0)
    ax.hlines(y, table.lower, table.upper, color=style.POSTERIOR, linewidth=2.4)
    ax.plot(table.mean, y, "o", color="white", markeredgecolor=style.POSTERIOR, markersize=5,
            label="posterior mean")  # fmt: skip
    if kind == "pass_rate":
        ax.plot(table.raw_rate, y, "D", color=style.BASELINE, markersize=3, label="raw rate")
    low, high = float(table.lower.min()), float(table.upper.max())
    margin = 0.05 * (high - low) + 1e-3
    ax.set_xlim(max(low - margin, -0.005), min(high + margin, 1.005))
    ax.set_ylim(n - 0.5, -0.5)
    ax.set_yticks(y, [_label(name) for name in table.system], parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    for at in range(n):
        ranks = (int(table.rank_lower[at]), int(table.rank_upper[at]))
        text = f"{ranks[0]}" if ranks[0] == ranks[1] else f"{ranks[0]}-{ranks[1]}"
        for x, words in ((1.10, text), (1.22, format_probability(float(table.prob_best[at])))):
            ax.text(x, at, words, transform=ax.get_yaxis_transform(), ha="right", va="center",
                    fontsize=style.SMALL, color=style.INK)  # fmt: skip
    for x, words in ((1.10, "rank"), (1.22, "Pr[best]")):
        ax.text(x, 1.0, words, transform=ax.transAxes, ha="right", va="bottom",
                fontsize=style.SMALL, fontweight="bold", color=style.INK)  # fmt: skip
    style.percent_axis(ax, "x")
    quantity = leaderboard.rate(table.system[0], kind, k=k, population=population)
    ax.set_xlabel(quantity.title)
    handles, labels = ax.get_legend_handles_labels()
    from matplotlib.lines import Line2D

    handles.append(Line2D([], [], color=style.POSTERIOR, linewidth=2.4))
    labels.append(f"{100 * level:g} % CrI")
    style.legend_below(ax, handles, labels, 3)
    groups = int(table.group.max())
    tied = "all systems are tied" if groups == 1 else f"{groups} groups, shaded in turn"
    longest = max(len(label.get_text()) for label in ax.get_yticklabels())
    style.heading(
        ax,
        quantity.title,
        [
            f"n = {leaderboard.n_tasks:,} tasks, {n:,} systems; engine: nuts; {tied}",
            *leaderboard.notes,
        ],
        beside=max(longest - 8, 0) + 12,
    )
    return ax


def _label(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
