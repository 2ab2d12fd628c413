"""Markdown, JSON, figures and files."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.report import Report, make_report

Reports = Callable[[str], Report]


def test_markdown_has_the_same_sections(report_of: Reports) -> None:
    text = report_of("plain").to_markdown()
    assert text.startswith("# a.csv: 50 tasks x 4 rollouts\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[:3] == [
        "Verdicts",
        "The answer",
        "Beside Wilson and the bootstrap",
    ]
    assert "**SUPPORTED**: Pr\\[pass\\_rate \\> 0.5\\] = 0.98" in text


def test_markdown_tables_keep_their_columns(report_of: Reports) -> None:
    text = report_of("hostile").to_markdown()
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        # An escaped bar is part of a cell.
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1
    assert "<script>" not in text
    assert "\\<script\\>alert" in text


def test_markdown_names_figures_where_they_lie(report_of: Reports) -> None:
    text = report_of("plain").to_markdown(figures="figs")
    assert "](<figs/posterior.svg>)" in text
    assert "Figure: " not in text


def test_json_holds_unrounded_numbers(report_of: Reports) -> None:
    report = report_of("plain")
    document = json.loads(report.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert document["schema"] == "bayeseval.report/1"
    assert document["seed"] == 1
    rate = document["estimates"][0]
    assert (rate["quantity"], rate["mean"]) == ("pass_rate", report.fit.pass_rate().mean)
    assert rate["prob_above"] == report.fit.pass_rate().prob_above(0.5)
    assert len(document["tasks"]) == 50
    assert document["verdicts"] == [
        json.loads(json.dumps(verdict.document())) for verdict in report.verdicts
    ]
    assert [record["schema"] for record in document["records"]] == ["bayeseval.record/1"] * 3
    beyond = next(row for row in document["estimates"] if row["k"] == 8)
    assert "exceeds" in beyond["unbiased"]["unknown"]


def test_json_of_slices_and_lost_rollouts(report_of: Reports) -> None:
    report = report_of("hostile")
    document = json.loads(report.to_json())
    assert report.sliced is not None
    assert report.lost is not None
    assert document["slices"]["weights"] == {"<b>hard</b>": 0.2, "easy": 0.8}
    weighted = report.sliced.pass_rate(weights=report.weights).mean
    assert document["slices"]["pass_rate"]["mean"] == weighted
    assert document["lost"]["if_passed"][0]["mean"] == report.lost[1].pass_rate().mean


def test_figures_are_written_twice(report_of: Reports, tmp_path: Path) -> None:
    names = report_of("plain").save_figures(tmp_path / "new" / "figs")
    assert all(Path(name).stat().st_size > 3000 for name in names)
    stems = {Path(name).stem for name in names}
    assert {"posterior", "populations", "sampling_grid", "priors"} <= stems
    assert {Path(name).suffix for name in names} == {".svg", ".png"}


@pytest.mark.parametrize("form", ["html", "md", "json"])
def test_the_ending_decides(form: str, report_of: Reports, tmp_path: Path) -> None:
    path = tmp_path / f"report.{form}"
    report_of("plain").save(path)
    first = path.read_text("utf-8")[:2]
    assert first == {"html": "<!", "md": "# ", "json": "{\n"}[form]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_another_ending_is_refused(report_of: Reports, tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match=r"must end in \.html or \.md or \.json"):
        report_of("plain").save(tmp_path / "report.pdf")


def test_what_fails_leaves_the_old_file(
    report_of: Reports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(*_: Any, **__: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="disk full"):
        report_of("plain").save(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"claims": ["pass^3 is good"]}, "claim"),
        ({"claims": ["worst_slice pass_rate > 0.5"]}, "worst_slice needs slices"),
        ({"claims": ["pass_rate - pass_rate[baseline] > 0"]}, "needs baseline=ROLLOUTS"),
        ({"above": 80}, "above must be between 0 and 1"),
        ({"k": [0]}, "k must be at least 1"),
        ({"k": []}, "at least one whole number"),
        ({"by": "area"}, "area"),
        ({"weights": {"a": 1.0}}, "weights need slices"),
        ({"engine": "mcmc"}, "engine must be one of"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        make_report(be.Rollouts.from_counts([1, 2], 2), **options)


def test_a_bar_alone_is_a_claim() -> None:
    report = make_report(be.Rollouts.from_counts([2] * 20, 2), above=0.5, rng=1)
    assert [str(verdict.claim) for verdict in report.verdicts] == ["pass_rate > 0.5"]


def test_the_bar_of_a_claim_is_drawn(report_of: Reports) -> None:
    assert report_of("plain").above == 0.5
    assert report_of("hostile").above == 0.6
