"""What all figures share: given axes, no traces, colours that stay apart."""

import inspect
from collections.abc import Callable
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

import bayeseval as be
from bayeseval.plots import _style as style

Fits = Callable[[str], Any]

PLOTS: dict[str, Callable[..., Axes]] = {
    "posterior": lambda fit, **options: be.plot_posterior(
        fit.pass_rate(), threshold=0.5, rollouts=fit.rollouts, **options
    ),
    "tasks": be.plot_tasks,
    "curve": lambda fit, **options: be.plot_pass_curve(fit, k_max=5, **options),
    "predictive": be.plot_predictive,
}


@pytest.mark.parametrize("name", PLOTS)
def test_draws_on_given_axes_and_opens_no_figure(name: str, fit_of: Fits) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    before = plt.get_fignums()
    assert PLOTS[name](fit_of("u_shaped"), ax=right) is right
    assert plt.get_fignums() == before
    assert figure.axes == [left, right]
    assert not left.has_data()


@pytest.mark.parametrize("name", PLOTS)
def test_opens_one_figure_of_print_width(name: str, fit_of: Fits) -> None:
    ax = PLOTS[name](fit_of("mild"))
    assert len(plt.get_fignums()) == 1
    width, height = ax.get_figure(root=True).get_size_inches()  # type: ignore[union-attr]
    assert width == 6.4
    assert 2 <= height <= 6


def test_four_on_one_page_stay_legible(
    fit_of: Fits, assert_legible: Callable[[Axes], None]
) -> None:
    _, page = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for ax, draw in zip(page.flat, PLOTS.values(), strict=True):
        draw(fit_of("u_shaped"), ax=ax)
    for ax in page.flat:
        assert_legible(ax)


@pytest.mark.parametrize("name", PLOTS)
def test_type_is_large_enough_for_print(name: str, fit_of: Fits) -> None:
    ax = PLOTS[name](fit_of("u_shaped"))
    sizes = [text.get_fontsize() for text in ax.findobj(plt.Text) if text.get_text()]
    assert min(sizes) >= 7


@pytest.mark.parametrize("name", ["posterior", "tasks", "pass_curve", "predictive"])
def test_options_are_keyword_only(name: str) -> None:
    first, *rest = inspect.signature(getattr(be, f"plot_{name}")).parameters.values()
    assert first.default is inspect.Parameter.empty
    assert {parameter.kind for parameter in rest} == {inspect.Parameter.KEYWORD_ONLY}
    assert rest[-1].name == "ax"


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)


def _linear(colour: str) -> Any:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lightness(colour: str) -> float:
    """CIE L*, 0-100: what greyscale print keeps."""
    luminance = float(_linear(colour) @ [0.2126, 0.7152, 0.0722])
    return float(116 * np.cbrt(luminance) - 16)


# Colours that meet in one figure without a marker or hatch of their own.
TOGETHER = [
    (style.POSTERIOR, style.AT_LEAST_ONE),
    (style.POSTERIOR, style.PASS),
    (style.POSTERIOR, style.OBSERVED),
    (style.POSTERIOR, style.INK),
]


@pytest.mark.parametrize("pair", TOGETHER)
def test_colours_stay_apart_in_greyscale(pair: tuple[str, str]) -> None:
    first, second = map(_lightness, pair)
    assert abs(first - second) > 12


@pytest.mark.parametrize("pair", [*TOGETHER, (style.POSTERIOR, style.FAIL)])
def test_colours_stay_apart_for_deuteranopes(pair: tuple[str, str]) -> None:
    first, second = (np.clip(DEUTERANOPIA @ _linear(colour), 0, 1) for colour in pair)
    assert np.linalg.norm(np.sqrt(first) - np.sqrt(second)) > 0.2


@pytest.mark.parametrize("colour", [style.INK, style.QUIET, style.BASELINE, style.POSTERIOR])
def test_text_has_contrast_on_white(colour: str) -> None:
    luminance = float(_linear(colour) @ [0.2126, 0.7152, 0.0722])
    assert 1.05 / (luminance + 0.05) >= 4.5  # WCAG 2.2, level AA


def test_colours_of_roles_are_distinct() -> None:
    roles = [
        getattr(style, name)
        for name in style.__all__
        if isinstance(getattr(style, name), str) and name not in {"INK", "QUIET", "THRESHOLD"}
    ]
    assert all(a != b for a, b in combinations(roles, 2))
