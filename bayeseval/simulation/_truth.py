"""Truth: what an analysis of a simulated suite should find."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_percent
from bayeseval._validate import as_whole, one_of
from bayeseval.simulation._rates import RateComponent, moment
from bayeseval.unknown import Unknown

__all__ = ["Truth", "TruthPopulation", "Which"]

TruthPopulation = Literal["new_tasks", "suite"]
Which = Literal["all", "clean", "leaked"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Truth:
    """True pass rate, pass@k and pass^k of a simulated suite.

    Parameters
    ----------
    rates : ndarray, shape (n_tasks,)
        True rate of each task, 0-1, leakage included.
    leaked : ndarray of bool, shape (n_tasks,)
        Which tasks leaked.
    components : tuple of RateComponent
        Spread of the rates of new tasks, leakage left out; weights sum to 1.
    recall : float
        Probability that a rollout of a leaked task passes from memory.

    Notes
    -----
    ``population="suite"`` is the mean over `rates`: these tasks, with rollouts without
    end. ``population="new_tasks"`` is the expectation over `components`, with the share of
    leaked tasks that the suite has.

    Examples
    --------
    >>> import bayeseval as be
    >>> truth = be.simulate(1000, 4, mean=0.8, icc=0.5, rng=1).truth
    >>> truth
    Truth(new tasks 80.0 %, these tasks 80.0 %, ICC 0.500)
    >>> round(truth.pass_hat_k(3), 3), round(truth.pass_at_k(3), 3)
    (0.672, 0.912)
    """

    rates: npt.NDArray[np.float64]
    leaked: npt.NDArray[np.bool_]
    components: tuple[RateComponent, ...]
    recall: float

    def __post_init__(self) -> None:
        self.rates.setflags(write=False)
        self.leaked.setflags(write=False)

    @property
    def leaked_share(self) -> float:
        """Share of the tasks that leaked."""
        return float(self.leaked.mean())

    def pass_rate(
        self, *, population: TruthPopulation = "new_tasks", which: Which = "all"
    ) -> float | Unknown:
        """Mean rate.

        Parameters
        ----------
        population : {"new_tasks", "suite"}, default "new_tasks"
            New tasks like these, or exactly these.
        which : {"all", "clean", "leaked"}, default "all"
            All tasks, or those that did not leak, or those that did.

        Returns
        -------
        float or Unknown
            A probability, 0-1; `Unknown` where the suite has no such task.

        Raises
        ------
        InputError
            Another population or `which`.
        """
        return self.pass_hat_k(1, population=population, which=which)

    def pass_hat_k(
        self, k: int, *, population: TruthPopulation = "new_tasks", which: Which = "all"
    ) -> float | Unknown:
        """pass^k: the probability that k rollouts of a task all pass.

        Parameters
        ----------
        k : int
            Rollouts, at least 1.
        population, which
            As in `pass_rate`.

        Returns
        -------
        float or Unknown
            A probability, 0-1.

        Raises
        ------
        InputError
            If `k` is below 1, or a choice is none of the above.
        """
        count = as_whole(k, "k", minimum=1)
        return self._answer(
            lambda rates: rates**count,
            lambda each, recall: _hat(each, recall, count),
            population,
            which,
        )

    def pass_at_k(
        self, k: int, *, population: TruthPopulation = "new_tasks", which: Which = "all"
    ) -> float | Unknown:
        """pass@k: the probability that at least one of k rollouts of a task passes.

        Parameters
        ----------
        k : int
            Rollouts, at least 1.
        population, which
            As in `pass_rate`.

        Returns
        -------
        float or Unknown
            A probability, 0-1.

        Raises
        ------
        InputError
            If `k` is below 1, or a choice is none of the above.
        """
        count = as_whole(k, "k", minimum=1)
        return self._answer(
            lambda rates: 1 - (1 - rates) ** count,
            lambda each, recall: 1 - (1 - recall) ** count * moment(1 - each.mean, each.icc, count),
            population,
            which,
        )

    @property
    def icc(self) -> float | Unknown:
        """Intraclass correlation of new tasks, over all components and leaked tasks."""
        mean, both = self.pass_rate(), self.pass_hat_k(2)
        assert not isinstance(mean, Unknown)
        assert not isinstance(both, Unknown)
        if mean in (0.0, 1.0):
            return Unknown("every rollout has the same outcome")
        return max((both - mean**2) / (mean * (1 - mean)), 0.0)

    def _answer(
        self,
        of_rates: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
        expected: Callable[[RateComponent, float], float],
        population: TruthPopulation,
        which: Which,
    ) -> float | Unknown:
        one_of(population, TruthPopulation, "population")
        one_of(which, Which, "which")
        chosen = {"all": np.ones_like(self.leaked), "clean": ~self.leaked, "leaked": self.leaked}
        mask = chosen[which]
        if not mask.any():
            return Unknown(f"the suite has no {which} task")
        if population == "suite":
            return float(of_rates(self.rates[mask]).mean())
        share = {"all": self.leaked_share, "clean": 0.0, "leaked": 1.0}[which]
        return math.fsum(
            each.weight * part * expected(each, recall)
            for each in self.components
            for part, recall in ((1 - share, 0.0), (share, self.recall))
        )

    def __repr__(self) -> str:
        new, these = self.pass_rate(), self.pass_rate(population="suite")
        assert isinstance(new, float)
        assert isinstance(these, float)
        icc = self.icc
        shown = "UNKNOWN" if isinstance(icc, Unknown) else f"{icc:.3f}"
        return (
            f"Truth(new tasks {format_percent(new)}, these tasks {format_percent(these)}, "
            f"ICC {shown})"
        )


def _hat(component: RateComponent, recall: float, k: int) -> float:
    """E[(recall + (1 - recall) p)^k], term by term; none is negative."""
    if recall == 0:
        return moment(component.mean, component.icc, k)
    return math.fsum(
        math.comb(k, own)
        * recall ** (k - own)
        * (1 - recall) ** own
        * moment(component.mean, component.icc, own)
        for own in range(k + 1)
    )
