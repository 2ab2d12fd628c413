"""Does the 95 % interval of a fit hold what is true? Simulated suites know the truth.

Three kinds of suites: one that the model assumes, a U-shaped one (many tasks that never or
always pass), and one that loses rollouts of hard tasks. For each: how often the intervals hold
the true values, how often the fit says that its model does not suit the tasks, and by how much
the rate of all scored rollouts together is off.
"""

import warnings

import numpy as np

import bayeseval as be

SUITES = {
    "Beta rates": {"mean": 0.7, "icc": 0.3},
    "U-shaped": {"mixture": [(0.25, 0.0), (0.35, 1.0), (0.4, 0.6, 0.2)]},
    "errors on hard tasks": {"mean": 0.7, "icc": 0.3, "error_rate": 0.15, "errors_on": "hard"},
}


def main(runs: int = 40, tasks: int = 50, rollouts: int = 4) -> dict[str, tuple[float, float]]:
    """Simulate and fit suites of each kind.

    Parameters
    ----------
    runs : int
        Suites of each kind.
    tasks, rollouts : int
        Size of a suite.

    Returns
    -------
    dict
        For each kind the shares of intervals that hold the true pass rate and pass^3.
    """
    held = {}
    for name, options in SUITES.items():
        rng = np.random.default_rng(1)
        inside = np.zeros((runs, 2))
        doubts, off = 0, 0.0
        for run in range(runs):
            found = be.simulate(tasks, rollouts, rng=rng, **options)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", be.CheckWarning)
                fit = be.fit(found.rollouts, engine="exact")
            doubts += len(caught) > 0
            for at, k in enumerate((1, 3)):
                lower, upper = fit.pass_hat_k(k).eti(0.95)
                inside[run, at] = lower <= found.truth.pass_hat_k(k) <= upper
            pooled = found.rollouts.passes.sum() / found.rollouts.n_rollouts
            off += (pooled - found.truth.pass_rate()) / runs
        rate, hat = inside.mean(axis=0)
        held[name] = (float(rate), float(hat))
        print(
            f"{name}: the intervals hold the pass rate in {rate:.0%}, pass^3 in {hat:.0%}; "
            f"a check fails in {doubts / runs:.0%}; "
            f"the pooled rate is off by {100 * off:+.1f} points"
        )
    return held


if __name__ == "__main__":
    main()
