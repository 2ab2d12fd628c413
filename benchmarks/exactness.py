"""Largest error against the reference vectors, quantity by quantity.

    python benchmarks/exactness.py            print the table; exit status 1 if a vector is missed
    python benchmarks/exactness.py --write    also keep it, for the page on evidence

The tests that read ``../shared/vectors`` are run, and every comparison that they make with
``pytest.approx`` is noted: nothing is compared here that a test does not hold to its tolerance.
"""

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
KEPT = Path(__file__).with_suffix(".json")
PAGE = ROOT / "docs" / "evidence.md"
START, END = "<!-- exactness -->", "<!-- end of exactness -->"
# What a test calls its answer when the name says nothing of it.
NAMELESS = {"got", "found", "value", "values", "tail", "mine", "again", "one", "other", "logs"}


@dataclass(slots=True)
class Line:
    """The comparisons of one quantity in one test, and the one that came closest to failing.

    Parameters
    ----------
    room, test, quantity : str
        Where the quantity is tested, and what is compared.
    comparisons : int
        How many numbers.
    error, allowed : float
        Of the number that used up most of its tolerance: its error and the tolerance, both
        absolute, or both relative.
    relative : bool
        Which of the two.
    """

    room: str
    test: str
    quantity: str
    comparisons: int = 0
    error: float = 0.0
    allowed: float = 0.0
    relative: bool = False

    @property
    def used(self) -> float:
        """Share of the tolerance."""
        return self.error / self.allowed if self.allowed else float(self.error > 0.0)

    def note(self, actual: Any, expected: Any, abs_: float | None, rel: float | None) -> None:
        """Take in a number, or each number of an array or of a mapping."""
        if isinstance(expected, Mapping):
            assert isinstance(actual, Mapping)
            for key, each in expected.items():
                self.note(actual[key], each, abs_, rel)
            return
        pairs = np.broadcast_arrays(np.asarray(actual, float), np.asarray(expected, float))
        for got, wanted in zip(*(each.ravel().tolist() for each in pairs), strict=True):
            self.comparisons += 1
            if got == wanted or not np.isfinite(wanted):
                continue
            error, size = abs(got - wanted), abs(wanted)
            # As pytest.approx: 1e-6 and 1e-12 where nothing is said; either suffices.
            both = rel if rel is not None else (1e-6 if abs_ is None else 0.0)
            fixed = abs_ if abs_ is not None else 1e-12
            relative = both * size > fixed
            found = (error / size, both) if relative else (error, fixed)
            if found[0] / found[1] >= self.used:
                self.error, self.allowed, self.relative = *found, relative


class _Noted:
    """Stands for ``pytest.approx`` and notes what it is compared with."""

    def __init__(
        self, line: Line, expected: Any, rel: float | None, abs_: float | None, nan_ok: bool
    ) -> None:
        self.line, self.expected, self.rel, self.abs = line, expected, rel, abs_
        self.approx = pytest_approx(expected, rel=rel, abs=abs_, nan_ok=nan_ok)

    def __eq__(self, actual: object) -> bool:
        self.line.note(actual, self.expected, self.abs, self.rel)
        return bool(self.approx == actual)

    def __repr__(self) -> str:
        return repr(self.approx)

    __hash__ = None  # type: ignore[assignment]
    # An array on the left is compared as a whole, as with pytest's own.
    __array_ufunc__ = None


pytest_approx = pytest.approx


class Plugin:
    """Notes the comparisons of tests that read vectors, and of no other."""

    def __init__(self) -> None:
        self.lines: dict[tuple[str, str, str], Line] = {}
        self.ran = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item
            for item in items
            if {"vectors", "vector_case"} & set(getattr(item, "fixturenames", ()))
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self.ran += 1
        where = Path(item.path).relative_to(ROOT / "tests").with_suffix("")
        room = where.parts[0].removeprefix("test_")
        test = item.name.partition("[")[0].removeprefix("test_").replace("_", " ")

        def noting(expected: Any, rel: Any = None, abs: Any = None, nan_ok: bool = False) -> Any:
            quantity = quantity_of(sys._getframe(1))
            line = self.lines.setdefault((room, test, quantity), Line(room, test, quantity))
            return _Noted(line, expected, rel, abs, nan_ok)

        pytest.approx = noting
        try:
            return (yield)
        finally:
            pytest.approx = pytest_approx


