"""The comparison with other packages: its tables, its limits, the page. No other package needed."""

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import special, stats

import bayeseval as be
from benchmarks.peers import __main__ as main
from benchmarks.peers import children, growth, methods, samplers, suites, tables, worker

ROOT = Path(__file__).parents[1]


# -- the page ---------------------------------------------------------------------------


def test_the_page_is_current() -> None:
    text = main.PAGE.read_text(encoding="utf-8")
    assert tables.page(text, main.load()) == text, "python -m benchmarks.peers --render"


def test_the_page_shows_every_table() -> None:
    text = main.PAGE.read_text(encoding="utf-8")
    assert sorted(tables.names_of(text)) == sorted(tables.BLOCKS)


def test_what_is_kept_is_whole() -> None:
    results = main.load()
    assert list(results["times"]) == list(methods.TIMED)
    assert list(results["coverage"]) == list(methods.METHODS)
    assert list(results["growth"]) == list(growth.SERIES)
    for found in results["times"].values():
        assert list(found) == list(suites.SIZE_NAMES)
    for key, method in methods.METHODS.items():
        assert results["methods"][key]["computes"] == method.computes
    assert main.KEPT.stat().st_size < 30_000
    assert (ROOT / "docs/images/peers.svg").stat().st_size < 200_000


def test_versions_are_the_pinned_ones() -> None:
    pinned = (ROOT / "benchmarks/peers/requirements.txt").read_text(encoding="utf-8")
    versions = main.load()["versions"]
    for line in pinned.split():
        name, version = line.split("==")
        assert versions.get(name, version) == version


# -- tables -----------------------------------------------------------------------------


def made_up() -> dict[str, Any]:
    done = {"seconds": 0.01, "peak_mib": 1_234, "interval": [0.7, 0.9], "divergences": None}
    slow = {**done, "seconds": 2.5, "divergences": 3}
    described = {"title": "ours", "library": "bayeseval", "computes": "a", "about": "new tasks"}
    other = {**described, "title": "theirs", "library": "pymc", "about": "these tasks"}
    first, *others = suites.SIZE_NAMES
    return {
        "python": "3.13.0", "processors": 2, "load": [0.5, 2.0], "limit": 120,
        "versions": {"bayeseval": "1", "pymc": "6", "nutpie": "0.16", "jax": "0.12"},
        "methods": {"exact": described, "pymc": other},
        "times": {
            "exact": dict.fromkeys(suites.SIZE_NAMES, done),
            "pymc": {
                first: slow,
                others[0]: {"stopped": "time"},
                others[1]: {"stopped": "smaller"},
                others[2]: {"stopped": "memory"},
            },
        },
        "coverage": {
            "exact": {"runs": 100, "covered": 100, "width": 0.2, "divergences": 0},
            "pymc": {"runs": 40, "covered": 38, "width": 0.1, "divergences": 60},
        },
        "growth": {"k": {"title": "work", "grows": "k", "seconds": {"1": 0.1, "8": 0.25}}},
    }  # fmt: skip


def test_times_and_their_ratios() -> None:
    _, (ours, theirs) = tables.timed(made_up())
    assert ours == ["ours", *["10 ms (1)"] * 4]
    assert theirs == ["theirs", "2.5 s (250)", "stopped after 120 s", "not tried", "memory"]


def test_coverage_is_told_of_what_the_interval_is_for() -> None:
    _, (ours, theirs) = tables.coverage(made_up())
    # (100 + 2) / (100 + 4), and its error.
    assert ours == ["ours", "100.0 ± 1.4", "not asked", "20.0", "100"]
    assert theirs[1:3] == ["no interval", f"95.0 ± {100 * np.sqrt(40 / 44 * 4 / 44 / 40):.1f}"]


def test_growth_is_relative_to_the_smallest() -> None:
    assert tables.growth(made_up())[1] == [["work", "k", "1: 100 ms", "8: 2.5"]]


def test_every_block_renders_and_every_table_prints() -> None:
    for block in tables.BLOCKS.values():
        assert block(made_up()).endswith("\n")
    assert "theirs 1.5" in tables.divergences(made_up())
    screen = Console(file=io.StringIO(), width=100)
    tables.show(made_up(), screen)
    assert "stopped after 120 s" in screen.file.getvalue()  # type: ignore[attr-defined]


def test_a_busy_machine_is_told() -> None:
    assert "a load of 0.5 to 2. The times are that machine's" in tables.machine(made_up())
    assert "Other work ran" in tables.machine({**made_up(), "load": [0.5, 9.0]})


