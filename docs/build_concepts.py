"""Draw the pictures of docs/concepts.md.

    python docs/build_concepts.py

Each function below that begins with ``draw_`` makes docs/images/concepts/NAME.png from exact
fits and suites that are written out here, so that every run draws the same.
"""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import bayeseval as be
from bayeseval.plots import _style as style

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "images" / "concepts"

# A row of `densities`: what it is, two lines about it, and its posterior.
Row = tuple[str, str, be.Posterior]


def draw_estimand() -> Figure:
    """Three quantities of one suite, each with the interval that belongs to it."""
    fit = be.fit(be.read(ROOT / "examples" / "sqlagent.csv"), engine="exact")
    rows = (
        ("pass rate", "one attempt at a new task passes", fit.pass_rate()),
        ("pass@3", "one of three attempts passes", fit.pass_at_k(3)),
        ("pass^3", "all three attempts pass", fit.pass_hat_k(3)),
    )
    return densities(rows, (0.25, 0.95), "one suite, 50 tasks x 4 rollouts; new tasks")


def draw_clusters() -> Figure:
    """Three suites with the same number of passes, whose tasks differ not, much, and entirely."""
    suites = (
        ("Every task equally hard", [4] * 2 + [3] * 7 + [2] * 8 + [1] * 3),
        ("Tasks differ", [4] * 8 + [3] * 3 + [2] * 2 + [1] * 3 + [0] * 4),
        ("Always, or never", [4] * 12 + [0] * 8),
    )
    rng = np.random.default_rng(3)
    figure, panels = plt.subplots(1, 3, figsize=(6.4, 4.0), layout="constrained", facecolor="white")
    for ax, (name, passes) in zip(panels, suites, strict=True):
        cells = np.arange(4) < np.array(passes)[:, None]
        for y, row in enumerate(rng.permuted(cells, axis=1)):
            colours = np.where(row, style.POSTERIOR, style.OBSERVED)
            ax.barh([y] * 4, 0.9, left=np.arange(4) + 0.05, height=0.82, color=colours)
        ax.set_xlim(0, 4)
        ax.set_ylim(len(passes) - 0.4, -0.6)
        ax.set_xticks(np.arange(4) + 0.5, ["1", "2", "3", "4"])
        ax.set_yticks([])
        bare(ax)
        ax.tick_params(length=0)
        fit = be.fit(be.Rollouts.from_counts(passes, 4), engine="exact")
        lower, upper = fit.pass_rate().eti()
        ax.set_title(name, fontsize=style.TEXT + 1, fontweight="bold", color=style.INK, loc="left")
        ax.set_xlabel(
            f"ICC about {fit.icc().median:.2f}\n95 % CrI {100 * lower:.0f}-{100 * upper:.0f} %",
            fontsize=style.TEXT,
            color=style.INK,
        )
    panels[0].set_ylabel("20 tasks", fontsize=style.TEXT, color=style.QUIET)
    figure.suptitle(
        "48 of 80 rollouts passed (blue), in each suite; 4 rollouts of each task",
        fontsize=style.TEXT,
        color=style.QUIET,
        x=0.01,
        ha="left",
    )
    return figure


def draw_passk() -> Figure:
    """pass@k and pass^k by attempts, for the first and the last suite of `draw_clusters`."""
    suites = (
        ("Tasks hardly differ", [4] * 2 + [3] * 7 + [2] * 8 + [1] * 3),
        ("Always, or never", [4] * 12 + [0] * 8),
    )
    figure, panels = plt.subplots(
        1, 2, figsize=(6.4, 3.0), layout="constrained", facecolor="white", sharey=True
    )
    k = np.arange(1, 5)
    for ax, (name, passes) in zip(panels, suites, strict=True):
        fit = be.fit(be.Rollouts.from_counts(passes, 4), engine="exact")
        for ask, colour, label, up in (
            (fit.pass_at_k, style.AT_LEAST_ONE, "pass@k: one of k passes", 1),
            (fit.pass_hat_k, style.POSTERIOR, "pass^k: all k pass", -1),
        ):
            answers = [ask(int(each)) for each in k]
            ends = np.array([answer.eti() for answer in answers])
            ax.fill_between(k, ends[:, 0], ends[:, 1], color=colour, alpha=0.18, linewidth=0)
            means = [answer.mean for answer in answers]
            ax.plot(k, means, "o-", color=colour, linewidth=1.6, markersize=4)
            if ax is panels[0]:
                ax.annotate(
                    label,
                    (k[-1], means[-1]),
                    (0, 12 * up - 4),
                    textcoords="offset points",
                    ha="right",
                    fontsize=style.SMALL,
                    color=style.INK,
                )
        ax.set_title(name, fontsize=style.TEXT + 1, fontweight="bold", color=style.INK, loc="left")
        ax.set_xlabel("attempts, k", fontsize=style.TEXT, color=style.INK)
        ax.set_xticks(k)
        ax.set_ylim(0, 1.08)
        ax.tick_params(colors=style.INK, labelsize=style.TEXT)
        style.percent_axis(ax, "y")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    return figure


def draw_errored() -> Figure:
    """A suite with lost rollouts: left out, all failed, all passed."""
    lossy = be.Rollouts.from_counts(
        [4, 4, 4, 4, 3, 3, 2, 2, 1, 0, 3, 3, 2, 1, 3, 2, 2, 1, 0],
        [4] * 10 + [3] * 5 + [2] * 4,
        errored=[0] * 10 + [1] * 5 + [2] * 4,
    )
    found = be.errored_sensitivity(lossy, odds_ratios=(0, 1, np.inf), rng=1)
    rows = (
        ("all had failed", "the lower bound", found[0].pass_rate()),
        ("left out", "what is reported", be.fit(lossy, engine="exact").pass_rate()),
        ("all had passed", "the upper bound", found[np.inf].pass_rate()),
    )
    lost = "19 tasks x 4 rollouts, of which 13 crashed; pass rate on new tasks"
    return densities(rows, (0.25, 0.98), lost)


