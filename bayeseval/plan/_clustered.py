"""Suites of several rollouts per task: designs side by side, and the cheapest that is enough."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bayeseval._validate import as_items, as_positive, shown
from bayeseval.errors import InputError
from bayeseval.plan._designs import (
    ClusteredDesign,
    ClusteredMethod,
    Expected,
    as_rollouts,
    rollouts_text,
)
from bayeseval.plan._half_width import as_half_width
from bayeseval.plan._passes import as_tasks
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = [
    "ClusteredPlan",
    "ClusteredTable",
    "clustered",
    "clustered_budget",
    "clustered_design",
    "clustered_table",
]

# Numbers of rollouts that a plan shows beside the cheapest.
SHOWN = (1, 2, 3, 4, 5, 6, 8, 10, 16)


@dataclass(frozen=True, slots=True, repr=False)
class ClusteredTable(Plan):
    """Designs side by side: each number of tasks with each number of rollouts.

    Parameters
    ----------
    designs : tuple of ClusteredDesign
        By tasks, then by rollouts.
    """

    designs: tuple[ClusteredDesign, ...]

    @property
    def sentence(self) -> str:
        """The narrowest and the widest design in one line."""
        order = sorted(self.designs, key=lambda design: design.half_width)
        best, worst = order[0], order[-1]
        return (
            f"{len(order)} designs for {rate_text(best.rate)} at ICC {best.icc:.3g}: from ± "
            f"{100 * worst.half_width:.2f} points ({worst.tasks:,} x {worst.rollouts:,}) to ± "
            f"{100 * best.half_width:.2f} points ({best.tasks:,} x {best.rollouts:,}), "
            f"{level_text(best.ci_prob)} {best.method.capitalize()}"
        )

    def _repr_html_(self) -> str:
        rollouts = sorted({design.rollouts for design in self.designs})
        cells = {(d.tasks, d.rollouts): f"± {100 * d.half_width:.2f}" for d in self.designs}
        head = "".join(f"<th>{r:,} rollouts</th>" for r in rollouts)
        rows = "".join(
            f"<tr><th>{m:,} tasks</th>"
            + "".join(f"<td>{cells[m, r]}</td>" for r in rollouts)
            + "</tr>"
            for m in sorted({design.tasks for design in self.designs})
        )
        return f"<table><tr><th></th>{head}</tr>{rows}</table>"


@dataclass(frozen=True, slots=True, repr=False)
class ClusteredPlan(Plan):
    """The cheapest suite of several rollouts per task for a given half-width.

    Parameters
    ----------
    rate, icc : float
        The pass rate and the intraclass correlation that are expected.
    half_width : float
        The half-width asked for, 0-1.
    ci_prob : float
        Level of the interval.
    method : {"wilson", "wald"}
        The interval.
    cost_task, cost_rollout : float
        What a task costs once, and each rollout of it.
    max_tasks : int or None
        Tasks that there are at most.
    max_rollouts : int
        Rollouts of a task at most.
    cheapest : ClusteredDesign or Unknown
        The cheapest design that reaches the half-width; the fewest rollouts among
        equals. `Unknown` where none does.
    designs : tuple of ClusteredDesign
        The smallest design that reaches it for some numbers of rollouts.
    best_rollouts : float
        Rollouts per task of the textbook: sqrt(cost_task / cost_rollout * (1 - icc) / icc),
        infinite at ICC 0.
    n_eff : float
        Independent rollouts that are needed.
    """

    rate: float
    icc: float
    half_width: float
    ci_prob: float
    method: ClusteredMethod
    cost_task: float
    cost_rollout: float
    max_tasks: int | None
    max_rollouts: int
    cheapest: ClusteredDesign | Unknown
    designs: tuple[ClusteredDesign, ...]
    best_rollouts: float
    n_eff: float

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        goal = f"{rate_text(self.rate)} ± {100 * self.half_width:.10g} points"
        if isinstance(self.cheapest, Unknown):
            return f"no design reaches {goal}: {self.cheapest.reason}"
        best = self.cheapest
        return (
            f"{tasks_text(best.tasks)} x {rollouts_text(best.rollouts)} for {goal} "
            f"({level_text(self.ci_prob)} {self.method.capitalize()}, ICC {self.icc:.3g}; the "
            f"cheapest at {self.cost_task:.10g} a task and {self.cost_rollout:.10g} a rollout: "
            f"{best.cost:,.10g})"
        )


def clustered_design(
    rate: float,
    icc: float,
    tasks: int,
    rollouts: int,
    *,
    method: ClusteredMethod = "wilson",
    ci_prob: float = 0.95,
    cost_task: float = 1.0,
    cost_rollout: float = 1.0,
) -> ClusteredDesign:
    """Say what a suite of so many tasks and rollouts will tell of the pass rate.

    Parameters
    ----------
    rate : float
        The pass rate that is expected, strictly between 0 and 1.
    icc : float
        Intraclass correlation, 0-1: the share of outcome variance between tasks. An
        earlier run gives it: ``fit.icc().mean``.
    tasks, rollouts : int
        Tasks, and rollouts of each; at least 1.
    method : {"wilson", "wald"}, default "wilson"
        The interval, on as many independent rollouts as the design is worth.
    ci_prob : float, default 0.95
        Level of the interval, strictly between 0 and 1.
    cost_task, cost_rollout : float, default 1
        What a task costs once, 0 or more, and each rollout of it, above 0.

    Returns
    -------
    ClusteredDesign

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    r rollouts of each of m tasks have the variance p (1 - p) (1 + (r - 1) ICC) / (m r)
    [1]_ [2]_; it never falls below p (1 - p) ICC / m. It is about new tasks like these:
    the rate on exactly these tasks is known better.

    References
    ----------
    .. [1] Kish, L. (1965). Survey sampling, section 5.4. Wiley.
    .. [2] Donner, A., Birkett, N., & Buck, C. (1981). Randomization by cluster: sample
       size requirements and analysis. https://doi.org/10.1093/oxfordjournals.aje.a113261

    Examples
    --------
    200 rollouts of 50 tasks tell as much as 80 independent ones at an ICC of 0.5:

    >>> import bayeseval as be
    >>> round(be.plan.clustered_design(0.8, 0.5, 50, 4).n_eff)
    80
    """
    expected = Expected.of(rate, icc, method, ci_prob, cost_task, cost_rollout)
    return expected.design(as_tasks(tasks), as_rollouts(rollouts, "rollouts"))


def clustered_table(
    rate: float,
    icc: float,
    *,
    tasks: Iterable[int] = (50, 100, 200, 400, 800),
    rollouts: Iterable[int] = (1, 2, 4, 8),
    method: ClusteredMethod = "wilson",
    ci_prob: float = 0.95,
    cost_task: float = 1.0,
    cost_rollout: float = 1.0,
) -> ClusteredTable:
    """Lay designs side by side: each number of tasks with each number of rollouts.

    Parameters
    ----------
    rate, icc
        As in `clustered_design`.
    tasks, rollouts : iterable of int
        The numbers of tasks, and of rollouts of each.
    method, ci_prob, cost_task, cost_rollout
        As in `clustered_design`.

    Returns
    -------
    ClusteredTable

    Raises
    ------
    InputError
        If there is no design, or an argument is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> table = be.plan.clustered_table(0.8, 0.5, tasks=(100, 200), rollouts=(1, 4))
    >>> [(d.tasks, d.rollouts, round(d.half_width, 3)) for d in table.designs]
    [(100, 1, 0.078), (100, 4, 0.062), (200, 1, 0.055), (200, 4, 0.044)]
    """
    expected = Expected.of(rate, icc, method, ci_prob, cost_task, cost_rollout)
    sizes = sorted({as_tasks(each) for each in as_items(tasks, "tasks", of="numbers of tasks")})
    repeats = sorted(
        {
            as_rollouts(each, "rollouts")
            for each in as_items(rollouts, "rollouts", of="numbers of rollouts")
        }
    )
    if not sizes or not repeats:
        raise InputError("tasks and rollouts must each name at least one number")
    return ClusteredTable(tuple(expected.design(m, r) for m in sizes for r in repeats))


def clustered(
    rate: float,
    icc: float,
    half_width: float,
    *,
    cost_task: float = 1.0,
    cost_rollout: float = 1.0,
    max_tasks: int | None = None,
    max_rollouts: int = 100,
    method: ClusteredMethod = "wilson",
    ci_prob: float = 0.95,
) -> ClusteredPlan:
    """Find the cheapest suite of tasks and rollouts for a given half-width.

    Parameters
    ----------
    rate, icc
        As in `clustered_design`.
    half_width : float
        The half-width to reach, 0.00001-0.5: 0.05 is plus or minus 5 percentage points.
    cost_task, cost_rollout : float, default 1
        What a task costs once, 0 or more, and each rollout of it, above 0.
    max_tasks : int, optional
        Tasks that there are at most.
    max_rollouts : int, default 100
        Rollouts of a task at most.
    method, ci_prob
        As in `clustered_design`.

    Returns
    -------
    ClusteredPlan
        `cheapest` is `Unknown` where `max_tasks` are too few however often they run.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    For r rollouts of each, m = n (1 + (r - 1) ICC) / r tasks, rounded up, tell as much
    as n independent rollouts. Every r up to `max_rollouts` is tried. Without rounding
    the cheapest is sqrt(cost_task / cost_rollout * (1 - ICC) / ICC) rollouts [1]_.

    References
    ----------
    .. [1] Cochran, W. G. (1977). Sampling techniques, third edition, section 10.6. Wiley.

    Examples
    --------
    >>> import bayeseval as be
    >>> plan = be.plan.clustered(0.8, 0.3, 0.05, cost_task=10, cost_rollout=1)
    >>> plan.cheapest.tasks, plan.cheapest.rollouts
    (108, 5)

    50 tasks, however often they run, know the rate of new tasks no better than this:

    >>> be.plan.clustered(0.8, 0.5, 0.05, max_tasks=50).cheapest
    UNKNOWN (50 tasks give ± 7.77 points at best, however often each runs)
    """
    expected = Expected.of(rate, icc, method, ci_prob, cost_task, cost_rollout)
    target = as_half_width(half_width, "half_width")
    most_tasks = None if max_tasks is None else as_tasks(max_tasks, "max_tasks")
    most_rollouts = as_rollouts(max_rollouts, "max_rollouts")
    n_eff = expected.n_eff_for(target)
    best: ClusteredDesign | None = None
    shown = {}
    for r in range(1, most_rollouts + 1):
        m = expected.tasks_for(n_eff, r)
        if most_tasks is not None and m > most_tasks:
            continue
        design = expected.design(m, r)
        if r in SHOWN:
            shown[r] = design
        if best is None or design.cost < best.cost:
            best = design
    if best is not None:
        shown[best.rollouts] = best
    return ClusteredPlan(
        expected.rate,
        expected.icc,
        target,
        expected.ci_prob,
        expected.method,
        expected.cost_task,
        expected.cost_rollout,
        most_tasks,
        most_rollouts,
        expected.why_none(n_eff, most_tasks, most_rollouts) if best is None else best,
        tuple(shown[r] for r in sorted(shown)),
        expected.best_rollouts,
        n_eff,
    )


def clustered_budget(
    rate: float,
    icc: float,
    budget: float,
    *,
    cost_task: float = 1.0,
    cost_rollout: float = 1.0,
    max_tasks: int | None = None,
    max_rollouts: int = 100,
    method: ClusteredMethod = "wilson",
    ci_prob: float = 0.95,
) -> ClusteredDesign:
    """Find the suite of tasks and rollouts that tells most for a budget.

    Parameters
    ----------
    rate, icc
        As in `clustered_design`.
    budget : float
        What may be spent, in the unit of the costs; at least one task and one rollout.
    cost_task, cost_rollout, max_tasks, max_rollouts, method, ci_prob
        As in `clustered`.

    Returns
    -------
    ClusteredDesign
        The narrowest within the budget; the cheaper one among equals.

    Raises
    ------
    InputError
        If the budget does not pay for a single rollout, or an argument is out of range.

    Examples
    --------
    >>> import bayeseval as be
    >>> best = be.plan.clustered_budget(0.8, 0.3, 1000, cost_task=10)
    >>> best.tasks, best.rollouts
    (66, 5)
    """
    expected = Expected.of(rate, icc, method, ci_prob, cost_task, cost_rollout)
    money = as_positive(budget, "budget")
    if money < expected.cost_task + expected.cost_rollout:
        raise InputError(
            f"budget must pay for one task and one rollout, "
            f"{expected.cost_task + expected.cost_rollout:.10g}; got {shown(budget)}"
        )
    most_tasks = as_tasks(10**12 if max_tasks is None else max_tasks, "max_tasks")
    designs = []
    for r in range(1, as_rollouts(max_rollouts, "max_rollouts") + 1):
        m = min(
            math.floor(money / (expected.cost_task + r * expected.cost_rollout) + 1e-9), most_tasks
        )
        if m:
            designs.append(expected.design(m, r))
    return min(designs, key=lambda design: (design.se, design.cost))
