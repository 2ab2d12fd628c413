"""Leaked tasks: which they are, and what they add to the score."""

from typing import Any

import numpy as np
import pytest

import bayeseval as be


def suite(levels: tuple[Any, Any] = (True, False)) -> be.Rollouts:
    """15 leaked tasks that nearly always pass, 35 clean ones."""
    return be.Rollouts.from_counts(
        [4] * 13 + [3] * 2 + [4] * 12 + [3] * 5 + [2] * 4 + [1] * 4 + [0] * 10,
        4,
        factors={"leaked": [levels[0]] * 15 + [levels[1]] * 35},
    )


@pytest.fixture(scope="module")
def found() -> Any:
    return be.contamination(suite(), leaked="leaked")


def test_all_are_a_mix_of_leaked_and_clean(found: Any) -> None:
    every, leaked, clean = (found.answer(which) for which in ("all", "leaked", "clean"))
    assert found.leaked_share == pytest.approx(0.3)
    assert every.mean == pytest.approx(0.3 * leaked.mean + 0.7 * clean.mean, abs=1e-9)
    alone = be.fit(suite().where("leaked", False), engine="exact")
    assert clean.mean == pytest.approx(alone.pass_rate().mean, abs=1e-12)


@pytest.mark.parametrize(("kind", "k"), [("pass_rate", 1), ("pass_hat_k", 3), ("pass_at_k", 2)])
def test_inflation_is_all_minus_clean(found: Any, kind: Any, k: int) -> None:
    inflation = found.inflation(kind, k)
    gap = found.answer("all", kind, k).mean - found.answer("clean", kind, k).mean
    assert inflation.mean == pytest.approx(gap, abs=1e-9)
    assert inflation.support == (-1.0, 1.0)
    # All and clean share the clean tasks: the sd is that of share * (leaked - clean).
    parts = [found.answer(which, kind, k).sd for which in ("leaked", "clean")]
    assert inflation.sd == pytest.approx(0.3 * float(np.hypot(*parts)), rel=1e-6)
    rng = np.random.default_rng(1)
    draws = [found.answer(which, kind, k).sample(20_000, rng) for which in ("leaked", "clean")]
    share = np.mean(0.3 * (draws[0] - draws[1]) > 0.1)
    assert inflation.prob_above(0.1) == pytest.approx(share, abs=4 * 0.5 / np.sqrt(20_000))


def test_what_it_says(found: Any) -> None:
    assert repr(found) == (
        "Contamination(15 of 50 tasks leaked: all 65.0 % against clean 53.2 %, "
        "inflation +11.8 points)"
    )
    assert repr(found.inflation("pass_hat_k", 3)).startswith("inflation of pass^3 by leaked tasks")
    html = found._repr_html_()
    assert "clean tasks" in html
    assert "points" in html


def test_curves(found: Any) -> None:
    curves = found.curves()
    assert len(curves) == 2 * 4 * 2
    assert set(curves["tasks"]) == {"all", "clean"}
    hat = curves[(curves["kind"] == "pass_hat_k") & (curves["tasks"] == "clean")]
    assert hat["mean"].is_monotonic_decreasing
    assert (curves["lower"] < curves["mean"]).all()
    assert (curves["mean"] < curves["upper"]).all()
    assert found.curves([2], ci_prob=0.5)["k"].tolist() == [2] * 4


@pytest.mark.parametrize(
    "levels",
    [
        ("yes", "no"),
        (1, 0),
        (1.0, 0.0),
        ("leaked", "clean"),
        ("Contaminated", None),
        ("seen", "new"),
    ],
)
def test_levels_that_read_as_yes(levels: tuple[Any, Any], found: Any) -> None:
    again = be.contamination(suite(levels), leaked="leaked")
    assert again.leaked.cells.n_tasks == 15
    assert again.inflation().mean == pytest.approx(found.inflation().mean, abs=1e-12)


def test_a_level_by_name(found: Any) -> None:
    again = be.contamination(suite(("2023", "2025")), leaked="leaked", level="2023")
    assert again.inflation().mean == pytest.approx(found.inflation().mean, abs=1e-12)
    other = be.contamination(suite(), leaked="leaked", level=False)
    assert other.leaked.cells.n_tasks == 35
    assert other.inflation().mean < 0


def test_certain_suites_can_be_compared() -> None:
    rollouts = be.Rollouts.from_counts(
        [4] * 300 + [0] * 200, 4, factors={"leaked": [True] * 300 + [False] * 200}
    )
    found = be.contamination(rollouts, leaked="leaked")
    assert found.inflation().mean == pytest.approx(0.6 * (301 / 302 - 1 / 202), abs=2e-3)
    assert found.inflation().prob_above(0.5) > 0.999


@pytest.mark.parametrize(
    ("levels", "arguments", "message"),
    [
        (("a", "b"), {}, r"which level of 'leaked' marks leaked tasks\? .* 'a' or 'b'"),
        (("yes", "true"), {}, "which level of 'leaked' marks leaked tasks"),
        (("yes", "yes"), {}, "has two levels; 'leaked' has 1: 'yes'"),
        (("yes", "no"), {"level": "Yes"}, "no task has leaked = 'Yes'; the levels are 'no' and"),
        ((True, False), {"level": 1}, "no task has leaked = 1"),
        (("yes", "no"), {"leaked": "leak"}, r"unknown factor 'leak' \(did you mean 'leaked'\?\)"),
    ],
)
def test_refusals(levels: tuple[Any, Any], arguments: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.contamination(suite(levels), **{"leaked": "leaked", **arguments})


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda f: f.answer("dirty"), "which must be one of 'all', 'clean', 'leaked'"),
        (lambda f: f.answer("all", "rate"), "kind must be one of"),
        (lambda f: f.answer("all", "pass_rate", 3), "k goes with pass_hat_k and pass_at_k"),
        (lambda f: f.inflation("pass_hat_k", 0), "k must be at least 1"),
        (lambda f: f.curves([0]), "k must be at least 1"),
    ],
)
def test_wrong_questions(found: Any, ask: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        ask(found)
