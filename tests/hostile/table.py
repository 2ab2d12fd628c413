"""How each public name is called with arguments that are right.

Hostile arguments then take the place of one right argument after the other. A test fails
where a public name, or a parameter that a call needs, is missing here.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bayeseval as be
from bayeseval.comparison._compare import join
from bayeseval.hierarchical import Checks

COUNTS = ([4, 0, 2, 3, 4, 1], [4] * 6)
FACTORS = {"slice": ["a", "a", "a", "b", "b", "b"], "leaked": ["yes", "no"] * 3}


@cache
def suite() -> be.Rollouts:
    return be.Rollouts.from_counts(*COUNTS, factors=FACTORS)


@cache
def other() -> be.Rollouts:
    return be.Rollouts.from_counts([3, 0, 2, 1, 4, 1], [4] * 6)


@cache
def one_each() -> be.Rollouts:
    return be.Rollouts.from_counts([1] * 40 + [0] * 10, 1)


@cache
def errored() -> be.Rollouts:
    return be.Rollouts.from_counts(*COUNTS, errored=[0, 1, 0, 2, 0, 0])


@cache
def exact() -> Any:
    return be.fit(suite(), engine="exact")


@cache
def plain() -> Any:
    """A fit whose every population is quick to ask."""
    return be.fit(one_each(), engine="exact")


@cache
def sliced() -> Any:
    return be.fit(suite(), by="slice", pooling="none")


def _tree(**posterior: np.ndarray) -> Any:
    import xarray as xr

    dims = ("chain", "draw", "other")
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    name: (tuple(f"{d}_{name}" if d == "other" else d for d in dims[: v.ndim]), v)
                    for name, v in posterior.items()
                }
            )
        }
    )


@cache
def sampled() -> be.Fit:
    """A fit that stands on draws, without sampling."""
    draws = exact().draws
    tree = _tree(mean=draws.mean, icc=draws.icc)
    return be.Fit(suite(), exact().prior, "nuts", Checks(()), 1, exact().exact, tree)


@cache
def board() -> be.Leaderboard:
    """A leaderboard that stands on made-up draws."""
    joined = join({"x": suite(), "y": other(), "z": suite()}, "drop")
    rng = np.random.default_rng(1)
    size = (4, 100)
    tree = _tree(
        centre=rng.normal(0.3, 0.3, size),
        task_sd=rng.gamma(4, 0.4, size),
        icc=rng.beta(2, 5, size),
        shift=rng.normal(0, 0.4, (*size, 3)),
    )
    return be.Leaderboard(joined, Checks(()), 1, tree)


@cache
def paired() -> be.Comparison:
    joined = join({"old": suite(), "new": other()}, "drop")
    rng = np.random.default_rng(2)
    size = (4, 100)
    tree = _tree(
        centre=rng.normal(0.3, 0.3, size),
        task_sd=rng.gamma(4, 0.4, size),
        icc=rng.beta(2, 5, size),
        shift=rng.normal(0, 0.4, (*size, 2)),
    )
    return be.Comparison(joined, "nuts", Checks(()), 1, (1.0, 1.0, 1.0, 1.0), tree)


@cache
def paired_exact() -> be.Comparison:
    new = be.Rollouts.from_counts([1] * 35 + [0] * 10 + [1] * 5, 1)
    return be.compare(one_each(), new)


@cache
def verdict() -> be.Verdict:
    return be.evaluate("pass_rate > 0.5", exact())


@cache
def record() -> be.EstimateRecord:
    return be.make_record(exact(), provenance=be.provenance_of(time="2026-01-01T00:00:00Z"))


@cache
def sequential() -> be.Sequential:
    return be.Sequential("pass_rate > 0.7", looks=3, tasks_per_look=20)


@cache
def operating() -> be.OperatingCharacteristics:
    return be.operating_characteristics("pass_rate > 0.7", tasks=20, sensitivity=False)


@cache
def simulation() -> be.Simulation:
    return be.simulate(10, 2, rng=1)


@cache
def weights() -> be.Weights:
    return be.Weights.from_shares({"a": 0.4, "b": 0.6})


@cache
def expected() -> be.ExpectedLoss:
    return be.expected_loss(
        "pass_rate > 0.7", one_each(), utility=utility(), more_tasks=(10,), simulations=100
    )


@cache
def utility() -> be.Utility:
    return be.Utility(false_release=10.0, delay=1.0, rollout=0.01)


# Posteriors of every kind that an answer can be.
@cache
def posteriors() -> tuple[be.Posterior, ...]:
    fit = exact()
    return (
        be.beta_posterior(7, 10),
        be.beta_posterior(7, 10, prior=be.MixturePrior(((0.5, 1, 1), (0.5, 30, 3)))),
        be.beta_posterior(7, 10).predictive(12),
        be.difference(be.beta_posterior(7, 10), be.beta_posterior(6, 10)),
        fit.pass_rate(),
        fit.pass_at_k(3),
        plain().pass_rate(population="suite"),
        plain().pass_rate(population="next_run"),
        fit.pass_rate(population="next_run", m=5),
        fit.icc(),
        fit.task_rate(1),
        fit.task_gap(1, 3),
        sampled().pass_hat_k(2),
        sliced().pass_rate(weights=weights()),
        sliced().worst_slice().posterior,
    )


Arguments = Callable[[], dict[str, Any]]
CSV = str(Path(__file__).parents[2] / "examples/sqlagent.csv")
CLAIM = "pass_rate > 0.7"
BAR = {"above": 0.7}

# Public functions, and the constructors that a user calls.
CALLS: dict[str, Arguments] = {
    "BetaPrior": dict,
    "BetaPrior.from_mean": lambda: {"mean": 0.8, "weight": 10},
    "BetaPrior.named": lambda: {"name": "jeffreys"},
    "HierarchicalPrior": dict,
    "HierarchicalPrior.named": lambda: {"name": "arcsine"},
    "MixturePrior": lambda: {"components": ((0.5, 1, 1), (0.5, 30, 3))},
    "Rollouts.from_counts": lambda: {"passes": [4, 0, 2], "trials": [4, 4, 4]},
    "Rollouts.from_outcomes": lambda: {"task": ["a", "a", "b"], "passed": [True, False, True]},
    "Sequential": lambda: {"claim": CLAIM, "looks": 2, "tasks_per_look": 10},
    "Utility": lambda: {"false_release": 10.0, "delay": 1.0},
    "Weights.from_counts": lambda: {"counts": {"a": 3, "b": 7}},
    "Weights.from_shares": lambda: {"shares": {"a": 0.4, "b": 0.6}},
    "beta_posterior": lambda: {"passes": 7, "trials": 10},
    "build_comparison_model": lambda: {"systems": {"x": suite(), "y": other()}},
    "build_model": lambda: {"rollouts": suite()},
    "build_sliced_model": lambda: {"slices": {"x": suite(), "y": other()}},
    "check_record": lambda: {"record": record()},
    "cluster_bootstrap": lambda: {"rollouts": suite(), "rng": 1},
    "clustered_se": lambda: {"rollouts": suite()},
    "compare": lambda: {"old": one_each(), "new": one_each()},
    "confidence_sequence": lambda: {"total": 7.0, "tasks": 10},
    "contamination": lambda: {"rollouts": suite(), "leaked": "leaked"},
    "difference": lambda: {"a": be.beta_posterior(7, 10), "b": be.beta_posterior(6, 10)},
    "errored_sensitivity": lambda: {"rollouts": errored(), "imputations": 2, "rng": 1},
    "evaluate": lambda: {"claim": CLAIM, "fit": exact()},
    "expected_loss": lambda: {
        "claim": CLAIM,
        "results": one_each(),
        "utility": utility(),
        "more_tasks": (10,),
        "simulations": 100,
    },
    "fit": lambda: {"rollouts": suite(), "engine": "exact"},
    "from_frame": lambda: {"frame": _frame()},
    "interval": lambda: {"passes": 7, "trials": 10},
    "leaderboard": lambda: {"systems": {"x": suite(), "y": other()}},
    "load_fit": lambda: {"path": "missing.nc"},
    "load_record": lambda: {"path": "missing.json"},
    "make_record": lambda: {"fit": exact()},
    "operating_characteristics": lambda: {
        "claim": CLAIM,
        "tasks": 20,
        "sensitivity": False,
        "simulations": 100,
    },
    "parse_claim": lambda: {"text": CLAIM},
    "pass_at_k": lambda: {"n": 10, "c": 7, "k": 3},
    "pass_curve": lambda: {"rollouts": suite()},
    "pass_hat_k": lambda: {"n": 10, "c": 7, "k": 3},
    "plot_comparison": lambda: {"comparison": paired_exact()},
    "plot_leaderboard": lambda: {"leaderboard": board()},
    "plot_operating_characteristics": lambda: {"result": operating()},
    "plot_pass_curve": lambda: {"fit": exact()},
    "plot_populations": lambda: {"fit": plain()},
    "plot_posterior": lambda: {"posterior": be.beta_posterior(7, 10)},
    "plot_predictive": lambda: {"fit": exact()},
    "plot_sampling_grid": lambda: {"rollouts": suite()},
    "plot_sensitivity": lambda: {"sensitivity": be.prior_sensitivity(be.beta_posterior(7, 10))},
    "plot_slices": lambda: {"fit": sliced()},
    "plot_tasks": lambda: {"fit": exact()},
    "power_scaling": lambda: {"fit": exact()},
    "prior_sensitivity": lambda: {"fit": exact()},
    "provenance_of": dict,
    "read": lambda: {"path": CSV},
    "read_totals": lambda: {"path": CSV},
    "read_weights": lambda: {"path": "missing.csv", "by": "slice"},
    "record_schema": dict,
    "require": lambda: {"fit": exact(), "claim": "pass_rate > 0.1"},
    "simulate": lambda: {"tasks": 10, "rollouts": 2, "rng": 1},
    "stratified_rate": lambda: {"rollouts": suite(), "by": "slice", "weights": weights()},
    "weighted_rate": lambda: {"rollouts": suite(), "weights": [0.1, 0.1, 0.2, 0.2, 0.2, 0.2]},
    "plan.assurance": lambda: {"tasks": 50, **BAR},
    "plan.assurance_size": lambda: {"target": 0.2, **BAR},
    "plan.clean_run": lambda: {"max_failure_rate": 0.01},
    "plan.clustered": lambda: {"rate": 0.8, "icc": 0.3, "half_width": 0.1},
    "plan.clustered_assurance": lambda: {
        "tasks": 20,
        "rollouts": 2,
        "design": (0.8, 0.3),
        "simulations": 100,
        **BAR,
    },
    "plan.clustered_assurance_size": lambda: {
        "target": 0.3,
        "rollouts": 2,
        "design": (0.8, 0.3),
        "simulations": 100,
        "max_tasks": 50,
        **BAR,
    },
    "plan.clustered_budget": lambda: {"rate": 0.8, "icc": 0.3, "budget": 100.0},
    "plan.clustered_design": lambda: {"rate": 0.8, "icc": 0.3, "tasks": 50, "rollouts": 4},
    "plan.clustered_table": lambda: {"rate": 0.8, "icc": 0.3},
    "plan.design_effect": lambda: {"rollouts": 4, "icc": 0.3},
    "plan.failure_bound": lambda: {"failures": 1, "tasks": 50},
    "plan.paired_power": lambda: {"rate_from": 0.7, "rate_to": 0.8, "tasks": 50},
    "plan.paired_size": lambda: {"rate_from": 0.7, "rate_to": 0.8},
    "plan.passes": lambda: {"tasks": 50, **BAR},
    "plan.see_failure": lambda: {"failure_rate": 0.01},
    "plan.slices": lambda: {"rates": {"a": 0.8, "b": 0.5}, "half_width": 0.1},
    "plan.tasks_for_failures": lambda: {"failures": 2, **BAR},
    "plan.unpaired_power": lambda: {"rate_from": 0.7, "rate_to": 0.8, "tasks": 50},
    "plan.unpaired_size": lambda: {"rate_from": 0.7, "rate_to": 0.8},
    "plan.width": lambda: {"rate": 0.8, "half_width": 0.05},
    "plan.width_at": lambda: {"rate": 0.8, "tasks": 50},
    "plan.width_table": lambda: {"rate": 0.8, "half_width": 0.05},
}

# Objects whose methods are asked, several of a class where they stand on different things.
OBJECTS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "BetaPrior": lambda: (be.BetaPrior(2, 3),),
    "Claim": lambda: (be.parse_claim(CLAIM),),
    "Comparison": lambda: (paired(), paired_exact()),
    "EstimateRecord": lambda: (record(),),
    "ExpectedLoss": lambda: (expected(),),
    "Fit": lambda: (exact(), sampled()),
    "HierarchicalPrior": lambda: (be.HierarchicalPrior(),),
    "Interval": lambda: (be.interval(7, 10),),
    "Leaderboard": lambda: (board(),),
    "Ledger": lambda: (suite().ledger,),
    "Look": lambda: (sequential().assess((15, 20)),),
    "MixturePrior": lambda: (be.MixturePrior(((0.5, 1, 1), (0.5, 30, 3))),),
    "OperatingCharacteristics": lambda: (operating(),),
    "Posterior": posteriors,
    "Rollouts": lambda: (suite(), errored()),
    "Sequential": lambda: (sequential(),),
    "Simulation": lambda: (simulation(),),
    "SliceTable": lambda: (sliced().table(),),
    "SlicedFit": lambda: (sliced(),),
    "Totals": lambda: (),
    "Unknown": lambda: (be.Unknown("no data"),),
    "Utility": lambda: (utility(),),
    "Verdict": lambda: (verdict(),),
    "Weights": lambda: (weights(),),
}

# Arguments that methods cannot be called without, or that make them quick.
METHODS: dict[str, Arguments] = {
    "BetaPosterior.bayes_factor_above": lambda: {"threshold": 0.5},
    "BetaPosterior.discounted": lambda: {"power": 0.5},
    "BetaPosterior.log_bayes_factor_above": lambda: {"threshold": 0.5},
    "BetaPosterior.log_bayes_factor_point": lambda: {"value": 0.5},
    "BetaPosterior.expect_pass_at_k": lambda: {"k": 3},
    "BetaPosterior.expect_pass_hat_k": lambda: {"k": 3},
    "BetaPosterior.predictive": lambda: {"m": 10},
    "Comparison.prob_equal": lambda: {"rope": 0.02},
    "Comparison.prob_not_worse": lambda: {"margin": 0.02},
    "Comparison.rate": lambda: {"system": "new"},
    "DiscretePosterior.prob_at_least": lambda: {"threshold": 3},
    "Fit.kappa_quantile": lambda: {"q": 0.5},
    "Fit.pass_at_k": lambda: {"k": 2},
    "Fit.pass_hat_k": lambda: {"k": 2},
    "Fit.save": lambda: {"path": "missing/fit.nc"},
    "Fit.share_of_tasks_above": lambda: {"rate": 0.5},
    "Fit.task_gap": lambda: {"task": 1, "k": 2},
    "Fit.task_quantile": lambda: {"q": 0.1},
    "Fit.task_rate": lambda: {"task": 1},
    "Leaderboard.difference": lambda: {"first": "x", "second": "y"},
    "Leaderboard.prob_top": lambda: {"r": 2},
    "Leaderboard.rate": lambda: {"system": "x"},
    "Posterior.cdf": lambda: {"x": 0.5},
    "Posterior.log_prob_above": lambda: {"threshold": 0.5},
    "Posterior.log_prob_below": lambda: {"threshold": 0.5},
    "Posterior.mcse_prob_above": lambda: {"threshold": 0.5},
    "Posterior.mcse_quantile": lambda: {"q": 0.5},
    "Posterior.pdf": lambda: {"x": 0.3},
    "Posterior.prob_above": lambda: {"threshold": 0.5},
    "Posterior.prob_below": lambda: {"threshold": 0.5},
    "Posterior.prob_between": lambda: {"lower": 0.2, "upper": 0.9},
    "Posterior.quantile": lambda: {"q": 0.5},
    "Posterior.sample": lambda: {"size": 5, "rng": 1},
    "Rollouts.levels": lambda: {"factor": "slice"},
    "Rollouts.subset": lambda: {"mask": [True] * 5 + [False]},
    "Rollouts.where": lambda: {"factor": "slice", "value": "a"},
    "Rollouts.with_factor": lambda: {"name": "system", "value": "x"},
    "Rollouts.with_lost": lambda: {"as_": "fail"},
    "Sequential.assess": lambda: {"results": (15, 20)},
    "Sequential.at_rate": lambda: {"rate": 0.8},
    "Sequential.false_release_at": lambda: {"confidence": 0.95},
    "Sequential.follow": lambda: {"batches": [(15, 20)]},
    "Simulation.to_csv": lambda: {"path": "missing/suite.csv"},
    "SlicedFit.bounds": lambda: {"weights": weights()},
    "SlicedFit.next_tasks": lambda: {"m": 10},
    "SlicedFit.pass_at_k": lambda: {"k": 2},
    "SlicedFit.pass_hat_k": lambda: {"k": 2},
    "Utility.cost": lambda: {"tasks": 10, "rollouts": 2},
    "Utility.hold": lambda: {"prob": 0.5},
    "Utility.ship": lambda: {"prob_not": 0.5},
    "Weights.align": lambda: {"labels": ["a", "b"]},
}

# Classes that users catch, hold or compare, and that only the package makes.
MADE_INSIDE = {
    *("BayesevalError", "BayesevalWarning", "CheckWarning", "ClaimError", "ClaimNotSupported"),
    *("FormatError", "InputError", "MissingDependencyError", "UnknownValueError"),
    *("Claim", "Comparison", "EstimateRecord", "ExpectedLoss", "Fit", "Interval", "Leaderboard"),
    *("Ledger", "Look", "OperatingCharacteristics", "Posterior", "Rollouts", "Simulation"),
    *("SliceTable", "SlicedFit", "Totals", "Unknown", "Verdict", "Weights"),
}

# Methods that are no part of what a user asks, with what they are for.
INTERNAL = {
    "Fit.require_alone": "refuses for other methods, and is given their names",
    "HierarchicalPrior.log_density_x": "density on the engine's own scale, called with grids",
    "HierarchicalPrior.log_density_y": "density on the engine's own scale, called with grids",
    "BetaPosterior.log_density_z": "density on the scale of the integrals, called with grids",
    "GridPosterior.reflected": "turns a posterior around for other rooms",
}


# Attributes that say no where nothing was sampled.
SAMPLED_ONLY = {("Comparison", "draws"), ("SlicedFit", "dt")}


@cache
def _frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"task": ["a", "a", "b"], "passed": [True, False, True]})


@dataclass(frozen=True)
class Target:
    """One thing to call."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]

    def __repr__(self) -> str:
        return self.name

    def parameters(self) -> list[str]:
        found = inspect.signature(self.function).parameters.items()
        return [name for name, each in found if each.kind is not each.VAR_POSITIONAL]


