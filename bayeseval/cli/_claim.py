"""A claim about the rate of independent trials, in symbols, in probabilities and in words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from bayeseval.cli._text import ABOVE, BELOW, BETWEEN, side_of, verdict
from bayeseval.conjugate import BetaPosterior, beta_posterior
from bayeseval.unknown import Unknown

__all__ = ["Claim"]


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

    @property
    def bars(self) -> tuple[float | None, float | None]:
        """The lower and the upper end, None where it was not named."""
        if self.text.startswith("p >"):
            return self.lower, None
        return (None if self.text.startswith("p <") else self.lower), self.upper

    def prob_under(self, posterior: BetaPosterior) -> float:
        """Probability of the claim under another posterior of the rate."""
        above, below = self.bars
        if below is None:
            return posterior.prob_above(self.lower)
        if above is None:
            return posterior.prob_below(below)
        return posterior.prob_between(above, below)

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
