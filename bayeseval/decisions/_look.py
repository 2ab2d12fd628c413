"""Look: what accumulated results say today, and how far away a decision is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bayeseval._cells import scored_cells
from bayeseval._format import format_percent, format_probability
from bayeseval._interval import Interval
from bayeseval._validate import as_whole, shown
from bayeseval.claims import parse_claim
from bayeseval.claims._verdict import prob_of
from bayeseval.conjugate import beta_posterior
from bayeseval.decisions._anytime import confidence_sequence, log_e_value
from bayeseval.decisions._question import MOST_TASKS, Judge, components, hierarchical
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit, HierarchicalPrior, fit_suite
from bayeseval.plan._result import Plan, level_text, tasks_text
from bayeseval.posterior import Posterior
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["Look", "LookOutcome", "Results", "Seen", "seen_of"]

Results = Rollouts | Fit | tuple[int, int]
LookOutcome = Literal["released", "contradicted", "go on", "undecided"]


@dataclass(frozen=True, slots=True, repr=False)
class Look(Plan):
    """What the results so far say, and what follows.

    Parameters
    ----------
    claim : str
        The claim.
    look, looks : int
        Which look this is, and how many are planned; 0 before the first.
    tasks : int
        Tasks so far.
    estimate : str
        The posterior in one line.
    mean, lower, upper : float
        Its mean and central 95 % interval.
    prob, prob_not : float
        Posterior probabilities that the claim holds, and that it does not.
    confidence : float
        The raised bar that `prob` must reach.
    outcome : {"released", "contradicted", "go on", "undecided"}
        Whether to stop: released, given up, go on, or at the end of the plan with neither.
    false_release : float
        Probability, over all looks, that a system exactly on the bar is released.
    anytime : Interval or Unknown
        Confidence sequence, the frequentist baseline: see `confidence_sequence`.
    e_value : float or Unknown
        Evidence for the claim that is valid at any time; release at 1 / alpha would err with
        probability alpha at most.
    more_tasks : int or Unknown
        Tasks until a decision: the median, as today's posterior predicts the results.
    prob_released, prob_contradicted, prob_undecided : float or Unknown
        How the rest of the plan is predicted to end.
    note : str
        What else to know; may be empty.
    """

    claim: str
    look: int
    looks: int
    tasks: int
    estimate: str
    mean: float
    lower: float
    upper: float
    prob: float
    prob_not: float
    confidence: float
    outcome: LookOutcome
    false_release: float
    anytime: Interval | Unknown
    e_value: float | Unknown
    more_tasks: int | Unknown
    prob_released: float | Unknown
    prob_contradicted: float | Unknown
    prob_undecided: float | Unknown
    note: str

    @property
    def stop(self) -> bool:
        """Whether to stop."""
        return self.outcome != "go on"

    @property
    def sentence(self) -> str:
        """What follows, in one line."""
        text = (
            f"{self.outcome.upper()} at look {self.look} of {self.looks}, "
            f"{tasks_text(self.tasks)}: Pr[{self.claim}] = {format_probability(self.prob)} "
            f"(needed {level_text(float(f'{self.confidence:.6g}'))}; {self.estimate})"
        )
        return text if self.stop else f"{text}; {self.ahead}"

    @property
    def ahead(self) -> str:
        """How far away a decision is, in words."""
        if isinstance(self.prob_undecided, Unknown):
            return f"tasks until a decision: {self.more_tasks!r}"
        assert not isinstance(self.prob_released, Unknown)
        assert not isinstance(self.prob_contradicted, Unknown)
        chances = (
            f"predicted: released {format_percent(self.prob_released)}, contradicted "
            f"{format_percent(self.prob_contradicted)}, undecided at the end "
            f"{format_percent(self.prob_undecided)}"
        )
        if isinstance(self.more_tasks, Unknown):
            return f"a decision is less likely than not within the plan ({chances})"
        return f"about {tasks_text(self.more_tasks)} more until a decision ({chances})"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Results so far.

    Parameters
    ----------
    posterior : Posterior
        Of the claimed quantity.
    prob, prob_not : float
        Of the claim and of its contrary.
    tasks : int
        Tasks with a scored rollout.
    rounds : float
        Rollouts of each task.
    passes : int or None
        Passes, where every task ran once.
    fit : Fit or None
        The fit, where tasks ran several times.
    total : float or Unknown
        Sum over tasks of the unbiased estimate of the claimed quantity.
    """

    posterior: Posterior
    prob: float
    prob_not: float
    tasks: int
    rounds: float
    passes: int | None
    fit: Fit | None
    total: float | Unknown

    def anytime(self, judge: Judge, alpha: float) -> tuple[Interval | Unknown, float | Unknown]:
        """Confidence sequence and e-value."""
        if isinstance(self.total, Unknown):
            return self.total, self.total
        interval = confidence_sequence(self.total, self.tasks, ci_prob=1 - alpha)
        bar, above = judge.question.bar, judge.question.above
        log_e = log_e_value(self.total, self.tasks, bar, above=above)
        return interval, math.exp(min(log_e, 700.0))


