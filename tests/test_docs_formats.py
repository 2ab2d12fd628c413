"""The page on formats is what the readers say now."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from bayeseval.io._registry import FORMATS

SCRIPT = Path(__file__).parents[1] / "docs/build_formats.py"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_formats", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(script: ModuleType) -> None:
    current = script.PAGE.read_text(encoding="utf-8")
    assert script.page() == current, "run python docs/build_formats.py"


def test_every_format_is_explained(script: ModuleType) -> None:
    page = script.page()
    for known in FORMATS:
        # Formats of one module share a section, beneath their anchors.
        section = page.partition(f"(format-{known.name})=")[2].partition("\n## ")[2]
        section = section.partition("\n## ")[0]
        assert len(section.split()) > 60, known.name