def test_a_block_is_renewed_and_the_rest_stays() -> None:
    text = "a\n<!-- speed: growth -->\nold\n<!-- end of speed -->\nb\n"
    made = tables.page(text, made_up())
    assert made.startswith("a\n<!-- speed: growth -->\n\n| work")
    assert made.endswith("\n<!-- end of speed -->\nb\n")
    assert tables.page(made, made_up()) == made


# -- measuring --------------------------------------------------------------------------


def run_code(code: str, limit: int = 20) -> tuple[list[dict[str, Any]], str]:
    return children.run([], limit, command=("-c", code))


def test_a_child_that_ends_has_told_its_findings() -> None:
    assert run_code('print("noise"); print("{\\"a\\": 1}")') == ([{"a": 1}], "done")


def test_a_child_beyond_its_limit_is_stopped_and_keeps_what_it_told() -> None:
    code = 'import signal, time; print("{}", flush=True); signal.setitimer(0, 0.1); time.sleep(60)'
    assert run_code(code) == ([{}], "time")


def test_a_child_without_memory_or_with_an_error() -> None:
    assert run_code("raise MemoryError") == ([], "memory")
    lines, ended = run_code("raise ValueError('no such suite')")
    assert (lines, ended) == ([], "failed with status 1: ValueError: no such suite")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_child_that_holds_too_much_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MEMORY_MIB", 1)
    assert run_code("import time; time.sleep(60)") == ([], "memory")


def test_work_is_repeated_while_it_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(list(worker.repeated(lambda: None))) == worker.REPEATS
    monkeypatch.setattr(worker, "ENOUGH", 0.0)
    assert list(worker.repeated(lambda: None)) == []


def test_worker_tells_time_and_coverage(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker.signal, "alarm", lambda seconds: None)
    monkeypatch.setattr(worker, "METHODS", {"twice": _always(0.7, 0.9)})
    worker.main(["time", "twice", "20", "4", "9"])
    assert '"interval": [0.7, 0.9]' in capsys.readouterr().out
    worker.main(["coverage", "twice", "9"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith('{"runs": 3, "covered": 3, "width": 0.2')


def _always(lower: float, upper: float) -> methods.Method:
    return methods.Method(
        "always", "none", "the same", "new tasks", suites.as_counts,
        lambda data, fresh: samplers.Answer(lower, upper), 3,
    )  # fmt: skip


# -- what is compared -------------------------------------------------------------------


def test_every_form_holds_the_same_suite() -> None:
    suite = suites.draw(30, 4)
    passes, rollouts = suites.as_counts(suite)
    matrix = suites.as_matrix(suite)
    assert matrix.shape == (30, rollouts)
    assert matrix.sum(axis=1).tolist() == passes.tolist()
    assert suites.as_pairs(suite) == [(4, each) for each in passes.tolist()]


def test_suites_have_the_stated_rate_and_icc() -> None:
    suite = suites.draw(200_000, 2)
    rates, _ = np.unique(suite.passes, return_counts=True)
    assert rates.tolist() == [0, 1, 2]
    mean = suite.passes.mean() / 2
    assert mean == pytest.approx(suites.RATE, abs=4 * np.sqrt(0.16 * 0.75 / 200_000))
    # Two rollouts of a task agree in passing with the probability rate^2 + ICC rate (1 - rate).
    both = suites.RATE**2 + suites.ICC * suites.RATE * (1 - suites.RATE)
    found = np.mean(suite.passes == 2)
    assert found == pytest.approx(both, abs=4 * np.sqrt(both * (1 - both) / 200_000))


def test_ours_is_the_packages_answer() -> None:
    data = suites.as_counts(suites.draw(50, 4))
    fit = be.fit(be.Rollouts.from_counts(*data), engine="exact")
    assert methods.exact(data, True)[:2] == tuple(fit.pass_rate().eti())
    assert methods.exact_suite(data, True)[:2] == tuple(fit.pass_rate(population="suite").eti())


def test_mean_rate_is_integrated_over_tasks() -> None:
    intercept, sd = np.array([0.0, 1.2, -0.4]), np.array([2.0, 0.0, 0.7])
    found = samplers.mean_rate(intercept, sd)
    z = np.linspace(-9, 9, 20_001)
    for at in range(3):
        chance = special.expit(intercept[at] + sd[at] * z) @ stats.norm.pdf(z) * (z[1] - z[0])
        assert found[at] == pytest.approx(chance, abs=1e-7)
