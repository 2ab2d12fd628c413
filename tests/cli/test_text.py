"""Sentences about a claim: every combination of what was seen and what is probable."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayeseval.cli._text import ABOVE, BELOW, BETWEEN, Observed, odds, side_of, verdict


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.0, "less than one in a million"),
        (9e-7, "less than one in a million"),
        (1e-6, "about one in a million"),
        (0.000123, "about one in 8,100"),
        (1 / 230.4, "about one in 230"),
        (0.01, "about one in 100"),
        (0.027, "about one in 35"),
        (0.0499, "about one in twenty"),
        (0.05, "about one in twenty"),
        (0.1207, "about one in eight"),
        (0.25, "about one in four"),
        (0.4, "about two in five"),
        (0.49, "about one in two"),
        (0.55, "about one in two"),
    ],
)
def test_odds(probability: float, words: str) -> None:
    assert odds(probability) == words


@given(st.floats(1e-6, 0.5))
def test_odds_in_words_are_near_the_number(probability: float) -> None:
    words = odds(probability).removeprefix("about ").split(" in ")
    numbers = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    numbers += "fifteen sixteen seventeen eighteen nineteen twenty"
    value = {name: number for number, name in enumerate(numbers.split(), start=1)}
    value["a million"] = 10**6
    part = value[words[0]]
    whole = value.get(words[1]) or int(words[1].replace(",", ""))
    assert part / whole == pytest.approx(probability, rel=0.16)


@pytest.mark.parametrize(
    ("observed", "holds", "sentence"),
    [
        (
            "holds",
            0.88,
            "The observed rate clears the bar; the true rate falls short with probability about "
            "one in eight.",
        ),
        (
            "holds",
            0.25,
            "The observed rate clears the bar, but the true rate more likely falls short: it "
            "clears the bar only with probability about one in four.",
        ),
        (
            "fails",
            0.1,
            "The observed rate falls short of the bar; the true rate clears it with probability "
            "about one in ten.",
        ),
        (
            "fails",
            0.8,
            "The observed rate falls short of the bar, but the true rate more likely clears it: "
            "it falls short of the bar only with probability about one in five.",
        ),
        (
            "on the edge",
            0.4,
            "The observed rate lies exactly on the bar; the true rate clears it with probability "
            "about two in five.",
        ),
        (
            "on the edge",
            0.6,
            "The observed rate lies exactly on the bar; the true rate falls short with "
            "probability about two in five.",
        ),
        (
            "nothing",
            0.05,
            "Nothing was observed; under the prior alone the true rate clears the bar with "
            "probability about one in twenty.",
        ),
        (
            "holds",
            0.48,
            "The observed rate clears the bar; the true rate falls short with probability about "
            "one in two.",
        ),
    ],
)
def test_verdict_above(observed: Observed, holds: float, sentence: str) -> None:
    assert verdict(observed, holds, 1 - holds, ABOVE) == sentence


def test_verdict_below_and_between_have_their_own_words() -> None:
    assert verdict("holds", 0.9, 0.1, BELOW) == (
        "The observed rate stays below the limit; the true rate exceeds it with probability "
        "about one in ten."
    )
    assert verdict("fails", 0.1, 0.9, BETWEEN) == (
        "The observed rate lies outside the range; the true rate lies inside it with probability "
        "about one in ten."
    )


@pytest.mark.parametrize(
    ("rate", "lower", "upper", "side"),
    [
        (Fraction(19, 20), 0.95, 1.0, "on the edge"),
        (Fraction(29, 100), 0.29, 1.0, "on the edge"),
        (Fraction(191, 200), 0.95, 1.0, "holds"),
        (Fraction(189, 200), 0.95, 1.0, "fails"),
        (Fraction(1), 0.95, 1.0, "holds"),
        (Fraction(0), 0.0, 0.05, "holds"),
        (Fraction(1, 20), 0.0, 0.05, "on the edge"),
        (Fraction(1), 1.0, 1.0, "on the edge"),
        (None, 0.5, 1.0, "nothing"),
    ],
)
def test_side_of_compares_fractions(
    rate: Fraction | None, lower: float, upper: float, side: str
) -> None:
    assert side_of(rate, lower, upper) == side
