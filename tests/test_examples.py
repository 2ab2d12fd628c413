"""The examples run as they stand, and show what their words promise."""

import ast
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from bayeseval.io import _registry

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_no_example_hides_a_package() -> None:
    # A script's folder comes first on the path: numba, for one, imports coverage.
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert not names & (set(sys.stdlib_module_names) | {"coverage", "matplotlib", "numpy"})


def test_release_question() -> None:
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "release_question.py")],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "Pr[p > 0.95] = 0.879" in run.stdout
    assert "about one in 8" in run.stdout


def test_custom_prior_lies_between_forgetting_and_counting_whole() -> None:
    main = example("custom_prior")["main"]
    flat, half = (fit.pass_rate() for fit in main(0.5))
    forgotten, whole = main(0.0)[1].pass_rate(), main(1.0)[1].pass_rate()
    assert forgotten.mean == pytest.approx(flat.mean, abs=1e-9)
    assert whole.sd < half.sd < flat.sd


def test_lost_rollouts_turn_the_decision() -> None:
    chances = list(example("lost_rollouts")["main"]().values())
    assert chances == sorted(chances)
    # Left out they clear the bar; at half the odds, and if all failed, they do not.
    assert chances[0] < chances[3] < 0.9 < chances[4]


def test_interval_coverage(capsys: pytest.CaptureFixture[str]) -> None:
    example("interval_coverage")["main"](4)
    shares = re.findall(r"holds it in (\d+) %", capsys.readouterr().out)
    assert len(shares) == 6
    assert all(0 <= int(share) <= 100 for share in shares)


def test_plan_suite_says_what_more_tasks_lead_to(capsys: pytest.CaptureFixture[str]) -> None:
    example("plan_suite")["main"]((100, 400), simulations=300)
    out = capsys.readouterr().out
    few, many = (float(chance) for chance in re.findall(r"with probability (\S+)", out))
    assert few < many < float(re.findall(r"lead to (\S+):", out)[0])


def test_slices_and_weights_turn_the_decision() -> None:
    suite, known, counted = example("slices_and_weights")["main"]().values()
    # The suite over-samples what is hard; what the counts leave open is little.
    assert suite < 0.5 < 0.9 < counted
    assert counted == pytest.approx(known, abs=0.01)


def test_contamination_turns_the_decision() -> None:
    chances = example("contamination")["main"]()
    assert chances["clean"] < 0.5 < chances["all"]


def test_simulated_suites_show_what_errors_on_hard_tasks_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    held = example("simulate_suite")["main"](6)
    assert all(0 <= share <= 1 for shares in held.values() for share in shares)
    off = [float(each) for each in re.findall(r"off by (\S+) points", capsys.readouterr().out)]
    assert len(off) == len(held) == 3
    assert off[2] > off[0]


def test_gate_risk_ends_with_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    last = example("gate_risk")["main"]()
    out = capsys.readouterr().out
    assert last.outcome == "released"
    fixed, raised = re.search(r"95 %: ([\d.]+)% of.*only ([\d.]+)%", out, re.DOTALL).groups()  # type: ignore[union-attr]
    assert float(raised) <= 5 < float(fixed)
    assert "expected loss: ship" in out


@pytest.mark.slow
def test_clustered_fit_gives_the_same_answers_twice() -> None:
    fits = example("clustered_fit")["main"](draws=500)
    exact, nuts = (fits[engine].pass_hat_k(3) for engine in ("exact", "nuts"))
    assert abs(nuts.mean - exact.mean) < 4 * nuts.mcse_mean
    assert fits["nuts"].checks["agreement"].passed


@pytest.mark.slow
def test_compare_versions_finds_what_moved(capsys: pytest.CaptureFixture[str]) -> None:
    found = example("compare_versions")["main"](draws=700)
    assert found.checks["divergences"].passed
    assert found.variance_ratio > 2
    assert 0.8 < found.prob_better(population="suite") <= 1.0
    moved = found.moved()
    assert (moved.n_regressed, moved.n_improved) == (3, 8)
    assert "staff-by-store-01: 4 of 4 before, 1 of 4 now" in capsys.readouterr().out


@pytest.mark.slow
def test_extended_model_orders_the_slices(capsys: pytest.CaptureFixture[str]) -> None:
    dt = example("extend_model")["main"](draws=300)
    assert "slice_mean[windows]" in capsys.readouterr().out
    posterior = dt["posterior"]
    reference = float(posterior["mean"].mean())
    shares = posterior["slice_mean"].mean(("chain", "draw"))
    # Raw rates: 91 % of the lookups, 67 % of the joins, 50 % of the dates, 28 % of the windows.
    assert reference > float(shares.sel(slice="joins")) > float(shares.sel(slice="windows"))
    assert np.all((shares > 0) & (shares < 1))
    assert int(dt["sample_stats"]["diverging"].sum()) == 0


def test_gate_in_ci_meets_every_kind_of_verdict() -> None:
    outcomes = [verdict.outcome for verdict in example("gate_in_ci")["main"]()]
    assert outcomes == ["supported", "inconclusive", "contradicted"]


def test_inspect_log_is_read_and_judged() -> None:
    verdict = example("inspect_log")["main"]()
    assert verdict.outcome == "inconclusive"


def test_frames_are_counted_in_their_engine(capsys: pytest.CaptureFixture[str]) -> None:
    fit = example("frames")["main"](500)
    assert fit.rollouts.n_tasks == 500
    assert fit.rollouts.ledger.errored > 0
    assert fit.pass_hat_k(4).eti()[0] < 0.8 * 0.9
    assert "Pr[pass^4 > 0.6]" in capsys.readouterr().out


def test_own_format_becomes_one_that_read_recognises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = example("own_format")
    alone = names["main"]()
    assert (alone.n_tasks, alone.ledger.errored) == (2, 1)
    monkeypatch.setattr(_registry, "FORMATS", (*_registry.FORMATS, names["FORMAT"]))
    file = tmp_path / "agent.log"
    file.write_text(names["LOG"], encoding="utf-8")
    assert np.array_equal(be.read(file).passes, alone.passes)
    file.write_text(names["LOG"] + "refund-03 #1 maybe\n", encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"agent\.log: line 5: expected TASK"):
        be.read(file)


def test_own_plot_marks_the_highest_bar_that_is_cleared() -> None:
    ax = example("own_plot")["main"]()
    curve, mark = ax.get_lines()
    bar, confidence = mark.get_xdata()[0], mark.get_ydata()[1]
    assert np.interp(bar, curve.get_xdata(), curve.get_ydata()) == pytest.approx(
        confidence, abs=1e-3
    )


def test_notebook_runs_from_top_to_bottom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell in order, as Jupyter runs it; what a cell ends with shows itself as HTML."""
    monkeypatch.chdir(EXAMPLES)
    notebook = json.loads((EXAMPLES / "decision.ipynb").read_text(encoding="utf-8"))
    session: dict[str, Any] = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        body = ast.parse("".join(cell["source"])).body
        *statements, last = body
        exec(compile(ast.Module(statements, []), "<cell>", "exec"), session)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), "<cell>", "eval"), session))
        else:
            exec(compile(ast.Module([last], []), "<cell>", "exec"), session)
    drawn = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert len(drawn) >= 6
    assert all(text.startswith("<") for text in drawn)
