"""Exact power of tests of two pass rates, by enumeration of everything that can happen."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._special import log_binomial
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.unknown import Unknown

__all__ = ["MOST_ENUMERATED", "TOO_MANY", "Variance", "paired_rejects", "unpaired_rejects"]

Array = npt.NDArray[np.float64]
Variance = Literal["pooled", "unpooled"]

# Beyond this the normal formula and the enumeration agree to more digits than anybody reads.
MOST_ENUMERATED = 50_000
TOO_MANY = Unknown(f"not enumerated beyond {MOST_ENUMERATED:,} tasks")
# Probabilities that are left out of an enumeration: below exp(-50) of the largest.
DROP = 50.0


def _binomial(n: int, p: float) -> tuple[Array, Array]:
    """Return numbers of passes that matter, and their probabilities."""
    if p in (0.0, 1.0):
        return np.array([n * p]), np.ones(1)
    # A binomial falls off faster than a normal with this spread beyond twelve of them.
    reach = 12 * math.sqrt(n * p * (1 - p)) + 60
    k = np.arange(max(math.floor(n * p - reach), 0), min(math.ceil(n * p + reach), n) + 1.0)
    logs = log_binomial(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p)
    kept = logs > logs.max() - DROP
    return k[kept], np.exp(logs[kept])


def unpaired_rejects(p1: float, p2: float, n: int, z: float, variance: Variance) -> float:
    """Probability that the z test of two proportions rejects."""
    first, chance = _binomial(n, p1)
    second, other = _binomial(n, p2)
    total = 0.0
    # Row by row in blocks, so that memory does not grow with the square of n.
    for start in range(0, first.size, 256):
        s1 = first[start : start + 256, None]
        if variance == "pooled":
            both = s1 + second
            spread = both * (2 * n - both) / 2
        else:
            spread = s1 * (n - s1) + second * (n - second)
        with np.errstate(invalid="ignore"):  # an infinite z times no spread
            rejects = (n * (s1 - second) ** 2 >= z * z * spread) & (s1 != second)
        total += float(chance[start : start + 256] @ (rejects @ other))
    return min(total, 1.0)


def paired_rejects(share: float, difference: float, n: int, alpha: float) -> tuple[float, float]:
    """Probabilities that McNemar's test, and the exact binomial test, reject."""
    counts, chance = _binomial(n, share)
    favour = (share + difference) / 2 / share
    z = normal_quantile(alpha / 2)
    # Both tests reject where the smaller count is at most an edge, which depends on m only.
    by_z = np.floor((counts - z * np.sqrt(counts)) / 2)
    by_tail = _largest_rejected(counts, alpha)
    powers = []
    for edge in (by_z, by_tail):
        reachable = (edge >= 0) & (counts > 0)
        c, m = edge[reachable], counts[reachable]
        low = _at_most(c, m, favour)
        # Pr[other count <= c], the difference in its true direction.
        high = _at_most(c, m, 1 - favour)
        powers.append(min(float(chance[reachable] @ (low + high)), 1.0))
    return powers[0], powers[1]


def _largest_rejected(counts: Array, alpha: float) -> Array:
    """Largest c with 2 Pr[Binomial(m, 1/2) <= c] <= alpha for each m; -1 if there is none."""
    low, high = np.full(counts.size, -1.0), np.floor((counts - 1) / 2)
    while np.any(low < high):
        middle = np.ceil((low + high) / 2)
        good = 2 * _at_most(middle, counts, 0.5) <= alpha * (1 + 1e-12)
        low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
    return low


def _at_most(c: Array, m: Array, p: float) -> Array:
    """Pr[Binomial(m, p) <= c], for c below m; 0 for c = -1."""
    inside = np.maximum(c, 0.0)
    return np.where(c < 0, 0.0, special.betaincc(inside + 1, np.maximum(m - inside, 1.0), p))
