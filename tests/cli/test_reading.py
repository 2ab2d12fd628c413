"""Options of the commands that read files."""

import json
import warnings
from pathlib import Path

import pytest

import bayeseval as be
from bayeseval.io._registry import FORMATS
from tests.cli.conftest import Run


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """Ten tasks of four rollouts, of which the last one errored."""
    path = tmp_path / "lossy.csv"
    rows = [
        f"{task},{rollout},{'error' if rollout == 3 else int((task + rollout) % 3 > 0)}"
        for task in range(10)
        for rollout in range(4)
    ]
    path.write_text("task,rollout,passed\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_errors_three_ways(run: Run, lossy: Path) -> None:
    fit = ("fit", lossy, "--engine", "exact", "--seed", 1, "--k", "1,2", "--json", "--errors")
    documents = {way: run(*fit, way).document for way in ("exclude", "fail", "bounds")}
    assert documents["exclude"]["ledger"]["errored"] == 10
    assert documents["exclude"]["bounds"] is None
    assert documents["fail"]["ledger"]["errored"] == 0
    assert documents["fail"]["errors"] == "fail"
    assert documents["bounds"]["estimates"] == documents["exclude"]["estimates"]
    assert documents["bounds"]["formats"] == ["long"]
    suite = be.read(lossy)
    for name, as_ in (("if_failed", "fail"), ("if_passed", "pass")):
        bound = documents["bounds"]["bounds"][name]
        assert {"estimates", "icc", "unbiased", "baselines"} <= bound.keys()
        with warnings.catch_warnings():
            # Three rates for ten tasks are no Beta, and need not be one here.
            warnings.simplefilter("ignore", be.CheckWarning)
            exact = be.fit(suite.with_lost(as_), engine="exact")  # type: ignore[arg-type]
        for row in bound["estimates"]:
            if row["quantity"] == "pass_rate":
                expected = exact.pass_rate(population=row["population"])
                assert row["mean"] == pytest.approx(expected.mean)
        assert bound["icc"]["mean"] == pytest.approx(exact.icc().mean)
    failed = documents["bounds"]["bounds"]["if_failed"]["unbiased"]
    assert failed == documents["fail"]["unbiased"]


def test_bounds_as_text(run: Run, lossy: Path) -> None:
    out = run("fit", lossy, "--engine", "exact", "--k", "1", "--errors", "bounds").out
    assert "IF ALL ERRORED ROLLOUTS (10) HAD FAILED" in out
    assert "IF ALL ERRORED ROLLOUTS (10) HAD PASSED" in out
    assert out.count("Answers by the exact engine") == 3
    shown = run("show", lossy, "--errors", "bounds").out
    assert "all failed" in shown
    assert "all passed" in shown
    assert (
        "10 errored rollouts are counted as failures" in run("show", lossy, "--errors", "fail").out
    )


def test_show_tells_what_was_found(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "task,rollout,score,slice\na,1,1,x\na,1,1,x\na,2,0.5,x\nb,1,,y\nc,1,0,y\n", encoding="utf-8"
    )
    shown = run("show", path, "--pass-if", ">= 0.75")
    assert shown.status == 0
    for part in (
        "Read as long (a table with one row for each rollout)",
        "3 tasks, 0 to 2 rollouts each: 1 of 3 passed, 1 errored",
        "duplicate records merged",
        "Factor slice: x, y",
        "1 score between 0 and 1 (partial credit)",
        "Tasks by scored rollouts",
    ):
        assert part in " ".join(shown.out.split()) or part in shown.out
    assert "score" in run("show", path).err


def test_several_files(run: Run, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("task,passed\nt,1\n", encoding="utf-8")
    both = (tmp_path / "a.csv", tmp_path / "b.csv")
    assert "(--as): 'rollouts'" in run("show", *both).err
    shown = run("show", *both, "--as", "rollouts").out
    assert "1 task x 2 rollouts: 2 of 2 passed" in " ".join(shown.split())
    assert "2 files:" in shown
    picked = run("fit", *both, "--as", "systems", "--system", "b", "--engine", "exact")
    assert picked.status == 0
    assert "1 task x 1 rollout" in " ".join(picked.out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--errors", "drop"), "--errors must be one of 'exclude', 'fail', 'bounds'"),
        (("--as", "runs"), "combine must be one of"),
        (("--duplicates", "keep"), "duplicates must be one of"),
        (("--pass-if", "x"), "--pass-if"),
        (("--format", "x"), "format must be one of"),
        (("--system", "x"), "names no system"),
        (("--metric", "x"), "--metric"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "show"])
def test_wrong_options(
    run: Run, lossy: Path, command: str, arguments: tuple[str, ...], message: str
) -> None:
    ran = run(command, lossy, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_every_format_is_listed(run: Run) -> None:
    out = " ".join(run("formats").out.split())
    assert all(known.name in out for known in FORMATS)


# Totals


TOTALS = {
    "results": {"hellaswag": {"acc,none": 0.7, "acc_stderr,none": 0.01, "alias": "hellaswag"}},
    "n-samples": {"hellaswag": {"original": 200, "effective": 200}},
    "versions": {"hellaswag": 1.0},
    "n-shot": {"hellaswag": 0},
    "higher_is_better": {"hellaswag": {"acc": True}},
    "configs": {"hellaswag": {"task": "hellaswag"}},
    "config": {"model": "hf"},
}


def test_totals_only(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(TOTALS), encoding="utf-8")
    document = run("rate", path, "--json").document
    assert (document["passes"], document["trials"]) == (140, 200)
    assert document["source"].startswith(f"{path}, ")
    shown = run("show", path)
    assert shown.status == 0
    assert "Totals" in shown.out
    assert run("fit", path).status == 2


def test_rate_of_a_file(run: Run, tmp_path: Path, lossy: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("task,passed\na,1\nb,0\nc,1\n", encoding="utf-8")
    document = run("rate", path, "--json").document
    assert (document["passes"], document["trials"], document["source"]) == (2, 3, str(path))
    assert "are not independent; use 'bayeseval fit" in run("rate", lossy).err
    assert "--metric belongs to a FILE" in run("rate", "1/2", "--metric", "acc").err
