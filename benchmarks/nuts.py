"""NUTS on the default model, beside nutpie alone and beside a suite of another size.

Every run builds and compiles the model: ours in `be.fit`, nutpie's in its own call. A run before
the measured ones fills the caches on disk for both. Ours also integrates the exact posterior and
computes every check; nutpie alone does neither.
"""

import warnings

import bayeseval as be
from benchmarks.exact import beta_suite, small_suite
from benchmarks.measure import Row, in_turn

TARGET_ACCEPT = 0.95


def fit(rollouts: be.Rollouts, draws: int) -> None:
    with warnings.catch_warnings():
        # Speed is looked at here; the tests look at the checks.
        warnings.simplefilter("ignore", be.CheckWarning)
        be.fit(rollouts, draws=draws, tune=draws, rng=1, progress=False)


def bare(rollouts: be.Rollouts, draws: int) -> None:
    import nutpie

    compiled = nutpie.compile_pymc_model(be.build_model(rollouts))
    nutpie.sample(
        compiled,
        draws=draws,
        tune=draws,
        chains=4,
        seed=1,
        target_accept=TARGET_ACCEPT,
        progress_bar=False,
    )


def rows(*, draws: int = 1000, tasks: int = 100_000, repeats: int = 3) -> list[Row]:
    small = small_suite()
    ours, alone = in_turn(lambda: fit(small, draws), lambda: bare(small, draws), repeats=repeats)
    many, few = beta_suite(tasks, 8), beta_suite(100, 8)
    large, little = in_turn(lambda: fit(many, draws), lambda: fit(few, draws), repeats=repeats)
    return [
        Row(
            f"NUTS fit, 4 x {draws:,} draws, 50 x 4",
            ours,
            "nutpie alone, same model and settings",
            alone,
            "2 x",
            2 * alone.seconds,
        ),
        Row(
            f"NUTS fit, {tasks:,} x 8",
            large,
            "NUTS fit, 100 x 8",
            little,
            "1.5 x",
            1.5 * little.seconds,
        ),
    ]
