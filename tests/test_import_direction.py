"""Imports point one way: a room of the package imports only from rooms before it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bayeseval as be

PACKAGE = Path(be.__file__).parent

# In order. A room is a module or a whole package of the root; a new one gets its place here.
ROOMS = [
    "errors",
    "unknown",
    "_interval",
    "_validate",
    "_atomic",
    "_format",
    "rollouts",
    "_special",
    "_cells",
    "_weights",
    "io",
    "_quadrature",
    "_panels",
    "posterior",
    "_difference",
    "conjugate",
    "passk",
    "baselines",
    "hierarchical",
    "slices",
    "sensitivity",
    "population",
    "judge",
    "comparison",
    "claims",
    "plan",
    "decisions",
    "simulation",
    "record",
    "plots",
    "report",
    "playground_page",
    "cli",
    "__main__",
]


def _room(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def _targets(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and room of every import of the package, at module level and inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "bayeseval":
            # A public name stands for the module that holds it.
            dotted = [
                be._MODULE_OF.get(alias.name, f"bayeseval.{alias.name}")
                for alias in node.names
                if alias.name != "__version__"
            ]
        elif isinstance(node, ast.ImportFrom):
            dotted = [node.module or ""]
        else:
            continue
        for name in dotted:
            root, _, rest = name.partition(".")
            if root == "bayeseval":
                yield node.lineno, rest.partition(".")[0]


def _violations(source: str, room: str) -> list[str]:
    allowed = ROOMS[: ROOMS.index(room) + 1]
    return [
        f"line {line}: {room} must not import {target or 'the package root'}"
        for line, target in _targets(ast.parse(source))
        if target not in allowed
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_imports_only_from_rooms_before_it(path: Path) -> None:
    assert _room(path) in ROOMS, f"give {_room(path)!r} a place in ROOMS"
    assert not _violations(path.read_text(encoding="utf-8"), _room(path))


@pytest.mark.parametrize(
    "source",
    [
        "import bayeseval.plots",
        "import bayeseval as be",
        "from bayeseval.plots.forest import plot_tasks",
        "from bayeseval import plots",
        "from bayeseval import fit",
        "def late():\n    from bayeseval.cli import main",
    ],
)
def test_an_import_from_a_later_room_is_found(source: str) -> None:
    assert len(_violations(source, "passk")) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import numpy",
        "from bayeseval import __version__",
        "from bayeseval import Rollouts",
        "from bayeseval.passk import pass_at_k",
        "from bayeseval.errors import InputError",
    ],
)
def test_an_import_from_an_earlier_room_is_allowed(source: str) -> None:
    assert not _violations(source, "passk")
