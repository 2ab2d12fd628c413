"""Slices, weights, flaky and leaked tasks in ``bayeseval fit``."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bayeseval._format import quantities
from bayeseval._validate import as_whole, one_of
from bayeseval._weights import Weights, read_weights
from bayeseval.cli._modelling import names_in
from bayeseval.errors import CheckWarning, InputError
from bayeseval.population import Contamination, StratifiedEstimate, contamination, stratified_rate
from bayeseval.population._contamination import leaked_levels
from bayeseval.posterior import Posterior
from bayeseval.rollouts import Rollouts
from bayeseval.sensitivity import PriorSensitivity, prior_sensitivity
from bayeseval.slices import SlicedFit, SliceTable, WorstSlice, fit, split
from bayeseval.slices._refit import both_fates
from bayeseval.slices._split import level_named
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.cli._fit_run import Options
    from bayeseval.hierarchical import Fit
    from bayeseval.hierarchical._flaky import FlakyTable

__all__ = [
    "HEADS",
    "Kind",
    "SliceOptions",
    "SliceReport",
    "flakiest",
    "leak_report",
    "slice_report",
]

Pooling = Literal["none", "partial", "complete"]
Kind = Literal["pass_rate", "pass_at_k", "pass_hat_k"]
Population = Literal["new_tasks", "suite", "next_run"]

# Flaky tasks that are printed; the document holds as many.
MOST_FLAKY = 5
HEADS: dict[Population, str] = {
    "new_tasks": "new tasks",
    "suite": "this suite",
    "next_run": "next run",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceOptions:
    """What was asked about slices and leaked tasks.

    Parameters
    ----------
    by : tuple of str
        Factors that make the slices; none if empty.
    pooling : {"none", "partial", "complete"}
        How much slices tell of each other.
    weights : Weights or None
        Shares of the population.
    weights_file : str or None
        Where they came from.
    bounds : bool
        Whether a slice without tasks gives a range and not a refusal.
    next_tasks : int or None
        How many further tasks to share out.
    leaked : str or None
        Factor that marks leaked tasks, or ``factor=level``.
    """

    by: tuple[str, ...] = ()
    pooling: Pooling = "none"
    weights: Weights | None = None
    weights_file: str | None = None
    bounds: bool = False
    next_tasks: int | None = None
    leaked: str | None = None

    @classmethod
    def of(
        cls,
        *,
        by: str | None,
        pooling: str | None,
        weights: str | None,
        unsupported: str,
        next_tasks: str | None,
        leaked: str | None,
        engine: str,
    ) -> SliceOptions:
        """Parse and check what the command line was given."""
        one_of(unsupported, ("refuse", "bounds"), "--unsupported")
        names = names_in(by)
        for option, value in (
            ("--pooling", pooling),
            ("--weights", weights),
            ("--next-tasks", next_tasks),
        ):
            if value is not None and not names:
                raise InputError(f"{option} needs --by FACTOR, which says what the slices are")
        if unsupported == "bounds" and weights is None:
            raise InputError("--unsupported bounds needs --weights FILE")
        chosen = pooling or ("partial" if engine == "nuts" else "none")
        one_of(chosen, Pooling, "--pooling")
        if pooling == "partial" and engine == "exact":
            raise InputError("--pooling partial is sampled: leave out --engine exact")
        return cls(
            by=names,
            pooling=chosen,  # type: ignore[arg-type]
            weights=None if weights is None else read_weights(weights, by=names),
            weights_file=weights,
            bounds=unsupported == "bounds",
            next_tasks=None if next_tasks is None else as_whole(next_tasks, "--next-tasks"),
            leaked=leaked,
        )

    def check(self, rollouts: Rollouts) -> None:
        """Refuse what the suite cannot answer, before anything is printed."""
        if self.leaked is not None:
            leaked_levels(rollouts, *self.leaked_marks(rollouts))
        if not self.by:
            return
        slices = split(rollouts, self.by)
        if self.weights is not None:
            aligned = self.weights.align(tuple(slices))
            if not self.bounds:
                aligned.require_support()

    def leaked_marks(self, rollouts: Rollouts) -> tuple[str, Any]:
        """The factor that marks leaked tasks, and its level where that was named."""
        assert self.leaked is not None
        factor, equals, text = self.leaked.partition("=")
        return factor, level_named(rollouts, factor, text) if equals else None


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """One answer over the mix of slices.

    Parameters
    ----------
    kind, k : str and int
        What is asked for.
    answers : mapping of population to (lower, upper) or Unknown
        Posteriors; two different ones where a slice without tasks gives a range.
    lost : tuple of Posterior, or None
        On new tasks, if all errored rollouts had failed, and if all had passed.
    """

    kind: Kind
    k: int
    answers: dict[Population, tuple[Posterior, Posterior] | Unknown]
    lost: tuple[Posterior, Posterior] | None

    @property
    def label(self) -> str:
        """The quantity as people write it."""
        if self.kind == "pass_rate":
            return "pass rate"
        return f"pass{'@' if self.kind == 'pass_at_k' else '^'}{self.k}"


@dataclass(frozen=True, slots=True, eq=False)
class SliceReport:
    """All that is said of slices.

    Parameters
    ----------
    fit : SlicedFit
        The slices.
    options : SliceOptions
        What was asked.
    weighted : tuple of Weighted
        Answers over the mix.
    stratified : StratifiedEstimate or Unknown
        The same without a model.
    table : SliceTable
        The slices side by side.
    worst : WorstSlice
        The slice with the smallest pass rate.
    priors : PriorSensitivity or None
        The pass rate of new tasks over the mix under other priors, where slices are not
        partially pooled and every slice with weight has tasks.
    ci_prob : float
        Level of all intervals.
    above : float or None
        The bar.
    """

    fit: SlicedFit
    options: SliceOptions
    weighted: tuple[Weighted, ...]
    stratified: StratifiedEstimate | Unknown
    table: SliceTable
    worst: WorstSlice
    priors: PriorSensitivity | None
    ci_prob: float
    above: float | None


def slice_report(
    rollouts: Rollouts, chosen: SliceOptions, options: Options, ks: tuple[int, ...]
) -> SliceReport:
    """Fit the slices and ask for the answers over their mix."""
    sliced = _fit(rollouts, chosen, options)
    lost = both_fates(sliced)
    weighted = tuple(_weighted(sliced, lost, chosen, kind, k or 1) for kind, k, _ in quantities(ks))
    stratified: StratifiedEstimate | Unknown = Unknown("a slice with weight has no task")
    weights = chosen.weights
    shares = sliced.shares if weights is None else weights
    priors = None
    if weights is None or not weights.align(sliced.labels).unsupported:
        if sliced.pooling != "partial":
            priors = prior_sensitivity(
                sliced, weights=shares, above=options.above, ci_prob=options.ci_prob
            )
        stratified = stratified_rate(
            rollouts, by=chosen.by, weights=shares, ci_prob=options.ci_prob
        )
    return SliceReport(
        sliced,
        chosen,
        weighted,
        stratified,
        sliced.table(ci_prob=options.ci_prob),
        sliced.worst_slice(),
        priors,
        options.ci_prob,
        options.above,
    )


def _fit(rollouts: Rollouts, chosen: SliceOptions, options: Options) -> SlicedFit:
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        # What failed is shown with the slices.
        warnings.simplefilter("ignore", CheckWarning)
        return fit(
            rollouts,
            by=chosen.by,
            pooling=chosen.pooling,
            prior=options.prior,
            draws=options.draws,
            chains=options.chains,
            rng=options.seed,
        )


def _weighted(
    sliced: SlicedFit,
    lost: tuple[SlicedFit, SlicedFit] | None,
    chosen: SliceOptions,
    kind: Kind,
    k: int,
) -> Weighted:
    answers: dict[Population, tuple[Posterior, Posterior] | Unknown] = {}
    for population in HEADS:
        try:
            answers[population] = _answer(sliced, chosen, kind, k, population)
        except InputError as error:
            if population != "next_run":
                raise
            answers[population] = Unknown(str(error))
    ends = None
    if lost is not None:
        low, high = (_answer(each, chosen, kind, k, "new_tasks") for each in lost)
        ends = (low[0], high[1])
    return Weighted(kind, k, answers, ends)


def _answer(
    sliced: SlicedFit, chosen: SliceOptions, kind: Kind, k: int, population: Population
) -> tuple[Posterior, Posterior]:
    weights = chosen.weights
    if chosen.bounds and weights is not None:
        return sliced.bounds(weights=weights, kind=kind, k=k, population=population)
    ask: Callable[..., Posterior] = {
        "pass_rate": sliced.pass_rate,
        "pass_at_k": lambda **given: sliced.pass_at_k(k, **given),
        "pass_hat_k": lambda **given: sliced.pass_hat_k(k, **given),
    }[kind]
    answer = ask(weights=weights, population=population)
    return answer, answer


def flakiest(exact: Fit, ci_prob: float) -> FlakyTable | None:
    """The tasks that pass sometimes and never reliably; None of single rollouts."""
    return None if exact.max_trials < 2 else exact.flaky_tasks(top=MOST_FLAKY, ci_prob=ci_prob)


def leak_report(rollouts: Rollouts, chosen: SliceOptions, options: Options) -> Contamination | None:
    """Fit leaked and clean tasks apart, where a factor marks them."""
    if chosen.leaked is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CheckWarning)
        factor, marked = chosen.leaked_marks(rollouts)
        return contamination(rollouts, leaked=factor, level=marked, prior=options.prior)
