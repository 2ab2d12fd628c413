"""How many tasks tell two pass rates apart, where each system has tasks of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bayeseval._format import format_probability
from bayeseval._validate import one_of
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.plan._enumeration import MOST_ENUMERATED, TOO_MANY, Variance, unpaired_rejects
from bayeseval.plan._passes import as_tasks
from bayeseval.plan._power import as_power, as_rates, normal_power, round_up, tasks_real
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = ["UnpairedPower", "UnpairedSize", "unpaired_power", "unpaired_size"]


@dataclass(frozen=True, slots=True, repr=False)
class UnpairedPower(Plan):
    """Power of a two-sided test of two pass rates, each from its own tasks.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates.
    tasks : int
        Tasks of each side.
    alpha : float
        Two-sided level of the test.
    variance : {"pooled", "unpooled"}
        Standard error under equality that the formula takes.
    power : float
        Normal formula; the difference found in its true direction.
    power_both_tails : float
        With the chance added to find it in the wrong direction.
    exact_power : float or Unknown
        The z test with this variance, by enumeration of both binomials.
    """

    rate_from: float
    rate_to: float
    tasks: int
    alpha: float
    variance: Variance
    power: float
    power_both_tails: float
    exact_power: float | Unknown

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        exact = "" if isinstance(self.exact_power, Unknown) else f", exact {self.exact_power:.3f}"
        return (
            f"power {format_probability(self.power)}{exact}: {tasks_text(self.tasks)} a side, "
            f"{rate_text(self.rate_from)} against {rate_text(self.rate_to)}, two-sided alpha "
            f"{self.alpha:.10g}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class UnpairedSize(Plan):
    """How many tasks of each side tell two pass rates apart.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates.
    power : float
        The power asked for.
    alpha : float
        Two-sided level of the test.
    variance : {"pooled", "unpooled"}
        Standard error under equality that the formula takes.
    tasks : int
        Tasks of each side: the formula, rounded up.
    tasks_real : float
        The formula, not rounded.
    tasks_corrected : int
        With Fleiss's continuity correction, for Fisher's exact test or a corrected one.
    at : UnpairedPower
        The power with `tasks` a side.
    """

    rate_from: float
    rate_to: float
    power: float
    alpha: float
    variance: Variance
    tasks: int
    tasks_real: float
    tasks_corrected: int
    at: UnpairedPower

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        return (
            f"{tasks_text(self.tasks)} a side to tell {rate_text(self.rate_from)} from "
            f"{rate_text(self.rate_to)} (power {level_text(self.power)}, two-sided alpha "
            f"{self.alpha:.10g}, {self.variance}; {self.tasks_corrected:,} with continuity "
            f"correction)"
        )


def unpaired_size(
    rate_from: float,
    rate_to: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    variance: Variance = "pooled",
) -> UnpairedSize:
    """Find how many tasks a side tell two pass rates apart, from separate sets of tasks.

    Where both systems run the same tasks, `paired_size` needs fewer.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates to tell apart, 0-1, different.
    power : float, default 0.8
        Probability to find the difference, above alpha / 2 and below 1.
    alpha : float, default 0.05
        Two-sided level of the test, strictly between 0 and 1.
    variance : {"pooled", "unpooled"}, default "pooled"
        Standard error of the difference under equality: from the mean rate, as the usual
        test has it, or from both rates.

    Returns
    -------
    UnpairedSize

    Raises
    ------
    InputError
        If the rates are equal, or an argument is out of range.

    Notes
    -----
    With p = (p1 + p2) / 2, d = abs(p1 - p2), and z quantiles of the normal distribution [1]_,

        n = (z_(1-alpha/2) sqrt(2 p (1 - p)) + z_power sqrt(p1 q1 + p2 q2))^2 / d^2

    a side; ``"unpooled"`` has sqrt(p1 q1 + p2 q2) in both places. The continuity
    correction [2]_ is n / 4 (1 + sqrt(1 + 4 / (n d)))^2. The popular "180 runs
    find 85 % against 75 %" is not what this formula gives: it gives 250 a side.

    References
    ----------
    .. [1] Fleiss, J. L., Levin, B., & Paik, M. C. (2003). Statistical methods for rates
       and proportions, chapter 4. https://doi.org/10.1002/0471445428
    .. [2] Fleiss, J. L., Tytun, A., & Ury, H. K. (1980). A simple approximation for
       calculating sample sizes for comparing independent proportions.
       https://doi.org/10.2307/2529990

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.unpaired_size(0.85, 0.75).tasks
    250
    >>> be.plan.unpaired_size(0.85, 0.80).tasks
    906
    """
    p1, p2, level = as_rates(rate_from, rate_to, alpha)
    wanted = as_power(power, level)
    one_of(variance, Variance, "variance")
    under_equal, under_true = _spreads(p1, p2, variance)
    real = tasks_real(under_equal, under_true, abs(p1 - p2), level, wanted)
    corrected = real / 4 * (1 + math.sqrt(1 + 4 / (real * abs(p1 - p2)))) ** 2
    tasks = round_up(real)
    at = unpaired_power(p1, p2, tasks, alpha=level, variance=variance)
    return UnpairedSize(p1, p2, wanted, level, variance, tasks, real, round_up(corrected), at)


def unpaired_power(
    rate_from: float,
    rate_to: float,
    tasks: int,
    *,
    alpha: float = 0.05,
    variance: Variance = "pooled",
) -> UnpairedPower:
    """Power to tell two pass rates apart, with so many tasks a side.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates, 0-1, different.
    tasks : int
        Tasks of each side, one rollout each, at least 1.
    alpha, variance
        As in `unpaired_size`.

    Returns
    -------
    UnpairedPower
        By the normal formula, and by enumeration.

    Raises
    ------
    InputError
        If the rates are equal, or an argument is out of range.

    Notes
    -----
    Phi((sqrt(n) d - z sqrt(2 p (1 - p))) / sqrt(p1 q1 + p2 q2)) with d = abs(p1 - p2) and
    p = (p1 + p2) / 2. `exact_power` is the probability, under both binomials, that the z test
    rejects; two runs with the same result and no spread never do.

    Examples
    --------
    180 tasks a side find 85 % against 75 % in two of three attempts, not in four of five:

    >>> import bayeseval as be
    >>> be.plan.unpaired_power(0.85, 0.75, 180)
    power 0.661, exact 0.666: 180 tasks a side, 85 % against 75 %, two-sided alpha 0.05
    """
    p1, p2, level = as_rates(rate_from, rate_to, alpha)
    count = as_tasks(tasks)
    one_of(variance, Variance, "variance")
    under_equal, under_true = _spreads(p1, p2, variance)
    power, wrong = normal_power(under_equal, under_true, abs(p1 - p2), count, level)
    exact: float | Unknown = TOO_MANY
    if count <= MOST_ENUMERATED:
        exact = unpaired_rejects(p1, p2, count, normal_quantile(level / 2), variance)
    return UnpairedPower(p1, p2, count, level, variance, power, power + wrong, exact)


def _spreads(p1: float, p2: float, variance: Variance) -> tuple[float, float]:
    """Root of the variance of the difference times n: under equality, and in truth."""
    mean = (p1 + p2) / 2
    true = math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    return (math.sqrt(2 * mean * (1 - mean)) if variance == "pooled" else true), true
