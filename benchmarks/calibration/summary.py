"""From the results of single cells to one small file of what the pages show."""

import statistics
from collections.abc import Iterable
from typing import Any

from benchmarks.calibration.cell import Result

Found = dict[str, dict[str, Result]]
Row = list[float]

# Coverage that is asked of every cell, and of those with 10 tasks.
BAND, BAND_OF_TEN = (0.93, 0.97), (0.92, 0.985)
# From so many tasks on, widths are asked to be close to those of a known ICC.
MANY_TASKS = 30
MISSES = ("coverage", "below", "above", "width")


def summarise(found: Found) -> dict[str, Any]:
    """Everything that tables and figures need, rounded."""
    made = {
        "one_rollout": lambda of: of,
        "clustered": _clustered,
        "suites": _suites,
        "candidates": _candidates,
        "claims": _claims,
        "shapes": _shapes,
        "ranks": _ranks,
        "sampled": _ranks,
    }
    result = {part: made[part](cells) for part, cells in found.items()}
    result["agreement"] = _agreement(found)
    rounded: dict[str, Any] = _rounded(result)
    return rounded


def within(coverage: float, band: tuple[float, float] = BAND) -> bool:
    """Whether a coverage lies in a band, its ends included."""
    return band[0] - 1e-9 <= coverage <= band[1] + 1e-9


def band_of(tasks: int) -> tuple[float, float]:
    """The coverage that is asked of a suite of so many tasks."""
    return BAND_OF_TEN if tasks == 10 else BAND


def _row(misses: dict[str, float]) -> Row:
    return [misses[name] for name in MISSES if name in misses]


def _clustered(cells: dict[str, Result]) -> Any:
    return {
        name: {
            "runs": cell["runs"],
            "methods": {method: _row(misses) for method, misses in cell["methods"].items()},
        }
        for name, cell in cells.items()
    }


def _suites(cells: dict[str, Result]) -> Any:
    first = next(iter(cells.values()))
    return {
        "runs": first["runs"],
        "some_runs": first["some_runs"],
        "cells": {
            name: {
                "methods": {method: _row(misses) for method, misses in cell["methods"].items()},
                "functionals": {of: _row(misses) for of, misses in cell["functionals"].items()},
            }
            for name, cell in cells.items()
        },
        "alternatives": {
            prior: _alternative({name: cell["alternatives"][prior] for name, cell in cells.items()})
            for prior in first["alternatives"]
        },
    }


def tasks_of(name: str) -> int:
    """Number of tasks of a cell, from its name."""
    return int(name.split()[0])


def is_mixture(name: str) -> bool:
    """Whether the cell is one of the U-shaped mixtures."""
    return " U " in name


def _alternative(cells: dict[str, dict[str, float]]) -> Any:
    """How one prior did: in the cells with a Beta, and in the mixtures."""
    betas = {name: each for name, each in cells.items() if not is_mixture(name)}
    mixtures = {name: each for name, each in cells.items() if is_mixture(name)}
    lowest = min(betas, key=lambda name: betas[name]["coverage"])
    highest = max(betas, key=lambda name: betas[name]["coverage"])
    return {
        "lowest": [lowest, betas[lowest]["coverage"]],
        "highest": [highest, betas[highest]["coverage"]],
        "within": sum(within(each["coverage"]) for each in betas.values()),
        "target": _on_target(betas),
        "mixtures_target": _on_target(mixtures),
        "mixtures_lowest": min((each["coverage"] for each in mixtures.values()), default=1.0),
        "largest_tail": max(max(each["below"], each["above"]) for each in cells.values()),
    }


def _on_target(cells: dict[str, dict[str, float]]) -> int:
    return sum(within(each["coverage"], band_of(tasks_of(name))) for name, each in cells.items())


def _candidates(cells: dict[str, Result]) -> Any:
    """Coverage as of the alternatives, and widths beside the posterior that knows the ICC."""
    first = next(iter(cells.values()))
    found: dict[str, Any] = {"runs": first["runs"], "priors": {}}
    for prior in first["methods"]:
        ratios = {
            name: cell["methods"][prior]["width"] / cell["methods"]["known ICC"]["width"]
            for name, cell in cells.items()
        }
        many = [each for name, each in ratios.items() if tasks_of(name) >= MANY_TASKS]
        found["priors"][prior] = {
            **_alternative({name: cell["methods"][prior] for name, cell in cells.items()}),
            "width": [statistics.fmean(many), max(many), sum(each <= 1.1 for each in many)],
            "many": len(many),
        }
    return found


def _claims(cells: dict[str, Result]) -> Any:
    return {
        name: {
            "runs": cell["runs"],
            "coverage": {of: _row(misses) for of, misses in cell["coverage"].items()},
            "curves": cell["curves"],
        }
        for name, cell in cells.items()
    }


def _shapes(cells: dict[str, Result]) -> Any:
    """Coverage over rows: lowest, mean, highest, and how many lie in the band."""
    by_tasks: dict[str, list[Result]] = {}
    for name, cell in cells.items():
        by_tasks.setdefault(name.split()[2], []).append(cell)
    found: dict[str, Any] = {"runs": next(iter(cells.values()))["runs"], "tasks": {}}
    for tasks, group in by_tasks.items():
        found["rows"] = len(group)
        found["tasks"][tasks] = {
            method: {of: _spread(cell["methods"][method][of] for cell in group) for of in asked}
            for method, asked in group[0]["methods"].items()
        }
    return found


def _spread(misses: Iterable[dict[str, float]]) -> Row:
    coverage = [each["coverage"] for each in misses]
    inside = sum(within(each) for each in coverage)
    return [min(coverage), statistics.fmean(coverage), max(coverage), inside]


def _ranks(cells: dict[str, Result]) -> Any:
    """Ranks of all pieces of one model together."""
    found: dict[str, dict[str, Row]] = {}
    for name, cell in cells.items():
        model = found.setdefault(name.rpartition(" ")[0], {})
        for quantity, ranks in cell.items():
            model.setdefault(quantity, []).extend(ranks)
    return found


def _agreement(found: Found) -> Any:
    """Largest difference between the fast posterior and the package, by part."""
    result = {}
    for part, cells in found.items():
        each = [cell["agreement"] for cell in cells.values() if "agreement" in cell]
        if each:
            result[part] = {
                "runs": int(sum(one["runs"] for one in each)),
                "limits": f"{max(one['limits'] for one in each):.1e}",
                "below": f"{max(one['below'] for one in each):.1e}",
            }
    return result


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 4) if isinstance(value, float) else value
