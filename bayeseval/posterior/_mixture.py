"""BetaMixture: one Beta or a mixture of many, in closed form."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._quadrature import log_sum
from bayeseval._special import expit, log_beta, log_expit
from bayeseval._validate import Seed, as_generator, as_sample_size, as_whole
from bayeseval.posterior._base import About, Posterior

__all__ = ["BetaMixture", "log_beta_tail"]

Array = npt.NDArray[np.float64]

Z_LIMIT = 740.0


def log_beta_tail(alpha: float, beta: float, x: float, complement: float) -> float:
    """Natural log of the regularised incomplete beta function I_x(alpha, beta).

    Keeps its digits where I_x itself underflows: there the continued fraction is
    summed on the log scale (NIST DLMF 8.17.22).

    Parameters
    ----------
    alpha, beta : float
        Parameters, above 0.
    x, complement : float
        The point and 1 - x, each as itself.
    """
    if x <= 0:
        return -np.inf
    value = float(special.betainc(alpha, beta, x))
    if 1e-280 < value < 0.5:
        return float(np.log(value))
    if value >= 0.5:
        return float(np.log1p(-special.betainc(beta, alpha, complement)))
    prefix = alpha * np.log(x) + beta * np.log(complement) - log_beta(alpha, beta)
    return float(prefix - np.log(alpha) + np.log(_continued_fraction(alpha, beta, x)))


def _continued_fraction(alpha: float, beta: float, x: float) -> float:
    """Continued fraction of I_x by the modified Lentz method; x below the mean."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (alpha + beta) * x / (alpha + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 100_000):
        even = m * (beta - m) * x / ((alpha + 2 * m - 1) * (alpha + 2 * m))
        odd = -(alpha + m) * (alpha + beta + m) * x / ((alpha + 2 * m) * (alpha + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return result


@dataclass(frozen=True, eq=False, repr=False)
class BetaMixture(Posterior):
    """A mixture of Beta distributions; a single Beta is the mixture of one.

    Parameters
    ----------
    weights, alpha, beta : ndarray, shape (n_components,)
        Mixture weights (made to sum to 1) and the Beta parameters, above 0.
    about : About
        What the quantity is.
    """

    weights: Array
    alpha: Array
    beta: Array
    about: About = field(default_factory=About)

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, dtype=float)
        kept = weights > 0
        for name, values in (
            ("weights", weights[kept] / weights[kept].sum()),
            ("alpha", np.asarray(self.alpha, dtype=float)[kept]),
            ("beta", np.asarray(self.beta, dtype=float)[kept]),
        ):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def n_components(self) -> int:
        """Number of Beta components."""
        return int(self.weights.size)

    @cached_property
    def _log_scale(self) -> Array:
        return np.asarray(np.log(self.weights) - log_beta(self.alpha, self.beta))

    @property
    def mean(self) -> float:
        return float(np.sum(self.weights * self.alpha / (self.alpha + self.beta)))

    @property
    def sd(self) -> float:
        total = self.alpha + self.beta
        means = self.alpha / total
        within = means * (self.beta / total) / (total + 1.0)
        between = (means - self.mean) ** 2
        return float(np.sqrt(np.sum(self.weights * (within + between))))

    def expect_pass_hat_k(self, k: int) -> float:
        """E[p^k]: the probability that k further attempts at the same rate all pass."""
        return self._rising(self.alpha, as_whole(k, "k", minimum=1))

    def expect_pass_at_k(self, k: int) -> float:
        """E[1 - (1 - p)^k]: the probability that at least one of k attempts passes."""
        count = as_whole(k, "k", minimum=1)
        return float(np.sum(self.weights * -np.expm1(self._log_rising(self.beta, count))))

    def _log_rising(self, numerator: Array, k: int) -> Array:
        total = self.alpha + self.beta
        if k <= 1000:
            steps = np.arange(k)[:, None]
            other = total - numerator
            return np.asarray(-np.sum(np.log1p(other / (numerator + steps)), axis=0))
        other = total - numerator
        return np.asarray(log_beta(numerator + k, other) - log_beta(numerator, other))

    def _rising(self, numerator: Array, k: int) -> float:
        return float(np.sum(self.weights * np.exp(self._log_rising(numerator, k))))

    # -- distribution -------------------------------------------------------------

    def _below(self, x: Array) -> Array:
        x = np.clip(x, 0.0, 1.0)
        return np.asarray(special.betainc(self.alpha, self.beta, x[:, None]) @ self.weights)

    def _above(self, x: Array) -> Array:
        x = np.clip(x, 0.0, 1.0)
        return np.asarray(special.betaincc(self.alpha, self.beta, x[:, None]) @ self.weights)

    def _below_z(self, z: Array) -> Array:
        """Pr[logit p <= z]; keeps its digits where p rounds to 1."""
        low = special.betainc(self.alpha, self.beta, expit(z)[:, None])
        high = special.betaincc(self.beta, self.alpha, expit(-z)[:, None])
        return np.asarray(np.where(z[:, None] < 0, low, high) @ self.weights)

    def _above_z(self, z: Array) -> Array:
        low = special.betaincc(self.alpha, self.beta, expit(z)[:, None])
        high = special.betainc(self.beta, self.alpha, expit(-z)[:, None])
        return np.asarray(np.where(z[:, None] < 0, low, high) @ self.weights)

    def log_density_z(self, z: Array) -> Array:
        """Log density of logit p, shape of z; finite wherever double precision reaches."""
        log_p, log_q = log_expit(z)
        logs = (
            self._log_scale
            + self.alpha * np.asarray(log_p)[..., None]
            + self.beta * np.asarray(log_q)[..., None]
        )
        return log_sum(logs)

    def _density(self, x: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            log_x, log_y = np.log(x)[:, None], np.log1p(-x)[:, None]
            # 0 * -inf: a parameter of exactly 1 leaves a finite density at the edge.
            left = np.where(self.alpha == 1.0, 0.0, (self.alpha - 1.0) * log_x)
            right = np.where(self.beta == 1.0, 0.0, (self.beta - 1.0) * log_y)
            terms = np.exp(left + right - log_beta(self.alpha, self.beta))
        inside = (x >= 0) & (x <= 1)
        return np.where(inside, terms @ self.weights, 0.0)

    def _quantile(self, q: Array) -> Array:
        if self.n_components == 1:
            return np.asarray(special.betaincinv(self.alpha[0], self.beta[0], q))
        inner = expit(self._quantile_z(np.clip(q, 1e-300, 1.0)))
        return np.where(q <= 0, 0.0, np.where(q >= 1, 1.0, inner))

    def _quantile_z(self, q: Array) -> Array:
        """Quantiles of logit p, by safeguarded Newton steps on the log of the nearer tail."""
        low, high = np.full(q.shape, -Z_LIMIT), np.full(q.shape, Z_LIMIT)
        mean = float(np.clip(self.mean, 1e-12, 1 - 1e-12))
        z = np.full(q.shape, np.log(mean / (1 - mean)))
        lower_side = q <= 0.5
        with np.errstate(divide="ignore"):
            target = np.where(lower_side, np.log(q), np.log1p(-q))
        for _ in range(200):
            tail = np.where(lower_side, self._below_z(z), self._above_z(z))
            slope = np.exp(self.log_density_z(z))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                error = np.log(tail) - target
                step = error * tail / slope
            # `error` rises with z for the lower tail and falls for the upper one.
            signed = np.where(lower_side, error, -error)
            high = np.where(signed > 0, z, high)
            low = np.where(signed <= 0, z, low)
            proposal = np.where(lower_side, z - step, z + step)
            good = np.isfinite(proposal) & (proposal > low) & (proposal < high)
            new = np.where(good, proposal, 0.5 * (low + high))
            moved = np.abs(new - z)
            z = new
            if bool(np.all(moved <= 1e-13 * np.maximum(1.0, np.abs(z)))):
                break
        return np.asarray(z)

    def log_prob_above(self, threshold: float) -> float:
        t = self._threshold(threshold)
        return self._log_tail(self.beta, self.alpha, 1.0 - t, t)

    def log_prob_below(self, threshold: float) -> float:
        t = self._threshold(threshold)
        return self._log_tail(self.alpha, self.beta, t, 1.0 - t)

    def _log_tail(self, first: Array, second: Array, x: float, complement: float) -> float:
        logs = [
            np.log(w) + log_beta_tail(float(a), float(b), x, complement)
            for w, a, b in zip(self.weights, first, second, strict=True)
        ]
        total = float(log_sum(np.array(logs)))
        if total < -0.5:
            return total
        # Near certainty the logarithm's digits lie in the other tail.
        other = [
            np.log(w) + log_beta_tail(float(b), float(a), complement, x)
            for w, a, b in zip(self.weights, first, second, strict=True)
        ]
        return float(np.log1p(-np.exp(log_sum(np.array(other)))))

    def sample(self, size: int, rng: Seed = None) -> Array:
        generator = as_generator(rng)
        count = as_sample_size(size)
        which = generator.choice(self.n_components, size=count, p=self.weights)
        return np.asarray(generator.beta(self.alpha[which], self.beta[which]))
