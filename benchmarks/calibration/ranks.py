"""Simulation-based calibration of what needs no sampler.

The truth is drawn from the prior, data from the truth; then the posterior probability below the
truth is uniform. A discrete answer is spread evenly over its step.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import bayeseval as be
from bayeseval.posterior import DiscretePosterior, Posterior
from benchmarks.calibration.agreement import exact_fit, rollouts_of
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.claims import pass_hat
from benchmarks.calibration.draw import beta_rates

PART = "ranks"
CONJUGATE, EXACT, POPULATIONS, TABLES = 1_000, 300, 60, 300
TASKS, ROLLOUTS = 20, 4

Ranks = dict[str, list[float]]


def rank(posterior: Posterior | be.Unknown, truth: float, rng: np.random.Generator) -> float:
    """Posterior probability below the truth, at random within its step where it has one."""
    assert isinstance(posterior, Posterior)
    if isinstance(posterior, DiscretePosterior):
        # Values and truth are quotients of the same whole numbers, but for rounding.
        at = truth + 1e-9
        step = float(posterior.cdf(at)) - float(posterior.cdf(truth - 1e-9))
        return float(posterior.cdf(at)) - step * rng.random()
    return float(posterior.cdf(truth))


def collect(each: Iterator[dict[str, float]]) -> Ranks:
    """Ranks of all repetitions by quantity."""
    found: Ranks = {}
    for ranks in each:
        for name, value in ranks.items():
            found.setdefault(name, []).append(round(float(value), 4))
    return found


def conjugate(rng: np.random.Generator, *, repetitions: int) -> Any:
    """Beta posteriors of one proportion, under three priors."""
    priors: dict[str, Any] = {
        "uniform": "uniform",
        "Beta(2, 5)": be.BetaPrior(2.0, 5.0),
        "mixture": be.MixturePrior(((0.7, 2.0, 5.0), (0.3, 20.0, 2.0))),
    }
    draws = {
        "uniform": lambda: rng.random(),
        "Beta(2, 5)": lambda: rng.beta(2.0, 5.0),
        "mixture": lambda: rng.beta(2.0, 5.0) if rng.random() < 0.7 else rng.beta(20.0, 2.0),
    }

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            found = {}
            for name, prior in priors.items():
                truth, tasks = draws[name](), int(rng.integers(1, 101))
                posterior = be.beta_posterior(rng.binomial(tasks, truth), tasks, prior=prior)
                found[name] = float(posterior.cdf(truth))
            yield found

    return collect(each())


def exact(rng: np.random.Generator, *, repetitions: int) -> Any:
    """The exact engine: mean, ICC, and functionals within and beyond the rollouts."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            mean, icc, _, fit = _one(rng)
            at = 1 - pass_hat(1 - mean, icc, 8)
            yield {
                "pass rate": rank(fit.pass_rate(), mean[0], rng),
                "ICC": rank(fit.icc(), icc[0], rng),
                "pass^3": rank(fit.pass_hat_k(3), pass_hat(mean, icc, 3)[0], rng),
                "pass@8": rank(fit.pass_at_k(8), at[0], rng),
            }

    return collect(each())


def populations(rng: np.random.Generator, *, repetitions: int) -> Any:
    """These tasks, the next run of them, and a run of new tasks."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            mean, icc, rates, fit = _one(rng)
            again = rng.binomial(ROLLOUTS, rates).mean() / ROLLOUTS
            fresh = beta_rates(mean, (1 - icc) / icc, TASKS, rng)[0]
            other = rng.binomial(ROLLOUTS, fresh).mean() / ROLLOUTS
            yield {
                "suite": rank(fit.pass_rate(population="suite"), rates.mean(), rng),
                "suite, pass^3": rank(
                    fit.pass_hat_k(3, population="suite"), (rates**3).mean(), rng
                ),
                "next_run": rank(fit.pass_rate(population="next_run"), again, rng),
                "next_run, new tasks": rank(
                    fit.pass_rate(population="next_run", m=TASKS), other, rng
                ),
            }

    return collect(each())


def tables(rng: np.random.Generator, *, repetitions: int) -> Any:
    """Two systems with one rollout each: the exact comparison."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            cells = rng.dirichlet(np.ones(4))
            kind = rng.choice(4, size=40, p=cells)
            new, old = (kind == 0) | (kind == 1), (kind == 0) | (kind == 2)
            found = be.compare(
                be.Rollouts.from_counts(old.astype(int), 1),
                be.Rollouts.from_counts(new.astype(int), 1),
            )
            yield {"difference": rank(found.difference(), cells[1] - cells[2], rng)}

    return collect(each())


def _one(rng: np.random.Generator) -> tuple[Any, Any, Any, be.Fit]:
    """Mean and ICC from the default prior, rates of the tasks, and a fit of a run."""
    mean, icc = rng.random(1), rng.random(1)
    rates = beta_rates(mean, (1 - icc) / icc, TASKS, rng)[0]
    passes = rng.binomial(ROLLOUTS, rates)
    return mean, icc, rates, exact_fit(rollouts_of(np.bincount(passes, minlength=ROLLOUTS + 1)))


def cells(share: float) -> list[Cell]:
    return [
        cell
        for name, work, repetitions, each in (
            ("conjugate", conjugate, CONJUGATE, 500),
            ("exact", exact, EXACT, 50),
            ("populations", populations, POPULATIONS, 10),
            ("2 x 2 table", tables, TABLES, 100),
        )
        for cell in in_pieces(PART, name, work, max(int(repetitions * share), 2), each)
    ]


def in_pieces(part: str, name: str, work: Any, repetitions: int, each: int) -> list[Cell]:
    """Cells of so many repetitions each, so that a study that is stopped loses little."""
    sizes = [min(each, repetitions - first) for first in range(0, repetitions, each)]
    return [
        Cell(part, f"{name} {at}", work, {"repetitions": size}) for at, size in enumerate(sizes)
    ]
