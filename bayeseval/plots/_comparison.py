"""plot_comparison: the difference of two systems, its baseline, and the tasks that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayeseval._format import format_probability, format_value
from bayeseval._validate import Population, as_kind, as_probability
from bayeseval.comparison import Comparison
from bayeseval.errors import InputError
from bayeseval.plots import _style as style
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayeseval.comparison._bootstrap import Kind

__all__ = ["plot_comparison"]

# Text, interval and colour.
Rail = tuple[str, tuple[float, float] | None, str]

# Heights in units of the highest density: each rail, and the room above for probabilities.
RAIL, HEADROOM = 0.2, 1.3


def plot_comparison(
    comparison: Comparison,
    kind: Kind = "pass_rate",
    *,
    k: int | None = None,
    population: Population = "new_tasks",
    rope: float | tuple[float, float] | None = None,
    ci_prob: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the posterior of the difference between two systems, new minus old.

    The mass on either side of 0 is shaded and its probability written above it. Rails
    beneath show the credible interval and what is usually reported beside it.

    Parameters
    ----------
    comparison : Comparison
        From `compare`.
    kind : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
        What is compared.
    k : int, optional
        Number of attempts, for the last two.
    population : {"new_tasks", "suite"}, default "new_tasks"
        Tasks like these, or exactly these tasks.
    rope : float or tuple of float, optional
        Region of practical equivalence, drawn as a band with its probability.
    ci_prob : float, default 0.95
        Level of the intervals, strictly between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        Differences on the x axis as proportions, shown as percentage points. The y axis is
        in units of the highest density.

    Raises
    ------
    InputError
        If the data cannot answer the question, or an option is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> old = be.Rollouts.from_counts([1] * 68 + [0] * 32, 1)
    >>> new = be.Rollouts.from_counts([1] * 60 + [0] * 8 + [1] * 15 + [0] * 17, 1)
    >>> ax = be.plot_comparison(be.compare(old, new), rope=0.02)
    >>> ax.get_xlabel()
    'difference in pass rate, new - old, percentage points'
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    as_kind(comparison, Comparison, "comparison", hint="as be.compare makes it")
    found = comparison.difference(kind, k=k, population=population)
    if isinstance(found, Unknown):
        raise InputError(f"there is no such difference to draw: {found.reason}")
    rails = _rails(comparison, found, kind, k, level)
    ax = style.get_axes(ax, height=style.HEIGHT + 0.25 * (len(rails) - 1))
    ends = [*found.quantile(np.array([0.001, 0.999])).tolist(), 0.0]
    ends += [end for _, interval, _ in rails if interval for end in interval]
    margin = 0.06 * (max(ends) - min(ends))
    left, right = max(min(ends) - margin, -1.0), min(max(ends) + margin, 1.0)
    ax.set_xlim(left, right)
    ax.set_ylim(-RAIL * (1 + len(rails)) - 0.04, HEADROOM)
    _draw_density(ax, found)
    if rope is not None:
        _draw_rope(ax, comparison, kind, k, population, rope)
    ax.axhline(0.0, color=style.INK, linewidth=0.6)
    ax.plot([0.0, 0.0], [ax.get_ylim()[0], 1.06], color=style.THRESHOLD, lw=1.2, ls="--")
    _label_sides(ax, comparison, found)
    for at, (text, interval, color) in enumerate(rails):
        _draw_rail(ax, at, text, interval, color, found.mean if at == 0 else None)
    _dress(ax, comparison, found)
    return ax


def _rails(
    comparison: Comparison, found: Posterior, kind: Kind, k: int | None, level: float
) -> list[Rail]:
    """The credible interval, and the usual one beside it."""
    lower, upper = found.eti(level)
    limits = format_value((lower, upper), "points")
    head = f"mean {format_value(found.mean, 'points')}, {100 * level:g} % CrI {limits}"
    rails: list[Rail] = [(head, (lower, upper), style.POSTERIOR)]
    name, beside = "Newcombe, paired", comparison.newcombe(ci_prob=level)
    if kind != "pass_rate" or isinstance(beside, Unknown):
        boot = comparison.bootstrap(kind, k=k, ci_prob=level)
        agree = "all tasks agree: Wilson on tasks"
        name, beside = agree if boot.fallback else "whole-task paired bootstrap", boot.interval
    if isinstance(beside, Unknown):
        return [*rails, (f"{name}: UNKNOWN, {beside.reason}", None, style.BASELINE)]
    limits = format_value((beside.lower, beside.upper), "points")
    text = f"{name}, {100 * level:g} % CI {limits}"
    return [*rails, (text, (beside.lower, beside.upper), style.BASELINE)]


def _draw_density(ax: Axes, found: Posterior) -> None:
    left, right = ax.get_xlim()
    inside = 1e-6 * (right - left)
    x = np.sort(np.append(np.linspace(left + inside, right - inside, 801), 0.0))
    density = np.asarray(found.pdf(x), dtype=float)
    height = np.minimum(density / max(float(density.max()), 1e-300), 1.0)
    ax.plot(x, height, color=style.POSTERIOR, linewidth=1.6)
    for part, color in ((x >= 0, style.PASS), (x <= 0, style.FAIL)):
        ax.fill_between(x[part], 0.0, height[part], color=color, alpha=0.45, linewidth=0)


def _draw_rope(
    ax: Axes,
    comparison: Comparison,
    kind: Kind,
    k: int | None,
    population: Population,
    rope: float | tuple[float, float],
) -> None:
    from bayeseval.comparison._questions import as_rope

    low, high = as_rope(rope)
    equal = comparison.prob_equal(rope, kind=kind, k=k, population=population)
    assert not isinstance(equal, Unknown)
    left, right = ax.get_xlim()
    shown = (max(low, left), min(high, right))
    ax.fill_between(
        list(shown), 0.0, 1.06, facecolor="none", edgecolor=style.QUIET, hatch="//", alpha=0.35,
        linewidth=0, zorder=0,
    )  # fmt: skip
    region = format_value((low, high), "points")
    ax.text(
        0.5, 0.885, f"practically equal, {region}: {format_probability(equal)}",
        transform=ax.transAxes, ha="center", va="bottom", fontsize=style.SMALL,
        color=style.QUIET, parse_math=False, in_layout=False,
    )  # fmt: skip


def _label_sides(ax: Axes, comparison: Comparison, found: Posterior) -> None:
    for x, align, name, chance, color in (
        (0.0, "left", comparison.old, found.prob_below(0.0), style.FAIL),
        (1.0, "right", comparison.new, found.prob_above(0.0), style.PASS),
    ):
        ax.text(
            x, 0.985, f"Pr[{_short(name)} better] = {format_probability(chance)}",
            transform=ax.transAxes, ha=align, va="top", fontsize=style.TEXT, fontweight="bold",
            color=color, parse_math=False, in_layout=False,
        )  # fmt: skip


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _draw_rail(
    ax: Axes,
    at: int,
    text: str,
    interval: tuple[float, float] | None,
    color: str,
    dot: float | None,
) -> None:
    left, right = ax.get_xlim()
    y = -RAIL * (at + 0.78)
    options: dict[str, Any] = {"markersize": 6, "markeredgewidth": 1.2, "solid_capstyle": "butt"}
    if interval is not None:
        ax.plot(
            list(interval), [y, y], color=color, marker="|", linewidth=1.4 if dot is None else 3.2,
            label=text, **options,
        )  # fmt: skip
    if dot is not None:
        ax.plot([dot], [y], "o", color="white", markeredgecolor=color, markersize=5.5)
    ax.text(
        left + 0.01 * (right - left), y + 0.28 * RAIL, text, ha="left", va="bottom",
        fontsize=style.SMALL, color=color, parse_math=False, in_layout=False, zorder=4,
        bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _dress(ax: Axes, comparison: Comparison, found: Posterior) -> None:
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])
    style.percent_axis(ax, "x", signed=True)
    names = f"{_short(comparison.new)} - {_short(comparison.old)}"
    ax.set_xlabel(f"{found.about.quantity}, {names}, percentage points")
    moved = comparison.moved()
    n = comparison.n_tasks
    parts = [
        f"n = {n:,} task{'' if n == 1 else 's'}",
        f"{moved.n_regressed:,} regressed, {moved.n_improved:,} improved",
        f"engine: {comparison.engine}",
    ]
    if found.extrapolated:
        parts.append("beyond the data: rests on the model")
    style.heading(ax, found.title, ["; ".join(parts), *comparison.notes])
