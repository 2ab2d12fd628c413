"""From a small frame of any engine to NumPy arrays."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from bayeseval.errors import InputError, MissingDependencyError
from bayeseval.rollouts._tally import is_blank

__all__ = ["collected"]


def collected(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> dict[str, npt.NDArray[Any]]:
    """Run what is lazy, and return the columns: numbers as such, all else as objects."""
    if isinstance(frame, nw.LazyFrame):
        if frame.implementation.is_duckdb():
            return _from_duckdb(frame.to_native())
        frame = _run(frame)
    return {name: _array(frame[name]) for name in frame.columns}


def _run(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    try:
        return frame.collect()
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"the counts of a {frame.implementation} frame come back through {error.name}; "
            f"install it"
        ) from None


def _from_duckdb(relation: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the result of a DuckDB relation, which needs no further library."""
    return {name: _plain(values) for name, values in relation.fetchnumpy().items()}


def _plain(values: Any) -> npt.NDArray[Any]:
    if not isinstance(values, np.ma.MaskedArray):
        array: npt.NDArray[Any] = np.asarray(values)
        return array
    if not values.mask.any():
        return values.data
    column = values.data.astype(object)
    column[values.mask] = None
    return column


def _array(series: nw.Series[Any]) -> npt.NDArray[Any]:
    if series.dtype.is_numeric() and not series.is_null().any():
        return series.to_numpy()
    if series.dtype.is_nested():
        raise InputError(f"column {series.name!r} holds lists or objects")
    column = np.empty(len(series), dtype=object)
    column[:] = series.to_list()
    # Each library has its own sign for nothing.
    column[np.array([is_blank(value) for value in column.tolist()], dtype=bool)] = None
    return column
