"""Functionals of the hierarchical model: pass^k and pass@k of a new task.

For a new task, E[p^k | mu, kappa] = prod_{j<k} (mu kappa + j) / (kappa + j). On the
logit scales x = logit(mu), y = logit(ICC) this is, with c_j = kappa / (kappa + j) and
d_j = j / (kappa + j),

    -log E[p^k] = sum_{j<k} log1p(c_j / (e^x + d_j)),

which keeps its digits from a rate of 1e-300 to one of 1 - 1e-300.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

__all__ = ["pass_hat_value", "solve_pass_hat"]

Array = npt.NDArray[np.float64]


def _shares(y: Array, j: int) -> tuple[Array, Array]:
    """Return c_j = kappa / (kappa + j) and d_j = j / (kappa + j)."""
    rho, rest = special.expit(y), special.expit(-y)
    total = rest + j * rho
    return rest / total, j * rho / total


def pass_hat_value(x: Array, y: Array, k: int) -> Array:
    """E[p^k] for a new task, at logit(mu) = x and logit(ICC) = y; broadcasts."""
    return np.asarray(np.exp(-_minus_log(np.exp(x), y, k)))


def _minus_log(odds: Array, y: Array, k: int) -> Array:
    total: Array = np.zeros(np.broadcast_shapes(np.shape(odds), np.shape(y)))
    for j in range(k):
        c, d = _shares(y, j)
        with np.errstate(divide="ignore", over="ignore"):
            total = total + np.log1p(c / (odds + d))
    return total


def solve_pass_hat(z: Array, y: Array, k: int) -> tuple[Array, Array]:
    """Mean rate at which a new task's pass^k equals a given value.

    Parameters
    ----------
    z : ndarray
        logit of the value of pass^k.
    y : ndarray
        logit(ICC); broadcasts against `z`.
    k : int
        Number of attempts.

    Returns
    -------
    x, log_slope : ndarray
        logit(mu), and log dx/dz there.
    """
    z, y = np.broadcast_arrays(z, y)
    if k == 1:
        return np.asarray(z), np.zeros(z.shape)
    shares = [_shares(y, j) for j in range(k)]
    target = np.logaddexp(0.0, -z)  # -log pass^k
    per_log = max(int(700.0 / max(float(np.max(np.abs(z))), 1.0)) - 1, 1)
    # With kappa = 0 pass^k is mu; with kappa infinite it is mu^k. The truth lies between.
    with np.errstate(over="ignore", divide="ignore"):
        low, high = z - 1e-9, -np.log(np.expm1(target / k)) + 1e-9
        effective = sum(c for c, _ in shares)
        x = np.clip(-np.log(np.expm1(target / effective)), low, high)
    slope = np.ones(z.shape)
    for _ in range(60):
        odds = np.exp(x)
        value, product, slope = np.zeros(z.shape), np.zeros(z.shape), np.zeros(z.shape)
        for j, (c, d) in enumerate(shares):
            share = c / (odds + d)
            # prod(1 + share) - 1 with all its digits; its logarithm is taken before
            # the product can overflow.
            product = product + share + product * share
            if (j + 1) % per_log == 0:
                value, product = value + np.log1p(product), np.zeros(z.shape)
            # c + d = 1, so the derivative in x is -share * odds / (1 + odds).
            slope += share
        value += np.log1p(product)
        slope *= special.expit(x)
        too_low = value > target
        low, high = np.where(too_low, x, low), np.where(too_low, high, x)
        # Newton on log value, which is nearly linear in x where the value is small.
        step = np.where(
            target < 1.0, value * np.log(value / target) / slope, (value - target) / slope
        )
        proposal = x + step
        good = (proposal >= low) & (proposal <= high)
        new = np.where(good, proposal, 0.5 * (low + high))
        moved = np.abs(new - x)
        x = new
        if bool(np.all(moved <= 1e-12 * np.maximum(1.0, np.abs(x)))):
            break
    log_slope = -np.logaddexp(0.0, z) - np.log(slope)
    return np.asarray(x), np.asarray(log_slope)
