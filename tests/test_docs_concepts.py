"""docs/concepts.md: every picture is drawn by the script, and says something."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "concepts.md").read_text("utf-8")
NAMES = re.findall(r"images/concepts/(\w+)\.png", PAGE)


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_concepts", DOCS / "build_concepts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_what_the_script_draws(build: ModuleType) -> None:
    assert sorted(NAMES) == sorted(build.DRAWN)
    files = {path.stem: path.stat().st_size for path in build.PICTURES.iterdir()}
    assert set(files) == set(NAMES)
    assert max(files.values()) < 60_000


@pytest.mark.parametrize("name", ["clusters", "priors"])
def test_pictures_hold_the_numbers_that_the_page_tells(build: ModuleType, name: str) -> None:
    figure = build.DRAWN[name]()
    shown = " ".join(
        text.get_text()
        for ax in figure.axes
        for text in [ax.xaxis.label, *(ax.get_legend().get_texts() if ax.get_legend() else [])]
    )
    words = re.search(rf"!\[([^\]]*)\]\(images/concepts/{name}", PAGE)
    assert words is not None
    numbers = re.findall(r"0\.\d+", words[1])
    assert len(numbers) >= 3
    assert all(number in shown for number in numbers)
