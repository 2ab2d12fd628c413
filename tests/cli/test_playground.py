"""``bayeseval playground``: one file that needs nothing else."""

import re
from pathlib import Path

import pytest

from bayeseval.playground_page import playground_html
from tests.cli.conftest import Run


def test_the_page_is_written_whole(run: Run, tmp_path: Path) -> None:
    ended = run("playground", "-o", tmp_path / "playground.html")
    assert ended.status == 0
    assert ended.err == ""
    assert "playground.html" in ended.out.replace("\n", "")
    assert (tmp_path / "playground.html").read_text(encoding="utf-8") == playground_html()
    assert [each.name for each in tmp_path.iterdir()] == ["playground.html"]


def test_the_page_is_small_and_names_no_other_file() -> None:
    page = playground_html()
    assert len(page.encode()) < 100_000
    assert not re.search(r"https?://|(?:src|href)=\"(?!#|data:)|@import|url\(", page)
    assert page.count("<script>") == page.count("</script>") == 1
    assert "{{" not in page
    ids = re.findall(r"\bid=\"([^\"$]+)\"", page)
    assert len(ids) == len(set(ids))
    # Every label and every link leads to an element of the page.
    assert set(re.findall(r"\b(?:for|href)=\"#?([\w-]+)\"", page)) <= set(ids)


@pytest.mark.parametrize(
    ("output", "message"),
    [("page.pdf", "must end in .html"), ("absent/page.html", "there is no folder")],
)
def test_places_that_cannot_be_written(run: Run, tmp_path: Path, output: str, message: str) -> None:
    ended = run("playground", "-o", tmp_path / output)
    assert ended.status == 2
    assert message in ended.err
    assert not list(tmp_path.iterdir())
