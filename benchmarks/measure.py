"""Timing on a machine that does other things too."""

import gc
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Timing:
    """Fastest run in seconds, and by how much the median exceeds it (0.2: by a fifth)."""

    seconds: float
    spread: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Parameters
    ----------
    name : str
        The work.
    ours : Timing
        Its time.
    alternative : str
        What it is measured beside.
    theirs : Timing
        The alternative's time, measured in turn with ours.
    target : str, optional
        What is to be reached.
    limit : float, optional
        The same in seconds.
    fits : bool, optional
        Whether what else is to be reached holds, such as a bound on memory.
    """

    name: str
    ours: Timing
    alternative: str
    theirs: Timing
    target: str = ""
    limit: float | None = None
    fits: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        return None if self.limit is None else self.ours.seconds <= self.limit and self.fits

    @property
    def ratio(self) -> float:
        return self.ours.seconds / self.theirs.seconds


def in_turn(*works: Callable[[], Any], repeats: int, warm_up: int = 1) -> tuple[Timing, ...]:
    """Time each work `repeats` times, turn about, so that noise meets all of them alike."""
    for work in works:
        for _ in range(warm_up):
            work()
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, taken in zip(works, seconds, strict=True):
            # What else this process holds is none of the work's: it is not searched for garbage.
            gc.collect()
            gc.freeze()
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
            gc.unfreeze()
    return tuple(Timing(min(taken), statistics.median(taken) / min(taken) - 1) for taken in seconds)


def process(*arguments: str) -> Callable[[], None]:
    """A whole run of this Python with the given arguments."""

    def run() -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)

    return run


def peak_of_process() -> int:
    """The most memory in MiB that this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # `getrusage` starts from what the parent held.
        found = re.search(r"VmHWM:\s*([0-9]+) kB", status.read_text())
        if found:
            return int(found[1]) >> 10
    # Kibibytes, but bytes on macOS.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most >> (20 if sys.platform == "darwin" else 10)


def peak_memory(code: str) -> int:
    """The most memory in MiB that a Python of its own holds while it runs some code."""
    tell = "from benchmarks.measure import peak_of_process as p; import sys"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{tell}; sys.stdout.write(str(p()))"],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    return int(done.stdout.split()[-1])
