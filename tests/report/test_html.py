"""The page: what it holds, that it needs nothing else, and that data stay data."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from bayeseval._format import format_percent
from bayeseval.report import Report, make_report
from bayeseval.report._words import chance

Reports = Callable[[str], Report]
Pages = Callable[[str], str]
VOID = {"meta", "link", "br", "input", "img", "hr"}


class Outline(HTMLParser):
    """Elements, ids, headings, references and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self.feed(page)
        assert not self.stack, f"never closed: {self.stack}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.stack:
            self.text.setdefault(self.stack[-1], []).append(data)


@pytest.fixture(params=["plain", "hostile"])
def page(request: pytest.FixtureRequest, html_of: Pages) -> str:
    return html_of(request.param)


def test_elements_are_closed_and_ids_are_unique(page: str) -> None:
    ids = [attrs["id"] for _, attrs in Outline(page).tags if "id" in attrs]
    assert len(ids) == len(set(ids)) > 20
    inside = set(re.findall(r'(?:href="#|url\(#|aria-labelledby=")([^")\s]+)', page))
    assert inside <= set(ids)


def test_nothing_is_fetched(page: str) -> None:
    for tag, attrs in Outline(page).tags:
        assert "src" not in attrs
        assert tag not in {"img", "iframe", "object", "embed", "base", "form"}
        if tag == "link":
            assert attrs["href"] == "data:,"
        if tag == "a":
            assert re.match(r"#|https://doi\.org/", str(attrs["href"]))
        assert not any(name.startswith("on") for name in attrs)
    styles = " ".join(Outline(page).text["style"])
    assert "@import" not in styles
    assert "http" not in styles
    assert "fetch(" not in page
    assert not re.search(r"url\((?!#)", page)


def test_data_are_never_code(html_of: Pages, hostile_name: str) -> None:
    page = html_of("hostile")
    outline = Outline(page)
    assert [tag for tag, _ in outline.tags].count("script") == 2
    assert "<i>Title" not in page
    assert "<b>hard" not in page
    assert "</title></svg>" not in page
    assert page.count("&lt;script&gt;alert(") >= 3
    # The browser reads the name as it is.
    assert any(hostile_name in text for text in ["".join(outline.text["th"])])


def test_order_of_the_sections(html_of: Pages) -> None:
    headings = re.findall(r"<h2[^>]*>([^<]+)</h2>", html_of("hostile"))
    assert headings == [
        "Verdict",
        "The answer",
        "Beside Wilson and the bootstrap",
        "Whom the number speaks of",
        "Several attempts: pass@k and pass^k",
        "Every task and rollout",
        "Slices and weights",
        "Tasks",
        "How much tasks differ, and the next run",
        "Checks",
        "Rollouts that were not scored",
        "Priors",
        "Methods",
        "Records and provenance",
    ]


def test_headings_go_down_one_at_a_time(page: str) -> None:
    levels = [int(tag[1]) for tag, _ in Outline(page).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_tables_have_captions_and_figures_text(page: str) -> None:
    outline = Outline(page)
    tags = [tag for tag, _ in outline.tags]
    records = page.count('class="estimate-record"')
    assert tags.count("caption") == tags.count("table") - records > 8
    plots = [attrs for tag, attrs in outline.tags if tag == "svg"]
    assert len(plots) >= 7
    assert all(attrs["role"] == "img" and attrs["aria-labelledby"] for attrs in plots)
    assert tags.count("desc") == len(plots)


def test_the_answer_is_the_fit(html_of: Pages, report_of: Reports) -> None:
    page, report = html_of("plain"), report_of("plain")
    rate = report.fit.pass_rate()
    assert f"<strong>{format_percent(rate.mean)}</strong>" in page
    assert f"= <strong>{chance(rate.prob_above(0.5))}</strong>; a verdict needs 95 %" in page
    assert [verdict.outcome for verdict in report.verdicts] == ["supported", "contradicted"]


def test_weights_make_the_headline(html_of: Pages, report_of: Reports) -> None:
    report = report_of("hostile")
    assert report.sliced is not None
    weighted = report.sliced.pass_rate(weights=report.weights)
    assert f"<strong>{format_percent(weighted.mean)}</strong>" in html_of("hostile")
    assert report.records[0].n_eff is not None


def test_lost_rollouts_have_their_envelope(html_of: Pages, report_of: Reports) -> None:
    report = report_of("hostile")
    assert report.lost is not None
    for fit in report.lost:
        assert format_percent(fit.pass_rate().mean) in html_of("hostile")
    assert "if the 3 errored rollouts had been scored" in html_of("hostile")


def _tables(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="tables">(.*?)</script>', page)
    assert found is not None
    tables: dict[str, Any] = json.loads(found[1])
    return tables


def test_sliders_read_the_posteriors(html_of: Pages, report_of: Reports) -> None:
    tables, fit = _tables(html_of("plain")), report_of("plain").fit
    assert len(tables["bars"]) == 201
    for at in (0, 100, 137, 200):
        bar = at / 200
        assert tables["rate"]["new_tasks"]["above"][at] == chance(fit.pass_rate().prob_above(bar))
        suite = fit.pass_rate(population="suite")
        assert tables["rate"]["suite"]["above"][at] == chance(suite.prob_above(bar))
        for step, k in enumerate(tables["ks"]):
            found = tables["hat"][step]["above"][at]
            assert found == chance(fit.pass_hat_k(k).prob_above(bar))


def test_every_task_is_listed_the_flakiest_first(html_of: Pages, report_of: Reports) -> None:
    page, report = html_of("plain"), report_of("plain")
    body = page[page.index('<table id="task-table">') :]
    names = re.findall(r'<tr><th scope="row">([^<]+)</th>', body[: body.index("</table>")])
    assert sorted(map(int, names)) == sorted(report.rollouts.task.tolist())
    assert set(map(int, names[:5])) == {45, 46, 47, 48, 49}


def test_same_seed_same_page() -> None:
    suite = be.Rollouts.from_counts([1, 1, 0, 1, 1, 0], 1)
    first, second = (make_report(suite, rng=3).to_html() for _ in range(2))
    assert first == second


def test_two_thousand_tasks_stay_small() -> None:
    rng = np.random.default_rng(2)
    suite = be.Rollouts.from_counts(
        rng.binomial(8, rng.beta(1.0, 0.5, 2000)),
        8,
        task=[f"suite/{'long-name-' * 4}{i:05d}" for i in range(2000)],
    )
    page = make_report(suite, k=(1, 2), rng=1).to_html()
    assert len(page.encode()) < 3_000_000
    assert page.count("suite/long-name-") >= 2000


@pytest.mark.parametrize(
    "suite",
    [
        be.Rollouts.from_counts([4] * 12, 4),
        be.Rollouts.from_counts([0] * 12, 4),
        be.Rollouts.from_counts([1, 0, 1, 1], 1),
        be.Rollouts.from_counts([3], [4]),
        be.Rollouts.from_counts([3, 1, 0], [4, 2, 0], errored=[0, 1, 3]),
    ],
    ids=["all pass", "all fail", "one each", "one task", "without score"],
)
def test_suites_at_the_edge(suite: be.Rollouts) -> None:
    # Answers about such a suite itself take a while: one k is enough to see its edges.
    page = make_report(suite, k=[1], rng=1).to_html()
    Outline(page)
    assert "No claim was stated" in page
    assert ">nan" not in page
    assert "UNKNOWN" in page
