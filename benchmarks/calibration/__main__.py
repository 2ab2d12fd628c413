"""Run the study, and write its results, tables and figures into docs.

    python -m benchmarks.calibration                    all of it: `make calibration`
    python -m benchmarks.calibration --share 0.02       a fiftieth of the runs; only prints
    python -m benchmarks.calibration --render           tables and figures from the kept results

What is done stays in the store, and a second call goes on from there.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any

from benchmarks.calibration import figures, tables
from benchmarks.calibration.cell import Store
from benchmarks.calibration.study import PARTS, cells_of, run_cells
from benchmarks.calibration.summary import summarise

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "evidence.md"
IMAGES = ROOT / "docs" / "images"


def load() -> dict[str, Any]:
    """The kept results."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def render() -> None:
    """Tables and figures of the page from the kept results."""
    results = load()
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(tables.page(text, results), encoding="utf-8")
    figures.draw(results, IMAGES)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--store", type=Path, default=ROOT / "out" / "calibration")
    parser.add_argument("--share", type=float, default=1.0, help="of the runs of every cell")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", action="append", choices=[part.PART for part in PARTS])
    parser.add_argument("--render", action="store_true", help="run nothing")
    given = parser.parse_args()
    if given.render:
        render()
        return
    parts = [part for part in PARTS if given.part is None or part.PART in given.part]
    cells, store = cells_of(parts, given.share), Store(given.store)
    results = summarise(run_cells(cells, store, cores=given.cores))
    results["processor_minutes"] = round(sum(map(store.seconds, cells)) / 60, 1)
    if given.share == 1.0 and given.part is None:
        kept = json.dumps(results, ensure_ascii=False, separators=(",", ":"))
        RESULTS.write_text(kept.replace('},"', '},\n"') + "\n", encoding="utf-8")
        render()
        print(f"{RESULTS.relative_to(ROOT)} and {PAGE.relative_to(ROOT)} are written.")
    for name, block in tables.BLOCKS.items():
        try:
            print(f"\n{name}\n\n{block(results)}", end="")
        except KeyError:
            continue  # of a part that did not run


if __name__ == "__main__":
    main()
