"""Real files of agent and code benchmarks against their known counts."""

from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.io._totals import TotalsOnly
from tests.io.facts import check
from tests.io.reading import read_with

Fact = dict[str, Any]
FOLDERS = ("tau_bench", "tau2", "swe_bench", "humaneval", "evalplus", "terminal_bench", "harbor")
FORMATS = {
    "tau_bench": "tau-bench",
    "tau2": "tau2",
    "swe_bench_run_report": "swe-bench",
    "swe_bench_per_instance_report": "swe-bench",
    "humaneval_results_jsonl": "humaneval",
    "evalplus_eval_results": "evalplus",
    "terminal_bench_results": "terminal-bench",
    "harbor_trial_result": "harbor",
}


@pytest.fixture
def known(facts: dict[str, Fact]) -> dict[str, Fact]:
    found = {name: fact for name, fact in facts.items() if name.split("/")[0] in FOLDERS}
    assert {name.split("/")[0] for name in found} == set(FOLDERS)
    return found


def test_every_file_has_a_fact(shared: Path, known: dict[str, Fact]) -> None:
    folder = shared / "data/real"
    files = {
        path.relative_to(folder).as_posix()
        for name in FOLDERS
        for path in (folder / name).rglob("*")
        if path.is_file()
    }
    parts = {name for name in files if "/per_instance_vexp/" in name or "/simulations/" in name}
    assert files - parts == known.keys()


def test_counts(shared: Path, known: dict[str, Fact]) -> None:
    checked = 0
    for name, fact in known.items():
        if "n_tasks" in fact:
            path = shared / "data/real" / name
            check(be.read(path), fact)
            check(be.read(path, format=FORMATS[fact["format"]]), fact)
            checked += 1
    assert checked > 30


def test_totals_only(shared: Path, known: dict[str, Fact]) -> None:
    refused = {}
    for name, fact in known.items():
        if "n_tasks" not in fact:
            with pytest.raises(TotalsOnly, match="which holds") as caught:
                be.read(shared / "data/real" / name)
            refused[name] = caught.value.totals
    assert len(refused) == 2
    (job,) = refused["harbor/job_auth_token_race_condition/result.json"]
    assert (job.passes, job.trials, job.rate) == (1, 1, 1.0)
    (run,) = refused["terminal_bench/orchestrator_claude-4-sonnet_run_metadata.json"]
    assert (run.passes, run.trials, run.rate) == (144, 400, 0.36)


def test_evalplus_metrics(shared: Path, known: dict[str, Fact]) -> None:
    files = {name: fact for name, fact in known.items() if "by_suite" in fact}
    assert len(files) == 6
    for name, fact in files.items():
        for metric, block in fact["by_suite"].items():
            check(read_with(shared / "data/real" / name, metric=metric), block)


def test_harness_rates_are_told(shared: Path, known: dict[str, Fact]) -> None:
    """What the harness reports itself stands in a note, wherever it differs from our rate."""
    for name, fact in known.items():
        if "resolve_rate_over_total" in fact:
            own = fact["resolve_rate_over_total"]
        elif "reported_accuracy" in fact:
            own = fact["reported_accuracy"]
        elif fact.get("format") == "tau_bench":
            own = fact["pass_rate_errors_and_missing_as_fail"]
        else:
            continue
        notes = " ".join(be.read(shared / "data/real" / name).ledger.notes)
        if own == fact["pass_rate_scored_only"]:
            assert "its own" not in notes
        else:
            assert f"{100 * own:.1f} %" in notes.split("its own")[1]


def test_folders(shared: Path, facts: dict[str, Fact]) -> None:
    folder = shared / "data/real"
    bundle = facts["bundle:swe_bench/per_instance_vexp/*/report.json"]
    check(be.read(folder / "swe_bench/per_instance_vexp"), bundle)
    voice = facts["tau2/voice_dir_format/results.json"]
    check(be.read(folder / "tau2/voice_dir_format"), voice)
    job = "harbor/job_auth_token_race_condition"
    check(be.read(folder / job), facts[f"{job}/draft_dp_96443054__fSr5gkt/result.json"])
