"""The hierarchical model in PyMC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_flag
from bayeseval.errors import InputError
from bayeseval.hierarchical._likelihood import tail_counts
from bayeseval.hierarchical._prior import HierarchicalPrior, as_hierarchical_prior
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts

if TYPE_CHECKING:
    import pymc as pm

__all__ = ["as_suite", "build_model", "task_labels"]

# The likelihood is a sum over the largest number of trials.
MOST_TRIALS = 100_000


def as_suite(rollouts: Rollouts, argument: str = "rollouts") -> Rollouts:
    """Check that a suite is one, and that its likelihood can be computed."""
    most = as_rollouts(rollouts, argument).max_trials
    if most > MOST_TRIALS:
        raise InputError(
            f"the model takes up to {MOST_TRIALS:,} trials of a task; a task of {argument} has "
            f"{most:,}; with so many, its own rate is known without a model: be.beta_posterior"
        )
    return rollouts


def build_model(
    rollouts: Rollouts, *, prior: HierarchicalPrior | None = None, collapse: bool = True
) -> pm.Model:
    """Build the hierarchical model of tasks and rollouts as a PyMC model.

    Parameters
    ----------
    rollouts : Rollouts
        The suite; tasks without a scored rollout carry no information and are left out.
    prior : HierarchicalPrior, optional
        Default: uniform on the mean rate and on the ICC.
    collapse : bool, default True
        Whether tasks with equal counts share one term of the likelihood, so that the
        cost does not grow with the number of tasks. With False the model has an
        observed variable ``passes`` over the dimension ``task``, to extend.

    Returns
    -------
    pymc.Model
        With the variables ``mean`` (pass rate of a new task), ``icc`` and ``log_kappa``; kappa
        itself may have no finite mean.

    Raises
    ------
    InputError
        If no task has a scored rollout.

    Notes
    -----
    mean ~ Beta, ICC ~ Beta, kappa = (1 - ICC) / ICC, and for task i
    p_i ~ Beta(mean kappa, (1 - mean) kappa), s_i ~ Binomial(n_i, p_i). The task rates
    p_i are integrated out, s_i ~ BetaBinomial(n_i, mean kappa, (1 - mean) kappa), and
    come back by conjugacy.

    Examples
    --------
    >>> import bayeseval as be
    >>> model = be.build_model(be.Rollouts.from_counts([4, 0, 2], [4, 4, 4]))
    >>> [variable.name for variable in model.free_RVs]
    ['mean', 'icc']
    """
    as_suite(rollouts)
    chosen = as_hierarchical_prior(prior)
    as_flag(collapse, "collapse")
    scored = rollouts.trials > 0
    if not scored.any():
        raise InputError("no task has a scored rollout: there is nothing to model")
    import pymc as pm

    with pm.Model(coords={"task": task_labels(rollouts.task[scored])}) as model:
        mean = pm.Beta("mean", alpha=chosen.mean[0], beta=chosen.mean[1])
        if chosen.log_kappa is None:
            assert chosen.icc is not None
            icc = pm.Beta("icc", alpha=chosen.icc[0], beta=chosen.icc[1])
            log_kappa = pm.Deterministic("log_kappa", pm.math.log1p(-icc) - pm.math.log(icc))
        else:
            centre, spread = chosen.log_kappa
            log_kappa = pm.Normal("log_kappa", mu=centre, sigma=spread)
            icc = pm.Deterministic("icc", pm.math.sigmoid(-log_kappa))
        if collapse:
            pm.Potential("log_likelihood", _collapsed(rollouts, mean, icc))
        else:
            kappa = pm.math.exp(log_kappa)
            pm.BetaBinomial(
                "passes",
                alpha=mean * kappa,
                beta=(1.0 - mean) * kappa,
                n=rollouts.trials[scored],
                observed=rollouts.passes[scored],
                dims="task",
            )
    return model


def _collapsed(rollouts: Rollouts, mean: Any, icc: Any) -> Any:
    """Log likelihood of the ordered outcomes from tail counts; see `_likelihood`."""
    import pytensor.tensor as pt

    tails = tail_counts(rollouts)
    log_mean, log_rest = pt.log(mean), pt.log1p(-mean)
    first = [runs[0][2] if runs else 0 for runs in (tails.passes, tails.failures, tails.trials)]
    total = (
        first[0] * log_mean
        + first[1] * log_rest
        + (first[0] + first[1] - first[2]) * pt.log1p(-icc)
    )
    for runs, base, sign in (
        (tails.passes, mean * (1.0 - icc), 1.0),
        (tails.failures, (1.0 - mean) * (1.0 - icc), 1.0),
        (tails.trials, 1.0 - icc, -1.0),
    ):
        j, count = _expanded(runs)
        if j.size:
            total = total + sign * pt.sum(count * pt.log(base + j * icc))
    return total


def _expanded(runs: tuple[tuple[int, int, int], ...]) -> tuple[Any, Any]:
    """Indices j >= 1 and how many tasks exceed them."""
    j = [np.arange(max(first, 1), last + 1.0) for first, last, _ in runs]
    count = [np.full(part.size, float(c)) for part, (_, _, c) in zip(j, runs, strict=True)]
    return (np.concatenate(j), np.concatenate(count)) if j else (np.empty(0), np.empty(0))


def task_labels(task: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Task ids as a coordinate: all whole numbers or all texts, each once.

    Where 8 and "8" are both there, the text keeps its quotation marks.
    """
    if task.dtype.kind in "iu":
        return task
    names = task.tolist()
    numbers = {str(name) for name in names if not isinstance(name, str)}
    return np.array([repr(name) if name in numbers else str(name) for name in names])
