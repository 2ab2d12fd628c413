"""Many systems: ranks, groups, pairs, Holm, mistakes."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import bayeseval as be
from bayeseval.comparison._join import join
from bayeseval.comparison._model import is_collapsed

R = be.Rollouts.from_counts


def test_the_worst_is_told_apart_and_the_best_two_are_not(board: be.Leaderboard) -> None:
    assert board.checks["divergences"].passed
    groups = board.groups()
    assert set(groups[0]) == {"large", "medium"}
    assert groups[1:] == (("small",),)
    assert set(board.sentence().split("not separated from it: ")[1].strip(".").split(", ")) == set(
        groups[0][1:]
    )
    table = board.table()
    assert table.system[2] == "small"
    assert table.group.tolist() == [1, 1, 2]
    assert (table.rank_lower[2], table.rank_upper[2]) == (3, 3)
    assert table.rank_lower[0] == 1


def test_probabilities_hold_together(board: be.Leaderboard) -> None:
    for population in ("new_tasks", "suite"):
        pairs = board.pairwise(population=population)  # type: ignore[arg-type]
        assert np.allclose(pairs + pairs.T + np.eye(3), 1.0)
        best = board.prob_best(population=population)  # type: ignore[arg-type]
        assert sum(best.values()) == pytest.approx(1.0)
        assert list(best.values()) == sorted(best.values(), reverse=True)
        top = board.prob_top(2, population=population)  # type: ignore[arg-type]
        assert sum(top.values()) == pytest.approx(2.0)
        assert all(top[name] >= best[name] for name in board.systems)
        assert board.prob_top(3, population=population) == dict.fromkeys(top, 1.0)  # type: ignore[arg-type]
    ranks = board.table().rank
    assert ranks.sum() == pytest.approx(6.0)
    assert "Pr[" in repr(board)


def test_difference_is_that_of_the_joint_draws(board: be.Leaderboard) -> None:
    found = board.difference("large", "small")
    assert found.prob_above(0.0) == board.pairwise()[0, 2]
    assert found.mean == pytest.approx(board.rate("large").mean - board.rate("small").mean)
    # Luck with the tasks is common to both and cancels.
    assert found.sd < np.hypot(board.rate("large").sd, board.rate("small").sd)


def test_systems_are_drawn_together(board: be.Leaderboard) -> None:
    raw = np.array([rollouts.pass_rate.mean() for rollouts in board.joined.rollouts])
    mean = np.array([board.rate(name, population="suite").mean for name in board.systems])
    assert np.ptp(mean) < np.ptp(raw)
    assert np.argmin(mean) == np.argmin(raw)


def test_holm_of_paired_t_tests(board: be.Leaderboard) -> None:
    found = board.holm()
    assert len(found) == 3
    rates = {name: each.passes / each.trials for name, each in
             zip(board.systems, board.joined.rollouts, strict=True)}  # fmt: skip
    for first, second, difference, p in zip(
        found.first, found.second, found.difference, found.p, strict=True
    ):
        assert difference == pytest.approx((rates[first] - rates[second]).mean())
        assert p == pytest.approx(stats.ttest_rel(rates[first], rates[second]).pvalue)
    assert found.p_holm[0] == pytest.approx(3 * found.p[0])
    assert found.p_holm[1] == pytest.approx(max(2 * found.p[1], found.p_holm[0]))
    assert np.all(np.diff(found.p_holm) >= 0)


def test_html_names_every_system(board: be.Leaderboard) -> None:
    page = board._repr_html_()
    assert all(f"<td>{name}</td>" in page for name in board.systems)


def test_many_tasks_and_systems_sample_task_effects() -> None:
    few = {name: R([4, 2, 0] * 20, 4) for name in "ab"}
    assert is_collapsed(join(few, "drop").patterns((0, 1)))
    rng = np.random.default_rng(1)
    many = {str(i): R(rng.integers(0, 5, 300), 4) for i in range(12)}
    joined = join(many, "drop")
    assert not is_collapsed(joined.patterns(range(12)))
    assert be.build_comparison_model(many)["effect"].ndim == 1


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda b: b.rate("huge"), "there is no system 'huge'"),
        (lambda b: b.rate("lrge"), "did you mean 'large'"),
        (lambda b: b.difference("large", "x"), "there is no system 'x'"),
        (lambda b: b.prob_top(0), "r must be at least 1"),
        (lambda b: b.prob_top(4), "r must be at most 3"),
        (lambda b: b.groups(0.3), "prob must be at least 0.5"),
        (lambda b: b.table("pass_hat_k"), "pass_hat_k needs k"),
        (lambda b: b.table(ci_prob=1.0), "ci_prob must be strictly between"),
    ],
)
def test_wrong_questions(
    board: be.Leaderboard, ask: Callable[[be.Leaderboard], object], message: str
) -> None:
    with pytest.raises(be.InputError, match=message):
        ask(board)


def test_wrong_systems() -> None:
    with pytest.raises(be.InputError, match="needs two systems or more; got 1"):
        be.leaderboard({"a": R([1], 1)})
    with pytest.raises(be.InputError, match="'b' must be a Rollouts"):
        be.leaderboard({"a": R([1], 1), "b": None})  # type: ignore[dict-item]


def test_figure_names_every_system(board: be.Leaderboard) -> None:
    ax = be.plot_leaderboard(board, ci_prob=0.9)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(
        board.table(ci_prob=0.9).system
    )
    texts = [text.get_text() for text in ax.texts]
    assert {"rank", "Pr[best]", "3"} <= set(texts)
    assert ax.get_xlabel() == "pass rate on new tasks"
    be.plot_leaderboard(board, "pass_hat_k", k=3, population="suite")
