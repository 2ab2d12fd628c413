"""What ``bayeseval rate`` answers, as text and as a document."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from bayeseval import __version__
from bayeseval._format import format_percent, format_probability, format_value
from bayeseval._interval import Interval
from bayeseval._validate import (
    LARGEST_COUNT,
    as_positive,
    as_probability,
    as_whole,
    nearest_names,
)
from bayeseval.baselines import interval
from bayeseval.cli._tables import Printer, bare_percent, bare_range, level
from bayeseval.cli._text import ABOVE, BELOW, BETWEEN, side_of, verdict
from bayeseval.conjugate import NAMED_PRIORS, BetaPosterior, BetaPrior, beta_posterior
from bayeseval.errors import InputError
from bayeseval.io._totals import Totals
from bayeseval.posterior import DiscretePosterior
from bayeseval.unknown import Unknown

__all__ = ["RateReport", "parse_counts"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about the true rate p, and how probable it is.

    Parameters
    ----------
    text : str
        The claim in symbols, such as ``p > 0.95``.
    lower, upper : float
        The claim is lower < p < upper; 0 and 1 where that end is open.
    prob, prob_not : float
        Posterior probabilities of the claim and of its contrary, each computed as itself.
    log_bayes_factor : float or Unknown
        Natural log of the Bayes factor for the claim against its contrary.
    sentence : str
        The verdict in words.
    """

    text: str
    lower: float
    upper: float
    prob: float
    prob_not: float
    log_bayes_factor: float | Unknown
    sentence: str

    @classmethod
    def above(cls, posterior: BetaPosterior, threshold: float) -> Claim:
        prob, prob_not = posterior.prob_above(threshold), posterior.prob_below(threshold)
        side = side_of(_observed(posterior), threshold, 1.0)
        factor = _log_factor_above(posterior, threshold)
        sentence = verdict(side, prob, prob_not, ABOVE)
        return cls(f"p > {threshold:.15g}", threshold, 1.0, prob, prob_not, factor, sentence)

    @classmethod
    def below(cls, posterior: BetaPosterior, threshold: float) -> Claim:
        prob, prob_not = posterior.prob_below(threshold), posterior.prob_above(threshold)
        side = side_of(_observed(posterior), 0.0, threshold)
        factor = _log_factor_above(posterior, threshold)
        against = factor if isinstance(factor, Unknown) else -factor
        sentence = verdict(side, prob, prob_not, BELOW)
        return cls(f"p < {threshold:.15g}", 0.0, threshold, prob, prob_not, against, sentence)

    @classmethod
    def between(cls, posterior: BetaPosterior, lower: float, upper: float) -> Claim:
        prob = posterior.prob_between(lower, upper)
        prob_not = posterior.prob_below(lower) + posterior.prob_above(upper)
        side = side_of(_observed(posterior), lower, upper)
        sentence = verdict(side, prob, prob_not, BETWEEN)
        text = f"{lower:.15g} < p < {upper:.15g}"
        before = beta_posterior(0, 0, prior=posterior.prior)
        odds = (
            prob,
            prob_not,
            before.prob_between(lower, upper),
            before.prob_below(lower) + before.prob_above(upper),
        )
        factor: float | Unknown = Unknown("one side has no probability")
        if min(odds) > 0:
            logs = np.log(odds)
            factor = float(logs[0] - logs[1] - (logs[2] - logs[3]))
        return cls(text, lower, upper, prob, prob_not, factor, sentence)

    @property
    def contrary(self) -> str:
        """The contrary of the claim, in symbols."""
        if self.upper == 1.0:
            return self.text.replace(">", "<=")
        return self.text.replace("<", ">=") if self.lower == 0.0 else "p outside"

    def document(self) -> dict[str, Any]:
        """Return the claim for JSON."""
        return {
            "claim": self.text,
            "lower": self.lower,
            "upper": self.upper,
            "prob": self.prob,
            "prob_not": self.prob_not,
            "log_bayes_factor": self.log_bayes_factor,
            "sentence": self.sentence,
        }


def _observed(posterior: BetaPosterior) -> Fraction | None:
    return Fraction(posterior.passes, posterior.trials) if posterior.trials else None


def _log_factor_above(posterior: BetaPosterior, threshold: float) -> float | Unknown:
    if not 0 < threshold < 1:
        return Unknown("one side of this bar is empty")
    factor = posterior.log_bayes_factor_above(threshold)
    return factor if np.isfinite(factor) else Unknown("it is beyond what a number can hold")


