"""plot_tasks: one row per task, or one block per kind of task."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

import bayeseval as be

Fits = Callable[[str], Any]
Check = Callable[[Axes], None]


def _labels(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def _raw(ax: Axes) -> Any:
    (line,) = (line for line in ax.lines if line.get_marker() == "D")
    return line


@pytest.mark.parametrize(
    "name", ["one_task", "u_shaped", "all_pass", "all_fail", "mild", "unequal", "one_each", "many"]
)
def test_every_suite_is_legible(name: str, fit_of: Fits, assert_legible: Check) -> None:
    ax = be.plot_tasks(fit_of(name))
    assert_legible(ax)
    assert ax.get_xlim() == (-0.02, 1.02)


def test_rows_hold_the_table(fit_of: Fits) -> None:
    fit = fit_of("mild")
    table = fit.task_table()
    ax = be.plot_tasks(fit, sort="data")
    assert _raw(ax).get_xdata().tolist() == table.raw_rate.tolist()
    ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
    np.testing.assert_allclose(ends, np.stack([table.lower, table.upper], axis=1))
    mean = next(line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(mean.get_xdata(), table.mean)


def test_highest_rate_is_on_top(fit_of: Fits) -> None:
    ax = be.plot_tasks(fit_of("mild"))
    assert (np.diff(_raw(ax).get_xdata()) <= 0).all()
    bottom, top = ax.get_ylim()
    assert bottom > top


def test_sort_by_mean_and_by_task() -> None:
    suite = be.Rollouts.from_counts([1, 9, 2], [1, 10, 4], task=["b", "a", 3])
    fit = be.fit(suite, engine="exact")
    assert _labels(be.plot_tasks(fit, sort="rate"))[0] == "b  1/1"
    assert _labels(be.plot_tasks(fit, sort="mean"))[0] == "a  9/10"
    assert _labels(be.plot_tasks(fit, sort="task")) == ["3  2/4", "a  9/10", "b  1/1"]


def test_labels_show_counts_and_errored_and_stay_short(fit_of: Fits) -> None:
    labels = _labels(be.plot_tasks(fit_of("unequal")))
    assert labels[-1].endswith("$name$-1  0/4")
    assert any(label.endswith("2/2, 2 errored") for label in labels)
    assert max(map(len, labels)) < 50
    assert len(set(labels)) == 7


def test_a_task_without_score_is_shown_as_the_model_s(assert_legible: Check) -> None:
    suite = be.Rollouts.from_counts([4, 1, 0], [4, 4, 0], errored=[0, 0, 3])
    ax = be.plot_tasks(be.fit(suite, engine="exact"))
    assert_legible(ax)
    assert _labels(ax)[-1] == "2  0/0, 3 errored"
    assert len(_raw(ax).get_xdata()) == 2
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "no scored rollout: model only" in legend


def test_many_tasks_become_blocks(fit_of: Fits) -> None:
    fit = fit_of("many")
    ax = be.plot_tasks(fit)
    labels = _labels(ax)
    counts = fit.rollouts.histogram()
    assert sorted(labels) == sorted(f"{s}/{n}:  {c:,} tasks" for (s, n), c in counts.items())
    # Heights are numbers of tasks, and every task is in one block.
    assert ax.get_ylim() == (2_000, 0)
    widths = np.array([bar.get_width() for bar in ax.patches])
    table = fit.task_table()
    expected = {float(u - v) for u, v in zip(table.upper, table.lower, strict=True)}
    np.testing.assert_allclose(sorted(widths), sorted(expected))


def test_many_kinds_of_tasks_stay_legible(assert_legible: Check) -> None:
    rng = np.random.default_rng(2)
    trials = np.arange(10, 160)
    suite = be.Rollouts.from_counts(rng.binomial(trials, rng.beta(2, 0.8, 150)), trials)
    ax = be.plot_tasks(be.fit(suite, engine="exact"))
    assert_legible(ax)
    assert " named" in ax.get_ylabel()
    # Too low for diamonds: the raw rates are dots, in the legend as well.
    assert ax.get_legend().legend_handles[0].get_marker() == "."
    assert 5 < len(_labels(ax)) < 40


def test_max_labels_and_a_low_ax_turn_to_blocks(fit_of: Fits) -> None:
    fit = fit_of("u_shaped")
    assert len(_labels(be.plot_tasks(fit))) == 50
    assert len(_labels(be.plot_tasks(fit, max_labels=49))) == 3
    _, ax = plt.subplots(figsize=(6.4, 4))
    assert len(_labels(be.plot_tasks(fit, ax=ax))) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sort": "rates"}, "did you mean 'rate'"),
        ({"max_labels": -1}, "max_labels must be at least 0"),
        ({"ci_prob": 95}, "a percentage"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, fit_of: Fits) -> None:
    with pytest.raises(be.InputError, match=message):
        be.plot_tasks(fit_of("one_task"), **options)
    assert not plt.get_fignums()
