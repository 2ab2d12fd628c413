"""Fixtures that every test may use."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

# Read by matplotlib when it is loaded, here and in subprocesses: no test opens a window.
os.environ["MPLBACKEND"] = "Agg"

# The same examples at every run; HYPOTHESIS_PROFILE=thorough looks for new ones.
hypothesis.settings.register_profile("quick", max_examples=50, deadline=None, derandomize=True)
hypothesis.settings.register_profile("thorough", max_examples=2_000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference vectors and real result files, which lies beside the project."""
    if not SHARED.is_dir():
        pytest.skip("needs the folder ../shared")
    return SHARED


@pytest.fixture(scope="session")
def vectors(shared: Path) -> Callable[[str], list[dict[str, Any]]]:
    """Reads ``vectors/<name>.json``: a list of cases with inputs, expected values, tolerances."""

    @cache
    def load(name: str) -> list[dict[str, Any]]:
        cases: list[dict[str, Any]] = json.loads((shared / f"vectors/{name}.json").read_text())[
            "cases"
        ]
        assert cases
        return cases

    return load


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
