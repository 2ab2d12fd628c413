"""plot_sampling_grid: every rollout has its cell, and every task its bar."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

import bayeseval as be
from bayeseval.plots import _style as style

Check = Callable[[Axes], None]


def _area(ax: Axes, color: str) -> float:
    """Cells of one colour, in rollouts; gaps between rows are put back."""
    found = [patch for patch in ax.patches if to_hex(patch.get_facecolor()).upper() == color]
    return sum(patch.get_width() * round(patch.get_height() / 0.84) for patch in found)


@pytest.fixture
def suite() -> be.Rollouts:
    return be.Rollouts.from_counts(
        [3, 0, 2, 1],
        [4, 4, 2, 1],
        errored=[0, 0, 2, 0],
        task=["a", "b", "c", "d"],
        factors={"leaked": [False, True, False, False]},
    )


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def test_cells_are_the_ledger(suite: be.Rollouts) -> None:
    ax = be.plot_sampling_grid(suite)
    assert _area(ax, style.POSTERIOR) == pytest.approx(suite.ledger.passed)
    assert _area(ax, style.FAIL) == pytest.approx(suite.ledger.failed)
    assert _area(ax, style.OBSERVED) == pytest.approx(suite.ledger.errored)


def test_bars_are_the_unbiased_estimates(suite: be.Rollouts) -> None:
    ax = be.plot_sampling_grid(suite, k=2, quantity="pass_at_k")
    bars = [patch for patch in ax.patches if to_hex(patch.get_facecolor()).upper() == style.INK]
    widths = sorted(patch.get_width() / (0.32 * 4) for patch in bars)
    # Task d has one rollout, so that it has no pass@2: three bars and a dash.
    expected = sorted(be.pass_at_k(n, s, 2) for n, s in [(4, 3), (4, 0), (2, 2)])
    assert widths == pytest.approx(expected)


def test_order_and_names(suite: be.Rollouts) -> None:
    names = [label.get_text() for label in be.plot_sampling_grid(suite).get_yticklabels()]
    assert names == ["d", "c", "a", "b"] or names == ["c", "d", "a", "b"]
    kept = be.plot_sampling_grid(suite, sort="data").get_yticklabels()
    assert [label.get_text() for label in kept] == ["a", "b", "c", "d"]


def test_leaked_tasks_are_marked_and_named(suite: be.Rollouts) -> None:
    ax = be.plot_sampling_grid(suite, leaked="leaked")
    marks = [
        patch for patch in ax.patches if to_hex(patch.get_facecolor()).upper() == style.AT_LEAST_ONE
    ]
    assert len(marks) == 1
    legend = ax.get_legend()
    assert legend is not None
    assert "leaked task" in [text.get_text() for text in legend.get_texts()]


def test_many_tasks_become_blocks_that_hold_them_all(assert_legible: Check) -> None:
    rng = np.random.default_rng(2)
    suite = be.Rollouts.from_counts(
        rng.binomial(8, 0.7, 2000), 8, errored=rng.binomial(1, 0.02, 2000)
    )
    ax = be.plot_sampling_grid(suite)
    assert ax.get_ylim() == (2000, 0)
    cells = [p for p in ax.patches if to_hex(p.get_facecolor()).upper() == style.POSTERIOR]
    passed = sum(patch.get_width() * patch.get_height() for patch in cells)
    assert passed == pytest.approx(suite.ledger.passed)
    assert len(ax.patches) < 100
    assert_legible(ax)


def test_long_hostile_names_are_legible(assert_legible: Check) -> None:
    names = [f"customer/{'very-long-' * 5}$name$-{i}" for i in range(5)]
    ax = be.plot_sampling_grid(be.Rollouts.from_counts([4, 3, 2, 1, 0], 4, task=names))
    assert_legible(ax)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"quantity": "rate"}, "quantity must be one of"),
        ({"sort": "mean"}, "sort must be one of"),
        ({"leaked": "slice"}, "unknown factor 'slice'"),
    ],
)
def test_wrong_options(suite: be.Rollouts, options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.plot_sampling_grid(suite, **options)


def test_a_fit_is_no_suite() -> None:
    with pytest.raises(be.InputError, match="must be a Rollouts; got str"):
        be.plot_sampling_grid("suite")  # type: ignore[arg-type]
