"""Which results support ``pass_rate > bar``: fewest passes of n, fewest tasks for f failures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._format import format_probability
from bayeseval._quadrature import log_sum
from bayeseval._special import log_beta
from bayeseval._validate import as_probability, as_whole, shown
from bayeseval.conjugate import BetaPrior, MixturePrior, PriorLike, as_prior
from bayeseval.errors import InputError
from bayeseval.plan._result import Plan, level_text, tasks_text
from bayeseval.plan._search import MOST_TASKS, first_true
from bayeseval.unknown import Unknown

__all__ = ["FailuresPlan", "PassesPlan", "Supports", "passes", "tasks_for_failures"]

Array = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

# Two probabilities that differ by less are taken as equal: 0.75 reached is 0.75 met.
TIE = 1e-13


@dataclass(frozen=True, slots=True)
class Supports:
    """Whether a result supports ``pass_rate > above`` with a confidence.

    Parameters
    ----------
    above : float
        The bar, 0 or more and below 1.
    confidence : float
        Posterior probability to reach, strictly between 0 and 1.
    prior : BetaPrior or MixturePrior
        The prior of the analysis.
    """

    above: float
    confidence: float
    prior: BetaPrior | MixturePrior

    @classmethod
    def of(cls, above: float, confidence: float, prior: PriorLike) -> Supports:
        bar = as_probability(above, "above")
        if bar == 1:
            raise InputError("above must be below 1: no rate is above 1; got 1")
        return cls(bar, as_probability(confidence, "confidence", open_ends=True), as_prior(prior))

    def prob(self, passes: npt.ArrayLike, fails: npt.ArrayLike) -> Array:
        """Pr[p > above] after so many passes and failures; broadcasts."""
        return self._tail(special.betaincc, passes, fails)

    def holds(self, passes: npt.ArrayLike, fails: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether Pr[p > above] reaches the confidence; broadcasts."""
        if self.confidence <= 0.5:
            return np.asarray(self.prob(passes, fails) >= self.confidence * (1 - TIE))
        below = self._tail(special.betainc, passes, fails)
        return np.asarray(below <= (1 - self.confidence) * (1 + TIE / (1 - self.confidence)))

    def _tail(self, function: np.ufunc, passes: npt.ArrayLike, fails: npt.ArrayLike) -> Array:
        s, f = np.broadcast_arrays(np.asarray(passes, float), np.asarray(fails, float))
        weight, alpha, beta = np.array(self.prior.components).T
        a, b = alpha + s[..., None], beta + f[..., None]
        tails = function(a, b, self.above)
        if weight.size == 1:
            return np.asarray(tails[..., 0])
        logs = np.log(weight) + log_beta(a, b) - log_beta(alpha, beta)
        return np.asarray(np.sum(np.exp(logs - log_sum(logs)[..., None]) * tails, axis=-1))

    def failures_allowed(self, tasks: int) -> int:
        """Most failures of so many tasks that still support the claim, -1 where none does."""
        low, high = -1, tasks
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.holds(tasks - middle, middle) else (low, middle - 1)
        return low

    def steps(self, most_tasks: int) -> Whole:
        """Fewest tasks that support the claim with 0, 1, 2, ... failures, up to `most_tasks`.

        With each further failure more tasks are needed, so a coarse grid of tasks brackets
        every step, and bisection finds it.
        """
        grid = np.unique(np.geomspace(1, most_tasks, 256).astype(np.int64))
        allowed = np.array([self.failures_allowed(int(n)) for n in grid])
        failures = np.arange(allowed[-1] + 1)
        at = np.searchsorted(allowed, failures, side="left")
        high = grid[at]
        low = np.where(at > 0, grid[at - 1], 0)
        while np.any(wide := high - low > 1):
            middle = (low[wide] + high[wide]) // 2
            some = failures[wide]
            good = (middle >= some) & self.holds(np.maximum(middle - some, 0), some)
            high[wide] = np.where(good, middle, high[wide])
            low[wide] = np.where(good, low[wide], middle)
        return np.asarray(high)

    def fewest_tasks(self, failures: int) -> int:
        """Smallest number of tasks that supports the claim with exactly so many failures."""
        return first_true(
            lambda n: bool(self.holds(n - failures, failures)),
            start=max(failures, 1),
            mend="lower the bar or the confidence",
        )

    @property
    def text(self) -> str:
        """The claim in words."""
        return f"pass_rate > {self.above:.15g} with {level_text(self.confidence)}"


