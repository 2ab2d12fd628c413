"""The bootstrap of whole tasks beside a loop that draws tasks."""

import numpy as np

import bayeseval as be
from benchmarks.exact import beta_suite
from benchmarks.measure import Row, Timing, in_turn

# The loop would take minutes; its time grows with the resamples, so that a part tells.
LOOPED = 50


def loop(rates: np.ndarray, resamples: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    drawn = (rng.choice(rates, size=rates.size) for _ in range(resamples))
    return np.array([sample.mean() for sample in drawn])


def rows(*, tasks: int = 100_000, resamples: int = 10_000, repeats: int = 5) -> list[Row]:
    suite = beta_suite(tasks, 8)
    rates = suite.pass_rate
    ours, part = in_turn(
        lambda: be.cluster_bootstrap(suite, n_resamples=resamples, rng=1),
        lambda: loop(rates, LOOPED),
        repeats=repeats,
    )
    return [
        Row(
            f"cluster bootstrap, {resamples:,} resamples, {tasks:,} x 8",
            ours,
            f"a NumPy loop over resamples ({LOOPED} of them, scaled up)",
            Timing(part.seconds * resamples / LOOPED, part.spread),
            "100 ms",
            0.100,
        )
    ]
