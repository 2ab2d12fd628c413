"""The four figures of a fitted suite, from a results file into out/."""

import sys
from pathlib import Path

import bayeseval as be

HERE = Path(__file__).parent


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    # 50 tasks, 4 rollouts each. The exact engine answers in milliseconds.
    fit = be.fit(be.read(HERE / "sqlagent.csv"), engine="exact")

    # How good is it, and does it clear 50 %? With the frequentist intervals beneath.
    ax = be.plot_posterior(fit.pass_rate(), threshold=0.5, rollouts=fit.rollouts)
    ax.figure.savefig(out / "posterior.png", dpi=200)

    # Each task: its raw rate, and what the model makes of it.
    be.plot_tasks(fit).figure.savefig(out / "tasks.png", dpi=200)

    # Retries help (pass@k), unattended runs hurt (pass^k); dashed beyond 4 rollouts.
    be.plot_pass_curve(fit).figure.savefig(out / "pass_curve.png", dpi=200)

    # Does the model fit? Passes per task, observed against predicted.
    be.plot_predictive(fit).figure.savefig(out / "predictive.png", dpi=200)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "out")
