"""Make a record of an answer."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import numpy as np

from bayeseval import __version__
from bayeseval._interval import Interval
from bayeseval._validate import (
    Population,
    as_items,
    as_kind,
    as_mapping,
    as_path,
    as_probability,
    as_text,
    as_whole,
    one_of,
    shown,
)
from bayeseval._weights import Weights, as_weights
from bayeseval.baselines import baseline_table, cluster_bootstrap, kish_n_eff
from bayeseval.claims import Comparison, Term, Verdict, evaluate, parse_claim
from bayeseval.claims._answers import Source
from bayeseval.claims._verdict import as_confidence
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit
from bayeseval.population import stratified_rate
from bayeseval.posterior import Posterior
from bayeseval.record._record import (
    BaselineRow,
    CheckRow,
    ClaimRow,
    Estimand,
    Estimate,
    EstimateRecord,
    InputFile,
    JudgementRow,
    LedgerRow,
    Limits,
    Provenance,
    SliceRow,
)
from bayeseval.record._words import OUTCOME, estimand_text
from bayeseval.rollouts._suite import LostAs
from bayeseval.sensitivity import NAMED_PRIORS
from bayeseval.slices import SlicedFit
from bayeseval.slices._refit import refit
from bayeseval.unknown import Unknown

__all__ = ["make_record", "provenance_of"]

Quantity = Literal["pass_rate", "pass_at_k", "pass_hat_k"]
LIBRARIES = ("numpy", "scipy")
SAMPLERS = ("pymc", "nutpie", "arviz")


def make_record(
    fit: Fit | SlicedFit,
    *,
    quantity: Quantity = "pass_rate",
    k: int = 1,
    population: Population = "new_tasks",
    claim: str | None = None,
    confidence: float = 0.95,
    weights: Weights | Mapping[Any, float] | None = None,
    ci_prob: float = 0.95,
    estimand: str | None = None,
    provenance: Provenance | None = None,
) -> EstimateRecord:
    """Make an auditable record of one answer.

    Parameters
    ----------
    fit : Fit or SlicedFit
        The results, fitted.
    quantity : {"pass_rate", "pass_at_k", "pass_hat_k"}, default "pass_rate"
        What is estimated; a claim says it itself.
    k : int, default 1
        Number of attempts, for pass@k and pass^k.
    population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
        Whom the answer is for; a claim says it itself.
    claim : str, optional
        A claim of one comparison, such as ``"pass^3 > 0.8"``; see `parse_claim`.
    confidence : float, default 0.95
        Probability that a verdict needs.
    weights : Weights or mapping of str to float, optional
        Shares of the slices in the population, for a `SlicedFit`.
    ci_prob : float, default 0.95
        Level of all intervals.
    estimand : str, optional
        The estimand in words, instead of the sentence that is written for it.
    provenance : Provenance, optional
        Where the data came from; see `provenance_of`.

    Returns
    -------
    EstimateRecord

    Raises
    ------
    InputError
        A claim of several comparisons (make a record of each), weights without slices, or
        a claim together with weights.

    Examples
    --------
    >>> import bayeseval as be
    >>> fit = be.fit(be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4), engine="exact")
    >>> record = be.make_record(fit, quantity="pass_hat_k", k=3)
    >>> record.estimand.text
    'The mean probability that all of 3 attempts at a task pass, over new tasks from the ...'
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    if not isinstance(fit, SlicedFit):
        as_kind(fit, Fit, "fit", hint="as be.fit makes it")
    if provenance is not None:
        as_kind(provenance, Provenance, "provenance", hint="as be.provenance_of makes it")
    as_confidence(confidence)
    if estimand is not None:
        as_text(estimand, "estimand")
    if weights is not None and not isinstance(fit, SlicedFit):
        raise InputError("weights need slices: fit(rollouts, by=FACTOR)")
    if weights is not None and claim is not None:
        raise InputError("a claim has no weights; make a record of the weighted quantity")
    shares = as_weights(weights) if weights is not None else None
    verdict: Verdict | None = None
    if claim is not None:
        comparisons = parse_claim(claim).comparisons
        if len(comparisons) != 1:
            raise InputError("a record is of one comparison; make one for each part of the claim")
        (comparison,) = comparisons
        verdict = evaluate(claim, fit, confidence=confidence)
    else:
        one_of(quantity, Quantity, "quantity")
        term = Term(quantity, as_whole(k, "k", minimum=1))
        if quantity == "pass_rate" and term.k != 1:
            raise InputError(f"k goes with pass_at_k and pass_hat_k; got k = {shown(k)}")
        comparison = Comparison(term, None, ">", 0.0, one_of(population, Population, "population"))

    def ask(fitted: Fit | SlicedFit) -> Posterior:
        if isinstance(fitted, SlicedFit) and shares is not None:
            return _weighted(fitted, comparison, shares)
        return Source(fitted, None).posterior(comparison)

    posterior = ask(fit)
    rollouts = fit.rollouts
    by = fit.by if isinstance(fit, SlicedFit) else ()
    return EstimateRecord(
        estimand=Estimand(
            text=estimand_text(comparison, by if shares else ()) if estimand is None else estimand,
            quantity=comparison.quantity,
            population=comparison.population,
            outcome=OUTCOME,
            suite=_suite(rollouts.source, rollouts.n_tasks),
        ),
        n_tasks=rollouts.n_scored_tasks,
        n_rollouts=rollouts.n_rollouts,
        slices=_slices(fit, shares),
        n_eff=_n_eff(fit, shares),
        ledger=_ledger(rollouts),
        estimate=_estimate(fit, posterior, level, comparison),
        claim=None if verdict is None else _claim(verdict),
        baselines=tuple(_baselines(fit, comparison, level, shares)),
        lost=tuple(_lost(fit, ask, verdict, level)),
        priors=tuple(_priors(fit, ask, verdict, level)),
        checks=tuple(
            CheckRow(
                name=row.name,
                value=row.value if np.isfinite(row.value) else None,
                limit=row.limit,
                at_most=row.at_most,
                passed=row.passed,
            )
            for row in fit.checks.rows
        ),
        notes=fit.notes,
        provenance=_with_versions(provenance or Provenance(), fit),
    )


