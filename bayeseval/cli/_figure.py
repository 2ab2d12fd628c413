"""The figure of ``bayeseval fit --plot``: four panels that answer a reader's questions."""

from __future__ import annotations

from pathlib import Path

from bayeseval.hierarchical import Fit
from bayeseval.plots import plot_pass_curve, plot_posterior, plot_predictive, plot_tasks

__all__ = ["write_figure"]


def write_figure(
    fit: Fit, path: Path, *, threshold: float | None, ci_prob: float, seed: int
) -> None:
    """Draw the posterior, the pass curve, the tasks and the predictive check.

    Parameters
    ----------
    fit : Fit
        What is shown.
    path : Path
        The file; its suffix decides the format.
    threshold : float or None
        The bar to shade, 0-1.
    ci_prob : float
        Level of all intervals.
    seed : int
        Seed of the bootstrap rail.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 9.5))
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.15)
    axes = figure.subplots(2, 2)
    plot_posterior(
        fit.pass_rate(),
        threshold=threshold,
        ci_prob=ci_prob,
        rollouts=fit.rollouts,
        rng=seed,
        ax=axes[0, 0],
    )
    plot_pass_curve(fit, ci_prob=ci_prob, ax=axes[0, 1])
    plot_tasks(fit, ci_prob=ci_prob, ax=axes[1, 0])
    plot_predictive(fit, ci_prob=ci_prob, ax=axes[1, 1])
    # Neither the time nor random ids: the same fit gives the same file.
    dateless = {".svg": "Date", ".pdf": "CreationDate"}.get(path.suffix.lower())
    with mpl.rc_context({"svg.hashsalt": "bayeseval"}):
        figure.savefig(path, dpi=160, metadata={dateless: None} if dateless else None)
