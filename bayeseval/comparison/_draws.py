"""Answers from draws of the joint model: rates of new tasks, and of these tasks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._special import expit, log_expit
from bayeseval.comparison._join import Joined, Patterns
from bayeseval.comparison._model import n_nodes, task_nodes
from bayeseval.hierarchical._draws import beta_draws
from bayeseval.hierarchical._functionals import Functional

__all__ = ["SystemDraws"]

Array = npt.NDArray[np.float64]

# Nodes of the integral over a new task's effect, and how many standard deviations they reach.
NODES, NEW_REACH = 201, 7.0
# Numbers that a block of draws may hold, and that the rates of all tasks may: fewer draws
# of them are kept for large suites, but no fewer than the last.
BLOCK, MOST_RATES, LEAST_DRAWS = 2_000_000, 10_000_000, 100
LARGEST_KAPPA = 1e12


@dataclass(frozen=True, eq=False)
class SystemDraws:
    """Draws of the joint model's parameters.

    Parameters
    ----------
    joined : Joined
        The data.
    centre, task_sd, icc : ndarray, shape (n_chains, n_draws)
        Centre and spread of the task effects, and the task by system variation.
    shift : ndarray, shape (n_systems, n_chains, n_draws)
        Deviations of the systems, in the order in which they were named.
    effect : ndarray, shape (n_tasks, n_chains, n_draws), or None
        Task effects, by pattern, where they were sampled.
    seed : int
        Seeds the draws of task rates.
    """

    joined: Joined
    centre: Array
    task_sd: Array
    icc: Array
    shift: Array
    effect: Array | None
    seed: int

    @classmethod
    def of(cls, joined: Joined, dt: Any, seed: int) -> SystemDraws:
        """Take the draws out of what the sampler left."""
        posterior = dt["posterior"]
        order = joined.canonical()
        place = np.argsort(order)
        effect = None
        if "effect" in posterior:
            effect = np.moveaxis(np.asarray(posterior["effect"]), -1, 0)
        return cls(
            joined,
            np.asarray(posterior["centre"]),
            np.asarray(posterior["task_sd"]),
            np.asarray(posterior["icc"]),
            np.moveaxis(np.asarray(posterior["shift"]), -1, 0)[place],
            effect,
            seed,
        )

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The canonical order of the systems."""
        return self.joined.canonical()

    @cached_property
    def patterns(self) -> Patterns:
        """Tasks by equal counts, systems in canonical order."""
        return self.joined.patterns(self.order)

    @cached_property
    def by_pattern(self) -> npt.NDArray[np.intp]:
        """The pattern of each row of `rates`."""
        return np.sort(self.patterns.of_task)

    def new_tasks(self, functional: Functional) -> Array:
        """Each system's value on new tasks, shape (n_systems, n_chains, n_draws)."""
        z, log_weights = task_nodes(NODES, NEW_REACH)
        weights = np.exp(log_weights)
        centre, sd, icc = (each.reshape(-1, 1) for each in (self.centre, self.task_sd, self.icc))
        result = np.empty((len(self.shift), centre.size))
        sign = -1.0 if functional.mirrored else 1.0
        size = max(BLOCK // NODES, 1)
        for at, shift in enumerate(self.shift.reshape(len(self.shift), -1, 1)):
            for first in range(0, centre.size, size):
                part = slice(first, first + size)
                x = sign * (centre[part] + sd[part] * z + shift[part])
                base, rho = expit(x) * (1.0 - icc[part]), icc[part]
                # E[p^k] = prod over j < k of (r kappa + j) / (kappa + j)
                value = expit(x)
                for j in range(1, functional.k):
                    value *= (base + j * rho) / (1.0 - rho + j * rho)
                result[at, part] = value @ weights
        if functional.mirrored:
            result = 1.0 - result
        return result.reshape(self.shift.shape)

    @cached_property
    def rates(self) -> Array:
        """Pass rates of these tasks, shape (n_systems, n_tasks, n_chains, fewer draws).

        Systems as they were named; tasks by pattern, see `by_pattern`. Large suites keep
        every second, third, ... draw only.
        """
        n, systems = self.joined.n_tasks, len(self.shift)
        chains, draws = self.centre.shape
        kept = max(MOST_RATES // (n * systems), LEAST_DRAWS)
        step = max(-(-chains * draws // kept), 1)
        centre, sd, icc = (
            each[:, ::step].ravel() for each in (self.centre, self.task_sd, self.icc)
        )
        shift = self.shift[:, :, ::step].reshape(systems, -1)
        rng = np.random.default_rng([self.seed, 1])
        if self.effect is not None:
            effects = self.effect[:, :, ::step].reshape(n, -1)
        else:
            effects = self._drawn_effects(centre, sd, shift, icc, rng)
        with np.errstate(divide="ignore"):
            kappa = np.minimum((1.0 - icc) / icc, LARGEST_KAPPA)
        result = np.empty((systems, n, centre.size))
        # In canonical order, so that swapped systems get the same draws.
        for at, system in enumerate(self.order):
            passes = self.patterns.passes[self.by_pattern, at][:, None]
            fails = self.patterns.trials[self.by_pattern, at][:, None] - passes
            x = effects + shift[system]
            result[system] = beta_draws(expit(x) * kappa + passes, expit(-x) * kappa + fails, rng)
        return result.reshape(systems, n, chains, -1)

    def _drawn_effects(
        self, centre: Array, sd: Array, shift: Array, icc: Array, rng: np.random.Generator
    ) -> Array:
        """Effects of these tasks given the parameters, by inversion over the nodes."""
        patterns = self.patterns
        z, log_weights = task_nodes(n_nodes(patterns))
        fails = patterns.trials - patterns.passes
        effects = np.empty((len(self.by_pattern), centre.size))
        ends = np.concatenate([[0], np.cumsum(patterns.count)])
        most = int(patterns.trials.max()) + 1
        size = max(BLOCK // (z.size * most * len(shift)), 1)
        for first in range(0, centre.size, size):
            part = slice(first, first + size)
            nodes = centre[part, None] + sd[part, None] * z
            tables = [
                (
                    _rising_logs(nodes + shift[system, part, None], icc[part], fewer),
                    _rising_logs(-nodes - shift[system, part, None], icc[part], more),
                )
                for system, fewer, more in zip(
                    self.order, patterns.passes.max(axis=0), fails.max(axis=0), strict=True
                )
            ]
            for row, count in enumerate(patterns.count):
                logs = log_weights + sum(
                    up[patterns.passes[row, at]] + down[fails[row, at]]
                    for at, (up, down) in enumerate(tables)
                )
                mass = np.exp(logs - logs.max(axis=1, keepdims=True))
                total = np.cumsum(mass, axis=1)
                total /= total[:, -1:]
                draws, at_draw = total.shape[0], np.arange(total.shape[0])[:, None]
                # One increasing list for all draws: searched at once.
                u = rng.uniform(size=(draws, int(count)))
                found = np.searchsorted((total + at_draw).ravel(), (u + at_draw).ravel())
                node = np.clip(found.reshape(draws, -1) - at_draw * z.size, 0, z.size - 1)
                spread = (z[1] - z[0]) * rng.uniform(-0.5, 0.5, size=node.shape)
                drawn = centre[part, None] + sd[part, None] * (z[node] + spread)
                effects[ends[row] : ends[row + 1], part] = drawn.T
        return effects

    def suite(self, functional: Functional) -> Array:
        """Each system's mean over exactly these tasks, shape (n_systems, n_chains, draws)."""
        return np.asarray(functional.of_rate(self.rates).mean(axis=1))

    def moves(self, new: int, old: int) -> tuple[Array, Array]:
        """Each task's mean change, and Pr[the new system is worse on it], in task order."""
        change = self.rates[new] - self.rates[old]
        change = change.reshape(len(change), -1)
        count = self.patterns.count
        mean = np.bincount(self.by_pattern, change.mean(axis=1)) / count
        worse = np.bincount(self.by_pattern, (change < 0).mean(axis=1)) / count
        return mean[self.patterns.of_task], worse[self.patterns.of_task]


def _rising_logs(x: Array, icc: Array, most: int) -> list[Array]:
    """Log of prod over j < s of r (1 - icc) + j icc, r = expit(x), for s = 0..most."""
    log_rate, _ = log_expit(x)
    base, rho = np.exp(log_rate) * (1.0 - icc[:, None]), icc[:, None]
    logs = [np.zeros(x.shape)]
    for j in range(int(most)):
        step = log_rate + np.log1p(-rho) if j == 0 else np.log(base + j * rho)
        logs.append(logs[-1] + step)
    return logs
