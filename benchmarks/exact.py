"""The exact engine beside what one would write with SciPy."""

import numpy as np
from scipy import integrate, special

import bayeseval as be
from benchmarks.measure import Row, in_turn


def small_suite() -> be.Rollouts:
    """The suite of the examples: 50 tasks x 4 rollouts, of which 30 pass all and 15 none."""
    return be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4)


def beta_suite(tasks: int, rollouts: int, *, seed: int = 1) -> be.Rollouts:
    """Tasks whose rates are U-shaped, with a mean of 65 % and an ICC of 0.7."""
    rng = np.random.default_rng(seed)
    rates = rng.beta(0.65 * 3 / 7, 0.35 * 3 / 7, size=tasks)
    return be.Rollouts.from_counts(rng.binomial(rollouts, rates), rollouts)


def naive_mean(passes: np.ndarray, trials: np.ndarray) -> float:
    """Posterior mean of the pass rate by `dblquad`, task by task, as a textbook has it."""

    def likelihood(icc: float, mean: float) -> float:
        kappa = (1 - icc) / icc
        a, b = mean * kappa, (1 - mean) * kappa
        logs = special.betaln(a + passes, b + trials - passes) - special.betaln(a, b)
        return float(np.exp(logs.sum() + 70.0))

    def integral(power: int) -> float:
        bounds = (1e-6, 1 - 1e-6)
        value, _ = integrate.dblquad(
            lambda icc, mean: mean**power * likelihood(icc, mean),
            *bounds,
            *bounds,
            epsabs=0,
            epsrel=1e-4,
        )
        return value

    return integral(1) / integral(0)


def grid_mean(passes: np.ndarray, trials: np.ndarray, nodes: int = 200) -> float:
    """Posterior mean on an even grid, with equal tasks collapsed by `numpy.unique`."""
    cells, count = np.unique(np.stack([passes, trials]), axis=1, return_counts=True)
    mean, icc = np.meshgrid(*[(np.arange(nodes) + 0.5) / nodes] * 2)
    kappa = (1 - icc) / icc
    a, b = mean * kappa, (1 - mean) * kappa
    log_likelihood = np.zeros_like(mean)
    for (s, n), tasks in zip(cells.T, count, strict=True):
        log_likelihood += tasks * (special.betaln(a + s, b + n - s) - special.betaln(a, b))
    weights = np.exp(log_likelihood - log_likelihood.max())
    return float((weights * mean).sum() / weights.sum())


def fitted_mean(rollouts: be.Rollouts) -> float:
    return be.fit(rollouts, engine="exact").pass_rate().mean


def rows(*, tasks: int = 1_000_000, repeats: int = 7) -> list[Row]:
    small = small_suite()
    fit, grid = in_turn(
        lambda: be.fit(small, engine="exact"),
        lambda: grid_mean(small.passes, small.trials),
        repeats=repeats,
    )
    answer, naive = in_turn(
        lambda: fitted_mean(small), lambda: naive_mean(small.passes, small.trials), repeats=3
    )
    many = beta_suite(tasks, 8)
    passes, trials = np.array(many.passes), np.array(many.trials)
    large, large_grid = in_turn(
        lambda: be.fit(many, engine="exact"),
        lambda: grid_mean(passes, trials),
        repeats=max(repeats // 2, 1),
    )
    return [
        Row("exact fit, 50 x 4", fit, "SciPy, even grid of 200 x 200", grid, "10 ms", 0.010),
        Row(
            "exact fit, 50 x 4, and its pass rate",
            answer,
            "SciPy dblquad, to 4 digits",
            naive,
        ),
        Row(
            f"exact fit, {tasks:,} x 8, from counts",
            large,
            "SciPy, even grid of 200 x 200",
            large_grid,
            "50 ms",
            0.050,
        ),
    ]
