"""plot_pass_curve: lines, bands, unbiased points, and what lies beyond the data."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

import bayeseval as be
from bayeseval.plots._curve import _chosen_k

Fits = Callable[[str], Any]
Check = Callable[[Axes], None]


def _lines(ax: Axes, dashes: str) -> list[Any]:
    return [line for line in ax.lines if line.get_linestyle() == dashes]


def _points(ax: Axes) -> list[Any]:
    return [line for line in ax.lines if line.get_marker() in {"o", "s"}]


@pytest.mark.parametrize(
    "name", ["one_task", "u_shaped", "all_pass", "all_fail", "mild", "unequal", "one_each"]
)
def test_every_suite_is_legible(name: str, fit_of: Fits, assert_legible: Check) -> None:
    ax = be.plot_pass_curve(fit_of(name), k_max=5)
    assert_legible(ax)
    low, high = ax.get_ylim()
    assert 0 <= low < high < 1.1


def test_lines_are_posterior_means(fit_of: Fits) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_pass_curve(fit, k_max=6)
    at, hat = (np.asarray(line.get_ydata()) for line in _lines(ax, "-"))
    assert at == pytest.approx([fit.pass_at_k(k).mean for k in range(1, 5)])
    assert hat == pytest.approx([fit.pass_hat_k(k).mean for k in range(1, 5)])
    assert (np.diff(at) > 0).all()
    assert (np.diff(hat) < 0).all()
    dashed = _lines(ax, "--")
    assert [line.get_xdata().tolist() for line in dashed] == [[4, 5, 6]] * 2
    assert dashed[1].get_ydata()[-1] == pytest.approx(fit.pass_hat_k(6).mean)


def test_bands_are_equal_tailed_intervals(fit_of: Fits) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_pass_curve(fit, k_max=2, ci_prob=0.8)
    for band, posterior in zip(ax.collections, (fit.pass_at_k(2), fit.pass_hat_k(2)), strict=True):
        outline = band.get_paths()[0].vertices
        at_two = outline[outline[:, 0] == 2][:, 1]
        assert (at_two.min(), at_two.max()) == pytest.approx(tuple(posterior.eti(0.8)))
    assert any("80 % CrI (equal-tailed)" in text.get_text() for text in ax.texts)


def test_unbiased_points_end_with_the_data(fit_of: Fits) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_pass_curve(fit, k_max=6)
    curve = be.pass_curve(fit.rollouts)
    at, hat = _points(ax)
    assert at.get_ydata() == pytest.approx([float(v) for v in curve.pass_at_k])  # type: ignore[arg-type]
    assert hat.get_ydata() == pytest.approx([float(v) for v in curve.pass_hat_k])  # type: ignore[arg-type]
    assert at.get_xdata().tolist() == hat.get_xdata().tolist() == [1, 2, 3, 4]


def test_beyond_the_data_is_marked_three_times(fit_of: Fits) -> None:
    ax = be.plot_pass_curve(fit_of("u_shaped"), k_max=6)
    assert "beyond the data: rests on the model" in [text.get_text() for text in ax.texts]
    assert [band.get_hatch() for band in ax.collections] == [None, "////"] * 2
    (ground,) = ax.patches
    assert ground.get_x() == 4


def test_within_the_data_nothing_is_marked(fit_of: Fits) -> None:
    ax = be.plot_pass_curve(fit_of("u_shaped"), k_max=4)
    assert not ax.patches
    assert not _lines(ax, "--")
    assert not any("beyond" in text.get_text() for text in ax.texts)


def test_unequal_rollouts_end_with_the_fewest(fit_of: Fits) -> None:
    ax = be.plot_pass_curve(fit_of("unequal"), k_max=4)
    assert _points(ax)[0].get_xdata().tolist() == [1, 2]
    assert ax.patches[0].get_x() == 2


def test_one_rollout_each_says_what_it_cannot_tell(fit_of: Fits) -> None:
    fit = fit_of("one_each")
    ax = be.plot_pass_curve(fit, k_max=2)
    assert ax.patches[0].get_x() == 1
    shown = " ".join(text.get_text().replace("\n", " ") for text in ax.texts)
    assert all(" ".join(note.split()) in shown for note in fit.notes)


def test_population_is_named(fit_of: Fits) -> None:
    ax = be.plot_pass_curve(fit_of("one_task"), k_max=2, population="suite")
    assert ax.get_title(loc="left") == "pass@k and pass^k on this suite"


def test_default_reach() -> None:
    suite = be.Rollouts.from_counts([1, 0, 1], 1)
    ax = be.plot_pass_curve(be.fit(suite, engine="exact"))
    assert _lines(ax, "--")[0].get_xdata()[-1] == 4


def test_far_k_are_thinned_on_a_logarithmic_axis(fit_of: Fits, assert_legible: Check) -> None:
    ax = be.plot_pass_curve(fit_of("u_shaped"), k_max=50)
    assert ax.get_xscale() == "log"
    assert_legible(ax)


@pytest.mark.parametrize(
    ("largest", "smallest"), [(1, 1), (16, 4), (17, 4), (100, 20), (100, 200), (10_000, 1), (40, 0)]
)
def test_chosen_k_hold_both_ends_and_the_edge_of_the_data(largest: int, smallest: int) -> None:
    ks = _chosen_k(largest, smallest)
    assert ks[0] == 1
    assert ks[-1] == largest
    assert (np.diff(ks) > 0).all()
    assert ks.size <= 17
    if 1 <= smallest <= largest:
        assert smallest in ks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k_max": 0}, "k_max must be at least 1"),
        ({"population": "everyone"}, "population must be one of"),
        ({"ci_prob": 0}, "ci_prob must be strictly between 0 and 1"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, fit_of: Fits) -> None:
    with pytest.raises(be.InputError, match=message):
        be.plot_pass_curve(fit_of("one_task"), **options)
    assert not plt.get_fignums()
