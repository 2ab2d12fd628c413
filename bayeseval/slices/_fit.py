"""fit: run an engine on a suite, whole or slice by slice."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from bayeseval._cells import scored_cells
from bayeseval._validate import Seed, as_generator, as_probability, one_of
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical import Check, Checks, Fit, HierarchicalPrior, fit_suite
from bayeseval.hierarchical._checks import (
    exact_checks,
    predictive_check_of_slice,
    sampler_checks,
)
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._fit import Engine
from bayeseval.hierarchical._sample import as_model, as_progress, run_nuts, sampler_settings
from bayeseval.rollouts import Rollouts
from bayeseval.slices._model import build_sliced_model
from bayeseval.slices._sliced import Pooling, SlicedFit
from bayeseval.slices._split import factor_names, split

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["fit"]

Array = npt.NDArray[np.float64]


@overload
def fit(
    rollouts: Rollouts,
    *,
    by: None = None,
    pooling: Pooling = "partial",
    engine: Engine = "nuts",
    prior: HierarchicalPrior | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    target_accept: float = 0.95,
    rng: Seed = None,
    progress: bool | None = None,
) -> Fit: ...


@overload
def fit(
    rollouts: Rollouts,
    *,
    by: str | Sequence[str],
    pooling: Pooling = "partial",
    engine: Engine = "nuts",
    prior: HierarchicalPrior | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    target_accept: float = 0.95,
    rng: Seed = None,
    progress: bool | None = None,
) -> SlicedFit: ...


def fit(
    rollouts: Rollouts,
    *,
    by: str | Sequence[str] | None = None,
    pooling: Pooling = "partial",
    engine: Engine = "nuts",
    prior: HierarchicalPrior | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    target_accept: float = 0.95,
    rng: Seed = None,
    progress: bool | None = None,
) -> Fit | SlicedFit:
    """Fit the hierarchical model to a suite, whole or slice by slice.

    Parameters
    ----------
    rollouts : Rollouts
        The suite, several rollouts per task.
    by : str or sequence of str, optional
        A factor whose levels are slices with a pass rate and an ICC of their own, or
        several factors to cross. By default the suite is one.
    pooling : {"partial", "none", "complete"}, default "partial"
        With `by`: ``"partial"`` draws slices towards each other as far as they are alike,
        in one PyMC model; ``"none"`` fits each alone, ``"complete"`` all as one, both by
        the exact engine.
    engine : {"nuts", "exact"}, default "nuts"
        ``"nuts"`` samples the PyMC model with NUTS (nutpie) and compares it with the
        exact engine. ``"exact"`` integrates the same posterior on a grid: milliseconds,
        deterministic, right to many digits. With `by`, `pooling` decides.
    prior : HierarchicalPrior, optional
        Default: uniform on the mean rate and on the ICC. With partial pooling it is the
        prior of the common mean rate and ICC.
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
    Fit or SlicedFit
        Answers as posteriors, and the checks; a `SlicedFit` with `by`.

    Raises
    ------
    InputError
        If no task has a scored rollout, an argument is out of range, `by` names no factor
        of the suite, a slice has no scored rollout, or partial pooling is asked of the
        exact engine.

    Warns
    -----
    CheckWarning
        If a check fails; the message names the remedy, and the failure stands in
        ``fit.checks``.

    Notes
    -----
    mean ~ Beta(1, 1), ICC ~ Uniform(0, 1), kappa = (1 - ICC) / ICC;
    p_i ~ Beta(mean kappa, (1 - mean) kappa), s_i ~ Binomial(n_i, p_i). For the model of
    partially pooled slices see `build_sliced_model`.

    Examples
    --------
    >>> import bayeseval as be
    >>> rollouts = be.read("examples/sqlagent.csv")
    >>> fit = be.fit(rollouts, engine="exact")
    >>> fit.pass_rate(population="suite")
    pass rate on this suite: 65.0 % (95 % CrI 62.5-67.5 %, n = 50 tasks)
    """
    one_of(pooling, Pooling, "pooling")
    one_of(engine, Engine, "engine")
    if by is None:
        if pooling != "partial":
            raise InputError(f"pooling={pooling!r} goes with by, which says what the slices are")
        return fit_suite(
            rollouts,
            engine=engine,
            prior=prior,
            draws=draws,
            tune=tune,
            chains=chains,
            cores=cores,
            target_accept=target_accept,
            rng=rng,
            progress=progress,
        )
    if engine == "exact" and pooling == "partial":
        raise InputError(
            'partial pooling is sampled; engine="exact" with by needs pooling="none" or "complete"'
        )
    chosen = as_model(rollouts, prior)
    names, slices = factor_names(by), split(rollouts, by)
    as_progress(progress)
    settings = sampler_settings(draws, tune, chains, cores)
    accept = as_probability(target_accept, "target_accept", open_ends=True)
    sampling = pooling == "partial" and len(slices) > 1
    generator = as_generator(0 if rng is None and not sampling else rng)
    seed = int(generator.integers(2**31))
    if not sampling:
        kind: Pooling = "none" if pooling == "partial" else pooling
        fits, checks = _exact_fits(rollouts, slices, kind, chosen, seed)
        return _warned(SlicedFit(rollouts, names, kind, fits, checks, seed))
    model = build_sliced_model(slices, prior=chosen)
    sampled = run_nuts(model, settings, accept, seed, progress)
    kept = ["mean", "icc", "common_mean", "common_icc", "mean_spread", "icc_spread"]
    rows = sampler_checks(sampled, kept)
    fits = {
        label: Fit(
            part,
            chosen,
            "nuts",
            Checks(rows),
            seed + 1 + at,
            integrate(part, chosen),
            tree,
            pooled=True,
        )
        for at, ((label, part), tree) in enumerate(
            zip(slices.items(), _trees(sampled, slices), strict=True)
        )
    }
    for label, each in fits.items():
        found = _predictive(each, len(fits))
        fits[label] = replace(each, checks=Checks((*rows, found)))
    checks = Checks((*rows, *_worst_of(fits, "predictive")))
    return _warned(
        SlicedFit(rollouts, names, pooling, MappingProxyType(fits), checks, seed, sampled)
    )


def _predictive(fitted: Fit, slices: int) -> Check:
    """Predictive check of a slice that is known by draws."""
    rng = fitted.draws.rng(5)
    alpha, beta = fitted.draws.alpha.ravel(), fitted.draws.beta.ravel()

    def pick(size: int) -> tuple[Array, Array]:
        chosen = rng.choice(alpha.size, size=size, replace=size > alpha.size)
        return alpha[chosen], beta[chosen]

    return predictive_check_of_slice(pick, fitted.cells, rng, slices)


def _exact_fits(
    rollouts: Rollouts,
    slices: Mapping[str, Rollouts],
    pooling: Pooling,
    prior: HierarchicalPrior,
    seed: int,
) -> tuple[Mapping[str, Fit], Checks]:
    if pooling == "complete":
        with warnings.catch_warnings():
            # Given once, in the end.
            warnings.simplefilter("ignore", CheckWarning)
            whole = fit_suite(rollouts, engine="exact", prior=prior, rng=seed)
        fits = {
            label: Fit(part, prior, "exact", whole.checks, whole.seed, whole.exact, pooled=True)
            for label, part in slices.items()
        }
        return MappingProxyType(fits), whole.checks
    fits = {}
    for at, (label, part) in enumerate(slices.items()):
        rng = np.random.default_rng([seed + 1 + at, 5])
        hyper = integrate(part, prior)
        checks = exact_checks(hyper, scored_cells(part), rng, len(slices))
        fits[label] = Fit(part, prior, "exact", checks, seed + 1 + at, hyper)
    found = (*_worst_of(fits, "quadrature"), *_worst_of(fits, "predictive"))
    return MappingProxyType(fits), Checks(found)


def _worst_of(fits: Mapping[str, Fit], name: str) -> list[Check]:
    """A check where it is worst, with the slice's name, and wherever else it failed."""
    found = [replace(fit.checks[name], name=f"{name} of {label}") for label, fit in fits.items()]
    failed = [check for check in found if not check.passed]
    worst = (max if found[0].at_most else min)(found, key=lambda check: check.value)
    return failed or [worst]


def _trees(sampled: xr.DataTree, slices: Mapping[str, Rollouts]) -> list[xr.DataTree]:
    """Draws of mean and ICC of each slice, as the sampler of a whole suite leaves them."""
    import xarray as xr

    posterior = sampled["posterior"].to_dataset()[["mean", "icc"]]
    stats = sampled["sample_stats"].to_dataset()
    trees = []
    for label in slices:
        part: Any = posterior.sel(slice=label, drop=True)
        trees.append(xr.DataTree.from_dict({"posterior": part, "sample_stats": stats}))
    return trees


def _warned(fitted: SlicedFit) -> SlicedFit:
    for check in fitted.checks.failed:
        warnings.warn(f"check {check}", CheckWarning, stacklevel=3)
    return fitted