def _weighted(fit: SlicedFit, comparison: Comparison, shares: Weights) -> Posterior:
    term, population = comparison.left, comparison.population
    if term.kind == "pass_at_k":
        return fit.pass_at_k(term.k, weights=shares, population=population)
    return fit.pass_hat_k(term.k, weights=shares, population=population)


def _suite(source: str | None, n_tasks: int) -> str:
    where = "given as counts" if source is None else f"from {source}"
    return f"{n_tasks:,} tasks {where}"


def _limits(interval: Interval) -> Limits:
    return Limits(
        lower=interval.lower, upper=interval.upper, ci_prob=interval.ci_prob, kind=interval.kind
    )


def _estimate(
    fit: Fit | SlicedFit, posterior: Posterior, level: float, comparison: Comparison
) -> Estimate:
    first = fit if isinstance(fit, Fit) else next(iter(fit.slices.values()))
    model = (
        "p_i ~ Beta(mean kappa, (1 - mean) kappa), kappa = (1 - ICC) / ICC; "
        "s_i ~ Binomial(n_i, p_i)"
    )
    if isinstance(fit, SlicedFit):
        model += f"; slices by {' and '.join(fit.by)}, pooling {fit.pooling}"
    return Estimate(
        mean=posterior.mean,
        median=posterior.median,
        sd=posterior.sd,
        interval=_limits(posterior.eti(level)),
        mcse=posterior.mcse_mean,
        estimator=f"posterior of {comparison.quantity}: mean, equal-tailed interval",
        engine=posterior.engine,
        model=model,
        prior=first.prior.formula,
        extrapolated=posterior.extrapolated,
        note=posterior.about.note,
    )


def _claim(verdict: Verdict) -> ClaimRow:
    return ClaimRow(
        claim=str(verdict.claim),
        prob=verdict.prob,
        prob_not=verdict.prob_not,
        confidence=verdict.confidence,
        rule=verdict.rule,
        verdict=verdict.outcome,
        reasons=verdict.reasons,
    )


def _ledger(rollouts: Any) -> LedgerRow:
    ledger = rollouts.ledger
    return LedgerRow(
        passed=ledger.passed,
        failed=ledger.failed,
        errored=ledger.errored,
        missing=ledger.missing,
        duplicates=ledger.duplicates,
        notes=ledger.notes,
    )


def _slices(fit: Fit | SlicedFit, shares: Weights | None) -> tuple[SliceRow, ...]:
    if not isinstance(fit, SlicedFit):
        return ()
    return tuple(
        SliceRow(
            name=label,
            tasks=part.cells.n_tasks,
            rollouts=part.rollouts.n_rollouts,
            weight=None if shares is None else shares.share[label],
        )
        for label, part in fit.slices.items()
    )


def _n_eff(fit: Fit | SlicedFit, shares: Weights | None) -> float | None:
    if shares is None or not isinstance(fit, SlicedFit):
        return None
    sizes = np.array([part.cells.n_tasks for part in fit.slices.values()])
    weight = np.array([shares.share[label] for label in fit.labels])
    return kish_n_eff(np.repeat(weight / sizes, sizes))


