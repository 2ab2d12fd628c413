"""What is light stays light: heavy libraries are loaded only where they are used."""

import subprocess
import sys

import pytest

HEAVY = {
    "arviz",
    "duckdb",
    "matplotlib",
    "numba",
    "nutpie",
    "pandas",
    "polars",
    "pyarrow",
    "pymc",
    "pytensor",
    "statsmodels",
    "xarray",
}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "import bayeseval"],
        ["-c", "import bayeseval; dir(bayeseval)"],
        ["-m", "bayeseval", "--help"],
        ["-m", "bayeseval", "rate", "194/200", "--above", "0.95"],
        ["-m", "bayeseval", "plan", "passes", "--tasks", "200", "--above", "0.95"],
    ],
    ids=" ".join,
)
def test_loads_no_heavy_library(arguments: list[str]) -> None:
    packages = {name.partition(".")[0] for name in loaded_by(arguments)}
    assert "bayeseval" in packages
    assert not packages & HEAVY


def test_counts_are_answered_without_the_readers() -> None:
    loaded = loaded_by(["-m", "bayeseval", "rate", "194/200", "--above", "0.95"])
    assert "bayeseval.conjugate" in loaded
    assert not [name for name in loaded if name.startswith(("bayeseval.io", "scipy.fft"))]


def loaded_by(arguments: list[str]) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr[-2_000:]
    # Lines read "import time: self [us] | cumulative | module".
    return {
        line.rpartition("|")[2].strip()
        for line in run.stderr.splitlines()
        if line.startswith("import time:")
    }
