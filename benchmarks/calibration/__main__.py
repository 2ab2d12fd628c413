"""Run the study and write its results, tables and figures.

    python -m benchmarks.calibration                    all of it: `make calibration`
    python -m benchmarks.calibration --share 0.02       a fiftieth of the runs, written nowhere

What is done stays in the store, and a second call goes on from there.
"""

import argparse
import os
from pathlib import Path

from benchmarks.calibration.cell import Store
from benchmarks.calibration.study import PARTS, cells_of, run_cells

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--store", type=Path, default=ROOT / "out" / "calibration")
    parser.add_argument("--share", type=float, default=1.0, help="of the runs of every cell")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", action="append", choices=[part.PART for part in PARTS])
    given = parser.parse_args()
    parts = [part for part in PARTS if given.part is None or part.PART in given.part]
    run_cells(cells_of(parts, given.share), Store(given.store), cores=given.cores)


if __name__ == "__main__":
    main()
