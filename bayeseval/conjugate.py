"""The Beta-binomial model: priors, posteriors and predictions.

Right for one rollout per task, or for any set of independent trials at one rate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._difference import difference
from bayeseval._interval import Interval
from bayeseval._quadrature import log_sum
from bayeseval._special import expit, log_beta
from bayeseval._validate import (
    as_number,
    as_positive,
    as_probability,
    as_whole,
    one_of,
    shown,
)
from bayeseval.errors import InputError
from bayeseval.posterior import (
    About,
    BetaMixture,
    DiscretePosterior,
)
from bayeseval.unknown import Unknown

__all__ = [
    "BetaPosterior",
    "BetaPrior",
    "MixturePrior",
    "PriorLike",
    "beta_posterior",
    "difference",
]

Array = npt.NDArray[np.float64]
PriorName = Literal["uniform", "jeffreys"]

# A prediction holds one probability for each number of passes.
MOST_PREDICTED = 10_000_000

NAMED_PRIORS: dict[str, tuple[float, float]] = {"uniform": (1.0, 1.0), "jeffreys": (0.5, 0.5)}


@dataclass(frozen=True, slots=True)
class BetaPrior:
    """Beta prior on a pass rate.

    Parameters
    ----------
    alpha, beta : float, default 1
        Parameters, above 0. Their sum is the prior's weight in trials: Beta(8, 2) weighs
        as much as 10 trials of which 8 passed.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.BetaPrior.from_mean(0.85, 20)
    BetaPrior(alpha=17.0, beta=3.0)
    """

    alpha: float = 1.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", as_positive(self.alpha, "alpha"))
        object.__setattr__(self, "beta", as_positive(self.beta, "beta"))

    @classmethod
    def from_mean(cls, mean: float, weight: float) -> BetaPrior:
        """Beta prior with a given mean and a weight in trials.

        Parameters
        ----------
        mean : float
            Prior mean, strictly between 0 and 1.
        weight : float
            How many trials the prior counts for, above 0 (alpha + beta).
        """
        centre = as_probability(mean, "mean", open_ends=True)
        size = as_positive(weight, "weight")
        # 0.15 * 20 should read 3, not 3.0000000000000004.
        return cls(float(f"{centre * size:.14g}"), float(f"{(1.0 - centre) * size:.14g}"))

    @classmethod
    def named(cls, name: PriorName) -> BetaPrior:
        """Prior by name: ``"uniform"`` is Beta(1, 1), ``"jeffreys"`` is Beta(1/2, 1/2)."""
        return cls(*NAMED_PRIORS[one_of(name, PriorName, "prior")])

    @property
    def components(self) -> tuple[tuple[float, float, float], ...]:
        """``(weight, alpha, beta)`` of each component."""
        return ((1.0, self.alpha, self.beta),)

    def __str__(self) -> str:
        return f"Beta({self.alpha:g}, {self.beta:g})"


@dataclass(frozen=True, slots=True)
class MixturePrior:
    """Mixture of Beta priors, such as "probably like last time, perhaps not".

    Parameters
    ----------
    components : sequence of (weight, alpha, beta)
        Weights above 0 that sum to 1 (to 1e-6), and Beta parameters above 0.

    Examples
    --------
    >>> import bayeseval as be
    >>> prior = be.MixturePrior(((0.5, 1, 1), (0.5, 30, 3)))
    >>> be.beta_posterior(17, 20, prior=prior)
    pass rate: 86.9 % (95 % CrI 70.7-95.5 %, n = 20 tasks)
    """

    components: tuple[tuple[float, float, float], ...]

    def __post_init__(self) -> None:
        try:
            given = [tuple(row) for row in self.components]
        except TypeError:
            given = []
        if not given or any(len(row) != 3 for row in given):
            raise InputError(
                f"components must be (weight, alpha, beta) triples; got {shown(self.components)}"
            )
        names = ("weight", "alpha", "beta")
        rows = [tuple(map(as_number, row, names)) for row in given]
        if any(v <= 0 for row in rows for v in row):
            raise InputError(
                f"weights, alpha and beta must be above 0; got {shown(self.components)}"
            )
        total = sum(row[0] for row in rows)
        if abs(total - 1.0) > 1e-6:
            raise InputError(f"the mixture's weights must sum to 1; they sum to {total:.10g}")
        object.__setattr__(self, "components", tuple((w / total, a, b) for w, a, b in rows))

    def __str__(self) -> str:
        return " + ".join(f"{w:g} Beta({a:g}, {b:g})" for w, a, b in self.components)


PriorLike = (
    PriorName | str | tuple[float, float] | list[float] | BetaPrior | MixturePrior | BetaMixture
)


def as_prior(prior: object) -> BetaPrior | MixturePrior:
    """Return the prior that a name, a pair, a prior or an earlier posterior stands for."""
    if isinstance(prior, BetaPrior | MixturePrior):
        return prior
    if isinstance(prior, str):
        return BetaPrior.named(one_of(prior, PriorName, "prior"))
    if isinstance(prior, BetaMixture):
        return _from_components(prior.weights, prior.alpha, prior.beta)
    if isinstance(prior, tuple | list) and len(prior) == 2:
        return BetaPrior(*prior)
    names = ", ".join(repr(name) for name in get_args(PriorName))
    raise InputError(
        f"prior must be one of {names}, a pair (alpha, beta), a BetaPrior, a MixturePrior or an "
        f"earlier posterior; got {shown(prior)}"
    )


def _from_components(weights: Array, alpha: Array, beta: Array) -> BetaPrior | MixturePrior:
    if weights.size == 1:
        return BetaPrior(float(alpha[0]), float(beta[0]))
    # A component that the data rule out has a weight that underflows to 0.
    rows = zip(weights.tolist(), alpha.tolist(), beta.tolist(), strict=True)
    return MixturePrior(tuple(row for row in rows if row[0] > 0))


def _update(
    prior: BetaPrior | MixturePrior, passes: float, failures: float
) -> tuple[Array, Array, Array, float]:
    """Posterior weights, alpha, beta and the log marginal likelihood of the sequence."""
    weight, alpha, beta = np.array(prior.components).T
    logs = np.log(weight) + log_beta(alpha + passes, beta + failures) - log_beta(alpha, beta)
    log_marginal = float(log_sum(logs))
    return np.exp(logs - log_marginal), alpha + passes, beta + failures, log_marginal


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BetaPosterior(BetaMixture):
    """Posterior of a pass rate from independent trials.

    Made by `beta_posterior`; a Beta distribution, or a mixture of Betas under a
    mixture prior.

    Parameters
    ----------
    passes, trials : int
        The data.
    prior : BetaPrior or MixturePrior
        The prior that was updated.
    """

    passes: int
    trials: int
    prior: BetaPrior | MixturePrior

    @property
    def mode(self) -> float | Unknown:
        """Posterior mode; `Unknown` where it is not unique."""
        if self.n_components > 1:
            return self._mode_of_mixture()
        a, b = float(self.alpha[0]), float(self.beta[0])
        if a > 1 and b > 1:
            return (a - 1.0) / (a + b - 2.0)
        if a == 1 and b == 1:
            return Unknown("a flat density has no single mode")
        if a < 1 and b < 1:
            return Unknown("the density rises without bound at both 0 and 1")
        return 1.0 if a >= 1 >= b else 0.0

    def _mode_of_mixture(self) -> float | Unknown:
        """Highest of the humps: where the slope turns from rising to falling, and the ends."""
        at_zero, at_one = bool(np.any(self.alpha < 1)), bool(np.any(self.beta < 1))
        if at_zero and at_one:
            return Unknown("the density rises without bound at both 0 and 1")
        if at_zero or at_one:
            return float(at_one)
        # Every hump lies where some component has mass.
        levels = expit(np.linspace(-16, 16, 129))
        points = np.unique(special.betaincinv(self.alpha, self.beta, levels[:, None]))
        points = points[(points > 0) & (points < 1)]
        slope = self._slope(points)
        turns = np.flatnonzero((slope[:-1] > 0) & (slope[1:] <= 0))
        low, high = points[turns], points[turns + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            rising = self._slope(middle) > 0
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        candidates = np.concatenate([0.5 * (low + high), [0.0, 1.0]])
        heights = self._density(candidates)
        highest = candidates[heights >= heights.max() * (1.0 - 1e-12)]
        if np.ptp(highest) > 0:
            return Unknown("the density is equally high in several places")
        return float(highest[0])

    def _slope(self, x: Array) -> Array:
        """Sign and relative size of the density's slope at each point inside (0, 1)."""
        log_p, log_q = np.log(x)[:, None], np.log1p(-x)[:, None]
        logs = (
            np.log(self.weights)
            - log_beta(self.alpha, self.beta)
            + self.alpha * log_p
            + self.beta * log_q
        )
        scaled = np.exp(logs - logs.max(axis=1, keepdims=True))
        growth = (self.alpha - 1.0) * (1.0 - x[:, None]) - (self.beta - 1.0) * x[:, None]
        return np.asarray(np.sum(scaled * growth, axis=1))

    def hdi(self, prob: float = 0.95) -> Interval | Unknown:
        """Highest-density interval, to full precision where the posterior is one Beta.

        Parameters
        ----------
        prob : float, default 0.95
            Posterior probability inside, strictly between 0 and 1.

        Returns
        -------
        Interval or Unknown
            ``[0, Q(prob)]`` for a falling density, ``[Q(1 - prob), 1]`` for a rising
            one; `Unknown` where two intervals are equally short.
        """
        if self.n_components > 1:
            return super().hdi(prob)
        level = as_probability(prob, "prob", open_ends=True)
        a, b = float(self.alpha[0]), float(self.beta[0])
        low, high = self._quantile(np.array([1.0 - level, level]))
        to_one, to_zero = (
            Interval(float(low), 1.0, level, "hdi"),
            Interval(0.0, float(high), level, "hdi"),
        )
        if a == 1 and b == 1:
            return Interval(0.5 - level / 2, 0.5 + level / 2, level, "hdi")
        if a < 1 and b < 1:
            if a == b:
                return Unknown("two intervals are equally short: one at 0 and one at 1")
            return to_one if to_one.width < to_zero.width else to_zero
        if a <= 1 or b <= 1:
            return to_one if a >= b else to_zero
        return self._interior_hdi(level, a, b)

    def _interior_hdi(self, level: float, a: float, b: float) -> Interval:
        """Bisect on the lower tail until the density is equal at both ends."""
        below, above = 0.0, 1.0 - level
        for _ in range(200):
            tail = 0.5 * (below + above)
            ends = np.array(
                [special.betaincinv(a, b, tail), special.betaincinv(a, b, tail + level)]
            )
            if tail in (below, above):
                break
            with np.errstate(divide="ignore"):
                left, right = (a - 1.0) * np.log(ends) + (b - 1.0) * np.log1p(-ends)
            below, above = (tail, above) if left < right else (below, tail)
        return Interval(float(ends[0]), float(ends[1]), level, "hdi")

    @property
    def log_marginal(self) -> float:
        """Natural log of the probability of the ordered outcomes under the prior."""
        return _update(self.prior, self.passes, self.trials - self.passes)[3]

    def predictive(self, m: int) -> DiscretePosterior:
        """Number of passes in the next `m` independent tasks.

        Parameters
        ----------
        m : int
            Number of further tasks, 1 to 10,000,000.

        Returns
        -------
        DiscretePosterior
            On 0..m; ``.prob_at_least(r)`` is Pr[at least r of m pass].
        """
        count = as_whole(m, "m", minimum=1)
        if count > MOST_PREDICTED:
            raise InputError(f"m must be at most {MOST_PREDICTED:,}; got {shown(m)}")
        values = np.arange(count + 1.0)
        probability = np.zeros(count + 1)
        for weight, alpha, beta in zip(self.weights, self.alpha, self.beta, strict=True):
            probability += weight * _beta_binomial(count, float(alpha), float(beta))
        about = replace(
            self.about, quantity=f"passes in the next {count} tasks", population=None, unit="number"
        )
        return DiscretePosterior(values, probability, about, (0.0, float(count)))

    def log_bayes_factor_above(self, threshold: float) -> float:
        """Natural log of the Bayes factor for p > threshold against p <= threshold.

        The posterior odds divided by the prior odds; above 0 speaks for p > threshold.

        Parameters
        ----------
        threshold : float
            Strictly between 0 and 1: at an end one of the two hypotheses is empty.
        """
        as_probability(threshold, "threshold", open_ends=True)
        before = BetaMixture(*np.array(self.prior.components).T)
        posterior = self.log_prob_above(threshold) - self.log_prob_below(threshold)
        return posterior - (before.log_prob_above(threshold) - before.log_prob_below(threshold))

    def bayes_factor_above(self, threshold: float) -> float:
        """Bayes factor for p > threshold against p <= threshold (inf beyond 1e308).

        Parameters
        ----------
        threshold : float
            Strictly between 0 and 1.
        """
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_bayes_factor_above(threshold)))

    def log_bayes_factor_point(self, value: float) -> float:
        """Natural log of the Bayes factor for "p ~ prior" against "p = value" exactly.

        Parameters
        ----------
        value : float
            The exact rate, strictly between 0 and 1.
        """
        point = as_probability(value, "value", open_ends=True)
        failures = self.trials - self.passes
        at_point = self.passes * np.log(point) + failures * np.log1p(-point)
        return float(self.log_marginal - at_point)

    def discounted(self, power: float) -> BetaPrior | MixturePrior:
        """Prior for the next run: this run with its data discounted by a power.

        The power prior: the original prior updated with the likelihood raised to
        `power`. 0 forgets the run, 1 counts it whole.

        Parameters
        ----------
        power : float
            Share of the data that still counts, 0-1.

        References
        ----------
        .. [1] Ibrahim and Chen (2000), Power prior distributions for regression models,
           Statistical Science 15, 46-60. https://doi.org/10.1214/ss/1009212673

        Examples
        --------
        >>> import bayeseval as be
        >>> last = be.beta_posterior(80, 100)
        >>> last.discounted(0.5)
        BetaPrior(alpha=41.0, beta=11.0)
        """
        share = as_probability(power, "power")
        failures = self.trials - self.passes
        weights, alpha, beta, _ = _update(self.prior, share * self.passes, share * failures)
        return _from_components(weights, alpha, beta)


