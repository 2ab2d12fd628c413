"""How every figure looks: colours by role, sizes for print, headings, legends.

Everything is set on the artists themselves; matplotlib's global settings are read
but never changed. The colours follow Okabe and Ito (2008), so that the common kinds of
colour blindness keep them apart; where two meet in one figure, lightness, markers or
hatching keep them apart in greyscale as well.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from bayeseval._validate import shown
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AT_LEAST_ONE",
    "BASELINE",
    "ERRORED",
    "EXTRAPOLATED",
    "FAIL",
    "INK",
    "OBSERVED",
    "PASS",
    "POSTERIOR",
    "QUIET",
    "SMALL",
    "TEXT",
    "THRESHOLD",
    "check_axes",
    "get_axes",
    "heading",
    "legend_below",
    "percent_axis",
    "side",
    "size_in_points",
    "suite_line",
]

# Roles.
POSTERIOR = "#0072B2"  # what the model says; also pass^k
AT_LEAST_ONE = "#E08E0B"  # pass@k, beside pass^k
PASS = "#00523C"  # mass on the passing side of a bar
FAIL = "#D55E00"  # outside of what was predicted
ERRORED = "#8C8C8C"  # tasks without a scored rollout
BASELINE = "#595959"  # frequentist intervals
OBSERVED = "#D4D4D4"  # bars of counts
THRESHOLD = "#1A1A1A"  # the bar
EXTRAPOLATED = "#EDEDED"  # the ground of what lies beyond the data
INK = "#1A1A1A"  # text and axes
QUIET = "#595959"  # text of second rank

# Points, readable on paper at a width of 6.4 inches.
TITLE, TEXT, SMALL = 10.5, 8.5, 7.5
WIDTH, HEIGHT = 6.4, 4.0
# Axes of fewer points have their legends in one column.
NARROW = 320.0
# Mean width of a character of SMALL text, in points.
CHARACTER = 3.9


def check_axes(ax: Axes | None) -> None:
    """Refuse what cannot be drawn on."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be matplotlib Axes or None; got {shown(ax)}")


def get_axes(ax: Axes | None, *, height: float = HEIGHT) -> Axes:
    """Return `ax`, or axes of a new figure; spines, ticks and labels dressed for print."""
    check_axes(ax)
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(WIDTH, height), layout="constrained", facecolor="white")
        ax.set_facecolor("white")
    for name, spine in ax.spines.items():
        spine.set_visible(name in {"left", "bottom"})
        spine.set_color(INK)
        spine.set_linewidth(0.8)
    ax.grid(False)
    ax.tick_params(labelsize=TEXT, colors=INK, width=0.8)
    ax.xaxis.label.set(fontsize=TEXT, color=INK)
    ax.yaxis.label.set(fontsize=TEXT, color=INK)
    return ax


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes, before the layout is adjusted to labels."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    box = ax.get_window_extent()
    return 72.0 * box.width / figure.dpi, 72.0 * box.height / figure.dpi


def heading(ax: Axes, title: str, lines: Iterable[str], *, beside: int = 0) -> None:
    """Bold title at the left, and smaller lines between it and the axes.

    The lines are wrapped to the width of the axes, less `beside` characters that long
    tick labels will take from it.
    """
    wrap = max(int(size_in_points(ax)[0] / CHARACTER) - beside, 30)
    wrapped = [
        part for line in lines if line for part in textwrap.wrap(line, wrap, break_on_hyphens=False)
    ]
    if wrapped:
        ax.annotate(
            "\n".join(wrapped),
            (0.0, 1.0),
            (0.0, 5.0),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="left",
            va="bottom",
            fontsize=SMALL,
            color=QUIET,
            linespacing=1.25,
            parse_math=False,
        )
    pad = 6.0 + (4.0 + 1.25 * 1.17 * SMALL * len(wrapped) if wrapped else 0.0)
    # A sentence starts with a capital letter; pass^3 is a name and stays as it is.
    name = title if title.startswith(("pass@", "pass^")) else title[:1].upper() + title[1:]
    ax.set_title(
        name, loc="left", fontsize=TITLE, fontweight="bold", color=INK, pad=pad, parse_math=False
    )


def legend_below(
    ax: Axes,
    handles: Sequence[Any],
    labels: Sequence[str],
    ncols: int,
    *,
    align: Literal["left", "right"] = "left",
) -> None:
    """Legend under the label of the x axis, where it covers nothing."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    assert figure is not None
    below = ScaledTranslation(0.0, -33.0 / 72.0, figure.dpi_scale_trans)
    legend = ax.legend(
        handles,
        labels,
        loc="upper left" if align == "left" else "upper right",
        bbox_to_anchor=(0.0 if align == "left" else 1.0, 0.0),
        bbox_transform=ax.transAxes + below,
        ncols=ncols if size_in_points(ax)[0] >= NARROW else 1,
        frameon=False,
        fontsize=SMALL,
        borderaxespad=0.0,
        borderpad=0.0,
        columnspacing=1.6,
        handlelength=2.0,
    )
    for text in legend.get_texts():
        text.set_color(INK)


def percent_axis(ax: Axes, which: str, *, signed: bool = False) -> None:
    """Show shares as per cent, or differences as signed percentage points."""
    from matplotlib.ticker import FuncFormatter

    def tick(share: float, _: int | None) -> str:
        # Ten decimals of a per cent: more than a tick has, fewer than rounding leaves.
        number = round(100.0 * share, 10) + 0.0
        return f"{number:+.10g}" if signed and number else f"{number:.10g}" + " %" * (not signed)

    (ax.xaxis if which == "x" else ax.yaxis).set_major_formatter(FuncFormatter(tick))


def side(position: float, left: float, right: float) -> str:
    """Alignment that keeps a label of moderate length inside [left, right]."""
    share = (position - left) / (right - left)
    return "left" if share < 1 / 3 else "right" if share > 2 / 3 else "center"


def suite_line(rollouts: Rollouts) -> str:
    """Size of a suite in words, with what was left out of it."""
    n = rollouts.n_tasks
    text = f"n = {n:,} task{'' if n == 1 else 's'}"
    if rollouts.equal_trials:
        count = rollouts.max_trials
        text += f" x {count:,} rollout{'' if count == 1 else 's'}"
    else:
        text += f", {rollouts.min_trials:,} to {rollouts.max_trials:,} rollouts each"
    if lost := rollouts.ledger.errored:
        text += f"; {lost:,} errored rollout{'' if lost == 1 else 's'} left out"
    return text
