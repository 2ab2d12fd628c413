"""Nightly runs of 25 tasks, and a release at Pr[p > 0.9] > 0.95: how often is it wrong?

The risk of one night, the risk of a month of nights, the bar that allows for them, and what
waiting is worth.
"""

import numpy as np

import bayeseval as be

CLAIM = "pass_rate > 0.9"


def main(nights: int = 30, tasks: int = 25, rate: float = 0.95) -> be.Look:
    """Plan the nights, then live through them.

    Parameters
    ----------
    nights : int
        Looks that are planned.
    tasks : int
        New tasks of each night, one rollout each.
    rate : float
        True pass rate of the system.

    Returns
    -------
    Look
        The last one.
    """
    once = be.operating_characteristics(CLAIM, tasks=nights * tasks)
    print(f"One look at {nights * tasks} tasks: {once}")

    plan = be.Sequential(CLAIM, looks=nights, tasks_per_look=tasks)
    print(f"A look every night at 95 %: {plan.false_release_at(0.95):.1%} of systems on the bar")
    print(f"are released some night; at {plan.confidence:.2%} only {plan.false_release:.1%}")

    rng = np.random.default_rng(2)
    found = plan.follow((int(rng.binomial(tasks, rate)), tasks) for _ in range(nights))
    for look in found:
        print(look)

    # The same decision by its costs: a false release hurts 20 times as much as a delay.
    costs = be.Utility(false_release=100, delay=5, rollout=0.02)
    passes = round(found[-1].tasks * rate)
    print(be.expected_loss(CLAIM, (passes, found[-1].tasks), utility=costs))
    return found[-1]


if __name__ == "__main__":
    main()
