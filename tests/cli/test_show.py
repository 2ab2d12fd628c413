"""What ``bayeseval show`` says of a file, above what is in it."""

from pathlib import Path

from tests.cli.conftest import Run
from tests.io.reading import write_json


def test_show_says_the_version(run: Run, tmp_path: Path) -> None:
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "m", "packages": {"inspect_ai": "0.3.199"}},
        "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}],
    }
    found = run("show", write_json(tmp_path / "log.json", log))
    assert "(Inspect AI log; log version 2, inspect_ai 0.3.199)." in " ".join(found.out.split())


def test_show_says_the_version_of_totals(run: Run, tmp_path: Path) -> None:
    results = {
        "results": {"arc": {"acc,none": 0.5}},
        "versions": {"arc": 1.0},
        "n-samples": {"arc": {"effective": 4}},
        "config": {},
        "lm_eval_version": "0.4.9",
    }
    path = write_json(tmp_path / "results.json", results)
    assert "Written by lm_eval 0.4.9." in run("show", path).out
