"""Posterior: what can be asked of an unknown quantity, whatever made the answer."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_value
from bayeseval._interval import Interval
from bayeseval._validate import (
    IntervalKind,
    Population,
    Seed,
    as_array,
    as_number,
    as_probability,
    one_of,
    shown,
)
from bayeseval.errors import InputError
from bayeseval.unknown import Unknown

__all__ = ["About", "Posterior", "logit"]

Array = npt.NDArray[np.float64]
Unit = Literal["percent", "number", "points"]


def logit(x: Array | float) -> Array:
    """Log odds; -inf at 0 and inf at 1."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x) - np.log1p(-np.asarray(x)))


@dataclass(frozen=True, slots=True)
class About:
    """What a posterior is a posterior of.

    Parameters
    ----------
    quantity : str
        The quantity in words, such as ``"pass rate"`` or ``"pass^3"``.
    engine : str
        What made it: ``"conjugate"``, ``"exact"`` or ``"nuts"``.
    population : {"new_tasks", "suite", "next_run"}, optional
        Which population it speaks of.
    n_tasks : int, optional
        Number of tasks that it rests on.
    unit : {"percent", "number", "points"}, default "percent"
        How it is printed: a rate in per cent, a plain number, or percentage points.
    extrapolated : bool, default False
        True where the answer lies beyond the data (k above the rollouts of every task)
        and rests on the shape of the model.
    note : str, optional
        One sentence that a reader must see beside the number.
    """

    quantity: str = "pass rate"
    engine: str = "conjugate"
    population: Population | None = None
    n_tasks: int | None = None
    unit: Unit = "percent"
    extrapolated: bool = False
    note: str = ""


