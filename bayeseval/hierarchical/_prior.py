"""HierarchicalPrior: a Beta on the mean pass rate, and a prior on how tasks differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._special import log_beta, log_expit
from bayeseval._validate import as_kind, as_number, as_positive, one_of, shown
from bayeseval.errors import InputError

__all__ = ["HierarchicalPrior"]

Array = npt.NDArray[np.float64]
PriorName = Literal["uniform", "arcsine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchicalPrior:
    """Prior of the hierarchical model.

    Parameters
    ----------
    mean : (float, float), default (1, 1)
        Beta parameters of the prior on the mean pass rate of a new task.
    icc : (float, float), optional
        Beta parameters of the prior on the intraclass correlation (ICC), 0-1. The
        default is (1, 1), uniform, unless `log_kappa` is given.
    log_kappa : (float, float), optional
        Instead of `icc`: mean and standard deviation of a normal prior on log kappa,
        kappa = (1 - ICC) / ICC.

    Notes
    -----
    Both default priors are uniform on quantities that a user can read: a rate, and
    the share of outcome variance that lies between tasks.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.HierarchicalPrior.named("arcsine")
    HierarchicalPrior(mean ~ Beta(1, 1), ICC ~ Beta(0.5, 0.5))
    """

    mean: tuple[float, float] = (1.0, 1.0)
    icc: tuple[float, float] | None = None
    log_kappa: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", _beta_pair(self.mean, "mean"))
        if self.log_kappa is not None:
            if self.icc is not None:
                raise InputError("give either icc or log_kappa, not both")
            centre, spread = _pair(self.log_kappa, "log_kappa")
            pair = (as_number(centre, "log_kappa"), as_positive(spread, "log_kappa sd"))
            object.__setattr__(self, "log_kappa", pair)
        else:
            pair = (1.0, 1.0) if self.icc is None else self.icc
            object.__setattr__(self, "icc", _beta_pair(pair, "icc"))

    @classmethod
    def named(cls, name: PriorName) -> HierarchicalPrior:
        """Prior by name.

        Parameters
        ----------
        name : {"uniform", "arcsine"}
            ``"uniform"``: uniform mean and ICC, the default. ``"arcsine"``: ICC ~
            Beta(1/2, 1/2), which expects tasks to be alike or all-or-nothing.
        """
        one_of(name, PriorName, "prior")
        return cls(icc=(1.0, 1.0) if name == "uniform" else (0.5, 0.5))

    @property
    def kappa_mean_is_infinite(self) -> bool:
        """True where kappa has no finite mean, so that only its quantiles may be shown."""
        return self.icc is not None and self.icc[0] <= 1.0

    @property
    def formula(self) -> str:
        """The prior as a formula."""
        spread = (
            f"ICC ~ {_beta_text(self.icc)}"
            if self.log_kappa is None
            else f"log kappa ~ Normal({self.log_kappa[0]:g}, {self.log_kappa[1]:g})"
        )
        return f"mean ~ {_beta_text(self.mean)}, {spread}"

    def __repr__(self) -> str:
        return f"HierarchicalPrior({self.formula})"

    # -- on the logit scale: x = logit(mean), y = logit(ICC) = -log(kappa) ---------

    def log_density_x(self, log_mean: Array, log_rest: Array) -> Array:
        """Log prior density of x = logit(mean), given log(mean) and log(1 - mean)."""
        a, b = self.mean
        return np.asarray(a * log_mean + b * log_rest - _log_beta(a, b))

    def log_density_y(self, y: Array) -> Array:
        """Log prior density of y = logit(ICC) = -log(kappa)."""
        if self.log_kappa is None:
            assert self.icc is not None
            return _logit_beta(y, self.icc)
        centre, spread = self.log_kappa
        return np.asarray(
            -0.5 * ((-y - centre) / spread) ** 2 - np.log(spread) - 0.5 * np.log(2 * np.pi)
        )

    @property
    def x_limit(self) -> float:
        """Half width of a window for x outside which the density is negligible."""
        return _reach(self.mean)

    @property
    def y_limit(self) -> float:
        """Half width of a window for y outside which the density is negligible."""
        if self.log_kappa is None:
            assert self.icc is not None
            return _reach(self.icc)
        centre, spread = self.log_kappa
        return abs(centre) + 14.0 * spread


def as_hierarchical_prior(prior: HierarchicalPrior | None) -> HierarchicalPrior:
    """Return the prior, or the default one for None."""
    return HierarchicalPrior() if prior is None else as_kind(prior, HierarchicalPrior, "prior")


def _pair(value: tuple[float, float], argument: str) -> tuple[float, float]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise InputError(f"{argument} must be a pair of numbers; got {shown(value)}") from None
    return first, second


def _beta_pair(value: tuple[float, float], argument: str) -> tuple[float, float]:
    first, second = _pair(value, argument)
    return as_positive(first, argument), as_positive(second, argument)


def _beta_text(pair: tuple[float, float] | None) -> str:
    assert pair is not None
    return f"Beta({pair[0]:g}, {pair[1]:g})"


def _logit_beta(z: Array, pair: tuple[float, float]) -> Array:
    """Log density of the logit of a Beta variable."""
    a, b = pair
    log_p, log_q = log_expit(z)
    return np.asarray(a * log_p + b * log_q - _log_beta(a, b))


@lru_cache
def _log_beta(alpha: float, beta: float) -> float:
    """A constant that every evaluation of the density needs."""
    return float(log_beta(alpha, beta))


def _reach(pair: tuple[float, float]) -> float:
    # The density of the logit falls at least like exp(-|z| min(a, b)); 100 of those
    # units are more than the panels keep, and 600 is where double precision ends.
    return min(max(100.0 / min(*pair, 1.0), 100.0), 600.0)
