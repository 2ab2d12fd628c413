"""SWE-bench reports: three generations of runs, single instances, folders of them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io import swe_bench
from bayeseval.io._format import Source
from bayeseval.io._totals import TotalsOnly
from tests.io.reading import check_any_bytes, encoded, mutated, write_json

A, B, C, D, E, F = (f"owner__repo-{number}" for number in range(6))
REPORT = {
    "total_instances": 10,
    "submitted_instances": 5,
    "resolved_instances": 1,
    "submitted_ids": [A, B, C, D, E],
    "completed_ids": [A, B],
    "incomplete_ids": [F],
    "empty_patch_ids": [C],
    "resolved_ids": [A],
    "unresolved_ids": [B],
    "error_ids": [D],
    "schema_version": 2,
}
LISTS = {
    "no_generation": [D, E, D],
    "generated": [A, B, C, E],
    "with_logs": [A, B, C],
    "install_fail": [C],
    "no_apply": [B],
    "applied": [A],
    "resolved": [A],
}


def read(tmp_path: Path, document: Any, **options: Any) -> be.Rollouts:
    return be.read(write_json(tmp_path / "any", document), **options)


def outcomes(rollouts: be.Rollouts) -> dict[Any, str]:
    names = {}
    for at, task in enumerate(rollouts.task.tolist()):
        if rollouts.missing[at]:
            names[task] = "missing"
        elif rollouts.errored[at]:
            names[task] = "errored"
        else:
            names[task] = "passed" if rollouts.passes[at] else "failed"
    return names


def test_run_report(tmp_path: Path) -> None:
    rollouts = read(tmp_path, REPORT)
    expected = {A: "passed", B: "failed", C: "failed", D: "errored", E: "missing"}
    assert outcomes(rollouts) == expected
    assert set(rollouts.factors["repo"]) == {"owner/repo"}
    notes = "\n".join(rollouts.ledger.notes)
    assert "5 of 10 instances of the split were not submitted" in notes
    assert "the 2 errored or missing and those not submitted as not resolved" in notes
    assert "its own rate is 1 of 10, 10.0 %" in notes


def test_run_report_of_sb_cli(tmp_path: Path) -> None:
    report = {**REPORT, "pending_ids": [E], "failed_ids": [B, F], "incomplete_ids": []}
    report["submitted_ids"] = [A, B, C, D, E, F]
    del report["schema_version"]
    found = outcomes(read(tmp_path, report))
    assert (found[B], found[E], found[F]) == ("failed", "missing", "errored")


def test_run_report_of_multi_swe(tmp_path: Path) -> None:
    report = {**REPORT, "resolved": [A], "unstopped_instances": 0}
    del report["resolved_ids"], report["schema_version"]
    assert outcomes(read(tmp_path, report)) == outcomes(read(tmp_path, REPORT))


def test_without_submitted_ids(tmp_path: Path) -> None:
    report = {name: value for name, value in REPORT.items() if name != "submitted_ids"}
    assert set(read(tmp_path, report).task) == {A, B, C, D}


def test_every_instance_submitted_and_scored(tmp_path: Path) -> None:
    report = {
        "total_instances": 2,
        "submitted_ids": [A, B],
        "completed_ids": [A, B],
        "resolved_ids": [A],
        "unresolved_ids": [B],
    }
    assert read(tmp_path, report).ledger.notes == ()


@pytest.mark.parametrize("version", [3, "3.1", "new", 0])
def test_unknown_schema(tmp_path: Path, version: Any) -> None:
    with pytest.raises(be.FormatError, match=r"schema_version .* is unknown; up to 2"):
        read(tmp_path, {**REPORT, "schema_version": version})


def test_contradiction(tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match=f"'{A}' is both resolved and unresolved"):
        read(tmp_path, {**REPORT, "unresolved_ids": [A, B]})


def test_lists(tmp_path: Path) -> None:
    rollouts = read(tmp_path, LISTS)
    expected = {A: "passed", B: "failed", C: "failed", D: "missing", E: "failed"}
    assert outcomes(rollouts) == expected
    notes = "\n".join(rollouts.ledger.notes)
    assert "no_apply (1), install_fail (1)" in notes
    assert "stand twice in one list, counted once: 1" in notes
    assert "never attempted are not in the file" in notes


def test_counts_only(tmp_path: Path) -> None:
    report = {name: value for name, value in REPORT.items() if not name.endswith("_ids")}
    with pytest.raises(TotalsOnly, match=r"holds counts only.*logs/run_evaluation") as caught:
        read(tmp_path, report)
    (total,) = caught.value.totals
    assert (total.passes, total.trials, total.rate) == (1, 10, 0.1)


def test_leaderboard(tmp_path: Path) -> None:
    with pytest.raises(TotalsOnly, match=r"and not those that failed.*which split") as caught:
        read(tmp_path, {"no_generation": [], "no_logs": [B], "resolved": [A, A]})
    totals = {total.name: (total.passes, total.trials) for total in caught.value.totals}
    assert totals["Verified"] == (1, 500)
    assert totals["Lite"] == (1, 300)
    assert totals["full"] == (1, 2294)


def instance(resolved: bool | None, fixed: int = 0, unfixed: int = 0, broken: int = 0) -> Any:
    return {
        "patch_is_None": False,
        "patch_exists": True,
        "patch_successfully_applied": True,
        "resolved": resolved,
        "tests_status": {
            "FAIL_TO_PASS": {"success": ["t"] * fixed, "failure": ["t"] * unfixed},
            "PASS_TO_PASS": {"success": ["t"] * 4, "failure": ["t"] * broken},
        },
    }


def test_instances(tmp_path: Path) -> None:
    report = {A: instance(True, 2), B: instance(False, 1, 1), C: {"patch_is_None": True}}
    rollouts = read(tmp_path, {**report, D: instance(False, 2, 0, 4), E: instance(None)})
    expected = {A: "passed", B: "failed", C: "failed", D: "failed", E: "missing"}
    assert outcomes(rollouts) == expected
    assert "2 scores between 0 and 1 (partial credit)" in rollouts.ledger.notes[0]


@pytest.mark.parametrize(("bar", "passes"), [(1.0, [1, 0, 0]), (0.5, [1, 1, 1]), (0.8, [1, 0, 1])])
def test_partial_credit(tmp_path: Path, bar: float, passes: list[int]) -> None:
    # The third fixes all, and breaks one of five tests.
    report = {A: instance(True, 2), B: instance(False, 1, 1), C: instance(False, 2, 0, 1)}
    rollouts = read(tmp_path, report, pass_if=lambda share: share >= bar)
    assert rollouts.passes.tolist() == passes


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "logs/run_evaluation"
    for run, model, name, resolved in (
        ("one", "m", A, True),
        ("one", "m", B, False),
        ("two", "m", A, False),
        ("two", "m", B, False),
    ):
        write_json(root / run / model / name / "report.json", {name: instance(resolved, 1)})
        (root / run / model / name / "run_instance.log").write_text("log", encoding="utf-8")
    broken = root / "two/m" / C
    broken.mkdir()
    (broken / "run_instance.log").write_text("log", encoding="utf-8")
    return root


@pytest.mark.parametrize(("below", "trials"), [("", [2, 2, 0]), ("two", [1, 1, 0])])
def test_folder_of_a_run(tree: Path, below: str, trials: list[int]) -> None:
    rollouts = be.read(tree / below)
    assert rollouts.trials.tolist() == trials
    assert rollouts.errored.tolist() == [0, 0, 1]
    assert set(rollouts.factors["system"]) == {"m"}
    assert "1 instance errored: a run_instance.log, but no report.json" in rollouts.ledger.notes[0]


def test_folder_with_several_models(tree: Path) -> None:
    write_json(tree / "one/other" / A / "report.json", {A: instance(True, 1)})
    with pytest.raises(be.InputError, match=r"2 systems; choose one.*'m' .*'other'"):
        be.read(tree)
    assert be.read(tree, system="other").passes.tolist() == [1]


def test_folder_with_a_bad_file(tree: Path) -> None:
    bad = tree / "one/m" / B / "report.json"
    bad.write_bytes(b"\xff{")
    with pytest.raises(be.FormatError, match=rf"one/m/{B}/report\.json: not UTF-8"):
        be.read(tree)
    rollouts = be.read(tree, skip_bad_records=True)
    assert rollouts.trials.tolist() == [2, 1, 0]
    assert "1 record that could not be read left out" in rollouts.ledger.notes[0]


def test_a_folder_that_holds_more_is_not_claimed(tree: Path) -> None:
    write_json(tree / "model.run.json", REPORT)
    assert not swe_bench.FORMAT.detect(Source.open(str(tree)))
    notes = be.read(tree, format="swe-bench").ledger.notes
    assert "not read, since it is no part of the run: 1 file (model.run.json)" in notes


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        mutated(REPORT).map(encoded),
        mutated(LISTS).map(encoded),
        mutated({A: instance(False, 1, 1), B: instance(True, 1)}).map(encoded),
        st.binary(max_size=100),
    )
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    check_any_bytes(tmp_path / "any", content, "swe-bench")
    check_any_bytes(tmp_path / "any", content, None)