def draw_weights() -> Figure:
    """Two slices, the suite's mix of them, and that of production."""
    suite = be.Rollouts.from_counts(
        [1] * 120 + [0] * 80 + [1] * 95 + [0] * 5,
        1,
        factors={"slice": ["joins"] * 200 + ["lookups"] * 100},
    )
    fit = be.fit(suite, by="slice", pooling="none")
    rows = (
        ("joins", "hard; two tasks of three", fit.pass_rate(weights={"joins": 1, "lookups": 0})),
        ("lookups", "easy; one task of three", fit.pass_rate(weights={"joins": 0, "lookups": 1})),
        ("the suite's mix", "for nobody's users", fit.pass_rate()),
        (
            "production's mix",
            "four queries of five are lookups",
            fit.pass_rate(weights={"joins": 0.2, "lookups": 0.8}),
        ),
    )
    return densities(rows, (0.35, 1.0), "pass rate on new tasks, 300 tasks", quiet=2)


def draw_priors() -> Figure:
    """The same share of passes in a small and in a large suite, under three priors."""
    priors = (
        ("uniform", "uniform", style.POSTERIOR, "-"),
        ("Jeffreys", "jeffreys", style.AT_LEAST_ONE, "--"),
        ("sceptical, Beta(1, 3)", (1, 3), style.INK, ":"),
    )
    figure, panels = plt.subplots(
        1, 2, figsize=(6.4, 2.8), layout="constrained", facecolor="white", sharex=True
    )
    x = np.linspace(0.5, 0.9999, 800)
    for ax, (passes, trials) in zip(panels, ((11, 12), (220, 240)), strict=True):
        for label, prior, colour, line in priors:
            posterior = be.beta_posterior(passes, trials, prior=prior)
            chance = posterior.prob_above(0.85)
            ax.plot(
                x,
                posterior.pdf(x),
                line,
                color=colour,
                linewidth=1.7,
                label=f"{label}: Pr[p > 85 %] = {chance:.3f}",
            )
        ax.axvline(0.85, ymax=0.66, color=style.THRESHOLD, linewidth=0.8)
        ax.set_title(
            f"{passes} of {trials} tasks passed",
            fontsize=style.TEXT + 1,
            fontweight="bold",
            color=style.INK,
            loc="left",
        )
        ax.set_ylim(0, 1.5 * ax.get_ylim()[1])
        ax.set_yticks([])
        bare(ax)
        style.percent_axis(ax, "x")
        ax.legend(loc="upper left", frameon=False, fontsize=style.SMALL, borderaxespad=0.1)
        ax.set_xlabel("pass rate; line: the bar", fontsize=style.TEXT, color=style.INK)
    return figure


def densities(
    rows: Sequence[Row], limits: tuple[float, float], label: str, *, quiet: int = 0
) -> Figure:
    """One row for each posterior, on one axis; the first `quiet` of them in grey."""
    figure, panels = plt.subplots(
        len(rows),
        1,
        figsize=(6.4, 1.15 * len(rows) + 0.35),
        sharex=True,
        layout="constrained",
        facecolor="white",
    )
    x = np.linspace(limits[0], min(limits[1], 0.9999), 1201)
    for at, (ax, (name, line, posterior)) in enumerate(zip(panels, rows, strict=True)):
        colour = style.QUIET if at < quiet else style.POSTERIOR
        density = posterior.pdf(x)
        top = float(np.max(density))
        ax.fill_between(x, density, color=colour, alpha=0.25, linewidth=0)
        ax.plot(x, density, color=colour, linewidth=1.4)
        lower, upper = posterior.eti()
        ax.plot([lower, upper], [-0.09 * top] * 2, color=style.INK, linewidth=2.2)
        ax.set_ylim(-0.17 * top, 1.02 * top)
        ax.set_xlim(limits)
        ax.set_yticks([])
        bare(ax)
        share = f"{100 * posterior.mean:.0f} % ({100 * lower:.0f}-{100 * upper:.0f} %)"
        for y, text, size, ink, weight in (
            (0.95, name, style.TEXT + 1, style.INK, "bold"),
            (0.68, line, style.SMALL, style.QUIET, "normal"),
            (0.45, share, style.SMALL, style.QUIET, "normal"),
        ):
            ax.text(
                0.0,
                y,
                text,
                transform=ax.transAxes,
                fontsize=size,
                color=ink,
                weight=weight,
                va="top",
                parse_math=False,
            )
        if ax is not panels[-1]:
            ax.tick_params(labelbottom=False)
    style.percent_axis(panels[-1], "x")
    panels[-1].set_xlabel(label, fontsize=style.TEXT, color=style.INK)
    return figure


def bare(ax: Axes) -> None:
    """Leave only the axis at the bottom."""
    for name, spine in ax.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(style.INK)
    ax.tick_params(colors=style.INK, labelsize=style.TEXT)


DRAWN: dict[str, Callable[[], Figure]] = {
    "estimand": draw_estimand,
    "clusters": draw_clusters,
    "passk": draw_passk,
    "errored": draw_errored,
    "weights": draw_weights,
    "priors": draw_priors,
}


def main() -> None:
    from PIL import Image

    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWN.items():
        figure = draw()
        file = io.BytesIO()
        figure.savefig(file, dpi=140, format="png")
        plt.close(figure)
        picture: Any = Image.open(file).convert("RGB").quantize(64)
        picture.save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
