"""``bayeseval gate``: exit statuses, settings, and what it writes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Run = Callable[..., Any]

SUPPORTED, CONTRADICTED, INCONCLUSIVE = (
    "pass_rate > 0.5",
    "pass^3 > 0.8",
    "pass_rate > 0.65",
)


def _table(path: Path, counts: list[int], *, errored: int = 0) -> Path:
    rows = [
        f"t{at},{'joins' if at % 2 else 'dates'},{passes},4,{errored if at < 10 else 0}"
        for at, passes in enumerate(counts)
    ]
    path.write_text("\n".join(["task,slice,passes,trials,errored", *rows]) + "\n")
    return path


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A pass rate of 65 %: 30 tasks pass all four rollouts, 15 none, 5 two."""
    return _table(tmp_path / "suite.csv", [4, 0, 4, 4, 0, 4, 4, 0, 4, 2] * 5)


def test_exit_statuses(run: Run, suite: Path) -> None:
    assert run("gate", suite, "--claim", SUPPORTED).status == 0
    assert run("gate", suite, "--claim", CONTRADICTED).status == 1
    assert run("gate", suite, "--claim", INCONCLUSIVE).status == 3
    both = run("gate", suite, "--claim", INCONCLUSIVE, "--claim", CONTRADICTED)
    assert both.status == 1
    doubtful = run("gate", suite, "--claim", SUPPORTED, "--claim", INCONCLUSIVE)
    assert doubtful.status == 3
    warned = run("gate", suite, "--claim", INCONCLUSIVE, "--on-inconclusive", "warn")
    assert warned.status == 0
    assert "inconclusive" in warned.err


def test_exit_statuses_of_a_real_process(suite: Path, tmp_path: Path) -> None:
    for claim, status in ((SUPPORTED, 0), (CONTRADICTED, 1), (INCONCLUSIVE, 3), ("pass > 1", 2)):
        ran = subprocess.run(
            [sys.executable, "-m", "bayeseval", "gate", suite, "--claim", claim],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert ran.returncode == status, ran.stderr
        assert "Traceback" not in ran.stderr


def test_it_is_deterministic(run: Run, suite: Path) -> None:
    claim = "pass_rate > 0.5 and pass@2 > 0.6"
    first = run("gate", suite, "--claim", claim, "--json")
    assert first.out == run("gate", suite, "--claim", claim, "--json").out


def test_the_text(run: Run, suite: Path) -> None:
    ran = run("gate", suite, "--claim", SUPPORTED, "--claim", CONTRADICTED)
    words = " ".join(ran.out.split())
    assert ran.width <= 80
    assert words.startswith("CONTRADICTED: Rollouts(50 tasks x 4 rollouts")
    for part in ("pass_rate > 0.5 0.98", "supported", "Under other priors: Jeffreys"):
        assert part in words, part


def test_the_document(run: Run, suite: Path) -> None:
    ran = run("gate", suite, "--claim", CONTRADICTED, "--confidence", "0.9", "--json")
    assert ran.status == 1
    document = json.loads(ran.out)
    assert (document["schema"], document["verdict"]) == ("bayeseval.gate/1", "contradicted")
    assert document["exit_status"] == 1
    (claim,) = document["claims"]
    assert claim["confidence"] == 0.9
    assert claim["prob"] + claim["prob_not"] == pytest.approx(1)
    assert claim["comparisons"][0]["bar"] == 0.8
    assert [row["name"] for row in claim["priors"]] == ["Jeffreys", "sceptical", "empirical"]


def test_errored_rollouts_that_could_turn_it(run: Run, tmp_path: Path) -> None:
    suite = _table(tmp_path / "lost.csv", [4] * 45 + [2] * 5, errored=12)
    ran = run("gate", suite, "--claim", "pass_rate > 0.8")
    assert ran.status == 3
    assert "if all errored rollouts had failed" in " ".join(ran.out.split())


def test_slices_and_a_baseline(run: Run, suite: Path, tmp_path: Path) -> None:
    old = _table(tmp_path / "old.csv", [4, 0] * 20)
    asked = ["--claim", "pass_rate - pass_rate[baseline] > -0.3", "--baseline", old]
    assert run("gate", suite, *asked).status == 0
    worst = ["--claim", "worst_slice pass_rate > 0.9", "--by", "slice"]
    assert run("gate", suite, *worst).status == 1
    part = ["--claim", "pass_rate[slice=joins] > 0.97"]
    assert run("gate", suite, *part).status == 1


def test_settings_in_a_file(
    run: Run, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "bayeseval.toml"
    settings.write_text(
        f'[gate]\nfiles = "suite.csv"\nclaims = ["{SUPPORTED}"]\nconfidence = 0.9\n'
    )
    assert run("gate").status == 0
    assert run("gate", "--claim", CONTRADICTED).status == 1
    assert run("gate", "--confidence", "0.999").status == 3
    for text, message in (
        ("claims = []", "table [gate]"),
        ('[gate]\nclaim = "x"', "no setting 'claim' (did you mean 'claims'?)"),
        ("[gate]\nclaims = [1]", "claims must be a text or a list of texts"),
        ("[gate]\nrule = 3", "rule must be a text"),
        ("[gate", "cannot be read as TOML"),
    ):
        settings.write_text(text)
        ran = run("gate", "suite.csv")
        assert (ran.status, ran.out) == (2, "")
        assert message in ran.err


def test_junit(run: Run, suite: Path, tmp_path: Path) -> None:
    path = tmp_path / "gate.xml"
    claims = [
        *("--claim", SUPPORTED),
        *("--claim", CONTRADICTED),
        *("--claim", INCONCLUSIVE),
    ]
    run("gate", suite, *claims, "--junit", path)
    root = ElementTree.parse(path).getroot()
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    assert [case.get("name") for case in root] == [SUPPORTED, CONTRADICTED, INCONCLUSIVE]
    run("gate", suite, *claims, "--junit", path, "--on-inconclusive", "warn")
    assert ElementTree.parse(path).getroot().get("skipped") == "1"


def test_step_summary(
    run: Run, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    run("gate", suite, "--claim", CONTRADICTED)
    text = path.read_text()
    assert text.startswith("before\n### bayeseval gate: contradicted")
    assert f"| `{CONTRADICTED}` |" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "gate needs a claim"),
        (["--claim", "pass_rate > 95"], "(character 13"),
        (["--claim", "worst_slice pass_rate > 0.5"], "worst_slice needs --by"),
        (["--claim", "pass_rate[baseline] > 0.5"], "needs --baseline"),
        (["--claim", SUPPORTED, "--confidence", "95"], "divide it by 100"),
        (["--claim", SUPPORTED, "--rule", "wald"], "--rule must be one of"),
        (["--claim", SUPPORTED, "--on-inconclusive", "pass"], "--on-inconclusive must be one of"),
        (["--claim", SUPPORTED, "--config", "absent.toml"], "absent.toml: no such file"),
        (["--claim", SUPPORTED, "--junit", "gate.txt"], ".xml"),
        (["--claim", "pass_rate[slice=join] > 0.5"], "did you mean 'joins'"),
    ],
)
def test_wrong_input(
    run: Run,
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("gate", suite, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_no_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("gate", "--claim", SUPPORTED)
    assert ran.status == 2
    assert "gate needs a result file" in ran.err
