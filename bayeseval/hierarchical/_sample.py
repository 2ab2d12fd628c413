"""Run an engine on a suite."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayeseval._cells import scored_cells
from bayeseval._validate import (
    Seed,
    as_flag,
    as_generator,
    as_probability,
    as_whole,
    one_of,
)
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical._checks import Checks, exact_checks, nuts_checks
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._fit import Engine, Fit
from bayeseval.hierarchical._model import as_suite, build_model
from bayeseval.hierarchical._prior import HierarchicalPrior, as_hierarchical_prior
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import pymc as pm
    import xarray as xr

__all__ = ["as_model", "as_progress", "fit_suite", "run_nuts", "sampler_settings"]

# A slip of the hand, not a plan: a million draws take hours and gigabytes.
MOST_DRAWS, MOST_CHAINS = 1_000_000, 1_000


def fit_suite(
    rollouts: Rollouts,
    *,
    engine: Engine = "nuts",
    prior: HierarchicalPrior | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    target_accept: float = 0.95,
    rng: Seed = None,
    progress: bool | None = None,
) -> Fit:
    """Fit the hierarchical model to a whole suite; parameters and errors as in `fit`."""
    one_of(engine, Engine, "engine")
    chosen = as_model(rollouts, prior)
    cells = scored_cells(rollouts)
    if cells.n_tasks == 0:
        raise InputError("no task has a scored rollout: there is nothing to fit")
    as_progress(progress)
    settings = sampler_settings(draws, tune, chains, cores)
    accept = as_probability(target_accept, "target_accept", open_ends=True)
    generator = as_generator(0 if rng is None and engine == "exact" else rng)
    seed = int(generator.integers(2**31))
    exact = integrate(rollouts, chosen)
    unchecked = Fit(rollouts, chosen, engine, Checks(()), seed, exact)
    if engine == "exact":
        return _checked(unchecked, exact_checks(exact, cells, np.random.default_rng([seed, 5])))
    sampled = run_nuts(build_model(rollouts, prior=chosen), settings, accept, seed, progress)
    unchecked = replace(unchecked, sampled=sampled)
    return _checked(unchecked, nuts_checks(sampled, exact, unchecked.draws, cells))


def as_model(rollouts: Rollouts, prior: HierarchicalPrior | None) -> HierarchicalPrior:
    """Check what is to be fitted, and return its prior."""
    as_suite(rollouts)
    return as_hierarchical_prior(prior)


def sampler_settings(
    draws: int, tune: int, chains: int, cores: int | None
) -> dict[str, int | None]:
    """Check how the sampler is to run."""
    if cores is not None:
        cores = as_whole(cores, "cores", minimum=1, maximum=MOST_CHAINS)
    return {
        "draws": as_whole(draws, "draws", minimum=4, maximum=MOST_DRAWS),
        "tune": as_whole(tune, "tune", minimum=1, maximum=MOST_DRAWS),
        "chains": as_whole(chains, "chains", minimum=1, maximum=MOST_CHAINS),
        "cores": None
        if cores is None
        else as_whole(cores, "cores", minimum=1, maximum=MOST_CHAINS),
    }


def as_progress(progress: bool | None) -> None:
    """Check whether a progress bar is wanted."""
    if progress is not None:
        as_flag(progress, "progress")


def _checked(unchecked: Fit, checks: Checks) -> Fit:
    for check in checks.failed:
        warnings.warn(f"check {check}", CheckWarning, stacklevel=3)
    return replace(unchecked, checks=checks)


def run_nuts(
    model: pm.Model,
    settings: dict[str, int | None],
    target_accept: float,
    seed: int,
    progress: bool | None,
) -> xr.DataTree:
    """Sample a model by NUTS (nutpie)."""
    import pymc as pm

    shown = sys.stderr.isatty() if progress is None else progress
    with model:
        sampled: xr.DataTree = pm.sample(
            draws=settings["draws"],
            tune=settings["tune"],
            chains=settings["chains"],
            cores=settings["cores"],
            target_accept=target_accept,
            nuts_sampler="nutpie",
            random_seed=np.random.default_rng([seed, 9]),
            progressbar=shown,
            quiet=not shown,
            compute_convergence_checks=False,
        )
    return sampled
