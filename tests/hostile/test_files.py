"""What is left of a file when its writer is killed, disturbed, or out of space."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bayeseval as be
from bayeseval.errors import InputError

OLD = b"old and whole"
RESULTS = "task,passes,trials\n" + "".join(f"t{i},{i % 2},1\n" for i in range(12))

# Writes a file for as long as anybody watches, half of it at first.
_SLOW_WRITER = """
import sys, time
from bayeseval._atomic import atomic_path

with atomic_path(sys.argv[1]) as temporary:
    temporary.write_bytes(b"x" * 1000)
    print("half", flush=True)
    time.sleep(60)
"""

# Runs the program with a limit on the size of files; what would pass it is refused.
_LIMITED = """
import resource, signal, sys

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from bayeseval.cli import main

main(sys.argv[2:])
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "results.csv"
    path.parent.mkdir()
    path.write_text(RESULTS)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def _run(
    *arguments: object, code: tuple[str, ...] = ("-m", "bayeseval")
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *code, *map(str, arguments)],
        capture_output=True,
        timeout=120,
        check=False,
    )


def _assert_one_line(ran: subprocess.CompletedProcess[bytes], *parts: str) -> None:
    message = ran.stderr.decode()
    assert ran.returncode == 2, message
    assert message.startswith("bayeseval: ")
    assert message.count("\n") == 1
    for part in parts:
        assert part in message


# -- killed ----------------------------------------------------------------------------


def test_a_kill_leaves_the_old_file_whole_and_the_next_run_clears_up(folder: Path) -> None:
    target = folder / "fit.nc"
    target.write_bytes(OLD)
    writer = subprocess.Popen(
        [sys.executable, "-c", _SLOW_WRITER, target], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    writer.kill()
    writer.wait()
    writer.stdout.close()
    assert target.read_bytes() == OLD
    (left,) = set(os.listdir(folder)) - {"fit.nc"}
    assert left.startswith(".fit-")
    assert left.endswith(".nc")
    # What a dead process left is taken away by the next one that writes the same file.
    be.fit(be.Rollouts.from_counts([4, 0, 2], 4), engine="exact").save(target)
    assert os.listdir(folder) == ["fit.nc"]
    assert be.load_fit(target).rollouts.n_tasks == 3


def test_what_a_living_process_writes_is_left_alone(folder: Path) -> None:
    target = folder / "suite.csv"
    writer = subprocess.Popen(
        [sys.executable, "-c", _SLOW_WRITER, target], stdout=subprocess.PIPE, text=True
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half\n"
        be.simulate(10, 2, rng=1).to_csv(target)
        assert len(os.listdir(folder)) == 2
    finally:
        writer.kill()
        writer.wait()
        assert writer.stdout is not None
        writer.stdout.close()


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("fit", "--engine", "exact", "--save"), "fit.nc"),
        (("report", "--engine", "exact", "-o"), "report.html"),
        (("record", "make", "-o"), "record.json"),
    ],
    ids=["fit", "report", "record"],
)
def test_a_command_killed_at_any_moment_leaves_the_old_file_or_the_new_one(
    results: Path, folder: Path, command: tuple[str, ...], name: str
) -> None:
    target = folder / name
    target.write_bytes(OLD)
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "bayeseval", *command, target, results],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Killed as soon as its temporary file is there, or when the new file has taken its place.
    while process.poll() is None and time.monotonic() - begun < 100:
        if set(os.listdir(folder)) != {name} or target.read_bytes() != OLD:
            break
        time.sleep(0.005)
    process.kill()
    process.wait()
    found = target.read_bytes()
    ends = {".html": b"</html>", ".json": b"}"}
    if found != OLD:
        assert found.rstrip().endswith(ends.get(target.suffix, b""))
        assert target.suffix != ".nc" or be.load_fit(target)
    left = set(os.listdir(folder)) - {name}
    assert all(each.startswith(".") for each in left)


def test_two_writers_of_one_file_leave_one_whole_file(results: Path, folder: Path) -> None:
    target = folder / "record.json"
    command = [sys.executable, "-m", "bayeseval", "record", "make", results, "-o", target]
    writers = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert be.load_record(target).n_tasks == 12
    assert os.listdir(folder) == ["record.json"]


# -- no room, no rights ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("fit", "--engine", "exact", "--save"), "fit.nc"),
        (("fit", "--engine", "exact", "--plot"), "fit.png"),
        (("report", "--engine", "exact", "-o"), "report.html"),
        (("record", "make", "-o"), "record.json"),
    ],
    ids=["save", "plot", "report", "record"],
)
def test_a_full_disk_is_one_line_and_the_old_file_stays(
    results: Path, folder: Path, command: tuple[str, ...], name: str
) -> None:
    target = folder / name
    target.write_bytes(OLD)
    ran = _run(1_000, *command, target, results, code=("-c", _LIMITED))
    _assert_one_line(ran, str(target), "cannot be written", "File too large")
    assert target.read_bytes() == OLD
    assert os.listdir(folder) == [name]


def test_standard_output_on_a_full_disk_is_one_line(results: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "bayeseval", "show", results],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    _assert_one_line(ran, "output", "No space left on device")


def test_a_folder_in_place_of_the_file_and_one_that_is_not_writable(
    results: Path, folder: Path
) -> None:
    (folder / "fit.nc").mkdir()
    ran = _run("fit", "--engine", "exact", "--save", folder / "fit.nc", results)
    _assert_one_line(ran, "a folder; name a file in it")
    folder.chmod(0o500)
    try:
        if os.access(folder, os.W_OK):
            return  # whoever runs the tests may write everywhere
        ran = _run("report", "-o", folder / "report.html", results)
        _assert_one_line(ran, "is not writable")
    finally:
        folder.chmod(0o700)


def test_an_error_while_writing_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError, match=r"suite\.csv: cannot be written: No space left"):
        be.simulate(10, 2, rng=1).to_csv(tmp_path / "suite.csv")
    assert os.listdir(tmp_path) == []


# -- the reader has gone ---------------------------------------------------------------


def test_a_pipe_whose_reader_leaves_early_is_quiet(results: Path) -> None:
    ran = subprocess.run(
        f'"{sys.executable}" -m bayeseval fit --engine exact "{results}" | head -n 1',
        shell=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ran.stderr == b""
    assert ran.stdout.count(b"\n") == 1


def test_closed_streams_are_no_traceback(results: Path) -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        ran = subprocess.run(
            f'"{sys.executable}" -m bayeseval show "{results}" {closed}',
            shell=True,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert b"Traceback" not in ran.stderr
        assert ran.returncode in (0, 2)


def test_a_termination_leaves_nothing_behind(folder: Path) -> None:
    target = folder / "fit.nc"
    writer = subprocess.Popen(
        [sys.executable, "-c", _SLOW_WRITER, target],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "half\n"
    writer.send_signal(signal.SIGINT)
    writer.wait(30)
    writer.stdout.close()
    assert os.listdir(folder) == []
