"""Run the cells of the study, on every core, and go on where a former run was stopped."""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from types import ModuleType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.calibration import (
    candidates,
    claims,
    clustered,
    one_rollout,
    ranks,
    sampled,
    shapes,
    suites,
)
from benchmarks.calibration.cell import Cell, Result, Store

# What readers look for first comes first, in case a run is stopped.
PARTS: tuple[ModuleType, ...] = (
    one_rollout,
    clustered,
    claims,
    suites,
    candidates,
    shapes,
    ranks,
    sampled,
)
# One thread for each process: they would only be in each other's way.
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def cells_of(parts: Iterable[ModuleType], share: float) -> list[Cell]:
    """All cells, with the given share of the runs."""
    return [cell for part in parts for cell in part.cells(share)]


def run_cells(cells: list[Cell], store: Store, *, cores: int) -> dict[str, dict[str, Result]]:
    """Results of all cells by part and name; those that the store has are not run again."""
    todo = [cell for cell in cells if store.get(cell) is None]
    with _progress() as progress:
        bar = progress.add_task("calibration", total=len(cells), completed=len(cells) - len(todo))
        if cores == 1:
            for cell in todo:
                _run_and_keep(cell, store)
                progress.advance(bar)
        elif todo:
            _on_cores(todo, store, cores, lambda: progress.advance(bar))
    found: dict[str, dict[str, Result]] = {}
    for cell in cells:
        result = store.get(cell)
        assert result is not None, cell.name
        found.setdefault(cell.part, {})[cell.name] = result
    return found


def _on_cores(todo: list[Cell], store: Store, cores: int, done: Callable[[], None]) -> None:
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    # Not forked: the libraries of samplers hold threads.
    pool = ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn"))
    try:
        for future in as_completed([pool.submit(_run_and_keep, cell, store) for cell in todo]):
            future.result()
            done()
    finally:
        pool.shutdown(cancel_futures=True)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _run_and_keep(cell: Cell, store: Store) -> None:
    start = time.process_time()
    result = cell.run()
    store.put(cell, result, time.process_time() - start)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    )
