"""A report against a baseline, and with marks of leaked tasks."""

import json
import re
from functools import cache

import pytest

import bayeseval as be
from bayeseval.comparison import Comparison
from bayeseval.report import Report, make_report
from bayeseval.report._sections import sections

TASKS = [f"t{i:02}" for i in range(40)]


def suite(passed: int) -> be.Rollouts:
    return be.Rollouts.from_counts(
        [1] * passed + [0] * (40 - passed),
        1,
        task=TASKS,
        factors={"leaked": ["yes"] * 10 + ["no"] * 30},
    )


@cache
def made() -> Report:
    return make_report(
        suite(32),
        baseline=suite(20),
        leaked="leaked",
        claims=["pass_rate - pass_rate[baseline] > -0.02", "pass_rate > 0.5"],
        rng=1,
    )


def comparison() -> Comparison:
    found = made().comparison
    assert found is not None
    return found


def test_the_comparison_is_that_of_compare() -> None:
    change = be.compare(suite(20), suite(32), rng=1).difference()
    again = comparison().difference()
    assert isinstance(change, be.Posterior)
    assert isinstance(again, be.Posterior)
    assert again.mean == change.mean
    row = json.loads(made().to_json())["comparison"]["estimates"][0]
    assert (row["quantity"], row["mean"]) == ("pass_rate", change.mean)


def test_every_form_says_what_changed() -> None:
    sentence = comparison().sentence(0.95)
    # A Dirichlet posterior: 12 of 44 tasks gained, 1 of each kind from the prior.
    assert sentence.startswith(f"new is better than old: {100 * 12 / 44:+.1f} points")
    text = made().to_markdown()
    assert "## Against the baseline" in text
    assert "Tasks that moved: 0 regressed, 12 improved" in text
    html = made().to_html()
    assert re.search(r'<section[^>]*id="baseline"', html)
    assert "McNemar: exact p = 0.000488" in html


def test_claims_about_the_baseline_are_judged_and_have_no_record() -> None:
    report = made()
    assert [verdict.outcome for verdict in report.verdicts] == ["supported", "supported"]
    # The headline, and the claim about this suite alone: a record is checked from its own input.
    assert [record.claim is None for record in report.records] == [True, False]


def test_leaked_tasks_are_marked_and_taken_out() -> None:
    report = made()
    found = be.contamination(suite(32), leaked="leaked")
    rows = json.loads(report.to_json())["leaked"]
    assert (rows["leaked_tasks"], rows["tasks"]) == (10, 40)
    assert rows["rows"][0]["clean"]["mean"] == pytest.approx(found.answer("clean").mean)
    assert rows["rows"][0]["inflation"]["mean"] == pytest.approx(found.inflation().mean)
    text = report.to_markdown()
    assert "10 tasks of 40 are marked as leaked" in text
    words = [t.get_text() for t in report.figures["sampling_grid"].findobj(match=_is_text)]
    assert any("leaked" in word for word in words)


def _is_text(artist: object) -> bool:
    return hasattr(artist, "get_text")


def test_sections_are_there_only_when_asked_for() -> None:
    plain = {section.name for section in sections(make_report(suite(32), rng=1))}
    assert {"baseline", "leaked"}.isdisjoint(plain)
    assert {"baseline", "leaked"} <= {section.name for section in sections(made())}


def test_marks_that_say_nothing_are_refused() -> None:
    with pytest.raises(be.InputError, match="unknown factor 'leak'"):
        make_report(suite(32), leaked="leak", rng=1)
