"""The report in a browser: sliders, sorting, searching, narrow screens, no JavaScript."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.report import Report, make_report
from bayeseval.report._words import answer, chance


@pytest.fixture(scope="module")
def report() -> Report:
    suite = be.Rollouts.from_counts(
        [2] * 12 + [1] * 4 + [0] * 4,
        2,
        task=[f"orders-{i}" if i % 2 else f"<b>refunds</b>-{i}" for i in range(20)],
    )
    return make_report(suite, claims=["pass_rate > 0.5"], rng=1)


@pytest.fixture(scope="module")
def path(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.save(path)
    return path


@pytest.fixture
def page(browser: Any, path: Path) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    yield page
    page.close()
    assert not faults
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]


def _chosen(page: Any) -> dict[str, tuple[str, str]]:
    rows = page.locator("#chosen tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    return {name: (mean, above) for name, mean, above in cells}


def test_sliders_read_what_the_package_computes(page: Any, report: Report) -> None:
    fit = report.fit
    for at, step in ((100, 0), (160, 2), (199, 3)):
        for name, value in (("bar", at), ("k", step)):
            page.locator(f"#{name}").evaluate(
                "(each, value) => { each.value = value; each.dispatchEvent(new Event('input')); }",
                value,
            )
        shown, k = _chosen(page), report.curve_ks[step]
        rate, hat = fit.pass_rate(), fit.pass_hat_k(k)
        assert shown["pass rate, new tasks"] == (
            answer(rate, 0.95),
            chance(rate.prob_above(at / 200)),
        )
        assert shown[f"pass^{k}, new tasks"] == (
            answer(hat, 0.95),
            chance(hat.prob_above(at / 200)),
        )
        assert page.locator("#bar-value").inner_text() == f"{at / 2:g} %"


def test_sliders_answer_to_the_keyboard(page: Any) -> None:
    page.locator("#bar").focus()
    before = page.locator("#bar-value").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#bar-value").inner_text() != before
    assert page.locator("#bar").get_attribute("aria-valuetext") == "50.5 %"


def test_tasks_are_sorted_and_searched(page: Any) -> None:
    rows = page.locator("#task-table tbody tr")
    assert rows.count() == 20
    page.get_by_role("button", name="Passed").click()
    passed = [int(row.locator("td").first.inner_text()) for row in rows.all()]
    assert passed == sorted(passed, reverse=True)
    page.get_by_role("button", name="Passed").click()
    passed = [int(row.locator("td").first.inner_text()) for row in rows.all()]
    assert passed == sorted(passed)
    page.get_by_role("button", name="Task", exact=True).click()
    names = page.locator("#task-table tbody th").all_inner_texts()
    assert names[0].startswith("<b>refunds</b>-0")
    assert page.locator('#task-table th[aria-sort="ascending"]').count() == 1
    page.locator("#search").fill("ORDERS")
    assert page.locator("#task-table tbody tr:visible").count() == 10
    assert page.locator("#found").inner_text() == "10 of 20 tasks"


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_never_scrolls_sideways(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_page(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    colours = page.evaluate(
        """() => ["--paper", "--ink", "--quiet", "--link", "--posterior", "--fail"].map(
            (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"""
    )
    paper, ink, quiet, link, posterior, fail = (_luminance(colour) for colour in colours)
    for text in (ink, quiet, link):
        assert _contrast(text, paper) >= 4.5
    for mark in (posterior, fail):
        assert _contrast(mark, paper) >= 3.0


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_what_scrolls_can_be_reached_by_keyboard(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    unreachable = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter((each) =>
            ["auto", "scroll"].includes(getComputedStyle(each).overflowX)
            && each.scrollWidth > each.clientWidth && each.tabIndex < 0).length"""
    )
    assert unreachable == 0


def test_without_javascript_the_page_is_complete(browser: Any, path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("#task-table tbody tr").count() == 20
    assert not page.locator("#controls").is_visible()
    assert not page.locator("#task-tools").is_visible()
    assert page.get_by_text("Probability that new tasks clear other bars").is_visible()
    context.close()


def test_every_record_is_printed(browser: Any, path: Path, report: Report) -> None:
    page = browser.new_page()
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    assert page.locator(".estimate-record").count() == len(report.records) == 2
    heights = [box.bounding_box()["height"] for box in page.locator(".estimate-record").all()]
    assert min(heights) > 100
    assert not page.locator("nav").is_visible()
    page.close()


def test_the_tables_hold_numbers_only(path: Path) -> None:
    text = path.read_text("utf-8")
    found = re.search(r'id="tables">(.*?)</script>', text)
    assert found is not None
    assert "refunds" not in found[1]
    assert json.loads(found[1])["ks"] == [1, 2, 3, 4]
