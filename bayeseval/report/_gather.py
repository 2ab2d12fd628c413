"""What a report knows: every answer, computed before anything is written."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from bayeseval._atomic import as_output_path, atomic_path
from bayeseval._format import Quantity, quantities
from bayeseval._validate import (
    Population,
    Seed,
    as_generator,
    as_probability,
    as_whole,
    one_of,
)
from bayeseval._weights import Weights, as_weights
from bayeseval.baselines import Baseline, baseline_table, clustered_se
from bayeseval.claims import Claim, Verdict, evaluate, parse_claim
from bayeseval.comparison import Comparison, compare
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical import Fit, HierarchicalPrior, fit_suite
from bayeseval.passk import pass_curve
from bayeseval.plots._curve import _chosen_k
from bayeseval.population import Contamination, StratifiedEstimate, contamination, stratified_rate
from bayeseval.population._contamination import leaked_levels
from bayeseval.posterior import Posterior
from bayeseval.record import EstimateRecord, Provenance, make_record
from bayeseval.report._once import OnceFit
from bayeseval.rollouts import Rollouts
from bayeseval.sensitivity import PowerScaling, PriorSensitivity, power_scaling, prior_sensitivity
from bayeseval.slices import SlicedFit
from bayeseval.slices import fit as fit_model
from bayeseval.slices._refit import both_fates
from bayeseval.slices._table import SliceTable
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.report._figures import Figures

__all__ = ["FORMS", "Estimate", "Quantity", "Report", "make_report"]

Engine = Literal["exact", "nuts"]
Pooling = Literal["none", "partial", "complete"]

# Endings of the files that a report can be written to.
FORMS = (".html", ".md", ".json")


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """One quantity on new tasks, beside its unbiased estimate.

    Parameters
    ----------
    quantity : {"pass_rate", "pass_at_k", "pass_hat_k"}
        What is estimated.
    k : int
        Number of attempts; 1 for the pass rate.
    unbiased, se : float or Unknown
        The unbiased estimate from the counts, and its standard error.
    posterior : Posterior
        The model's answer on new tasks.
    """

    quantity: Quantity
    k: int
    unbiased: float | Unknown
    se: float | Unknown
    posterior: Posterior

    @property
    def label(self) -> str:
        """The quantity as people write it: ``pass^3``."""
        if self.quantity == "pass_rate":
            return "pass rate"
        return f"pass{'@' if self.quantity == 'pass_at_k' else '^'}{self.k}"


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Everything that a report says; made by `make_report`.

    Parameters
    ----------
    title : str
        Its title.
    rollouts : Rollouts
        The suite.
    fit : Fit
        By the exact engine; every answer comes from it.
    sampled : Fit or None
        The PyMC model, where it was sampled.
    ks : tuple of int
        Values of k that were asked for.
    above : float or None
        The bar of the figures.
    ci_prob : float
        Level of all intervals.
    verdicts : tuple of Verdict
        What the data say of each claim.
    sliced : SlicedFit or None
        The suite by slice.
    weights : Weights or None
        Shares of the slices in the population.
    comparison : Comparison or None
        The suite against the results of the baseline.
    contamination : Contamination or None
        Leaked tasks against clean ones.
    lost : tuple of two Fit, or None
        If all errored rollouts had failed, and if all had passed.
    provenance : Provenance
        Where the data came from.
    seed : int
        Seed that repeats it.
    """

    title: str
    rollouts: Rollouts
    fit: Fit
    sampled: Fit | None
    ks: tuple[int, ...]
    above: float | None
    ci_prob: float
    verdicts: tuple[Verdict, ...]
    sliced: SlicedFit | None
    weights: Weights | None
    comparison: Comparison | None
    contamination: Contamination | None
    lost: tuple[Fit, Fit] | None
    provenance: Provenance
    seed: int

    def __repr__(self) -> str:
        found = ", ".join(verdict.outcome for verdict in self.verdicts) or "no claim"
        return f"Report({self.title!r}: {self.fit.pass_rate().summary_text()}; {found})"

    # -- answers, each computed once -------------------------------------------------

    @property
    def k_most(self) -> int:
        """Largest k that was asked for."""
        return max(self.ks)

    @cached_property
    def curve_ks(self) -> tuple[int, ...]:
        """Values of k over which the curves are drawn."""
        fewest = self.fit.min_trials
        largest = max(4, min(2 * fewest, 24), self.k_most)
        return tuple(sorted({*_chosen_k(largest, fewest).tolist(), *self.ks}))

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """The pass rate, then pass@k, then pass^k, for k over the curves."""
        ks = self.curve_ks
        curve = pass_curve(self.rollouts, k=ks)
        rows = [
            Estimate(
                "pass_rate", 1, curve.pass_at_k[0], curve.pass_at_k_se[0], self.fit.pass_rate()
            )
        ]
        for at, k in enumerate(ks):
            if k > 1:
                found = self.fit.pass_at_k(k)
                rows.append(
                    Estimate("pass_at_k", k, curve.pass_at_k[at], curve.pass_at_k_se[at], found)
                )
        for at, k in enumerate(ks):
            if k > 1:
                found = self.fit.pass_hat_k(k)
                rows.append(
                    Estimate("pass_hat_k", k, curve.pass_hat_k[at], curve.pass_hat_k_se[at], found)
                )
        return tuple(rows)

    def estimate(self, quantity: Quantity, k: int = 1) -> Estimate:
        """One of `estimates`."""
        wanted = "pass_rate" if k == 1 else quantity
        return next(row for row in self.estimates if (row.quantity, row.k) == (wanted, k))

    @property
    def headlines(self) -> tuple[Estimate, ...]:
        """The pass rate, and pass@k and pass^k at the largest k."""
        return tuple(self.estimate(kind, k or 1) for kind, k, _ in quantities([self.k_most]))

    @cached_property
    def populations(self) -> tuple[tuple[Estimate, dict[Population, Posterior | Unknown]], ...]:
        """The headlines for each population."""
        return tuple((row, self._for_each(row)) for row in self.headlines)

    def _for_each(self, row: Estimate) -> dict[Population, Posterior | Unknown]:
        answers: dict[Population, Posterior | Unknown] = {"new_tasks": row.posterior}
        answers["suite"] = self._ask(row, "suite")
        if row.k > self.fit.min_trials:
            answers["next_run"] = Unknown(
                f"k = {row.k}, but a run of this suite has {self.fit.min_trials} scored "
                "rollouts of some tasks"
            )
        else:
            answers["next_run"] = self._ask(row, "next_run")
        return answers

    def _ask(self, row: Estimate, population: Population) -> Posterior:
        if row.quantity == "pass_rate":
            return self.fit.pass_rate(population=population)
        if row.quantity == "pass_at_k":
            return self.fit.pass_at_k(row.k, population=population)
        return self.fit.pass_hat_k(row.k, population=population)

    @cached_property
    def baselines(self) -> tuple[Baseline, ...]:
        """Frequentist intervals for the pass rate."""
        return baseline_table(self.rollouts, ci_prob=self.ci_prob, rng=self.fit.seed)

    @cached_property
    def effective_rollouts(self) -> float | Unknown:
        """How many independent rollouts would know as much about the pass rate."""
        return clustered_se(self.rollouts).ess_cr1

    @cached_property
    def priors(self) -> tuple[PriorSensitivity, ...]:
        """The pass rate, and pass^k at the largest k, under other priors.

        The pass rate is held to the bar, and pass^k to the one of a claim about it.
        """
        asked: list[tuple[Any, int, float | None]] = [("pass_rate", 1, self.above)]
        if self.k_most > 1:
            claims = tuple(verdict.claim for verdict in self.verdicts)
            bar = _first_bar(claims, "pass_hat_k", self.k_most)
            asked.append(("pass_hat_k", self.k_most, bar))
        return tuple(
            prior_sensitivity(self.fit, answer=quantity, k=k, above=bar, ci_prob=self.ci_prob)
            for quantity, k, bar in asked
        )

    @cached_property
    def power(self) -> PowerScaling | None:
        """How the draws answer to a stronger prior or likelihood, where there are draws."""
        return None if self.sampled is None else power_scaling(self.sampled)

    @cached_property
    def slice_table(self) -> SliceTable | None:
        """The slices side by side."""
        return None if self.sliced is None else self.sliced.table(ci_prob=self.ci_prob)

    @cached_property
    def stratified(self) -> StratifiedEstimate | None:
        """The weighted pass rate without a model."""
        if self.sliced is None:
            return None
        weights = self.weights or self.sliced.shares
        return stratified_rate(
            self.rollouts, by=self.sliced.by, weights=weights, ci_prob=self.ci_prob
        )

    @cached_property
    def records(self) -> tuple[EstimateRecord, ...]:
        """The headline first, then one for each part of each claim about this suite alone."""
        if self.sliced is not None and self.weights is not None:
            found = [self._record(self.sliced, weights=self.weights)]
        else:
            found = [self._record(self.fit)]
        for verdict in self.verdicts:
            if verdict.claim.needs_baseline:
                continue
            source = self.sliced if verdict.claim.needs_slices else self.fit
            assert source is not None
            for part in verdict.claim.comparisons:
                found.append(self._record(source, claim=str(part), confidence=verdict.confidence))
        return tuple(found)

    def _record(self, fit: Fit | SlicedFit, **asked: Any) -> EstimateRecord:
        provenance = self.provenance
        if isinstance(fit, SlicedFit):
            # How to fit again what the record holds.
            reading = provenance.reading | {"by": ",".join(fit.by), "pooling": fit.pooling}
            provenance = replace(provenance, reading=reading)
        return make_record(fit, ci_prob=self.ci_prob, provenance=provenance, **asked)

    @cached_property
    def figures(self) -> Figures:
        """The figures by name, drawn when they are first asked for."""
        from bayeseval.report._figures import Figures

        return Figures(self)

    # -- forms -----------------------------------------------------------------------

    def to_html(self) -> str:
        """The report as one HTML document that needs nothing else."""
        from bayeseval.report._html import to_html

        return to_html(self)

    def to_markdown(self, *, figures: str | None = None) -> str:
        """The report as Markdown.

        Parameters
        ----------
        figures : str, optional
            Folder of the figures that `save_figures` wrote, as the text shall name it;
            without it the figures are described in words.
        """
        from bayeseval.report._markdown import to_markdown

        return to_markdown(self, figures)

    def to_json(self) -> str:
        """The report as JSON; numbers are not rounded."""
        from bayeseval.report._document import to_json

        return to_json(self)

    def save(self, path: str | os.PathLike[str], *, figures: str | None = None) -> None:
        """Write the report; the ending of the name decides its form.

        Parameters
        ----------
        path : str or path-like
            A name that ends in ``.html``, ``.md`` or ``.json``. An existing file is
            replaced only once the new one is whole.
        figures : str, optional
            As in `to_markdown`.

        Raises
        ------
        InputError
            Another ending, or a file that cannot be written.
        """
        as_output_path(path, suffixes=FORMS)
        form = Path(os.fspath(path)).suffix.lower()
        if form == ".html":
            text = self.to_html()
        elif form == ".md":
            text = self.to_markdown(figures=figures)
        else:
            text = self.to_json()
        with atomic_path(path) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def save_figures(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write every figure as SVG and as PNG, and return the names of the files.

        Parameters
        ----------
        folder : str or path-like
            Made if it is missing.
        """
        return self.figures.save(folder)


def make_report(
    rollouts: Rollouts,
    *,
    claims: Iterable[str | Claim] = (),
    k: Iterable[int] | None = None,
    above: float | None = None,
    by: str | Iterable[str] | None = None,
    pooling: Pooling | None = None,
    weights: Weights | Mapping[Any, float] | None = None,
    baseline: Rollouts | None = None,
    leaked: str | None = None,
    engine: Engine = "exact",
    prior: HierarchicalPrior | None = None,
    confidence: float = 0.95,
    ci_prob: float = 0.95,
    title: str | None = None,
    draws: int = 1000,
    chains: int = 4,
    rng: Seed = None,
    provenance: Provenance | None = None,
) -> Report:
    """Answer everything that a report shows.

    Parameters
    ----------
    rollouts : Rollouts
        The suite.
    claims : iterable of str or Claim, default ()
        What is claimed, such as ``"pass^3 > 0.8"``; the report begins with the verdicts.
    k : iterable of int, optional
        Values of k for pass@k and pass^k; default: 1, 2, 4 and 8, as far as the rollouts
        of every task reach.
    above : float, optional
        The bar of figures and tables, 0-1. Without a claim it is one: that the pass rate
        of new tasks exceeds it. Default: the bar of the first claim about a pass rate.
    by : str or iterable of str, optional
        Factors that make slices.
    pooling : {"none", "partial", "complete"}, optional
        How much slices tell of each other. Default: partial with ``engine="nuts"``, else none.
    weights : Weights or mapping of str to float, optional
        Shares of the slices in the population.
    baseline : Rollouts, optional
        Results of an earlier system on the same tasks: what ``[baseline]`` in a claim stands
        for, and what the suite is compared with, task by task. Several rollouts of a task are
        compared by a PyMC model, which is sampled whatever `engine` is.
    leaked : str, optional
        A factor with two levels that marks leaked tasks.
    engine : {"exact", "nuts"}, default "exact"
        Whether the PyMC model of the suite is sampled and checked as well.
    prior : HierarchicalPrior, optional
        Default: uniform on the mean rate and on the ICC.
    confidence : float, default 0.95
        Probability that a verdict needs.
    ci_prob : float, default 0.95
        Level of all intervals.
    title : str, optional
        Default: made of the source of the data.
    draws, chains : int, default 1000 and 4
        Size of the sample.
    rng : int, numpy.random.Generator or None, default None
        Seed of everything that is drawn.
    provenance : Provenance, optional
        Where the data came from; see `provenance_of`.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        An option out of range, a claim that cannot be read or needs what is not there.

    Examples
    --------
    >>> import bayeseval as be
    >>> from bayeseval.report import make_report
    >>> suite = be.Rollouts.from_counts([4] * 44 + [3] * 4 + [2] * 2, 4)
    >>> report = make_report(suite, claims=["pass_rate > 0.85"], rng=1)
    >>> report
    Report('50 tasks x 4 rollouts': 94.8 % (95 % CrI 89.8-98.0 %, n = 50 tasks); supported)
    >>> report.to_markdown().splitlines()[0]
    '# 50 tasks x 4 rollouts'
    """
    one_of(engine, Engine, "engine")
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    parsed = tuple(parse_claim(each) for each in claims)
    bar = None if above is None else as_probability(above, "above")
    if bar is None:
        bar = _first_bar(parsed, "pass_rate")
    elif not parsed:
        parsed = (parse_claim(f"pass_rate > {bar:.15g}"),)
    if baseline is None and any(each.needs_baseline for each in parsed):
        raise InputError("a claim about [baseline] needs baseline=ROLLOUTS (--baseline FILE)")
    names = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    if any(each.needs_slices for each in parsed) and not names:
        raise InputError("worst_slice needs slices: by=FACTOR (--by FACTOR)")
    if weights is not None and not names:
        raise InputError("weights need slices: by=FACTOR (--by FACTOR)")
    if leaked is not None:
        leaked_levels(rollouts, leaked)
    ks = _as_ks(rollouts, k)
    seed = int(as_generator(rng).integers(2**32)) if not isinstance(rng, int) else rng

    with warnings.catch_warnings():
        # What failed stands in the report, and makes its verdicts inconclusive.
        warnings.simplefilter("ignore", CheckWarning)
        fit = OnceFit.of(fit_suite(rollouts, engine="exact", prior=prior, rng=seed))
        sliced = None
        if names:
            chosen: Pooling = pooling or ("partial" if engine == "nuts" else "none")
            sliced = fit_model(
                rollouts,
                by=names,
                pooling=chosen,
                prior=prior,
                draws=draws,
                chains=chains,
                rng=seed,
            )
        shares = None if weights is None else as_weights(weights)
        if shares is not None and sliced is not None:
            shares.align(sliced.labels).require_support()
        before = comparison = None
        if baseline is not None:
            before = OnceFit.of(fit_suite(baseline, engine="exact", prior=prior, rng=seed))
            comparison = compare(baseline, rollouts, draws=draws, chains=chains, rng=seed)
        verdicts = tuple(
            evaluate(
                each,
                sliced if each.needs_slices and sliced else fit,
                confidence=confidence,
                baseline=before,
            )
            for each in parsed
        )
        leak = None
        if leaked is not None:
            leak = contamination(rollouts, leaked=leaked, prior=prior)
        lost = both_fates(fit)
        sampled = None
        if engine == "nuts":
            sampled = fit_suite(
                rollouts, engine="nuts", prior=prior, draws=draws, chains=chains, rng=seed
            )
    return Report(
        title=_title(rollouts) if title is None else title,
        rollouts=rollouts,
        fit=fit,
        sampled=sampled,
        ks=ks,
        above=bar,
        ci_prob=level,
        verdicts=verdicts,
        sliced=sliced,
        weights=shares,
        comparison=comparison,
        contamination=leak,
        lost=lost,
        provenance=Provenance() if provenance is None else provenance,
        seed=seed,
    )


def _first_bar(claims: tuple[Claim, ...], kind: Quantity, k: int = 1) -> float | None:
    """The bar of the first claim that is about a quantity of all new tasks."""
    for claim in claims:
        for part in claim.comparisons:
            term = part.left
            plain = not (term.where or term.worst or term.baseline or part.minus)
            asked = term.kind == kind and term.k == k
            if plain and asked and part.population == "new_tasks" and part.operator in (">", ">="):
                return part.bar
    return None


def _as_ks(rollouts: Rollouts, k: Iterable[int] | None) -> tuple[int, ...]:
    if k is None:
        scored = rollouts.trials[rollouts.scored]
        fewest = int(scored.min()) if scored.size else 1
        return tuple(each for each in (1, 2, 4, 8) if each <= fewest)
    ks = tuple(sorted({as_whole(each, "k", minimum=1) for each in k}))
    if not ks:
        raise InputError("k must hold at least one whole number, such as (1, 2, 4)")
    return ks


def _title(rollouts: Rollouts) -> str:
    size = f"{rollouts.n_tasks:,} task{'' if rollouts.n_tasks == 1 else 's'}"
    if rollouts.equal_trials:
        size += f" x {rollouts.max_trials:,} rollout{'' if rollouts.max_trials == 1 else 's'}"
    if rollouts.source is None:
        return size
    first, *more = rollouts.source.split(", ")
    name = Path(first).name or first
    return f"{name}{f' and {len(more)} more' if more else ''}: {size}"
