"""The DataTree of a fit: ArviZ groups, and everything that a saved fit needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._cells import ScoredCells
from bayeseval._special import log_beta, log_binomial
from bayeseval.hierarchical._draws import DrawsHyper, beta_draws
from bayeseval.hierarchical._functionals import beta_binomial_chances
from bayeseval.hierarchical._model import task_labels
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.rollouts import Ledger, Rollouts

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["log_prior_draws", "make_tree", "restore_rollouts"]

Array = npt.NDArray[np.float64]

# Numbers that a group over tasks may hold; beyond it the groups are over cells.
MOST_NUMBERS = 10_000_000
PRIOR_DRAWS = 1000


def make_tree(
    rollouts: Rollouts,
    cells: ScoredCells,
    prior: HierarchicalPrior,
    draws: DrawsHyper,
    sample_stats: xr.Dataset | None,
    attributes: dict[str, Any],
) -> xr.DataTree:
    """Build the DataTree of a fit from draws of mean and ICC.

    Groups: posterior, prior, log_prior, log_likelihood, posterior_predictive, observed_data,
    constant_data and rollouts, and sample_stats where there was a sampler. The groups
    over tasks have the dimension ``task``; for suites so large that they would not fit
    in memory they are over ``cell``, tasks with equal counts.
    """
    import arviz as az
    import xarray as xr

    scored = rollouts.trials > 0
    tasks = int(scored.sum())
    by_task = tasks * draws.mean.size <= MOST_NUMBERS
    posterior = {"mean": draws.mean, "icc": draws.icc, "log_kappa": np.log(draws.kappa)}
    groups: dict[str, dict[str, Any]] = {
        "posterior": posterior,
        "prior": _prior_draws(prior, draws.rng(4)),
        "log_prior": log_prior_draws(prior, draws),
    }
    dim = "task" if by_task else "cell"
    log_chances, replicated = _pointwise(cells, draws)
    if by_task:
        index = _cell_of_task(rollouts, cells, scored)
        coords: dict[str, Any] = {"task": task_labels(rollouts.task[scored])}
        groups["log_likelihood"] = {"passes": log_chances[..., index]}
        groups["posterior_predictive"] = {"passes": _replicate_tasks(cells, draws, index)}
        groups["observed_data"] = {"passes": rollouts.passes[scored]}
        groups["constant_data"] = {"trials": rollouts.trials[scored]}
        dims = {"passes": [dim], "trials": [dim]}
    else:
        coords = {"cell": _cell_names(cells)}
        groups["log_likelihood"] = {"passes": log_chances}
        groups["posterior_predictive"] = {"tasks": replicated()}
        groups["observed_data"] = {"tasks": cells.count}
        groups["constant_data"] = {"passes": cells.passes, "trials": cells.trials}
        dims = {"tasks": [dim], "passes": [dim], "trials": [dim]}
    dt: xr.DataTree = az.from_dict(groups, coords=coords, dims=dims)
    if sample_stats is not None:
        dt["sample_stats"] = xr.DataTree(sample_stats)
    dt["rollouts"] = xr.DataTree(_rollouts_dataset(rollouts))
    dt.attrs.update(attributes)
    return dt


def _prior_draws(prior: HierarchicalPrior, rng: np.random.Generator) -> dict[str, Array]:
    shape = (1, PRIOR_DRAWS)
    mean = rng.beta(*prior.mean, size=shape)
    if prior.log_kappa is None:
        assert prior.icc is not None
        icc = np.maximum(rng.beta(*prior.icc, size=shape), 1e-300)
    else:
        icc = special.expit(-rng.normal(*prior.log_kappa, size=shape))
    return {"mean": mean, "icc": icc, "log_kappa": np.log1p(-icc) - np.log(icc)}


def log_prior_draws(prior: HierarchicalPrior, draws: DrawsHyper) -> dict[str, Array]:
    """Log prior density at each draw, of the variables that the prior is put on."""
    if prior.log_kappa is None:
        assert prior.icc is not None
        spread = {"icc": _log_beta_density(draws.icc, prior.icc)}
    else:
        spread = {"log_kappa": prior.log_density_y(-np.log(draws.kappa))}
    return {"mean": _log_beta_density(draws.mean, prior.mean), **spread}


def _log_beta_density(values: Array, pair: tuple[float, float]) -> Array:
    a, b = pair
    limits = np.finfo(float)
    # A draw that was rounded to an end has the density beside it, which is finite.
    inner = np.clip(values, limits.tiny, 1.0 - limits.epsneg)
    return np.asarray((a - 1.0) * np.log(inner) + (b - 1.0) * np.log1p(-inner) - log_beta(a, b))


def _pointwise(cells: ScoredCells, draws: DrawsHyper) -> tuple[Array, Any]:
    """Log probability of one task of each cell, (chain, draw, cell); a replicate maker."""
    s, n = cells.passes, cells.trials
    a, b = draws.alpha[..., None], draws.beta[..., None]
    logs = log_binomial(n, s) + log_beta(a + s, b + n - s) - log_beta(a, b)

    def replicate() -> Array:
        rng = draws.rng(6)
        result = np.empty((*draws.mean.shape, cells.count.size))
        for trials in np.unique(n):
            same = np.flatnonzero(n == trials)
            chances = beta_binomial_chances(draws.alpha, draws.beta, int(trials))
            hits = rng.multinomial(int(cells.count[same].sum()), chances)
            result[..., same] = hits[..., s[same]]
        return result

    return logs, replicate


def _replicate_tasks(
    cells: ScoredCells, draws: DrawsHyper, index: npt.NDArray[np.intp]
) -> npt.NDArray[np.int64]:
    """Passes of a replicate of each task, shape (chain, draw, task)."""
    rng = draws.rng(6)
    trials = cells.trials[index]
    result = np.empty((*draws.mean.shape, index.size), dtype=np.int64)
    shape = (draws.mean.shape[1], index.size)
    for chain in range(draws.mean.shape[0]):
        alpha = np.broadcast_to(draws.alpha[chain, :, None], shape)
        beta = np.broadcast_to(draws.beta[chain, :, None], shape)
        result[chain] = rng.binomial(trials, beta_draws(alpha, beta, rng))
    return result


def _cell_of_task(
    rollouts: Rollouts, cells: ScoredCells, scored: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    every = rollouts.cells
    # Cells without a scored rollout come first and are not among `cells`.
    return np.asarray(every.index[scored] - (len(every) - cells.count.size), dtype=np.intp)


def _cell_names(cells: ScoredCells) -> list[str]:
    return [f"{s}/{n}" for s, n in zip(cells.passes, cells.trials, strict=True)]


def _rollouts_dataset(rollouts: Rollouts) -> xr.Dataset:
    import xarray as xr

    variables: dict[str, Any] = {
        name: ("row", getattr(rollouts, name))
        for name in ("passes", "trials", "errored", "missing")
    }
    variables["task"] = ("row", _as_storable(rollouts.task))
    for number, (name, values) in enumerate(rollouts.factors.items()):
        variables[f"factor_{number}"] = ("row", _as_storable(values), {"name": name})
    ledger = rollouts.ledger
    return xr.Dataset(
        variables,
        attrs={
            "source": "" if rollouts.source is None else rollouts.source,
            "duplicates": ledger.duplicates,
            "notes": json.dumps(list(ledger.notes)),
        },
    )


def _as_storable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers as they are; anything else as JSON texts, which keep 8 and "8" apart."""
    if values.dtype.kind in "iu":
        return values
    return np.array([json.dumps(_plain(value)) for value in values])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _from_storable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind in "iu":
        return values
    result = np.empty(values.size, dtype=object)
    result[:] = [json.loads(str(text)) for text in values]
    return result


def restore_rollouts(dt: xr.DataTree) -> Rollouts:
    """Rebuild the data of a saved fit; a damaged one raises KeyError or ValueError."""
    data = dt["rollouts"].to_dataset()
    counts = {name: np.asarray(data[name]) for name in ("passes", "trials", "errored", "missing")}
    factors = {
        data[name].attrs["name"]: _from_storable(np.asarray(data[name]))
        for name in data.data_vars
        if str(name).startswith("factor_")
    }
    task = _from_storable(np.asarray(data["task"]))
    notes = tuple(json.loads(data.attrs["notes"]))
    duplicates, source = int(data.attrs["duplicates"]), str(data.attrs["source"]) or None
    rebuilt = Rollouts.from_counts(
        counts["passes"],
        counts["trials"],
        task=task,
        errored=counts["errored"],
        missing=counts["missing"],
        factors=factors or None,
        source=source,
    )
    return _with_ledger(rebuilt, duplicates, notes)


def _with_ledger(rollouts: Rollouts, duplicates: int, notes: tuple[str, ...]) -> Rollouts:
    from dataclasses import replace

    ledger: Ledger = replace(rollouts.ledger, duplicates=duplicates, notes=notes)
    return replace(rollouts, ledger=ledger)
