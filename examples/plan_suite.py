"""Today's 50 tasks of 4 rollouts are too few to claim 60 %. How large must the next run be?

From the pass rate and the intraclass correlation of today's run: the design that is cheapest
for an interval of plus or minus 5 points, and the chance that a larger run supports the claim.
"""

from pathlib import Path

import bayeseval as be

SUITE = Path(__file__).parent / "sqlagent.csv"


def main(sizes: tuple[int, ...] = (100, 200, 400), simulations: int = 2000) -> None:
    """Plan the next run.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of tasks to look at.
    simulations : int
        Simulated runs for each.
    """
    fit = be.fit(be.read(SUITE), engine="exact")
    rate, icc = fit.pass_rate(), fit.icc()
    print(rate)
    print(icc)

    # A task costs an hour of somebody's time once, a rollout a tenth of that.
    plan = be.plan.clustered(rate.mean, icc.mean, 0.05, cost_task=10, cost_rollout=1)
    print(plan)

    # Means are one guess; the posterior holds all of them.
    for tasks in sizes:
        chance = be.plan.clustered_assurance(
            tasks, 4, above=0.6, design=fit, simulations=simulations, rng=1
        )
        print(
            f"{tasks} tasks support pass_rate > 0.6 with probability "
            f"{chance.assurance:.2f} (Monte Carlo error {chance.mcse:.2f})"
        )
    print(f"More tasks lead to {chance.ceiling:.2f}: the rate may be below 0.6 after all")


if __name__ == "__main__":
    main()
