"""Simulation-based calibration of the models that are sampled by NUTS."""

import warnings
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np
from scipy import special

import bayeseval as be
from bayeseval.comparison._model import SYSTEM_SD, TASK_SD
from bayeseval.slices._model import SPREAD
from benchmarks.calibration.agreement import exact_fit
from benchmarks.calibration.cell import Cell
from benchmarks.calibration.claims import pass_hat
from benchmarks.calibration.draw import beta_rates
from benchmarks.calibration.grid import Array
from benchmarks.calibration.ranks import collect, in_pieces, rank

PART = "sampled"
# Nearly all the time of a comparison is spent on compiling it.
NUTS, SLICES, TWO_SYSTEMS, THREE_SYSTEMS = 100, 32, 48, 24
EACH = 4
TASKS, ROLLOUTS, OF_SLICE = 20, 4, 10
WEIGHTS = {"a": 0.5, "b": 0.3, "c": 0.2}
SETTINGS: dict[str, Any] = {
    "draws": 250, "tune": 500, "chains": 2, "cores": 1, "progress": False,
}  # fmt: skip
# The same runs by the other engine: what the ranks of both owe to the draws of the truth.
EXACT = "pass rate, exact engine"
Z = np.linspace(-8.0, 8.0, 801)
NORMAL = np.exp(-0.5 * Z**2) / np.exp(-0.5 * Z**2).sum()


def quiet() -> Any:
    """Checks may fail in a hundred fits; what counts here are the ranks."""
    return warnings.catch_warnings(action="ignore", category=be.CheckWarning)


def nuts(rng: np.random.Generator, *, repetitions: int) -> Any:
    """The default model, collapsed, by NUTS."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            mean, icc = rng.random(1), rng.random(1)
            rates = beta_rates(mean, (1 - icc) / icc, TASKS, rng)[0]
            suite = be.Rollouts.from_counts(rng.binomial(ROLLOUTS, rates), ROLLOUTS)
            with quiet():
                fit = be.fit(suite, engine="nuts", rng=rng, **SETTINGS)
                yield {
                    "pass rate": rank(fit.pass_rate(), mean[0], rng),
                    EXACT: rank(exact_fit(suite).pass_rate(), mean[0], rng),
                    "ICC": rank(fit.icc(), icc[0], rng),
                    "pass^3": rank(fit.pass_hat_k(3), pass_hat(mean, icc, 3)[0], rng),
                }

    return collect(each())


def around(common: float, spread: float, size: int, rng: np.random.Generator) -> Array:
    """Values of slices from the prior of the partially pooled model."""
    offset = rng.normal(size=size)
    offset -= offset.mean()
    centre = special.logit(common) * np.sqrt(1 + np.pi * spread**2 / 8)
    return np.asarray(special.expit(centre + spread * offset))


def slices(rng: np.random.Generator, *, repetitions: int) -> Any:
    """Three slices that are partially pooled, and a population of weighted slices."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            mean, icc = (
                around(rng.random(), abs(SPREAD * rng.normal()), len(WEIGHTS), rng)
                for _ in range(2)
            )
            rates = beta_rates(mean, (1 - icc) / np.maximum(icc, 1e-12), OF_SLICE, rng)
            suite = be.Rollouts.from_counts(
                rng.binomial(ROLLOUTS, rates).ravel(),
                ROLLOUTS,
                factors={"slice": np.repeat(list(WEIGHTS), OF_SLICE).tolist()},
            )
            with quiet():
                fit = be.fit(suite, by="slice", rng=rng, **SETTINGS)
                weighted = float(np.dot(list(WEIGHTS.values()), mean))
                yield {
                    "rate of a slice": rank(fit["a"].pass_rate(), mean[0], rng),
                    "ICC of a slice": rank(fit["a"].icc(), icc[0], rng),
                    "weighted rate": rank(fit.pass_rate(weights=WEIGHTS), weighted, rng),
                }

    return collect(each())


def systems(count: int, tasks: int, rng: np.random.Generator) -> tuple[Array, list[be.Rollouts]]:
    """True rates on new tasks, and runs, from the prior of the comparison model."""
    mean, task_sd, icc = rng.random(), abs(TASK_SD * rng.normal()), rng.random()
    spread = 1.0 if count == 2 else abs(rng.normal())
    shift = SYSTEM_SD * spread * rng.normal(size=count)
    shift -= shift.mean()
    centre = special.logit(mean) * np.sqrt(1 + np.pi * task_sd**2 / 8)
    truth = special.expit(centre + task_sd * Z + shift[:, None]) @ NORMAL
    own = special.expit(rng.normal(centre, task_sd, tasks) + shift[:, None])
    kappa = np.full(own.size, (1 - icc) / icc)
    rates = beta_rates(own.ravel(), kappa, 1, rng).reshape(own.shape)
    passes = rng.binomial(2, rates)
    return truth, [be.Rollouts.from_counts(each, 2) for each in passes]


def two_systems(rng: np.random.Generator, *, repetitions: int) -> Any:
    """Two systems that ran the same 20 tasks twice."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            (old, new), (first, second) = systems(2, TASKS, rng)
            with quiet():
                found = be.compare(first, second, rng=rng, **SETTINGS)
                yield {
                    "difference": rank(found.difference(), new - old, rng),
                    "rate of the new": rank(found.rate(found.new), new, rng),
                }

    return collect(each())


def three_systems(rng: np.random.Generator, *, repetitions: int) -> Any:
    """Three systems on a leaderboard."""

    def each() -> Iterator[dict[str, float]]:
        for _ in range(repetitions):
            truth, runs = systems(3, TASKS, rng)
            with quiet():
                board = be.leaderboard(dict(zip("abc", runs, strict=True)), rng=rng, **SETTINGS)
                yield {
                    "rate of one": rank(board.rate("a"), truth[0], rng),
                    "difference": rank(board.difference("a", "b"), truth[0] - truth[1], rng),
                }

    return collect(each())


def cells(share: float) -> list[Cell]:
    every = [
        in_pieces(PART, name, work, max(int(repetitions * share), 1), EACH)
        for name, work, repetitions in (
            ("NUTS", nuts, NUTS),
            ("slices", slices, SLICES),
            ("two systems", two_systems, TWO_SYSTEMS),
            ("three systems", three_systems, THREE_SYSTEMS),
        )
    ]
    # In turn, so that a study that is stopped has some of each.
    return [cell for piece in zip_longest(*every) for cell in piece if cell is not None]
