"""fit: run an engine on a suite."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayeseval._cells import scored_cells
from bayeseval._validate import Seed, as_generator, as_probability, as_whole, one_of
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical._checks import Checks, exact_checks, nuts_checks
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._fit import Engine, Fit
from bayeseval.hierarchical._model import build_model
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["fit"]


def fit(
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
    """Fit the hierarchical model to a suite.

    Parameters
    ----------
    rollouts : Rollouts
        The suite, several rollouts per task.
    engine : {"nuts", "exact"}, default "nuts"
        ``"nuts"`` samples the PyMC model with NUTS (nutpie) and compares it with the
        exact engine. ``"exact"`` integrates the same posterior on a grid: milliseconds,
        deterministic, right to many digits.
    prior : HierarchicalPrior, optional
        Default: uniform on the mean rate and on the ICC.
    draws, tune : int, default 1000
        Draws kept and warm-up steps of each chain (``"nuts"``).
    chains : int, default 4
        Number of chains; two or more for r_hat (``"nuts"``).
    cores : int, optional
        Chains run at once; by default as many as there are processors (``"nuts"``).
    target_accept : float, default 0.95
        Mean acceptance that the step size is tuned for (``"nuts"``); 0.95 left no
        divergences on suites from all-pass to all-alike.
    rng : int or numpy.random.Generator, optional
        Seed. The same seed gives the same numbers.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal only.

    Returns
    -------
    Fit
        Answers as posteriors, and the checks.

    Raises
    ------
    InputError
        If no task has a scored rollout, or an argument is out of range.

    Warns
    -----
    CheckWarning
        If a check fails; the message names the remedy, and the failure stands in
        ``fit.checks``.

    Notes
    -----
    mean ~ Beta(1, 1), ICC ~ Uniform(0, 1), kappa = (1 - ICC) / ICC;
    p_i ~ Beta(mean kappa, (1 - mean) kappa), s_i ~ Binomial(n_i, p_i).

    Examples
    --------
    >>> import bayeseval as be
    >>> rollouts = be.read("examples/sqlagent.csv")
    >>> fit = be.fit(rollouts, engine="exact")
    >>> fit.pass_rate(population="suite")
    pass rate on this suite: 65.0 % (95 % CrI 62.5-67.5 %, n = 50 tasks)
    """
    one_of(engine, Engine, "engine")
    if not isinstance(rollouts, Rollouts):
        raise InputError(
            "rollouts must be a Rollouts, as be.read(path) or Rollouts.from_counts makes it; "
            f"got {type(rollouts).__name__}"
        )
    chosen = HierarchicalPrior() if prior is None else prior
    if not isinstance(chosen, HierarchicalPrior):
        raise InputError(f"prior must be a HierarchicalPrior; got {chosen!r}")
    cells = scored_cells(rollouts)
    if cells.n_tasks == 0:
        raise InputError("no task has a scored rollout: there is nothing to fit")
    settings = {
        "draws": as_whole(draws, "draws", minimum=4),
        "tune": as_whole(tune, "tune", minimum=1),
        "chains": as_whole(chains, "chains", minimum=1),
        "cores": None if cores is None else as_whole(cores, "cores", minimum=1),
    }
    accept = as_probability(target_accept, "target_accept", open_ends=True)
    generator = as_generator(0 if rng is None and engine == "exact" else rng)
    seed = int(generator.integers(2**31))
    exact = integrate(rollouts, chosen)
    unchecked = Fit(rollouts, chosen, engine, Checks(()), seed, exact)
    if engine == "exact":
        return _checked(unchecked, exact_checks(exact, cells, np.random.default_rng([seed, 5])))
    shown = sys.stderr.isatty() if progress is None else progress
    sampled = _sample(rollouts, chosen, settings, accept, seed, shown)
    unchecked = replace(unchecked, sampled=sampled)
    return _checked(unchecked, nuts_checks(sampled, exact, unchecked.draws, cells))


def _checked(unchecked: Fit, checks: Checks) -> Fit:
    for check in checks.failed:
        warnings.warn(f"check {check}", CheckWarning, stacklevel=3)
    return replace(unchecked, checks=checks)


def _sample(
    rollouts: Rollouts,
    prior: HierarchicalPrior,
    settings: dict[str, int | None],
    target_accept: float,
    seed: int,
    progress: bool,
) -> xr.DataTree:
    import pymc as pm

    with build_model(rollouts, prior=prior):
        sampled: xr.DataTree = pm.sample(
            draws=settings["draws"],
            tune=settings["tune"],
            chains=settings["chains"],
            cores=settings["cores"],
            target_accept=target_accept,
            nuts_sampler="nutpie",
            random_seed=np.random.default_rng([seed, 9]),
            progressbar=progress,
            quiet=not progress,
            compute_convergence_checks=False,
        )
    return sampled
