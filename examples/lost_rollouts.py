"""Some rollouts ran out of time. How bad must they have been to turn the decision?

Left out, the suite clears the bar. The tipping point is the odds ratio below which it no
longer does: how much less often than the scored rollouts of its task a lost one passed.
"""

import math

import bayeseval as be

# 60 tasks of 4 rollouts; of 16 tasks two rollouts ran out of time, of 6 tasks one.
LOSSY = be.Rollouts.from_counts(
    [4] * 18
    + [3] * 10
    + [2] * 5
    + [1] * 3
    + [0] * 2
    + [2] * 10
    + [1] * 4
    + [0] * 2
    + [3] * 4
    + [2] * 2,
    [4] * 38 + [2] * 16 + [3] * 6,
    errored=[0] * 38 + [2] * 16 + [1] * 6,
)


def main(bar: float = 0.7, confidence: float = 0.9) -> dict[float, float]:
    fit = be.fit(LOSSY, engine="exact")
    print(fit)
    print(*fit.notes, sep="\n")

    ratios = (0, 0.1, 0.2, 0.5, 1, 2, math.inf)
    found = be.errored_sensitivity(LOSSY, odds_ratios=ratios, rng=1)
    chances = {row.odds_ratio: row.pass_rate().prob_above(bar) for row in found.rows}
    for ratio, chance in chances.items():
        verdict = "clears the bar" if chance >= confidence else "does not"
        print(f"odds ratio {ratio:4g}: Pr[pass rate > {bar}] = {chance:.3f}, {verdict}")

    # And does the prior decide?
    print(be.prior_sensitivity(fit, above=bar, confidence=confidence).conclusion)
    return chances


if __name__ == "__main__":
    main()