def _baselines(
    fit: Fit | SlicedFit, comparison: Comparison, level: float, shares: Weights | None
) -> Iterable[BaselineRow]:
    """Frequentist estimates of the same quantity over the tasks of the suite."""
    term = comparison.left
    plain = not (term.where or term.baseline or term.worst or comparison.minus)
    if not plain or term.kind == "share_of_tasks":
        return
    if shares is not None:
        if isinstance(fit, SlicedFit) and term.k == 1:
            yield _stratified(fit, shares, level)
        return
    if term.kind == "pass_rate" or term.k == 1:
        for row in baseline_table(fit.rollouts, ci_prob=level, rng=fit.seed):
            yield BaselineRow(
                name=row.name,
                estimate=None if isinstance(row.estimate, Unknown) else row.estimate,
                interval=None if isinstance(row.interval, Unknown) else _limits(row.interval),
                advice=row.advice,
                sound=row.sound,
            )
        return
    statistic: Any = term.kind
    found = cluster_bootstrap(
        fit.rollouts, statistic=statistic, k=term.k, ci_prob=level, rng=fit.seed
    )
    yield BaselineRow(
        name="Whole-task bootstrap of the unbiased estimate",
        estimate=None if isinstance(found.estimate, Unknown) else found.estimate,
        interval=None if isinstance(found.interval, Unknown) else _limits(found.interval),
        advice=found.reason or "respects tasks; too narrow for few tasks or rates near 0 or 1",
        sound=True,
    )


def _stratified(fit: SlicedFit, shares: Weights, level: float) -> BaselineRow:
    found = stratified_rate(fit.rollouts, by=fit.by, weights=shares, ci_prob=level)
    return BaselineRow(
        name="Stratified estimate",
        estimate=found.estimate,
        interval=None if isinstance(found.interval, Unknown) else _limits(found.interval),
        advice="respects tasks and weights; too narrow for few tasks or rates near 0 or 1",
        sound=True,
    )


Ask = Callable[[Fit | SlicedFit], Posterior]


def _lost(
    fit: Fit | SlicedFit, ask: Ask, verdict: Verdict | None, level: float
) -> Iterable[JudgementRow]:
    if not fit.rollouts.ledger.errored:
        return
    treatments: tuple[tuple[LostAs, str], ...] = (("fail", "failed"), ("pass", "passed"))
    for at, (how, word) in enumerate(treatments):
        answer = ask(refit(fit, lost=how))
        judged = None if verdict is None else verdict.lost[at]
        yield _judgement(f"all errored rollouts {word}", answer, judged, level)


def _priors(
    fit: Fit | SlicedFit, ask: Ask, verdict: Verdict | None, level: float
) -> Iterable[JudgementRow]:
    judged = {} if verdict is None else {each.name: each for each in verdict.priors}
    for named in NAMED_PRIORS.values():
        prior = named.hierarchical()
        if all(each.prior == prior for each in Source(fit, None).fits):
            continue
        answer = ask(refit(fit, prior=prior))
        yield _judgement(named.label, answer, judged.get(named.label), level)


def _judgement(name: str, answer: Posterior, judged: Any, level: float) -> JudgementRow:
    lower, upper = answer.eti(level)
    return JudgementRow(
        name=name,
        mean=answer.mean,
        lower=lower,
        upper=upper,
        prob=None if judged is None else judged.prob,
        verdict=None if judged is None else judged.outcome,
    )


def provenance_of(
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    reading: Mapping[str, str | bool] | None = None,
    command: str | None = None,
    time: str | None = None,
) -> Provenance:
    """Say where results came from: the hash of each file, and how it was read.

    Parameters
    ----------
    files : iterable of str or path-like, default ()
        Files that were read; a folder stands for all files in it. Names are kept as given.
    reading : mapping, optional
        Options of `read` that differ from their defaults.
    command : str, optional
        The command that was given.
    time : str, optional
        When, ISO 8601; default: now, in UTC.

    Returns
    -------
    Provenance

    Raises
    ------
    InputError
        A file that cannot be read.
    """
    for name, text in (("command", command), ("time", time)):
        if text is not None:
            as_text(text, name)
    given = as_items(files, "files", of="names of files")
    return Provenance(
        inputs=tuple(_input(name) for name in _members(given)),
        reading=_options(reading),
        command=command,
        time=datetime.now(UTC).isoformat(timespec="seconds") if time is None else time,
    )


def _options(reading: Mapping[str, str | bool] | None) -> dict[str, str | bool]:
    options = {} if reading is None else as_mapping(reading, "reading", of="texts or flags")
    for name, value in options.items():
        as_text(name, "the name of an option")
        if not isinstance(value, bool):
            as_text(value, f"option {name!r}")
    return options


def _members(files: Iterable[str | os.PathLike[str]]) -> Iterable[str]:
    for each in files:
        name = as_path(each, "files")
        if not os.path.isdir(name):
            yield name
            continue
        for folder, folders, names in os.walk(name):
            folders.sort()
            yield from (os.path.join(folder, part) for part in sorted(names))


def _input(name: str) -> InputFile:
    digest, size = hashlib.sha256(), 0
    try:
        with open(name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or error}") from None
    return InputFile(name=name, sha256=digest.hexdigest(), size=size)


def _with_versions(provenance: Provenance, fit: Fit | SlicedFit) -> Provenance:
    names = LIBRARIES + (SAMPLERS if fit.engine == "nuts" else ())
    versions = {"bayeseval": __version__, "python": platform.python_version()}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "unknown"
    return Provenance(
        inputs=provenance.inputs,
        reading=provenance.reading,
        versions=versions,
        seed=fit.seed,
        command=provenance.command,
        time=provenance.time,
    )
