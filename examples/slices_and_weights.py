"""The suite over-samples the hard slice. How good is the system in production?

Every slice gets a posterior of its own; the mix of production weighs them. Where production
was only counted, its shares are uncertain too.
"""

from pathlib import Path

import bayeseval as be

SUITE = Path(__file__).parent / "sqlagent.csv"
# Queries of one day, by slice.
TRAFFIC = {"lookups": 640, "joins": 240, "dates": 80, "windows": 40}


def main(bar: float = 0.7) -> dict[str, float]:
    """Answer for the suite's mix and for production; return Pr[rate > bar] of each.

    Parameters
    ----------
    bar : float
        The pass rate to beat.
    """
    suite = be.read(SUITE)
    fit = be.fit(suite, by="slice", pooling="none")
    print(fit.table().to_pandas()[["n_tasks", "raw_rate", "mean", "lower", "upper"]].round(3))

    total = sum(TRAFFIC.values())
    shares = {label: count / total for label, count in TRAFFIC.items()}
    answers = {
        "the suite's mix": fit.pass_rate(),
        "production, shares known": fit.pass_rate(weights=shares),
        "production, shares counted": fit.pass_rate(weights=be.Weights.from_counts(TRAFFIC)),
    }
    for name, answer in answers.items():
        print(f"{name}: {answer.summary_text()}, Pr[> {bar}] = {answer.prob_above(bar):.3f}")

    print(be.stratified_rate(suite, by="slice", weights=shares))
    print(fit.worst_slice())
    print("the next 20 tasks:", fit.next_tasks(20, weights=shares))
    return {name: answer.prob_above(bar) for name, answer in answers.items()}


if __name__ == "__main__":
    main()
