"""Cells: the pieces of the study, each with its own seed, kept as soon as they are done."""

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

# Goes up where stored results no longer say what the code would.
VERSION = 1
SEED = 20260

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece of work.

    Parameters
    ----------
    part, name : str
        Part of the study, and the name of the cell in it; both make the seed.
    work : callable
        ``work(rng, **options)``, a function of a module, returns what JSON can hold.
    options : mapping
        Numbers, texts and lists.
    """

    part: str
    name: str
    work: Callable[..., Result]
    options: Mapping[str, Any]

    @property
    def rng(self) -> np.random.Generator:
        """The same numbers on any number of cores, and in any order of cells."""
        return np.random.default_rng([SEED, zlib.crc32(f"{self.part}/{self.name}".encode())])

    def run(self) -> Result:
        return self.work(self.rng, **self.options)


@dataclass(frozen=True, slots=True)
class Store:
    """A folder with one small file for every cell that is done."""

    folder: Path

    def path(self, cell: Cell) -> Path:
        return self.folder / cell.part / (cell.name.replace(" ", "_").replace("/", "-") + ".json")

    def get(self, cell: Cell) -> Result | None:
        """The stored result, or None where there is none for these options."""
        try:
            kept = json.loads(self.path(cell).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if kept.get("version") != VERSION or kept.get("options") != _plain(cell.options):
            return None
        found: Result = kept["result"]
        return found

    def seconds(self, cell: Cell) -> float:
        """Processor time that a cell took which is done."""
        return float(json.loads(self.path(cell).read_text(encoding="utf-8"))["seconds"])

    def put(self, cell: Cell, result: Result, seconds: float) -> None:
        """Keep a result, and the processor time that it took."""
        path = self.path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {
            "version": VERSION,
            "options": _plain(cell.options),
            "seconds": round(seconds, 2),
            "result": result,
        }
        # Renamed when it is whole, so that a run that is stopped leaves no half file.
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8"
        ) as file:
            json.dump(kept, file)
        os.replace(file.name, path)


def _plain(options: Mapping[str, Any]) -> Any:
    """As JSON gives them back."""
    return json.loads(json.dumps(dict(options)))
