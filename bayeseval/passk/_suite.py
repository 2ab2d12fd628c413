"""pass@k and pass^k of a suite: means over tasks, for one k or along a curve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._cells import NO_SCORED_TASK, ScoredCells, mean_and_se, scored_cells
from bayeseval._validate import as_items, as_whole, one_of
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["PassCurve", "pass_curve", "suite_pass_at_k", "suite_pass_hat_k"]

Unequal = Literal["unknown", "eligible"]


@dataclass(frozen=True, slots=True, repr=False)
class PassCurve:
    """pass@k and pass^k of a suite over k: means over tasks, each task once.

    Parameters
    ----------
    k : tuple of int
        Rollouts drawn.
    pass_at_k, pass_hat_k : tuple of float or Unknown
        The suite's value for each k; `Unknown` where the data do not give one.
    pass_at_k_se, pass_hat_k_se : tuple of float or Unknown
        Standard errors: sample standard deviation of the tasks' values / sqrt(tasks);
        `Unknown` where the value is, and where fewer than two tasks are averaged.
    n_eligible : tuple of int
        Tasks with at least k scored rollouts.
    n_tasks : int
        Tasks with at least one scored rollout.
    n_unscored : int
        Tasks left out because none of their rollouts was scored.
    min_trials : int
        The smallest number of scored rollouts among the `n_tasks` tasks.
    unequal : {"unknown", "eligible"}
        What was asked for where tasks have unequal numbers of rollouts.
    """

    k: tuple[int, ...]
    pass_at_k: tuple[float | Unknown, ...]
    pass_hat_k: tuple[float | Unknown, ...]
    pass_at_k_se: tuple[float | Unknown, ...]
    pass_hat_k_se: tuple[float | Unknown, ...]
    n_eligible: tuple[int, ...]
    n_tasks: int
    n_unscored: int
    min_trials: int
    unequal: Unequal

    @property
    def estimand(self) -> str:
        """The set of tasks that the values are about, in words."""
        if self.unequal == "eligible":
            return "mean over the tasks with at least k scored rollouts"
        return "mean over all tasks"

    def __repr__(self) -> str:
        span = str(self.k[0]) if len(self.k) == 1 else f"{self.k[0]}..{self.k[-1]}"
        return f"PassCurve(k={span}, n_tasks={self.n_tasks}, {self.estimand})"


def pass_curve(
    rollouts: Rollouts,
    *,
    k: int | Iterable[int] | None = None,
    unequal: Unequal = "unknown",
) -> PassCurve:
    """pass@k and pass^k of a suite for each k, unbiased, with standard errors.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. Tasks without a scored rollout are left out and counted.
    k : int or iterable of int, optional
        The values of k, at least 1. Default: 1 to the largest number of scored
        rollouts of a task.
    unequal : {"unknown", "eligible"}, default "unknown"
        Where some tasks have fewer than k scored rollouts: ``"unknown"`` answers
        UNKNOWN; ``"eligible"`` averages the tasks that have enough. That is another
        estimand, about other tasks for each k, and `PassCurve.estimand` says so.

    Returns
    -------
    PassCurve
        Values, standard errors and the number of eligible tasks for each k.

    Raises
    ------
    InputError
        If k is below 1 or not whole, or `unequal` is none of the choices.

    Notes
    -----
    Each task's value comes from its own counts, and the values are averaged; neither
    is ever computed from the mean rate. The k-th step of the recurrence

        pass@k = pass@(k-1) + Pr[no pass in k - 1 draws] * c / (n - k + 1)

    adds positive terms only, so small values keep their digits. Cost grows with the
    number of distinct (passes, trials), not with the number of tasks.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([3, 7, 3, 0], [5, 10, 3, 8])
    >>> curve = be.pass_curve(suite, k=[1, 3, 5])
    >>> [round(value, 3) for value in curve.pass_at_k[:2]]
    [0.575, 0.748]
    >>> curve.pass_at_k[2]
    UNKNOWN (k = 5, but 1 of 4 tasks has fewer scored rollouts (the fewest: 3))
    >>> be.pass_curve(suite, k=5, unequal="eligible")
    PassCurve(k=5, n_tasks=4, mean over the tasks with at least k scored rollouts)
    """
    cells = scored_cells(rollouts)
    one_of(unequal, Unequal, "unequal")
    max_trials = int(cells.trials[-1]) if cells.n_tasks else 0
    ks = _as_ks(k) if k is not None else tuple(range(1, max(max_trials, 1) + 1))
    found = _curve_steps(cells, set(ks), up_to=min(max(ks), max_trials))

    columns: list[tuple[float | Unknown, ...]] = []
    n_eligible = []
    for each in ks:
        eligible = int(cells.count[cells.trials >= each].sum())
        n_eligible.append(eligible)
        reason = _no_suite_value(each, cells, eligible, unequal)
        columns.append((Unknown(reason),) * 4 if reason else found[each])
    at, at_se, hat, hat_se = zip(*columns, strict=True)
    return PassCurve(
        k=ks,
        pass_at_k=at,
        pass_hat_k=hat,
        pass_at_k_se=at_se,
        pass_hat_k_se=hat_se,
        n_eligible=tuple(n_eligible),
        n_tasks=cells.n_tasks,
        n_unscored=cells.n_unscored,
        min_trials=int(cells.trials[0]) if cells.n_tasks else 0,
        unequal=unequal,
    )


def suite_pass_at_k(rollouts: Rollouts, k: int, *, unequal: Unequal = "unknown") -> float | Unknown:
    """Unbiased pass@k of a suite: the mean over tasks.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. Tasks without a scored rollout are left out.
    k : int
        Rollouts drawn, at least 1.
    unequal : {"unknown", "eligible"}, default "unknown"
        As for `pass_curve`; ``"eligible"`` answers for other tasks than the suite's.

    Returns
    -------
    float or Unknown
        A probability, 0-1; `Unknown` where a task has fewer than k scored rollouts.

    Raises
    ------
    InputError
        As `pass_curve`.

    Examples
    --------
    >>> import bayeseval as be
    >>> from bayeseval.passk import suite_pass_at_k
    >>> suite_pass_at_k(be.Rollouts.from_counts([4, 2, 0], [4, 4, 4]), 4)
    0.6666666666666666
    """
    return pass_curve(rollouts, k=as_whole(k, "k", minimum=1), unequal=unequal).pass_at_k[0]


def suite_pass_hat_k(
    rollouts: Rollouts, k: int, *, unequal: Unequal = "unknown"
) -> float | Unknown:
    """Unbiased pass^k of a suite: the mean over tasks.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. Tasks without a scored rollout are left out.
    k : int
        Rollouts drawn, at least 1.
    unequal : {"unknown", "eligible"}, default "unknown"
        As for `pass_curve`; ``"eligible"`` answers for other tasks than the suite's.

    Returns
    -------
    float or Unknown
        A probability, 0-1; `Unknown` where a task has fewer than k scored rollouts.

    Raises
    ------
    InputError
        As `pass_curve`.

    Examples
    --------
    >>> import bayeseval as be
    >>> from bayeseval.passk import suite_pass_hat_k
    >>> suite_pass_hat_k(be.Rollouts.from_counts([4, 2, 0], [4, 4, 4]), 4)
    0.3333333333333333
    """
    return pass_curve(rollouts, k=as_whole(k, "k", minimum=1), unequal=unequal).pass_hat_k[0]


def _as_ks(k: Any) -> tuple[int, ...]:
    if (isinstance(k, np.ndarray) and k.ndim == 0) or not isinstance(k, Iterable):
        return (as_whole(k, "k", minimum=1),)
    ks = tuple(as_whole(each, "k", minimum=1) for each in as_items(k, "k", of="whole numbers"))
    if not ks:
        raise InputError("k must hold at least one whole number; got none")
    return ks


def _no_suite_value(k: int, cells: ScoredCells, eligible: int, unequal: Unequal) -> str | None:
    """Why the suite has no value at `k`; None where it has one."""
    if cells.n_tasks == 0:
        return NO_SCORED_TASK
    if eligible == 0:
        return f"k = {k} exceeds the scored rollouts of every task (the most: {cells.trials[-1]})"
    if unequal == "unknown" and eligible < cells.n_tasks:
        short = cells.n_tasks - eligible
        has = "has" if short == 1 else "have"
        return (
            f"k = {k}, but {short} of {cells.n_tasks} tasks {has} fewer scored rollouts "
            f"(the fewest: {cells.trials[0]})"
        )
    return None


def _curve_steps(
    cells: ScoredCells, wanted: set[int], *, up_to: int
) -> dict[int, tuple[float | Unknown, ...]]:
    """Mean and standard error of pass@k, then of pass^k, over the eligible tasks."""
    passes, trials = cells.passes.astype(float), cells.trials.astype(float)
    fails = trials - passes
    at = np.zeros_like(trials)
    none_passed = np.ones_like(trials)
    all_passed = np.ones_like(trials)
    found: dict[int, tuple[float | Unknown, ...]] = {}
    for k in range(1, up_to + 1):
        drawn = k - 1
        rows = slice(int(np.searchsorted(cells.trials, k)), None)
        left = trials[rows] - drawn
        at[rows] += none_passed[rows] * passes[rows] / left
        none_passed[rows] *= np.maximum(fails[rows] - drawn, 0) / left
        all_passed[rows] *= np.maximum(passes[rows] - drawn, 0) / left
        if k in wanted:
            # Fewer failures than draws make a pass certain: exactly 1, whatever the rounding.
            certain = np.where(fails[rows] < k, 1.0, np.minimum(at[rows], 1.0))
            found[k] = (
                *_with_reason(certain, cells.count[rows]),
                *_with_reason(all_passed[rows], cells.count[rows]),
            )
    return found


def _with_reason(
    values: npt.NDArray[np.float64], count: npt.NDArray[np.int64]
) -> tuple[float, float | Unknown]:
    mean, se = mean_and_se(values, count)
    return mean, Unknown("one task has no standard error") if se is None else se
