"""Run the command line in this process and look at what it leaves."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from bayeseval.cli import main


@dataclass(frozen=True)
class Ran:
    """What a run left: exit status, standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def width(self) -> int:
        """Longest line of standard output; paths stay in one piece, however long they are."""
        lines = [line for line in self.out.splitlines() if "pytest-of-" not in line]
        return max((len(line.rstrip()) for line in lines), default=0)

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document, which must be all of standard output."""
        assert self.status == 0, self.err
        found: dict[str, Any] = json.loads(self.out, parse_constant=lambda name: pytest.fail(name))
        return found


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs ``bayeseval`` with the arguments given, 80 columns wide and without colour."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        found = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ran(ended.value.code, found.out, found.err)

    return run
