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


def write_systems(path: Path) -> str:
    rows = ["model,task,passed", "old,1,1", "old,2,0", "old,2,", "new,1,1", "new,2,error"]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_show_lists_systems(run: Run, tmp_path: Path) -> None:
    found = run("show", write_systems(tmp_path / "two.csv"))
    lines = [line.split() for line in found.out.splitlines()]
    assert ["2", "systems"] in lines
    assert ["old", "2", "1", "1", "1", "1", "50.0"] in lines
    assert ["new", "2", "0-1", "1", "0", "1", "100.0"] in lines
    assert "--system NAME" in found.out
    one = run("show", "--system", "new", str(tmp_path / "two.csv"))
    assert "1 of 1 passed, 1 errored" in one.out


def test_show_lists_systems_of_several_files(run: Run, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in paths:
        path.write_text("task,passed\n1,1\n2,0\n")
    found = run("show", "--as", "systems", *map(str, paths))
    lines = [line.split() for line in found.out.splitlines()]
    assert [["a", *(row := ["2", "1", "1", "1", "0", "50.0"])], ["b", *row]] == [
        line for line in lines if line[:1] in (["a"], ["b"])
    ]


def test_show_lists_the_first_of_many_systems(run: Run, tmp_path: Path) -> None:
    names = [f"s{at}" for at in range(60)]
    (tmp_path / "many.csv").write_text(
        "model,task,passed\n" + "".join(f"{name},1,1\n" for name in names)
    )
    found = run("show", str(tmp_path / "many.csv"))
    assert "60 systems" in found.out
    assert "and 10 more systems" in found.out
