"""Comparison: whether one system is better than another, and by how much."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from bayeseval._format import format_percent
from bayeseval._interval import Interval
from bayeseval._validate import Population, as_number, as_probability, as_text, nearest_names, shown
from bayeseval.comparison._bootstrap import Kind, PairedBootstrap, paired_bootstrap
from bayeseval.comparison._draws import SystemDraws
from bayeseval.comparison._join import Joined, join
from bayeseval.comparison._mcnemar import PairedTests, newcombe_interval, paired_tests
from bayeseval.comparison._questions import (
    ExpectedLoss,
    MovedTasks,
    as_functional,
    as_rope,
    loss_of,
    odds_text,
    signed,
)
from bayeseval.comparison._table import PairedTable, paired_posterior
from bayeseval.errors import InputError
from bayeseval.hierarchical import Checks
from bayeseval.hierarchical._functionals import Functional
from bayeseval.posterior import About, BetaMixture, DrawsPosterior, Posterior
from bayeseval.rollouts._text import plural
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Comparison", "Evidence"]

Evidence = Literal["better", "worse", "none"]

_ONE_ROLLOUT = (
    "one rollout of each task does not tell how tasks differ; engine='nuts' answers by the "
    "shape of its model"
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two systems on the same tasks. Differences are new minus old.

    Made by `compare`. Quantities are chosen alike everywhere: `kind` is ``"pass_rate"``,
    ``"pass_at_k"`` or ``"pass_hat_k"`` (the last two with `k`), and `population` is
    ``"new_tasks"`` or ``"suite"``. What the data cannot answer is `Unknown`.

    Parameters
    ----------
    joined : Joined
        Both systems' counts on the tasks that are used; the old system first.
    engine : {"exact", "nuts"}
        Quadrature of the 2 x 2 table, or the PyMC model.
    checks : Checks
        Of the sampler; none with the exact engine.
    seed : int
        Seeds everything that is drawn.
    prior : tuple of float
        Dirichlet parameters of the four cells (exact engine).
    sampled : xarray.DataTree, optional
        What the sampler left.

    Examples
    --------
    >>> import bayeseval as be
    >>> old = be.Rollouts.from_counts([1] * 68 + [0] * 32, 1)
    >>> new = be.Rollouts.from_counts([1] * 60 + [0] * 8 + [1] * 15 + [0] * 17, 1)
    >>> found = be.compare(old, new)
    >>> found
    Comparison(new - old: +6.7 points (95 % CrI -2.5 to +16.1), n = 100 tasks)
    >>> round(found.prob_better(), 3), round(found.prob_not_worse(0.02), 3)
    (0.924, 0.968)
    """

    joined: Joined
    engine: Literal["exact", "nuts"]
    checks: Checks
    seed: int
    prior: tuple[float, float, float, float]
    sampled: xr.DataTree | None = None

    @property
    def old(self) -> str:
        """Name of the old system."""
        return self.joined.systems[0]

    @property
    def new(self) -> str:
        """Name of the new system."""
        return self.joined.systems[1]

    @property
    def n_tasks(self) -> int:
        """Number of tasks that the answers rest on."""
        return self.joined.n_tasks

    @property
    def table(self) -> PairedTable | Unknown:
        """Counts of the four outcomes, where each system has one rollout of each task."""
        if not self.joined.one_each:
            return Unknown("the systems do not have exactly one scored rollout of each task")
        return self.joined.table()

    @cached_property
    def draws(self) -> SystemDraws:
        """Draws of the joint model (NUTS engine)."""
        if self.sampled is None:
            raise InputError("the exact engine draws nothing")
        return SystemDraws.of(self.joined, self.sampled, self.seed)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader of the numbers must see."""
        notes = list(self.joined.notes)
        if bounds := self.errored_bounds():
            low, high = (f"{100 * each:+.1f}" for each in bounds)
            notes.append(
                f"Had the errored rollouts been scored, the raw difference would lie between "
                f"{low} and {high} points."
            )
        notes += [f"Check {check}." for check in self.checks.failed]
        return tuple(notes)

    # -- answers --------------------------------------------------------------------

    def difference(
        self,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> Posterior | Unknown:
        """Posterior of the difference, new minus old.

        Parameters
        ----------
        kind : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
            What is compared.
        k : int, optional
            Number of attempts, for the last two.
        population : {"new_tasks", "suite"}, default "new_tasks"
            Tasks like these, or exactly these tasks.

        Returns
        -------
        Posterior or Unknown
            On [-1, 1]. `Unknown` where each system has one rollout of each task and the
            question is of the suite itself, or of k above 1.
        """
        functional = as_functional(kind, k, population)
        about = self._about(functional, population, f"difference in {functional.name}", "points")
        if self.engine == "exact":
            if population == "suite" or functional.k > 1:
                return Unknown(_ONE_ROLLOUT)
            return self._exact
        old, new = self._values(functional, population)
        return DrawsPosterior(new - old, about, (-1.0, 1.0))

    def rate(
        self,
        system: str,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> Posterior | Unknown:
        """Posterior of one system's pass rate, pass@k or pass^k.

        Parameters
        ----------
        system : str
            Its name.
        kind, k, population
            As in `difference`.
        """
        if as_text(system, "system") not in self.joined.systems:
            raise InputError(
                f"there is no system {shown(system)}{nearest_names(system, self.joined.systems)}; "
                f"the systems are: {self.old}, {self.new}"
            )
        at = self.joined.systems.index(system)
        functional = as_functional(kind, k, population)
        about = self._about(functional, population, functional.name, "percent")
        if self.engine == "nuts":
            return DrawsPosterior(self._values(functional, population)[at], about)
        if population == "suite" or functional.k > 1:
            return Unknown(_ONE_ROLLOUT)
        both, new, old, neither = self._cells
        alone = new if at else old
        alpha, beta = both + alone, neither + (old if at else new)
        return BetaMixture(np.ones(1), np.array([alpha]), np.array([beta]), about)

    def prob_better(
        self,
        by: float = 0.0,
        *,
        kind: Kind = "pass_rate",
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> float | Unknown:
        """Pr[new - old > by].

        Parameters
        ----------
        by : float, default 0
            By how much better, -1 to 1.
        kind, k, population
            As in `difference`.
        """
        return self._ask(lambda found: found.prob_above(by), kind, k, population)

    def prob_worse(
        self,
        by: float = 0.0,
        *,
        kind: Kind = "pass_rate",
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> float | Unknown:
        """Pr[old - new > by], computed as itself; parameters as in `prob_better`."""
        return self._ask(lambda found: found.prob_below(-as_number(by, "by")), kind, k, population)

    def prob_not_worse(
        self,
        margin: float,
        *,
        kind: Kind = "pass_rate",
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> float | Unknown:
        """Pr[new - old > -margin]: non-inferiority.

        Parameters
        ----------
        margin : float
            How much worse would still do, 0-1.
        kind, k, population
            As in `difference`.
        """
        allowed = as_probability(margin, "margin")
        return self._ask(lambda found: found.prob_above(-allowed), kind, k, population)

    def prob_equal(
        self,
        rope: float | tuple[float, float],
        *,
        kind: Kind = "pass_rate",
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> float | Unknown:
        """Pr[low < new - old < high]: practical equivalence.

        Parameters
        ----------
        rope : float or tuple of float
            The region that counts as equal: ``0.02`` is (-0.02, 0.02).
        kind, k, population
            As in `difference`.
        """
        low, high = as_rope(rope)
        return self._ask(lambda found: found.prob_between(low, high), kind, k, population)

    def expected_loss(
        self,
        *,
        kind: Kind = "pass_rate",
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> ExpectedLoss | Unknown:
        """What choosing either system is expected to cost; parameters as in `difference`."""
        found = self.difference(kind, k=k, population=population)
        return found if isinstance(found, Unknown) else loss_of(found)

    def moved(self) -> MovedTasks:
        """Tasks whose raw results differ between the systems, regressions first."""
        joined = self.joined
        both = np.all(joined.trials > 0, axis=0)
        change = np.zeros(joined.n_tasks)
        rates = joined.passes[:, both] / joined.trials[:, both]
        change[both] = rates[1] - rates[0]
        chosen = np.flatnonzero(change)
        mean = worse = None
        key = change[chosen]
        if self.engine == "nuts":
            mean, worse = self.draws.moves(1, 0)
            mean, worse = mean[chosen], worse[chosen]
            key = mean
        # Those that fell first; names settle ties, whatever order the tasks came in.
        names = np.array([str(each) for each in joined.task[chosen].tolist()], dtype=object)
        order = np.lexsort((names.astype(str), key, change[chosen] > 0))
        rows = chosen[order]
        return MovedTasks(
            joined.task[rows],
            joined.passes[0, rows],
            joined.trials[0, rows],
            joined.passes[1, rows],
            joined.trials[1, rows],
            None if mean is None else mean[order],
            None if worse is None else worse[order],
        )

    @cached_property
    def variance_ratio(self) -> float:
        """Variance of the unpaired difference over that of the paired one.

        Both systems' posterior variances, added up as if they had run different tasks, over
        the posterior variance of the difference (pass rate on new tasks). A ratio of 3: an
        unpaired comparison would need three times the tasks.
        """
        apart = 0.0
        for system in self.joined.systems:
            rate = self.rate(system)
            assert isinstance(rate, Posterior)
            apart += rate.sd**2
        together = self.difference()
        assert isinstance(together, Posterior)
        return apart / together.sd**2

    # -- beside it ------------------------------------------------------------------

    def tests(self) -> PairedTests | Unknown:
        """McNemar's tests, where each system has one rollout of each task."""
        table = self.table
        return table if isinstance(table, Unknown) else paired_tests(table)

    def newcombe(self, *, ci_prob: float = 0.95) -> Interval | Unknown:
        """Newcombe's paired interval (method 10), where there is one rollout each.

        Parameters
        ----------
        ci_prob : float, default 0.95
            Nominal level.
        """
        table = self.table
        return table if isinstance(table, Unknown) else newcombe_interval(table, ci_prob=ci_prob)

    def bootstrap(
        self, kind: Kind = "pass_rate", *, k: int | None = None, ci_prob: float = 0.95
    ) -> PairedBootstrap:
        """Whole-task paired bootstrap of the difference, on matched tasks.

        Parameters
        ----------
        kind, k
            As in `difference`; pass@k and pass^k by their unbiased estimators.
        ci_prob : float, default 0.95
            Nominal level.
        """
        functional = as_functional(kind, k, "suite")
        return paired_bootstrap(
            self.joined, kind=kind, k=functional.k, ci_prob=ci_prob, rng=self.seed
        )

    def errored_bounds(self) -> tuple[float, float] | None:
        """Smallest and largest raw difference, had the errored rollouts been scored.

        Returns
        -------
        tuple of float or None
            Mean difference of the tasks' raw rates with the new system's errored rollouts
            failed and the old one's passed, and the other way round. None without any.
        """
        old, new = self.joined.rollouts
        if not (old.ledger.errored or new.ledger.errored):
            return None
        ends = []
        for of_old, of_new in (("pass", "fail"), ("fail", "pass")):
            scored = join(
                {"old": old.with_lost(of_old), "new": new.with_lost(of_new)},  # type: ignore[arg-type]
                "drop",
            )
            rates = scored.rates()
            ends.append(float(np.mean(rates[1] - rates[0])))
        return ends[0], ends[1]

    # -- words ----------------------------------------------------------------------

    def evidence(self, ci_prob: float = 0.95) -> Evidence:
        """Whether the interval of the difference (pass rate, new tasks) leaves out 0.

        Parameters
        ----------
        ci_prob : float, default 0.95
            Level of the equal-tailed interval. Of two equal systems about 1 - `ci_prob` of
            comparisons find a difference.

        Returns
        -------
        {"better", "worse", "none"}
            What the new system is.
        """
        found = self.difference()
        assert isinstance(found, Posterior)
        lower, upper = found.eti(ci_prob)
        return "better" if lower > 0 else "worse" if upper < 0 else "none"

    def sentence(self, ci_prob: float = 0.95) -> str:
        """The answer in words.

        Parameters
        ----------
        ci_prob : float, default 0.95
            Level of the interval.
        """
        found = self.difference()
        assert isinstance(found, Posterior)
        better = found.prob_above(0.0)
        ran = "both ran" if self.n_tasks == self.joined.n_matched else "one or both ran"
        head = {
            "better": f"{self.new} is better than {self.old}",
            "worse": f"{self.new} is worse than {self.old}",
            "none": f"No evidence of a difference between {self.old} and {self.new}",
        }[self.evidence(ci_prob)]
        return (
            f"{head}: {signed(found, ci_prob)} on new tasks, {odds_text(self.new, better)}, "
            f"n = {plural(self.n_tasks, 'task')} that {ran}."
        )

    def __repr__(self) -> str:
        found = self.difference()
        assert isinstance(found, Posterior)
        return (
            f"Comparison({self.new} - {self.old}: {signed(found, 0.95)}, "
            f"n = {plural(self.n_tasks, 'task')})"
        )

    def _repr_html_(self) -> str:
        rows = []
        for system in (self.old, self.new):
            found = self.rate(system)
            assert isinstance(found, Posterior)
            lower, upper = found.eti()
            rows.append(
                f"<tr><td>{html.escape(system)}</td><td>{format_percent(found.mean)}</td>"
                f"<td>{format_percent(lower)} to {format_percent(upper)}</td></tr>"
            )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        moved = self.moved()
        return (
            f"<div><b>{html.escape(self.sentence())}</b><table><tr><th>system</th>"
            f"<th>pass rate on new tasks</th><th>95 % CrI</th></tr>{''.join(rows)}</table>"
            f"<small>{moved.n_regressed} tasks regressed, {moved.n_improved} improved; engine "
            f"{self.engine}</small>{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )

    # -- inside ---------------------------------------------------------------------

    @property
    def _cells(self) -> tuple[float, float, float, float]:
        """Posterior Dirichlet parameters of the four cells."""
        table = self.joined.table()
        counts = (table.both, table.new_only, table.old_only, table.neither)
        both, new, old, neither = (
            count + extra for count, extra in zip(counts, self.prior, strict=True)
        )
        return both, new, old, neither

    @cached_property
    def _exact(self) -> Posterior:
        functional = Functional("pass_hat_k", 1)
        about = self._about(functional, "new_tasks", "difference in pass rate", "points")
        return paired_posterior(self.joined.table(), self.prior, about)

    @cached_property
    def _known(self) -> dict[tuple[Functional, Population], np.ndarray]:
        return {}

    def _values(self, functional: Functional, population: Population) -> np.ndarray:
        """Draws of both systems' values, shape (2, n_chains, n_draws)."""
        key = (functional, population)
        if key not in self._known:
            of = self.draws.new_tasks if population == "new_tasks" else self.draws.suite
            self._known[key] = of(functional)
        return self._known[key]

    def _about(
        self,
        functional: Functional,
        population: Population,
        quantity: str,
        unit: Literal["percent", "points"],
    ) -> About:
        most = int(self.joined.trials.max(axis=1).min())
        return About(
            quantity,
            self.engine,
            population,
            self.n_tasks,
            unit,
            extrapolated=functional.k > most,
        )

    def _ask(
        self,
        question: Callable[[Posterior], float],
        kind: Kind,
        k: int | None,
        population: Population,
    ) -> float | Unknown:
        found = self.difference(kind, k=k, population=population)
        return found if isinstance(found, Unknown) else question(found)
