"""Suites and fits that the figures are tested on, and what every figure must keep to."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

import bayeseval as be

SUITES: dict[str, Callable[[], be.Rollouts]] = {
    "u_shaped": lambda: be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4),
    "one_task": lambda: be.Rollouts.from_counts([3], [4], task=["only"]),
    "all_pass": lambda: be.Rollouts.from_counts([4] * 20, 4),
    "all_fail": lambda: be.Rollouts.from_counts([0] * 20, 4),
    "one_each": lambda: be.Rollouts.from_counts([1] * 80 + [0] * 20, 1),
    "mild": lambda: be.Rollouts.from_counts([8, 7, 7, 6, 6, 6, 5, 5, 4, 4, 3, 2], 8),
    "unequal": lambda: be.Rollouts.from_counts(
        [3, 0, 7, 2, 5, 9, 1],
        [4, 4, 8, 2, 5, 10, 2],
        errored=[0, 0, 1, 2, 0, 0, 1],
        task=[f"customer/{'very-long-' * 5}$name$-{i}" for i in range(7)],
    ),
    "many": lambda: _many(2_000),
}


def _many(n_tasks: int) -> be.Rollouts:
    rng = np.random.default_rng(5)
    return be.Rollouts.from_counts(rng.binomial(8, rng.beta(1.0, 0.5, n_tasks)), 8)


@cache
def _fit(name: str) -> Any:
    return be.fit(SUITES[name](), engine="exact")


@pytest.fixture(scope="session")
def fit_of() -> Callable[[str], Any]:
    """Exact fit of a suite by its name; each is made once."""
    return _fit


@pytest.fixture(autouse=True)
def _settings_stay() -> Iterator[None]:
    """No figure may change matplotlib's global settings."""
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before


def _texts(ax: Axes) -> list[Text]:
    legend = ax.get_legend()
    found = [*ax.texts, *(legend.get_texts() if legend else []), ax.xaxis.label, ax.yaxis.label]
    found += [title for title in (ax._left_title, ax.title, ax._right_title)]  # type: ignore[attr-defined]
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        low, high = sorted(limits)
        found += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [text for text in found if text.get_text() and text.get_visible()]


@pytest.fixture
def assert_legible() -> Callable[[Axes], None]:
    """Checks that no two texts of a drawn figure overlap and that none is cut off."""

    def check(ax: Axes) -> None:
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.canvas.draw()
        boxes = [(text.get_text(), Text.get_window_extent(text)) for text in _texts(ax)]
        assert boxes
        width, height = figure.bbox.width, figure.bbox.height
        for i, (text, box) in enumerate(boxes):
            inside = box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1
            assert inside, f"{text!r} is cut off"
            for other, behind in boxes[:i]:
                # A pixel of slack: boxes hold the room for accents and descenders too.
                apart = (
                    box.x0 > behind.x1 - 1
                    or behind.x0 > box.x1 - 1
                    or box.y0 > behind.y1 - 1
                    or behind.y0 > box.y1 - 1
                )
                assert apart, f"{text!r} overlaps {other!r}"

    return check
