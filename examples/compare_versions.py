"""Is v2 better than v1? The same 50 tasks, 4 rollouts each, taken in pairs.

Tasks differ far more than versions do. Both versions met the same tasks, so that the luck with
them cancels: compared as if they had met different ones, the same results say little.
"""

from pathlib import Path

import bayeseval as be

HERE = Path(__file__).parent


def main(draws: int = 1000) -> be.Comparison:
    old, new = (be.read(HERE / name) for name in ("sqlagent.csv", "sqlagent_v2.csv"))
    found = be.compare(old, new, names=("v1", "v2"), draws=draws, tune=draws, rng=1)
    print(found.sentence())
    print("   this suite:", found.difference(population="suite"))
    print("   pass^4, new tasks:", found.difference("pass_hat_k", k=4))

    # What to ask before shipping: not worse by more than 2 points, and what a mistake costs.
    print(f"   Pr[not worse by 2 points] = {found.prob_not_worse(0.02):.3f}")
    loss = found.expected_loss()
    assert not isinstance(loss, be.Unknown)
    print(f"   expected loss: ship v2 {100 * loss.choose_new:.2f} points, "
          f"keep v1 {100 * loss.choose_old:.2f} points")  # fmt: skip

    # The same results, as if the versions had run different tasks.
    alone = [be.fit(each, engine="exact").pass_rate() for each in (new, old)]
    print("   unpaired:", be.difference(*alone))
    print(f"   pairing divided the variance by {found.variance_ratio:.1f}")

    # What broke.
    moved = found.moved()
    assert moved.prob_worse is not None
    for at in range(moved.n_regressed):
        print(f"   {moved.task[at]}: {moved.old_passes[at]} of {moved.old_trials[at]} before, "
              f"{moved.new_passes[at]} of {moved.new_trials[at]} now, "
              f"Pr[worse] = {moved.prob_worse[at]:.2f}")  # fmt: skip
    return found


if __name__ == "__main__":
    main()
