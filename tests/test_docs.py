"""README.md and docs/: every command runs and prints what the page shows; links lead somewhere."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import bayeseval as be
from bayeseval import errors

ROOT = Path(__file__).parents[1]
# Answers about the suite itself, and many fits, take seconds.
SLOW = {
    "README.md",
    "compare.md",
    "looking_again.md",
    "model.md",
    "plans.md",
    "populations.md",
    "sensitivity.md",
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture(scope="module")
def build_blocks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_blocks", ROOT / "docs/build_blocks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=[pytest.mark.slow] if page.name in SLOW else [])
        for page in PAGES
    ],
)
def test_blocks_show_what_their_commands_print(build_blocks: ModuleType, page: Path) -> None:
    text = page.read_text("utf-8")
    assert build_blocks.rebuilt(text) == text, "python docs/build_blocks.py rewrites the page"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_path_of_one_machine(page: Path) -> None:
    assert not re.search(r"(?<![\w.])/(?:home|tmp|root|work|Users)/", page.read_text("utf-8"))


@pytest.mark.parametrize("name", ["sqlagent.png", "populations.png"])
def test_figures_are_small_enough_to_lie_in_the_repository(name: str) -> None:
    assert (ROOT / "docs/images" / name).stat().st_size < 200_000


def test_wrong_output_is_replaced(build_blocks: ModuleType) -> None:
    page = '```pycon\n>>> print("a\\nb")\nc\n>>> x = 2\n>>> x\n3\n```\n'
    assert (
        build_blocks.rebuilt(page)
        == '```pycon\n>>> print("a\\nb")\na\nb\n>>> x = 2\n>>> x\n2\n```\n'
    )


def test_long_output_is_cut_where_the_comment_says(build_blocks: ModuleType) -> None:
    head = '<!-- from="two" before="four" -->\n```console\n'
    command = "$ python -c \"print('one two three four'.replace(' ', chr(10)))\"\n"
    assert (
        build_blocks.rebuilt(f"{head}{command}```\n")
        == f"{head}{command}[...]\ntwo\nthree\n[...]\n```\n"
    )


def test_mistakes_are_shown_in_one_line(build_blocks: ModuleType) -> None:
    block = "```console\n$ bayeseval rate 3/2\n```\n"
    shown = build_blocks.rebuilt(block).splitlines()
    assert len(shown) == 4
    assert "3" in shown[2]


@pytest.mark.parametrize(
    "block",
    [
        "```console\n$ rm nothing\n```\n",
        '```console\n$ python -c "raise SystemExit(1)"\n```\n',
        '<!-- from="absent" -->\n```console\n$ python -c "print(1)"\n```\n',
        '<!-- until="1" -->\n```console\n$ python -c "print(1)"\n```\n',
        "```pycon\n>>> 1 / 0\n```\n",
    ],
)
def test_faults_of_a_page_are_not_written_into_it(build_blocks: ModuleType, block: str) -> None:
    with pytest.raises((SystemExit, ZeroDivisionError)):
        build_blocks.rebuilt(block)


def test_api_page_lists_every_public_name() -> None:
    page = (ROOT / "docs/api.md").read_text("utf-8")
    listed = {name.rpartition(".")[2] for name in re.findall(r"::\s+([\w.]+)", page)}
    # The module of errors is listed whole.
    assert set(be.__all__) - set(errors.__all__) <= listed


@pytest.mark.slow
def test_pages_build_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    run = subprocess.run(
        [*command, "-d", str(tmp_path / "trees"), str(ROOT / "docs"), str(tmp_path / "html")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "html/index.html").is_file()
    for page in (tmp_path / "html").glob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text("utf-8")
        )
        assert not fetched, f"{page.name} needs the network"
