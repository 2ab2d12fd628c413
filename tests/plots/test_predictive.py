"""plot_predictive: observed numbers of tasks against predicted ones."""

from collections.abc import Callable
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import bayeseval as be

Fits = Callable[[str], Any]
Check = Callable[[Axes], None]


@pytest.mark.parametrize(
    "name",
    ["one_task", "u_shaped", "all_pass", "all_fail", "mild", "unequal", "one_each", "many"],
)
def test_every_suite_is_legible(name: str, fit_of: Fits, assert_legible: Check) -> None:
    assert_legible(be.plot_predictive(fit_of(name)))


def test_bars_are_the_observed_histogram(fit_of: Fits) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_predictive(fit)
    assert [bar.get_height() for bar in ax.patches] == [15, 0, 5, 0, 30]
    table = fit.predicted_histogram()
    (means,) = (line for line in ax.lines if line.get_marker() == "o")
    assert means.get_ydata() == pytest.approx(table.mean)
    assert ax.get_title(loc="left") == "Passes of 4 rollouts: observed and predicted"
    assert ax.get_ylim()[1] > 30


def test_unequal_suite_says_which_tasks_are_shown(fit_of: Fits) -> None:
    ax = be.plot_predictive(fit_of("unequal"))
    text = " ".join(text.get_text() for text in ax.texts)
    assert " of 7 tasks with " in text
    assert "4 errored rollouts left out" in text


class _Told(be.Fit):
    """A fit whose prediction is told, to reach what real fits seldom show."""

    def __init__(self, rollouts: be.Rollouts, table: SimpleNamespace) -> None:
        fitted = be.fit(rollouts, engine="exact")
        for field in fields(fitted):
            object.__setattr__(self, field.name, getattr(fitted, field.name))
        object.__setattr__(self, "table", table)

    def predicted_histogram(self, *, ci_prob: float = 0.95) -> Any:
        return self.table


def _told(observed: list[int], lower: float, upper: float) -> Any:
    n = len(observed) - 1
    passes = np.repeat(np.arange(n + 1), observed)
    table = SimpleNamespace(
        passes=np.arange(n + 1),
        trials=n,
        trials_shown=n,
        observed=np.array(observed),
        mean=np.full(n + 1, 0.5 * (lower + upper)),
        lower=np.full(n + 1, lower),
        upper=np.full(n + 1, upper),
    )
    return _Told(be.Rollouts.from_counts(passes, n), table)


def test_what_falls_outside_is_marked(assert_legible: Check) -> None:
    ax = be.plot_predictive(_told([9, 3, 0, 4], 1, 5))
    (marks,) = (line for line in ax.lines if line.get_marker() == 7)
    assert marks.get_xdata().tolist() == [0, 2]
    assert marks.get_ydata().tolist() == [9, 5]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[-1] == "outside of its interval (2 of 4)"
    assert_legible(ax)


def test_many_cells_become_points_and_a_band(assert_legible: Check) -> None:
    ax = be.plot_predictive(_told([1] * 201, 0, 3))
    assert not ax.patches
    assert len(ax.collections) == 1
    assert_legible(ax)


def test_wrong_level(fit_of: Fits) -> None:
    with pytest.raises(be.InputError, match="ci_prob"):
        be.plot_predictive(fit_of("one_task"), ci_prob=2)
