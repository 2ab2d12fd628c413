"""Writing a fit to one netCDF file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bayeseval import __version__
from bayeseval._atomic import as_output_path, atomic_path
from bayeseval.hierarchical._checks import Checks
from bayeseval.hierarchical._prior import HierarchicalPrior

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["FORMAT", "attributes", "save_tree"]

FORMAT = "bayeseval.fit/1"


def attributes(engine: str, seed: int, prior: HierarchicalPrior, checks: Checks) -> dict[str, Any]:
    """Attributes of the root of a fit's DataTree, all of them texts or whole numbers."""
    pairs = {
        "mean": list(prior.mean),
        "icc": None if prior.icc is None else list(prior.icc),
        "log_kappa": None if prior.log_kappa is None else list(prior.log_kappa),
    }
    return {
        "bayeseval_format": FORMAT,
        "bayeseval_version": __version__,
        "engine": engine,
        "seed": seed,
        "prior": json.dumps(pairs),
        "checks": json.dumps([asdict(row) for row in checks.rows]),
    }


def save_tree(tree: xr.DataTree, path: str | os.PathLike[str]) -> None:
    """Write the DataTree of a fit to a netCDF file: whole, or not at all."""
    as_output_path(path, suffixes=(".nc",))
    # Made in memory: HDF5 that runs out of room writes on after the error has been met.
    content = bytes(tree.to_netcdf(engine="h5netcdf"))
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
