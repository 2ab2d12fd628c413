"""Standard errors that respect tasks: clustered SE, design effect, effective tasks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._cells import NO_SCORED_TASK, ScoredCells, mean_and_se, scored_cells
from bayeseval._validate import shown
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["ClusterSummary", "clustered_se", "kish_n_eff"]

_ONE_TASK = "it needs more than one task"
_ONE_ROLLOUT = "it needs a task with more than one scored rollout"
_ALL_EQUAL = "every rollout has the same outcome"
_NO_SPREAD = "the clustered standard error is 0, since every task has the same rate"


@dataclass(frozen=True, slots=True, repr=False)
class ClusterSummary:
    """Pass rate with standard errors that ignore tasks, and that respect them.

    Every quantity that the data do not define is `Unknown` with its reason.

    Parameters
    ----------
    n_tasks : int
        Tasks with at least one scored rollout (m).
    n_rollouts : int
        Scored rollouts (N).
    n_unscored : int
        Tasks left out because none of their rollouts was scored.
    rate : float or Unknown
        All passes / all scored rollouts (p).
    task_mean : float or Unknown
        Mean of the tasks' own rates; differs from `rate` where rollouts are unequal.
    se_naive_bernoulli, se_naive_clt : float or Unknown
        sqrt(p (1 - p) / N), and the same with N - 1: right only for independent
        rollouts, so too small for several rollouts per task.
    se_clustered_miller : float or Unknown
        Clustered standard error of `rate` after Miller (2024): `se_naive_clt`
        squared plus the cross terms within tasks / N^2.
    se_cluster_cr0, se_cluster_cr1 : float or Unknown
        Cluster-robust standard errors of `rate`: without, and with the factor
        m / (m - 1) on the variance.
    se_task_means : float or Unknown
        Standard error of `task_mean`: sample standard deviation of rates / sqrt(m).
    msb, msw : float or Unknown
        Mean squares between and within tasks, about `rate`.
    k0 : float or Unknown
        Rollouts per task as the analysis of variance counts them:
        (N - sum n_i^2 / N) / (m - 1).
    icc_anova : float or Unknown
        (msb - msw) / (msb + (k0 - 1) msw): the intraclass correlation; below 0 where
        tasks differ less than luck alone would make them.
    mean_trials : float or Unknown
        N / m.
    weighted_trials : float or Unknown
        sum n_i^2 / N: rollouts of the task that a typical rollout belongs to.
    """

    n_tasks: int
    n_rollouts: int
    n_unscored: int
    rate: float | Unknown
    task_mean: float | Unknown
    se_naive_bernoulli: float | Unknown
    se_naive_clt: float | Unknown
    se_clustered_miller: float | Unknown
    se_cluster_cr0: float | Unknown
    se_cluster_cr1: float | Unknown
    se_task_means: float | Unknown
    msb: float | Unknown
    msw: float | Unknown
    k0: float | Unknown
    icc_anova: float | Unknown
    mean_trials: float | Unknown
    weighted_trials: float | Unknown

    @property
    def icc_anova_clipped(self) -> float | Unknown:
        """`icc_anova`, at least 0."""
        return _map(lambda icc: max(icc, 0.0), self.icc_anova)

    @property
    def design_effect_icc(self) -> float | Unknown:
        """1 + (weighted_trials - 1) * icc_anova: variance against independent rollouts."""
        return _map(_design_effect, self.weighted_trials, self.icc_anova)

    @property
    def design_effect_icc_clipped(self) -> float | Unknown:
        """`design_effect_icc` from the clipped correlation: at least 1."""
        return _map(_design_effect, self.weighted_trials, self.icc_anova_clipped)

    @property
    def ess_icc_clipped(self) -> float | Unknown:
        """Independent rollouts worth as much: N / `design_effect_icc_clipped`."""
        return _map(lambda effect: self.n_rollouts / effect, self.design_effect_icc_clipped)

    @property
    def design_effect_cr1(self) -> float | Unknown:
        """CR1 variance / the variance of independent rollouts."""
        return _map(lambda ess: self.n_rollouts / ess, self.ess_cr1)

    @property
    def ess_cr1(self) -> float | Unknown:
        """Independent rollouts worth as much: p (1 - p) / CR1 variance."""
        return self._ess(self.se_cluster_cr1)

    @property
    def ess_cr0(self) -> float | Unknown:
        """Independent rollouts worth as much: p (1 - p) / CR0 variance."""
        return self._ess(self.se_cluster_cr0)

    def _ess(self, se: float | Unknown) -> float | Unknown:
        if isinstance(se, Unknown) or isinstance(self.se_naive_bernoulli, Unknown):
            return se
        if se == 0:
            return Unknown(_NO_SPREAD if self.n_tasks > 1 else _ONE_TASK)
        return self.n_rollouts * (self.se_naive_bernoulli / se) ** 2

    def __repr__(self) -> str:
        def show(value: float | Unknown) -> str:
            return "UNKNOWN" if isinstance(value, Unknown) else f"{value:.4g}"

        return (
            f"ClusterSummary(rate={show(self.rate)}, se_cluster_cr1={show(self.se_cluster_cr1)}, "
            f"ess_cr1={show(self.ess_cr1)}, icc_anova={show(self.icc_anova)}, "
            f"n_tasks={self.n_tasks}, n_rollouts={self.n_rollouts})"
        )


def clustered_se(rollouts: Rollouts) -> ClusterSummary:
    """Clustered standard errors, design effects, effective size and ANOVA ICC of a suite.

    Parameters
    ----------
    rollouts : Rollouts
        The suite. Tasks without a scored rollout are left out and counted.

    Returns
    -------
    ClusterSummary
        `se_cluster_cr1` is the standard error to quote for the rate, and `ess_cr1`
        the number of independent rollouts that would know as much.

    Raises
    ------
    InputError
        If `rollouts` is not a `Rollouts`.

    Notes
    -----
    With residuals r = y - p of the N rollouts about the pooled rate p, and R_i their
    sum over task i [1]_:

        CR0 = sum R_i^2 / N^2        CR1 = CR0 * m / (m - 1)
        Miller = p (1 - p) / (N - 1) + sum_i sum_{j != l} r_ij r_il / N^2

    Effective size has two definitions that differ: `ess_cr1` from the cluster-robust
    variance, `ess_icc_clipped` from the intraclass correlation. Cost does not grow
    with the number of tasks.

    References
    ----------
    .. [1] Miller, E. (2024). Adding error bars to evals: a statistical approach to
       language model evaluations. https://doi.org/10.48550/arXiv.2411.00640

    Examples
    --------
    50 tasks of 4 rollouts know about as much as 55 independent rollouts, not 200:

    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, [4] * 50)
    >>> found = be.clustered_se(suite)
    >>> round(found.se_naive_bernoulli, 4), round(found.se_cluster_cr1, 4)
    (0.0337, 0.0643)
    >>> round(found.ess_cr1, 2)
    55.05
    """
    cells = scored_cells(rollouts)
    if cells.n_tasks == 0:
        nothing = Unknown(NO_SCORED_TASK)
        return ClusterSummary(0, 0, cells.n_unscored, *(nothing,) * 14)
    n_tasks = cells.n_tasks
    n_rollouts = int(cells.count @ cells.trials)
    n_passes = int(cells.count @ cells.passes)
    rate = n_passes / n_rollouts
    trials = cells.trials.astype(float)
    task_mean, se_task_means = mean_and_se(cells.passes / trials, cells.count)
    # R_i is a difference of whole numbers over N, so tasks of equal rates give exactly 0.
    sums = _residual_sums(cells, n_passes, n_rollouts)
    cr0 = float(cells.count @ sums**2) / n_rollouts**2
    bernoulli = rate * ((n_rollouts - n_passes) / n_rollouts) / n_rollouts
    several = n_rollouts > 1
    # The sum over j != l is R_i^2 - sum_j r_ij^2; all r^2 together are N p (1 - p).
    miller = cr0 + bernoulli / (n_rollouts - 1) if several else 0.0
    weighted_trials = float(cells.count @ trials**2) / n_rollouts
    msb, msw, k0, icc = _anova(cells, sums, weighted_trials, n_passes, n_rollouts)
    one_rollout, one_task = Unknown("it needs more than one rollout"), Unknown(_ONE_TASK)
    return ClusterSummary(
        n_tasks=n_tasks,
        n_rollouts=n_rollouts,
        n_unscored=cells.n_unscored,
        rate=rate,
        task_mean=task_mean,
        se_naive_bernoulli=math.sqrt(bernoulli),
        se_naive_clt=(
            math.sqrt(bernoulli * n_rollouts / (n_rollouts - 1)) if several else one_rollout
        ),
        se_clustered_miller=math.sqrt(miller) if several else one_rollout,
        se_cluster_cr0=math.sqrt(cr0),
        se_cluster_cr1=math.sqrt(cr0 * n_tasks / (n_tasks - 1)) if n_tasks > 1 else one_task,
        se_task_means=one_task if se_task_means is None else se_task_means,
        msb=msb,
        msw=msw,
        k0=k0,
        icc_anova=icc,
        mean_trials=n_rollouts / n_tasks,
        weighted_trials=weighted_trials,
    )


def kish_n_eff(weights: npt.ArrayLike) -> float:
    """Kish's effective sample size of weighted items: (sum w)^2 / sum w^2.

    Parameters
    ----------
    weights : array_like of float, shape (n_items,)
        Weights of at least 0, not all 0; their scale does not matter.

    Returns
    -------
    float
        Between 1 and the number of items: so many equally weighted items have the
        same variance.

    Raises
    ------
    InputError
        If a weight is negative or not finite, or none is above 0.

    Examples
    --------
    >>> from bayeseval.baselines import kish_n_eff
    >>> kish_n_eff([1, 1, 1, 1])
    4.0
    >>> round(kish_n_eff([1, 2, 3]), 3)
    2.571
    """
    try:
        array = np.asarray(weights, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"weights must be numbers; got {shown(weights)}") from None
    if array.ndim != 1:
        raise InputError(f"weights must be one-dimensional; got shape {array.shape}")
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"weights must be finite and at least 0; got {array[at].item()!r} at position {at}"
        )
    if not array.any():
        raise InputError("weights must hold at least one number above 0")
    share = array / array.max()
    return float(share.sum() ** 2 / (share @ share))


def _residual_sums(cells: ScoredCells, n_passes: int, n_rollouts: int) -> npt.NDArray[np.float64]:
    """Sum of the residuals of each cell's task, R_i = c_i - n_i p, from whole numbers."""
    fits = int(cells.trials[-1]) * n_rollouts < 2**62
    passes, trials = (
        array if fits else array.astype(object) for array in (cells.passes, cells.trials)
    )
    scaled = passes * n_rollouts - trials * n_passes
    return np.asarray(scaled / n_rollouts, dtype=float)


