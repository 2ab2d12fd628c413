"""Measure this package beside others, print the tables, and keep them for the docs.

    python -m benchmarks.peers                    all of it: `make bench-peers`, some 20 minutes
    python -m benchmarks.peers --part coverage    a part again; --method numpyro a method again
    python -m benchmarks.peers --render           tables and figure of the docs from what is kept

What is found is kept in benchmarks/peers.json after every step.
"""

import argparse
import json
import os
import platform
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.peers import children, figure, growth, methods, tables
from benchmarks.peers.suites import SIZES, size_name

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence.md"
KEPT = ROOT / "benchmarks" / "peers.json"
PARTS = ("times", "coverage", "growth")
# Seconds: one fit has the first limit; many fits have the second.
LIMIT, MANY_LIMIT = 120, 180
quiet = Console(stderr=True, highlight=False)


def times(key: str) -> dict[str, Any]:
    """Every size of one method. What a smaller size did not end, a larger one is not tried on."""
    found: dict[str, Any] = {}
    for tasks, rollouts in SIZES:
        name = size_name(tasks, rollouts)
        if found and "stopped" in found[list(found)[-1]]:
            found[name] = {"stopped": "smaller"}
            continue
        quiet.print(f"time of {key}, {name} ...", end=" ")
        lines, ended = children.run(["time", key, str(tasks), str(rollouts)], LIMIT)
        found[name] = lines[-1] if lines else {"stopped": ended}
        quiet.print(found[name])
    return found


def coverage(key: str) -> dict[str, Any]:
    quiet.print(f"coverage of {key} ...", end=" ")
    lines, ended = children.run(["coverage", key], MANY_LIMIT)
    found = lines[-1] if lines else {"stopped": ended}
    quiet.print(found)
    return found


def growth_of(key: str, series: growth.Series) -> dict[str, Any]:
    quiet.print(f"growth: {series.title} ...", end=" ")
    lines, _ = children.run(["growth", key], MANY_LIMIT)
    found = {str(line["size"]): line["seconds"] for line in lines}
    quiet.print(found)
    return {"title": series.title, "grows": series.grows, "seconds": found}


def describe() -> dict[str, Any]:
    """The machine, the versions and the methods."""
    libraries = sorted({each.library for each in methods.METHODS.values()} | {"nutpie", "jax"})
    return {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "load": [],
        "limit": LIMIT,
        "versions": {name: version(name) for name in libraries},
        "methods": {
            key: {
                "title": each.title,
                "library": each.library,
                "computes": each.computes,
                "about": each.about,
            }
            for key, each in methods.METHODS.items()
        },
        "times": {},
        "coverage": {},
        "growth": {},
    }


def measure(parts: list[str], keys: list[str], results: dict[str, Any]) -> None:
    """Measure, and keep what is found after every step."""
    steps: list[tuple[str, str, Callable[[], Any]]] = []
    for key in methods.METHODS:
        if key in keys and methods.METHODS[key].timed:
            steps.append(("times", key, lambda key=key: times(key)))
    for key in methods.METHODS:
        if key in keys:
            steps.append(("coverage", key, lambda key=key: coverage(key)))
    for key, series in growth.SERIES.items():
        steps.append(("growth", key, lambda key=key, series=series: growth_of(key, series)))
    for part, key, step in steps:
        if part in parts:
            results["load"].append(round(os.getloadavg()[0], 1))
            results[part][key] = step()
            write(results)


def write(results: dict[str, Any]) -> None:
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    # Each measurement on a line of its own.
    KEPT.write_text(re.sub(r"\n {3,}| *\n {2,}(?=[\]}])", " ", text), encoding="utf-8")


def load() -> dict[str, Any]:
    """What is kept of the last full run."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def render() -> None:
    results = load()
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(tables.page(text, results), encoding="utf-8")
    figure.keep(results, ROOT / "docs" / "images" / "peers.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--method", action="append", choices=list(methods.METHODS))
    parser.add_argument("--render", action="store_true", help="measure nothing")
    given = parser.parse_args()
    if given.render:
        render()
        return
    anew = given.part is None and given.method is None
    results = describe() if anew else load()
    measure(given.part or list(PARTS), given.method or list(methods.METHODS), results)
    render()
    tables.show(results, Console(width=100, highlight=False))


if __name__ == "__main__":
    main()
