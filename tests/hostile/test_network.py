"""Nothing asks the network for anything, and no page that is written loads anything from it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# Started by every Python process of the test: whoever asks for the network is told so loudly.
_GUARD = """
import socket

def refuse(*arguments, **options):
    raise BaseException(f"NETWORK: {arguments!r}")

class Guarded(socket.socket):
    # Pipes and event loops talk to themselves through local sockets.
    def connect(self, address):
        return super().connect(address) if self.family == socket.AF_UNIX else refuse(address)

    connect_ex = connect

socket.socket = Guarded
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = refuse
"""

_API = """
import sys
import bayeseval as be

folder = sys.argv[1]
suite = be.read("examples/sqlagent.csv")
small = be.Rollouts.from_counts([4, 4, 0, 2, 3, 1, 4, 4], 4)
fit = be.fit(small, engine="exact")
sampled = be.fit(small, draws=50, tune=100, chains=1, rng=1, progress=False)
be.require(suite, "pass_rate > 0.1")
be.plot_posterior(fit.pass_rate()).figure.savefig(f"{folder}/figure.svg")
be.plot_sampling_grid(small)
record = be.make_record(fit)
open(f"{folder}/record.html", "w").write(record.to_html())
fit.save(f"{folder}/fit.nc")
be.load_fit(f"{folder}/fit.nc").dt
"""

_PROGRAM = """
import sys
from bayeseval.cli import main

folder = sys.argv[1]
for arguments in (
    ["formats"],
    ["rate", "194/200", "--above", "0.95"],
    ["show", "examples/sqlagent.csv"],
    ["report", f"{folder}/small.csv", "--engine", "exact", "-o", f"{folder}/report.html"],
    ["record", "make", f"{folder}/small.csv", "-o", f"{folder}/made.json"],
    ["record", "check", f"{folder}/made.json"],
    ["record", "make", f"{folder}/small.csv", "-o", f"{folder}/made.html"],
    ["playground", "-o", f"{folder}/playground.html"],
):
    try:
        main(arguments)
    except SystemExit as ended:
        assert ended.code == 0, (arguments, ended.code)
"""

# What a browser would fetch without being asked; a link that a reader may click is none of it.
_FAR = r"\s*[\"']?\s*(?:https?:)?//"
_LOADS = re.compile(
    rf"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|data)\s*={_FAR}"
    rf"|<link\b[^>]*\bhref\s*={_FAR}"
    rf"|url\({_FAR}|@import\s+{_FAR}"
    r"|\bfetch\(|XMLHttpRequest|WebSocket\(|sendBeacon",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of what the API and the commands write, with the network out of reach."""
    folder = tmp_path_factory.mktemp("network")
    guard = folder / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(_GUARD)
    (folder / "small.csv").write_text(
        "task,passes,trials\n" + "".join(f"t{i},{i % 2},1\n" for i in range(12))
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(guard), str(root)])}
    for code in (_API, _PROGRAM):
        ran = subprocess.run(
            [sys.executable, "-c", code, folder],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert "NETWORK" not in ran.stderr + ran.stdout, ran.stderr
        assert ran.returncode == 0, ran.stderr
    return folder


def test_the_guard_guards(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_GUARD)
    ran = subprocess.run(
        [sys.executable, "-c", "import urllib.request as r; r.urlopen('http://localhost:9')"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "NETWORK" in ran.stderr


def test_nothing_asks_the_network(written: Path) -> None:
    names = {each.name for each in written.iterdir()}
    assert {"figure.svg", "fit.nc", "made.json", "report.html", "playground.html"} <= names


@pytest.mark.parametrize("name", ["report.html", "record.html", "made.html", "playground.html"])
def test_pages_load_nothing(written: Path, name: str) -> None:
    page = (written / name).read_text(encoding="utf-8")
    found = _LOADS.search(page)
    assert found is None, page[max(found.start() - 60, 0) : found.end() + 60] if found else ""
