"""Sentences: probabilities and verdicts in words that nobody can misread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

__all__ = ["ABOVE", "BELOW", "BETWEEN", "Observed", "Wording", "odds", "side_of", "verdict"]

Observed = Literal["holds", "fails", "on the edge", "nothing"]

_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
)  # fmt: skip
# Fractions that people say: one in two, two in five, one in three, ..., one in twenty.
_FRACTIONS = ((1, 2), (2, 5), *((1, n) for n in range(3, 21)))


def odds(probability: float) -> str:
    """A probability of at most about one half in words: 0.12 is ``about one in eight``.

    Parameters
    ----------
    probability : float
        Probability, 0-1; meant for the smaller of two that sum to 1.
    """
    if probability < 1e-6:
        return "less than one in a million"
    if probability >= 0.05:

        def distance(fraction: tuple[int, int]) -> float:
            return abs(math.log(fraction[0] / fraction[1] / probability))

        part, whole = min(_FRACTIONS, key=distance)
        return f"about {_NUMBERS[part]} in {_NUMBERS[whole]}"
    whole = round(1 / probability)
    if whole < 100:
        whole = 5 * round(whole / 5)
    else:
        # Two digits: more would pretend to a precision that no such probability has.
        step = 10 ** (len(str(whole)) - 2)
        whole = step * round(whole / step)
    return f"about one in {_NUMBERS[20] if whole == 20 else _grouped(whole)}"


def _grouped(whole: int) -> str:
    return "a million" if whole == 10**6 else f"{whole:,}"


@dataclass(frozen=True, slots=True)
class Wording:
    """How a claim is put into words.

    Parameters
    ----------
    observed_holds, observed_fails, observed_edge : str
        What the observed rate does where it meets the claim, misses it, or lies on its
        edge.
    holds, fails : str
        The same of the true rate, in the second half of the sentence.
    """

    observed_holds: str
    observed_fails: str
    observed_edge: str
    holds: str
    fails: str


ABOVE = Wording(
    "clears the bar", "falls short of the bar", "lies exactly on the bar", "clears it",
    "falls short",
)  # fmt: skip
BELOW = Wording(
    "stays below the limit", "exceeds the limit", "lies exactly on the limit", "stays below it",
    "exceeds it",
)  # fmt: skip
BETWEEN = Wording(
    "lies inside the range", "lies outside the range", "lies on the edge of the range",
    "lies inside it", "lies outside it",
)  # fmt: skip


def verdict(observed: Observed, holds: float, fails: float, wording: Wording) -> str:
    """Return one sentence on a claim: what was observed, and what is true how probably.

    It always speaks of the less probable side, since that is the risk.

    Parameters
    ----------
    observed : {"holds", "fails", "on the edge", "nothing"}
        Whether the observed rate meets the claim.
    holds, fails : float
        Posterior probabilities that the true rate meets the claim, and that it does not.
    wording : Wording
        The words of this kind of claim.
    """
    risk = f"with probability {odds(min(fails, holds))}"
    if observed == "nothing":
        does = wording.observed_fails if fails <= holds else wording.observed_holds
        return f"Nothing was observed; under the prior alone the true rate {does} {risk}."
    if observed == "on the edge":
        does = wording.fails if fails <= holds else wording.holds
        return f"The observed rate {wording.observed_edge}; the true rate {does} {risk}."
    if observed == "holds":
        seen, contrary, agrees, differs = wording.observed_holds, wording.fails, holds, fails
    else:
        seen, contrary, agrees, differs = wording.observed_fails, wording.holds, fails, holds
    # About even: neither side is called the more likely one.
    if differs > 0.55:
        return (
            f"The observed rate {seen}, but the true rate more likely {contrary}: "
            f"it {seen} only with probability {odds(agrees)}."
        )
    return f"The observed rate {seen}; the true rate {contrary} with probability {odds(differs)}."


def side_of(rate: Fraction | None, lower: float, upper: float) -> Observed:
    """Where an observed rate, if there is one, lies about the range from `lower` to `upper`.

    The comparison is of fractions: 19 of 20 lies exactly on 0.95, as written.
    """
    if rate is None:
        return "nothing"
    low, high = Fraction(repr(lower)), Fraction(repr(upper))
    # An end of the scale is no edge, unless it is the bar itself: nothing lies beyond it.
    if (rate == low and low > 0) or (rate == high and high < 1):
        return "on the edge"
    return "holds" if low <= rate <= high else "fails"
