"""What a decision costs: ship, hold, or measure more first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_probability
from bayeseval._validate import Seed, as_array, as_generator, as_items, as_number, as_whole, shown
from bayeseval.claims import Claim
from bayeseval.conjugate import BetaPosterior, PriorLike, beta_posterior
from bayeseval.decisions._look import Results, Seen, seen_of
from bayeseval.decisions._operating import MOST_ROLLOUTS, MOST_SIMULATIONS
from bayeseval.decisions._question import MOST_TASKS, Judge, as_size
from bayeseval.decisions._reweigh import Believed
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.plan._result import Plan
from bayeseval.unknown import Unknown

__all__ = ["ExpectedLoss", "MeasureMore", "Utility", "expected_loss"]

Array = npt.NDArray[np.float64]
Action = Literal["ship", "hold", "measure"]

SIZES = (10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """What mistakes, waiting and measuring cost, all in one unit.

    Parameters
    ----------
    false_release : float
        Loss if the system is shipped and the claim is false, above 0.
    delay : float
        Loss if it is held back and the claim is true, above 0.
    rollout : float, default 0
        Cost of one more rollout.
    task : float, default 0
        Cost of one more task, beside its rollouts.
    wait : float, default 0
        Cost of waiting for more results at all.

    Notes
    -----
    Shipping is better than holding where Pr[claim] exceeds
    false_release / (false_release + delay): the two losses imply a confidence.

    Examples
    --------
    >>> import bayeseval as be
    >>> round(be.Utility(false_release=19, delay=1).confidence, 3)
    0.95
    """

    false_release: float
    delay: float
    rollout: float = 0.0
    task: float = 0.0
    wait: float = 0.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = as_number(getattr(self, name), name)
            if value < 0 or (value == 0 and name in ("false_release", "delay")):
                rule = "above 0" if name in ("false_release", "delay") else "at least 0"
                raise InputError(f"{name} must be {rule}; got {shown(value)}")
            object.__setattr__(self, name, value)

    @property
    def confidence(self) -> float:
        """Probability of the claim from which on shipping is better than holding."""
        return self.false_release / (self.false_release + self.delay)

    def ship(self, prob_not: Array | float) -> Array | float:
        """Expected loss of shipping, where the claim is false with this probability."""
        return self.false_release * _chances(prob_not, "prob_not")

    def hold(self, prob: Array | float) -> Array | float:
        """Expected loss of holding, where the claim is true with this probability."""
        return self.delay * _chances(prob, "prob")

    def cost(self, tasks: int, rollouts: int) -> float:
        """Cost of so many more tasks with so many rollouts each."""
        more, each = as_whole(tasks, "tasks"), as_whole(rollouts, "rollouts")
        return self.wait + more * (self.task + each * self.rollout)


def _chances(values: Array | float, argument: str) -> Array | float:
    chances = as_array(values, argument)
    # A sum of weights may end a rounding above 1.
    if np.any(~((chances >= 0) & (chances <= 1 + 1e-9))):
        raise InputError(f"{argument} must be between 0 and 1; got {shown(values)}")
    return float(chances) if chances.ndim == 0 else chances


@dataclass(frozen=True, slots=True)
class MeasureMore:
    """Running more tasks first, and deciding then.

    Parameters
    ----------
    tasks, rollouts : int
        New tasks, and rollouts of each.
    value : float
        Expected value of sample information: by how much the results lower the expected
        loss of the decision, before their cost.
    mcse : float
        Monte Carlo standard error of `value`; 0 where it is exact.
    cost : float
        What they cost.
    loss : float
        Expected loss in all: of the decision afterwards, and the cost.
    """

    tasks: int
    rollouts: int
    value: float
    mcse: float
    cost: float
    loss: float


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedLoss(Plan):
    """Expected losses of ship, hold, and measure more.

    Parameters
    ----------
    claim : str
        The claim.
    prob, prob_not : float
        Posterior probabilities that it holds, and that it does not.
    ship, hold : float
        Expected loss of deciding now.
    perfect : float
        Expected value of perfect information: no measurement is worth more.
    measure : tuple of MeasureMore
        For each number of further tasks.
    best : {"ship", "hold", "measure"}
        The action of least expected loss.
    best_tasks : int or Unknown
        If that is to measure, how many tasks.
    loss : float
        Its expected loss.
    """

    claim: str
    prob: float
    prob_not: float
    ship: float
    hold: float
    perfect: float
    measure: tuple[MeasureMore, ...]
    best: Action
    best_tasks: int | Unknown
    loss: float

    @property
    def sentence(self) -> str:
        """The best action and its rivals in one line."""
        action = self.best
        text = f"ship {self.ship:.4g}, hold {self.hold:.4g}"
        if self.measure:
            least = min(self.measure, key=lambda each: each.loss)
            text += (
                f", measure {least.tasks:,} more {'task' if least.tasks == 1 else 'tasks'} "
                f"{least.loss:.4g} (of which cost {least.cost:.4g})"
            )
        return (
            f"{action.upper()}: Pr[{self.claim}] = {format_probability(self.prob)}; expected loss: "
            f"{text}; knowing the truth would be worth {self.perfect:.4g}"
        )


def expected_loss(
    claim: str | Claim,
    results: Results | BetaPosterior,
    *,
    utility: Utility,
    more_tasks: Iterable[int] = SIZES,
    rollouts: int | None = None,
    prior: PriorLike | HierarchicalPrior | None = None,
    simulations: int = 2_000,
    rng: Seed = None,
) -> ExpectedLoss:
    """Expected loss of shipping, of holding, and of measuring more first.

    Parameters
    ----------
    claim : str or Claim
        One comparison of ``pass_rate``, ``pass^K`` or ``pass@K`` of new tasks with a bar:
        what must be true for shipping to be right.
    results : Rollouts, Fit, BetaPosterior or (passes, tasks)
        Results so far. A pair, or a posterior from `beta_posterior`, for one rollout per task.
    utility : Utility
        What mistakes and measurements cost.
    more_tasks : iterable of int, default (10, 20, 50, 100, 200, 500, 1000)
        Numbers of further tasks to consider; none if empty.
    rollouts : int, optional
        Rollouts of each of them. Default: as many as the results have on average.
    prior : PriorLike or HierarchicalPrior, optional
        Prior of the analysis, for results that are not analysed yet; default: uniform.
    simulations : int, default 2000
        Predicted results for each number of tasks, 100 to 200,000, where it is not exact.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator for them.

    Returns
    -------
    ExpectedLoss

    Raises
    ------
    InputError
        If the claim is of another kind, or an argument is out of range.

    Notes
    -----
    With losses F and D of the two mistakes, shipping loses F Pr[false] and holding
    D Pr[true] in expectation. The expected value of sample information [1]_ of m tasks is

        min(F Pr[false], D Pr[true]) - E[min(F Pr[false | y], D Pr[true | y])]

    over their results y as predicted today. With one rollout per task before and after the
    expectation is a sum over all numbers of passes: exact. Otherwise y is drawn from the
    posterior, and each posterior after y is today's draws of mean and ICC, weighted by the
    probability that they give to y. Values far beyond the tasks at hand are rough: few draws
    carry the weight.

    References
    ----------
    .. [1] Raiffa, H., & Schlaifer, R. (1961). Applied Statistical Decision Theory.
       Harvard University.

    Examples
    --------
    >>> import bayeseval as be
    >>> costs = be.Utility(false_release=100, delay=10, rollout=0.01)
    >>> found = be.expected_loss("pass_rate > 0.9", (95, 100), utility=costs)
    >>> found.best, found.best_tasks
    ('measure', 100)
    >>> round(found.ship, 2), round(found.hold, 2), round(found.loss, 2)
    (5.42, 9.46, 3.61)
    """
    if not isinstance(utility, Utility):
        raise InputError(f"utility must be a Utility; got {shown(utility)}")
    given = as_items(more_tasks, "more_tasks", of="numbers of tasks")
    sizes = [as_size(each, "more_tasks") for each in given]
    runs = as_size(simulations, "simulations", MOST_SIMULATIONS)
    if runs < 100:
        raise InputError(f"simulations must be at least 100; got {shown(simulations)}")
    found: Results
    if isinstance(results, BetaPosterior):
        prior, found = results.prior, (results.passes, results.trials)
    else:
        found = results
    judge = Judge.of(claim, 0.95, "posterior", prior, False)
    seen = seen_of(found, judge, same_tasks=False, single=True)
    each = max(round(seen.rounds), 1)
    if rollouts is not None:
        each = as_size(rollouts, "rollouts", MOST_ROLLOUTS)
    ship, hold = float(utility.ship(seen.prob_not)), float(utility.hold(seen.prob))
    now = min(ship, hold)
    values = _values(judge, seen, found, utility, sizes, each, runs, as_generator(rng))
    measure = []
    for size, (value, mcse) in zip(sizes, values, strict=True):
        cost = utility.cost(size, each)
        measure.append(MeasureMore(size, each, value, mcse, cost, now - value + cost))
    best: Action = "ship" if ship <= hold else "hold"
    best_tasks: int | Unknown = Unknown("measuring more does not pay")
    loss = now
    if measure and (least := min(measure, key=lambda option: option.loss)).loss < now:
        best, best_tasks, loss = "measure", least.tasks, least.loss
    return ExpectedLoss(
        judge.question.text,
        seen.prob,
        seen.prob_not,
        ship,
        hold,
        now,
        tuple(measure),
        best,
        best_tasks,
        loss,
    )


def _values(
    judge: Judge,
    seen: Seen,
    results: Results,
    utility: Utility,
    sizes: list[int],
    rollouts: int,
    runs: int,
    rng: np.random.Generator,
) -> list[tuple[float, float]]:
    """Value of each number of further tasks, and its Monte Carlo error."""
    if seen.passes is not None and rollouts == 1:
        return [(_exact(judge, seen, utility, size), 0.0) for size in sizes]
    fit = seen.fit
    if fit is None:
        # Single rollouts so far, several from now on: the model of several, on the same data.
        fit = seen_of(results, judge, same_tasks=False, single=True, hierarchically=True).fit
    assert fit is not None
    believed = Believed.of(fit, judge.question, rollouts)
    ship_now = utility.ship(seen.prob_not) <= utility.hold(seen.prob)
    found = []
    for size in sizes:
        prob, prob_not = believed.probs(believed.future(size, runs, rng))
        ship, hold = np.asarray(utility.ship(prob_not)), np.asarray(utility.hold(prob))
        # What today's decision would lose more than the best one, once the results are known.
        gain = np.maximum((ship - hold) if ship_now else (hold - ship), 0.0)
        found.append((float(gain.mean()), float(gain.std(ddof=1)) / math.sqrt(runs)))
    return found


def _exact(judge: Judge, seen: Seen, utility: Utility, size: int) -> float:
    """Sum over all numbers of passes of the further tasks."""
    assert seen.passes is not None
    prior = judge.prior
    chosen = prior.mean if isinstance(prior, HierarchicalPrior) else prior
    today = beta_posterior(seen.passes, seen.tasks, prior=chosen)
    further = today.predictive(min(size, MOST_TASKS))
    passes = np.arange(size + 1)
    after = seen.passes + passes, seen.tasks - seen.passes + size - passes
    prob, prob_not = judge._tails(*after, judge.prior)
    ship, hold = np.asarray(utility.ship(prob_not)), np.asarray(utility.hold(prob))
    ship_now = utility.ship(seen.prob_not) <= utility.hold(seen.prob)
    gain = np.maximum((ship - hold) if ship_now else (hold - ship), 0.0)
    return float(further.probabilities @ gain)
