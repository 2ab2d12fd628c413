"""Processes of their own, within limits of time and memory."""

import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
# A process that holds more is ended: the machine is not the benchmark's alone.
MEMORY_MIB = 8 * 1024
# Beyond the limit that the process sets itself: for loading libraries and making the data.
GRACE = 120


def held_mib(pid: int) -> int:
    """Memory that a process holds now; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize() >> 20


def run(
    arguments: list[str],
    limit: int,
    *,
    command: tuple[str, ...] = ("-m", "benchmarks.peers.worker"),
) -> tuple[list[dict[str, Any]], str]:
    """Lines that a worker told, and how it ended: "done", "time", "memory" or its last words."""
    with tempfile.TemporaryFile("w+") as told, tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [sys.executable, *command, *arguments, str(limit)],
            stdout=told, stderr=complaints, cwd=ROOT,
        )  # fmt: skip
        end, ended = time.monotonic() + limit + GRACE, ""
        while process.poll() is None:
            time.sleep(0.1)
            if held_mib(process.pid) > MEMORY_MIB:
                ended = "memory"
            elif time.monotonic() > end:
                ended = "time"
            if ended:
                process.kill()
                process.wait()
        if not ended:
            ended = ending(process.returncode, complaints)
        told.seek(0)
        lines = [json.loads(line) for line in told if line.startswith("{") and line.endswith("}\n")]
    return lines, ended


def ending(code: int, complaints: Any) -> str:
    if code == 0:
        return "done"
    if code == -signal.SIGALRM:
        return "time"
    complaints.seek(0)
    last = ([line for line in complaints.read().splitlines() if line.strip()] or ["no word"])[-1]
    if "MemoryError" in last or "Out of memory" in last or "RESOURCE_EXHAUSTED" in last:
        return "memory"
    return f"failed with status {code}: {last[:200]}"
