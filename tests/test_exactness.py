"""The table of errors against the reference vectors: how it is gathered, and that it is current."""

import sys

import numpy as np
import pytest

from benchmarks import exactness
from benchmarks.exactness import Line


def test_the_number_that_used_up_most_of_its_tolerance_is_kept() -> None:
    line = Line("room", "test", "mean")
    line.note(0.5 + 1e-12, 0.5, 1e-10, 0)
    line.note([0.1, 0.2 + 4e-11, np.inf], [0.1, 0.2, np.inf], 1e-10, 0)
    line.note({"a": 3.0}, {"a": 3.0}, 1e-10, 0)
    assert line.comparisons == 5
    assert line.error == pytest.approx(4e-11, rel=1e-3)
    assert (line.allowed, line.relative) == (1e-10, False)
    assert line.used == pytest.approx(0.4, rel=1e-3)


def test_large_numbers_are_held_to_a_relative_tolerance() -> None:
    line = Line("room", "test", "size")
    line.note(2_000_000.2, 2_000_000.0, 1e-9, 1e-6)
    assert line.relative
    assert (line.error, line.allowed) == (pytest.approx(1e-7, rel=1e-3), 1e-6)


def test_a_comparison_is_named_by_its_source() -> None:
    answer, got, expected = 1.0, 1.0, {"mean": 1.0}

    def named(_: object) -> str:
        return exactness.quantity_of(sys._getframe(1))

    assert answer + 0 != named(expected["mean"])
    found = [
        answer == named(expected["mean"]),
        got == named(expected["mean"]),
    ]
    assert found == [False, False]
    assert exactness.quantity_of(sys._getframe()) == "exactness.quantity_of(sys._getframe())"


def test_one_line_for_each_test_is_the_worst_of_its_quantities() -> None:
    lines = [
        Line("passk", "suites meet the vectors", "mean", 10, 1e-13, 1e-12),
        Line("passk", "suites meet the vectors", "sd", 4, 5e-13, 1e-12),
        Line("plan", "wilson", "size", 3),
    ]
    assert [(each.quantity, each.comparisons) for each in exactness.by_test(lines)] == [
        ("sd", 14),
        ("size", 3),
    ]
    assert exactness.markdown(lines).splitlines()[2:] == [
        "| passk: suites | 14 | 5e-13 | 1e-12 |",
        "| plan: wilson | 3 | none |  |",
    ]


def test_the_page_holds_what_was_measured_and_all_of_it_is_within_its_tolerance() -> None:
    lines = exactness.kept()
    assert len(lines) > 50
    assert max(each.used for each in lines) <= 1.0
    text = exactness.PAGE.read_text(encoding="utf-8")
    assert exactness.page_with(text, lines) == text
