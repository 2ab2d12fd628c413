"""The gate on every real result file that holds rollouts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.cli import main

CLAIM = "pass_rate > 0.5"


def _gate(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["gate", str(path), "--claim", CLAIM, "--json"])
    captured = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, captured.out, captured.err


def test_each_file_gets_a_verdict_or_an_error_that_helps(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "data/real"
    facts: dict[str, Any] = json.loads((folder / "FACTS.json").read_text(encoding="utf-8"))
    status_of: Callable[[str], int] = {"supported": 0, "contradicted": 1, "inconclusive": 3}.get  # type: ignore[assignment]
    judged = 0
    for name, fact in facts.items():
        status, out, err = _gate(folder / name, capsys)
        if status == 2:
            # Several systems or scorers to choose from, totals alone, or damaged on purpose.
            assert err.startswith("bayeseval: ")
            assert not out
            continue
        document = json.loads(out)
        assert status == document["exit_status"] == status_of(document["verdict"])
        judged += "n_tasks" in fact
    assert judged > 60


def test_a_verdict_is_that_of_the_fit(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shared / "data/real/tau_bench/gpt-4o-airline.json"
    _, out, _ = _gate(path, capsys)
    fit = be.fit(be.read(path), engine="exact")
    (claim,) = json.loads(out)["claims"]
    assert claim["prob"] == fit.pass_rate().prob_above(0.5)
