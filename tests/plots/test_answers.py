"""plot_populations, plot_slices, plot_sensitivity: what they draw is what was answered."""

from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

import bayeseval as be

Fits = Callable[[str], Any]
Check = Callable[[Axes], None]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def _text(ax: Axes) -> str:
    return " ".join(text.get_text().replace("\n", " ") for text in ax.texts)


def _dots(ax: Axes, markers: set[str]) -> list[float]:
    return [
        float(x)
        for line in ax.lines
        if line.get_marker() in markers
        for x in np.asarray(line.get_xdata())
    ]


@pytest.mark.parametrize("name", ["u_shaped", "all_pass", "one_task", "unequal"])
def test_populations_are_the_answers(name: str, fit_of: Fits, assert_legible: Check) -> None:
    fit = fit_of(name)
    ax = be.plot_populations(fit)
    means = [fit.pass_rate(population=each).mean for each in ("new_tasks", "suite", "next_run")]
    assert _dots(ax, {"o"}) == pytest.approx(means)
    assert_legible(ax)


def test_populations_with_a_bar_print_its_probability(fit_of: Fits) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_populations(fit, quantity="pass_hat_k", k=4, threshold=0.6)
    chance = fit.pass_hat_k(4).prob_above(0.6)
    assert f"Pr[> 0.6] = {chance:.3f}" in _text(ax)


def test_what_a_run_cannot_show_is_unknown(fit_of: Fits) -> None:
    ax = be.plot_populations(fit_of("u_shaped"), quantity="pass_hat_k", k=5)
    assert "UNKNOWN: k = 5, but some tasks have 4 rollouts in a run" in _text(ax)
    assert _text(ax).count("extrapolated") == 2


@pytest.fixture(scope="module")
def sliced() -> Any:
    suite = be.Rollouts.from_counts(
        [4] * 20 + [2, 4, 0, 3, 1, 4, 0, 2, 4, 3] + [0] * 3,
        4,
        factors={"slice": ["easy"] * 20 + ["hard"] * 10 + ["<b>rare</b>"] * 3},
    )
    return be.fit(suite, by="slice", pooling="none")


def test_slices_are_the_table(sliced: Any, assert_legible: Check) -> None:
    ax = be.plot_slices(sliced, threshold=0.8)
    table = sliced.table()
    found = _dots(ax, {"o"})
    assert sorted(found) == pytest.approx(sorted([*table.mean, sliced.pass_rate().mean]))
    assert sorted(_dots(ax, {"D"})) == pytest.approx(sorted(table.raw_rate))
    assert_legible(ax)


def test_slices_are_sorted_and_the_mix_comes_last(sliced: Any) -> None:
    names = [label.get_text() for label in be.plot_slices(sliced).get_yticklabels()]
    assert names[0] == "easy  20 tasks"
    assert names[-1] == "all  33 tasks"
    by_name = [each.get_text() for each in be.plot_slices(sliced, sort="label").get_yticklabels()]
    assert by_name[:2] == ["<b>rare</b>  3 tasks", "easy  20 tasks"]


def test_small_slices_are_named_as_such(sliced: Any) -> None:
    legend = be.plot_slices(sliced).get_legend()
    assert legend is not None
    assert "too small to carry a claim" in [text.get_text() for text in legend.get_texts()]


def test_a_suite_without_slices_is_refused(fit_of: Fits) -> None:
    with pytest.raises(be.InputError, match="must be a SlicedFit"):
        be.plot_slices(fit_of("one_task"))


def test_sensitivity_rows_are_the_priors(fit_of: Fits, assert_legible: Check) -> None:
    found = be.prior_sensitivity(fit_of("u_shaped"), above=0.6)
    ax = be.plot_sensitivity(found, threshold=0.6)
    assert _dots(ax, {"o", "s"}) == pytest.approx([row.mean for row in found.rows])
    assert _text(ax).count("inconclusive") == len(found.rows)
    assert "the conclusion does not move with the prior" in _text(ax)
    assert_legible(ax)


def test_rows_that_move_are_marked() -> None:
    fit = be.fit(be.Rollouts.from_counts([4] * 11 + [3], 4), engine="exact")
    found = be.prior_sensitivity(fit, answer="pass_hat_k", k=3, above=0.75)
    ax = be.plot_sensitivity(found)
    assert len(_dots(ax, {"s"})) == len(found.moved) > 0
    assert "the conclusion moves with the prior" in _text(ax)


def test_without_a_claim_the_inner_interval_is_shaded(fit_of: Fits) -> None:
    found = be.prior_sensitivity(fit_of("u_shaped"), answer="icc")
    ax = be.plot_sensitivity(found)
    (shade,) = ax.patches
    inner = found.reference.posterior.eti(0.5)
    assert shade.get_x() == pytest.approx(inner.lower)
    assert shade.get_width() == pytest.approx(inner.upper - inner.lower)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: be.plot_populations(fit, quantity="rate"), "quantity must be one of"),
        (lambda fit: be.plot_populations(fit, threshold=80), "threshold must be between 0 and 1"),
        (lambda fit: be.plot_populations(fit, k=0), "k must be at least 1"),
        (lambda fit: be.plot_sensitivity(fit), "what be.prior_sensitivity gives"),
    ],
)
def test_wrong_options(call: Callable[[Any], Any], message: str, fit_of: Fits) -> None:
    with pytest.raises(be.InputError, match=message):
        call(fit_of("one_task"))
