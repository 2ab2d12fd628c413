"""docs/architecture.md names the rooms that the import test enforces; times are added by file."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tests import times

DOCS = Path(__file__).parents[1] / "docs"


def test_rooms_are_those_of_the_import_test() -> None:
    spec = importlib.util.spec_from_file_location(
        "build_architecture", DOCS / "build_architecture.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.PAGE.read_text("utf-8")
    assert module.page(text) == text, "python docs/build_architecture.py rewrites the table"
    with pytest.raises(SystemExit, match="needs one"):
        module.page("no table")


def test_seconds_are_added_up_by_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "tests.xml"
    report.write_text(
        '<testsuites><testsuite><testcase classname="tests.io.test_zip" name="a" time="0.5"/>'
        '<testcase classname="tests.test_rollouts.TestLedger" name="b" time="2"/>'
        '<testcase classname="tests.io.test_zip" name="c" time="0.25"/></testsuite></testsuites>'
    )
    assert times.by_file(report) == {
        "tests/test_rollouts.py": (2.0, 1),
        "tests/io/test_zip.py": (0.75, 2),
    }
    monkeypatch.setattr(sys, "argv", ["times.py", str(report)])
    times.main()
    assert capsys.readouterr().out.splitlines()[-1].split() == ["2.8", "s", "in", "all"]
