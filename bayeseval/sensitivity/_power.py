"""Power-scaling: how the draws of a fit answer to a stronger prior or likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bayeseval._validate import as_positive
from bayeseval.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from bayeseval.hierarchical import Fit

__all__ = ["PowerRow", "PowerScaling", "power_scaling"]

Array = npt.NDArray[np.float64]

# Draws of a log density that vary by less are those of a flat one.
FLAT = 1e-9


@dataclass(frozen=True, slots=True)
class PowerRow:
    """Sensitivity of one hyperparameter.

    Parameters
    ----------
    quantity : {"mean", "icc"}
        The mean rate of new tasks, or the intraclass correlation.
    prior, likelihood : float
        Change of its posterior as the prior, or the likelihood, is raised to a power near
        1: cumulative Jensen-Shannon distance per doubling of the power. NaN where the draws
        pile up at 0 or 1, as under a prior that is very heavy there.
    diagnosis : str
        How to read the two.
    """

    quantity: str
    prior: float
    likelihood: float
    diagnosis: str


@dataclass(frozen=True, slots=True, repr=False)
class PowerScaling:
    """Prior and likelihood sensitivity of mean and ICC.

    Made by `power_scaling`.

    Parameters
    ----------
    rows : tuple of PowerRow
        One for the mean rate, one for the ICC.
    threshold : float
        Sensitivities from this on count.
    flat_prior : bool
        Whether the prior is uniform on both, which no power changes: its sensitivity is
        then 0 and says nothing.
    """

    rows: tuple[PowerRow, ...]
    threshold: float
    flat_prior: bool

    def __getitem__(self, quantity: str) -> PowerRow:
        for row in self.rows:
            if row.quantity == quantity:
                return row
        raise KeyError(f"no row {quantity!r}; there are {', '.join(r.quantity for r in self.rows)}")

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame with unrounded numbers.

        Returns
        -------
        pandas.DataFrame
            Columns ``quantity``, ``prior``, ``likelihood`` and ``diagnosis``.
        """
        import pandas as pd

        names = ("quantity", "prior", "likelihood", "diagnosis")
        return pd.DataFrame({name: [getattr(row, name) for row in self.rows] for name in names})

    def __str__(self) -> str:
        return "\n".join(
            f"{row.quantity}: prior {row.prior:.3f}, likelihood {row.likelihood:.3f}: "
            f"{row.diagnosis}"
            for row in self.rows
        )

    def __repr__(self) -> str:
        found = ", ".join(
            f"{row.quantity}: prior {row.prior:.3f}, likelihood {row.likelihood:.3f}"
            for row in self.rows
        )
        return f"PowerScaling({found})"


