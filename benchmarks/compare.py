"""Comparison: the exact 2 x 2 table in milliseconds, and the PyMC model beside nutpie alone.

As in `nuts`, every sampling run builds and compiles its model, and ours also computes the checks
and the answers. A leaderboard of 50 systems x 500 tasks x 4 takes minutes and is left out unless
it is asked for:

    python -m benchmarks.compare      only the large leaderboard
"""

import time
import warnings

import numpy as np

import bayeseval as be
from benchmarks.measure import Row, in_turn

TARGET_ACCEPT = 0.95


def suites(systems: int, tasks: int, rollouts: int, *, seed: int = 1) -> dict[str, be.Rollouts]:
    """U-shaped tasks, systems a little apart, and variation of task by system."""
    rng = np.random.default_rng(seed)
    base = np.clip(rng.beta(0.4, 0.3, tasks), 1e-9, 1 - 1e-9)
    made = {}
    for at in range(systems):
        gap = 0.8 * (at / max(systems - 1, 1) - 0.5)
        rate = 1.0 / (1.0 + np.exp(-(np.log(base / (1.0 - base)) + gap)))
        own = rng.beta(9.0 * rate + 1e-9, 9.0 * (1.0 - rate) + 1e-9)
        made[f"system {at}"] = be.Rollouts.from_counts(rng.binomial(rollouts, own), rollouts)
    return made


def exact(old: be.Rollouts, new: be.Rollouts) -> float:
    found = be.compare(old, new)
    lower, _ = found.difference().eti()  # type: ignore[union-attr]
    return float(lower)


def draws_of_dirichlet(old: be.Rollouts, new: be.Rollouts, size: int) -> float:
    """The same limit by sampling, right to two or three digits."""
    a, b = new.passes == 1, old.passes == 1
    cells = [np.sum(a & b) + 1, np.sum(a & ~b) + 1, np.sum(~a & b) + 1, np.sum(~a & ~b) + 1]
    drawn = np.random.default_rng(1).dirichlet(cells, size)
    return float(np.quantile(drawn[:, 1] - drawn[:, 2], 0.025))


def compare(pair: dict[str, be.Rollouts], draws: int) -> None:
    with warnings.catch_warnings():
        # Speed is looked at here; the tests look at the checks.
        warnings.simplefilter("ignore", be.CheckWarning)
        found = be.compare(*pair.values(), draws=draws, tune=draws, rng=1, progress=False)
    found.prob_better()


def bare(pair: dict[str, be.Rollouts], draws: int) -> None:
    import nutpie

    compiled = nutpie.compile_pymc_model(be.build_comparison_model(pair))
    nutpie.sample(
        compiled,
        draws=draws,
        tune=draws,
        chains=4,
        seed=1,
        target_accept=TARGET_ACCEPT,
        progress_bar=False,
    )


def rows(*, draws: int = 1000, repeats: int = 3) -> list[Row]:
    old, new = suites(2, 100, 1).values()
    quick, sampled = in_turn(
        lambda: exact(old, new),
        lambda: draws_of_dirichlet(old, new, 100_000),
        repeats=max(repeats, 5),
    )
    pair = suites(2, 100, 4)
    ours, alone = in_turn(lambda: compare(pair, draws), lambda: bare(pair, draws), repeats=repeats)
    return [
        Row("exact comparison, 100 tasks", quick, "100,000 Dirichlet draws", sampled,
            "20 ms", 0.02),
        Row(
            f"comparison by NUTS, 4 x {draws:,} draws, 2 x 100 x 4",
            ours,
            "nutpie alone, same model and settings",
            alone,
            "2 x",
            2 * alone.seconds,
        ),
    ]  # fmt: skip


def large(systems: int = 50, tasks: int = 500) -> None:
    """One leaderboard of many systems, with the time that it took."""
    made = suites(systems, tasks, 4)
    start = time.perf_counter()
    board = be.leaderboard(made, rng=1)
    print(f"{systems} x {tasks} x 4: {time.perf_counter() - start:.0f} s; {board!r}")
    print(board.checks)


if __name__ == "__main__":
    large()
