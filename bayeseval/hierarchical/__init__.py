"""The hierarchical model of tasks and rollouts: two engines, one posterior."""

from bayeseval.hierarchical._checks import Check, Checks
from bayeseval.hierarchical._fit import Fit
from bayeseval.hierarchical._flaky import FlakyTable
from bayeseval.hierarchical._loading import load_fit
from bayeseval.hierarchical._model import build_model
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.hierarchical._sample import fit_suite
from bayeseval.hierarchical._tables import PredictedHistogram, TaskTable

__all__ = [
    "Check",
    "Checks",
    "Fit",
    "FlakyTable",
    "HierarchicalPrior",
    "PredictedHistogram",
    "TaskTable",
    "build_model",
    "fit_suite",
    "load_fit",
]
