"""How often do 95 % intervals hold the true pass rate? Invented suites tell.

Two kinds of suites with 4 rollouts per task. In both, most tasks nearly always pass or nearly
always fail, as is usual for agents: that is what an ICC of 0.7 means.
"""

import sys

import numpy as np

import bayeseval as be

ROLLOUTS, ICC = 4, 0.7
# Number of tasks, and the pass rate of a new task.
KINDS = ((50, 0.65), (20, 0.95))


def main(suites: int, seed: int = 1) -> None:
    rng = np.random.default_rng(seed)
    kappa = (1 - ICC) / ICC
    for tasks, rate in KINDS:
        hits = {"posterior": 0, "whole-task bootstrap": 0, "Wilson on pooled rollouts": 0}
        for _ in range(suites):
            rates = rng.beta(rate * kappa, (1 - rate) * kappa, size=tasks)
            rollouts = be.Rollouts.from_counts(rng.binomial(ROLLOUTS, rates), ROLLOUTS)
            intervals = (
                be.fit(rollouts, engine="exact").pass_rate().eti(0.95),
                be.cluster_bootstrap(rollouts, n_resamples=2000, rng=rng).interval,
                be.interval(int(rollouts.passes.sum()), rollouts.n_rollouts),
            )
            for name, interval in zip(hits, intervals, strict=True):
                hits[name] += interval.lower <= rate <= interval.upper
        print(f"{suites} suites of {tasks} x {ROLLOUTS}, true pass rate {100 * rate:.0f} %")
        for name, count in hits.items():
            error = np.sqrt(count * (suites - count) / suites)
            share, error = 100 * count / suites, 100 * error / suites
            print(f"    {name:26} holds it in {share:.0f} % (± {error:.0f})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
