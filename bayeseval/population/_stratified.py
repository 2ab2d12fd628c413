"""Frequentist estimates for a population that the suite does not mirror."""

from __future__ import annotations

import html
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._cells import NO_SCORED_TASK
from bayeseval._format import format_percent, format_value
from bayeseval._interval import Interval
from bayeseval._validate import as_probability, as_reals, nearest_names, shown
from bayeseval._weights import Weights, as_weights
from bayeseval.baselines import kish_n_eff
from bayeseval.baselines._proportion import normal_quantile
from bayeseval.errors import BayesevalWarning, InputError
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts
from bayeseval.slices import split
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StratifiedEstimate", "WeightedEstimate", "stratified_rate", "weighted_rate"]

Array = npt.NDArray[np.float64]

# Below this share of the tasks, weights leave too little to rely on.
LEAST_SHARE = 0.25


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StratifiedEstimate:
    """Pass rate of a population of weighted slices, without a model.

    Parameters
    ----------
    estimate, se : float
        Weighted mean of the slices' pass rates, and its standard error.
    interval : Interval or Unknown
        ``estimate +- z se``, cut at 0 and 1; `Unknown` where the standard error is 0.
    unweighted : float
        Mean over all tasks: the estimate for a population that is mixed as the suite is.
    n_eff : float
        Kish's effective number of tasks.
    label : tuple of str
        The slices.
    n_tasks : ndarray of int, shape (n_slices,)
        Scored tasks of each.
    rate, weight : ndarray, shape (n_slices,)
        Mean over tasks of the task's share of passes, and the slice's share of the
        population.
    variance_share : ndarray or None, shape (n_slices,)
        Each slice's part of the variance; None where it is 0.
    item_weight : ndarray, shape (n_slices,)
        Weight of each task of the slice: its share in the population over that in the suite.
    ci_prob : float
        Level of the interval.
    n_unscored : int
        Tasks left out because none of their rollouts was scored.
    """

    estimate: float
    se: float
    interval: Interval | Unknown
    unweighted: float
    n_eff: float
    label: tuple[str, ...]
    n_tasks: npt.NDArray[np.int64]
    rate: Array
    weight: Array
    variance_share: Array | None
    item_weight: Array
    ci_prob: float
    n_unscored: int

    def __repr__(self) -> str:
        return (
            f"StratifiedEstimate({format_percent(self.estimate)}, se "
            f"{100 * self.se:.2f} points, n_eff {self.n_eff:.0f} of "
            f"{int(self.n_tasks.sum()):,} tasks; unweighted {format_percent(self.unweighted)}"
            f"{_left_out(self.n_unscored)})"
        )

    def _repr_html_(self) -> str:
        return f"<div>{html.escape(repr(self))}{self.to_pandas().to_html()}</div>"

    def to_pandas(self) -> pd.DataFrame:
        """The slices as a pandas frame, with unrounded numbers."""
        import pandas as pd

        share = self.variance_share
        return pd.DataFrame(
            {
                "weight": self.weight,
                "n_tasks": self.n_tasks,
                "rate": self.rate,
                "variance_share": np.nan if share is None else share,
                "item_weight": self.item_weight,
            },
            index=pd.Index(self.label, name="slice"),
        )


