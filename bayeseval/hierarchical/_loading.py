"""Loading a fit from the netCDF file that it was saved to."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from bayeseval._validate import as_path
from bayeseval.errors import FormatError
from bayeseval.hierarchical._checks import Check, Checks
from bayeseval.hierarchical._exact import integrate
from bayeseval.hierarchical._fit import Fit
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.hierarchical._saving import FORMAT
from bayeseval.hierarchical._tree import restore_rollouts

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["load_fit"]


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

    name = as_path(path, "path")
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
    try:
        return _restore(tree)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{name}: not a fit saved by bayeseval ({error})") from None


def _restore(tree: xr.DataTree) -> Fit:
    rollouts = restore_rollouts(tree)
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