@dataclass(frozen=True, slots=True, repr=False)
class PassesPlan(Plan):
    """The fewest passes that support ``pass_rate > above``.

    Parameters
    ----------
    tasks : int
        Tasks of the run, one rollout each.
    above : float
        The bar.
    confidence : float
        The posterior probability to reach.
    prior : BetaPrior or MixturePrior
        The prior of the analysis.
    passes : int or Unknown
        Fewest passes; `Unknown` where even a perfect run is not enough.
    failures_allowed : int or Unknown
        Tasks minus passes.
    prob_at : float or Unknown
        Pr[p > above] with that many passes.
    prob_one_less : float or Unknown
        Pr[p > above] with one pass less.
    fewest_tasks : int
        The smallest run that can support the claim at all: when every task passes.
    """

    tasks: int
    above: float
    confidence: float
    prior: BetaPrior | MixturePrior
    passes: int | Unknown
    failures_allowed: int | Unknown
    prob_at: float | Unknown
    prob_one_less: float | Unknown
    fewest_tasks: int

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        claim = f"p > {self.above:.15g} with {level_text(self.confidence)}"
        if isinstance(self.passes, Unknown):
            return (
                f"no result of {tasks_text(self.tasks)} supports {claim}; the smallest run that "
                f"can has {self.fewest_tasks:,} (prior {self.prior})"
            )
        assert not isinstance(self.prob_at, Unknown)
        less = (
            ""
            if isinstance(self.prob_one_less, Unknown)
            else f"; one pass less: {format_probability(self.prob_one_less)}"
        )
        return (
            f"{self.passes:,} of {tasks_text(self.tasks)} must pass to support {claim}: "
            f"Pr = {format_probability(self.prob_at)}{less} (prior {self.prior})"
        )


def passes(
    tasks: int, *, above: float, confidence: float = 0.95, prior: PriorLike = "uniform"
) -> PassesPlan:
    """Find the fewest passes of a run that support ``pass_rate > above``.

    Parameters
    ----------
    tasks : int
        Tasks of the run, one rollout each, at least 1.
    above : float
        The bar, 0 or more and below 1.
    confidence : float, default 0.95
        Posterior probability that p exceeds the bar, strictly between 0 and 1.
    prior : PriorLike, default "uniform"
        Prior of the analysis: a name, a pair, a `BetaPrior`, a `MixturePrior` or an
        earlier posterior.

    Returns
    -------
    PassesPlan
        `passes`, and the probability there and with one pass less.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    The smallest s with Pr[p > above | s of n] >= confidence. One more pass never makes
    the claim less probable.

    Examples
    --------
    >>> import bayeseval as be
    >>> plan = be.plan.passes(200, above=0.95)
    >>> plan.passes, round(plan.prob_at, 3), round(plan.prob_one_less, 3)
    (196, 0.974, 0.939)
    >>> be.plan.passes(57, above=0.95).passes
    UNKNOWN (57 of 57 passes give only 0.949; 58 tasks could do)
    """
    count = as_tasks(tasks)
    support = Supports.of(above, confidence, prior)
    allowed = support.failures_allowed(count)
    fewest = support.fewest_tasks(0)
    if allowed < 0:
        best = format_probability(float(support.prob(count, 0)))
        none = Unknown(f"{count} of {count} passes give only {best}; {tasks_text(fewest)} could do")
        return PassesPlan(
            count, support.above, support.confidence, support.prior, none, none, none, none, fewest
        )
    needed = count - allowed
    return PassesPlan(
        count,
        support.above,
        support.confidence,
        support.prior,
        needed,
        allowed,
        float(support.prob(needed, allowed)),
        float(support.prob(needed - 1, allowed + 1))
        if needed
        else Unknown("no pass is needed at all"),
        fewest,
    )


@dataclass(frozen=True, slots=True, repr=False)
class FailuresPlan(Plan):
    """The fewest tasks that support ``pass_rate > above`` despite some failures.

    Parameters
    ----------
    failures : int
        How many tasks may fail.
    above, confidence, prior
        As in `PassesPlan`.
    tasks : int
        Smallest number of tasks.
    prob_at : float
        Pr[p > above] there.
    """

    failures: int
    above: float
    confidence: float
    prior: BetaPrior | MixturePrior
    tasks: int
    prob_at: float

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        failed = {0: "no failure", 1: "1 failure"}.get(self.failures, f"{self.failures:,} failures")
        return (
            f"{tasks_text(self.tasks)} with {failed} support p > {self.above:.15g} with "
            f"{level_text(self.confidence)} (prior {self.prior})"
        )


def tasks_for_failures(
    failures: int, *, above: float, confidence: float = 0.95, prior: PriorLike = "uniform"
) -> FailuresPlan:
    """Find the fewest tasks that support ``pass_rate > above`` with exactly so many failures.

    Parameters
    ----------
    failures : int
        Failures to allow, at least 0.
    above, confidence, prior
        As in `passes`.

    Returns
    -------
    FailuresPlan

    Raises
    ------
    InputError
        If an argument is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> [be.plan.tasks_for_failures(f, above=0.95).tasks for f in range(3)]
    [58, 92, 123]
    """
    failed = as_whole(failures, "failures")
    if failed > MOST_TASKS:
        raise InputError(f"failures must be at most {MOST_TASKS:,}; got {shown(failures)}")
    support = Supports.of(above, confidence, prior)
    tasks = support.fewest_tasks(failed)
    return FailuresPlan(
        failed,
        support.above,
        support.confidence,
        support.prior,
        tasks,
        float(support.prob(tasks - failed, failed)),
    )


def as_tasks(tasks: int, argument: str = "tasks") -> int:
    """Return a number of tasks of a run."""
    count = as_whole(tasks, argument, minimum=1)
    if count > MOST_TASKS:
        raise InputError(f"{argument} must be at most {MOST_TASKS:,}; got {shown(tasks)}")
    return count
