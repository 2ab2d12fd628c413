"""Saving a fit to one netCDF file, and loading it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bayeseval import __version__
from bayeseval._atomic import as_output_path, atomic_path
from bayeseval.errors import FormatError
from bayeseval.hierarchical._checks import Check, Checks
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._fit import Fit
from bayeseval.hierarchical._prior import HierarchicalPrior

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["attributes", "load_fit", "save"]

FORMAT = "bayeseval.fit/1"


def attributes(fit: Fit) -> dict[str, Any]:
    """Attributes of the root of a fit's DataTree, all of them texts or whole numbers."""
    prior = {
        "mean": list(fit.prior.mean),
        "icc": None if fit.prior.icc is None else list(fit.prior.icc),
        "log_kappa": None if fit.prior.log_kappa is None else list(fit.prior.log_kappa),
    }
    return {
        "bayeseval_format": FORMAT,
        "bayeseval_version": __version__,
        "engine": fit.engine,
        "seed": fit.seed,
        "prior": json.dumps(prior),
        "checks": json.dumps([asdict(row) for row in fit.checks.rows]),
    }


def save(fit: Fit, path: str | os.PathLike[str]) -> None:
    """Write a fit to a netCDF file: whole, or not at all."""
    as_output_path(path, suffixes=(".nc",))
    tree = fit.dt
    with atomic_path(path) as temporary:
        tree.to_netcdf(temporary, engine="h5netcdf")


def load_fit(path: str | os.PathLike[str]) -> Fit:
    """Load a fit that `Fit.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The ``.nc`` file.

    Returns
    -------
    Fit
        With the same answers as when it was saved.

    Raises
    ------
    FormatError
        If the file is not there, or is no fit saved by bayeseval.
    """
    import xarray as xr

    name = os.fspath(path)
    if not os.path.isfile(name):
        raise FormatError(f"{name}: no such file")
    try:
        with xr.open_datatree(name, engine="h5netcdf") as opened:
            tree = opened.load()
    except (OSError, ValueError, KeyError) as error:
        raise FormatError(f"{name}: not a netCDF file ({error})") from None
    if tree.attrs.get("bayeseval_format") != FORMAT:
        raise FormatError(
            f"{name}: not a fit saved by this version of bayeseval; it must say {FORMAT}"
        )
    return _restore(tree, name)


def _restore(tree: xr.DataTree, name: str) -> Fit:
    from bayeseval.hierarchical._tree import restore_rollouts

    rollouts = restore_rollouts(tree, name)
    stored = json.loads(tree.attrs["prior"])
    prior = HierarchicalPrior(
        mean=tuple(stored["mean"]),
        icc=None if stored["icc"] is None else tuple(stored["icc"]),
        log_kappa=None if stored["log_kappa"] is None else tuple(stored["log_kappa"]),
    )
    checks = Checks(tuple(Check(**row) for row in json.loads(tree.attrs["checks"])))
    engine = tree.attrs["engine"]
    return Fit(
        rollouts,
        prior,
        engine,
        checks,
        int(tree.attrs["seed"]),
        integrate(rollouts, prior),
        tree if engine == "nuts" else None,
    )
