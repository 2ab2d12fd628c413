"""Files of our own, and near-valid documents for fuzz tests."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import bayeseval as be

__all__ = ["check_any_bytes", "encoded", "mutated", "write_json"]


def write_json(path: Path, value: Any) -> Path:
    """Write a value as JSON, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


ODD = st.sampled_from(
    [
        *(None, True, False, 0, 1, -1, 0.5, 2**70, float("nan"), float("inf"), "", "x", "pass"),
        *([], [1], {}, {"a": 1}, "\ud800", "\u2028", [[]], [None], {"": None}),
    ]
)


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:
    """Draw the document with some of its values replaced, removed or repeated."""
    if draw(st.integers(0, 14)) == 0:
        return draw(ODD)
    if isinstance(document, dict):
        kept = [name for name in document if draw(st.integers(0, 19))]
        return {name: draw(mutated(document[name])) for name in kept}
    if isinstance(document, list):
        items = [draw(mutated(item)) for item in document if draw(st.integers(0, 19))]
        return items * draw(st.sampled_from([1, 1, 1, 2]))
    return document


def check_any_bytes(path: Path, content: bytes, format: str | None) -> None:
    """Any bytes give rollouts that can be printed, or an error that names the file."""
    path.write_bytes(content)
    refused = None
    try:
        rollouts = be.read(path, format=format)
    except be.BayesevalError as error:
        refused = str(error)
    if refused is None:
        assert rollouts.describe().encode("utf-8")
        assert rollouts.ledger.attempted + rollouts.ledger.tasks_without_score > 0
    else:
        assert refused.startswith(str(path))
        assert len(refused.encode("utf-8")) < 3_000


def encoded(value: Any, end: int | None = None) -> bytes:
    """JSON as bytes, cut at `end`."""
    return json.dumps(value).encode("utf-8")[:end]
