"""Real files of promptfoo, multivon, DeepEval, JUnit and OpenAI evals, and their known counts."""

import json
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.io._format import Source
from bayeseval.io._options import Options
from bayeseval.io._registry import choose
from tests.io.facts import check
from tests.io.fuzzing import read

FOLDERS = ("promptfoo", "multivon", "deepeval", "junit", "openai_evals")
REFUSED = ("unreadable", "not_junit", "not_a_report", "aggregate_only")

Fact = dict[str, Any]


@pytest.fixture(scope="module")
def known(shared: Path) -> dict[str, Fact]:
    facts = json.loads((shared / "data/real/FACTS.json").read_text(encoding="utf-8"))
    return {name: fact for name, fact in facts.items() if name.split("/")[0] in FOLDERS}


def systems_together(path: Path) -> be.Rollouts:
    """Add up the systems of a file: the known counts are over all of them."""
    source = Source.open(str(path))
    records = choose(source).read(source, Options())
    names = dict.fromkeys(records.system or ()) or {None: None}
    parts = [read(path, system=name) for name in names]
    counts: dict[Any, list[int]] = {}
    for part in parts:
        columns = (part.passes, part.trials, part.errored, part.missing)
        for task, *row in zip(
            part.task.tolist(), *(each.tolist() for each in columns), strict=True
        ):
            total = counts.setdefault(task, [0, 0, 0, 0])
            counts[task] = [one + other for one, other in zip(total, row, strict=True)]
    passes, trials, errored, missing = zip(*counts.values(), strict=True)
    return be.Rollouts.from_counts(
        passes, trials, task=list(counts), errored=errored, missing=missing
    )


def expected(fact: Fact) -> Fact:
    """Return the counts at the level of single rollouts, without skipped tests."""
    fact = fact.get("run_level", fact)
    if not fact["n_passed"] + fact["n_failed"]:
        fact = fact | {"scored_only": {"n_tasks": 0, "pass_hat_k": {}, "pass_at_k": {}}}
    # Skipped attempts stand in the totals of the facts and in nothing that follows from them.
    return fact | {
        "n_tasks": sum(fact["task_success_histogram"].values()),
        "n_attempts": fact["n_attempts"] - fact["n_skipped"],
    }


def test_every_readable_file_agrees_with_its_known_counts(
    shared: Path, known: dict[str, Fact]
) -> None:
    names = [name for name, fact in known.items() if not any(map(fact.get, REFUSED))]
    assert len(names) > 20
    for name in names:
        check(systems_together(shared / "data/real" / name), expected(known[name]))


def test_every_metric_agrees_with_its_known_counts(shared: Path, known: dict[str, Fact]) -> None:
    checked = 0
    for name, fact in known.items():
        for metric, counts in fact.get("by_metric", {}).items():
            check(read(shared / "data/real" / name, metric=metric), counts)
            checked += 1
    assert checked > 5


def test_every_case_level_count_is_pass_hat_of_all_runs(
    shared: Path, known: dict[str, Fact]
) -> None:
    names = [name for name in known if "run_level" in known[name]]
    assert names
    for name in names:
        rollouts = be.read(shared / "data/real" / name)
        all_passed = (rollouts.passes == rollouts.trials) & (rollouts.trials > 0)
        assert int(all_passed.sum()) == known[name]["n_passed"]


def test_every_other_file_is_refused_with_the_reason(shared: Path, known: dict[str, Fact]) -> None:
    reasons = {
        "junit/non-junit.xml": r"the root element is <suites>, not <testsuites>",
        "junit/pytest__corrupt-xml.xml": r"ill-formed at line 11, column 22.*cut short",
        "multivon/02_contract_pdfhell_trap_output.json": r"one JSON object with the keys 'trap_fam",
    }
    assert set(reasons) == {name for name, fact in known.items() if any(map(fact.get, REFUSED))}
    for name, reason in reasons.items():
        with pytest.raises(be.FormatError, match=reason):
            be.read(shared / "data/real" / name)


def test_scores_agree(shared: Path, known: dict[str, Fact]) -> None:
    for name, fact in known.items():
        if "n_numeric_scores" not in fact or (fact["format"] == "multivon" and "v2" in name):
            continue
        source = Source.open(str(shared / "data/real" / name))
        records = choose(source).read(source, Options())
        scores = [score for score in records.score or () if score is not None]
        assert sum(scores) / len(scores) == pytest.approx(fact["mean_score"])


def test_what_the_harness_itself_counts_is_told(shared: Path) -> None:
    folder = shared / "data/real"
    notes = read(
        folder / "promptfoo/v3_all_errors_3prompts_5tests.json",
        system="google:gemini-3.1-flash-lite | [text dropped] #0",
    ).ledger.notes
    assert any("counts 15 errored rows apart" in note for note in notes)
    notes = be.read(folder / "multivon/gen_runs5_model_error_v2schema.json").ledger.notes
    assert any("its own pass rate is 22.2 %" in note for note in notes)
    notes = be.read(folder / "openai_evals/230417220821DPM75QNS_test-match.jsonl").ledger.notes
    assert any("oaieval itself reports accuracy = 0.3333" in note for note in notes)
    notes = be.read(folder / "junit/gen_rerunfailures.xml").ledger.notes
    assert any("not exchangeable" in note for note in notes)
    assert any("2 skipped tests left out (1 of them expected to fail)" in note for note in notes)
