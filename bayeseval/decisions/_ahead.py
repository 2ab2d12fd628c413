"""How the rest of a plan of looks will go, as today's posterior predicts it."""

from __future__ import annotations

import numpy as np

from bayeseval.conjugate import beta_posterior
from bayeseval.decisions._boundary import ExactBoundary, Paths
from bayeseval.decisions._look import Seen
from bayeseval.decisions._question import Judge
from bayeseval.decisions._reweigh import Believed
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.unknown import Unknown

__all__ = ["Forecast", "forecast", "predicted", "simulated"]

# Median tasks until a decision; probabilities of released, contradicted and undecided.
Forecast = tuple[int | Unknown, float | Unknown, float | Unknown, float | Unknown]

# Quantiles of the posterior, and simulated results, that stand for it.
QUANTILES, FUTURES = 32, 400


def forecast(paths: Paths, further: list[int]) -> Forecast:
    """Sum up paths whose looks come after so many further tasks."""
    stops = np.cumsum(paths.stops)
    more: int | Unknown = Unknown("more likely than not the plan ends undecided")
    if stops[-1] > 0.5:
        more = further[int(np.argmax(stops > 0.5))]
    return more, float(paths.released.sum()), float(paths.contradicted.sum()), paths.undecided


def predicted(boundary: ExactBoundary, tail: float, seen: Seen, at: int) -> Paths:
    """One rollout per task: exact paths, averaged over quantiles of the posterior."""
    assert seen.passes is not None
    prior = boundary.judge.prior
    chosen = prior.mean if isinstance(prior, HierarchicalPrior) else prior
    posterior = beta_posterior(seen.passes, seen.tasks, prior=chosen)
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    found = [
        boundary.paths(float(rate), tail, start=(seen.passes, seen.tasks, at))
        for rate in np.atleast_1d(posterior.quantile(levels))
    ]
    return Paths(
        np.mean([each.released for each in found], axis=0)[at:],
        np.mean([each.contradicted for each in found], axis=0)[at:],
    )


def simulated(
    judge: Judge, tail: float, seen: Seen, further: list[int], rollouts: int, seed: int
) -> Paths:
    """Several rollouts: results drawn from the posterior, judged by reweighting it."""
    assert seen.fit is not None
    believed = Believed.of(seen.fit, judge.question, rollouts)
    rng = np.random.default_rng([seed, seen.tasks])
    open_ = np.ones(FUTURES, dtype=bool)
    released, contradicted = np.zeros(len(further)), np.zeros(len(further))
    for at, suites in enumerate(believed.futures(further, FUTURES, rng)):
        prob, prob_not = believed.probs(suites)
        fine, against = open_ & (prob_not <= tail), open_ & (prob <= tail)
        released[at], contradicted[at] = fine.mean(), against.mean()
        open_ &= ~(fine | against)
    return Paths(released, contradicted)
