"""plot_comparison."""

from collections.abc import Callable

import pytest
from matplotlib.axes import Axes

import bayeseval as be

R = be.Rollouts.from_counts


@pytest.fixture
def found() -> be.Comparison:
    old, new = R([1] * 68 + [0] * 32, 1), R([1] * 60 + [0] * 8 + [1] * 15 + [0] * 17, 1)
    return be.compare(old, new, names=("v1", "v2"))


def test_figure_shows_the_numbers(
    found: be.Comparison, assert_legible: Callable[[Axes], None]
) -> None:
    ax = be.plot_comparison(found, rope=0.05)
    assert_legible(ax)
    shown = " ".join(text.get_text() for text in ax.texts)
    assert "Pr[v2 better] = 0.924" in shown
    assert "Pr[v1 better] = 0.076" in shown
    assert "practically equal, -5.0 to +5.0 points: 0.351" in shown
    assert "mean +6.7 points, 95 % CrI -2.5 to +16.1 points" in shown
    assert "Newcombe, paired, 95 % CI -2.5 to +16.4 points" in shown
    assert ax.get_xlabel() == "difference in pass rate, v2 - v1, percentage points"
    left, right = ax.get_xlim()
    assert left < 0 < right


def test_equal_systems_are_drawn(assert_legible: Callable[[Axes], None]) -> None:
    same = R([1] * 20, 1)
    assert_legible(be.plot_comparison(be.compare(same, same)))


def test_what_is_unknown_is_not_drawn(found: be.Comparison) -> None:
    with pytest.raises(be.InputError, match="no such difference to draw: one rollout"):
        be.plot_comparison(found, population="suite")
    with pytest.raises(be.InputError, match="rope must run"):
        be.plot_comparison(found, rope=-0.1)
    with pytest.raises(be.InputError, match="ci_prob"):
        be.plot_comparison(found, ci_prob=2)
