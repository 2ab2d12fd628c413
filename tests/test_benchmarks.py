"""The benchmarks run, and measure what they say. Nothing here depends on speed."""

from importlib import import_module

import numpy as np
import pytest
from rich.console import Console

import bayeseval as be
from benchmarks import bootstrap, exact, measure, run


@pytest.mark.parametrize("name", run.MODULES)
def test_module_has_rows(name: str) -> None:
    assert callable(import_module(f"benchmarks.{name}").rows)


def test_rows_of_the_cheapest() -> None:
    (row,) = bootstrap.rows(tasks=100, resamples=20, repeats=1)
    assert row.ours.seconds > 0
    assert row.ratio == row.ours.seconds / row.theirs.seconds
    assert row.met == (row.ours.seconds <= 0.1)


def test_table_fits_80_columns() -> None:
    rows = [
        measure.Row(
            "exact fit, 1,000,000 x 8, from counts, and more words than fit on one line",
            measure.Timing(seconds, 0.5),
            "python -c 'import numpy, scipy.special, typer, rich'",
            measure.Timing(123456.0, 0.0),
            "numpy + 50 ms",
            1.0,
        )
        for seconds in (0.0012345, 12.0)
    ]
    screen = Console(width=80, highlight=False)
    with screen.capture() as captured:
        screen.print(run.table(rows))
    text = captured.get()
    assert max(map(len, text.splitlines())) <= 80
    assert "1.23 ms" in text
    assert "123,456 s" in text
    assert "NO" in text
    assert "0 to 50 %" in run.spread_text(rows)


def test_works_are_timed_in_turn() -> None:
    order: list[str] = []
    first, second = measure.in_turn(
        lambda: order.append("a"), lambda: order.append("b"), repeats=2, warm_up=1
    )
    assert order == ["a", "b", "a", "b", "a", "b"]
    assert first.spread >= 0
    assert second.seconds > 0


def test_peak_memory_is_that_of_the_work() -> None:
    # Were it that of this process, which has loaded far more, both would be the same.
    nothing, much = (measure.peak_memory(code) for code in ("pass", "held = b'x' * (100 << 20)"))
    assert nothing < 50
    assert 90 < much - nothing < 130


def test_alternatives_give_the_same_answer() -> None:
    # A race is fair only where both sides do the same work.
    suite = exact.small_suite()
    answer = be.fit(suite, engine="exact").pass_rate().mean
    assert exact.grid_mean(suite.passes, suite.trials) == pytest.approx(answer, abs=2e-3)
    many = exact.beta_suite(400, 8)
    means = bootstrap.loop(many.pass_rate, 200)
    found = be.cluster_bootstrap(many, n_resamples=2_000, rng=1)
    assert isinstance(found.sd, float)
    # The standard deviation of 200 resamples is known to 5 %; four times that is allowed.
    assert float(np.std(means)) == pytest.approx(found.sd, rel=0.2)


@pytest.mark.slow
def test_dblquad_gives_the_same_answer() -> None:
    suite = exact.small_suite()
    answer = be.fit(suite, engine="exact").pass_rate().mean
    assert exact.naive_mean(suite.passes, suite.trials) == pytest.approx(answer, abs=1e-4)
