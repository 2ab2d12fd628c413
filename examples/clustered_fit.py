"""50 tasks, 4 rollouts each: the same posterior by integration and by sampling.

The exact engine answers in milliseconds. NUTS takes seconds, and leaves draws for ArviZ.
"""

from pathlib import Path

import bayeseval as be

FILE = Path(__file__).with_name("sqlagent.csv")


def main(draws: int = 1000) -> dict[str, be.Fit]:
    rollouts = be.read(FILE)
    fits = {
        "exact": be.fit(rollouts, engine="exact"),
        "nuts": be.fit(rollouts, engine="nuts", draws=draws, tune=draws, rng=1),
    }
    for engine, fit in fits.items():
        print(engine)
        print("  ", fit.pass_rate())
        print("  ", fit.pass_hat_k(3))
        print("  ", fit.icc())
        print(f"   Pr[pass^3 > 0.5] = {fit.pass_hat_k(3).prob_above(0.5):.3f}")

    # The checks of the sampler, and how many Monte Carlo errors it is from the exact answers.
    print(fits["nuts"].checks)

    # The draws, with named dimensions, for az.summary, az.plot_rank and the rest of ArviZ.
    print("ArviZ groups:", ", ".join(sorted(fits["nuts"].dt.children)))
    return fits


if __name__ == "__main__":
    main()
