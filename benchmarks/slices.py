"""Slices: many separate exact fits, and partially pooled slices beside nutpie alone.

As in `nuts`, every sampling run builds and compiles its model, and ours also computes the checks.
"""

import warnings

import numpy as np

import bayeseval as be
from bayeseval.slices import split
from benchmarks.measure import Row, in_turn
from benchmarks.nuts import TARGET_ACCEPT


def suite_of_slices(slices: int, tasks: int, *, seed: int = 1) -> be.Rollouts:
    """Slices with rates of their own around 70 %, and an ICC of 0.4; 4 rollouts a task."""
    rng = np.random.default_rng(seed)
    means = np.repeat(rng.beta(7, 3, size=slices), tasks)
    passes = rng.binomial(4, rng.beta(1.5 * means, 1.5 * (1 - means)))
    labels = np.repeat([f"slice {at}" for at in range(slices)], tasks).tolist()
    return be.Rollouts.from_counts(passes, 4, factors={"slice": labels})


def apart(rollouts: be.Rollouts) -> None:
    be.fit(rollouts, by="slice", pooling="none")


def one_by_one(rollouts: be.Rollouts) -> None:
    for level in rollouts.levels("slice"):
        be.fit(rollouts.where("slice", level), engine="exact")


def pooled(rollouts: be.Rollouts, draws: int) -> None:
    be.fit(rollouts, by="slice", draws=draws, tune=draws, rng=1, progress=False)


def bare(rollouts: be.Rollouts, draws: int) -> None:
    import nutpie

    compiled = nutpie.compile_pymc_model(be.build_sliced_model(split(rollouts, "slice")))
    nutpie.sample(
        compiled,
        draws=draws,
        tune=draws,
        chains=4,
        seed=1,
        target_accept=TARGET_ACCEPT,
        progress_bar=False,
    )


def rows(
    *, slices: int = 200, groups: int = 20, tasks: int = 500, draws: int = 1000, repeats: int = 3
) -> list[Row]:
    many, few = suite_of_slices(slices, 50), suite_of_slices(groups, tasks)
    with warnings.catch_warnings():
        # Speed is looked at here; the tests look at the checks.
        warnings.simplefilter("ignore", be.CheckWarning)
        ours, loop = in_turn(lambda: apart(many), lambda: one_by_one(many), repeats=repeats)
        partial, alone = in_turn(
            lambda: pooled(few, draws), lambda: bare(few, draws), repeats=repeats
        )
    return [
        Row(
            f"exact fits of {slices} slices, 50 x 4 each",
            ours,
            "be.fit, slice by slice",
            loop,
            "1 s",
            1.0,
        ),
        Row(
            f"{groups} slices x {tasks} tasks, partially pooled",
            partial,
            "nutpie alone, same model and settings",
            alone,
            "2 x",
            2 * alone.seconds,
        ),
    ]
