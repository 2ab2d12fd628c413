"""Known counts of the real files, and the comparison of a suite with them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from tests.io.facts import check


@pytest.fixture(scope="session")
def facts(shared: Path) -> dict[str, dict[str, Any]]:
    """Counts of each file under ``data/real``, made without this package."""
    text = (shared / "data/real/FACTS.json").read_text(encoding="utf-8")
    known: dict[str, dict[str, Any]] = json.loads(text)
    return known


@pytest.fixture(scope="session")
def assert_agrees() -> Callable[[be.Rollouts, dict[str, Any]], None]:
    """Compare counts, pass^k and pass@k, errors as failures and left out."""
    return check
