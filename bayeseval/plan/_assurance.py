"""Assurance: the chance that a run will support the claim, over what is believed of the rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._format import format_percent
from bayeseval._special import log_beta, log_binomial
from bayeseval._validate import as_probability, as_whole, shown
from bayeseval.conjugate import BetaPrior, MixturePrior, PriorLike, as_prior, beta_posterior
from bayeseval.errors import InputError
from bayeseval.plan._passes import Supports
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = ["Assurance", "AssuranceSize", "assurance", "assurance_size"]

Array = npt.NDArray[np.float64]
Design = BetaPrior | MixturePrior | float

MOST_TASKS = 10_000_000
# How far a search goes, and how far where the target lies above the limit.
MOST_SEARCHED = 2**20
FIRST_SEARCHED = 2**10
ABOVE_CEILING = 2**14


@dataclass(frozen=True, slots=True, repr=False)
class Assurance(Plan):
    """The chance that a run of so many tasks will support ``pass_rate > above``.

    Parameters
    ----------
    tasks : int
        Tasks of the run, one rollout each.
    above : float
        The bar.
    confidence : float
        Posterior probability that the analysis must reach.
    design : BetaPrior, MixturePrior or float
        What is believed of the rate before the run; a number is a rate known exactly.
    prior : BetaPrior or MixturePrior
        The prior of the analysis afterwards.
    assurance : float
        The chance, 0-1: exact.
    passes : int or Unknown
        Fewest passes that support the claim; `Unknown` where no result does.
    ceiling : float
        What the chance tends to as tasks are added: Pr[p > above] under `design`.
    """

    tasks: int
    above: float
    confidence: float
    design: Design
    prior: BetaPrior | MixturePrior
    assurance: float
    passes: int | Unknown
    ceiling: float

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        needs = (
            "no result is enough"
            if isinstance(self.passes, Unknown)
            else f"{self.passes:,} must pass"
        )
        return (
            f"{format_percent(self.assurance)} chance that {tasks_text(self.tasks)} support "
            f"p > {self.above:.15g} with {level_text(self.confidence)} ({needs}; "
            f"{design_text(self.design)}; more tasks lead to {format_percent(self.ceiling)})"
        )


@dataclass(frozen=True, slots=True, repr=False)
class AssuranceSize(Plan):
    """How many tasks reach an assurance.

    The chance goes up and down as tasks are added, since passes are whole: `first` is the
    smallest number that reaches the target, `tasks` the smallest from which on it holds.

    Parameters
    ----------
    target : float
        The assurance asked for.
    above, confidence, design, prior
        As in `Assurance`.
    tasks : int or Unknown
        Smallest number of tasks from which on every number reaches the target.
    first : int or Unknown
        Smallest number of tasks that reaches it at all.
    assurance_at : float or Unknown
        The chance with `tasks`.
    ceiling : float
        What the chance tends to as tasks are added.
    searched : int
        Every number of tasks up to here was looked at, at least twice `tasks`.
    """

    target: float
    above: float
    confidence: float
    design: Design
    prior: BetaPrior | MixturePrior
    tasks: int | Unknown
    first: int | Unknown
    assurance_at: float | Unknown
    ceiling: float
    searched: int

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        goal = (
            f"a chance of {level_text(self.target)} to support p > {self.above:.15g} with "
            f"{level_text(self.confidence)}"
        )
        if isinstance(self.tasks, Unknown):
            return f"no number of tasks keeps {goal}: {self.tasks.reason}"
        first = "" if self.first == self.tasks else f"{self.first:,} reach it first; "
        return f"from {tasks_text(self.tasks)} on {goal} ({first}{design_text(self.design)})"


def assurance(
    tasks: int,
    *,
    above: float,
    confidence: float = 0.95,
    design: PriorLike | float = "uniform",
    prior: PriorLike = "uniform",
) -> Assurance:
    """Chance that a run of so many tasks will support ``pass_rate > above``.

    Parameters
    ----------
    tasks : int
        Tasks of the run, one rollout each, 1 to 10,000,000.
    above : float
        The bar, 0 or more and below 1.
    confidence : float, default 0.95
        Posterior probability of p > above that the analysis must reach.
    design : PriorLike or float, default "uniform"
        What is believed of the rate today: a prior, today's posterior, or a number for a
        rate taken as known. With a number the answer is an operating characteristic.
    prior : PriorLike, default "uniform"
        Prior of the analysis after the run; it need not be the design's.

    Returns
    -------
    Assurance

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    With s* the fewest passes that support the claim (see `passes`), the assurance [1]_ is
    Pr[S >= s*] for S of n tasks predicted from the design: Beta-binomial, summed exactly;
    for a known rate binomial. As n grows it tends to Pr[p > above] under the design: a
    run cannot make a system better than it is.

    References
    ----------
    .. [1] O'Hagan, A., Stevens, J. W., & Campbell, M. J. (2005). Assurance in clinical
       trial design. https://doi.org/10.1002/pst.175

    Examples
    --------
    >>> import bayeseval as be
    >>> round(be.plan.assurance(200, above=0.95, design=(97, 3)).assurance, 3)
    0.424

    A system whose true rate is 0.97 supports the claim in 28 of 100 runs:

    >>> round(be.plan.assurance(200, above=0.95, design=0.97).assurance, 3)
    0.281
    """
    count = as_whole(tasks, "tasks", minimum=1)
    if count > MOST_TASKS:
        raise InputError(f"tasks must be at most {MOST_TASKS:,}; got {shown(tasks)}")
    support = Supports.of(above, confidence, prior)
    believed = as_design(design)
    allowed = support.failures_allowed(count)
    chance = 0.0 if allowed < 0 else _at_least(believed, count - allowed, count)
    return Assurance(
        count,
        support.above,
        support.confidence,
        believed,
        support.prior,
        chance,
        count - allowed if allowed >= 0 else Unknown("even a perfect run is not enough"),
        _ceiling(believed, support),
    )


def assurance_size(
    target: float,
    *,
    above: float,
    confidence: float = 0.95,
    design: PriorLike | float = "uniform",
    prior: PriorLike = "uniform",
) -> AssuranceSize:
    """Find how many tasks reach an assurance, and keep it.

    Parameters
    ----------
    target : float
        The chance to reach, strictly between 0 and 1.
    above, confidence, design, prior
        As in `assurance`.

    Returns
    -------
    AssuranceSize
        `tasks` and `first` are `Unknown` where the target lies above what any number of
        tasks can give, or beyond 1,048,576 tasks.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    The chance is computed for every number of tasks up to a limit, exactly: from one
    number to the next it changes by the probability of the result on the edge. The limit
    is doubled until every number in its upper half holds.

    Examples
    --------
    >>> import bayeseval as be
    >>> plan = be.plan.assurance_size(0.8, above=0.9, design=(190, 10))
    >>> plan.first, plan.tasks
    (214, 250)
    >>> be.plan.assurance_size(0.9, above=0.95, design=(97, 3)).tasks
    UNKNOWN (more tasks lead to 87.8 %, the chance that p exceeds the bar)
    """
    wanted = as_probability(target, "target", open_ends=True)
    support = Supports.of(above, confidence, prior)
    believed = as_design(design)
    ceiling = _ceiling(believed, support)
    hopeless = ceiling < wanted
    limit = ABOVE_CEILING if hopeless else FIRST_SEARCHED
    while True:
        chances = chances_up_to(limit, believed, support)
        met = chances >= wanted
        failing = np.flatnonzero(~met)
        last = int(failing[-1]) + 1 if failing.size else 0
        if hopeless or 2 * last < limit or limit >= MOST_SEARCHED:
            break
        limit *= 2
    tasks: int | Unknown = last + 1
    if hopeless:
        tasks = Unknown(
            f"more tasks lead to {format_percent(ceiling)}, the chance that p exceeds the bar"
        )
    elif 2 * last >= limit:
        tasks = Unknown(
            f"{limit:,} tasks give {format_percent(float(chances[-1]))}, more lead to "
            f"{format_percent(ceiling)}"
        )
    first = (
        int(np.argmax(met)) + 1 if met.any() else Unknown(f"no number up to {limit:,} reaches it")
    )
    return AssuranceSize(
        wanted,
        support.above,
        support.confidence,
        believed,
        support.prior,
        tasks,
        first,
        tasks if isinstance(tasks, Unknown) else float(chances[tasks - 1]),
        ceiling,
        limit,
    )


def as_design(design: PriorLike | float) -> Design:
    """Return a prior, or a rate that is taken as known."""
    if isinstance(design, bool):
        raise InputError(f"design must be a prior or a rate; got {shown(design)}")
    if isinstance(design, int | float | np.number):
        return as_probability(design, "design")
    return as_prior(design)


def design_text(design: Design) -> str:
    """Return what is believed of the rate, in words."""
    return f"true rate {rate_text(design)}" if isinstance(design, float) else f"design {design}"


def chances_up_to(most_tasks: int, design: Design, support: Supports) -> Array:
    """Assurance for every number of tasks from 1 to `most_tasks`.

    From n to n + 1 tasks the chance of at most f failures falls by the chance that f of n
    failed and the next fails; where one more failure becomes allowed, its own is added.
    """
    steps = support.steps(most_tasks)
    allowed = np.searchsorted(steps, np.arange(most_tasks + 1), side="right") - 1
    allowed[0] = 0 if support.holds(0, 0) else -1
    n, f = np.arange(most_tasks), allowed[:-1]
    edge = f >= 0
    change = np.zeros(most_tasks)
    change[edge] = -_probability(design, n[edge], f[edge], fails_next=True)
    more = np.flatnonzero(allowed[1:] > f)
    change[more] += _probability(design, n[more] + 1, allowed[more + 1], fails_next=False)
    return np.clip(float(edge[0]) + np.cumsum(change), 0.0, 1.0)


def _probability(
    design: Design,
    n: npt.NDArray[np.int64],
    f: npt.NDArray[np.int64],
    *,
    fails_next: bool,
) -> Array:
    """Pr[f of n tasks fail], and with `fails_next` that the task after them fails, too."""
    s = n - f
    ways = log_binomial(n, f)
    if isinstance(design, float):
        logs = ways + special.xlogy(s, design) + special.xlog1py(f, -design)
        return np.asarray(np.exp(logs) * ((1 - design) if fails_next else 1.0))
    total = np.zeros(n.size)
    for weight, alpha, beta in design.components:
        share = weight * np.exp(ways + log_beta(alpha + s, beta + f) - log_beta(alpha, beta))
        total += share * ((beta + f) / (alpha + beta + n) if fails_next else 1.0)
    return total


def _at_least(design: Design, passes: int, tasks: int) -> float:
    """Pr[at least so many of the tasks pass]."""
    if not isinstance(design, float):
        return beta_posterior(0, 0, prior=design).predictive(tasks).prob_at_least(passes)
    if passes == 0:
        return 1.0
    return float(special.betainc(passes, tasks - passes + 1, design))


def _ceiling(design: Design, support: Supports) -> float:
    if not isinstance(design, float):
        return beta_posterior(0, 0, prior=design).prob_above(support.above)
    if design == support.above:
        # On the bar itself the analysis errs as often as its confidence allows.
        return 1 - support.confidence if design > 0 else 0.0
    return float(design > support.above)