def power_scaling(fit: Fit, *, threshold: float = 0.05) -> PowerScaling:
    """Prior and likelihood sensitivity of a fit by power-scaling of its draws.

    Nothing is fitted again: the draws are reweighted, by ArviZ (`arviz_stats.psense`). It
    looks at small changes of the prior that the fit has; for other priors altogether, see
    `prior_sensitivity`.

    Parameters
    ----------
    fit : Fit
        By NUTS, whose draws are used; or by the exact engine, from which draws are made.
    threshold : float, default 0.05
        Sensitivities from this on count; the default is that of the authors [1]_.

    Returns
    -------
    PowerScaling
        Rows ``"mean"`` and ``"icc"``, each with a diagnosis in words.

    Raises
    ------
    InputError
        If `fit` is no `Fit`.

    Notes
    -----
    The posterior proportional to p(theta)^a p(y | theta) is compared with the one at
    a = 1, for a near 1, and the same with the power on the likelihood. The sensitivity is
    the cumulative Jensen-Shannon distance between the two, divided by log2 of the power.

    ======== ========== ===========================================================
    prior    likelihood reading
    ======== ========== ===========================================================
    small    large      the data decide
    large    large      prior and data disagree, or the prior is informative
    large    small      a strong prior, or weak data
    small    small      the data hardly tell about this quantity
    ======== ========== ===========================================================

    A uniform density stays what it is under any power. Where the prior is uniform on both
    mean and ICC (the default), its sensitivity is 0 by construction.

    References
    ----------
    .. [1] Kallioinen, Paananen, Bürkner and Vehtari (2024), Detecting and diagnosing prior
       and likelihood sensitivity with power-scaling, Statistics and Computing 34, 57.
       https://doi.org/10.1007/s11222-023-10366-5

    Examples
    --------
    >>> import bayeseval as be
    >>> rollouts = be.Rollouts.from_counts([4] * 8 + [2] * 2 + [0] * 2, 4)
    >>> pessimist = be.HierarchicalPrior(mean=(3, 12))
    >>> fit = be.fit(rollouts, engine="exact", prior=pessimist, rng=1)
    >>> be.power_scaling(fit)["mean"].diagnosis
    'prior and data disagree, or the prior is informative'
    """
    from bayeseval.hierarchical import Fit

    if not isinstance(fit, Fit):
        raise InputError(f"fit must be a Fit, as be.fit makes it; got {type(fit).__name__}")
    fit.require_alone("power_scaling")
    limit = as_positive(threshold, "threshold")
    tree = _tree(fit)
    prior, flat = _sensitivity(tree, "prior")
    likelihood, _ = _sensitivity(tree, "likelihood")
    rows = tuple(
        PowerRow(
            name,
            prior[name],
            likelihood[name],
            _diagnosis(prior[name], likelihood[name], limit, flat),
        )
        for name in ("mean", "icc")
    )
    return PowerScaling(rows, limit, flat)


def _tree(fit: Fit) -> xr.DataTree:
    """The draws with the two log densities, summed over tasks."""
    import arviz as az

    from bayeseval._special import log_expit
    from bayeseval.hierarchical._likelihood import log_likelihood
    from bayeseval.hierarchical._tree import log_prior_draws
    from bayeseval.posterior import logit

    draws = fit.draws
    with np.errstate(invalid="ignore"):
        x, y = np.clip(logit(draws.mean), -600, 600), np.clip(logit(draws.icc), -600, 600)
    log_mean, log_rest = log_expit(x)
    tails = fit.exact.tails
    tree: xr.DataTree = az.from_dict(
        {
            "posterior": {"mean": draws.mean, "icc": draws.icc},
            "log_prior": log_prior_draws(fit.prior, draws),
            "log_likelihood": {"passes": log_likelihood(tails, log_mean, log_rest, y)},
        }
    )
    return tree


def _sensitivity(tree: xr.DataTree, group: str) -> tuple[dict[str, float], bool]:
    """Sensitivity of each hyperparameter, and whether the density is flat."""
    import arviz as az

    logs = sum(np.asarray(each) for each in tree[f"log_{group}"].data_vars.values())
    names = ("mean", "icc")
    # ArviZ cannot reweight by weights that are all the same.
    if float(np.ptp(np.asarray(logs))) < FLAT:
        return dict.fromkeys(names, 0.0), True
    try:
        found = az.psense(tree, var_names=list(names), group=group, sample_dims=["chain", "draw"])
    except ValueError:
        # Of draws that pile up at 0 or 1 the largest weights are all the same.
        return dict.fromkeys(names, np.nan), False
    return {name: float(found[name]) for name in names}, False


def _diagnosis(prior: float, likelihood: float, threshold: float, flat: bool) -> str:
    note = "; a uniform prior has no power to scale, so see prior_sensitivity" if flat else ""
    if np.isnan(prior) or np.isnan(likelihood):
        return "unknown: the draws pile up at 0 or 1, and cannot be reweighted"
    if likelihood < threshold:
        if prior < threshold:
            return f"the data hardly tell about it{note}"
        return "a strong prior, or weak data: the answer rests on the prior"
    if prior < threshold:
        return f"the data decide{note}"
    return "prior and data disagree, or the prior is informative"
