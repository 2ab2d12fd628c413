"""How high the bar must be when results are looked at again and again: exact, or simulated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._special import log_binomial
from bayeseval.decisions._question import Judge, hierarchical
from bayeseval.hierarchical._functionals import Functional
from bayeseval.plan._clustered_assurance import pass_probabilities
from bayeseval.plan._decide import probs_above

__all__ = ["MOST_TAIL", "Boundary", "ExactBoundary", "Paths", "SimulatedBoundary"]

Array = npt.NDArray[np.float64]

# States of less probability are left out at both ends.
NEGLIGIBLE = 1e-16
# An ICC that is not known: the bar that is high enough for each of these.
ICCS = (0.1, 0.4, 0.8)
# Estimates nearer to the bar than this many standard errors decide nothing.
SCREEN = 0.5
# Nor does the bar of a simulated plan go below 90 %, where they could.
MOST_TAIL = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Probabilities that a plan of looks stops, look by look.

    Parameters
    ----------
    released, contradicted : ndarray, shape (looks,)
        Probability to stop at each look with this verdict.
    """

    released: Array
    contradicted: Array

    @property
    def undecided(self) -> float:
        """Probability that the last look decides nothing."""
        return float(max(1.0 - self.released.sum() - self.contradicted.sum(), 0.0))

    @property
    def stops(self) -> Array:
        """Probability to stop at each look."""
        return self.released + self.contradicted


@dataclass(frozen=True, eq=False)
class ExactBoundary:
    """One rollout per task: dynamic programming over the number of passes.

    Parameters
    ----------
    judge : Judge
        Claim and prior.
    looks, batch : int
        Looks, and tasks added by each.
    """

    judge: Judge
    looks: int
    batch: int

    def paths(
        self,
        rate: float,
        tail: float,
        *,
        start: tuple[int, int, int] = (0, 0, 0),
        contradict: bool = True,
    ) -> Paths:
        """Stopping probabilities of a system of this rate, after (passes, tasks, looks)."""
        step = _binomial(self.batch, rate)
        first, tasks, done = start
        mass = np.ones(1)
        released, contradicted = np.zeros(self.looks), np.zeros(self.looks)
        for look in range(done, self.looks):
            further = (look + 1) * self.batch - tasks
            if further != self.batch:
                mass = np.convolve(mass, _binomial(max(further, 0), rate))
            else:
                mass = np.convolve(mass, step)
            tasks = max((look + 1) * self.batch, tasks)
            first, mass = _trimmed(first, mass)
            if mass.size == 0:
                break
            holds, fails = self._tails(first, mass.size, tasks)
            stop = fails <= tail * (1 + 1e-12)
            released[look] = mass[stop].sum()
            if contradict:
                against = holds <= tail * (1 + 1e-12)
                contradicted[look] = mass[against].sum()
                stop |= against
            mass = np.where(stop, 0.0, mass)
        return Paths(released, contradicted)

    def _tails(self, first: int, size: int, n: int) -> tuple[Array, Array]:
        passes = np.arange(first, first + size)
        return self.judge._tails(passes, n - passes, self.judge.prior)

    @cached_property
    def _on_bar(self) -> list[tuple[int, Array]]:
        """For each look, the numbers of passes that matter and Pr[contrary] there."""
        step = _binomial(self.batch, self.judge.question.bar)
        first, mass = 0, np.ones(1)
        found = []
        for look in range(1, self.looks + 1):
            first, mass = _trimmed(first, np.convolve(mass, step))
            found.append((first, self._tails(first, mass.size, look * self.batch)[1]))
        return found

    def false_release(self, tail: float) -> float:
        """Probability that a system on the bar is ever released, if nothing else stops it."""
        step = _binomial(self.batch, self.judge.question.bar)
        first, mass, total = 0, np.ones(1), 0.0
        for low, fails in self._on_bar:
            mass = np.convolve(mass, step)
            # Stopped paths only narrow the window: what is outside of it is negligible.
            kept = slice(max(low - first, 0), max(low + fails.size - first, 0))
            first, mass = max(low, first), mass[kept]
            stop = fails[first - low : first - low + mass.size] <= tail * (1 + 1e-12)
            total += float(mass[stop].sum())
            mass = np.where(stop, 0.0, mass)
        return total

    def calibrated(self, alpha: float) -> float:
        """Largest tail probability with a false-release probability of at most alpha."""
        low, high = math.log(1e-12), math.log(0.5)
        for _ in range(50):
            middle = 0.5 * (low + high)
            fine = self.false_release(math.exp(middle)) <= alpha
            low, high = (middle, high) if fine else (low, middle)
        return math.exp(low)