@dataclass(frozen=True, slots=True, eq=False)
class RateReport:
    """Everything that ``bayeseval rate`` says.

    Parameters
    ----------
    posterior : BetaPosterior
        With the counts and the prior.
    ci_prob : float
        Level of all intervals.
    wilson : Interval
        The frequentist interval beside it.
    claims : tuple of Claim
        One for each bar.
    next : DiscretePosterior or None
        The prediction for the next trials.
    source : str or None
        The file, where the counts came from one.
    """

    posterior: BetaPosterior
    ci_prob: float
    wilson: Interval
    claims: tuple[Claim, ...]
    next: DiscretePosterior | None
    source: str | None = None

    @classmethod
    def of(
        cls,
        counts: str,
        *,
        metric: str | None = None,
        filter: str | None = None,
        format: str | None = None,
        above: str | None,
        below: str | None,
        between: tuple[str, str] | None,
        prior: str | None,
        prior_mean: str | None,
        prior_weight: str | None,
        next_trials: int | None,
        ci_prob: str,
    ) -> RateReport:
        """Parse what the command line was given, and compute."""
        source = None
        if _is_file(counts):
            passes, trials, source = _counts_in(counts, metric, filter, format)
        else:
            for option, value in (("metric", metric), ("filter", filter), ("format", format)):
                if value is not None:
                    raise InputError(f"--{option} belongs to a FILE; got the counts {counts}")
            passes, trials = parse_counts(counts)
        chosen = _parse_prior(prior, prior_mean, prior_weight)
        prob = as_probability(ci_prob, "--ci-prob", open_ends=True)
        posterior = beta_posterior(passes, trials, prior=chosen)
        claims = []
        if above is not None:
            claims.append(Claim.above(posterior, as_probability(above, "--above")))
        if below is not None:
            claims.append(Claim.below(posterior, as_probability(below, "--below")))
        if between is not None:
            lower, upper = (as_probability(end, "--between") for end in between)
            if lower >= upper:
                raise InputError(f"--between takes the lower end first; got {lower:g} {upper:g}")
            claims.append(Claim.between(posterior, lower, upper))
        predicted = None
        if next_trials is not None:
            if as_whole(next_trials, "--next", minimum=1) > _MOST_NEXT:
                raise InputError(f"--next must be at most {_MOST_NEXT:,}; got {next_trials}")
            predicted = posterior.predictive(next_trials)
        wilson = interval(passes, trials, ci_prob=prob)
        return cls(posterior, prob, wilson, tuple(claims), predicted, source)

    @property
    def observed(self) -> float | Unknown:
        """Passes / trials."""
        if self.posterior.trials == 0:
            return Unknown("there was no trial")
        return self.posterior.passes / self.posterior.trials

    def print(self, printer: Printer) -> None:
        """Print it for people."""
        posterior = self.posterior
        credible, prob = posterior.eti(self.ci_prob), level(self.ci_prob)
        title = f"{posterior.passes:,} of {posterior.trials:,} passed"
        if not isinstance(self.observed, Unknown):
            title += f": {format_percent(self.observed)}"
        if self.source is not None:
            title = f"{self.source}: {title}"
        rows = [
            ("posterior mean", bare_percent(posterior.mean), bare_range(credible), _CREDIBLE),
            ("posterior median", bare_percent(posterior.median), "", ""),
            ("Wilson", bare_percent(self.observed), bare_range(self.wilson), "confidence interval"),
        ]
        printer.table(
            title,
            ["", "rate, %", f"{prob} interval", "kind"],
            rows,
            left=(0, 3),
            notes=[f"Prior {posterior.prior}; trials are taken as independent, one for each task."],
        )
        if self.claims or self.next is not None:
            printer.table("", ["question", "answer"], self._answers(), left=(0,))
        if self.claims:
            printer.text()
        for claim in self.claims:
            several = len(self.claims) > 1
            printer.text(f"{claim.text}: {claim.sentence}" if several else claim.sentence)

    def _answers(self) -> list[tuple[str, str]]:
        rows = []
        for claim in self.claims:
            rows.append((f"Pr[{claim.text}]", _probability(claim.prob, claim.prob_not)))
            rows.append((f"Pr[{claim.contrary}]", _probability(claim.prob_not, claim.prob)))
            if not isinstance(claim.log_bayes_factor, Unknown):
                label = f"Bayes factor for {claim.text} against {claim.contrary}"
                rows.append((label, _factor_text(claim.log_bayes_factor)))
        if self.next is not None:
            m = int(self.next.support[1])
            lower, upper = self.next.eti(self.ci_prob)
            rows.append((f"passes in the next {m:,}, mean", format_value(self.next.mean, "number")))
            label = f"passes in the next {m:,}, {level(self.ci_prob)} interval"
            rows.append((label, f"{lower:,.0f} to {upper:,.0f}"))
            rows.append((f"Pr[all of the next {m:,} pass]", format_probability(self._all_pass)))
        return rows

    @property
    def _all_pass(self) -> float:
        assert self.next is not None
        return float(self.next.probabilities[-1])

    def document(self) -> dict[str, Any]:
        """Return everything for JSON, unrounded."""
        posterior = self.posterior
        lower, upper = posterior.eti(self.ci_prob)
        document: dict[str, Any] = {
            "schema": "bayeseval.rate/1",
            "version": __version__,
            "source": self.source,
            "passes": posterior.passes,
            "trials": posterior.trials,
            "observed_rate": self.observed,
            "prior": _components(posterior.prior.components),
            "posterior": {
                "alpha": float(posterior.alpha[0]),
                "beta": float(posterior.beta[0]),
                "mean": posterior.mean,
                "median": posterior.median,
                "sd": posterior.sd,
                "lower": lower,
                "upper": upper,
                "ci_prob": self.ci_prob,
                "ci_kind": "eti",
            },
            "wilson": {
                "lower": self.wilson.lower,
                "upper": self.wilson.upper,
                "ci_prob": self.ci_prob,
            },
            "claims": [claim.document() for claim in self.claims],
            "next": None,
        }
        if self.next is not None:
            low, high = self.next.eti(self.ci_prob)
            document["next"] = {
                "trials": int(self.next.support[1]),
                "mean": self.next.mean,
                "lower": low,
                "upper": high,
                "ci_prob": self.ci_prob,
                "prob_all_pass": self._all_pass,
            }
        return document