class Posterior(ABC):
    """Posterior distribution of one quantity.

    A closed Beta, a mixture of Betas, an integrated grid, draws and a discrete
    prediction all answer the same questions. Quantities live on ``support``:
    [0, 1], or [-1, 1] for a difference.

    Attributes
    ----------
    about : About
        What the quantity is, which population and engine, and how many tasks.
    support : tuple of float
        Smallest and largest value that the quantity can take.
    """

    about: About
    support: tuple[float, float] = (0.0, 1.0)

    # -- what an implementation provides ------------------------------------------

    @property
    @abstractmethod
    def mean(self) -> float:
        """Posterior mean."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """Posterior standard deviation."""

    @abstractmethod
    def _below(self, x: Array) -> Array:
        """Pr[quantity <= x], computed as itself."""

    @abstractmethod
    def _above(self, x: Array) -> Array:
        """Pr[quantity > x], computed as itself."""

    # Where single values carry probability, < and <= differ: override these two.
    def _strictly_below(self, x: Array) -> Array:
        """Pr[quantity < x]."""
        return self._below(x)

    def _at_least(self, x: Array) -> Array:
        """Pr[quantity >= x]."""
        return self._above(x)

    @abstractmethod
    def _density(self, x: Array) -> Array:
        """Density (or probability mass, where the quantity is discrete)."""

    @abstractmethod
    def _quantile(self, q: Array) -> Array:
        """Smallest value with cumulative probability of at least q."""

    @abstractmethod
    def sample(self, size: int, rng: Seed = None) -> Array:
        """Independent draws from the posterior, shape (size,)."""

    # -- what everybody may ask ---------------------------------------------------

    @property
    def engine(self) -> str:
        """What made the posterior: ``"conjugate"``, ``"exact"`` or ``"nuts"``."""
        return self.about.engine

    @property
    def extrapolated(self) -> bool:
        """True where the answer lies beyond the data and rests on the model's shape."""
        return self.about.extrapolated

    @property
    def median(self) -> float:
        """Posterior median."""
        return float(self.quantile(0.5))

    def quantile(self, q: npt.ArrayLike) -> Any:
        """Quantile of the posterior.

        Parameters
        ----------
        q : float or array_like
            Cumulative probability, 0-1.

        Returns
        -------
        float or ndarray
            The value below which the quantity lies with probability `q`.
        """
        levels = as_array(q, "q")
        if np.any(~((levels >= 0) & (levels <= 1))):
            raise InputError(f"q must be between 0 and 1; got {shown(q)}")
        return self._scalar_or_array(self._quantile, levels)

    def cdf(self, x: npt.ArrayLike) -> Any:
        """Pr[quantity <= x], for a number or an array."""
        return self._scalar_or_array(self._below, as_array(x, "x"))

    def pdf(self, x: npt.ArrayLike) -> Any:
        """Posterior density at x (probability mass where the quantity is discrete)."""
        return self._scalar_or_array(self._density, as_array(x, "x"))

    def prob_above(self, threshold: float) -> float:
        """Pr[quantity > threshold], computed as itself: 1e-30 stays 1e-30.

        Parameters
        ----------
        threshold : float
            A value inside the support: 0-1 for a rate, -1 to 1 for a difference.
        """
        return self._at(self._above, threshold)

    def prob_below(self, threshold: float) -> float:
        """Pr[quantity < threshold], computed as itself and never as 1 - prob_above.

        Parameters
        ----------
        threshold : float
            A value inside the support: 0-1 for a rate, -1 to 1 for a difference.
        """
        return self._at(self._strictly_below, threshold)

    def prob_between(self, lower: float, upper: float) -> float:
        """Pr[lower < quantity < upper], such as a region of practical equivalence."""
        low, high = self._threshold(lower, "lower"), self._threshold(upper, "upper")
        if low > high:
            raise InputError(f"lower must not exceed upper; got {shown(lower)} and {shown(upper)}")
        below, above = self._at(self._below, low), self._at(self._at_least, high)
        # Difference the tails on the side where both are small.
        if (below_upper := self._at(self._strictly_below, high)) <= 0.5:
            return max(below_upper - below, 0.0)
        if (above_lower := self._at(self._above, low)) <= 0.5:
            return max(above_lower - above, 0.0)
        return max(1.0 - below - above, 0.0)

    def log_prob_above(self, threshold: float) -> float:
        """Natural logarithm of Pr[quantity > threshold]."""
        return _log_of(self._at(self._above, threshold), self._at(self._below, threshold))

    def log_prob_below(self, threshold: float) -> float:
        """Natural logarithm of Pr[quantity < threshold]."""
        return _log_of(
            self._at(self._strictly_below, threshold), self._at(self._at_least, threshold)
        )

    def eti(self, prob: float = 0.95) -> Interval:
        """Equal-tailed interval.

        Parameters
        ----------
        prob : float, default 0.95
            Posterior probability inside, strictly between 0 and 1.
        """
        level = as_probability(prob, "prob", open_ends=True)
        tail = 0.5 * (1.0 - level)
        lower, upper = self._quantile(np.array([tail, 1.0 - tail]))
        return Interval(float(lower), float(upper), level, "eti")

    def hdi(self, prob: float = 0.95) -> Interval | Unknown:
        """Highest-density interval: the shortest interval that holds `prob`.

        Where the density has one hump this is the region of highest density; where it
        is monotone the interval touches an end of the support.

        Parameters
        ----------
        prob : float, default 0.95
            Posterior probability inside, strictly between 0 and 1.

        Returns
        -------
        Interval or Unknown
            The central interval where the density is flat; `Unknown` where two intervals
            apart from each other are equally short, as in a symmetric density with two humps.

        Notes
        -----
        Found by search over the mass below the interval. The length is flat around its
        minimum, so that the limits are right to about 1e-8 of the length only.
        """
        level = as_probability(prob, "prob", open_ends=True)
        # The interval is [Q(u), Q(u + level)]; its length is searched over u.
        starts = np.linspace(0.0, 1.0 - level, 129)
        for turn in range(12):
            lower = self._quantile(starts)
            upper = self._quantile(np.minimum(starts + level, 1.0))
            width = upper - lower
            best = int(np.argmin(width))
            if turn == 0:
                shortest = np.flatnonzero(width <= width[best] * (1.0 + 1e-9))
                if shortest.size == starts.size:
                    return replace(self.eti(level), kind="hdi")
                if np.any(np.diff(shortest) > 1):
                    return Unknown("two intervals apart from each other are equally short")
            left, right = starts[max(best - 1, 0)], starts[min(best + 1, starts.size - 1)]
            if right - left < 1e-9:
                break
            starts = np.linspace(left, right, 33)
        return Interval(float(lower[best]), float(upper[best]), level, "hdi")

    def interval(self, ci_prob: float = 0.95, ci_kind: IntervalKind = "eti") -> Interval | Unknown:
        """Equal-tailed or highest-density interval, by name."""
        one_of(ci_kind, IntervalKind, "ci_kind")
        return self.eti(ci_prob) if ci_kind == "eti" else self.hdi(ci_prob)

    # -- Monte Carlo error: zero unless the answer rests on draws -----------------

    @property
    def mcse_mean(self) -> float:
        """Monte Carlo standard error of `mean`; 0 for an exact posterior."""
        return 0.0

    def mcse_quantile(self, q: float) -> float:
        """Monte Carlo standard error of `quantile`; 0 for an exact posterior."""
        as_probability(q, "q")
        return 0.0

    def mcse_prob_above(self, threshold: float) -> float:
        """Monte Carlo standard error of `prob_above`; 0 for an exact posterior."""
        self._threshold(threshold)
        return 0.0

    # -- display ------------------------------------------------------------------

    def _threshold(self, value: float, argument: str = "threshold") -> float:
        number = as_number(value, argument)
        low, high = self.support
        if not low <= number <= high:
            hint = " (a percentage? divide it by 100)" if high == 1 < abs(number) <= 100 else ""
            raise InputError(
                f"{argument} must be between {low:g} and {high:g}; got {shown(value)}{hint}"
            )
        return number

    def _at(self, probability: Callable[[Array], Array], threshold: float) -> float:
        return float(probability(np.array([self._threshold(threshold)]))[0])

    @staticmethod
    def _scalar_or_array(function: Any, x: Array) -> Any:
        result = function(np.atleast_1d(x).ravel())
        return float(result[0]) if x.ndim == 0 else np.asarray(result).reshape(x.shape)

    def _with_about(self, **changes: Any) -> About:
        return replace(self.about, **changes)

    def summary_text(self, ci_prob: float = 0.95) -> str:
        """Mean, interval with level and kind, and number of tasks, as one line."""
        ci_prob = as_probability(ci_prob, "ci_prob", open_ends=True)
        interval = self.eti(ci_prob)
        unit = self.about.unit
        limits = format_value((interval.lower, interval.upper), unit)
        size = "" if self.about.n_tasks is None else f", n = {self.about.n_tasks:,} tasks"
        mark = ", extrapolated" if self.extrapolated else ""
        value = format_value(self.mean, unit)
        return f"{value} ({ci_prob * 100:g} % CrI {limits}{size}{mark})"

    @property
    def title(self) -> str:
        """The quantity and its population in words."""
        where = {
            "new_tasks": " on new tasks",
            "suite": " on this suite",
            "next_run": " of the next run",
            None: "",
        }[self.about.population]
        return f"{self.about.quantity}{where}"

    def __repr__(self) -> str:
        return f"{self.title}: {self.summary_text()}"

    def _repr_html_(self) -> str:
        note = f"<br><small>{html.escape(self.about.note)}</small>" if self.about.note else ""
        return (
            f"<div><b>{html.escape(self.title)}</b> {html.escape(self.summary_text())}"
            f" <small>[{html.escape(self.engine)}]</small>{note}</div>"
        )


def _log_of(probability: float, complement: float) -> float:
    if probability > 0.5:
        return float(np.log1p(-complement))
    return float(np.log(probability)) if probability > 0 else -np.inf
