"""Rare failures: clean runs, bounds on a failure rate, and runs that show a failure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext

from scipy import special

from bayeseval._format import format_percent
from bayeseval._validate import as_probability, as_whole
from bayeseval.errors import InputError
from bayeseval.plan._result import Plan, as_fraction, level_text, rate_text, tasks_text
from bayeseval.plan._search import MOST_TASKS, first_true
from bayeseval.unknown import Unknown

__all__ = ["CleanRun", "FailureBound", "SeenFailure", "clean_run", "failure_bound", "see_failure"]

# Digits in which powers are compared, so that 0.1 ** 2 against 0.01 is a tie.
DIGITS = 60
RELATIVE = Decimal("1e-45")


@dataclass(frozen=True, slots=True, repr=False)
class CleanRun(Plan):
    """How many tasks without a failure bound the failure rate.

    Parameters
    ----------
    max_failure_rate : float
        The bound to show, 0-1.
    confidence : float
        One-sided confidence of the bound.
    tasks : int
        Smallest n with (1 - r)^n <= 1 - confidence: exact.
    tasks_uniform : int
        The same for the posterior under a uniform prior: (1 - r)^(n + 1).
    tasks_rule_of_three : int
        The rule of thumb 3 / r, rounded up. It stands for 95 % only, whatever `confidence`.
    """

    max_failure_rate: float
    confidence: float
    tasks: int
    tasks_uniform: int
    tasks_rule_of_three: int

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        return (
            f"{tasks_text(self.tasks)} without a failure show a failure rate of at most "
            f"{rate_text(self.max_failure_rate)} ({level_text(self.confidence)}, one-sided; "
            f"uniform prior {self.tasks_uniform:,}; rule of three, for 95 %, "
            f"{self.tasks_rule_of_three:,})"
        )


def clean_run(max_failure_rate: float, *, confidence: float = 0.95) -> CleanRun:
    """Find how many tasks must all pass to bound the failure rate.

    Parameters
    ----------
    max_failure_rate : float
        The failure rate r to rule out, strictly between 0 and 1.
    confidence : float, default 0.95
        One-sided confidence, strictly between 0 and 1.

    Returns
    -------
    CleanRun
        `tasks`; the uniform prior's number and the rule of three stand beside it.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    With failure rate r, n tasks all pass with probability (1 - r)^n. The smallest n for
    which that is at most 1 - confidence is ln(1 - confidence) / ln(1 - r), rounded up.
    At 95 % -ln(0.05) = 2.996, hence the rule of three, n = 3 / r [1]_. A single failure
    ends the plan; see `tasks_for_failures` for runs that allow some.

    References
    ----------
    .. [1] Hanley, J. A., & Lippman-Hand, A. (1983). If nothing goes wrong, is everything
       all right? Interpreting zero numerators.
       https://doi.org/10.1001/jama.1983.03330370053031

    Examples
    --------
    >>> import bayeseval as be
    >>> plan = be.plan.clean_run(0.01)
    >>> plan.tasks, plan.tasks_uniform, plan.tasks_rule_of_three
    (299, 298, 300)
    """
    rate = as_probability(max_failure_rate, "max_failure_rate", open_ends=True)
    level = as_probability(confidence, "confidence", open_ends=True)
    guess = math.log1p(-level) / math.log1p(-rate)
    if guess > MOST_TASKS:
        raise InputError(
            f"max_failure_rate = {rate!r} would need more than {MOST_TASKS:,} tasks: name a "
            f"higher rate"
        )
    tasks = max(int(guess) - 1, 1)
    while not _rarely_clean(rate, tasks, level):
        tasks += 1
    thumb = math.ceil(3 / as_fraction(rate))
    return CleanRun(rate, level, tasks, tasks - 1, thumb)


def _rarely_clean(rate: float, tasks: int, level: float) -> bool:
    """Whether (1 - rate)^tasks <= 1 - level, as decimals; equal counts as met."""
    with localcontext(prec=DIGITS):
        chance = (1 - Decimal(repr(rate))) ** tasks
        return chance <= (1 - Decimal(repr(level))) * (1 + RELATIVE)


@dataclass(frozen=True, slots=True, repr=False)
class FailureBound(Plan):
    """Upper limits of the failure rate after some failures, one method beside the other.

    Parameters
    ----------
    failures, tasks : int
        Failures seen, and tasks run.
    confidence : float
        Confidence of every limit; one-sided, except for `upper_two_sided`.
    upper : float
        Exact one-sided limit (Clopper-Pearson).
    upper_two_sided : float
        Upper end of the two-sided Clopper-Pearson interval.
    upper_uniform, upper_jeffreys : float
        Posterior quantiles of the failure rate under Beta(1, 1) and Beta(1/2, 1/2).
    rule_of_three : float or Unknown
        3 / n, for no failure and 95 % only.
    log_rule : float or Unknown
        -ln(1 - confidence) / n, the rule at any confidence, for no failure.
    """

    failures: int
    tasks: int
    confidence: float
    upper: float
    upper_two_sided: float
    upper_uniform: float
    upper_jeffreys: float
    rule_of_three: float | Unknown
    log_rule: float | Unknown

    @property
    def sentence(self) -> str:
        """The limit in one line."""
        seen = "no failure" if self.failures == 0 else f"{self.failures:,} failures"
        seen = "1 failure" if self.failures == 1 else seen
        return (
            f"{seen} in {tasks_text(self.tasks)}: the failure rate is at most "
            f"{format_percent(self.upper)} ({level_text(self.confidence)}, one-sided)"
        )


def failure_bound(failures: int, tasks: int, *, confidence: float = 0.95) -> FailureBound:
    """Bound the failure rate from above after some failures, or none.

    Parameters
    ----------
    failures : int
        Tasks that failed, 0 to `tasks`.
    tasks : int
        Tasks run, one rollout each, at least 1.
    confidence : float, default 0.95
        Confidence of the upper limit, strictly between 0 and 1.

    Returns
    -------
    FailureBound
        `upper`, and what other methods say.

    Raises
    ------
    InputError
        If failures exceed tasks, or an argument is out of range.

    Notes
    -----
    `upper` solves Pr[at most f failures | rate] = 1 - confidence; without a failure it
    is 1 - (1 - confidence)^(1 / n), and 3 / n is its approximation at 95 %.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.failure_bound(0, 300)
    no failure in 300 tasks: the failure rate is at most 1.0 % (95 %, one-sided)
    >>> be.plan.failure_bound(0, 300).rule_of_three
    0.01
    """
    count = as_whole(tasks, "tasks", minimum=1)
    failed = as_whole(failures, "failures")
    if failed > count:
        raise InputError(f"failures must not exceed tasks; got {failed} of {count}")
    level = as_probability(confidence, "confidence", open_ends=True)
    passed = count - failed
    if failed == 0:
        # Powers near 1 keep their digits on the log scale.
        one_sided, two_sided, uniform = (
            -math.expm1(math.log(alpha) / n)
            for alpha, n in ((1 - level, count), ((1 - level) / 2, count), (1 - level, count + 1))
        )
    else:
        one_sided, two_sided = (
            float(special.betainccinv(failed + 1, passed, alpha)) if passed else 1.0
            for alpha in (1 - level, (1 - level) / 2)
        )
        uniform = float(special.betainccinv(failed + 1, passed + 1, 1 - level))
    jeffreys = float(special.betainccinv(failed + 0.5, passed + 0.5, 1 - level))
    some = Unknown("the rule is for runs without a failure")
    return FailureBound(
        failed,
        count,
        level,
        one_sided,
        two_sided,
        uniform,
        jeffreys,
        some if failed else 3 / count,
        some if failed else -math.log1p(-level) / count,
    )


@dataclass(frozen=True, slots=True, repr=False)
class SeenFailure(Plan):
    """How many tasks show a failure of a given rate.

    Parameters
    ----------
    failure_rate : float
        How often a task fails, 0-1.
    prob : float
        The probability asked for.
    failures : int
        How many failures should be seen at least.
    tasks : int
        Smallest number of tasks that shows them with this probability.
    prob_at : float
        The probability with that many tasks.
    """

    failure_rate: float
    prob: float
    failures: int
    tasks: int
    prob_at: float

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        wanted = "a failure" if self.failures == 1 else f"{self.failures:,} failures or more"
        return (
            f"{tasks_text(self.tasks)} show {wanted} with probability "
            f"{level_text(self.prob)}, where {rate_text(self.failure_rate)} of tasks fail"
        )


def see_failure(failure_rate: float, *, prob: float = 0.95, failures: int = 1) -> SeenFailure:
    """Find how many tasks show at least one failure, or several, with a given probability.

    Parameters
    ----------
    failure_rate : float
        How often a task fails, strictly between 0 and 1.
    prob : float, default 0.95
        Probability to see that many failures, strictly between 0 and 1.
    failures : int, default 1
        Failures to see at least; 1 or more.

    Returns
    -------
    SeenFailure
        With the smallest number of tasks.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    n tasks show at least one failure with probability 1 - (1 - r)^n, and at least f with
    the binomial probability I_r(f, n - f + 1).

    Examples
    --------
    >>> import bayeseval as be
    >>> be.plan.see_failure(0.02)
    149 tasks show a failure with probability 95 %, where 2 % of tasks fail
    """
    rate = as_probability(failure_rate, "failure_rate", open_ends=True)
    level = as_probability(prob, "prob", open_ends=True)
    wanted = as_whole(failures, "failures", minimum=1)
    if wanted == 1:
        tasks = clean_run(rate, confidence=level).tasks
        return SeenFailure(rate, level, wanted, tasks, -math.expm1(tasks * math.log1p(-rate)))

    def chance(tasks: int) -> float:
        return float(special.betainc(wanted, tasks - wanted + 1, rate))

    tasks = first_true(
        lambda n: chance(n) >= level, start=wanted, mend="name a higher failure_rate"
    )
    return SeenFailure(rate, level, wanted, tasks, chance(tasks))
