"""Control-C while a long command works: exit status 130, no traceback, nothing half-written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Runs the program, and says so when the function that does the long work has begun.
_TOLD = """
import importlib, sys

module, name = sys.argv[1].split(":")
owner = importlib.import_module(module)
real = getattr(owner, name)

def told(*arguments, **options):
    print("under way", file=sys.stderr, flush=True)
    return real(*arguments, **options)

setattr(owner, name, told)
from bayeseval.cli import main

main(sys.argv[2:])
"""

# More work than any machine does in the time that a test waits.
COMMANDS = {
    "fit": (
        "bayeseval.hierarchical._sample:run_nuts",
        ["fit", "{in}", "--draws", "500000", "--save", "{out}/fit.nc"],
    ),
    "report": (
        "bayeseval.hierarchical._sample:run_nuts",
        ["report", "{in}", "-o", "{out}/report.html"],
    ),
    "compare": (
        "bayeseval.comparison._compare:run_nuts",
        ["compare", "{in}", "{other}", "--draws", "500000"],
    ),
    "simulate": (
        "bayeseval.cli._simulate_run:run",
        ["simulate", "--tasks", "1000000", "--rollouts", "8", "-o", "{out}/suite.csv"],
    ),
    "watch": (
        "bayeseval.cli._watch_run:run",
        [
            *("watch", "{in}", "--claim", "pass^3 > 0.8", "--looks", "30"),
            *("--tasks-per-look", "400", "--simulations", "20000"),
        ],
    ),
    "plan": (
        "bayeseval.cli._plan_run:run",
        [
            *("plan", "assurance", "--target", "0.8", "--above", "0.7", "--rollouts", "4"),
            *("--rate", "0.8", "--icc", "0.3", "--simulations", "20000"),
        ],
    ),
}


def _interrupted(name: str, tmp_path: Path, wait: float) -> tuple[int, str, float]:
    where, arguments = COMMANDS[name]
    places = {"in": tmp_path / "old.csv", "other": tmp_path / "new.csv", "out": tmp_path / "out"}
    places["out"].mkdir()
    for which in ("in", "other"):
        rows = "".join(f"t{i},{(i * 7 + len(which)) % 5},4\n" for i in range(400))
        places[which].write_text("task,passes,trials\n" + rows)
    process = subprocess.Popen(
        [sys.executable, "-c", _TOLD, where, *(each.format(**places) for each in arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        lines = []
        while (line := process.stderr.readline()) not in ("under way\n", ""):
            lines.append(line)
        assert line, lines
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return process.returncode, "".join(lines) + said, time.monotonic() - begun


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_ends_a_long_command(name: str, tmp_path: Path) -> None:
    # The sampler compiles its model first; either way the program must let go.
    status, said, took = _interrupted(name, tmp_path, wait=0.5)
    assert status == 130
    assert "Traceback" not in said
    assert took < 30
    assert os.listdir(tmp_path / "out") == []