def _anova(
    cells: ScoredCells,
    sums: npt.NDArray[np.float64],
    weighted_trials: float,
    n_passes: int,
    n_rollouts: int,
) -> tuple[float | Unknown, float | Unknown, float | Unknown, float | Unknown]:
    """Mean squares between and within tasks, k0, and the intraclass correlation."""
    if cells.n_tasks == 1:
        one_task = Unknown(_ONE_TASK)
        return one_task, one_task, one_task, one_task
    between, within = cells.n_tasks - 1, n_rollouts - cells.n_tasks
    k0 = (n_rollouts - weighted_trials) / between
    if within == 0:
        one_rollout = Unknown(_ONE_ROLLOUT)
        return one_rollout, one_rollout, k0, one_rollout
    fails = cells.trials - cells.passes
    msb = float(cells.count @ (sums**2 / cells.trials)) / between
    msw = float(cells.count @ (cells.passes * (fails / cells.trials))) / within
    if n_passes in (0, n_rollouts):
        return msb, msw, k0, Unknown(_ALL_EQUAL)
    return msb, msw, k0, (msb - msw) / (msb + (k0 - 1) * msw)


def _design_effect(weighted_trials: float, icc: float) -> float:
    return 1 + (weighted_trials - 1) * icc


def _map(function: Callable[..., float], *values: float | Unknown) -> float | Unknown:
    """Apply `function`, or pass on the first value that is UNKNOWN."""
    for value in values:
        if isinstance(value, Unknown):
            return value
    return function(*values)
