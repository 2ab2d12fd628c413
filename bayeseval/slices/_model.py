"""The partially pooled model of slices in PyMC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_mapping, as_text
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.hierarchical._likelihood import tail_counts
from bayeseval.hierarchical._model import as_suite
from bayeseval.hierarchical._prior import as_hierarchical_prior
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import pymc as pm

__all__ = ["build_sliced_model"]

Array = npt.NDArray[np.float64]

# Scale of the half-normal priors of how much slices differ, on the logit scale. Wider ones
# are no milder: with 5 most slices are next to 0 or 1 beforehand, and ten tasks that all
# pass would be taken for a rate of 98.6 %, where alone they say 94 %.
SPREAD = 1.0
# From so many slices on, whose variance is that many times their error, deviations are
# sampled as they are.
MANY_SLICES, FAR_APART = 5, 5.0


def build_sliced_model(
    slices: Mapping[str, Rollouts], *, prior: HierarchicalPrior | None = None
) -> pm.Model:
    """Build the model of slices whose mean rates and ICCs are drawn together.

    Parameters
    ----------
    slices : mapping of str to Rollouts
        The slices by label, each with a scored rollout.
    prior : HierarchicalPrior, optional
        Of the common mean rate and the common ICC; default: uniform on both.

    Returns
    -------
    pymc.Model
        With ``mean`` and ``icc`` of each slice over the dimension ``slice``,
        ``common_mean``, ``common_icc``, and the spreads ``mean_spread``, ``icc_spread``.

    Raises
    ------
    InputError
        If the prior is on log kappa, since common ICCs are modelled on the scale of the
        ICC; fewer than two slices; a slice without a scored rollout.

    Notes
    -----
    For slice h with tasks i, and the same for the ICC with its own common value and spread::

        common_mean ~ Beta(1, 1), mean_spread ~ HalfNormal(1)
        logit mean_h = logit(common_mean) sqrt(1 + pi mean_spread^2 / 8) + mean_spread z_h,
            z_h ~ Normal(0, 1) with sum 0 over the slices
        p_i ~ Beta(mean_h kappa_h, (1 - mean_h) kappa_h),  kappa_h = (1 - icc_h) / icc_h
        s_i ~ Binomial(n_i, p_i)

    The factor under the root makes ``common_mean``, to a good approximation, the mean of
    the slices' rates and not their median, so that the prior is on a rate.
    """
    chosen = as_hierarchical_prior(prior)
    slices = as_mapping(slices, "slices", of="Rollouts")
    if chosen.icc is None:
        raise InputError(
            "partial pooling needs a prior on the ICC; a prior on log_kappa goes with "
            "pooling='none' or 'complete'"
        )
    if len(slices) < 2:
        raise InputError(f"slices are pooled where there are two or more; got {len(slices)}")
    for label, rollouts in slices.items():
        as_text(label, "the name of a slice")
        as_suite(rollouts, f"slice {label!r}")
        if rollouts.n_scored_tasks == 0:
            raise InputError(f"slice {label!r} has no scored rollout: there is nothing to fit")
    import pymc as pm

    with pm.Model(coords={"slice": list(slices)}) as model:
        x = _pooled("mean", *chosen.mean, centred=_apart(list(slices.values())))
        y = _pooled("icc", *chosen.icc, centred=False)
        pm.Potential("log_likelihood", _log_likelihood(list(slices.values()), x, y))
    return model


def _pooled(name: str, alpha: float, beta: float, *, centred: bool) -> Any:
    """Logits of the slices' values around a common one; the values are kept.

    Deviations of a known size mix well as they are; small ones only as multiples of
    their spread.
    """
    import pymc as pm
    import pytensor.tensor as pt

    common = pm.Beta(f"common_{name}", alpha=alpha, beta=beta)
    spread = pm.HalfNormal(f"{name}_spread", sigma=SPREAD)
    scale, factor = (spread, 1.0) if centred else (1.0, spread)
    offset = pm.ZeroSumNormal(f"{name}_offset", sigma=scale, dims="slice")
    centre = pm.math.logit(common) * pt.sqrt(1.0 + np.pi * spread**2 / 8.0)
    logits = centre + factor * offset
    pm.Deterministic(name, pm.math.sigmoid(logits), dims="slice")
    return logits


def _apart(slices: list[Rollouts]) -> bool:
    """Whether the raw rates of slices differ by far more than their standard errors."""
    if len(slices) < MANY_SLICES:
        return False
    tasks = np.array([each.n_scored_tasks for each in slices])
    rate = np.array([(each.passes.sum() + 0.5) / (each.trials.sum() + 1.0) for each in slices])
    noise = 1.0 / (tasks * rate * (1.0 - rate))
    return bool(np.var(np.log(rate / (1.0 - rate))) > FAR_APART * noise.mean())


def _log_likelihood(slices: list[Rollouts], x: Any, y: Any) -> Any:
    """Log likelihood of the ordered outcomes of all slices from their tail counts."""
    import pytensor.tensor as pt

    log_mean, log_rest = -pt.softplus(-x), -pt.softplus(x)
    log_icc, log_other = -pt.softplus(-y), -pt.softplus(y)
    tails = [tail_counts(rollouts) for rollouts in slices]
    first = np.array(
        [
            [runs[0][2] if runs else 0 for runs in (each.passes, each.failures, each.trials)]
            for each in tails
        ],
        dtype=float,
    )
    total = pt.sum(
        first[:, 0] * log_mean
        + first[:, 1] * log_rest
        + (first[:, 0] + first[:, 1] - first[:, 2]) * log_other
    )
    for runs, log_base, sign in (
        ([each.passes for each in tails], log_mean + log_other, 1.0),
        ([each.failures for each in tails], log_rest + log_other, 1.0),
        ([each.trials for each in tails], log_other, -1.0),
    ):
        which, j, count = _expanded(runs)
        if j.size:
            terms = pt.log(pt.exp(log_base)[which] + j * pt.exp(log_icc)[which])
            total = total + sign * pt.sum(count * terms)
    return total


def _expanded(runs: list[tuple[tuple[int, int, int], ...]]) -> tuple[Any, Array, Array]:
    """Slice, index j >= 1 and how many tasks exceed it, of all slices."""
    which, j, count = [], [], []
    for at, each in enumerate(runs):
        for first, last, tasks in each:
            points = np.arange(max(first, 1), last + 1.0)
            which.append(np.full(points.size, at))
            j.append(points)
            count.append(np.full(points.size, float(tasks)))
    if not j:
        return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    return np.concatenate(which), np.concatenate(j), np.concatenate(count)
