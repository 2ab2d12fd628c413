"""Some tasks were public before the model was trained. What do they add to its score?

Leaked and clean tasks are fitted apart. A release is judged by the clean ones.
"""

import bayeseval as be

# 4 rollouts of each task: 15 tasks that stood on the web, 35 written afterwards.
SUITE = be.Rollouts.from_counts(
    [4] * 13 + [3] * 2 + [4] * 12 + [3] * 5 + [2] * 4 + [1] * 4 + [0] * 10,
    4,
    factors={"public": ["yes"] * 15 + ["no"] * 35},
)


def main(bar: float = 0.6) -> dict[str, float]:
    """Return Pr[rate > bar] of all tasks and of the clean ones.

    Parameters
    ----------
    bar : float
        The pass rate to beat.
    """
    found = be.contamination(SUITE, leaked="public")
    print(found)
    print(found.inflation())
    chances = {}
    for which in ("all", "clean"):
        rate = found.answer(which)
        chances[which] = rate.prob_above(bar)
        print(f"{which} tasks: {rate.summary_text()}, Pr[> {bar}] = {chances[which]:.3f}")
    print(found.curves([1, 2, 4]).round(3).to_string(index=False))
    return chances


if __name__ == "__main__":
    main()
