"""The PyMC model of systems that ran the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval.comparison._join import Joined, Patterns, Unmatched, join
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import pymc as pm

__all__ = ["build_comparison_model", "is_collapsed", "model_of", "task_nodes"]

Array = npt.NDArray[np.float64]

TASK_SD, SYSTEM_SD = 5.0, 1.0
# From so many systems on, their deviations are sampled as they are, else as multiples of
# their spread.
MANY_SYSTEMS = 5
# Nodes of the integral over task effects reach so many standard deviations.
REACH = 5.0
# The narrowest likelihood of a task, 2 / sqrt(rollouts) wide in log odds, is resolved for
# spreads of tasks up to this.
WIDEST_SD = 7.0
# Most numbers, nodes times patterns, for which task effects are integrated out.
MOST_NUMBERS = 20_000


def build_comparison_model(
    systems: Mapping[str, Rollouts], *, unmatched: Unmatched = "drop"
) -> pm.Model:
    """Build the joint model of systems that ran the same tasks.

    Parameters
    ----------
    systems : mapping of str to Rollouts
        Two systems or more, by name.
    unmatched : {"drop", "use"}, default "drop"
        What becomes of tasks without a scored rollout of some system.

    Returns
    -------
    pymc.Model
        With ``mean``, ``task_sd``, ``icc``, ``centre``, and ``shift`` over the dimension
        ``system``; ``system_sd`` of three systems and more; and ``effect`` over ``task`` where
        task effects are sampled.

    Raises
    ------
    InputError
        Fewer than two systems, or no task that all of them ran.

    Notes
    -----
    For task i and system j::

        mean ~ Uniform(0, 1), task_sd ~ HalfNormal(5)
        centre = logit(mean) sqrt(1 + pi task_sd^2 / 8)
        effect_i ~ Normal(centre, task_sd)
        system_sd ~ HalfNormal(1), and 1 of two systems
        shift_j ~ Normal(0, system_sd) with sum 0 over systems
        r_ij = expit(effect_i + shift_j),  icc ~ Uniform(0, 1), kappa = (1 - icc) / icc
        p_ij ~ Beta(r_ij kappa, (1 - r_ij) kappa),  s_ij ~ Binomial(n_ij, p_ij)

    The factor under the root puts the prior on the mean rate of an average system, to a good
    approximation, and not on its median task. `icc` is how much systems differ task by task
    beyond their shifts. The difference of two systems is Normal(0, sqrt(2)) in log odds, wide
    enough to leave it where the data put it; more systems learn from each other how far they lie
    apart, and are drawn together accordingly. The rates p_ij are integrated out. Where systems
    are few, so are the effects: by the trapezoid rule, over tasks with equal counts at once,
    which leaves a few parameters whatever the number of tasks.
    """
    return model_of(join(systems, unmatched))


def model_of(joined: Joined) -> pm.Model:
    """Build the model of joined systems, in their canonical order."""
    import pymc as pm
    import pytensor.tensor as pt

    order = joined.canonical()
    patterns = joined.patterns(order)
    collapsed = is_collapsed(patterns)
    coords: dict[str, Sequence[Any]] = {"system": [joined.systems[at] for at in order]}
    if not collapsed:
        coords["task"] = range(joined.n_tasks)
    with pm.Model(coords=coords) as model:
        mean = pm.Beta("mean", alpha=1.0, beta=1.0)
        task_sd = pm.HalfNormal("task_sd", sigma=TASK_SD)
        icc = pm.Beta("icc", alpha=1.0, beta=1.0)
        shift = _shifts(len(order))
        centre = pm.Deterministic(
            "centre", pm.math.logit(mean) * pt.sqrt(1.0 + np.pi * task_sd**2 / 8.0)
        )
        if collapsed:
            term = _collapsed(patterns, centre, task_sd, shift, icc)
        else:
            effect = pm.Normal("effect", mu=centre, sigma=task_sd, dims="task")
            # Tasks with equal counts stand together, whatever order they came in.
            rows = np.sort(patterns.of_task)
            term = _explicit(patterns.passes[rows], patterns.trials[rows], effect, shift, icc)
        pm.Potential("log_likelihood", term)
    return model


def _shifts(n_systems: int) -> Any:
    """Deviations of the systems from their mean, in log odds."""
    import pymc as pm

    if n_systems == 2:
        # One difference cannot tell how far systems lie apart: a spread to be learned from it
        # would pull a difference of two standard errors to 0 by a fifth or more.
        return pm.ZeroSumNormal("shift", sigma=SYSTEM_SD, dims="system")
    system_sd = pm.HalfNormal("system_sd", sigma=SYSTEM_SD)
    if n_systems >= MANY_SYSTEMS:
        return pm.ZeroSumNormal("shift", sigma=system_sd, dims="system")
    unit = pm.ZeroSumNormal("unit_shift", sigma=1.0, dims="system")
    return pm.Deterministic("shift", system_sd * unit, dims="system")


def is_collapsed(patterns: Patterns) -> bool:
    """Whether task effects are integrated out rather than sampled."""
    return n_nodes(patterns) * len(patterns.count) <= MOST_NUMBERS


def n_nodes(patterns: Patterns) -> int:
    """Nodes that the integral over task effects needs."""
    most = int(patterns.trials.sum(axis=1).max())
    return int(np.ceil(2.0 * REACH * WIDEST_SD / (2.0 / np.sqrt(most)))) + 1


def task_nodes(count: int, reach: float = REACH) -> tuple[Array, Array]:
    """Nodes and log weights of the trapezoid rule for a standard normal effect."""
    z = np.linspace(-reach, reach, count)
    log_weights = -0.5 * z**2
    return z, log_weights - np.log(np.exp(log_weights).sum())


def _collapsed(patterns: Patterns, centre: Any, task_sd: Any, shift: Any, icc: Any) -> Any:
    """Log likelihood with task effects integrated out."""
    import pytensor.tensor as pt

    z, log_weights = task_nodes(n_nodes(patterns))
    x = (centre + task_sd * z)[None, :] + shift[:, None]  # (system, node)
    tables, chosen = [], []
    for logs, counts in (
        (-pt.softplus(-x), patterns.passes),
        (-pt.softplus(x), patterns.trials - patterns.passes),
    ):
        # One row for each system and each j that some counts exceed.
        tables.append(logs + pt.log1p(-icc))
        chosen.append(counts > 0)
        steps = np.arange(1.0, counts.max())
        if steps.size:
            base = pt.exp(logs) * (1.0 - icc)
            more = pt.log(base[None] + steps[:, None, None] * icc)
            tables.append(more.reshape((steps.size * x.shape[0], z.size)))
            chosen.append((counts[:, None, :] > steps[:, None]).reshape(len(counts), -1))
    rows = np.concatenate(chosen, axis=1).astype(float)
    logs = pt.dot(rows, pt.concatenate(tables, axis=0)) + log_weights
    top = pt.max(logs, axis=1, keepdims=True)
    integrals = pt.log(pt.sum(pt.exp(logs - top), axis=1)) + top[:, 0]
    return pt.sum(patterns.count * integrals) - _all_trials(patterns.trials, patterns.count, icc)


def _explicit(
    passes: npt.NDArray[np.int64],
    trials: npt.NDArray[np.int64],
    effect: Any,
    shift: Any,
    icc: Any,
) -> Any:
    """Log likelihood given task effects: a short sum of logarithms for each cell."""
    import pytensor.tensor as pt

    task, system = np.nonzero(trials > 0)
    x = effect[task] + shift[system]
    total = -_all_trials(trials, np.ones(len(trials)), icc)
    for sign, counts in ((1.0, passes[task, system]), (-1.0, (trials - passes)[task, system])):
        logs = -pt.softplus(-sign * x)
        first = (counts > 0).astype(float)
        total = total + pt.sum(first * logs) + first.sum() * pt.log1p(-icc)
        most = int(counts.max(initial=0))
        which = [np.flatnonzero(counts > j) for j in range(1, most)]
        if which:
            steps = np.repeat(np.arange(1.0, most), [each.size for each in which])
            base = pt.exp(logs) * (1.0 - icc)
            total = total + pt.sum(pt.log(base[np.concatenate(which)] + steps * icc))
    return total


def _all_trials(trials: npt.NDArray[np.int64], count: Any, icc: Any) -> Any:
    """The part of the log likelihood that depends on the numbers of rollouts only."""
    import pytensor.tensor as pt

    j = np.arange(float(trials.max()))
    exceeding = np.array([float(np.sum(count[:, None] * (trials > at))) for at in j])
    return pt.sum(exceeding * pt.log((1.0 - icc) + j * icc))
