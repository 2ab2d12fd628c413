"""The same fit under other assumptions: another prior, or another fate of errored rollouts."""

from __future__ import annotations

from types import MappingProxyType
from typing import overload

from bayeseval.hierarchical import Checks, Fit, HierarchicalPrior
from bayeseval.hierarchical._exact import integrate
from bayeseval.rollouts._suite import LostAs
from bayeseval.slices._sliced import Pooling, SlicedFit
from bayeseval.slices._split import split

__all__ = ["both_fates", "refit"]


@overload
def refit(fit: Fit, *, lost: LostAs = ..., prior: HierarchicalPrior | None = ...) -> Fit: ...


@overload
def refit(
    fit: SlicedFit, *, lost: LostAs = ..., prior: HierarchicalPrior | None = ...
) -> SlicedFit: ...


@overload
def refit(
    fit: Fit | SlicedFit, *, lost: LostAs = ..., prior: HierarchicalPrior | None = ...
) -> Fit | SlicedFit: ...


def refit(
    fit: Fit | SlicedFit, *, lost: LostAs = "exclude", prior: HierarchicalPrior | None = None
) -> Fit | SlicedFit:
    """Fit the same suite by the exact engine, under its own prior or another.

    Partially pooled slices are fitted apart. Nothing is checked: the checks of `fit` are those
    that count.
    """
    rollouts = fit.rollouts.with_lost(lost)
    unchecked = Checks(())
    own = fit.prior if isinstance(fit, Fit) else next(iter(fit.slices.values())).prior
    chosen = prior or own
    same = rollouts is fit.rollouts and chosen == own
    if isinstance(fit, Fit):
        exact = fit.exact if same else integrate(rollouts, chosen)
        return Fit(rollouts, chosen, "exact", unchecked, fit.seed, exact)
    pooling: Pooling = "none" if fit.pooling == "partial" else fit.pooling
    pooled = pooling == "complete"
    whole = integrate(rollouts, chosen) if pooled and not same else None
    slices = {
        label: Fit(
            part,
            chosen,
            "exact",
            unchecked,
            fit.seed + 1 + at,
            fit.slices[label].exact if same else whole or integrate(part, chosen),
            pooled=pooled,
        )
        for at, (label, part) in enumerate(split(rollouts, fit.by).items())
    }
    return SlicedFit(rollouts, fit.by, pooling, MappingProxyType(slices), unchecked, fit.seed)


def both_fates[AnyFit: (Fit, SlicedFit)](fit: AnyFit) -> tuple[AnyFit, AnyFit] | None:
    """Fit once with all errored rollouts failed, once passed; None where none errored."""
    if fit.rollouts.ledger.errored == 0:
        return None
    return refit(fit, lost="fail"), refit(fit, lost="pass")
