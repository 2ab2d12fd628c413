"""Figures for reports: posteriors, tasks, pass@k curves, predicted counts, and more."""

from __future__ import annotations

from bayeseval.plots._comparison import plot_comparison
from bayeseval.plots._curve import plot_pass_curve
from bayeseval.plots._grid import plot_sampling_grid
from bayeseval.plots._leaderboard import plot_leaderboard
from bayeseval.plots._operating import plot_operating_characteristics
from bayeseval.plots._populations import plot_populations
from bayeseval.plots._posterior import plot_posterior
from bayeseval.plots._predictive import plot_predictive
from bayeseval.plots._sensitivity import plot_sensitivity
from bayeseval.plots._slices import plot_slices
from bayeseval.plots._tasks import plot_tasks

__all__ = [
    "plot_comparison",
    "plot_leaderboard",
    "plot_operating_characteristics",
    "plot_pass_curve",
    "plot_populations",
    "plot_posterior",
    "plot_predictive",
    "plot_sampling_grid",
    "plot_sensitivity",
    "plot_slices",
    "plot_tasks",
]
