"""Numbers for people: never a certainty that is none, never a minus zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayeseval._format import format_percent, format_probability, format_value


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0.0 %"),
        (1.0, "100.0 %"),
        (0.8, "80.0 %"),
        (0.9996, "99.96 %"),
        (0.9995, "99.95 %"),
        (0.99999, "99.999 %"),
        (0.0004, "0.04 %"),
        (0.00001, "0.001 %"),
        (-0.125, "-12.5 %"),
        (1e-9, "0.0 %"),
        (1 - 1e-12, "100.0 %"),
    ],
)
def test_percent(share: float, text: str) -> None:
    assert format_percent(share) == text


@given(st.floats(1e-8, 1 - 1e-8))
def test_percent_shows_no_certainty_that_is_none(share: float) -> None:
    shown = float(format_percent(share).removesuffix(" %"))
    assert 0 < shown < 100
    assert shown == pytest.approx(100 * share, abs=0.0500001)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ((0.711, 0.867), "percent", "71.1-86.7 %"),
        ((0.9981, 0.99995), "percent", "99.8-99.995 %"),
        (0.069, "points", "+6.9 points"),
        (-0.833, "points", "-83.3 points"),
        ((-0.038, 0.176), "points", "-3.8 to +17.6 points"),
        (0.0003, "points", "+0.03 points"),
        (0.9999, "points", "+100.0 points"),
        (0.0, "points", "+0.0 points"),
        (-0.0, "points", "+0.0 points"),
        (-1e-12, "points", "+0.0 points"),
        (8.0, "number", "8"),
        (0.12345, "number", "0.123"),
        (12.3456, "number", "12.35"),
        (-2.5, "number", "-2.5"),
        (999.4, "number", "999.4"),
        (999.96, "number", "1,000"),
        (80_000.0, "number", "80,000"),
        ((1_234.5, 1e6), "number", "1,234 to 1,000,000"),
    ],
)
def test_value_in_its_unit(value: float, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (0.0, "0.000"),
        (1.0, "1.000"),
        (0.8793, "0.879"),
        (0.001, "0.001"),
        (0.0009996, "1.0e-03"),
        (1e-30, "1.0e-30"),
        (1e-300, "1.0e-300"),
        (0.999, "0.999"),
        (0.9995, "0.99950"),
        (0.99996, "0.999960"),
        (1 - 1e-16, "0.999999999999"),
    ],
)
def test_probability(probability: float, text: str) -> None:
    assert format_probability(probability) == text


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_probability_is_never_shown_as_certain(probability: float) -> None:
    shown = float(format_probability(probability))
    assert 0 < shown < 1
    assert shown == pytest.approx(probability, abs=0.0005, rel=0.05)
