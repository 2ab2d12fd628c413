"""Functionals of task rates: the pass rate, pass^k and pass@k.

For a new task, E[p^k | mu, kappa] = prod_{j<k} (mu kappa + j) / (kappa + j). On the
logit scales x = logit(mu), y = logit(ICC) this is, with c_j = kappa / (kappa + j) and
d_j = j / (kappa + j),

    -log E[p^k] = sum_{j<k} log1p(c_j / (e^x + d_j)),

which keeps its digits from a rate of 1e-300 to one of 1 - 1e-300.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._special import expit, softplus

__all__ = ["Functional", "beta_binomial_chances", "blocks", "log_rising", "solve_pass_hat"]

Array = npt.NDArray[np.float64]

# Beta parameters below this are as good as 0, and quotients with it do not overflow.
LEAST = 1e-290
# The work grows with k, and beyond this nothing is learnt from a suite anyone can run.
MOST_ATTEMPTS = 1_000


@dataclass(frozen=True, slots=True)
class Functional:
    """pass^k or pass@k of one task; k = 1 is its pass rate.

    Parameters
    ----------
    kind : {"pass_hat_k", "pass_at_k"}
        All of k attempts pass, or at least one does.
    k : int
        Number of attempts.
    """

    kind: Literal["pass_hat_k", "pass_at_k"]
    k: int

    @property
    def name(self) -> str:
        """Name in words: ``pass rate``, ``pass^3`` or ``pass@3``."""
        if self.k == 1:
            return "pass rate"
        return f"pass{'^' if self.kind == 'pass_hat_k' else '@'}{self.k}"

    @property
    def mirrored(self) -> bool:
        """Whether it is one minus pass^k of the failures."""
        return self.kind == "pass_at_k"

    def of_rate(self, p: Array) -> Array:
        """Value at a known pass rate."""
        if not self.mirrored:
            return np.asarray(p**self.k)
        return np.asarray(-np.expm1(self.k * np.log1p(-np.minimum(p, 1.0 - 1e-16))))

    def rate_at(self, value: Array) -> tuple[Array, Array]:
        """Pass rate at which the value is reached, and its complement, each as itself."""
        with np.errstate(divide="ignore"):
            if not self.mirrored:
                log_p = np.log(value) / self.k
                return np.exp(log_p), -np.expm1(log_p)
            log_q = np.log1p(-value) / self.k
            return -np.expm1(log_q), np.exp(log_q)

    def of_counts(self, trials: int) -> Array:
        """Unbiased estimate for 0..trials passes, shape (trials + 1,)."""
        ways = comb(trials, self.k)
        values = np.array([comb(s, self.k) / ways for s in range(trials + 1)])
        return 1.0 - values[::-1] if self.mirrored else values


def _shares(y: Array, k: int) -> list[tuple[Array, Array]]:
    """Return c_j = kappa / (kappa + j) and d_j = j / (kappa + j) for j = 0..k - 1."""
    rho, rest = expit(y), expit(-y)
    totals = [rest + j * rho for j in range(k)]
    return [(rest / total, j * rho / total) for j, total in enumerate(totals)]


def log_rising(first: Array, other: Array, k: int) -> Array:
    """Log of E[p^k] for p ~ Beta(first, other), of their shape."""
    total = np.zeros(np.shape(first))
    for j in range(k):
        with np.errstate(divide="ignore", over="ignore"):
            total -= np.log1p(other / (first + j))
    return total


def beta_binomial_chances(alpha: Array, beta: Array, rollouts: int) -> Array:
    """Probabilities of 0..rollouts passes, shape ``alpha.shape + (rollouts + 1,)``.

    By the ratios of neighbouring chances, which keep their digits whatever the size of
    the parameters; differences of log beta functions lose all of them at kappa 1e15.
    """
    s = np.arange(float(rollouts))
    a, b = np.maximum(alpha, LEAST)[..., None], np.maximum(beta, LEAST)[..., None]
    chances = np.zeros((*np.shape(alpha), rollouts + 1))
    ratios = np.log((a + s) / (b + (rollouts - 1.0 - s))) + np.log((rollouts - s) / (s + 1.0))
    np.cumsum(ratios, axis=-1, out=chances[..., 1:])
    chances -= chances.max(axis=-1, keepdims=True)
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances


def blocks(rows: int, width: int) -> list[slice]:
    """Slices of a number of rows, so that each block holds about a million numbers."""
    size = max(1_000_000 // width, 1)
    return [slice(first, first + size) for first in range(0, rows, size)]


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
    shares = _shares(y, k)
    target = softplus(-z)  # -log pass^k
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
        slope *= expit(x)
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
    log_slope = -softplus(z) - np.log(slope)
    return np.asarray(x), np.asarray(log_slope)