def seen_of(
    results: Results,
    judge: Judge,
    *,
    same_tasks: bool = False,
    single: bool = True,
    hierarchically: bool = False,
) -> Seen:
    """Analyse results: a pair (passes, tasks) of single rollouts, a suite or its fit.

    Single rollouts are analysed by the conjugate model, unless `hierarchically`.
    """
    if isinstance(results, Rollouts | Fit):
        return _of_suite(results, judge, same_tasks, hierarchically)
    try:
        passed, count = results
    except (TypeError, ValueError):
        raise InputError(
            f"results must be a Rollouts, a Fit or a pair (passes, tasks); got {shown(results)}"
        ) from None
    if not single:
        raise InputError("a pair (passes, tasks) is for one rollout per task; give a Rollouts")
    passes, tasks = as_whole(passed, "passes"), as_whole(count, "tasks", maximum=MOST_TASKS)
    if passes > tasks:
        raise InputError(f"passes must not exceed tasks; got {passes} of {tasks}")
    if hierarchically or judge.question.functional.k > 1:
        suite = Rollouts.from_counts([1] * passes + [0] * (tasks - passes), 1)
        return _of_suite(suite, judge, False, True)
    return _conjugate(passes, tasks, judge)


def _conjugate(passes: int, tasks: int, judge: Judge) -> Seen:
    prior = judge.prior
    chosen = components(prior)[0][1:] if isinstance(prior, HierarchicalPrior) else prior
    posterior = beta_posterior(passes, tasks, prior=chosen)
    (comparison,) = parse_claim(judge.question.text).comparisons
    prob, prob_not = prob_of(comparison, posterior)
    return Seen(posterior, prob, prob_not, tasks, 1.0, passes, None, float(passes))


def _of_suite(
    results: Rollouts | Fit, judge: Judge, same_tasks: bool, hierarchically: bool
) -> Seen:
    rollouts = results if isinstance(results, Rollouts) else results.rollouts
    cells = scored_cells(rollouts)
    if cells.n_tasks == 0:
        raise InputError("no task has a scored rollout")
    functional = judge.question.functional
    if functional.k == 1 and cells.trials.max() == 1 and not hierarchically:
        return _conjugate(int(cells.count @ cells.passes), cells.n_tasks, judge)
    fit = results
    if isinstance(fit, Rollouts):
        fit = fit_suite(fit, engine="exact", prior=hierarchical(judge.prior))
    posterior = fit.pass_at_k(functional.k) if functional.mirrored else fit.pass_hat_k(functional.k)
    (comparison,) = parse_claim(judge.question.text).comparisons
    prob, prob_not = prob_of(comparison, posterior)
    total: float | Unknown
    if same_tasks:
        total = Unknown("every look runs the same tasks: they are no new draws")
    elif functional.k > cells.trials.min():
        total = Unknown(f"some tasks have fewer than {functional.k} rollouts")
    else:
        total = 0.0
        for passed, trials, count in zip(cells.passes, cells.trials, cells.count, strict=True):
            total += float(functional.of_counts(int(trials))[passed]) * int(count)
    rounds = float(cells.count @ cells.trials) / cells.n_tasks
    return Seen(posterior, prob, prob_not, cells.n_tasks, rounds, None, fit, total)
