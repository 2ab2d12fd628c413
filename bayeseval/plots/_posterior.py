"""plot_posterior: density, interval, bar with its tail mass, baselines beneath."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_probability, format_value
from bayeseval._interval import Interval
from bayeseval._validate import Seed, as_probability, shown
from bayeseval.baselines import Baseline, cluster_bootstrap, interval
from bayeseval.errors import InputError
from bayeseval.plots import _style as style
from bayeseval.posterior import DiscretePosterior, Posterior
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_posterior"]

Array = npt.NDArray[np.float64]

# Beyond this many values a discrete posterior is drawn as one outline, not as bars.
MOST_BARS = 80
# Heights in units of the highest density: a rail with its label, and room for the bar's.
RAIL = 0.2
HEADROOM = 1.16

METHOD_NAMES = {
    "wilson": "Wilson",
    "wilson_cc": "Wilson, continuity-corrected",
    "wald": "Wald",
    "agresti_coull": "Agresti-Coull",
    "clopper_pearson": "Clopper-Pearson",
    "mid_p": "Mid-P",
    "jeffreys": "Jeffreys",
    "bootstrap": "Whole-task bootstrap",
    "cluster_normal": "Clustered standard error (CR1)",
}


def plot_posterior(
    posterior: Posterior,
    *,
    threshold: float | None = None,
    ci_prob: float = 0.95,
    rollouts: Rollouts | None = None,
    baselines: Iterable[Baseline | Interval] | None = None,
    rng: Seed = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw a posterior with its interval, a bar to clear, and the baselines beneath it.

    Parameters
    ----------
    posterior : Posterior
        Of any kind: closed, integrated, draws, a difference, or a discrete prediction.
    threshold : float, optional
        The bar, in the unit of the quantity (a rate 0-1, a difference -1 to 1). The
        mass above it is shaded and its probability printed.
    ci_prob : float, default 0.95
        Level of the equal-tailed interval and of the baselines from `rollouts`.
    rollouts : Rollouts, optional
        The suite whose whole-task bootstrap and Wilson intervals are drawn as rails.
        Wilson is on tasks where each has one rollout; else it is on pooled rollouts
        and marked as unsound. For pass^k and pass@k only the bootstrap has an interval.
    baselines : iterable of Baseline or Interval, optional
        Instead of `rollouts`: the intervals to draw, such as ``be.interval(194, 200)``.
    rng : int, numpy.random.Generator or None, default 0
        Seed or generator of the bootstrap. The default gives the same figure each time.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib.axes.Axes
        Values on the x axis are proportions, shown as per cent (or as percentage
        points for a difference). The y axis is in units of the highest density.

    Raises
    ------
    InputError
        If the threshold lies outside the support, if `rollouts` and `baselines` are
        both given, or if `rollouts` has no baseline for the quantity.

    Notes
    -----
    A density that rises without bound at an edge is cut off at the top of the figure.

    Examples
    --------
    >>> import bayeseval as be
    >>> posterior = be.beta_posterior(194, 200)
    >>> ax = be.plot_posterior(posterior, threshold=0.95, baselines=[be.interval(194, 200)])
    >>> [text.get_text() for text in ax.texts if "Pr" in text.get_text()]
    ['Pr[pass rate > 0.95] = 0.879']
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    if not isinstance(posterior, Posterior):
        raise InputError(f"posterior must be a Posterior; got {shown(posterior)}")
    if rollouts is not None and baselines is not None:
        raise InputError("give either rollouts or baselines, not both")
    tail = None if threshold is None else posterior.prob_above(threshold)
    if rollouts is not None:
        rows = _suite_baselines(posterior, rollouts, level, rng)
    else:
        rows = [_as_row(each) for each in baselines or ()]

    credible = posterior.eti(level)
    left, right = _view(posterior, credible, threshold, [found for _, found, _ in rows])
    ax = style.get_axes(ax, height=style.HEIGHT + 0.25 * max(len(rows) - 1, 0))
    depth = RAIL * (1 + len(rows)) + 0.04
    ax.set_xlim(left, right)
    ax.set_ylim(-depth, HEADROOM if threshold is None else HEADROOM + 0.08)

    if isinstance(posterior, DiscretePosterior):
        _draw_masses(ax, posterior, threshold)
    else:
        _draw_density(ax, posterior, threshold)
    ax.axhline(0.0, color=style.INK, linewidth=0.6)
    if threshold is not None and tail is not None:
        _draw_bar(ax, posterior, threshold, tail)
    unit = posterior.about.unit
    numbers = format_value((credible.lower, credible.upper), unit)
    label = f"{100 * level:g} % CrI {numbers} (equal-tailed)"
    middle = f"mean {format_value(posterior.mean, unit)}, "
    _draw_rail(ax, 0, credible, middle + label, color=style.POSTERIOR, dot=posterior.mean)
    for at, (name, found, sound) in enumerate(rows, start=1):
        _draw_rail(ax, at, found, _rail_label(name, found, unit), sound=sound)
    _dress(ax, posterior)
    return ax


# -- what to draw -----------------------------------------------------------------

Row = tuple[str, Interval | Unknown, bool]


def _as_row(baseline: Baseline | Interval) -> Row:
    if isinstance(baseline, Baseline):
        return baseline.name, baseline.interval, baseline.sound
    if isinstance(baseline, Interval):
        return METHOD_NAMES.get(baseline.kind, baseline.kind), baseline, True
    raise InputError(f"baselines must hold Baseline or Interval objects; got {shown(baseline)}")


def _suite_baselines(
    posterior: Posterior, rollouts: Rollouts, ci_prob: float, rng: Seed
) -> list[Row]:
    """Whole-task bootstrap of the quantity, and Wilson where it has one."""
    quantity = posterior.about.quantity
    if quantity == "pass rate":
        found = cluster_bootstrap(rollouts, ci_prob=ci_prob, rng=rng)
        one_each = rollouts.n_rollouts == rollouts.n_scored_tasks
        wilson = interval(int(rollouts.passes.sum()), rollouts.n_rollouts, ci_prob=ci_prob)
        name = "Wilson on tasks" if one_each else "Wilson on pooled rollouts"
        rows: list[Row] = [(name, wilson, one_each)]
    elif of_k := re.fullmatch(r"pass([@^])(\d+)", quantity):
        found = cluster_bootstrap(
            rollouts,
            statistic="pass_at_k" if of_k[1] == "@" else "pass_hat_k",
            k=int(of_k[2]),
            ci_prob=ci_prob,
            rng=rng,
        )
        rows = []
    else:
        raise InputError(
            "rollouts gives baselines for the pass rate, pass@k and pass^k only; the posterior "
            f"is of {quantity!r}: give baselines= instead"
        )
    fallback = " (all tasks agree: Wilson on tasks)" if found.fallback else ""
    return [("Whole-task bootstrap" + fallback, found.interval, True), *rows]


def _rail_label(name: str, found: Interval | Unknown, unit: Any) -> str:
    if isinstance(found, Unknown):
        return f"{name}: UNKNOWN, {found.reason}"
    numbers = format_value((found.lower, found.upper), unit)
    return f"{name}, {100 * found.ci_prob:g} % CI {numbers}"


def _view(
    posterior: Posterior,
    credible: Interval,
    threshold: float | None,
    baselines: list[Interval | Unknown],
) -> tuple[float, float]:
    """Limits of the x axis: nearly all of the mass, the bar and every interval."""
    low, high = posterior.support
    ends = [*posterior.quantile(np.array([0.001, 0.999])).tolist(), *credible]
    ends += [] if threshold is None else [float(threshold)]
    for found in baselines:
        ends += [] if isinstance(found, Unknown) else list(found)
    margin = max(0.04 * (max(ends) - min(ends)), 1e-4 * (high - low))
    if isinstance(posterior, DiscretePosterior):
        # Room for the outer halves of the bars.
        half = 0.6 * _spacing(posterior)
        margin, low, high = margin + half, low - half, high + half
    return max(min(ends) - margin, low), min(max(ends) + margin, high)


def _spacing(posterior: DiscretePosterior) -> float:
    low, high = posterior.support
    return float(np.diff(posterior.values).min(initial=high - low))


# -- drawing ----------------------------------------------------------------------


def _draw_density(ax: Axes, posterior: Posterior, threshold: float | None) -> None:
    left, right = ax.get_xlim()
    inside = 1e-6 * (right - left)  # a density may be infinite, or undefined, at an edge
    x = np.linspace(left + inside, right - inside, 801)
    if threshold is not None:
        x = np.sort(np.append(x, np.clip(threshold, x[0], x[-1])))
    density = np.asarray(posterior.pdf(x), dtype=float)
    lower, upper = posterior.quantile(np.array([0.1, 0.9]))
    # A hump is about 1 / (that range) high; what is much higher is a spike at an edge.
    highest = min(float(density.max()), 4.0 / max(float(upper - lower), 1e-300))
    height = np.minimum(density / highest, 2.0)
    ax.plot(x, height, color=style.POSTERIOR, linewidth=1.6, label="posterior density")
    ax.fill_between(x, 0.0, height, color=style.POSTERIOR, alpha=0.16, linewidth=0)
    if threshold is not None:
        above = x >= threshold
        ax.fill_between(
            x[above], 0.0, height[above], color=style.PASS, alpha=0.55, linewidth=0, label="tail"
        )


def _draw_masses(ax: Axes, posterior: DiscretePosterior, threshold: float | None) -> None:
    left, right = ax.get_xlim()
    shown = (posterior.values >= left) & (posterior.values <= right)
    values, height = posterior.values[shown], posterior.probabilities[shown]
    height = height / height.max()
    above = values > (np.inf if threshold is None else threshold)
    width = _spacing(posterior)
    for part, color, alpha in ((~above, style.POSTERIOR, 0.3), (above, style.PASS, 0.55)):
        if values.size <= MOST_BARS:
            ax.bar(values[part], height[part], 0.75 * width, color=color, alpha=alpha, linewidth=0)
        else:
            ax.fill_between(
                values,
                0.0,
                np.where(part, height, 0.0),
                color=color,
                alpha=alpha,
                linewidth=0,
                step="mid",
            )


def _draw_bar(ax: Axes, posterior: Posterior, threshold: float, tail: float) -> None:
    left, right = ax.get_xlim()
    unit = posterior.about.unit
    at = f"{threshold:g}"
    if unit == "points" and threshold:
        at = f"{100 * threshold:+g} points"
    text = f"Pr[{posterior.about.quantity} > {at}] = {format_probability(tail)}"
    if error := posterior.mcse_prob_above(threshold):
        text += f" (MCSE {error:.1g})"
    bottom, top = ax.get_ylim()
    ax.plot([threshold] * 2, [bottom, 1.07], color=style.THRESHOLD, linewidth=1.2, linestyle="--")
    ax.text(
        threshold,
        0.5 * (top + 1.07),
        text,
        ha=style.side(threshold, left, right),
        va="center",
        fontsize=style.TEXT,
        fontweight="bold",
        color=style.INK,
        parse_math=False,
        in_layout=False,
    )


def _draw_rail(
    ax: Axes,
    at: int,
    found: Interval | Unknown,
    text: str,
    *,
    color: str = style.BASELINE,
    sound: bool = True,
    dot: float | None = None,
) -> None:
    """One interval under the density, with its numbers written above it."""
    left, right = ax.get_xlim()
    y = -RAIL * (at + 0.78)
    align, x = "left", left + 0.01 * (right - left)
    if not isinstance(found, Unknown):
        lower, upper = found
        ends = {"left": lower, "center": 0.5 * (lower + upper), "right": upper}
        align = style.side(ends["center"], left, right)
        x = ends[align]
        ax.plot(
            [lower, upper],
            [y, y],
            color=color,
            linewidth=1.4 if dot is None else 3.2,
            linestyle="-" if sound else (0, (2.5, 1.5)),
            marker="|",
            markersize=6,
            markeredgewidth=1.2,
            solid_capstyle="butt",
            label=text,
        )
    if dot is not None:
        ax.plot([dot], [y], "o", color="white", markeredgecolor=color, markersize=5.5)
    ax.text(
        x,
        y + 0.28 * RAIL,
        text if sound else f"{text} (unsound: do not use)",
        ha=align,
        va="bottom",
        fontsize=style.SMALL,
        color=color,
        parse_math=False,
        in_layout=False,  # lies inside the axes, whatever their size in the end
        zorder=4,
        # Over the bar's line, which would strike the numbers through.
        bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8},
    )


def _dress(ax: Axes, posterior: Posterior) -> None:
    about = posterior.about
    ax.spines["left"].set_visible(False)
    ax.set_yticks([])
    if about.unit == "number":
        ax.set_xlabel(about.quantity)
    elif about.unit == "points":
        style.percent_axis(ax, "x", signed=True)
        ax.set_xlabel(f"{about.quantity}, percentage points")
    else:
        style.percent_axis(ax, "x")
        ax.set_xlabel(about.quantity)
    n = about.n_tasks
    size = "" if n is None else f"n = {n:,} task{'' if n == 1 else 's'}"
    parts = [size, f"engine: {about.engine}"]
    if posterior.extrapolated:
        parts.append("beyond the data: rests on the model")
    style.heading(ax, posterior.title, ["; ".join(part for part in parts if part), about.note])
