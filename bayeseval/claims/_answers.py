"""What a claim asks of a fit: posteriors of its quantities, and joint draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._difference import difference
from bayeseval._validate import Population
from bayeseval._weights import slice_label
from bayeseval.claims._grammar import Comparison, Term
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit, fit_suite
from bayeseval.hierarchical._draws import DrawsHyper, independent_draws
from bayeseval.hierarchical._functionals import Functional
from bayeseval.posterior import About, Posterior
from bayeseval.slices import SlicedFit
from bayeseval.slices._split import level_named

__all__ = ["Source", "source_of"]

Array = npt.NDArray[np.float64]

# Chains and draws of joint answers.
JOINT_DRAWS = (4, 5000)


@dataclass(frozen=True, eq=False)
class Source:
    """What quantities are asked of.

    Parameters
    ----------
    fit : Fit or SlicedFit
        The results.
    baseline : Fit or None
        The results that differences are taken against.
    """

    fit: Fit | SlicedFit
    baseline: Fit | None
    _fits: dict[Any, Fit] = field(default_factory=dict)
    _draws: dict[int, DrawsHyper] = field(default_factory=dict)

    @property
    def fits(self) -> list[Fit]:
        """Every fit that an answer may stand on."""
        parts = list(self.fit.slices.values()) if isinstance(self.fit, SlicedFit) else [self.fit]
        return parts + ([] if self.baseline is None else [self.baseline])

    # -- posteriors -----------------------------------------------------------------

    def posterior(self, comparison: Comparison) -> Posterior:
        """Posterior of what is compared with the bar."""
        left = self._term(comparison.left, comparison.population)
        if comparison.minus is None:
            return left
        return difference(left, self._term(comparison.minus, comparison.population), rng=0)

    def _term(self, term: Term, population: Population) -> Posterior:
        if term.worst:
            if not isinstance(self.fit, SlicedFit):
                raise InputError(
                    f"{str(term)!r} needs slices: fit(rollouts, by=FACTOR), or gate --by FACTOR"
                )
            _no_share(term, "worst_slice")
            if population == "next_run":
                raise InputError("worst_slice speaks of new_tasks or of the suite")
            kind: Any = term.kind
            worst = self.fit.worst_slice(kind=kind, k=term.k, population=population)
            return worst.posterior
        chosen = self._chosen(term)
        if term.kind == "share_of_tasks":
            if population != "new_tasks":
                raise InputError(f"{str(term)!r} speaks of new_tasks; got {population}")
            if isinstance(chosen, SlicedFit):
                _no_share(term, "a suite fitted by slice")
            assert isinstance(chosen, Fit)
            assert term.rate is not None
            return chosen.share_of_tasks_above(term.rate)
        if term.kind == "pass_rate":
            return chosen.pass_rate(population=population)
        if term.kind == "pass_hat_k":
            return chosen.pass_hat_k(term.k, population=population)
        return chosen.pass_at_k(term.k, population=population)

    def _chosen(self, term: Term) -> Fit | SlicedFit:
        """The fit of the tasks that a term is about."""
        base: Fit | SlicedFit = self.fit
        if term.baseline:
            if self.baseline is None:
                raise InputError(f"{str(term)!r} needs a baseline: baseline=, or gate --baseline")
            base = self.baseline
        if not term.where:
            return base
        if isinstance(base, SlicedFit) and [name for name, _ in term.where] == list(base.by):
            return base[slice_label(tuple(level for _, level in term.where))]
        key = (term.baseline, term.where)
        if key not in self._fits:
            rollouts = base.rollouts
            for factor, level in term.where:
                rollouts = rollouts.where(factor, level_named(rollouts, factor, level))
            prior = base.prior if isinstance(base, Fit) else next(iter(base.slices.values())).prior
            self._fits[key] = fit_suite(rollouts, engine="exact", prior=prior)
        return self._fits[key]

    # -- joint draws ----------------------------------------------------------------

    def draws(self, comparison: Comparison) -> Array:
        """Joint draws of what is compared: terms of one fit share their hyperparameters."""
        values = self._term_draws(comparison.left, comparison.population)
        if comparison.minus is not None:
            values = values - self._term_draws(comparison.minus, comparison.population)
        return values

    def _term_draws(self, term: Term, population: Population) -> Array:
        if term.worst:
            assert isinstance(self.fit, SlicedFit)
            parts = [self._values(each, term, population) for each in self.fit.slices.values()]
            return np.asarray(np.min(parts, axis=0))
        chosen = self._chosen(term)
        if isinstance(chosen, Fit):
            return self._values(chosen, term, population)
        shares = chosen.shares.share
        return np.asarray(
            sum(
                shares[label] * self._values(each, term, population)
                for label, each in chosen.slices.items()
            )
        )

    def _values(self, fit: Fit, term: Term, population: Population) -> Array:
        hyper = self._hyper(fit)
        about = About(str(term), fit.engine, population)
        if term.kind == "share_of_tasks":
            assert term.rate is not None
            return hyper.share_above(term.rate, about).draws
        functional = Functional("pass_at_k" if term.kind == "pass_at_k" else "pass_hat_k", term.k)
        ask: Mapping[str, Callable[[], Array]] = {
            "new_tasks": lambda: hyper.new_tasks(functional, about).draws,
            "suite": lambda: hyper.suite(fit.cells, functional, about).draws,
            "next_run": lambda: hyper.next_run(fit.cells, functional, about).draws,
        }
        return ask[population]()

    def _hyper(self, fit: Fit) -> DrawsHyper:
        if fit.engine == "nuts":
            return fit.draws
        if id(fit) not in self._draws:
            seed = fit.seed + len(self._draws)
            pair = independent_draws(fit.exact, *JOINT_DRAWS, seed)
            self._draws[id(fit)] = DrawsHyper(*pair, seed)
        return self._draws[id(fit)]


def source_of(fit: Fit | SlicedFit, baseline: Fit | None) -> Source:
    """Check what a claim is asked of."""
    if not isinstance(fit, Fit | SlicedFit):
        raise InputError(
            f"a claim is evaluated on a Fit, as be.fit(rollouts) makes it; got {type(fit).__name__}"
        )
    if baseline is not None and not isinstance(baseline, Fit):
        raise InputError(f"baseline must be a Fit; got {type(baseline).__name__}")
    return Source(fit, baseline)


def _no_share(term: Term, what: str) -> None:
    if term.kind == "share_of_tasks":
        raise InputError(f"share_of_tasks is not defined for {what}; ask it of a slice or of all")
