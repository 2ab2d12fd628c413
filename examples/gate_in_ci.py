"""Claims as tests: what a pipeline may demand of an evaluation."""

from pathlib import Path

import bayeseval as be

CLAIMS = ("pass_rate > 0.5", "pass_rate > 0.65", "pass^3 > 0.8")


def main() -> list[be.Verdict]:
    results = be.read(Path(__file__).with_name("sqlagent.csv"))
    fit = be.fit(results, engine="exact")
    verdicts = [be.evaluate(claim, fit) for claim in CLAIMS]
    for verdict in verdicts:
        print(f"{verdict.claim!s:16} {verdict.outcome:13} Pr = {verdict.prob:.3f}")
    # In a test file this line is the whole test; it raises an AssertionError otherwise.
    be.require(fit, CLAIMS[0], confidence=0.95)
    return verdicts


if __name__ == "__main__":
    main()
