"""Posterior distributions: one set of questions, whatever made the answer."""

from bayeseval.posterior._base import About, Posterior, logit
from bayeseval.posterior._discrete import DiscretePosterior
from bayeseval.posterior._draws import DrawsPosterior
from bayeseval.posterior._lattice import MeanPosterior
from bayeseval.posterior._mean import dirichlet_mean, weighted_mean
from bayeseval.posterior._minimum import MinimumPosterior
from bayeseval.posterior._mixture import BetaMixture, log_beta_tail
from bayeseval.posterior._panels import GridPosterior
from bayeseval.posterior._scaled import ScaledPosterior, scaled
from bayeseval.posterior._table import TablePosterior

__all__ = [
    "About",
    "BetaMixture",
    "DiscretePosterior",
    "DrawsPosterior",
    "GridPosterior",
    "MeanPosterior",
    "MinimumPosterior",
    "Posterior",
    "ScaledPosterior",
    "TablePosterior",
    "dirichlet_mean",
    "log_beta_tail",
    "logit",
    "scaled",
    "weighted_mean",
]
