"""The tables of what was measured, for the terminal and for docs/evidence.md."""

import math
import re
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.calibration.markdown import percent, table
from benchmarks.peers.suites import SIZE_NAMES

Results = dict[str, Any]
# A head, and lines of as many cells.
Cells = tuple[list[str], list[list[str]]]

BLOCK = re.compile(
    r"(?P<head><!-- speed: (?P<name>[\w-]+) -->\n).*?(?P<foot><!-- end of speed -->)", re.DOTALL
)
REFERENCE = "exact"


def seconds_text(seconds: float) -> str:
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s"


def ratio_text(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 99.5 else f"{ratio:.2g}"


def stopped_text(reason: str, limit: int) -> str:
    known = {
        "time": f"stopped after {limit} s",
        "memory": "memory",
        "smaller": "not tried",
    }
    return known.get(reason, "failed")


def timed(results: Results) -> Cells:
    """Times, and their ratios to the exact fit of the same suite."""
    rows = []
    for key, found in results["times"].items():
        row = [results["methods"][key]["title"]]
        for size in SIZE_NAMES:
            cell = found[size]
            if "stopped" in cell:
                row.append(stopped_text(cell["stopped"], results["limit"]))
                continue
            ratio = cell["seconds"] / results["times"][REFERENCE][size]["seconds"]
            row.append(f"{seconds_text(cell['seconds'])} ({ratio_text(ratio)})")
        rows.append(row)
    return ["time (ratio)", *SIZE_NAMES], rows


def memory(results: Results) -> Cells:
    rows = []
    for key, found in results["times"].items():
        cells = [found[size] for size in SIZE_NAMES]
        shown = [
            stopped_text(cell["stopped"], results["limit"])
            if "stopped" in cell
            else f"{cell['peak_mib']:,}"
            for cell in cells
        ]
        rows.append([results["methods"][key]["title"], *shown])
    return ["peak memory, MiB", *SIZE_NAMES], rows


def limits(results: Results) -> Cells:
    """Limits at the largest size, of the methods that answer for new tasks there."""
    size = SIZE_NAMES[-1]
    rows = []
    for key, found in results["times"].items():
        method, cell = results["methods"][key], found[size]
        if method["about"] == "new tasks" and "interval" in cell:
            lower, upper = (percent(limit, 3) for limit in cell["interval"])
            rows.append([method["title"], lower, upper])
    return [f"{size}, %", "lower", "upper"], rows


def coverage(results: Results) -> Cells:
    rows = []
    for key, found in results["coverage"].items():
        method = results["methods"][key]
        if "stopped" in found:
            rows.append([method["title"], "not measured", "", "", ""])
            continue
        runs, covered = found["runs"], found["covered"]
        # Two more of each, so that a coverage of 100 % is not told without an error.
        share = (covered + 2) / (runs + 4)
        error = math.sqrt(share * (1 - share) / runs)
        share_text = f"{percent(covered / runs)} ± {percent(error)}"
        of_new = method["about"] == "new tasks"
        rows.append([
            method["title"],
            share_text if of_new else "no interval",
            "not asked" if of_new else share_text,
            percent(found["width"]),
            f"{runs:,}",
        ])  # fmt: skip
    return ["coverage, %", "of new tasks", "of these tasks", "width, points", "runs"], rows


def growth(results: Results) -> Cells:
    rows = []
    for series in results["growth"].values():
        seconds = series["seconds"]
        if not seconds:
            rows.append([series["title"], series["grows"], "not measured", ""])
            continue
        first = next(iter(seconds))
        ratios = [
            f"{int(size):,}: {ratio_text(taken / seconds[first])}"
            for size, taken in list(seconds.items())[1:]
        ]
        start = f"{int(first):,}: {seconds_text(seconds[first])}"
        rows.append([series["title"], series["grows"], start, ", ".join(ratios)])
    return ["work", "grows", "time at the first", "ratios to it"], rows


def methods(results: Results) -> Cells:
    return ["method", "version", "its 95 % interval"], [
        [
            each["title"],
            results["versions"][each["library"]],
            each["computes"] + ".",
        ]
        for each in results["methods"].values()
    ]


def machine(results: Results) -> str:
    versions, processors = results["versions"], results["processors"]
    least, most = min(results["load"]), max(results["load"])
    # Our own work loads at most every processor; a sampler's last chains linger in the average.
    busy = (
        "Other work ran on it at the same time, so that a time may be several times what a quiet "
        "machine takes, a ratio is good to its order of magnitude, and what was stopped here might "
        "end there."
        if most > 2 * processors
        else "The times are that machine's; the ratios depend on it less."
    )
    return (
        f"Measured with Python {results['python']}, PyMC {versions['pymc']}, nutpie "
        f"{versions['nutpie']} and JAX {versions['jax']} on a machine with {processors} processors "
        f"and a load of {least:g} to {most:g}. {busy}\n"
    )


def divergences(results: Results) -> str:
    parts = []
    for key, found in results["coverage"].items():
        last = results["times"].get(key, {}).get(SIZE_NAMES[0], {})
        if last.get("divergences") is not None and found.get("runs"):
            title, mean = results["methods"][key]["title"], found["divergences"] / found["runs"]
            parts.append(f"{title} {mean:.2g}")
    return (
        "Divergences of the samplers, on average of a fit with 4,000 draws: "
        + "; ".join(parts)
        + ".\n"
    )


def markdown(cells: Callable[[Results], Cells]) -> Callable[[Results], str]:
    return lambda results: table(*cells(results))


BLOCKS: dict[str, Callable[[Results], str]] = {
    "machine": machine,
    "methods": markdown(methods),
    "times": markdown(timed),
    "memory": markdown(memory),
    "limits": markdown(limits),
    "coverage": markdown(coverage),
    "divergences": divergences,
    "growth": markdown(growth),
}


def page(text: str, results: Results) -> str:
    """The page with its blocks about speed as the results have them."""

    def renew(match: re.Match[str]) -> str:
        return match["head"] + "\n" + BLOCKS[match["name"]](results) + "\n" + match["foot"]

    return BLOCK.sub(renew, text)


def names_of(text: str) -> list[str]:
    """Names of the blocks that a page holds."""
    return [match["name"] for match in BLOCK.finditer(text)]


def show(results: Results, screen: Console) -> None:
    """Print every table but the words on methods."""
    for cells in (timed, memory, coverage, growth):
        head, rows = cells(results)
        made = Table(box=None, pad_edge=False)
        for at, name in enumerate(head):
            made.add_column(name, justify="right" if at else "left", overflow="fold")
        for row in rows:
            made.add_row(*row)
        screen.print(made)
        screen.print()
    screen.print(machine(results), end="")