def _binomial(n: int, p: float) -> Array:
    s = np.arange(n + 1.0)
    return np.asarray(np.exp(log_binomial(n, s) + special.xlogy(s, p) + special.xlog1py(n - s, -p)))


def _trimmed(first: int, mass: Array) -> tuple[int, Array]:
    """Leave out the ends that hold next to nothing, and keep the number of passes in step."""
    kept = np.flatnonzero(mass > NEGLIGIBLE)
    if kept.size == 0:
        return first, np.zeros(0)
    return first + int(kept[0]), mass[kept[0] : kept[-1] + 1]


@dataclass(frozen=True, eq=False)
class SimulatedBoundary:
    """Several rollouts per task: simulated runs, judged at every look by the exact engine.

    Parameters
    ----------
    judge : Judge
        Claim and prior.
    looks, batch, rollouts : int
        Looks; tasks added by each, or run again at each; rollouts of a task at a look.
    icc : float or None
        ICC of the systems; None for the worst of 0.1, 0.4 and 0.8.
    same_tasks : bool
        Whether every look runs the same tasks again.
    simulations : int
        Runs for each ICC.
    seed : int
        Seeds them.
    """

    judge: Judge
    looks: int
    batch: int
    rollouts: int
    icc: float | None
    same_tasks: bool
    simulations: int
    seed: int

    @property
    def iccs(self) -> tuple[float, ...]:
        """ICCs that the bar must be high enough for."""
        return ICCS if self.icc is None else (self.icc,)

    def tails(
        self,
        value: float,
        icc: float,
        near: tuple[float, ...],
        *,
        stream: int = 0,
        release_only: bool = False,
    ) -> Array:
        """Pr[claim] of simulated systems, shape (runs, looks, 2): of claim and contrary.

        Estimates that are near the bar get 0.5 for both, since they stop nothing; with
        `release_only` also those on the wrong side of it.
        """
        rng = np.random.default_rng([self.seed, stream, round(1e9 * icc)])
        question = self.judge.question
        result = np.full((self.simulations, self.looks, 2), 0.5)
        for look, histograms in enumerate(self._histograms(value, icc, rng)):
            distance = _distance(histograms, question.bar, question.functional)
            telling = np.abs(distance) >= SCREEN
            if release_only:
                telling &= np.isinf(distance) | ((distance > 0) == question.above)
            if not telling.any():
                continue
            above = probs_above(
                histograms[telling],
                question.bar,
                hierarchical(self.judge.prior),
                near=near,
                functional=question.functional,
            )
            pair = (above, 1.0 - above) if question.above else (1.0 - above, above)
            result[telling, look] = np.stack(pair, axis=1)
        return result

    def _histograms(
        self, value: float, icc: float, rng: np.random.Generator
    ) -> list[npt.NDArray[np.int64]]:
        """Suites at every look, each of shape (runs, rollouts so far + 1)."""
        n, r = self.simulations, self.rollouts
        mean = self.judge.question.mean_at(np.array([value]), np.array([icc]))
        spread = np.clip(icc, 1e-9, 1 - 1e-9)
        if not self.same_tasks:
            chances = pass_probabilities(r, mean, np.array([spread]))[0]
            new = rng.multinomial(self.batch, chances, size=(n, self.looks))
            return list(np.moveaxis(np.cumsum(new, axis=1), 1, 0))
        kappa = (1 - spread) / spread
        tiny = np.finfo(float).tiny
        alpha, beta = float(mean[0]) * kappa, float(1 - mean[0]) * kappa
        rates = rng.beta(max(alpha, tiny), max(beta, tiny), size=(n, self.batch))
        passes = np.zeros((n, self.batch), dtype=np.int64)
        suites = []
        for look in range(1, self.looks + 1):
            passes += rng.binomial(r, rates)
            width = look * r + 1
            flat = passes + width * np.arange(n)[:, None]
            suites.append(np.bincount(flat.ravel(), minlength=n * width).reshape(n, width))
        return suites

    def calibrated(self, alpha: float) -> float:
        """Tail probability that a release needs, so that few systems on the bar are released.

        At most alpha of them: a rank among the simulated ones, ties on the safe side.
        """
        return min(MOST_TAIL, *(self._calibrated(each, alpha) for each in self._smallest))

    @cached_property
    def _smallest(self) -> list[Array]:
        """For each ICC and run the smallest Pr[contrary] over all looks, sorted."""
        near = tuple(1.0 - tail for tail in (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002))
        if not self.judge.question.above:
            near = tuple(1.0 - level for level in near)
        bar = self.judge.question.bar
        return [
            np.sort(self.tails(bar, icc, near, release_only=True)[:, :, 1].min(axis=1))
            for icc in self.iccs
        ]

    @staticmethod
    def _calibrated(smallest: Array, alpha: float) -> float:
        # A new run ranks among the simulated ones at random: that fewer than k of them are
        # smaller than it has probability k / (N + 1).
        k = math.floor(alpha * (smallest.size + 1))
        if k < 1:
            return 0.0
        edge = float(smallest[k - 1])
        before = float(smallest[k - 2]) if k > 1 else 0.0
        if 0.0 < before < edge:
            return math.sqrt(before * edge)
        return float(np.nextafter(edge, 0.0))

    def false_release(self, tail: float) -> float:
        """Share of simulated systems on the bar that are ever released; the worst ICC."""
        return max(float(np.mean(smallest <= tail * (1 + 1e-12))) for smallest in self._smallest)

    def paths(self, value: float, tail: float) -> Paths:
        """Stopping probabilities of systems of this value, averaged over the ICCs."""
        near = (tail, 1.0 - tail)
        stops = []
        for icc in self.iccs:
            found = self.tails(value, icc, near, stream=1)
            against, fine = (found <= tail * (1 + 1e-12)).transpose(2, 0, 1)
            first = np.argmax(against | fine, axis=1)
            rows = np.arange(self.simulations)
            stops.append(
                [
                    np.bincount(first[hit[rows, first]], minlength=self.looks) / self.simulations
                    for hit in (fine, against)
                ]
            )
        released, contradicted = np.mean(stops, axis=0)
        return Paths(released, contradicted)


Boundary = ExactBoundary | SimulatedBoundary


def _distance(histograms: npt.NDArray[np.int64], bar: float, functional: Functional) -> Array:
    """Rough number of standard errors from the bar to where a suite's posterior lies.

    The estimate is drawn towards one half as by one pass and one failure more, as the
    posterior is. Beyond the rollouts there is none, and nothing is near.
    """
    rollouts = histograms.shape[1] - 1
    if functional.k > rollouts:
        return np.full(len(histograms), np.inf)
    values = functional.of_counts(rollouts)
    tasks = histograms.sum(axis=1) + 2
    mean = (histograms @ values + 1) / tasks
    square = (histograms @ values**2 + 1) / tasks
    spread = np.sqrt((square - mean**2) / tasks)
    return np.asarray((mean - bar) / spread)