def stratified_rate(
    rollouts: Rollouts,
    *,
    by: str | Sequence[str],
    weights: Weights | Mapping[Any, float],
    ci_prob: float = 0.95,
) -> StratifiedEstimate:
    """Stratified estimate of the pass rate in a population of weighted slices.

    Parameters
    ----------
    rollouts : Rollouts
        The suite; tasks without a scored rollout are left out.
    by : str or sequence of str
        The factors that make the slices.
    weights : Weights or mapping of str to float
        Share of each slice in the population.
    ci_prob : float, default 0.95
        Level of the interval.

    Returns
    -------
    StratifiedEstimate

    Raises
    ------
    InputError
        A slice with a weight but no task, a slice without a weight, weights that do not
        sum to 1, a slice without a scored rollout.

    Notes
    -----
    With w_h the weights, y_i the share of passes of task i, and m_h tasks in slice h::

        estimate = sum_h w_h mean_h(y),  se^2 = sum_h w_h^2 var_h(y) / m_h

    where the variance has the divisor m_h: for one rollout per task it is p (1 - p) / m_h.
    It is 0 where all tasks of each slice agree, and too small for few tasks; the posterior
    of `SlicedFit.pass_rate` is not.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd ed., chapter 5. Kish (1965), Survey Sampling.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts(
    ...     [1] * 120 + [0] * 80 + [1] * 95 + [0] * 5,
    ...     1,
    ...     factors={"slice": ["joins"] * 200 + ["lookups"] * 100},
    ... )
    >>> found = be.stratified_rate(suite, by="slice", weights={"joins": 0.2, "lookups": 0.8})
    >>> found
    StratifiedEstimate(88.0 %, se 1.88 points, n_eff 152 of 300 tasks; unweighted 71.7 %)
    >>> found.variance_share.round(2).tolist()
    [0.14, 0.86]
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    slices = split(rollouts, by)
    aligned = as_weights(weights).align(tuple(slices))
    aligned.require_support()
    values = [part.passes[part.scored] / part.trials[part.scored] for part in slices.values()]
    n_tasks = np.array([each.size for each in values], dtype=np.int64)
    rate = np.array([each.mean() for each in values])
    weight = np.array(aligned.shares)
    parts = weight**2 * np.array([each.var() for each in values]) / n_tasks
    variance = float(parts.sum())
    total = int(n_tasks.sum())
    item = weight / (n_tasks / total)
    estimate, se = float(weight @ rate), variance**0.5
    return StratifiedEstimate(
        estimate,
        se,
        _normal(estimate, se, level),
        float(n_tasks @ rate) / total,
        kish_n_eff(np.repeat(item, n_tasks)),
        tuple(slices),
        n_tasks,
        rate,
        weight,
        parts / variance if variance > 0 else None,
        item,
        level,
        rollouts.n_tasks - total,
    )


@dataclass(frozen=True, slots=True, repr=False)
class WeightedEstimate:
    """Pass rate of a population whose tasks are weighted one by one.

    Parameters
    ----------
    estimate, se : float
        Weighted mean of the tasks' shares of passes, and its linearized standard error.
    interval : Interval or Unknown
        ``estimate +- z se``, cut at 0 and 1; `Unknown` where the standard error is 0.
    unweighted : float
        The same with equal weights.
    n_eff : float
        Kish's effective number of tasks, (sum w)^2 / sum w^2.
    n_tasks : int
        Scored tasks.
    n_unscored : int
        Tasks left out because none of their rollouts was scored.
    """

    estimate: float
    se: float
    interval: Interval | Unknown
    unweighted: float
    n_eff: float
    n_tasks: int
    n_unscored: int

    def __repr__(self) -> str:
        limits = "interval UNKNOWN"
        if isinstance(self.interval, Interval):
            ends = format_value((self.interval.lower, self.interval.upper), "percent")
            limits = f"{100 * self.interval.ci_prob:g} % interval {ends}"
        return (
            f"WeightedEstimate({format_percent(self.estimate)}, {limits}, n_eff "
            f"{self.n_eff:.1f} of {self.n_tasks:,} tasks; unweighted "
            f"{format_percent(self.unweighted)}{_left_out(self.n_unscored)})"
        )


def weighted_rate(
    rollouts: Rollouts, weights: str | npt.ArrayLike, *, ci_prob: float = 0.95
) -> WeightedEstimate:
    """Pass rate of a population P from tasks that were drawn from another, Q.

    Parameters
    ----------
    rollouts : Rollouts
        The suite; tasks without a scored rollout are left out, with their weights.
    weights : str or array_like, shape (n_tasks,)
        Weight w(x) = P(x) / Q(x) of each task, up to a common factor, in the order of
        ``rollouts.task``; or the name of a factor that holds them.
    ci_prob : float, default 0.95
        Level of the interval.

    Returns
    -------
    WeightedEstimate

    Raises
    ------
    InputError
        Weights that are negative, not finite or all 0, or of the wrong number.

    Warns
    -----
    BayesevalWarning
        If the effective number of tasks is less than a quarter of their number: few
        tasks then carry the answer.

    Notes
    -----
    With y_i the task's share of passes and W = sum w_i::

        estimate = sum w_i y_i / W,  se^2 = sum (w_i / W)^2 (y_i - estimate)^2

    References
    ----------
    Kish (1965), Survey Sampling, section 11.7. Saerndal, Swensson and Wretman (1992), Model
    Assisted Survey Sampling, result 5.7.1.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([1, 0, 1, 1, 0], 1)
    >>> be.weighted_rate(suite, [1, 2, 0.5, 3, 1])
    WeightedEstimate(60.0 %, 95 % interval 11.5-100.0 %, n_eff 3.7 of 5 tasks; unweighted 60.0 %)
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    scored = as_rollouts(rollouts).scored
    if not scored.any():
        raise InputError(NO_SCORED_TASK)
    weight = _item_weights(rollouts, weights)[scored]
    total = float(weight.sum())
    if total <= 0.0:
        raise InputError("weights are 0 for every scored task: nothing is left to estimate from")
    rate = rollouts.passes[scored] / rollouts.trials[scored]
    estimate = float(weight @ rate) / total
    se = float(np.sqrt(np.sum((weight / total) ** 2 * (rate - estimate) ** 2)))
    n_eff = kish_n_eff(weight)
    if n_eff < LEAST_SHARE * weight.size:
        warnings.warn(
            f"the weights leave {n_eff:.1f} effective tasks of {weight.size:,}: few tasks carry "
            "the answer; add tasks like those with the largest weights",
            BayesevalWarning,
            stacklevel=2,
        )
    return WeightedEstimate(
        estimate,
        se,
        _normal(estimate, se, level),
        float(rate.mean()),
        n_eff,
        int(weight.size),
        int(np.count_nonzero(~scored)),
    )


