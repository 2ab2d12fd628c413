"""bayeseval report: files in, one document out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

EXAMPLE = Path(__file__).parents[2] / "examples" / "sqlagent.csv"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    rows = [
        f"t{i},{j},{'true' if i % 3 else 'false'},{'ab'[i % 2]}" for i in range(12) for j in "12"
    ]
    path.write_text("task,rollout,passed,slice\n" + "\n".join(rows) + "\n")
    return path


def test_a_page_and_its_figures(run: Run, results: Path, tmp_path: Path) -> None:
    page, folder = tmp_path / "report.html", tmp_path / "figures"
    ran = run(
        *("report", results, "-o", page, "--engine", "exact", "--seed", "1"),
        *("--claim", "pass_rate > 0.2", "--by", "slice", "--figures", folder, "--title", "Run 7"),
    )
    assert ran.status == 0, ran.err
    assert ran.out.startswith("SUPPORTED: Pr[pass_rate > 0.2]")
    assert "--seed 1 repeats this run." in ran.out
    text = page.read_text("utf-8")
    assert "<h1>Run 7</h1>" in text
    assert "SHA-256" in text
    assert (folder / "slices.svg").exists()


def test_json_tells_its_command_and_inputs(run: Run, results: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    ran = run("report", results, "-o", output, "--engine", "exact", "--k", "1,2", "--above", "0.5")
    assert ran.status == 0, ran.err
    document = json.loads(output.read_text("utf-8"))
    assert document["verdicts"][0]["claim"] == "pass_rate > 0.5"
    (file,) = document["records"][0]["provenance"]["inputs"]
    assert Path(file["name"]).name == "results.csv"
    assert str(document["seed"]) in ran.out


def test_a_pattern_is_hashed_file_by_file(run: Run, results: Path, tmp_path: Path) -> None:
    (tmp_path / "second.csv").write_bytes(results.read_bytes())
    output = tmp_path / "report.json"
    ran = run(
        *("report", tmp_path / "*.csv", "--as", "rollouts", "-o", output, "--engine", "exact"),
        *("--k", "1"),
    )
    assert ran.status == 0, ran.err
    inputs = json.loads(output.read_text("utf-8"))["records"][0]["provenance"]["inputs"]
    assert [Path(file["name"]).name for file in inputs] == ["results.csv", "second.csv"]


def test_weights_of_a_file(run: Run, results: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.csv"
    weights.write_text("slice,weight\na,0.1\nb,0.9\n")
    output = tmp_path / "report.md"
    ran = run(
        *("report", results, "-o", output, "--engine", "exact"),
        *("--by", "slice", "--weights", weights),
    )
    assert ran.status == 0, ran.err
    assert "slices weighted as in the population" in output.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--claim", "pass^3 is good"], "claim"),
        (["--claim", "pass_rate - pass_rate[baseline] > 0"], "needs --baseline FILE"),
        (["--claim", "worst_slice pass_rate > 0.5"], "worst_slice needs --by FACTOR"),
        (["--above", "80"], "--above must be between 0 and 1"),
        (["--k", "0"], "--k must be whole numbers"),
        (["--by", "area"], "area"),
        (["--weights", "w.csv"], "--weights needs --by"),
        (["--pooling", "none"], "--pooling needs --by"),
        (["--engine", "mcmc"], "--engine must be one of"),
        (["--confidence", "95"], "confidence must lie above 0.5"),
        (["--figures", str(EXAMPLE)], "a file; --figures names a folder"),
    ],
)
def test_mistakes_write_nothing(
    options: list[str], message: str, run: Run, results: Path, tmp_path: Path
) -> None:
    output = tmp_path / "report.html"
    ran = run(
        "report",
        results,
        "-o",
        output,
        *options,
        *([] if "--engine" in options else ["--engine", "exact"]),
    )
    assert ran.status == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not output.exists()


@pytest.mark.parametrize("name", ["report.pdf", "report", "missing/report.html"])
def test_output_that_cannot_be_is_refused_first(
    name: str, run: Run, results: Path, tmp_path: Path
) -> None:
    ran = run("report", results, "-o", tmp_path / name)
    assert ran.status == 2
    assert "must end in .html or .md or .json" in ran.err or "there is no folder" in ran.err


def test_a_missing_file_is_named(run: Run, tmp_path: Path) -> None:
    ran = run("report", tmp_path / "none.csv", "-o", tmp_path / "report.html")
    assert ran.status == 2
    assert "none.csv" in ran.err


@pytest.mark.slow
def test_the_sampled_model_has_its_plots(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ran = run("report", EXAMPLE, "-o", page, "--seed", "1")
    assert ran.status == 0, ran.err
    text = page.read_text("utf-8")
    for name in ("trace", "rank", "energy"):
        assert f'id="{name}-title"' in text
    assert "Monte Carlo standard errors" in text
    assert "Power-scaling of the draws" in text
    assert len(text.encode()) < 3_000_000
