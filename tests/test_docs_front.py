"""The front page: the command beside each question runs, and every page is one click away."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.cli import main

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/index.md").read_text("utf-8")
ROWS = re.findall(r"^\| \[([^|\]]+)\]\((\w+\.md)\) \| `([^`]+)` \|$", PAGE, re.MULTILINE)
# The sampler and many values of k are tested elsewhere; here they would only take long.
QUICK = {"fit": ["--engine", "exact", "--k", "1"], "report": ["--engine", "exact"]}
SLOW = ("--by slice", "third.csv", "--leaked", "report")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the front page names."""
    folder = tmp_path_factory.mktemp("front")
    results = (ROOT / "examples/sqlagent.csv").read_text("utf-8")
    (folder / "results.csv").write_text(results, encoding="utf-8")
    (folder / "production.csv").write_text(
        "slice,weight\nlookups,0.64\njoins,0.24\ndates,0.08\nwindows,0.04\n", encoding="utf-8"
    )
    for name, passed in (("old", 60), ("new", 66), ("third", 40)):
        rows = "".join(f"task-{at},{at < passed}\n" for at in range(80))
        (folder / f"{name}.csv").write_text("task,passed\n" + rows, encoding="utf-8")
    leaked = "".join(
        f"task-{at},{rollout},{at % 4 > rollout % 2},{at < 10}\n"
        for at in range(40)
        for rollout in range(4)
    )
    (folder / "leaked.csv").write_text("task,rollout,passed,leaked\n" + leaked, encoding="utf-8")
    return folder


def test_every_row_is_read() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    heads = [line for line in rows if line.startswith("| question |")]
    assert len(ROWS) == len(rows) - len(heads) > 40


@pytest.mark.parametrize(
    ("question", "page", "command"),
    [
        pytest.param(
            *row,
            id=row[2],
            marks=[pytest.mark.slow] if any(part in row[2] for part in SLOW) else [],
        )
        for row in ROWS
    ],
)
def test_the_command_beside_the_question_runs(
    folder: Path, question: str, page: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert (ROOT / "docs" / page).is_file()
    if not command.startswith("bayeseval "):
        fit = be.fit(be.read("results.csv"), engine="exact")
        found = eval(command, {"be": be, "fit": fit, "print": str})
        assert found is not None
        assert not isinstance(found, be.Unknown)
        return
    _, *arguments = shlex.split(command)
    arguments += QUICK.get(arguments[0], [])
    if arguments[:2] == ["record", "check"]:
        _run(["record", "make", "results.csv", "-o", "record.json"])
    status, output = _run(arguments)
    assert status in ((0, 1, 3) if arguments[0] == "gate" else (0,)), output
    written = [each for each in arguments if each.endswith((".html", ".json", ".png", ".nc"))]
    assert output or written
    assert all((folder / name).stat().st_size > 0 for name in written)


def _run(arguments: list[str]) -> tuple[Any, str]:
    output = io.StringIO()
    with redirect_stdout(output), pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code, output.getvalue()


def test_every_page_is_in_the_table_of_contents() -> None:
    trees = re.findall(r"```\{toctree\}\n(.*?)```", PAGE, re.DOTALL)
    assert all(":caption:" in tree for tree in trees)
    listed = [
        line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")
    ]
    assert len(listed) == len(set(listed))
    assert {*listed, "index"} == {page.stem for page in (ROOT / "docs").glob("*.md")}
