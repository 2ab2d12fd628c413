"""The figure of docs/evidence.md on speed: time against tasks, one line a method."""

from pathlib import Path
from typing import Any

from bayeseval.plots import _style as style
from benchmarks.peers.suites import SIZE_NAMES, SIZES

Results = dict[str, Any]

# Colour and marker of each method, and its short name at the end of its line.
LOOKS = {
    "exact": (style.POSTERIOR, "o", "bayeseval, exact"),
    "nuts": (style.POSTERIOR, "s", "bayeseval, NUTS"),
    "evalstats": ("#009E73", "D", "evalstats"),
    "scorio": ("#B5548B", "^", "scorio"),
    "multivon": (style.AT_LEAST_ONE, "v", "multivon-eval"),
    "pymc": (style.FAIL, "P", "PyMC, explicit rates"),
    "numpyro": (style.QUIET, "X", "NumPyro, logit-normal"),
}
# Names closer than this factor are moved apart.
APART = 1.9


def draw(results: Results) -> Any:
    """Return the figure."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.2, 4.4), layout="constrained", facecolor="white")
    ends = []
    for key, found in results["times"].items():
        colour, marker, name = LOOKS[key]
        done = [
            (size[0], found[of]["seconds"])
            for size, of in zip(SIZES, SIZE_NAMES, strict=True)
            if "seconds" in found[of]
        ]
        ax.plot(
            *zip(*done, strict=True), color=colour, marker=marker, markersize=5, linewidth=1.6,
            clip_on=False, zorder=3,
        )  # fmt: skip
        stopped = len(done) < len(SIZES)
        if stopped:
            # Where it would have gone at least.
            tasks = SIZES[len(done)][0]
            ax.plot(
                [done[-1][0], tasks], [done[-1][1], results["limit"]],
                color=colour, linewidth=1.2, linestyle=(0, (1, 2)), zorder=2,
            )  # fmt: skip
            ax.plot(tasks, results["limit"], marker=marker, color="white", markersize=5,
                    markeredgecolor=colour, zorder=3)  # fmt: skip
        ends.append((done[-1], name, colour, stopped))
    ax.set(xscale="log", yscale="log", xlim=(38, 1e6))
    ax.axhline(results["limit"], color=style.QUIET, linewidth=0.8, zorder=1)
    ax.text(
        40, results["limit"] * 1.12, f"stopped after {results['limit']} s", color=style.QUIET,
        fontsize=style.SMALL, va="bottom",
    )  # fmt: skip
    _name_lines(ax, ends)
    ax.set_xticks([size[0] for size in SIZES], [name.replace(" x ", " × ") for name in SIZE_NAMES])
    ax.minorticks_off()
    ax.set_yticks([1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100],
                  ["0.1 ms", "1 ms", "10 ms", "0.1 s", "1 s", "10 s", "100 s"])  # fmt: skip
    low = min(cell["seconds"] for found in results["times"].values() for cell in found.values()
              if "seconds" in cell)  # fmt: skip
    ax.set_ylim(low / 2, results["limit"] * 2.2)
    ax.grid(axis="y", color="#E6E6E6", linewidth=0.6)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(style.INK)
    ax.tick_params(colors=style.INK, labelsize=style.SMALL)
    ax.set_xlabel("tasks × rollouts", fontsize=style.TEXT, color=style.INK)
    ax.set_title("Time to a 95 % interval", loc="left", fontsize=style.TITLE, color=style.INK)
    return figure


def _name_lines(ax: Any, ends: list[tuple[tuple[int, float], str, str, bool]]) -> None:
    """Names at the ends of the lines; those that end at the right are moved apart."""
    place = 0.0
    for (tasks, seconds), name, colour, stopped in sorted(ends, key=lambda end: end[0][1]):
        if stopped:
            ax.annotate(
                name, (tasks, seconds), xytext=(7, -4), textcoords="offset points", color=colour,
                fontsize=style.SMALL, va="top",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )  # fmt: skip
            continue
        place = max(seconds, place * APART)
        ax.annotate(
            name, (tasks, place), xytext=(9, 0), textcoords="offset points", color=colour,
            fontsize=style.SMALL, va="center", annotation_clip=False,
        )  # fmt: skip


def keep(results: Results, path: Path) -> None:
    """Draw, and save the same bytes for the same results."""
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": "peers"}):
        figure = draw(results)
        figure.savefig(path, facecolor="white", metadata={"Date": None})
    plt.close(figure)
