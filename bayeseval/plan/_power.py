"""How many tasks tell two pass rates apart: two separate runs, or one set of tasks run twice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._format import format_probability
from bayeseval._special import log_binomial
from bayeseval._validate import as_number, as_probability, one_of
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.errors import InputError
from bayeseval.plan._passes import as_tasks
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.plan._search import MOST_TASKS
from bayeseval.unknown import Unknown

__all__ = [
    "PairedPower",
    "PairedSize",
    "UnpairedPower",
    "UnpairedSize",
    "Variance",
    "paired_power",
    "paired_size",
    "unpaired_power",
    "unpaired_size",
]

Array = npt.NDArray[np.float64]
Variance = Literal["pooled", "unpooled"]

# Beyond this the normal formula and the enumeration agree to more digits than anybody reads.
MOST_ENUMERATED = 50_000
_TOO_MANY = Unknown(f"not enumerated beyond {MOST_ENUMERATED:,} tasks")
# Probabilities that are left out of an enumeration: below exp(-50) of the largest.
DROP = 50.0


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
    p1, p2, level = _rates(rate_from, rate_to, alpha)
    wanted = _as_power(power, level)
    one_of(variance, Variance, "variance")
    under_equal, under_true = _spreads(p1, p2, variance)
    real = _formula(under_equal, under_true, abs(p1 - p2), level, wanted)
    corrected = real / 4 * (1 + math.sqrt(1 + 4 / (real * abs(p1 - p2)))) ** 2
    tasks = _round_up(real)
    at = unpaired_power(p1, p2, tasks, alpha=level, variance=variance)
    return UnpairedSize(p1, p2, wanted, level, variance, tasks, real, _round_up(corrected), at)


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
    p1, p2, level = _rates(rate_from, rate_to, alpha)
    count = as_tasks(tasks)
    one_of(variance, Variance, "variance")
    under_equal, under_true = _spreads(p1, p2, variance)
    power, wrong = _normal_power(under_equal, under_true, abs(p1 - p2), count, level)
    exact: float | Unknown = _TOO_MANY
    if count <= MOST_ENUMERATED:
        exact = _enumerated(p1, p2, count, normal_quantile(level / 2), variance)
    return UnpairedPower(p1, p2, count, level, variance, power, power + wrong, exact)


@dataclass(frozen=True, slots=True, repr=False)
class PairedPower(Plan):
    """Power of McNemar's test: both systems run the same tasks, one rollout each.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates.
    discordant : float
        Share of tasks with different outcomes of the two, 0-1.
    tasks : int
        Tasks that both run.
    alpha : float
        Two-sided level of the test.
    power : float
        Normal formula; the difference found in its true direction.
    exact_power : float or Unknown
        McNemar's test without continuity correction, by enumeration.
    exact_test_power : float or Unknown
        The exact binomial test on discordant tasks, by enumeration.
    """

    rate_from: float
    rate_to: float
    discordant: float
    tasks: int
    alpha: float
    power: float
    exact_power: float | Unknown
    exact_test_power: float | Unknown

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        exact = "" if isinstance(self.exact_power, Unknown) else f", exact {self.exact_power:.3f}"
        return (
            f"power {format_probability(self.power)}{exact}: {tasks_text(self.tasks)}, each run "
            f"by both, {rate_text(self.rate_from)} against {rate_text(self.rate_to)}, "
            f"{rate_text(float(f'{self.discordant:.4g}'))} discordant, two-sided alpha "
            f"{self.alpha:.10g}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class PairedSize(Plan):
    """How many tasks, run by both systems, tell two pass rates apart.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates.
    discordant : float
        Share of tasks with different outcomes of the two, 0-1.
    power : float
        The power asked for.
    alpha : float
        Two-sided level of the test.
    tasks : int
        The formula, rounded up.
    tasks_real : float
        The formula, not rounded.
    at : PairedPower
        The power with `tasks`.
    """

    rate_from: float
    rate_to: float
    discordant: float
    power: float
    alpha: float
    tasks: int
    tasks_real: float
    at: PairedPower

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        return (
            f"{tasks_text(self.tasks)}, each run by both, to tell {rate_text(self.rate_from)} "
            f"from {rate_text(self.rate_to)} with {rate_text(float(f'{self.discordant:.4g}'))} "
            f"discordant (power {level_text(self.power)}, two-sided alpha {self.alpha:.10g})"
        )


def paired_size(
    rate_from: float,
    rate_to: float,
    *,
    discordant: float | None = None,
    correlation: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> PairedSize:
    """Find how many tasks, run by both systems, tell two pass rates apart.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates to tell apart, 0-1, different.
    discordant : float, optional
        Share of tasks that one system passes and the other fails, at least
        ``abs(rate_to - rate_from)``.
    correlation : float, optional
        Instead of `discordant`: correlation of the two outcomes of a task, -1 to 1. 0 if
        what one passes says nothing about the other; systems that resemble each other
        have more, and need fewer tasks.
    power : float, default 0.8
        Probability to find the difference, above alpha / 2 and below 1.
    alpha : float, default 0.05
        Two-sided level of McNemar's test, strictly between 0 and 1.

    Returns
    -------
    PairedSize

    Raises
    ------
    InputError
        If the rates are equal, if not exactly one of `discordant` and `correlation` is
        given, if no tasks can have these shares, or an argument is out of range.

    Notes
    -----
    With d = rate_to - rate_from and D the discordant share [1]_,

        n = (z_(1-alpha/2) sqrt(D) + z_power sqrt(D - d^2))^2 / d^2

    A correlation c stands for D = p1 q2 + p2 q1 - 2 c sqrt(p1 q1 p2 q2).

    References
    ----------
    .. [1] Connor, R. J. (1987). Sample size for testing differences in proportions for
       the paired-sample design. https://doi.org/10.2307/2531961

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.paired_size(0.85, 0.75, discordant=0.2).tasks
    155
    >>> be.plan.paired_size(0.85, 0.75, correlation=0.5).tasks
    132
    """
    p1, p2, level = _rates(rate_from, rate_to, alpha)
    wanted = _as_power(power, level)
    share = _discordant(p1, p2, discordant, correlation)
    difference = abs(p1 - p2)
    spread = math.sqrt(max(share - difference**2, 0.0))
    real = _formula(math.sqrt(share), spread, difference, level, wanted)
    tasks = _round_up(real)
    at = paired_power(p1, p2, tasks, discordant=share, alpha=level)
    return PairedSize(p1, p2, share, wanted, level, tasks, real, at)


def paired_power(
    rate_from: float,
    rate_to: float,
    tasks: int,
    *,
    discordant: float | None = None,
    correlation: float | None = None,
    alpha: float = 0.05,
) -> PairedPower:
    """Power to tell two pass rates apart where both systems run the same tasks.

    Parameters
    ----------
    rate_from, rate_to : float
        The true pass rates, 0-1, different.
    tasks : int
        Tasks that both run, one rollout each, at least 1.
    discordant, correlation, alpha
        As in `paired_size`.

    Returns
    -------
    PairedPower
        By the normal formula, and by enumeration for two tests.

    Raises
    ------
    InputError
        As in `paired_size`.

    Notes
    -----
    Phi((sqrt(n) d - z sqrt(D)) / sqrt(D - d^2)) with d = abs(rate_to - rate_from). The
    enumeration runs over the number m of discordant tasks, Binomial(n, D), and how many of
    them favour either system. The z test rejects where (b - c)^2 / (b + c) >= z^2; the exact
    test doubles the smaller tail of Binomial(m, 1/2), and never exceeds its level.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.paired_power(0.85, 0.75, 155, discordant=0.2).power > 0.8
    True
    """
    p1, p2, level = _rates(rate_from, rate_to, alpha)
    count = as_tasks(tasks)
    share = _discordant(p1, p2, discordant, correlation)
    difference = abs(p1 - p2)
    spread = math.sqrt(max(share - difference**2, 0.0))
    power, _ = _normal_power(math.sqrt(share), spread, difference, count, level)
    z_test: float | Unknown = _TOO_MANY
    exact_test: float | Unknown = _TOO_MANY
    if count <= MOST_ENUMERATED:
        z_test, exact_test = _enumerated_paired(share, difference, count, level)
    return PairedPower(p1, p2, share, count, level, power, z_test, exact_test)


# -- at the door ----------------------------------------------------------------------


def _rates(rate_from: float, rate_to: float, alpha: float) -> tuple[float, float, float]:
    p1, p2 = as_probability(rate_from, "rate_from"), as_probability(rate_to, "rate_to")
    if p1 == p2:
        raise InputError(
            f"rate_from and rate_to must differ: no number of tasks tells {p1!r} from itself"
        )
    return p1, p2, as_probability(alpha, "alpha", open_ends=True)


def _as_power(power: float, alpha: float) -> float:
    wanted = as_probability(power, "power", open_ends=True)
    if wanted <= alpha / 2:
        raise InputError(
            f"power must exceed alpha / 2 = {alpha / 2:.10g}, which luck alone reaches; "
            f"got {power!r}"
        )
    return wanted


def _discordant(p1: float, p2: float, discordant: float | None, correlation: float | None) -> float:
    """Share of discordant tasks, checked against what the two rates allow."""
    if (discordant is None) == (correlation is None):
        raise InputError(
            "give exactly one of discordant, the share of tasks with different outcomes, and "
            "correlation, that of the two outcomes of a task"
        )
    low, high = abs(p1 - p2), min(p1 + p2, 2 - p1 - p2)
    if discordant is not None:
        share = as_probability(discordant, "discordant")
        name, value = "discordant", discordant
    else:
        c = as_number(correlation, "correlation")
        if not -1 <= c <= 1:
            raise InputError(f"correlation must be between -1 and 1; got {correlation!r}")
        scale = math.sqrt(p1 * (1 - p1) * p2 * (1 - p2))
        share = p1 * (1 - p2) + p2 * (1 - p1) - 2 * c * scale
        name, value = "correlation", c
    # 0.85 - 0.75 is not quite 0.1.
    if not low - 1e-12 <= share <= high + 1e-12:
        raise InputError(
            f"rates of {p1:g} and {p2:g} leave between {low:.6g} and {high:.6g} of the tasks "
            f"discordant; got {name} = {value!r}"
            + (f", which is {share:.6g}" if name == "correlation" else "")
        )
    return min(max(share, low), high)


# -- formulas ---------------------------------------------------------------------------


def _spreads(p1: float, p2: float, variance: Variance) -> tuple[float, float]:
    """Root of the variance of the difference times n: under equality, and in truth."""
    mean = (p1 + p2) / 2
    true = math.sqrt(p1 * (1 - p1) + p2 * (1 - p2))
    return (math.sqrt(2 * mean * (1 - mean)) if variance == "pooled" else true), true


def _formula(
    under_equal: float, under_true: float, difference: float, alpha: float, power: float
) -> float:
    z, z_power = normal_quantile(alpha / 2), normal_quantile(1 - power)
    root = max(z * under_equal + z_power * under_true, 0.0)
    real = (root / difference) ** 2
    if real > MOST_TASKS:
        raise InputError(
            f"more than {MOST_TASKS:,} tasks would be needed: name rates that lie further apart"
        )
    return real


def _round_up(real: float) -> int:
    return max(math.ceil(real), 1)


def _normal_power(
    under_equal: float, under_true: float, difference: float, tasks: int, alpha: float
) -> tuple[float, float]:
    """Probabilities to find the difference in its true, and in the wrong direction."""
    z, shift = normal_quantile(alpha / 2) * under_equal, math.sqrt(tasks) * difference
    if under_true == 0:
        # Both outcomes are certain, and so is the test's.
        return float(shift >= z), 0.0
    return (
        float(special.ndtr((shift - z) / under_true)),
        float(special.ndtr((-shift - z) / under_true)),
    )


# -- enumeration ------------------------------------------------------------------------


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


def _enumerated(p1: float, p2: float, n: int, z: float, variance: Variance) -> float:
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
        rejects = (n * (s1 - second) ** 2 >= z * z * spread) & (s1 != second)
        total += float(chance[start : start + 256] @ (rejects @ other))
    return min(total, 1.0)


def _enumerated_paired(
    share: float, difference: float, n: int, alpha: float
) -> tuple[float, float]:
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
