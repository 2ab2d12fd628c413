"""Frequentist baselines: intervals for one proportion, and two ways to respect tasks."""

from __future__ import annotations

from bayeseval.baselines._bootstrap import BootstrapInterval, cluster_bootstrap
from bayeseval.baselines._clustered import ClusterSummary, clustered_se, kish_n_eff
from bayeseval.baselines._proportion import interval
from bayeseval.baselines._table import Baseline, baseline_table

__all__ = [
    "Baseline",
    "BootstrapInterval",
    "ClusterSummary",
    "baseline_table",
    "cluster_bootstrap",
    "clustered_se",
    "interval",
    "kish_n_eff",
]
