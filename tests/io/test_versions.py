"""What a file says of its versions is found."""

from pathlib import Path
from typing import Any

import pytest

from bayeseval.io._fields import version_text
from bayeseval.io._format import Source
from bayeseval.io._options import Options
from bayeseval.io._registry import choose
from bayeseval.io._totals import TotalsOnly
from tests.io.reading import write_json

REAL = {
    "inspect/gen_4epochs_CIPN.eval": "log version 2, inspect_ai 0.3.285",
    "inspect/pair_formats.json": ("log version 2, inspect_ai 0.3.41.dev123+g9ad2119a.d20241015"),
    "inspect/header_only_nan_metric.json": "log version 1",
    "lm_eval/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl": (
        "lm_eval 0.4.9.2, git 1f84a09f, task version 1.0"
    ),
    "lm_eval/samples_mmlu_pro_30.jsonl": None,
    "lm_eval/araag2_Qwen3-8B_results.json": "lm_eval 0.4.9, git cfa4201b",
    "promptfoo/v2_no_testIdx_4results.json": "version 2",
    "promptfoo/v3_all_errors_3prompts_5tests.json": "version 3, promptfoo 0.121.2",
    "swe_bench/schema2_baseline-eval.json": "schema_version 2",
    "swe_bench/auto-code-rover-run-1_report.json": "legacy lists",
    "tau2/airline_gemini2_5_flash_10tasks_2t.json": "git commit c7b9f7c7f",
    "tau2/voice_dir_format": "git commit c0dd2331a",
    "evalplus/list_format_timeout_eval_results.json": "records, as from EvalPlus 0.3 on",
    "evalplus/old_dict_format_phi_1_eval_results.json": "lists, as before EvalPlus 0.3",
    "multivon/gen_runs5_model_error_v2schema.json": (
        "schema multivon.report/v2, multivon-eval 0.20.0"
    ),
    "multivon/01_rag_insurance_faithfulness_output.json": None,
    "terminal_bench/orchestrator_claude-4-sonnet_run_metadata.json": "terminal-bench-core 0.1.1",
}


def version_of(path: Path) -> str | None:
    source = Source.open(str(path))
    try:
        return choose(source).read(source, Options()).version
    except TotalsOnly as found:
        return found.version


@pytest.mark.parametrize("name", REAL)
def test_real_files(shared: Path, name: str) -> None:
    assert version_of(shared / "data/real" / name) == REAL[name]


def test_surefire_names_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text('<testsuite version="3.0.2" tests="1"><testcase name="a"/></testsuite>')
    assert version_of(path) == "schema 3.0.2"


def test_a_run_of_terminal_bench_names_its_task_set(tmp_path: Path) -> None:
    trial = {"task_id": "a", "trial_name": "a.1-of-1", "is_resolved": True}
    write_json(tmp_path / "results.json", {"results": [trial]})
    about = {"run_id": "r", "agent_name": "x", "n_attempts": 1, "dataset_name": "core"}
    write_json(tmp_path / "run_metadata.json", about | {"dataset_version": "0.1.1"})
    assert version_of(tmp_path) == "core 0.1.1"
    write_json(tmp_path / "run_metadata.json", about)
    assert version_of(tmp_path) is None


@pytest.mark.parametrize("value", [None, True, [2], {"a": 1}, "", "x" * 101])
def test_what_is_no_version(value: Any) -> None:
    assert version_text(("version", value)) is None
    assert version_text(("version", value), ("git", "abc")) == "git abc"


def test_odd_versions_cannot_break_the_line() -> None:
    assert version_text(("version", "1\n\x1b[31m")) == r"version '1\n\x1b[31m'"
