"""``bayeseval fit``: slices, weights, flaky and leaked tasks, by the exact engine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Joins 120 of 200, lookups 95 of 100; every fifth task has leaked, one errored."""
    path = tmp_path / "suite.csv"
    rows = ["task,slice,leaked,outcome"]
    for name, tasks, passed in (("joins", 200, 120), ("lookups", 100, 95)):
        for at in range(tasks):
            leaked = "yes" if at % 5 == 0 else "no"
            rows.append(f"{name}{at},{name},{leaked},{'pass' if at < passed else 'fail'}")
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def weights(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a file of weights."""

    def write(text: str) -> Path:
        path = tmp_path / "production.csv"
        path.write_text(text)
        return path

    return write


def fit(run: Run, suite: Path, *more: object) -> Any:
    return run("fit", suite, "--engine", "exact", "--seed", "1", "--k", "1", *more)


def test_the_worked_example(run: Run, suite: Path, weights: Callable[[str], Path]) -> None:
    file = weights("slice,weight\njoins,0.2\nlookups,0.8\n")
    ran = fit(run, suite, "--by", "slice", "--weights", file, "--next-tasks", "100")
    assert ran.status == 0, ran.err
    assert ran.width <= 80
    words = " ".join(ran.out.split())
    for part in (
        "Slices by slice, each fitted alone",
        "joins 200 60.0 53.1-66.5",
        f"In the population of {file}"[:24],
        "Stratified estimate without a model: 88.0 % (84.3-91.7 %), standard error 1.88 points.",
        "The weights leave 152 effective tasks (Kish) of 300.",
        "lookups 86 %, joins 14 %",
        "Unweighted: 71.7 %, the estimate for a fictional population",
        "Of the next 100 tasks, these would tell most: 100 lookups.",
    ):
        assert part in words, part


def test_the_document(run: Run, suite: Path, weights: Callable[[str], Path]) -> None:
    file = weights("slice,weight\njoins,0.2\nlookups,0.8\n")
    asked = ("--by", "slice", "--weights", file, "--above", "0.85", "--json")
    slices = fit(run, suite, *asked).document["slices"]
    assert [row["slice"] for row in slices["rows"]] == ["joins", "lookups"]
    assert slices["weights"]["unsupported"] == {}
    assert slices["stratified"]["estimate"] == pytest.approx(0.88)
    assert slices["stratified"]["variance_share"]["lookups"] == pytest.approx(0.8636, abs=1e-4)
    first = slices["estimates"][0]
    # 0.2 Beta(121, 81) + 0.8 Beta(96, 6): the mean in closed form.
    assert first["mean"] == pytest.approx(0.2 * 121 / 202 + 0.8 * 96 / 102, abs=1e-9)
    assert first["lower"] < first["mean"] < first["upper"]
    assert 0.8 < first["prob_above"] < 0.95
    assert slices["worst"]["prob_worst"]["joins"] > 0.999


def test_counted_weights_are_uncertain(
    run: Run, suite: Path, weights: Callable[[str], Path]
) -> None:
    known = fit(
        run, suite, "--by", "slice", "--weights",
        weights("slice,weight\njoins,0.2\nlookups,0.8\n"), "--json",
    ).document["slices"]["estimates"][0]  # fmt: skip
    counted = fit(
        run, suite, "--by", "slice", "--weights",
        weights("slice,count\njoins,4\nlookups,16\n"), "--json",
    ).document["slices"]["estimates"][0]  # fmt: skip
    assert counted["sd"] > 1.3 * known["sd"]
    assert counted["mcse_mean"] > 0 == known["mcse_mean"]


def test_a_slice_without_tasks(run: Run, suite: Path, weights: Callable[[str], Path]) -> None:
    file = weights("slice,weight\njoins,0.2\nlookups,0.7\ndates,0.1\n")
    asked = ("--by", "slice", "--weights", file)
    refused = fit(run, suite, *asked)
    assert (refused.status, refused.out) == (2, "")
    assert "slice 'dates' has weight 0.1 but no task" in refused.err
    assert "--unsupported bounds" in refused.err
    found = fit(run, suite, *asked, "--unsupported", "bounds", "--json").document["slices"]
    low = found["estimates"][0]
    assert low["if_unsupported_pass"]["mean"] == pytest.approx(low["mean"] + 0.1, abs=1e-9)
    assert "unknown" in found["stratified"]


def test_crossed_factors(run: Run, suite: Path) -> None:
    document = fit(run, suite, "--by", "slice,leaked", "--json").document
    labels = [row["slice"] for row in document["slices"]["rows"]]
    assert labels == ["joins, no", "joins, yes", "lookups, no", "lookups, yes"]
    assert sum(row["tasks"] for row in document["slices"]["rows"]) == 300


def test_errored_rollouts_bound_the_weighted_answers(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(
        "task,slice,passes,trials,errored\n"
        + "".join(f"a{at},easy,{4 - at % 3},4,0\n" for at in range(12))
        + "".join(f"b{at},hard,{at % 4},3,1\n" for at in range(12))
    )
    document = fit(run, path, "--by", "slice", "--json").document
    (first, *_) = document["slices"]["lost"]
    middle = document["slices"]["estimates"][0]["mean"]
    assert first["if_failed"]["mean"] < middle < first["if_passed"]["mean"]
    assert "if the errored rollouts (12) had been scored" in " ".join(
        fit(run, path, "--by", "slice").out.split()
    )


def test_flaky_tasks(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    passed = [4] * 8 + [0] * 5 + [1] * 3 + [2, 3]
    rows = "".join(f"t{at},{passes},4\n" for at, passes in enumerate(passed))
    path.write_text("task,passes,trials\n" + rows)
    ran = fit(run, path)
    assert "Flakiest tasks: pass@4 minus pass^4" in ran.out
    flaky = fit(run, path, "--json").document["flaky"]
    assert [row["task"] for row in flaky[:2]] == ["t16", "t13"]
    assert all(row["lower"] <= row["mean"] <= row["upper"] for row in flaky)


def test_leaked_tasks(run: Run, suite: Path) -> None:
    ran = fit(run, suite, "--leaked", "leaked")
    assert "Leaked tasks: 60 of 300" in ran.out
    found = fit(run, suite, "--leaked", "leaked", "--json").document["contamination"]
    (row,) = found["rows"]
    difference = row["all"]["mean"] - row["clean"]["mean"]
    assert row["inflation"]["mean"] == pytest.approx(difference, abs=1e-9)
    other = fit(run, suite, "--leaked", "leaked=no", "--json").document["contamination"]
    assert other["leaked_tasks"] == 240


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "slcie"], "did you mean 'slice'"),
        (["--weights", "x.csv"], "--weights needs --by"),
        (["--next-tasks", "5"], "--next-tasks needs --by"),
        (["--by", "slice", "--weights", "absent.csv"], "absent.csv: no such file"),
        (["--by", "slice", "--unsupported", "bounds"], "--unsupported bounds needs --weights"),
        (["--by", "slice", "--pooling", "partial"], "--pooling partial is sampled"),
        (["--by", "slice", "--pooling", "some"], "--pooling must be one of"),
        (["--by", "slice", "--next-tasks", "1.5"], "--next-tasks must be a whole number"),
        (["--leaked", "slice"], "which level of 'slice' marks leaked tasks?"),
        (["--leaked", "leaked=yse"], "did you mean 'yes'"),
        (["--leaked", "nothing"], "nothing"),
    ],
)
def test_refusals(run: Run, suite: Path, arguments: list[str], message: str) -> None:
    ran = fit(run, suite, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slice,weight\njoins,0.2\nlookups,0.7\n", "must sum to 1; got a sum of 0.9"),
        ("slice,weight\njoins,20\nlookups,80\n", "per cent must be divided by 100"),
        ("slice,weight\njoins,-0.2\nlookups,1.2\n", "must not be negative"),
        ("slice,weight\njoins,one\nlookups,0.8\n", "line 2: weight of 'joins' must be a number"),
        ("slice,weight\njoins,0.5\njoins,0.5\n", "line 3 names slice 'joins' again"),
        ("slice,weight\njoins,1\n", "slice 'lookups' has no weight"),
        ("slice,share,count\njoins,1,1\n", "one column of weights"),
        ("part,weight\njoins,1\n", "no column 'slice'"),
        ("slice,weight\n", "needs a header and one row"),
        ("slice,count\njoins,0.5\nlookups,1\n", "must be a whole number"),
        ("slice,count\njoins,0\nlookups,0\n", "are all 0"),
    ],
)
def test_wrong_weights(
    run: Run, suite: Path, weights: Callable[[str], Path], text: str, message: str
) -> None:
    ran = fit(run, suite, "--by", "slice", "--weights", weights(text))
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert "production.csv" in ran.err or "no weight" in message
