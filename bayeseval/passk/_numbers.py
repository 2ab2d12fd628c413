"""The arithmetic of pass@k and pass^k for one (n, c, k), and its spread over arrays.

Values and complements are computed as themselves: 1 - x is never formed from a
rounded x, and differences of log-gamma functions, which lose digits, are not used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_counts, as_whole, shown
from bayeseval.errors import InputError
from bayeseval.unknown import Unknown

__all__ = [
    "at_value",
    "evaluate",
    "hat_value",
    "log_at",
    "log_hat",
    "no_rollout",
    "plugin_at",
    "plugin_hat",
    "too_few",
]

_Array = npt.NDArray[Any]

# Up to this many factors whole-number arithmetic is quick, and correctly rounded.
_EXACT_FACTORS = 128


def too_few(n: int, k: int) -> str | None:
    plural = "" if n == 1 else "s"
    return f"k = {k} exceeds the {n} scored rollout{plural} of the task" if k > n else None


def no_rollout(n: int, k: int) -> str | None:
    return "the task has no scored rollout" if n == 0 else None


def log_hat(n: int, c: int, k: int) -> float:
    """Sum the logarithms of the factors of C(c, k) / C(n, k), the fewest there are."""
    if k > c:
        return -math.inf
    # C(c, k) / C(n, k) = C(n - k, n - c) / C(n, n - c): k and n - c change places.
    factors, removed = min(k, n - c), max(k, n - c)
    total = n - np.arange(factors, dtype=float)
    share = removed / total
    # Each form where it keeps its digits: log1p loses them as the share nears 1.
    with np.errstate(divide="ignore"):
        logs = np.where(share < 0.5, np.log1p(-share), np.log((total - removed) / total))
    return float(logs.sum())


def log_at(n: int, c: int, k: int) -> float:
    log_complement = log_hat(n, n - c, k)
    if log_complement == 0:
        return -math.inf
    if log_complement > -math.log(2):
        return math.log(-math.expm1(log_complement))
    return math.log1p(-math.exp(log_complement))


def hat_value(n: int, c: int, k: int) -> float:
    if min(k, n - c) > _EXACT_FACTORS:
        return math.exp(log_hat(n, c, k))
    few, removed = sorted((k, n - c))
    return math.comb(n - removed, few) / math.comb(n, few)


def at_value(n: int, c: int, k: int) -> float:
    if min(k, c) > _EXACT_FACTORS:
        return -math.expm1(log_hat(n, n - c, k))
    few, removed = sorted((k, c))
    subsets = math.comb(n, few)
    return (subsets - math.comb(n - removed, few)) / subsets


def plugin_hat(n: int, c: int, k: int) -> float:
    return math.exp(k * _log_rate(n, c))


def plugin_at(n: int, c: int, k: int) -> float:
    return -math.expm1(k * _log_rate(n, n - c)) if c else 0.0


def _log_rate(n: int, c: int) -> float:
    if c == 0:
        return -math.inf
    return math.log(c / n) if 2 * c < n else math.log1p(-(n - c) / n)


def evaluate(
    estimator: Callable[[int, int, int], float],
    n: Any,
    c: Any,
    k: Any,
    *,
    reason: Callable[[int, int], str | None],
) -> Any:
    """Apply `estimator` to scalars, or once to each distinct (n, c, k) of arrays."""
    arrays = _as_array(n, "n"), _as_array(c, "c"), _as_array(k, "k")
    if all(array.ndim == 0 for array in arrays):
        n, c, k = as_whole(n, "n"), as_whole(c, "c"), as_whole(k, "k", minimum=1)
        if c > n:
            raise InputError(f"c must not exceed n; got c = {c}, n = {n}")
        why = reason(n, k)
        return Unknown(why) if why else estimator(n, c, k)

    n, c, k = _broadcast(*arrays)
    distinct, position = _distinct(n.ravel(), c.ravel(), k.ravel())
    results: list[float | Unknown] = []
    for each_n, each_c, each_k in distinct.tolist():
        why = reason(each_n, each_k)
        results.append(Unknown(why) if why else estimator(each_n, each_c, each_k))
    if not any(isinstance(result, Unknown) for result in results):
        return np.array(results, dtype=float)[position].reshape(n.shape)
    table = np.empty(len(results), dtype=object)
    for at, result in enumerate(results):  # a slice would ask each Unknown for an array
        table[at] = result
    return table[position].reshape(n.shape)


def _broadcast(n: _Array, c: _Array, k: _Array) -> tuple[_Array, _Array, _Array]:
    arrays = [
        as_counts(array.ravel(), argument).reshape(array.shape)
        for array, argument in ((n, "n"), (c, "c"), (k, "k"))
    ]
    if (arrays[2] < 1).any():
        raise InputError(f"k must be at least 1; got {arrays[2].min()}")
    try:
        n, c, k = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"n, c and k must broadcast together; got shapes {shapes}") from None
    if (c > n).any():
        at = int(np.argmax((c > n).ravel()))
        raise InputError(
            f"c must not exceed n; got c = {c.flat[at]}, n = {n.flat[at]} at position {at}"
        )
    return n, c, k


def _as_array(values: Any, argument: str) -> _Array:
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(
            f"{argument} must be an array of whole numbers; got {shown(values)}"
        ) from None


def _distinct(n: _Array, c: _Array, k: _Array) -> tuple[_Array, _Array]:
    """Distinct rows (n, c, k), and the row of each entry."""
    if n.size == 0:
        return np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int64)
    spans = int(c.max()) + 1, int(k.max()) + 1
    if (int(n.max()) + 1) * spans[0] * spans[1] < 2**62:
        keys, position = np.unique((n * spans[0] + c) * spans[1] + k, return_inverse=True)
        first, last = np.divmod(keys, spans[1])
        return np.column_stack([*np.divmod(first, spans[0]), last]), position
    rows, position = np.unique(np.column_stack([n, c, k]), axis=0, return_inverse=True)
    return rows, position.ravel()
