"""Fit: the answers of a fitted hierarchical model, whichever engine made them."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._cells import ScoredCells, scored_cells
from bayeseval._validate import Population, as_probability, as_whole, nearest_names, one_of, shown
from bayeseval.errors import InputError
from bayeseval.hierarchical._checks import Checks
from bayeseval.hierarchical._draws import DrawsHyper, independent_draws
from bayeseval.hierarchical._exact import ExactHyper
from bayeseval.hierarchical._flaky import FlakyTable, flaky_table, gap_posterior
from bayeseval.hierarchical._functionals import MOST_ATTEMPTS, Functional
from bayeseval.hierarchical._lost import lost_note
from bayeseval.hierarchical._prior import HierarchicalPrior
from bayeseval.hierarchical._saving import attributes, save_tree
from bayeseval.hierarchical._suite import new_run_exact, next_run_exact, suite_exact
from bayeseval.hierarchical._tables import (
    PredictedHistogram,
    TaskTable,
    predicted_histogram,
    task_table,
)
from bayeseval.hierarchical._tails import share_above_exact, task_quantile_exact
from bayeseval.hierarchical._tree import make_tree
from bayeseval.posterior import About, Posterior
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import os

    import pandas as pd
    import xarray as xr

__all__ = ["EXACT_DRAWS", "Engine", "Fit"]

Array = npt.NDArray[np.float64]
Engine = Literal["nuts", "exact"]

# Chains and draws of the independent draws that stand for an exact posterior.
EXACT_DRAWS = (4, 1000)
# Tasks of a predicted run, and rollouts of each.
MOST_NEW = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A fitted hierarchical model of tasks and rollouts.

    Made by `fit` and `load_fit`. Every answer is a `Posterior`.

    Parameters
    ----------
    rollouts : Rollouts
        The suite.
    prior : HierarchicalPrior
        The prior.
    engine : {"nuts", "exact"}
        What the answers come from.
    checks : Checks
        What was looked at, and whether it held.
    seed : int
        Seeds everything that is drawn.
    exact : ExactHyper
        The integrated posterior; the answers' source for ``engine="exact"``, and the
        yardstick of the checks for ``engine="nuts"``.
    sampled : xarray.DataTree, optional
        What the sampler left.
    pooled : bool, default False
        Whether the suite is a slice that was fitted together with others, so that the
        posterior rests on more than its own tasks and prior.

    Examples
    --------
    >>> import bayeseval as be
    >>> rollouts = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4)
    >>> fit = be.fit(rollouts, engine="exact")
    >>> fit
    Fit(50 tasks, engine exact: pass rate on new tasks 64.7 % (95 % CrI 52.1-76.4 %, n = 50 tasks))
    >>> fit.pass_hat_k(3)
    pass^3 on new tasks: 60.0 % (95 % CrI 46.6-72.6 %, n = 50 tasks)
    """

    rollouts: Rollouts
    prior: HierarchicalPrior
    engine: Engine
    checks: Checks
    seed: int
    exact: ExactHyper
    sampled: xr.DataTree | None = None
    pooled: bool = False

    # -- what the answers stand on --------------------------------------------------

    @cached_property
    def cells(self) -> ScoredCells:
        """Scored tasks, collapsed by equal counts."""
        return scored_cells(self.rollouts)

    @property
    def max_trials(self) -> int:
        """Largest number of scored rollouts of a task."""
        return int(self.cells.trials.max())

    @property
    def min_trials(self) -> int:
        """Smallest number of scored rollouts of a task that has any."""
        return int(self.cells.trials.min())

    @cached_property
    def draws(self) -> DrawsHyper:
        """Draws of mean and ICC: the sampler's, or independent ones."""
        if self.sampled is not None:
            posterior = self.sampled["posterior"]
            return DrawsHyper(
                np.asarray(posterior["mean"]), np.asarray(posterior["icc"]), self.seed
            )
        return DrawsHyper(*independent_draws(self.exact, *EXACT_DRAWS, self.seed), self.seed)

    @cached_property
    def dt(self) -> xr.DataTree:
        """All groups as an `xarray.DataTree`, for every ArviZ function.

        ``posterior``, ``prior``, ``log_prior``, ``log_likelihood``,
        ``posterior_predictive``, ``observed_data``, ``constant_data`` and, for NUTS,
        ``sample_stats``. The exact engine gives independent draws, shaped as four chains.
        """
        stats = None
        if self.sampled is not None and "sample_stats" in self.sampled.children:
            stats = self.sampled["sample_stats"].to_dataset()
        return make_tree(
            self.rollouts,
            self.cells,
            self.prior,
            self.draws,
            stats,
            attributes(self.engine, self.seed, self.prior, self.checks),
        )

    def require_alone(self, what: str) -> None:
        """Refuse what needs a suite that was fitted on its own.

        Parameters
        ----------
        what : str
            What was asked for, as the error names it.

        Raises
        ------
        InputError
            If the fit is a slice that was pooled with others.
        """
        if self.pooled:
            raise InputError(
                f"{what} needs a suite fitted on its own, and this slice was pooled with "
                "others; fit it alone, with pooling='none'"
            )

    @property
    def log_marginal(self) -> float:
        """Natural log of the probability of the counts of passes under the model."""
        self.require_alone("log_marginal")
        return self.exact.log_marginal_count

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader of the numbers must see."""
        notes = []
        if self.max_trials == 1:
            notes.append(
                "One rollout per task cannot tell tasks from luck: the ICC is its prior, and "
                "pass@k and pass^k for k > 1 rest on it."
            )
        if self.cells.n_tasks == 1:
            notes.append("A single task says little about other tasks, however often it ran.")
        if unscored := self.cells.n_unscored:
            have, carry = ("task has", "carries") if unscored == 1 else ("tasks have", "carry")
            notes.append(f"{unscored:,} {have} no scored rollout and {carry} no information.")
        if self.lost_note:
            notes.append(self.lost_note)
        notes.extend(f"Check {check}." for check in self.checks.failed)
        return tuple(notes)

    @cached_property
    def lost_note(self) -> str:
        """How many rollouts errored, and what the pass rate would be had they been scored."""
        return lost_note(self.rollouts, self.prior)

    # -- answers --------------------------------------------------------------------

    def pass_rate(
        self,
        *,
        population: Population = "new_tasks",
        m: int | None = None,
        rollouts: int | None = None,
    ) -> Posterior:
        """Posterior of the pass rate.

        Parameters
        ----------
        population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
            ``new_tasks``: the mean rate of tasks like these. ``suite``: the mean rate of
            exactly these tasks, rollouts without end. ``next_run``: the number that the
            next run will show, a prediction.
        m : int, optional
            For ``next_run``: that many new tasks; by default the same tasks again.
        rollouts : int, optional
            For ``next_run`` with `m`: rollouts of each; default: the largest number that
            a task had.

        Returns
        -------
        Posterior
            Of a rate, 0-1.
        """
        return self._answer(Functional("pass_hat_k", 1), population, m, rollouts)

    def pass_hat_k(
        self,
        k: int,
        *,
        population: Population = "new_tasks",
        m: int | None = None,
        rollouts: int | None = None,
    ) -> Posterior:
        """Posterior of pass^k: that all of k attempts at a task pass.

        Parameters
        ----------
        k : int
            Number of attempts, at least 1. Beyond the rollouts of a task the answer is
            marked as an extrapolation that rests on the shape of the Beta.
        population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
            As in `pass_rate`. The next run shows the mean of the unbiased estimates.
        m, rollouts : int, optional
            As in `pass_rate`.

        Returns
        -------
        Posterior
            Of a probability, 0-1, averaged over tasks.

        Notes
        -----
        For new tasks E[p^k] = prod_{j<k} (mean kappa + j) / (kappa + j).
        """
        return self._answer(Functional("pass_hat_k", _attempts(k)), population, m, rollouts)

    def pass_at_k(
        self,
        k: int,
        *,
        population: Population = "new_tasks",
        m: int | None = None,
        rollouts: int | None = None,
    ) -> Posterior:
        """Posterior of pass@k: that at least one of k attempts at a task passes.

        Parameters
        ----------
        k : int
            Number of attempts, at least 1; see `pass_hat_k`.
        population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
            As in `pass_rate`.
        m, rollouts : int, optional
            As in `pass_rate`.

        Returns
        -------
        Posterior
            Of a probability, 0-1, averaged over tasks.
        """
        return self._answer(Functional("pass_at_k", _attempts(k)), population, m, rollouts)

    def _answer(
        self, functional: Functional, population: Population, m: int | None, rollouts: int | None
    ) -> Posterior:
        one_of(population, Population, "population")
        if population != "next_run" and (m is not None or rollouts is not None):
            raise InputError(
                f'm and rollouts go with population="next_run"; got population={shown(population)}'
            )
        about = self._about(functional.name, population, functional.k)
        if population == "new_tasks":
            if self.engine == "nuts":
                return self.draws.new_tasks(functional, about)
            if functional.mirrored:
                return self.exact.marginal_pass_at(functional.k, about)
            return self.exact.marginal_pass_hat(functional.k, about)
        if population == "suite":
            if self.engine == "nuts":
                return self.draws.suite(self.cells, functional, about)
            return suite_exact(self.exact, self.cells, functional, about)
        return self._next_run(functional, m, rollouts, about)

    def _next_run(
        self, functional: Functional, m: int | None, rollouts: int | None, about: About
    ) -> Posterior:
        if m is None:
            if rollouts is not None:
                raise InputError("rollouts needs m, the number of new tasks that have them")
            if functional.k > self.min_trials:
                raise InputError(
                    f"a run of the same suite cannot show {functional.name}: some tasks have "
                    f"{self.min_trials} rollouts; name m and rollouts for a run of new tasks"
                )
            if self.engine == "nuts":
                return self.draws.next_run(self.cells, functional, about)
            return next_run_exact(self.exact, self.cells, functional, about)
        tasks = as_whole(m, "m", minimum=1, maximum=MOST_NEW)
        each = self.max_trials
        if rollouts is not None:
            each = as_whole(rollouts, "rollouts", minimum=1, maximum=MOST_NEW)
        if functional.k > each:
            raise InputError(
                f"a run with {each} rollouts per task cannot show {functional.name}; "
                f"rollouts must be at least k = {functional.k}"
            )
        if self.engine == "nuts":
            return self.draws.new_run(tasks, each, functional, about)
        return new_run_exact(self.exact, tasks, each, functional, about)

    def icc(self) -> Posterior:
        """Posterior of the ICC: the share of outcome variance that lies between tasks.

        0: every task is equally hard. 1: each task always passes or always fails, and
        further rollouts of the same task tell nothing new.
        """
        about = About("ICC", self.engine, None, self.cells.n_tasks, "number")
        if self.engine == "nuts":
            from bayeseval.posterior import DrawsPosterior

            return DrawsPosterior(self.draws.icc, about)
        return self.exact.marginal_icc(about)

    def kappa_quantile(self, q: float) -> float:
        """Quantile of kappa = (1 - ICC) / ICC, whose mean may be infinite.

        Parameters
        ----------
        q : float
            Cumulative probability, 0-1.
        """
        level = as_probability(q, "q")
        icc = float(self.icc().quantile(1.0 - level))
        return (1.0 - icc) / icc if icc > 0 else float("inf")

    def task_rate(self, task: int | str) -> Posterior:
        """Posterior of the pass rate of one task, shrunken towards the others.

        Parameters
        ----------
        task : int or str
            Its id, as in ``rollouts.task``; 8 and "8" are different tasks.

        Raises
        ------
        InputError
            If there is no such task.
        """
        at = _position(self.rollouts.task, task)
        passes, trials = int(self.rollouts.passes[at]), int(self.rollouts.trials[at])
        about = About(f"pass rate of task {task}", self.engine, None, self.cells.n_tasks)
        return self._rate(passes, trials, about)

    def _rate(self, passes: int, trials: int, about: About) -> Posterior:
        source: ExactHyper | DrawsHyper = self.draws if self.engine == "nuts" else self.exact
        return source.task_rate(passes, trials, about)

    def task_quantile(self, q: float) -> Posterior:
        """Posterior of the q-quantile of task rates: "the worst tenth of tasks pass below".

        Parameters
        ----------
        q : float
            Share of tasks below, strictly between 0 and 1.
        """
        level = as_probability(q, "q", open_ends=True)
        about = self._about(f"{100 * level:g} % quantile of task rates", "new_tasks", 1)
        if self.engine == "nuts":
            return self.draws.task_quantile(level, about)
        return task_quantile_exact(self.exact, level, about)

    def share_of_tasks_above(self, rate: float) -> Posterior:
        """Posterior of the share of tasks whose pass rate is above `rate`.

        Parameters
        ----------
        rate : float
            A pass rate, strictly between 0 and 1.
        """
        level = as_probability(rate, "rate", open_ends=True)
        about = self._about(f"share of tasks with rate > {level:g}", "new_tasks", 1)
        if self.engine == "nuts":
            return self.draws.share_above(level, about)
        return share_above_exact(self.exact, level, about)

    def task_gap(self, task: int | str, k: int) -> Posterior:
        """Posterior of pass@k minus pass^k of one task: how flaky it is.

        Parameters
        ----------
        task : int or str
            Its id, as in ``rollouts.task``.
        k : int
            Number of attempts, at least 2.

        Returns
        -------
        Posterior
            Of the probability that k attempts disagree, 0 to 1 - 2^(1 - k).

        Raises
        ------
        InputError
            If there is no such task, or `k` is below 2.
        """
        at = _position(self.rollouts.task, task)
        passes, trials = int(self.rollouts.passes[at]), int(self.rollouts.trials[at])
        return self._gap(passes, trials, _attempts(k, minimum=2), f" of task {task}")

    def _gap(self, passes: int, trials: int, k: int, of: str = "") -> Posterior:
        about = About(f"pass@{k} minus pass^{k}{of}", self.engine, None, self.cells.n_tasks)
        rate = self._rate(passes, trials, about)
        return gap_posterior(rate, self._hyper, passes, trials, k, about)

    # -- tables -----------------------------------------------------------------------

    def task_table(self, *, k: Iterable[int] = (1,), ci_prob: float = 0.95) -> TaskTable:
        """Raw and shrunken rates of every task, as arrays.

        Parameters
        ----------
        k : iterable of int, default (1,)
            Values of k for each task's pass@k and pass^k.
        ci_prob : float, default 0.95
            Level of the equal-tailed intervals.

        Returns
        -------
        TaskTable
            Arrays over tasks, in the order of ``rollouts.task``.
        """
        if not np.iterable(k):
            raise InputError(f"k must hold whole numbers, such as (1, 2, 4); got {shown(k)}")
        ks = tuple(_attempts(value) for value in k)
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        about = About("pass rate of a task", self.engine, None, self.cells.n_tasks)
        return task_table(self.rollouts, self._rate, about, self._hyper, ks, level)

    @property
    def _hyper(self) -> tuple[Array, Array, Array]:
        """Weights, alpha and beta of the hyperparameters, flat."""
        if self.engine == "nuts":
            size = self.draws.mean.size
            return np.full(size, 1.0 / size), self.draws.alpha.ravel(), self.draws.beta.ravel()
        return self.exact.weights, self.exact.alpha, self.exact.beta

    def tasks(self, *, k: Iterable[int] = (1,), ci_prob: float = 0.95) -> pd.DataFrame:
        """Raw and shrunken rates of every task, as a pandas frame.

        Parameters
        ----------
        k : iterable of int, default (1,)
            Values of k for the columns ``pass@k`` and ``pass^k``.
        ci_prob : float, default 0.95
            Level of the equal-tailed intervals ``lower`` to ``upper``.

        Returns
        -------
        pandas.DataFrame
            One row a task, with unrounded numbers.
        """
        return self.task_table(k=k, ci_prob=ci_prob).to_pandas()

    def flaky_tasks(
        self, *, k: int | None = None, top: int | None = None, ci_prob: float = 0.95
    ) -> FlakyTable:
        """Tasks that pass sometimes and never reliably, the flakiest first.

        Parameters
        ----------
        k : int, optional
            Number of attempts, at least 2; default: the largest number of rollouts that a
            task had, and 2 where that is 1.
        top : int, optional
            How many tasks; default: all that were scored.
        ci_prob : float, default 0.95
            Level of the equal-tailed intervals.

        Returns
        -------
        FlakyTable

        Notes
        -----
        Ranked by the posterior mean of 1 - (1 - p)^k - p^k, the probability that k
        attempts at the task neither all fail nor all pass. It is largest at p = 1/2.
        Tasks that are equally flaky stand in the order of the suite.

        Examples
        --------
        >>> import bayeseval as be
        >>> suite = be.Rollouts.from_counts([4, 4, 2, 0, 3], 4, task=["a", "b", "c", "d", "e"])
        >>> be.fit(suite, engine="exact").flaky_tasks(k=3).task.tolist()
        ['c', 'e', 'd', 'a', 'b']
        """
        attempts = max(self.max_trials, 2) if k is None else _attempts(k, minimum=2)
        most = None if top is None else as_whole(top, "top", minimum=1)
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        return flaky_table(
            self.rollouts,
            self._hyper,
            lambda s, n: self._gap(s, n, attempts),
            attempts,
            most,
            level,
        )

    def predicted_histogram(self, *, ci_prob: float = 0.95) -> PredictedHistogram:
        """Numbers of tasks by passes: observed, and predicted for a replicate suite.

        Parameters
        ----------
        ci_prob : float, default 0.95
            Level of the intervals.
        """
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        return predicted_histogram(self.cells, self._hyper, level, self.draws.rng(7))

    # -- storing and showing ------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fit to one netCDF file; `load_fit` gives it back.

        Parameters
        ----------
        path : str or path-like
            A name ending in ``.nc``. An existing file is replaced only once the new one
            is whole.

        Raises
        ------
        InputError
            Another ending, or a slice that was pooled with others.
        """
        self.require_alone("save")
        save_tree(self.dt, path)

    def _about(self, quantity: str, population: Population, k: int) -> About:
        beyond = k > self.min_trials
        note = ""
        if beyond and population != "next_run":
            note = (
                f"Extrapolated: k = {k} exceeds the {self.min_trials} rollouts of some tasks; "
                "the answer rests on the shape of the model."
            )
        elif beyond:
            beyond = False
        return About(quantity, self.engine, population, self.cells.n_tasks, "percent", beyond, note)

    def __repr__(self) -> str:
        rate = self.pass_rate()
        return (
            f"Fit({self.cells.n_tasks:,} tasks, engine {self.engine}: "
            f"{rate.title} {rate.summary_text()})"
        )

    def _repr_html_(self) -> str:
        rate, icc = self.pass_rate(), self.icc()
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f"<div><b>{html.escape(rate.title)}</b>: {html.escape(rate.summary_text())}<br>"
            f"ICC {html.escape(icc.summary_text())}<br>"
            f"<small>engine {self.engine}; {html.escape(self.prior.formula)}; "
            f"{html.escape(repr(self.checks))}</small>"
            f"{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )


def _attempts(k: int, *, minimum: int = 1) -> int:
    return as_whole(k, "k", minimum=minimum, maximum=MOST_ATTEMPTS)


def _position(tasks: npt.NDArray[Any], task: int | str) -> int:
    # An id taken from the array is NumPy's own kind of int or str.
    wanted = task.item() if isinstance(task, np.generic) else task
    for position, name in enumerate(tasks.tolist()):
        if type(name) is type(wanted) and name == wanted:
            return position
    hint = nearest_names(
        task if isinstance(task, str) else shown(task),
        [str(name) for name in tasks[:10_000].tolist()],
    )
    raise InputError(f"there is no task {shown(task)} in the suite{hint}")