def _beta_binomial(m: int, alpha: float, beta: float) -> Array:
    """Pr[r of m pass] for r = 0..m, by ratios of neighbours outwards from the likeliest.

    A difference of log gammas would lose the digits that alpha and beta are large by.
    """
    r = np.arange(float(m))
    log_ratio = np.log((m - r) / (r + 1.0)) + np.log((alpha + r) / (beta + (m - 1.0 - r)))
    top = int(np.argmax(np.concatenate([[0.0], np.cumsum(log_ratio)])))
    downwards = np.cumsum(-log_ratio[:top][::-1])[::-1]
    shape = np.exp(np.concatenate([downwards, [0.0], np.cumsum(log_ratio[top:])]))
    return np.asarray(shape / shape.sum())


def beta_posterior(passes: int, trials: int, *, prior: PriorLike = "uniform") -> BetaPosterior:
    """Posterior of a pass rate from independent trials.

    Parameters
    ----------
    passes : int
        How many trials passed, 0 to `trials`.
    trials : int
        How many trials there were; 0 returns the prior.
    prior : str, pair, BetaPrior, MixturePrior or posterior, default "uniform"
        ``"uniform"`` (Beta(1, 1)), ``"jeffreys"`` (Beta(1/2, 1/2)), a pair
        ``(alpha, beta)``, `BetaPrior`, `MixturePrior`, or an earlier posterior
        (``earlier.discounted(0.5)`` counts half of it).

    Returns
    -------
    BetaPosterior
        Answers `mean`, `eti`, `hdi`, `prob_above`, `predictive` and more.

    Raises
    ------
    InputError
        If the counts are negative, not whole, or passes exceed trials.

    Notes
    -----
    p ~ Beta(a, b) and s of n passed give p | s ~ Beta(a + s, b + n - s). Trials must be
    independent: one rollout per task. Several rollouts of one task are not; use `fit`.

    Examples
    --------
    >>> import bayeseval as be
    >>> posterior = be.beta_posterior(194, 200)
    >>> posterior
    pass rate: 96.5 % (95 % CrI 93.6-98.6 %, n = 200 tasks)
    >>> round(posterior.prob_above(0.95), 4)
    0.8793
    """
    s, n = as_whole(passes, "passes"), as_whole(trials, "trials")
    if s > n:
        raise InputError(f"passes must not exceed trials; got {s} of {n}")
    chosen = as_prior(prior)
    weights, alpha, beta, _ = _update(chosen, s, n - s)
    about = About("pass rate", "conjugate", None, n)
    return BetaPosterior(weights, alpha, beta, about, passes=s, trials=n, prior=chosen)
