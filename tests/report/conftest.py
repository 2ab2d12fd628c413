"""Reports that the tests look at; each is made once."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from bayeseval.report import Report, make_report

HOSTILE = '<script>alert("task")</script> & "quotes" $x^2$ | `code`'


def _hostile() -> be.Rollouts:
    names = [HOSTILE, "</title></svg>", *(f"task-{i}" for i in range(28))]
    rng = np.random.default_rng(4)
    return be.Rollouts.from_counts(
        rng.binomial(4, rng.beta(2, 1, 30)),
        4,
        task=names,
        errored=[2, 1, *[0] * 28],
        factors={"slice": ["<b>hard</b>"] * 15 + ["easy"] * 15},
        source='<img src="x.png" onerror="alert(1)">.csv',
    )


SUITES: dict[str, Callable[[], be.Rollouts]] = {
    "plain": lambda: be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4, source="runs/a.csv"),
    "hostile": _hostile,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"claims": ["pass_rate > 0.5", "pass^4 > 0.9"]},
    "hostile": {
        "claims": ["worst_slice pass_rate > 0.1"],
        "by": "slice",
        "weights": {"<b>hard</b>": 0.2, "easy": 0.8},
        "title": "<i>Title</i>",
        "above": 0.6,
    },
}


@cache
def _report(name: str) -> Report:
    return make_report(SUITES[name](), rng=1, **OPTIONS[name])


@cache
def _html(name: str) -> str:
    return _report(name).to_html()


@pytest.fixture(scope="session")
def report_of() -> Callable[[str], Report]:
    """Report of a suite by its name."""
    return _report


@pytest.fixture(scope="session")
def html_of() -> Callable[[str], str]:
    """The same as a page."""
    return _html


@pytest.fixture(scope="session")
def hostile_name() -> str:
    """A task id that would be code, if it were not escaped."""
    return HOSTILE
