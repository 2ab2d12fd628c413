"""Real files of agent and code benchmarks against their known counts."""

from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from tests.io.facts import check

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
    totals = {}
    for name, fact in known.items():
        if "n_tasks" not in fact:
            path = shared / "data/real" / name
            with pytest.raises(be.FormatError, match="which holds"):
                be.read(path)
            totals[name] = be.read_totals(path)
    assert len(totals) == 2
    job = totals["harbor/job_auth_token_race_condition/result.json"]
    assert (job.passes, job.trials, job.rate) == (1, 1, 1.0)
    run = totals["terminal_bench/orchestrator_claude-4-sonnet_run_metadata.json"]
    assert (run.passes, run.trials, run.rate) == (144, 400, 0.36)


def test_evalplus_metrics(shared: Path, known: dict[str, Fact]) -> None:
    files = {name: fact for name, fact in known.items() if "by_suite" in fact}
    assert len(files) == 6
    for name, fact in files.items():
        for metric, block in fact["by_suite"].items():
            check(be.read(shared / "data/real" / name, metric=metric), block)


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


def test_runs_of_one_system(shared: Path, facts: dict[str, Fact]) -> None:
    bundles = {
        name: fact
        for name, fact in facts.items()
        if name.startswith("bundle:") and fact.get("files", [""])[0].split("/")[0] in FOLDERS
    }
    assert len(bundles) == 3
    for fact in bundles.values():
        files = [shared / "data/real" / name for name in fact["files"]]
        rollouts = be.read(files, combine="rollouts")
        check(rollouts, fact)
        assert f"{len(files)} runs joined on the task id" in rollouts.ledger.notes[0]


def test_parts_of_one_run(shared: Path, facts: dict[str, Fact]) -> None:
    pattern = "swe_bench/per_instance_vexp/*/report.json"
    rollouts = be.read(str(shared / "data/real" / pattern), combine="tasks")
    check(rollouts, facts[f"bundle:{pattern}"])
