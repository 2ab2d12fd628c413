"""Averages over what is believed of the true value: how many releases are false, or missed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._special import expit, log_beta, log_binomial, log_expit
from bayeseval.conjugate import BetaPrior, MixturePrior
from bayeseval.decisions._chances import Chances, Enumerated
from bayeseval.decisions._question import SUPPORTED
from bayeseval.unknown import Unknown

__all__ = ["Shares", "flips"]

Array = npt.NDArray[np.float64]


def flips(found: Array) -> Array:
    """1 - sum of squares, from products, which do not cancel."""
    a, b, c = found[..., 0], found[..., 1], found[..., 2]
    return np.asarray(2 * (a * b + a * c + b * c))


@dataclass(frozen=True, slots=True)
class Shares:
    """Averages over what is believed of the true value.

    Parameters
    ----------
    good, bad : float
        Probabilities that the claim is true, and that it is false.
    false, missed, flip : float
        Pr[supported and false], Pr[not supported and true], Pr[two runs differ].
    errors_of : tuple of float
        Their Monte Carlo standard errors.
    """

    good: float
    bad: float
    false: float
    missed: float
    flip: float
    errors_of: tuple[float, float, float]

    @classmethod
    def over(
        cls,
        chances: Chances,
        bar: float,
        above: bool,
        design: BetaPrior | MixturePrior,
        grid: Array,
    ) -> Shares:
        """Integrate over the design; a system exactly on the bar has no probability."""
        edges = _edges(bar, grid)
        masses = np.diff(_cdf(design, edges))
        values = np.sin((np.arcsin(np.sqrt(edges[1:])) + np.arcsin(np.sqrt(edges[:-1]))) / 2) ** 2
        good = (values > bar) == above
        found, influence = chances.at(values)
        exact = isinstance(chances, Enumerated) and chances.question.functional.k == 1
        if exact:
            assert isinstance(chances, Enumerated)
            false, missed = _exact_errors(chances, design)
            flip = _exact_flip(chances, design)
            return cls(
                float(masses[good].sum()),
                float(masses[~good].sum()),
                false,
                missed,
                flip,
                (0, 0, 0),
            )
        parts = (
            np.tensordot(masses[~good], influence[~good][:, :, 2], 1),
            np.tensordot(masses[good], influence[good][:, :, 2], 1),
            2 * np.einsum("j,jnv,jv->n", masses, influence, found),
        )
        spread = [math.sqrt(float(np.sum(part**2))) for part in parts]
        return cls(
            float(masses[good].sum()),
            float(masses[~good].sum()),
            float(masses[~good] @ found[~good, 2]),
            float(masses[good] @ (found[good, 0] + found[good, 1])),
            float(masses @ flips(found)),
            (spread[0], spread[1], spread[2]),
        )

    def rates(self) -> tuple[float | Unknown, float | Unknown, float | Unknown]:
        """Conditional on false, on true, and on released."""
        released = self.false + self.good - self.missed
        none = Unknown("the design gives it no probability")
        return (
            self.false / self.bad if self.bad > 0 else none,
            self.missed / self.good if self.good > 0 else none,
            self.false / released if released > 1e-300 else Unknown("nothing is ever released"),
        )

    def errors(self) -> tuple[float, float, float]:
        """Monte Carlo errors of the first two and of the flip rate."""
        false, missed, flip = self.errors_of
        return (
            false / self.bad if self.bad > 0 else 0.0,
            missed / self.good if self.good > 0 else 0.0,
            flip,
        )


def _edges(bar: float, grid: Array) -> Array:
    """Cells of true values: fine around the bar, coarse elsewhere, cut at the bar."""
    angles = np.arcsin(np.sqrt(grid))
    fine = np.linspace(angles.min(), angles.max(), 73)
    coarse = np.linspace(0.0, math.pi / 2, 33)
    together = np.unique(np.concatenate([fine, coarse, [math.asin(math.sqrt(bar))]]))
    edges = np.sin(together) ** 2
    edges[np.argmin(np.abs(edges - bar))] = bar
    edges[0], edges[-1] = 0.0, 1.0
    return np.asarray(edges)


def _cdf(design: BetaPrior | MixturePrior, x: Array) -> Array:
    weight, alpha, beta = np.array(design.components).T
    return np.asarray(special.betainc(alpha, beta, x[:, None]) @ weight)


def _exact_errors(chances: Enumerated, design: BetaPrior | MixturePrior) -> tuple[float, float]:
    """Pr[supported and false] and Pr[not supported and true], summed over all results."""
    n, question = chances.tasks, chances.question
    s = np.arange(n + 1.0)
    supported = chances.codes == SUPPORTED
    false = missed = 0.0
    tails = (special.betainc, special.betaincc)
    contrary, claim = tails if question.above else tails[::-1]
    for weight, alpha, beta in design.components:
        a, b = alpha + s, beta + n - s
        mass = weight * np.exp(log_binomial(n, s) + log_beta(a, b) - log_beta(alpha, beta))
        false += float(mass[supported] @ contrary(a, b, question.bar)[supported])
        missed += float(mass[~supported] @ claim(a, b, question.bar)[~supported])
    return false, missed


def _exact_flip(chances: Enumerated, design: BetaPrior | MixturePrior) -> float:
    """Average flip rate, by the trapezoid rule on the logit scale, where it is spectral."""
    n = chances.tasks
    parameters = [max(alpha, beta) for _, alpha, beta in design.components]
    step = 0.4 / math.sqrt(max(n, *parameters))
    # Beyond this rate two runs hardly ever differ: n failures in a billion billion.
    reach = 45.0 + math.log(n)
    z = np.arange(-reach, reach + step, step)
    density = np.zeros(z.size)
    log_p, log_q = log_expit(z)
    for weight, alpha, beta in design.components:
        logs = alpha * log_p + beta * log_q
        density += weight * np.exp(logs - log_beta(alpha, beta))
    # Flips are symmetric in the sign of z, but digits near a rate of 1 are lost: as 1 - 1e-17.
    return float(step * np.sum(density * flips(chances.of_rate(expit(z)))))
