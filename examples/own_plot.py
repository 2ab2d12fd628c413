"""A plot of your own that looks like those of the package: the posterior as odds on a bar.

It takes what it shows, options by keyword only and `ax=`, and returns the Axes. `get_axes` dresses
them, `heading` writes the title and what a reader must know, and colours go by role.
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import bayeseval as be
from bayeseval.plots import _style as style

FILE = Path(__file__).with_name("sqlagent.csv")


def plot_chance_by_bar(fit: be.Fit, *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw Pr[pass rate > bar] against the bar, and the highest bar that the fit supports."""
    rate = fit.pass_rate()
    ax = style.get_axes(ax)
    bars = np.linspace(0, 1, 101)
    ax.plot(bars, [rate.prob_above(bar) for bar in bars], color=style.POSTERIOR)
    highest = float(rate.quantile(1 - confidence))
    ax.plot([highest, highest, 0], [0, confidence, confidence], "--", color=style.THRESHOLD)
    style.percent_axis(ax, "x")
    ax.set_xlabel("bar")
    ax.set_ylabel("Pr[pass rate > bar]")
    line = f"supported at {confidence:.0%}: bars up to {highest:.1%}"
    style.heading(ax, "Which bar is cleared?", [style.suite_line(fit.rollouts), line])
    return ax


def main(target: Path | None = None) -> Axes:
    ax = plot_chance_by_bar(be.fit(be.read(FILE), engine="exact"))
    print(ax.texts[0].get_text())
    if target is not None:
        ax.figure.savefig(target)
    return ax


if __name__ == "__main__":
    main(Path("chance_by_bar.png"))
