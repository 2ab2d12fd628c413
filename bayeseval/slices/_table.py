"""The table of slices: raw rates, baselines and posteriors side by side."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_percent, format_value
from bayeseval._interval import Interval
from bayeseval.baselines import cluster_bootstrap, interval
from bayeseval.hierarchical import Fit
from bayeseval.posterior import Posterior
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LEAST_TASKS", "WIDEST", "SliceTable", "slice_table"]

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# A slice with fewer tasks, or with a wider interval, carries no claim of its own.
LEAST_TASKS = 10
WIDEST = 0.3
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SliceTable:
    """Pass rates of slices on new tasks.

    Parameters
    ----------
    label : tuple of str
        The slices.
    n_tasks, n_rollouts, passes, errored : ndarray of int, shape (n_slices,)
        Scored tasks and rollouts, passed rollouts, and rollouts without a score.
    raw_rate : ndarray, shape (n_slices,)
        Mean over tasks of the share of rollouts that passed.
    wilson, bootstrap, interval : ndarray, shape (n_slices, 2)
        Wilson interval of the pooled rollouts (right for one rollout per task only),
        whole-task bootstrap, and equal-tailed credible interval.
    mean : ndarray, shape (n_slices,)
        Posterior mean of the pass rate of a new task.
    small : ndarray of bool, shape (n_slices,)
        Whether the slice is too small to carry a claim: fewer than 10 tasks, or a
        credible interval wider than 30 points.
    ci_prob : float
        Level of the intervals.
    """

    label: tuple[str, ...]
    n_tasks: Counts
    n_rollouts: Counts
    passes: Counts
    errored: Counts
    raw_rate: Array
    wilson: Array
    bootstrap: Array
    mean: Array
    interval: Array
    small: npt.NDArray[np.bool_]
    ci_prob: float

    def __repr__(self) -> str:
        small = int(self.small.sum())
        weak = f", {small:,} too small to carry a claim" if small else ""
        return (
            f"SliceTable({len(self.label):,} slices, {int(self.n_tasks.sum()):,} tasks, pass rates "
            f"{format_percent(self.mean.min())} to {format_percent(self.mean.max())}{weak})"
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas frame, indexed by slice, with unrounded numbers."""
        import pandas as pd

        columns: dict[str, npt.NDArray[np.generic]] = {
            name: getattr(self, name)
            for name in ("n_tasks", "n_rollouts", "passes", "errored", "raw_rate")
        }
        for name in ("wilson", "bootstrap"):
            limits = getattr(self, name)
            columns |= {f"{name}_lower": limits[:, 0], f"{name}_upper": limits[:, 1]}
        columns |= {
            "mean": self.mean,
            "lower": self.interval[:, 0],
            "upper": self.interval[:, 1],
            "small": self.small,
        }
        return pd.DataFrame(columns, index=pd.Index(self.label, name="slice"))

    def to_html(self) -> str:
        """The table as HTML."""
        head = "".join(
            f"<th>{name}</th>"
            for name in ("slice", "tasks", "raw", "Wilson", "bootstrap", "posterior", "")
        )
        rows = []
        for at, label in enumerate(self.label):
            limits = (
                f"<td>{format_value(_pair(values[at]), 'percent')}</td>"
                for values in (self.wilson, self.bootstrap)
            )
            rows.append(
                f"<tr><td>{html.escape(label)}</td><td>{self.n_tasks[at]:,}</td>"
                f"<td>{format_percent(self.raw_rate[at])}</td>{''.join(limits)}"
                f"<td>{format_percent(self.mean[at])} "
                f"({format_value(_pair(self.interval[at]), 'percent')})</td>"
                f"<td>{'too small' if self.small[at] else ''}</td></tr>"
            )
        return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def slice_table(
    slices: Mapping[str, Fit], rates: Sequence[Posterior], seed: int, ci_prob: float
) -> SliceTable:
    """Make the table of slices from the posteriors of their pass rates."""
    size = len(slices)
    counts = {
        name: np.zeros(size, dtype=np.int64) for name in ("tasks", "rollouts", "passes", "errored")
    }
    raw, mean = np.empty(size), np.empty(size)
    wilson, bootstrap, limits = np.empty((size, 2)), np.empty((size, 2)), np.empty((size, 2))
    for at, (fit, rate) in enumerate(zip(slices.values(), rates, strict=True)):
        suite = fit.rollouts
        counts["tasks"][at], counts["rollouts"][at] = fit.cells.n_tasks, suite.n_rollouts
        counts["passes"][at], counts["errored"][at] = suite.passes.sum(), suite.ledger.errored
        found = cluster_bootstrap(
            suite, ci_prob=ci_prob, n_resamples=RESAMPLES, rng=np.random.default_rng([seed, at])
        )
        raw[at], bootstrap[at] = found.estimate, _limits(found.interval)
        wilson[at] = _limits(
            interval(int(suite.passes.sum()), suite.n_rollouts, method="wilson", ci_prob=ci_prob)
        )
        mean[at], limits[at] = rate.mean, tuple(rate.eti(ci_prob))
    wide = limits[:, 1] - limits[:, 0] > WIDEST
    return SliceTable(
        tuple(slices),
        counts["tasks"],
        counts["rollouts"],
        counts["passes"],
        counts["errored"],
        raw,
        wilson,
        bootstrap,
        mean,
        limits,
        wide | (counts["tasks"] < LEAST_TASKS),
        ci_prob,
    )


def _limits(found: Interval | Unknown) -> tuple[float, float]:
    return (np.nan, np.nan) if isinstance(found, Unknown) else (found.lower, found.upper)


def _pair(limits: Array) -> tuple[float, float]:
    return float(limits[0]), float(limits[1])
