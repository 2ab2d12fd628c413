"""What every answer keeps to, whatever was asked."""

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

import bayeseval as be

# Said by a number that is none.
_NAN = re.compile(r"\bnan\b|\binf\b %")


def assert_lawful(value: Any, *, infinite: bool = False, depth: int = 0) -> None:
    """Check an answer and what it holds: no NaN, intervals in order, chances in [0, 1]."""
    if depth > 4 or value is None or isinstance(value, str | bytes | bool | be.Unknown):
        return
    deeper = {"infinite": infinite, "depth": depth + 1}
    if isinstance(value, float | np.floating):
        assert not math.isnan(value), "NaN returned in silence"
        assert infinite or math.isfinite(value), "an infinite answer"
    elif isinstance(value, np.ndarray):
        _assert_array(value, **deeper)
    elif isinstance(value, be.Interval):
        assert value.lower <= value.upper, f"limits out of order: {value}"
        assert 0 < value.ci_prob < 1
    elif isinstance(value, be.Posterior):
        _assert_posterior(value)
    elif isinstance(value, be.Rollouts):
        _assert_rollouts(value)
    elif isinstance(value, be.Fit | be.SlicedFit | be.Comparison | be.Leaderboard):
        assert not _NAN.search(repr(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            inside = getattr(value, field.name)
            _assert_named(field.name, inside)
            assert_lawful(inside, **deeper)
        repr(value)
    elif isinstance(value, Mapping):
        for inside in value.values():
            assert_lawful(inside, **deeper)
    elif isinstance(value, list | tuple):
        for inside in value:
            assert_lawful(inside, **deeper)


def _assert_named(name: str, value: Any) -> None:
    """What the name of a field promises."""
    if isinstance(value, int | float) and re.match(r"(prob|power|assurance|ceiling)", name):
        assert -1e-12 <= value <= 1 + 1e-12, f"{name} = {value}"
    if isinstance(value, int | float) and re.match(r"(tasks|rollouts|passes|trials)$", name):
        assert value >= 0, f"{name} = {value}"
        assert value == int(value), f"{name} = {value}"


def _assert_array(value: Any, **deeper: Any) -> None:
    if value.dtype.kind == "f":
        assert not np.isnan(value).any(), "NaN in an array"
    if value.dtype.kind == "O":
        for inside in value.ravel()[:50]:
            assert_lawful(inside, **deeper)


def _assert_posterior(value: be.Posterior) -> None:
    low, high = value.support
    slack = 1e-9 * (high - low)
    assert low - slack <= value.mean <= high + slack
    assert low - slack <= value.median <= high + slack
    assert 0 <= value.sd <= high - low
    lower, upper = value.eti(0.9)
    assert low - slack <= lower <= upper <= high + slack
    middle = 0.5 * (low + high)
    below, above = value.prob_below(middle), value.prob_above(middle)
    assert min(below, above) >= 0
    assert below + above <= 1 + 1e-9
    assert not _NAN.search(repr(value))


def _assert_rollouts(value: be.Rollouts) -> None:
    assert np.all((value.passes >= 0) & (value.passes <= value.trials))
    assert np.all((value.missing >= 0) & (value.missing <= value.errored))
    assert value.ledger.scored == value.trials.sum()
    repr(value)
