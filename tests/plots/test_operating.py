"""plot_operating_characteristics: what is drawn, legibly, and mistakes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import bayeseval as be

Check = Callable[[Axes], None]


def found(claim: str = "pass_rate > 0.9", **options: Any) -> be.OperatingCharacteristics:
    return be.operating_characteristics(claim, **{"tasks": 100} | options)


def test_lines_are_the_rows(assert_legible: Check) -> None:
    result = found()
    ax = be.plot_operating_characteristics(result)
    drawn = {line.get_color(): line for line in ax.lines if len(line.get_xdata()) > 2}  # type: ignore[arg-type]
    assert len(drawn) == 4
    for line, name in zip(
        drawn.values(), ("supported", "inconclusive", "contradicted", "flip"), strict=True
    ):
        assert line.get_xdata() == pytest.approx([row.rate for row in result.rows])
        assert line.get_ydata() == pytest.approx([getattr(row, name) for row in result.rows])
    assert "bar 90 %" in [text.get_text() for text in ax.texts]
    assert_legible(ax)


@pytest.mark.parametrize(("claim", "side"), [("pass_rate > 0.6", -1), ("pass_rate < 0.6", 1)])
def test_false_release_lies_on_the_wrong_side_of_the_bar(claim: str, side: int) -> None:
    ax = be.plot_operating_characteristics(found(claim))
    (area,) = ax.collections
    x = np.asarray(area.get_paths()[0].vertices, dtype=float)[:, 0]
    assert np.all(side * (x - 0.6) >= 0)
    assert np.any(x == 0.6)


def test_clustered_runs_name_their_error(assert_legible: Check) -> None:
    result = found("pass^2 > 0.5", tasks=15, rollouts=2, icc=0.3, simulations=200, rng=1)
    ax = be.plot_operating_characteristics(result)
    assert ax.get_xlabel() == "true pass^2"
    assert "Monte Carlo error" in " ".join(text.get_text() for text in ax.texts)
    assert_legible(ax)


def test_bar_outside_of_the_rates_is_not_labelled() -> None:
    ax = be.plot_operating_characteristics(found(rates=[0.95, 0.99]))
    assert "bar 90 %" not in [text.get_text() for text in ax.texts]


def test_mistakes() -> None:
    with pytest.raises(be.InputError, match="two true values"):
        be.plot_operating_characteristics(found(rates=[0.9]))
    with pytest.raises(be.InputError, match="must be an OperatingCharacteristics"):
        be.plot_operating_characteristics("pass_rate > 0.9")  # type: ignore[arg-type]