def function(name: str) -> Target:
    """A function, a constructor or a class method of the table."""
    at: Any = be
    for part in name.split("."):
        at = getattr(at, part)
    return Target(name, at, CALLS[name]())


def methods(class_name: str) -> Iterator[Target]:
    """Methods of the objects of a class."""
    for each in OBJECTS[class_name]():
        made = type(each).__name__
        for method in public_methods(type(each)):
            public, own = f"{class_name}.{method}", f"{made}.{method}"
            if {public, own}.isdisjoint(INTERNAL):
                given = METHODS.get(own) or METHODS.get(public) or dict
                yield Target(own, getattr(each, method), given())


def public_methods(cls: type) -> list[str]:
    """Names of the public methods, without those of other packages' base classes."""
    found = []
    for name in dir(cls):
        if name.startswith("_"):
            continue
        owner = next(base for base in cls.__mro__ if name in vars(base))
        if owner.__module__.startswith("bayeseval") and inspect.isfunction(vars(owner)[name]):
            found.append(name)
    return found


def attributes(value: Any) -> list[str]:
    """Public attributes that take no arguments."""
    return [
        name
        for name in dir(value)
        if not name.startswith("_")
        and not callable(inspect.getattr_static(value, name, None))
        and (type(value).__name__, name) not in SAMPLED_ONLY
    ]
