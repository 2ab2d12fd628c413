"""How many tasks tell two pass rates apart, where both systems run the same tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bayeseval._format import format_probability
from bayeseval._validate import as_number, as_probability, shown
from bayeseval.errors import InputError
from bayeseval.plan._enumeration import MOST_ENUMERATED, TOO_MANY, paired_rejects
from bayeseval.plan._passes import as_tasks
from bayeseval.plan._power import as_power, as_rates, normal_power, round_up, tasks_real
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = ["PairedPower", "PairedSize", "paired_power", "paired_size"]


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
    p1, p2, level = as_rates(rate_from, rate_to, alpha)
    wanted = as_power(power, level)
    share = _discordant(p1, p2, discordant, correlation)
    difference = abs(p1 - p2)
    spread = math.sqrt(max(share - difference**2, 0.0))
    real = tasks_real(math.sqrt(share), spread, difference, level, wanted)
    tasks = round_up(real)
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
    p1, p2, level = as_rates(rate_from, rate_to, alpha)
    count = as_tasks(tasks)
    share = _discordant(p1, p2, discordant, correlation)
    difference = abs(p1 - p2)
    spread = math.sqrt(max(share - difference**2, 0.0))
    power, _ = normal_power(math.sqrt(share), spread, difference, count, level)
    z_test: float | Unknown = TOO_MANY
    exact_test: float | Unknown = TOO_MANY
    if count <= MOST_ENUMERATED:
        z_test, exact_test = paired_rejects(share, difference, count, level)
    return PairedPower(p1, p2, share, count, level, power, z_test, exact_test)


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
            raise InputError(f"correlation must be between -1 and 1; got {shown(correlation)}")
        scale = math.sqrt(p1 * (1 - p1) * p2 * (1 - p2))
        share = p1 * (1 - p2) + p2 * (1 - p1) - 2 * c * scale
        name, value = "correlation", c
    # 0.85 - 0.75 is not quite 0.1.
    if not low - 1e-12 <= share <= high + 1e-12:
        raise InputError(
            f"rates of {p1:g} and {p2:g} leave between {low:.6g} and {high:.6g} of the tasks "
            f"discordant; got {name} = {shown(value)}"
            + (f", which is {share:.6g}" if name == "correlation" else "")
        )
    return min(max(share, low), high)
