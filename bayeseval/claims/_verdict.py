"""Verdicts: what the data say of a claim, and why they may not decide."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bayeseval._format import format_probability, format_value
from bayeseval._validate import as_flag, as_number, one_of, shown
from bayeseval.claims._answers import Source, source_of
from bayeseval.claims._grammar import Claim, Comparison, parse_claim
from bayeseval.errors import BayesevalError, InputError
from bayeseval.hierarchical import Fit, fit_suite
from bayeseval.posterior import Posterior
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import LostAs
from bayeseval.sensitivity import NAMED_PRIORS
from bayeseval.slices import SlicedFit
from bayeseval.slices._refit import refit

__all__ = ["ClaimNotSupported", "Judgement", "Outcome", "Rule", "Verdict", "evaluate", "require"]

Outcome = Literal["supported", "contradicted", "inconclusive"]
Rule = Literal["posterior", "lower-bound"]


class ClaimNotSupported(BayesevalError, AssertionError):
    """A claim that was demanded is contradicted or inconclusive; the message is the verdict."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The probability of a claim under one set of assumptions.

    Parameters
    ----------
    name : str
        The assumption: a prior, or what became of errored rollouts.
    prob : float
        Probability that the claim holds.
    outcome : {"supported", "contradicted", "inconclusive"}
        What follows from it.
    """

    name: str
    prob: float
    outcome: Outcome


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verdict:
    """What the data say of a claim.

    Parameters
    ----------
    claim : Claim
        The claim.
    outcome : {"supported", "contradicted", "inconclusive"}
        The verdict.
    prob, prob_not : float
        Posterior probabilities that the claim holds, and that it does not.
    mcse : float
        Monte Carlo standard error of `prob`; 0 where it is exact.
    confidence : float
        The probability that a verdict needs.
    rule : {"posterior", "lower-bound"}
        What was held against it.
    posteriors : tuple of Posterior
        Of the quantity of each comparison.
    reasons : tuple of str
        Why the verdict is inconclusive; none if it is not.
    lost : tuple of Judgement
        If all errored rollouts had failed, and if all had passed.
    priors : tuple of Judgement
        Under other priors.
    """

    claim: Claim
    outcome: Outcome
    prob: float
    prob_not: float
    mcse: float
    confidence: float
    rule: Rule
    posteriors: tuple[Posterior, ...]
    reasons: tuple[str, ...]
    lost: tuple[Judgement, ...]
    priors: tuple[Judgement, ...]

    @property
    def supported(self) -> bool:
        """Whether the data support the claim."""
        return self.outcome == "supported"

    def __bool__(self) -> bool:
        return self.supported

    def __str__(self) -> str:
        """The verdict in a sentence or two."""
        prob = format_probability(self.prob)
        need = f"{100 * self.confidence:.10g} %"
        text = f"{self.outcome.upper()}: Pr[{self.claim}] = {prob} (needed {need}"
        text += ", by the lower bound)" if self.rule == "lower-bound" else ")"
        for comparison, posterior in zip(self.claim.comparisons, self.posteriors, strict=True):
            text += f"; {comparison.quantity}: {posterior.summary_text()}"
        return f"{text}." + "".join(f" {reason}." for reason in self.reasons)

    def __repr__(self) -> str:
        return f"Verdict({self})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(str(each))}</td><td>{html.escape(posterior.summary_text())}"
            "</td></tr>"
            for each, posterior in zip(self.claim.comparisons, self.posteriors, strict=True)
        )
        reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in self.reasons)
        return (
            f"<div><b>{self.outcome.upper()}</b> Pr[{html.escape(str(self.claim))}] = "
            f"{format_probability(self.prob)}<table>{rows}</table>"
            f"{f'<ul>{reasons}</ul>' if reasons else ''}</div>"
        )

    def document(self) -> dict[str, Any]:
        """The verdict for JSON; numbers are not rounded."""
        parts = []
        for comparison, posterior in zip(self.claim.comparisons, self.posteriors, strict=True):
            lower, upper = posterior.eti(0.95)
            parts.append(
                {
                    "claim": str(comparison),
                    "quantity": comparison.quantity,
                    "population": comparison.population,
                    "operator": comparison.operator,
                    "bar": comparison.bar,
                    "engine": posterior.engine,
                    "mean": posterior.mean,
                    "lower": lower,
                    "upper": upper,
                    "ci_prob": 0.95,
                    "ci_kind": "eti",
                    "prob": prob_of(comparison, posterior)[0],
                    "extrapolated": posterior.extrapolated,
                    "n_tasks": posterior.about.n_tasks,
                }
            )
        return {
            "claim": str(self.claim),
            "verdict": self.outcome,
            "prob": self.prob,
            "prob_not": self.prob_not,
            "mcse": self.mcse,
            "confidence": self.confidence,
            "rule": self.rule,
            "reasons": list(self.reasons),
            "comparisons": parts,
            "lost": [_judgement(each) for each in self.lost],
            "priors": [_judgement(each) for each in self.priors],
        }


def _judgement(each: Judgement) -> dict[str, Any]:
    return {"name": each.name, "prob": each.prob, "verdict": each.outcome}


def evaluate(
    claim: str | Claim,
    fit: Fit | SlicedFit,
    *,
    confidence: float = 0.95,
    rule: Rule = "posterior",
    baseline: Fit | None = None,
    sensitivity: bool = True,
) -> Verdict:
    """Judge a claim by a fit.

    Parameters
    ----------
    claim : str or Claim
        Such as ``"pass^3 >= 0.8"``; see `parse_claim`.
    fit : Fit or SlicedFit
        The results, fitted.
    confidence : float, default 0.95
        Probability that a verdict needs, above one half and below 1.
    rule : {"posterior", "lower-bound"}, default "posterior"
        ``"posterior"``: the probability of the claim must reach `confidence`.
        ``"lower-bound"``: the whole central interval of that level must lie on the claim's
        side of the bar, which asks for a probability of (1 + confidence) / 2.
    baseline : Fit, optional
        Results that ``[baseline]`` stands for, taken as independent of `fit`.
    sensitivity : bool, default True
        Whether the verdict must hold whatever became of errored rollouts, and under the
        other named priors; each is a refit by the exact engine.

    Returns
    -------
    Verdict
        ``supported`` where the probability reaches `confidence`, ``contradicted`` where
        it is at most 1 - confidence, and ``inconclusive`` between; and where a check
        failed, the claim reaches beyond what the data can say, or the verdict changes
        with the fate of errored rollouts or with the prior.

    Raises
    ------
    InputError
        A claim that cannot be read, or that asks for what the fit does not have.

    Notes
    -----
    Claims joined by ``and`` hold together with the probability that joint draws give; it is
    kept within the limits that the exact probabilities of the parts set to it.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 44 + [3] * 4 + [2] * 2, 4)
    >>> verdict = be.evaluate("pass_rate > 0.85", be.fit(suite, engine="exact"))
    >>> verdict.outcome, round(verdict.prob, 3)
    ('supported', 0.999)
    """
    as_flag(sensitivity, "sensitivity")
    parsed = parse_claim(claim)
    level = as_confidence(confidence)
    one_of(rule, Rule, "rule")
    source = source_of(fit, baseline)
    posteriors = tuple(source.posterior(each) for each in parsed.comparisons)
    prob, prob_not, mcse = _joint(parsed, source, posteriors)
    first = outcome_of(prob, prob_not, level, rule)
    reasons = list(_doubts(source, posteriors))
    lost: tuple[Judgement, ...] = ()
    priors: tuple[Judgement, ...] = ()
    if sensitivity:
        lost = tuple(_lost(parsed, source, level, rule))
        priors = tuple(_priors(parsed, source, level, rule))
        for each in lost:
            if each.outcome != first:
                reasons.append(
                    f"It would be {each.outcome} (Pr = {format_probability(each.prob)}) if "
                    f"{each.name}"
                )
        for each in priors:
            if each.outcome != first:
                reasons.append(
                    f"It would be {each.outcome} (Pr = {format_probability(each.prob)}) under "
                    f"the {each.name} prior"
                )
    if first == "inconclusive":
        reasons.insert(0, _between(prob, level, rule))
    outcome: Outcome = "inconclusive" if reasons else first
    return Verdict(
        parsed, outcome, prob, prob_not, mcse, level, rule, posteriors, tuple(reasons), lost, priors
    )


def require(
    fit: Fit | SlicedFit | Rollouts,
    claim: str | Claim,
    *,
    confidence: float = 0.95,
    rule: Rule = "posterior",
    baseline: Fit | None = None,
) -> Verdict:
    """Demand a claim in a test: fails with the verdict where it is not supported.

    Parameters
    ----------
    fit : Fit, SlicedFit or Rollouts
        The results; rollouts are fitted by the exact engine.
    claim, confidence, rule, baseline
        As in `evaluate`.

    Returns
    -------
    Verdict
        The verdict, which is ``supported``.

    Raises
    ------
    ClaimNotSupported
        An AssertionError whose message is the verdict.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts([4] * 44 + [3] * 4 + [2] * 2, 4)
    >>> be.require(suite, "pass_rate > 0.85").outcome
    'supported'
    """
    fitted = fit_suite(fit, engine="exact") if isinstance(fit, Rollouts) else fit
    verdict = evaluate(claim, fitted, confidence=confidence, rule=rule, baseline=baseline)
    if not verdict.supported:
        raise ClaimNotSupported(str(verdict))
    return verdict


def as_confidence(value: Any) -> float:
    """Return a confidence above one half and below 1."""
    number = as_number(value, "confidence")
    if not 0.5 < number < 1.0:
        hint = " (a percentage? divide it by 100)" if 1 < number <= 100 else ""
        raise InputError(f"confidence must lie above 0.5 and below 1; got {shown(value)}{hint}")
    return number


def prob_of(comparison: Comparison, posterior: Posterior) -> tuple[float, float]:
    """Probability that a comparison holds, and that it does not, each as itself."""
    ask: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        ">": (posterior._above, posterior._below),
        ">=": (posterior._at_least, posterior._strictly_below),
        "<": (posterior._strictly_below, posterior._at_least),
        "<=": (posterior._below, posterior._above),
    }
    holds, fails = ask[comparison.operator]
    bar = np.array([comparison.bar])
    return float(holds(bar)[0]), float(fails(bar)[0])


def outcome_of(prob: float, prob_not: float, confidence: float, rule: Rule) -> Outcome:
    """What follows from the probabilities of a claim and of its contrary."""
    need = 1.0 - confidence if rule == "posterior" else 0.5 * (1.0 - confidence)
    # The smaller of the two keeps its digits. Rounding must not turn a tie.
    if prob_not <= need * (1.0 + 1e-12):
        return "supported"
    return "contradicted" if prob <= need * (1.0 + 1e-12) else "inconclusive"


def _joint(
    claim: Claim, source: Source, posteriors: tuple[Posterior, ...]
) -> tuple[float, float, float]:
    """Probability of the whole claim, of its contrary, and the Monte Carlo error."""
    pairs = [
        prob_of(each, posterior)
        for each, posterior in zip(claim.comparisons, posteriors, strict=True)
    ]
    if len(pairs) == 1:
        (comparison,), (posterior,) = claim.comparisons, posteriors
        return (*pairs[0], posterior.mcse_prob_above(comparison.bar))
    # Whatever the dependence, the probability lies between these two (Frechet).
    fails = [prob_not for _, prob_not in pairs]
    least, most = max(fails), min(sum(fails), 1.0)
    holds = np.all([_holds(each, source.draws(each)) for each in claim.comparisons], axis=0)
    share = float(np.mean(~holds))
    prob_not = min(max(share, least), most)
    mcse = 0.0 if most - least < 1e-12 else float(np.sqrt(share * (1.0 - share) / holds.size))
    return 1.0 - prob_not, prob_not, mcse


def _holds(comparison: Comparison, values: Any) -> Any:
    compare: dict[str, Callable[[Any, float], Any]] = {
        ">": np.greater,
        ">=": np.greater_equal,
        "<": np.less,
        "<=": np.less_equal,
    }
    return compare[comparison.operator](values, comparison.bar)


def _doubts(source: Source, posteriors: tuple[Posterior, ...]) -> Iterable[str]:
    """Why no verdict may stand on this fit."""
    failed = source.fit.checks.failed + (
        () if source.baseline is None else source.baseline.checks.failed
    )
    for check in failed:
        yield f"Check {check.name} failed: {check.remedy}"
    for posterior in posteriors:
        if not np.isfinite(posterior.mean):
            yield f"{posterior.title} is UNKNOWN"


def _between(prob: float, confidence: float, rule: Rule) -> str:
    tail = 1.0 - confidence if rule == "posterior" else 0.5 * (1.0 - confidence)
    ends = format_value((tail, 1.0 - tail), "percent")
    return f"The probability lies between the two bars of a verdict ({ends})"


def _lost(claim: Claim, source: Source, confidence: float, rule: Rule) -> Iterable[Judgement]:
    """The claim if all errored rollouts had failed, and if all had passed."""
    sides = [source.fit] + ([] if source.baseline is None else [source.baseline])
    if not any(each.rollouts.ledger.errored for each in sides):
        return
    treatments: tuple[tuple[LostAs, LostAs, str], ...] = (
        ("fail", "pass", "failed"),
        ("pass", "fail", "passed"),
    )
    # Against a baseline, the errored rollouts of the baseline go the other way.
    for how, other, word in treatments:
        fit = refit(source.fit, lost=how)
        baseline = None if source.baseline is None else refit(source.baseline, lost=other)
        name = f"all errored rollouts had {word}"
        if source.baseline is not None and source.baseline.rollouts.ledger.errored:
            name += f", those of the baseline {'passed' if how == 'fail' else 'failed'}"
        yield _judge(name, claim, Source(fit, baseline), confidence, rule)


def _priors(claim: Claim, source: Source, confidence: float, rule: Rule) -> Iterable[Judgement]:
    for named in NAMED_PRIORS.values():
        prior = named.hierarchical()
        if all(each.prior == prior for each in source.fits):
            continue
        fit = refit(source.fit, prior=prior)
        baseline = None if source.baseline is None else refit(source.baseline, prior=prior)
        yield _judge(named.label, claim, Source(fit, baseline), confidence, rule)


def _judge(name: str, claim: Claim, source: Source, confidence: float, rule: Rule) -> Judgement:
    posteriors = tuple(source.posterior(each) for each in claim.comparisons)
    prob, prob_not, _ = _joint(claim, source, posteriors)
    return Judgement(name, prob, outcome_of(prob, prob_not, confidence, rule))
