"""Leaderboard: many systems on the same tasks, and how sure their order is."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._format import format_percent, format_probability
from bayeseval._validate import Population, as_probability, as_whole, nearest_names, shown
from bayeseval.comparison._bootstrap import Kind
from bayeseval.comparison._draws import SystemDraws
from bayeseval.comparison._join import Joined
from bayeseval.comparison._mcnemar import paired_tests
from bayeseval.comparison._questions import as_functional
from bayeseval.comparison._table import PairedTable
from bayeseval.errors import InputError
from bayeseval.hierarchical import Checks
from bayeseval.hierarchical._functionals import Functional
from bayeseval.posterior import About, DrawsPosterior
from bayeseval.rollouts._text import plural

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["HolmPairs", "Leaderboard", "LeaderboardTable"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardTable:
    """Systems in the order of their posterior means, best first; arrays of shape (n,).

    Parameters
    ----------
    system : tuple of str
        Names.
    raw_rate : ndarray
        Mean of the raw pass rates of the tasks that the system ran.
    mean, lower, upper : ndarray
        Posterior mean and ends of the equal-tailed interval.
    ci_prob : float
        Level of the intervals and of the ranks' ranges.
    rank : ndarray
        Posterior mean of the rank; 1 is the best.
    rank_lower, rank_upper : ndarray of int
        Ends of the equal-tailed range of ranks.
    prob_best : ndarray
        Probability of being the best.
    group : ndarray of int
        Number of the statistically tied group, from 1; see `Leaderboard.groups`.
    """

    system: tuple[str, ...]
    raw_rate: Array
    mean: Array
    lower: Array
    upper: Array
    ci_prob: float
    rank: Array
    rank_lower: npt.NDArray[np.int64]
    rank_upper: npt.NDArray[np.int64]
    prob_best: Array
    group: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.system)


@dataclass(frozen=True, slots=True, eq=False)
class HolmPairs:
    """Tests of all pairs of systems, smallest p-value first; arrays of shape (n_pairs,).

    Parameters
    ----------
    first, second : tuple of str
        The systems of each pair; the one with the higher raw rate first.
    difference : ndarray
        Mean difference of the tasks' raw rates, at least 0.
    p : ndarray
        Two-sided p-value by itself: McNemar's exact test where both have one rollout of
        each task, else the paired t-test on the tasks' rates.
    p_holm : ndarray
        The same after Holm's correction for the number of pairs.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    difference: Array
    p: Array
    p_holm: Array

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard:
    """Many systems on the same tasks, from one joint posterior.

    Made by `leaderboard`. Quantities are chosen alike everywhere: `kind` is
    ``"pass_rate"``, ``"pass_at_k"`` or ``"pass_hat_k"`` (the last two with `k`), and
    `population` is ``"new_tasks"`` or ``"suite"``.

    Parameters
    ----------
    joined : Joined
        The systems' counts on the tasks that are used.
    checks : Checks
        Of the sampler.
    seed : int
        Seeds everything that is drawn.
    sampled : xarray.DataTree
        What the sampler left.
    """

    joined: Joined
    checks: Checks
    seed: int
    sampled: xr.DataTree

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, as they were given."""
        return self.joined.systems

    @property
    def n_tasks(self) -> int:
        """Number of tasks that the answers rest on."""
        return self.joined.n_tasks

    @cached_property
    def draws(self) -> SystemDraws:
        """Draws of the joint model."""
        return SystemDraws.of(self.joined, self.sampled, self.seed)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader of the numbers must see."""
        return (*self.joined.notes, *(f"Check {check}." for check in self.checks.failed))

    def rate(
        self,
        system: str,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> DrawsPosterior:
        """Posterior of one system's pass rate, pass@k or pass^k.

        Parameters
        ----------
        system : str
            Its name.
        kind : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
            What is asked.
        k : int, optional
            Number of attempts, for the last two.
        population : {"new_tasks", "suite"}, default "new_tasks"
            Tasks like these, or exactly these tasks.
        """
        functional = as_functional(kind, k, population)
        about = self._about(functional, population, functional.name, "percent")
        return DrawsPosterior(self._values(functional, population)[self._at(system)], about)

    def difference(
        self,
        first: str,
        second: str,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> DrawsPosterior:
        """Posterior of the first system's value minus the second's.

        Parameters
        ----------
        first, second : str
            Names of the systems.
        kind, k, population
            As in `rate`.
        """
        functional = as_functional(kind, k, population)
        values = self._values(functional, population)
        quantity = f"difference in {functional.name}, {first} - {second}"
        about = self._about(functional, population, quantity, "points")
        change = values[self._at(first)] - values[self._at(second)]
        return DrawsPosterior(change, about, (-1.0, 1.0))

    def pairwise(
        self,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> Array:
        """Pr[row's system is better than column's], shape (n_systems, n_systems).

        Systems stand in the order of `systems`; the diagonal is 0. Parameters as in `rate`.
        """
        values = self._flat(kind, k, population)
        return np.array([(each > values).mean(axis=1) for each in values])

    def prob_best(
        self,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> Mapping[str, float]:
        """Probability of being the best, largest first; parameters as in `rate`."""
        return self.prob_top(1, kind, k=k, population=population)

    def prob_top(
        self,
        r: int,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> Mapping[str, float]:
        """Probability of being among the best r, largest first.

        Parameters
        ----------
        r : int
            How many places count, 1 to the number of systems.
        kind, k, population
            As in `rate`.
        """
        places = as_whole(r, "r", minimum=1)
        if places > len(self.systems):
            raise InputError(f"r must be at most {len(self.systems)}, the systems; got {shown(r)}")
        share = (self._ranks(self._flat(kind, k, population)) <= places).mean(axis=1)
        order = np.argsort(-share, kind="stable")
        return {self.systems[at]: float(share[at]) for at in order}

    def groups(
        self,
        prob: float = 0.95,
        *,
        kind: Kind = "pass_rate",
        k: int | None = None,
        population: Population = "new_tasks",
    ) -> tuple[tuple[str, ...], ...]:
        """Groups of statistically tied systems, best first.

        The first group holds the system with the highest posterior mean and all others that
        it does not beat with probability `prob`; the next group begins with the best system
        that is left, and so on.

        Parameters
        ----------
        prob : float, default 0.95
            Probability that separates two systems, 0.5-1.
        kind, k, population
            As in `rate`.
        """
        level = as_probability(prob, "prob")
        if level < 0.5:
            raise InputError(f"prob must be at least 0.5; got {shown(prob)}")
        values = self._flat(kind, k, population)
        left = np.argsort(-values.mean(axis=1), kind="stable").tolist()
        found = []
        while left:
            ahead = [(values[left[0]] > values[at]).mean() for at in left]
            tied = [at for at, chance in zip(left, ahead, strict=True) if chance < level]
            found.append(tuple(self.systems[at] for at in tied))
            left = [at for at in left if at not in tied]
        return tuple(found)

    def table(
        self,
        kind: Kind = "pass_rate",
        *,
        k: int | None = None,
        population: Population = "new_tasks",
        ci_prob: float = 0.95,
    ) -> LeaderboardTable:
        """Every system with its value, its rank and its group, best first.

        Parameters
        ----------
        kind, k, population
            As in `rate`.
        ci_prob : float, default 0.95
            Level of intervals, ranges of ranks and, as the probability that separates two
            systems, of groups.
        """
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        values = self._flat(kind, k, population)
        ranks = self._ranks(values)
        order = np.argsort(-values.mean(axis=1), kind="stable")
        tail = 0.5 * (1.0 - level)
        limits = np.quantile(values, [tail, 1.0 - tail], axis=1)
        places = np.quantile(ranks, [tail, 1.0 - tail], axis=1, method="inverted_cdf")
        tied = self.groups(max(level, 0.5), kind=kind, k=k, population=population)
        number = {name: at for at, names in enumerate(tied, start=1) for name in names}
        return LeaderboardTable(
            tuple(self.systems[at] for at in order),
            np.nanmean(self.joined.rates(), axis=1)[order],
            values.mean(axis=1)[order],
            limits[0, order],
            limits[1, order],
            level,
            ranks.mean(axis=1)[order],
            places[0, order].astype(np.int64),
            places[1, order].astype(np.int64),
            (ranks == 1).mean(axis=1)[order],
            np.array([number[self.systems[at]] for at in order]),
        )

    def holm(self) -> HolmPairs:
        """All pairs tested on the raw results, with Holm's correction.

        Shown beside the joint posterior, which needs none.

        References
        ----------
        Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian
        Journal of Statistics 6, 65-70.
        """
        joined = self.joined
        rows = []
        for i in range(len(self.systems)):
            for j in range(i + 1, len(self.systems)):
                both = (joined.trials[i] > 0) & (joined.trials[j] > 0)
                if not both.any():
                    continue
                passes, trials = joined.passes[[i, j]][:, both], joined.trials[[i, j]][:, both]
                change = passes[0] / trials[0] - passes[1] / trials[1]
                if np.all(trials == 1):
                    p = paired_tests(_pair_table(passes)).exact
                else:
                    p = _paired_t(change)
                mean = float(change.mean())
                first, second = (i, j) if mean >= 0 else (j, i)
                rows.append((p, self.systems[first], self.systems[second], abs(mean)))
        rows.sort(key=lambda row: row[0])
        p_values = np.array([row[0] for row in rows])
        steps = p_values * np.arange(len(rows), 0, -1)
        adjusted = np.minimum(np.maximum.accumulate(steps), 1.0)
        return HolmPairs(
            tuple(row[1] for row in rows),
            tuple(row[2] for row in rows),
            np.array([row[3] for row in rows]),
            p_values,
            adjusted,
        )

    def sentence(self, ci_prob: float = 0.95) -> str:
        """The answer in words.

        Parameters
        ----------
        ci_prob : float, default 0.95
            Level of the interval, and probability that separates two systems.
        """
        table = self.table(ci_prob=ci_prob)
        best = table.system[0]
        tied = [name for name, group in zip(table.system, table.group, strict=True) if group == 1]
        lower, upper = format_percent(table.lower[0]), format_percent(table.upper[0])
        text = (
            f"{best} has the highest pass rate on new tasks, {format_percent(table.mean[0])} "
            f"({100 * ci_prob:g} % CrI {lower} to {upper}, n = {plural(self.n_tasks, 'task')}), "
            f"and is the best with probability {format_probability(table.prob_best[0])}"
        )
        if len(tied) > 1:
            others = ", ".join(tied[1:6]) + (", ..." if len(tied) > 6 else "")
            return f"{text}; not separated from it: {others}."
        return f"{text}; it is separated from every other system."

    def __repr__(self) -> str:
        best = next(iter(self.prob_best().items()))
        return (
            f"Leaderboard({plural(len(self.systems), 'system')}, n = "
            f"{plural(self.n_tasks, 'task')}: Pr[{best[0]} is best] = "
            f"{format_probability(best[1])})"
        )

    def _repr_html_(self) -> str:
        table = self.table()
        rows = "".join(
            f"<tr><td>{table.group[at]}</td><td>{html.escape(name)}</td>"
            f"<td>{format_percent(table.mean[at])}</td>"
            f"<td>{format_percent(table.lower[at])} to {format_percent(table.upper[at])}</td>"
            f"<td>{table.rank_lower[at]} to {table.rank_upper[at]}</td>"
            f"<td>{format_probability(table.prob_best[at])}</td></tr>"
            for at, name in enumerate(table.system)
        )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f"<div><b>{html.escape(self.sentence())}</b><table><tr><th>group</th><th>system</th>"
            f"<th>pass rate on new tasks</th><th>95 % CrI</th><th>rank</th><th>Pr[best]</th></tr>"
            f"{rows}</table>{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )

    # -- inside ---------------------------------------------------------------------

    def _at(self, system: str) -> int:
        if system not in self.systems:
            raise InputError(
                f"there is no system {system!r}{nearest_names(system, self.systems)}; the "
                f"systems are: {', '.join(self.systems[:12])}"
            )
        return self.systems.index(system)

    @cached_property
    def _known(self) -> dict[tuple[Functional, Population], Array]:
        return {}

    def _values(self, functional: Functional, population: Population) -> Array:
        """Draws of every system's value, shape (n_systems, n_chains, n_draws)."""
        key = (functional, population)
        if key not in self._known:
            of = self.draws.new_tasks if population == "new_tasks" else self.draws.suite
            self._known[key] = of(functional)
        return self._known[key]

    def _flat(self, kind: Kind, k: int | None, population: Population) -> Array:
        values = self._values(as_functional(kind, k, population), population)
        return values.reshape(len(values), -1)

    @staticmethod
    def _ranks(values: Array) -> npt.NDArray[np.int64]:
        """Rank of each system in each draw; 1 is the best."""
        order = np.argsort(-values, axis=0, kind="stable")
        return np.argsort(order, axis=0, kind="stable") + 1

    def _about(self, functional: Functional, population: Population, name: str, unit: str) -> About:
        most = int(self.joined.trials.max(axis=1).min())
        return About(
            name,
            "nuts",
            population,
            self.n_tasks,
            unit,  # type: ignore[arg-type]
            extrapolated=functional.k > most,
        )


def _pair_table(passes: npt.NDArray[np.int64]) -> PairedTable:
    a, b = passes == 1
    return PairedTable(*(int(np.count_nonzero(cell)) for cell in (a & b, a & ~b, b & ~a, ~a & ~b)))


def _paired_t(change: Array) -> float:
    n, mean, sd = change.size, change.mean(), change.std(ddof=1) if change.size > 1 else 0.0
    if sd == 0.0:
        # Every task shows the same difference; of one task nothing is known.
        return 1.0 if mean == 0.0 or n < 2 else 2.0 * 0.5**n
    return float(2.0 * special.stdtr(n - 1, -abs(mean) / (sd / np.sqrt(n))))
