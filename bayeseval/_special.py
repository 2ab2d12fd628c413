"""Functions of special kinds: log beta with its digits kept, and the logistic family at speed.

numpy's exp, log and log1p run on whole vectors; logaddexp and scipy's expit go value by value
and take ten to forty times as long.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

__all__ = ["expit", "log_beta", "log_binomial", "log_expit", "softplus"]

Array = npt.NDArray[np.float64]

LARGE = 10.0
# Below this size one slow call is faster than five fast ones.
FEW = 500
# Stirling's series: log Gamma(z) = (z - 1/2) log z - z + log(2 pi) / 2 + sum c_j z^(1 - 2j).
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def _stirling(z: Array) -> Array:
    """Remainder of log Gamma beyond Stirling's formula, for z of at least 10: 1e-16."""
    square = 1.0 / (z * z)
    total = np.zeros_like(z)
    for coefficient in reversed(_STIRLING):
        total = total * square + coefficient
    return np.asarray(total / z)


def softplus(z: Array) -> Array:
    """Log of 1 + exp(z), without overflow."""
    return np.asarray(np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z))))


def log_expit(z: Array) -> tuple[Array, Array]:
    """Logs of expit(z) and of expit(-z), both with all their digits."""
    shared = np.log1p(np.exp(-np.abs(z)))
    return np.asarray(np.minimum(z, 0.0) - shared), np.asarray(-np.maximum(z, 0.0) - shared)


def expit(z: Array) -> Array:
    """Logistic function 1 / (1 + exp(-z)), without overflow."""
    if z.size < FEW:
        return np.asarray(special.expit(z))
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0.0, 1.0, small) / (1.0 + small))


def log_beta(a: npt.ArrayLike, b: npt.ArrayLike) -> Array:
    """Log of the beta function B(a, b); broadcasts.

    Differences of log gamma functions lose digits for large arguments, about 1e-6 at
    1e9; there Stirling's formula is taken with its large parts cancelled by hand.

    References
    ----------
    .. [1] Didonato and Morris (1992), Algorithm 708: significant digit computation of the
       incomplete beta function ratios, ACM TOMS 18, 360-373.
       https://doi.org/10.1145/131766.131776
    """
    first, second = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    low, high = np.minimum(first, second), np.maximum(first, second)
    result = np.asarray(special.betaln(low, high))
    large = high >= LARGE
    if not np.any(large):
        return result
    # Both branches are computed everywhere on safe arguments, and the right one is taken.
    x, y = np.where(large, low, LARGE), np.where(large, high, LARGE)
    growth = np.log1p(x / y)
    one_large = (
        special.gammaln(x)
        + x
        - x * np.log(x + y)
        - (y - 0.5) * growth
        + _stirling(y)
        - _stirling(x + y)
    )
    x = np.maximum(x, LARGE)
    both_large = (
        0.5 * np.log(2.0 * np.pi)
        - 0.5 * np.log(y)
        - (x - 0.5) * np.log1p(y / x)
        - y * np.log1p(x / y)
        + _stirling(x)
        + _stirling(y)
        - _stirling(x + y)
    )
    return np.where(large, np.where(low >= LARGE, both_large, one_large), result)


def log_binomial(n: npt.ArrayLike, k: npt.ArrayLike) -> Array:
    """Log of the binomial coefficient C(n, k), for 0 <= k <= n; broadcasts."""
    whole, part = np.asarray(n, float), np.asarray(k, float)
    return np.asarray(-np.log1p(whole) - log_beta(part + 1.0, whole - part + 1.0))
