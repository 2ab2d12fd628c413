"""Honest Bayesian answers from the results of AI agent evaluations.

The public names are listed here and loaded when they are first used, so that
``import bayeseval`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "BayesevalError",
    "BayesevalWarning",
    "BetaPrior",
    "CheckWarning",
    "Claim",
    "ClaimError",
    "ClaimNotSupported",
    "Comparison",
    "EstimateRecord",
    "ExpectedLoss",
    "Fit",
    "FormatError",
    "HierarchicalPrior",
    "InputError",
    "Interval",
    "Leaderboard",
    "Ledger",
    "Look",
    "MissingDependencyError",
    "MixturePrior",
    "OperatingCharacteristics",
    "Posterior",
    "Rollouts",
    "Sequential",
    "Simulation",
    "SliceTable",
    "SlicedFit",
    "Totals",
    "Unknown",
    "UnknownValueError",
    "Utility",
    "Verdict",
    "Weights",
    "beta_posterior",
    "build_comparison_model",
    "build_model",
    "build_sliced_model",
    "check_record",
    "cluster_bootstrap",
    "clustered_se",
    "compare",
    "confidence_sequence",
    "contamination",
    "difference",
    "errored_sensitivity",
    "evaluate",
    "expected_loss",
    "fit",
    "from_frame",
    "interval",
    "leaderboard",
    "load_fit",
    "load_record",
    "make_record",
    "operating_characteristics",
    "parse_claim",
    "pass_at_k",
    "pass_curve",
    "pass_hat_k",
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
    "power_scaling",
    "prior_sensitivity",
    "provenance_of",
    "read",
    "read_totals",
    "read_weights",
    "record_schema",
    "require",
    "simulate",
    "stratified_rate",
    "weighted_rate",
]

# A new public name goes into three places: this table, `__all__`, and the imports that
# type checkers read. A test compares them.
_MODULE_OF = {
    "BayesevalError": "bayeseval.errors",
    "BayesevalWarning": "bayeseval.errors",
    "CheckWarning": "bayeseval.errors",
    "FormatError": "bayeseval.errors",
    "InputError": "bayeseval.errors",
    "MissingDependencyError": "bayeseval.errors",
    "UnknownValueError": "bayeseval.errors",
    "Unknown": "bayeseval.unknown",
    "Interval": "bayeseval._interval",
    "Ledger": "bayeseval.rollouts",
    "Rollouts": "bayeseval.rollouts",
    "Totals": "bayeseval.io",
    "from_frame": "bayeseval.io",
    "read": "bayeseval.io",
    "read_totals": "bayeseval.io",
    "Posterior": "bayeseval.posterior",
    "BetaPrior": "bayeseval.conjugate",
    "MixturePrior": "bayeseval.conjugate",
    "beta_posterior": "bayeseval.conjugate",
    "difference": "bayeseval.conjugate",
    "pass_at_k": "bayeseval.passk",
    "pass_curve": "bayeseval.passk",
    "pass_hat_k": "bayeseval.passk",
    "cluster_bootstrap": "bayeseval.baselines",
    "clustered_se": "bayeseval.baselines",
    "interval": "bayeseval.baselines",
    "Fit": "bayeseval.hierarchical",
    "HierarchicalPrior": "bayeseval.hierarchical",
    "build_model": "bayeseval.hierarchical",
    "Claim": "bayeseval.claims",
    "ClaimError": "bayeseval.claims",
    "ClaimNotSupported": "bayeseval.claims",
    "Verdict": "bayeseval.claims",
    "evaluate": "bayeseval.claims",
    "parse_claim": "bayeseval.claims",
    "require": "bayeseval.claims",
    "EstimateRecord": "bayeseval.record",
    "check_record": "bayeseval.record",
    "load_record": "bayeseval.record",
    "make_record": "bayeseval.record",
    "provenance_of": "bayeseval.record",
    "record_schema": "bayeseval.record",
    "ExpectedLoss": "bayeseval.decisions",
    "Look": "bayeseval.decisions",
    "OperatingCharacteristics": "bayeseval.decisions",
    "Sequential": "bayeseval.decisions",
    "Utility": "bayeseval.decisions",
    "confidence_sequence": "bayeseval.decisions",
    "expected_loss": "bayeseval.decisions",
    "operating_characteristics": "bayeseval.decisions",
    "fit": "bayeseval.slices",
    "weighted_rate": "bayeseval.population",
    "stratified_rate": "bayeseval.population",
    "contamination": "bayeseval.population",
    "SlicedFit": "bayeseval.slices",
    "SliceTable": "bayeseval.slices",
    "build_sliced_model": "bayeseval.slices",
    "Weights": "bayeseval._weights",
    "read_weights": "bayeseval._weights",
    "load_fit": "bayeseval.hierarchical",
    "Comparison": "bayeseval.comparison",
    "Leaderboard": "bayeseval.comparison",
    "build_comparison_model": "bayeseval.comparison",
    "compare": "bayeseval.comparison",
    "leaderboard": "bayeseval.comparison",
    "errored_sensitivity": "bayeseval.sensitivity",
    "power_scaling": "bayeseval.sensitivity",
    "prior_sensitivity": "bayeseval.sensitivity",
    "Simulation": "bayeseval.simulation",
    "simulate": "bayeseval.simulation",
    "plot_operating_characteristics": "bayeseval.plots",
    "plot_comparison": "bayeseval.plots",
    "plot_leaderboard": "bayeseval.plots",
    "plot_pass_curve": "bayeseval.plots",
    "plot_populations": "bayeseval.plots",
    "plot_posterior": "bayeseval.plots",
    "plot_predictive": "bayeseval.plots",
    "plot_sampling_grid": "bayeseval.plots",
    "plot_sensitivity": "bayeseval.plots",
    "plot_slices": "bayeseval.plots",
    "plot_tasks": "bayeseval.plots",
}

# Public modules: attributes of the package that are loaded when they are first used.
_MODULES = ("plan",)

if TYPE_CHECKING:
    from bayeseval import plan as plan
    from bayeseval._interval import Interval
    from bayeseval._weights import Weights, read_weights
    from bayeseval.baselines import cluster_bootstrap, clustered_se, interval
    from bayeseval.claims import (
        Claim,
        ClaimError,
        ClaimNotSupported,
        Verdict,
        evaluate,
        parse_claim,
        require,
    )
    from bayeseval.comparison import (
        Comparison,
        Leaderboard,
        build_comparison_model,
        compare,
        leaderboard,
    )
    from bayeseval.conjugate import BetaPrior, MixturePrior, beta_posterior, difference
    from bayeseval.decisions import (
        ExpectedLoss,
        Look,
        OperatingCharacteristics,
        Sequential,
        Utility,
        confidence_sequence,
        expected_loss,
        operating_characteristics,
    )
    from bayeseval.errors import (
        BayesevalError,
        BayesevalWarning,
        CheckWarning,
        FormatError,
        InputError,
        MissingDependencyError,
        UnknownValueError,
    )
    from bayeseval.hierarchical import Fit, HierarchicalPrior, build_model, load_fit
    from bayeseval.io import Totals, from_frame, read, read_totals
    from bayeseval.passk import pass_at_k, pass_curve, pass_hat_k
    from bayeseval.plots import (
        plot_comparison,
        plot_leaderboard,
        plot_operating_characteristics,
        plot_pass_curve,
        plot_populations,
        plot_posterior,
        plot_predictive,
        plot_sampling_grid,
        plot_sensitivity,
        plot_slices,
        plot_tasks,
    )
    from bayeseval.population import contamination, stratified_rate, weighted_rate
    from bayeseval.posterior import Posterior
    from bayeseval.record import (
        EstimateRecord,
        check_record,
        load_record,
        make_record,
        provenance_of,
        record_schema,
    )
    from bayeseval.rollouts import Ledger, Rollouts
    from bayeseval.sensitivity import errored_sensitivity, power_scaling, prior_sensitivity
    from bayeseval.simulation import Simulation, simulate
    from bayeseval.slices import SlicedFit, SliceTable, build_sliced_model, fit
    from bayeseval.unknown import Unknown
else:
    # Hidden from type checkers, which would otherwise accept any misspelt name.
    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f"bayeseval.{name}")
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_MODULE_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
