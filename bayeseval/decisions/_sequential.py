"""Sequential: looking at results again and again, with a bar that allows for it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from bayeseval._format import format_percent
from bayeseval._validate import (
    Seed,
    as_flag,
    as_generator,
    as_items,
    as_probability,
    as_whole,
    shown,
)
from bayeseval.claims import Claim
from bayeseval.claims._verdict import as_confidence
from bayeseval.conjugate import PriorLike
from bayeseval.decisions._ahead import Forecast, forecast, predicted, simulated
from bayeseval.decisions._boundary import (
    MOST_TAIL,
    Boundary,
    ExactBoundary,
    Paths,
    SimulatedBoundary,
)
from bayeseval.decisions._look import Look, LookOutcome, Results, Seen, seen_of
from bayeseval.decisions._operating import MOST_ROLLOUTS, MOST_SIMULATIONS
from bayeseval.decisions._question import Judge, as_size
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.plan._result import level_text, tasks_text
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["Sequential", "SequentialRate"]

Method = Literal["exact", "simulated"]

MOST_LOOKS = 1_000
MOST_STATES = 1_000_000
# A batch may be this share of itself short or long: tasks without a scored rollout.
SLACK = 0.1


@dataclass(frozen=True, slots=True)
class SequentialRate:
    """What a plan of looks does to systems of one true value.

    Parameters
    ----------
    rate : float
        True value of the claimed quantity.
    released, contradicted, undecided : float
        Probabilities of how the plan ends; they sum to 1.
    mean_tasks : float
        Expected number of tasks when it ends; of tasks run again and again, runs of one.
    """

    rate: float
    released: float
    contradicted: float
    undecided: float
    mean_tasks: float


@dataclass(frozen=True, eq=False, repr=False)
class Sequential:
    """A plan to look at a claim several times while results accumulate.

    At every look the claim is released where its posterior probability reaches
    `confidence`, a bar that is raised so that a system that does not deserve it is released
    at any of the looks with probability `alpha` at most; and given up where the
    probability falls to 1 - `confidence`.

    Parameters
    ----------
    claim : str or Claim
        One comparison of ``pass_rate``, ``pass^K`` or ``pass@K`` of new tasks with a bar.
    looks : int
        Number of looks planned, 1 to 1,000.
    tasks_per_look : int
        Tasks that each look adds.
    alpha : float, default 0.05
        Largest false-release probability over all looks, strictly between 0 and 0.5.
    rollouts : int, default 1
        Rollouts of each task, at each look.
    icc : float, optional
        ICC of the systems, for several rollouts. Default: the bar holds for the worst of
        0.1, 0.4 and 0.8.
    same_tasks : bool, default False
        Whether every look runs the same tasks again, so that rollouts accumulate and not tasks.
    prior : PriorLike or HierarchicalPrior, optional
        Prior of the analysis; default: uniform on mean rate and ICC.
    simulations : int, default 2000
        Runs for each ICC that calibrate the bar where it cannot be computed exactly.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator for them.

    Raises
    ------
    InputError
        If the claim is of another kind, or an argument is out of range.

    Notes
    -----
    The Bayesian probability at a look needs no correction for looking: it means at the tenth
    look what it meant at the first. What does grow with looks is the share of systems just on
    the bar that are released some time. Rates below the bar are released less often, so the
    bar itself is the worst case. With one rollout per task the chance that the passes ever
    cross is computed exactly, by dynamic programming over their number, and `confidence` is the
    lowest bar from 1 - alpha on that keeps it within `alpha`. With several rollouts it is
    taken by rank from simulated runs: of N runs on the bar, fewer than alpha (N + 1) release,
    and a further run does so with probability `alpha` at most; `confidence` is then 0.9 at
    least.

    Giving up does not count towards `alpha`: the guarantee holds if it is ignored.

    References
    ----------
    .. [1] Jennison, C., & Turnbull, B. W. (1999). Group Sequential Methods with Applications to
       Clinical Trials. https://doi.org/10.1201/9780367805326
    .. [2] Zhou, T., & Ji, Y. (2023). On Bayesian sequential clinical trial designs.
       https://doi.org/10.51387/23-NEJSDS24

    Examples
    --------
    >>> import bayeseval as be
    >>> plan = be.Sequential("pass_rate > 0.9", looks=30, tasks_per_look=20)
    >>> round(plan.confidence, 3), round(plan.false_release, 3)
    (0.989, 0.05)
    >>> round(plan.false_release_at(0.95), 3)  # a fixed Pr > 0.95, looked at 30 times
    0.186
    >>> look = plan.assess((115, 120))
    >>> look.look, look.outcome, round(look.prob, 3)
    (6, 'go on', 0.985)
    """

    claim: str | Claim
    _: KW_ONLY
    looks: int
    tasks_per_look: int
    alpha: float = 0.05
    rollouts: int = 1
    icc: float | None = None
    same_tasks: bool = False
    prior: PriorLike | HierarchicalPrior | None = None
    simulations: int = 2_000
    rng: Seed = None

    def __post_init__(self) -> None:
        level = as_probability(self.alpha, "alpha", open_ends=True)
        if level >= 0.5:
            raise InputError(f"alpha must be below 0.5; got {shown(self.alpha)}")
        checked = {
            "looks": as_size(self.looks, "looks", MOST_LOOKS),
            "tasks_per_look": as_size(self.tasks_per_look, "tasks_per_look"),
            "rollouts": as_size(self.rollouts, "rollouts", MOST_ROLLOUTS),
            "simulations": as_size(self.simulations, "simulations", MOST_SIMULATIONS),
            "icc": None if self.icc is None else as_probability(self.icc, "icc"),
            "alpha": level,
            "same_tasks": as_flag(self.same_tasks, "same_tasks"),
            # Drawn once, so that every answer of this plan rests on the same runs.
            "rng": int(as_generator(self.rng).integers(2**31)),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.looks * self.tasks_per_look > MOST_STATES:
            raise InputError(
                f"looks x tasks_per_look must be at most {MOST_STATES:,}; got "
                f"{self.looks:,} x {self.tasks_per_look:,}"
            )
        if self.simulations * level < 5:
            raise InputError(
                f"simulations must be at least {5 / level:,.0f} for alpha {level:g}; "
                f"got {shown(self.simulations)}"
            )
        _ = self._judge

    @cached_property
    def _judge(self) -> Judge:
        return Judge.of(self.claim, 1.0 - self.alpha, "posterior", self.prior, False)

    @property
    def method(self) -> Method:
        """``"exact"``: dynamic programming; ``"simulated"``: by runs drawn on the bar."""
        single = self.rollouts == 1 and not self.same_tasks
        return "exact" if single and self._judge.question.functional.k == 1 else "simulated"

    @cached_property
    def _boundary(self) -> Boundary:
        if self.method == "exact":
            return ExactBoundary(self._judge, self.looks, self.tasks_per_look)
        assert isinstance(self.rng, int)
        return SimulatedBoundary(
            self._judge,
            self.looks,
            self.tasks_per_look,
            self.rollouts,
            self.icc,
            self.same_tasks,
            self.simulations,
            self.rng,
        )

    @cached_property
    def _tail(self) -> float:
        # Few looks at small batches could do with less; a verdict should not.
        return min(self._boundary.calibrated(self.alpha), self.alpha)

    @property
    def confidence(self) -> float:
        """The raised bar: the posterior probability that releases the claim, at every look."""
        return 1.0 - self._tail

    @cached_property
    def false_release(self) -> float:
        """Probability that a system exactly on the bar is released at any of the looks."""
        return self._boundary.false_release(self._tail)

    @property
    def mcse(self) -> float:
        """Monte Carlo standard error of `false_release`; 0 where it is exact."""
        if self.method == "exact":
            return 0.0
        return math.sqrt(self.alpha * (1 - self.alpha) / self.simulations)

    def false_release_at(self, confidence: float) -> float:
        """False-release probability of another bar, such as a fixed 0.95.

        Parameters
        ----------
        confidence : float
            Posterior probability that releases the claim at every look: above 0.5, or at
            least 0.9 where it is simulated, and below 1.
        """
        level = as_confidence(confidence)
        if self.method == "simulated" and level < 1.0 - MOST_TAIL:
            raise InputError(f"confidence must be at least 0.9 in a simulated plan; got {level:g}")
        return self._boundary.false_release(1.0 - level)

    def at_rate(self, rate: float) -> SequentialRate:
        """How the plan ends for systems of one true value.

        Parameters
        ----------
        rate : float
            True value of the claimed quantity, strictly between 0 and 1.
        """
        value = as_probability(rate, "rate", open_ends=True)
        return self._ending(value, self._boundary.paths(value, self._tail))

    def _ending(self, value: float, paths: Paths) -> SequentialRate:
        steps = np.arange(1, self.looks + 1) * self.tasks_per_look
        mean = float(paths.stops @ steps) + paths.undecided * float(steps[-1])
        return SequentialRate(
            value,
            float(paths.released.sum()),
            float(paths.contradicted.sum()),
            paths.undecided,
            mean,
        )

    def assess(self, results: Results, *, look: int | None = None) -> Look:
        """What the results so far say: stop, or go on, and for how long.

        Parameters
        ----------
        results : Rollouts, Fit or (passes, tasks)
            All results so far; a pair for one rollout per task.
        look : int, optional
            Which look this is. Default: as many as the tasks make up, to within a tenth of
            a batch; between two looks nothing is decided.

        Returns
        -------
        Look

        Raises
        ------
        InputError
            If the results are no such thing, or the look is beyond the plan.
        """
        single = self.rollouts == 1 and not self.same_tasks
        seen = seen_of(results, self._judge, same_tasks=self.same_tasks, single=single)
        done = seen.rounds / self.rollouts if self.same_tasks else seen.tasks / self.tasks_per_look
        at = math.floor(done + SLACK)
        planned = True
        if look is not None:
            at = as_whole(look, "look", minimum=1)
        else:
            planned = at >= 1 and abs(done - at) <= SLACK
        if at > self.looks or (look is None and done > self.looks + SLACK):
            raise InputError(
                f"the results make up {done:.3g} looks, but the plan has {self.looks}; a "
                "longer plan must be made before its results are seen"
            )
        outcome: LookOutcome = "go on"
        if planned:
            if seen.prob_not <= self._tail * (1 + 1e-12):
                outcome = "released"
            elif seen.prob <= self._tail * (1 + 1e-12):
                outcome = "contradicted"
            elif at == self.looks:
                outcome = "undecided"
        more, released, contradicted, undecided = self._forecast(seen, at, outcome)
        interval, e_value = seen.anytime(self._judge, self.alpha)
        lower, upper = seen.posterior.eti(0.95)
        return Look(
            self._judge.question.text,
            at,
            self.looks,
            seen.tasks,
            seen.posterior.summary_text(),
            seen.posterior.mean,
            lower,
            upper,
            seen.prob,
            seen.prob_not,
            self.confidence,
            outcome,
            self.false_release,
            interval,
            e_value,
            more,
            released,
            contradicted,
            undecided,
            "" if planned else self._between(at),
        )

    def _forecast(self, seen: Seen, at: int, outcome: LookOutcome) -> Forecast:
        if outcome != "go on" or self.same_tasks:
            why = Unknown(
                "not predicted where the same tasks run again"
                if outcome == "go on"
                else "the plan has come to its end"
            )
            return why, why, why, why
        # More tasks than the look needs may be there already.
        further = [
            max(look * self.tasks_per_look - seen.tasks, 1)
            for look in range(at + 1, self.looks + 1)
        ]
        if isinstance(self._boundary, ExactBoundary) and seen.passes is not None:
            paths = predicted(self._boundary, self._tail, seen, at)
        else:
            assert isinstance(self.rng, int)
            paths = simulated(self._judge, self._tail, seen, further, self.rollouts, self.rng)
        return forecast(paths, further)

    def _between(self, at: int) -> str:
        following = f"{(at + 1) * self.tasks_per_look:,} tasks"
        if self.same_tasks:
            following = f"{(at + 1) * self.rollouts:,} rollouts of each task"
        return f"Between two looks, where nothing is decided: the next is at {following}."

    def follow(self, batches: Iterable[Rollouts | tuple[int, int]]) -> tuple[Look, ...]:
        """Look after each batch, until the plan says stop.

        Parameters
        ----------
        batches : iterable of Rollouts or (passes, tasks)
            Results of the new tasks of each look. Where the same tasks run again, `assess`
            the suite as it stands.

        Returns
        -------
        tuple of Look
        """
        if self.same_tasks:
            raise InputError("follow adds new tasks; where the same run again, use assess")
        passes: list[int] = []
        trials: list[int] = []
        found: list[Look] = []
        for batch in as_items(batches, "batches", of="the results of each look"):
            if isinstance(batch, Rollouts):
                passes += batch.passes.tolist()
                trials += batch.trials.tolist()
            else:
                seen = seen_of(batch, self._judge, same_tasks=False, single=self.rollouts == 1)
                assert seen.passes is not None
                passes += [1] * seen.passes + [0] * (seen.tasks - seen.passes)
                trials += [1] * seen.tasks
            look = self.assess(Rollouts.from_counts(passes, trials), look=len(found) + 1)
            found.append(look)
            if look.stop:
                break
        return tuple(found)

    def __repr__(self) -> str:
        again = "the same tasks again" if self.same_tasks else tasks_text(self.tasks_per_look)
        return f"Sequential({self._judge.question.text}: {self.looks} looks, each {again})"

    def __str__(self) -> str:
        """The plan and its risk in one line."""
        size = f"{self.looks:,} looks at {tasks_text(self.tasks_per_look)} each"
        if self.rollouts > 1:
            size += f" x {self.rollouts:,} rollouts"
        if self.same_tasks:
            size += ", the same every time"
        how = (
            "exact" if self.method == "exact" else f"Monte Carlo error {100 * self.mcse:.1f} points"
        )
        return (
            f"{self._judge.question.text}, {size}: released at "
            f"{level_text(float(f'{self.confidence:.6g}'))} or more; a system on the bar is ever "
            f"released in {format_percent(self.false_release)} ({how})"
        )