_CREDIBLE = "equal-tailed credible interval"


def _components(components: tuple[tuple[float, float, float], ...]) -> dict[str, float]:
    _, alpha, beta = components[0]
    return {"alpha": alpha, "beta": beta}


def _probability(probability: float, contrary: float) -> str:
    """A probability, by its distance from 1 where nothing else would be seen of it."""
    if probability > 0.5 and 0 < contrary < 1e-6:
        return f"1 - {contrary:.1e}"
    return format_probability(probability)


def _factor_text(log_factor: float) -> str:
    if abs(log_factor) > 50:
        return f"e^{log_factor:,.0f}"
    return f"{np.exp(log_factor):.3g}"


_COUNTS = re.compile(r"\s*([+-]?[0-9]+)\s*/\s*([+-]?[0-9]+)\s*")
_ASK = "PASSES/TRIALS must be two whole numbers such as 194/200"
_MOST_NEXT = 10_000_000


def _is_file(text: str) -> bool:
    return _COUNTS.fullmatch(text) is None and (text == "-" or os.path.isfile(text))


def _counts_in(
    path: str, metric: str | None, filter: str | None, format: str | None
) -> tuple[int, int, str]:
    """Return passes and trials of a file whose trials may be taken as independent."""
    # Loads the readers.
    from bayeseval.io._read import total_or_suite

    found = total_or_suite(path, format=format, metric=metric, filter=filter)
    if isinstance(found, Totals):
        if found.passes is None:
            raise InputError(
                f"{path}: {found.name} is {found.rate:.6g} of {found.trials:,}, which no whole "
                f"number of passes has: a mean of scores, not a pass rate"
            )
        return found.passes, found.trials, f"{path}, {found.name}"
    if found.max_trials > 1:
        raise InputError(
            f"{path}: several rollouts of a task are not independent; use 'bayeseval fit {path}'"
        )
    return found.ledger.passed, found.ledger.scored, path


def parse_counts(text: str) -> tuple[int, int]:
    """Read ``194/200``; anything else is an error that says what is missing."""
    match = _COUNTS.fullmatch(text)
    if match is None:
        raise InputError(f"{_ASK}; got {text!r}{_hint(text)}")
    passes, trials = int(match[1]), int(match[2])
    if min(passes, trials) < 0:
        raise InputError(f"{_ASK}, neither negative; got {text!r}")
    if trials > LARGEST_COUNT:
        raise InputError(f"{_ASK}; got {text!r}, which is too large for a count")
    if passes > trials:
        raise InputError(
            f"passes must not exceed trials; got {text!r} "
            f"(the passes come first: {trials}/{passes}?)"
        )
    return passes, trials


def _hint(text: str) -> str:
    parts = text.strip().rstrip("%").split("/")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return ""
    if len(numbers) == 2:
        return ": counts are whole"
    if len(numbers) > 2:
        return ""
    if "%" in text or "." in text:
        return ": a rate alone does not say how many trials it rests on"
    return f": {text.strip()} of how many trials?"


def _parse_prior(name: str | None, mean: str | None, weight: str | None) -> BetaPrior:
    if mean is not None or weight is not None:
        if name is not None:
            raise InputError("give either --prior or --prior-mean with --prior-weight, not both")
        if mean is None or weight is None:
            raise InputError("--prior-mean and --prior-weight go together; only one was given")
        return BetaPrior.from_mean(
            as_probability(mean, "--prior-mean", open_ends=True),
            as_positive(weight, "--prior-weight"),
        )
    if name is None:
        return BetaPrior()
    alpha, comma, beta = name.partition(",")
    if comma:
        return BetaPrior(
            as_positive(alpha, "--prior: ALPHA"),
            as_positive(beta, "--prior: BETA"),
        )
    known = ", ".join(NAMED_PRIORS)
    if name not in NAMED_PRIORS:
        raise InputError(
            f"--prior must be one of {known}, or two numbers ALPHA,BETA; got {name!r}"
            f"{nearest_names(name, NAMED_PRIORS)}"
        )
    return BetaPrior(*NAMED_PRIORS[name])