def quantity_of(frame: FrameType) -> str:
    """What a running comparison compares, in the words of its source."""
    for compare in _comparisons(frame.f_code.co_filename):
        if compare.lineno <= frame.f_lineno <= (compare.end_lineno or compare.lineno):
            left, right = ast.unparse(compare.left), compare.comparators[0]
            if left not in NAMELESS:
                return left
            wanted = right.args[0] if isinstance(right, ast.Call) and right.args else right
            return ast.unparse(wanted)
    return "value"


@cache
def _comparisons(file: str) -> list[ast.Compare]:
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    # The innermost first.
    return sorted(found, key=lambda node: (node.end_lineno or node.lineno) - node.lineno)


def measure() -> tuple[list[Line], bool]:
    """Run the tests; return their comparisons, and whether all passed."""
    plugin = Plugin()
    files = [str(path) for path in sorted((ROOT / "tests").rglob("test_*.py"))
             if re.search(r"\bvector(s|_case)\b", path.read_text(encoding="utf-8"))]  # fmt: skip
    status = pytest.main(
        ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", *files],
        plugins=[plugin],
    )
    return sorted(plugin.lines.values(), key=lambda each: (each.room, each.test)), status == 0


def table(lines: list[Line]) -> Table:
    """The lines as a table for a terminal."""
    made = Table(box=None, pad_edge=False, collapse_padding=True, width=100)
    made.add_column("quantity", overflow="fold")
    made.add_column("numbers", justify="right", no_wrap=True)
    made.add_column("largest error", justify="right", no_wrap=True)
    made.add_column("allowed", justify="right", no_wrap=True)
    last = None
    for each in lines:
        if (each.room, each.test) != last:
            last = (each.room, each.test)
            made.add_row(f"[bold]{each.room}: {each.test}[/bold]")
        kind = " rel." if each.relative else ""
        made.add_row(
            f"  {each.quantity}".replace("[", r"\["),
            f"{each.comparisons:,}",
            "0" if each.error == 0.0 else f"{each.error:.1e}{kind}",
            "" if each.error == 0.0 else f"{each.allowed:.0e}",
        )
    return made


def by_test(lines: list[Line]) -> list[Line]:
    """One line for each test: of its quantity that used up most of its tolerance."""
    found: dict[tuple[str, str], Line] = {}
    for each in lines:
        key = (each.room, each.test)
        known = found.get(key)
        worst = each if known is None or each.used > known.used else known
        total = each.comparisons + (0 if known is None else known.comparisons)
        found[key] = replace(worst, comparisons=total)
    return list(found.values())


def markdown(lines: list[Line]) -> str:
    """The lines of the tests as a table for the docs."""
    rows = [
        "| what is compared | numbers | largest error | allowed |",
        "| --- | ---: | ---: | ---: |",
    ]
    for each in by_test(lines):
        test = each.test.replace(" meet the vectors", "").replace(" meets the vectors", "")
        kind = " relative" if each.relative else ""
        error = "none" if each.error == 0.0 else f"{each.error:.0e}{kind}"
        allowed = "" if each.error == 0.0 else f"{each.allowed:.0e}"
        rows.append(f"| {each.room}: {test} | {each.comparisons:,} | {error} | {allowed} |")
    return "\n".join(rows) + "\n"


def kept() -> list[Line]:
    """The lines that were kept last."""
    return [Line(**each) for each in json.loads(KEPT.read_text(encoding="utf-8"))]


def page_with(text: str, lines: list[Line]) -> str:
    """The page on evidence with the table in its place."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{markdown(lines)}{END}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the table for the docs")
    options = parser.parse_args()
    if not (ROOT.parent / "shared" / "vectors").is_dir():
        print("The reference vectors are not here: they lie in ../shared/vectors.", file=sys.stderr)
        return 2
    lines, passed = measure()
    Console(width=100).print(table(lines))
    if options.write and passed:
        KEPT.write_text(json.dumps([asdict(each) for each in lines], indent=1) + "\n")
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), lines), encoding="utf-8")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
