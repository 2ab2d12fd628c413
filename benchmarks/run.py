"""Measure the core beside the alternatives, and print ratios.

    python benchmarks/run.py                  everything, a few minutes
    python benchmarks/run.py --only exact     one module; --only exact,bootstrap several

Times are the fastest of several runs, taken turn about with the alternative's. The spread says by
how much the median run was slower than the fastest: where it is large, the machine was busy.
"""

import argparse
import os
import platform
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

# As a script this file's folder stands on the path, not the project's.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import Row

MODULES = ("startup", "exact", "slices", "bootstrap", "compare", "io_tables", "io_logs", "nuts")
WIDTH = 80


def seconds_text(seconds: float) -> str:
    if seconds < 0.0995:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 99.5 else f"{seconds:,.0f} s"


def table(rows: list[Row]) -> Table:
    made = Table(box=None, pad_edge=False, collapse_padding=True, width=WIDTH)
    made.add_column("work", ratio=3, overflow="fold")
    made.add_column("time", justify="right", no_wrap=True)
    made.add_column("beside", ratio=3, overflow="fold")
    made.add_column("time", justify="right", no_wrap=True)
    made.add_column("ratio", justify="right", no_wrap=True)
    made.add_column("at most", max_width=8)
    made.add_column("met", no_wrap=True)
    for row in rows:
        made.add_row(
            row.name,
            seconds_text(row.ours.seconds),
            row.alternative,
            seconds_text(row.theirs.seconds),
            f"{row.ratio:.3g}",
            row.target,
            {True: "yes", False: "NO", None: ""}[row.met],
        )
    return made


def spread_text(rows: list[Row]) -> str:
    spreads = [timing.spread for row in rows for timing in (row.ours, row.theirs)]
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Fastest of several runs, turn about. The median run was slower by "
        f"{100 * min(spreads):.0f} to {100 * max(spreads):.0f} %. "
        f"Python {platform.python_version()}, {os.cpu_count()} processors{load}."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--only", default=",".join(MODULES), help=", ".join(MODULES))
    chosen = parser.parse_args().only.split(",")
    if unknown := set(chosen) - set(MODULES):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}")
    quiet, screen = Console(stderr=True), Console(width=WIDTH, highlight=False)
    rows: list[Row] = []
    for name in chosen:
        quiet.print(f"measuring {name} ...")
        rows += import_module(f"benchmarks.{name}").rows()
    screen.print(table(rows))
    screen.print(f"\n{spread_text(rows)}")
    met = [row.met for row in rows if row.met is not None]
    screen.print(f"{sum(met)} of {len(met)} targets met.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
