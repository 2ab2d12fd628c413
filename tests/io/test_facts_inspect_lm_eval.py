"""Real logs of Inspect and samples of lm-eval, and their known counts."""

import json
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.io._format import Source
from bayeseval.io._options import Options
from bayeseval.io._registry import choose
from bayeseval.io._totals import Totals, TotalsOnly
from tests.io.facts import check
from tests.io.fuzzing import read

Fact = dict[str, Any]
REASONS = {
    "inspect/invalid_truncated.json": "not valid JSON.*if the log was cut short",
    "inspect/header_only_version4.json": "the log has version 4, and only 1 and 2 are known",
    "inspect/header_only_nan_metric.json": "the log holds no samples, only its header",
    "lm_eval/samples_corrupt_pretty_printed.jsonl": "line 1: .*saved anew as pretty-printed JSON",
}


@pytest.fixture(scope="module")
def known(shared: Path) -> dict[str, Fact]:
    facts = json.loads((shared / "data/real/FACTS.json").read_text(encoding="utf-8"))
    return {name: fact for name, fact in facts.items() if name.startswith(("inspect/", "lm_eval/"))}


def readable(known: dict[str, Fact]) -> dict[str, Fact]:
    return {
        name: fact
        for name, fact in known.items()
        if name not in REASONS and not fact.get("aggregate_only")
    }


def counts_of(fact: Fact) -> list[tuple[str | None, Fact]]:
    """Return the counts of each scorer, or of the only one."""
    return list(fact.get("by_scorer", {None: fact}).items())


def test_every_readable_file_agrees_with_its_known_counts(
    shared: Path, known: dict[str, Fact]
) -> None:
    assert len(readable(known)) > 20
    for name, fact in readable(known).items():
        for scorer, counts in counts_of(fact):
            check(read(shared / "data/real" / name, scorer=scorer), counts)


def test_scores_agree(shared: Path, known: dict[str, Fact]) -> None:
    for name, fact in readable(known).items():
        source = Source.open(str(shared / "data/real" / name))
        for scorer, counts in counts_of(fact):
            records = choose(source).read(source, Options(scorer=scorer))
            scores = [score for score in records.score if score is not None]
            assert len(scores) == counts.get("n_numeric_scores", 0)
            assert sum(0 < score < 1 for score in scores) == counts.get("n_partial_credit", 0)
            if scores:
                assert sum(scores) / len(scores) == pytest.approx(counts["mean_score"])


def test_every_unreadable_file_is_refused_with_the_reason(
    shared: Path, known: dict[str, Fact]
) -> None:
    assert {name for name, fact in known.items() if fact.get("unreadable")} < set(REASONS)
    for name, reason in REASONS.items():
        with pytest.raises(be.FormatError, match=reason):
            be.read(shared / "data/real" / name)


def test_every_results_file_gives_its_totals(shared: Path, known: dict[str, Fact]) -> None:
    names = [name for name, fact in known.items() if fact.get("aggregate_only")]
    assert names
    for name in names:
        with pytest.raises(TotalsOnly, match=r"read the samples_\*\.jsonl") as refused:
            be.read(shared / "data/real" / name)
        rates = {
            (f"{task}/{key}".removesuffix(",none"), rate)
            for task, numbers in known[name]["tasks"].items()
            for key, rate in numbers.items()
            if "stderr" not in key and task in known[name]["n_samples"]
        }
        totals = refused.value.totals
        assert {(total.name, total.rate) for total in totals} == rates
    assert Totals("math_rephrased_full/exact_match", 2, 5000, 0.0004) in totals


def test_both_encodings_of_one_log_agree(shared: Path) -> None:
    folder = shared / "data/real/inspect"
    one, other = (be.read(folder / f"pair_formats{end}") for end in (".json", ".eval"))
    assert one.task.tolist() == other.task.tolist()
    assert one.histogram() == other.histogram()


def test_task_ids_keep_their_type(shared: Path) -> None:
    rollouts = read(
        shared / "data/real/inspect/gen_5epochs_4scorers_errors_unicode.eval", scorer="letter"
    )
    assert {8, "08", "a/b\\c", "任务/四", "😀six", "task 05"} <= set(rollouts.task.tolist())


def test_what_is_told(shared: Path) -> None:
    folder = shared / "data/real"
    rollouts = read(folder / "inspect/gen_aborted_unequal_epochs.eval", scorer="letter")
    notes = rollouts.ledger.notes
    assert "Inspect itself leaves the 3 errored rollouts out of its metrics" in notes
    assert any("its status is 'error'" in note for note in notes)
    assert "5 epochs of each sample were configured; the log holds 1 to 2" in notes
    notes = be.read(folder / "inspect/intercode_config_epochs10_only_epoch1.eval").ledger.notes
    assert "the log holds 15 of the 79 samples that were to be run" in notes
    assert any("stopped by a limit" in note and "'message': 3" in note for note in notes)
    # The run's own number, as its results give it.
    rollouts = read(folder / "inspect/gen_5epochs_4scorers_errors_unicode.eval", scorer="letter")
    assert any("mean of 'letter' over these samples is 0.552" in n for n in rollouts.ledger.notes)
    name = "samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl"
    factors = be.read(folder / "lm_eval" / name).factors
    assert set(factors["suite"]) == {"math_perturbed_full"}
    assert all("Qwen3-93M" in model for model in factors["system"])


def test_several_scorers_are_listed(shared: Path) -> None:
    path = shared / "data/real/inspect/gen_aborted_unequal_epochs.eval"
    with pytest.raises(be.InputError, match=r"5 scorers; .*'letter'.*'rubric/a', 'rubric/b'"):
        be.read(path)
    with pytest.raises(be.InputError, match=r"scorer = 'leter'.*'letter'"):
        read(path, scorer="leter")
