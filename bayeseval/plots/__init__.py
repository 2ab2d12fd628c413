"""Figures for reports: posteriors, tasks, pass@k curves, predicted counts."""

from __future__ import annotations

from bayeseval.plots._curve import plot_pass_curve
from bayeseval.plots._posterior import plot_posterior
from bayeseval.plots._predictive import plot_predictive
from bayeseval.plots._tasks import plot_tasks

__all__ = ["plot_pass_curve", "plot_posterior", "plot_predictive", "plot_tasks"]