def _item_weights(rollouts: Rollouts, weights: str | npt.ArrayLike) -> Array:
    if isinstance(weights, str):
        if weights not in rollouts.factors:
            known = ", ".join(repr(name) for name in rollouts.factors) or "none"
            raise InputError(
                f"the suite has no factor {shown(weights)}"
                f"{nearest_names(weights, rollouts.factors)}; its factors: {known}"
            )
        return _factor_weights(rollouts, weights)
    try:
        values = as_reals(weights, "weights")
    except InputError:
        raise InputError(
            f"weights must hold a number for each task; got {shown(weights)}"
        ) from None
    if values.shape != (rollouts.n_tasks,):
        raise InputError(
            f"weights must hold one number for each of {rollouts.n_tasks:,} tasks; got shape "
            f"{values.shape}"
        )
    return _checked(rollouts, values)


def _factor_weights(rollouts: Rollouts, name: str) -> Array:
    values = np.empty(rollouts.n_tasks)
    for at, value in enumerate(rollouts.factors[name].tolist()):
        try:
            values[at] = value
        except (TypeError, ValueError):
            raise InputError(
                f"factor {name!r} must hold a weight for each task; got {shown(value)} for task "
                f"{rollouts.task.tolist()[at]!r}"
            ) from None
    return _checked(rollouts, values)


def _checked(rollouts: Rollouts, values: Array) -> Array:
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"weights must be finite and not negative; got {values[at]} for task "
            f"{rollouts.task.tolist()[at]!r}"
        )
    return values


def _left_out(n_unscored: int) -> str:
    return f"; {n_unscored:,} without a scored rollout left out" if n_unscored else ""


def _normal(estimate: float, se: float, ci_prob: float) -> Interval | Unknown:
    if se == 0.0:
        return Unknown("the standard error is 0: all tasks that count agree")
    reach = normal_quantile(0.5 * (1.0 - ci_prob)) * se
    return Interval(max(estimate - reach, 0.0), min(estimate + reach, 1.0), ci_prob, "normal")
