"""Reading with the options of readers, and documents that are nearly right."""

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io._format import Source
from bayeseval.io._options import Options
from bayeseval.io._records import to_rollouts
from bayeseval.io._registry import choose

__all__ = ["Write", "damaged_bytes", "mutated_json", "read", "reads_or_refuses"]

Write = Callable[[Any], Path]


def read(path: Path, format: str | None = None, **options: Any) -> be.Rollouts:
    """Read a file with any of the options that readers know."""
    source = Source.open(str(path))
    given = Options(**options)
    return to_rollouts(choose(source, format).read(source, given), given, source=str(path))


def reads_or_refuses(path: Path, content: bytes, format: str, **options: Any) -> None:
    """Read bytes both by detection and as `format`: a suite, or an error of this package."""
    path.write_bytes(content)
    for name in (None, format):
        with contextlib.suppress(be.BayesevalError):
            rollouts = read(path, name, **options)
            assert rollouts.n_tasks > 0
            assert rollouts.describe().encode("utf-8")


_VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from([0, 1, 2, 3, -1, 10**30, 1e308, "", "0", "\ud800", [], {}, [[]], [{}]]),
)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container within a document, with each of its keys or indices."""
    keys: Any = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


@st.composite
def mutated_json(draw: st.DrawFn, document: Any) -> bytes:
    """Return a JSON document with a few of its values replaced, removed or doubled."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(changed))
        if not places:
            break
        container, key = places[draw(st.integers(0, len(places) - 1))]
        action = draw(st.sampled_from(["replace", "remove", "double"]))
        if action == "replace":
            container[key] = draw(_VALUES)
        elif action == "remove":
            del container[key]
        elif isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        else:
            container[draw(st.text(max_size=8))] = copy.deepcopy(container[key])
    return json.dumps(changed).encode("utf-8")


@st.composite
def damaged_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """Return bytes with a few stretches cut out, repeated or replaced."""
    data = content
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 40)))
        put = draw(st.one_of(st.binary(max_size=8), st.just(data[start:end] * 2), st.just(b"")))
        data = data[:start] + put + data[end:]
    return data
