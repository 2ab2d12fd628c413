"""What ``bayeseval rate`` answers, as text and as a document."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
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
from bayeseval.cli._claim import Claim
from bayeseval.cli._sensitivity import prior_document, prior_lines
from bayeseval.cli._tables import Printer, bare_percent, bare_range, level
from bayeseval.conjugate import NAMED_PRIORS, BetaPosterior, BetaPrior, beta_posterior
from bayeseval.errors import InputError
from bayeseval.posterior import DiscretePosterior
from bayeseval.sensitivity import PriorSensitivity, prior_sensitivity
from bayeseval.unknown import Unknown

__all__ = ["RateReport", "parse_counts"]


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
    priors : tuple of PriorSensitivity
        Each claim, or the rate where there is none, under other priors.
    source : str or None
        The file, where the counts came from one.
    errored : int
        Rollouts of the file that were not scored, and are left out.
    """

    posterior: BetaPosterior
    ci_prob: float
    wilson: Interval
    claims: tuple[Claim, ...]
    next: DiscretePosterior | None
    priors: tuple[PriorSensitivity, ...]
    source: str | None = None
    errored: int = 0

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
        source, errored = None, 0
        if _is_file(counts):
            passes, trials, errored, source = _counts_in(counts, metric, filter, format)
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
        bars = [claim.bars for claim in claims] or [(None, None)]
        priors = tuple(
            prior_sensitivity(posterior, above=low, below=high, ci_prob=prob) for low, high in bars
        )
        return cls(posterior, prob, wilson, tuple(claims), predicted, priors, source, errored)

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
        priors = prior_lines(self.priors)
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
            notes=[
                f"Prior {posterior.prior}; trials are taken as independent, one for each task.",
                *([] if self.claims else priors),
            ],
        )
        if self.errored:
            self._print_lost(printer)
        if self.claims or self.next is not None:
            notes = priors if self.claims else []
            printer.table("", ["question", "answer"], self._answers(), left=(0,), notes=notes)
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

    def _lost(self) -> tuple[BetaPosterior, BetaPosterior] | None:
        """The rate if all errored rollouts had failed, and if all had passed."""
        if self.errored == 0:
            return None
        passes, trials = self.posterior.passes, self.posterior.trials + self.errored
        prior = self.posterior.prior
        return (
            beta_posterior(passes, trials, prior=prior),
            beta_posterior(passes + self.errored, trials, prior=prior),
        )

    def _print_lost(self, printer: Printer) -> None:
        lost = self._lost()
        assert lost is not None
        columns = (self.posterior, *lost)
        rows = [
            ("posterior mean, %", *(bare_percent(each.mean) for each in columns)),
            (
                f"{level(self.ci_prob)} interval",
                *(bare_range(each.eti(self.ci_prob)) for each in columns),
            ),
        ]
        for claim in self.claims:
            probs = (format_probability(claim.prob_under(each)) for each in columns)
            rows.append((f"Pr[{claim.text}]", *probs))
        printer.table(
            f"If the errored rollouts ({self.errored:,}) had been scored",
            ["", "left out", "all failed", "all passed"],
            rows,
            notes=["Errored rollouts are left out above; these two answers bound what they hide."],
        )

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
            "priors": [prior_document(each) for each in self.priors],
            "errored": self.errored,
            "lost": None,
            "next": None,
        }
        if (lost := self._lost()) is not None:
            document["lost"] = {
                name: self._lost_document(each)
                for name, each in zip(("if_failed", "if_passed"), lost, strict=True)
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

    def _lost_document(self, posterior: BetaPosterior) -> dict[str, Any]:
        lower, upper = posterior.eti(self.ci_prob)
        return {
            "passes": posterior.passes,
            "trials": posterior.trials,
            "mean": posterior.mean,
            "lower": lower,
            "upper": upper,
            "ci_prob": self.ci_prob,
            "probs": {claim.text: claim.prob_under(posterior) for claim in self.claims},
        }


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
) -> tuple[int, int, int, str]:
    """Return passes, trials and errored rollouts of a file with one rollout for each task."""
    # Loads the readers.
    from bayeseval.io._read import total_or_suite
    from bayeseval.io._totals import Totals

    found = total_or_suite(path, format=format, metric=metric, filter=filter)
    if isinstance(found, Totals):
        if found.passes is None:
            raise InputError(
                f"{path}: {found.name} is {found.rate:.6g} of {found.trials:,}, which no whole "
                f"number of passes has: a mean of scores, not a pass rate"
            )
        return found.passes, found.trials, 0, f"{path}, {found.name}"
    if found.max_trials > 1:
        raise InputError(
            f"{path}: several rollouts of a task are not independent; use 'bayeseval fit {path}'"
        )
    ledger = found.ledger
    return ledger.passed, ledger.scored, ledger.errored, path


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
