"""The fast posterior beside the package's own, on runs drawn at random."""

import warnings

import numpy as np

import bayeseval as be
from benchmarks.calibration.batch import Answers, Target
from benchmarks.calibration.grid import Counts


def rollouts_of(histogram: Counts) -> be.Rollouts:
    """The run as the package takes it."""
    passes = np.repeat(np.arange(len(histogram)), histogram)
    return be.Rollouts.from_counts(passes, len(histogram) - 1)


def exact_fit(rollouts: be.Rollouts, prior: be.HierarchicalPrior | None = None) -> be.Fit:
    """A fit whose checks may fail: simulated suites break the model on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        return be.fit(rollouts, engine="exact", prior=prior, rng=1)


def largest_difference(
    histograms: Counts,
    prior: be.HierarchicalPrior,
    found: Answers,
    targets: list[Target],
    rng: np.random.Generator,
    *,
    runs: int = 3,
) -> dict[str, float]:
    """Largest difference of limits and of probabilities, on so many of the runs."""
    limits, below = 0.0, 0.0
    for at in rng.choice(len(histograms), size=min(runs, len(histograms)), replace=False):
        fit = exact_fit(rollouts_of(histograms[at]), prior)
        limits = max(
            limits,
            float(np.abs(np.array(tuple(fit.pass_rate().eti(0.95))) - found.limits[at]).max()),
        )
        for target in targets:
            posterior = fit.pass_at_k(target.k) if target.at else fit.pass_hat_k(target.k)
            truth = float(np.broadcast_to(target.truth, len(histograms))[at])
            below = max(below, abs(float(posterior.cdf(truth)) - found.below[target.name][at]))
    return {"limits": limits, "below": below, "runs": float(min(runs, len(histograms)))}
