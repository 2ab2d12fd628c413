"""Fit: arguments, answers, notes and tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bayeseval as be
from tests.hierarchical.suites import SUITES, exact


@pytest.fixture(scope="module")
def mixed() -> be.Fit:
    rollouts = be.Rollouts.from_counts(
        [3, 0, 2, 0], [3, 4, 4, 0], task=[8, "8", "orders", "idle"], errored=[1, 0, 0, 4]
    )
    return exact(rollouts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: f.pass_hat_k(0), "k must be at least 1; got 0"),
        (lambda f: f.pass_at_k(-3), "k must be at least 1"),
        (lambda f: f.pass_hat_k(2.5), r"k must be a whole number; got 2\.5"),
        (lambda f: f.pass_at_k("two"), "k must be a number; got 'two'"),
        (lambda f: f.pass_rate(population="new_task"), "did you mean 'new_tasks'"),
        (lambda f: f.pass_rate(population="suite", m=3), 'm and rollouts go with population="next'),
        (lambda f: f.pass_rate(rollouts=3), "go with population"),
        (lambda f: f.pass_rate(population="next_run", rollouts=3), "rollouts needs m"),
        (lambda f: f.pass_rate(population="next_run", m=0), "m must be at least 1"),
        (lambda f: f.pass_rate(population="next_run", m=2, rollouts=0), "rollouts must be at leas"),
        (lambda f: f.pass_hat_k(4, population="next_run"), "cannot show pass.4"),
        (lambda f: f.pass_at_k(3, population="next_run", m=2, rollouts=2), "rollouts must be at l"),
        (lambda f: f.task_rate("ordres"), "no task 'ordres' in the suite.*did you mean 'orders'"),
        (lambda f: f.task_rate(9), "no task 9"),
        (lambda f: f.task_quantile(0), "q must be strictly between"),
        (lambda f: f.task_quantile(95), "a percentage"),
        (lambda f: f.share_of_tasks_above(1.0), "rate must be strictly between"),
        (lambda f: f.kappa_quantile(1.5), "q must be between"),
        (lambda f: f.task_table(k=3), r"k must hold whole numbers, such as \(1, 2, 4\); got 3"),
        (lambda f: f.task_table(k=(0,)), "k must be at least 1"),
        (lambda f: f.tasks(ci_prob=95), "ci_prob must be strictly between.*percentage"),
        (lambda f: f.predicted_histogram(ci_prob=0), "ci_prob must be strictly between"),
    ],
)
def test_wrong_questions(mixed: be.Fit, call: Callable[[be.Fit], Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call(mixed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"engine": "exakt"}, "engine must be one of 'nuts', 'exact'.*did you mean 'exact'"),
        ({"prior": "arcsine"}, "prior must be a HierarchicalPrior; got 'arcsine'"),
        ({"prior": (1, 1)}, "prior must be a HierarchicalPrior"),
        ({"draws": 0}, "draws must be at least"),
        ({"draws": 10.5}, "draws must be a whole number"),
        ({"tune": 0}, "tune must be at least 1"),
        ({"chains": 0}, "chains must be at least 1"),
        ({"cores": 0}, "cores must be at least 1"),
        ({"target_accept": 1}, "target_accept must be strictly between"),
        ({"rng": "seven"}, "rng must be a number"),
    ],
)
@pytest.mark.parametrize("engine", ["exact", "nuts"])
def test_wrong_settings(engine: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.fit(SUITES["u_shaped"], **{"engine": engine, **arguments})


def test_no_scored_task_cannot_be_fitted() -> None:
    empty = be.Rollouts.from_counts([0, 0], [0, 0], errored=[4, 4])
    for call in (be.fit, be.build_model):
        with pytest.raises(be.InputError, match="no task has a scored rollout"):
            call(empty)


def test_only_rollouts_can_be_fitted() -> None:
    with pytest.raises(be.InputError, match=r"rollouts must be a Rollouts.*got list"):
        be.fit([4, 0, 2])  # type: ignore[arg-type]


def test_task_ids_keep_their_types(mixed: be.Fit) -> None:
    number, text = mixed.task_rate(8), mixed.task_rate("8")
    assert number.mean > 0.5 > text.mean
    for task in mixed.rollouts.task:
        assert mixed.task_rate(task).mean == mixed.task_rate(task).mean
    whole = exact(SUITES["unequal"])
    assert whole.task_rate(whole.rollouts.task[1]).mean == whole.task_rate(1).mean


def test_answers_beyond_the_rollouts_are_marked(exact_fits: dict[str, be.Fit]) -> None:
    fit = exact_fits["u_shaped"]
    for population in ("new_tasks", "suite"):
        assert not fit.pass_hat_k(4, population=population).extrapolated
        beyond = fit.pass_hat_k(5, population=population)
        assert beyond.extrapolated
        assert "k = 5 exceeds the 4 rollouts" in beyond.about.note
        assert "extrapolated" in repr(beyond)
    run = fit.pass_hat_k(5, population="next_run", m=10, rollouts=8)
    assert run.mean == pytest.approx(fit.pass_hat_k(5).mean, abs=1e-6)


def test_unscored_tasks_do_not_decide_what_is_extrapolated(mixed: be.Fit) -> None:
    assert mixed.min_trials == 3
    assert not mixed.pass_hat_k(3).extrapolated
    assert mixed.pass_hat_k(4).extrapolated


@pytest.mark.parametrize("name", SUITES)
def test_task_table(exact_fits: dict[str, be.Fit], name: str) -> None:
    fit = exact_fits[name]
    table = fit.task_table(k=(1, 3))
    centre = fit.pass_rate().mean
    assert np.array_equal(table.task, fit.rollouts.task)
    assert table.raw_rate == pytest.approx(table.passes / table.trials)
    # Shrunken: between the raw rate and (about) the mean, never beyond the raw rate.
    low, high = np.minimum(table.raw_rate, centre), np.maximum(table.raw_rate, centre)
    assert np.all((table.mean >= low - 0.03) & (table.mean <= high + 0.03))
    assert np.all((table.lower <= table.mean) & (table.mean <= table.upper + 1e-9))
    assert table.pass_at_k[1] == pytest.approx(table.mean, abs=1e-12)
    assert table.pass_hat_k[1] == pytest.approx(table.mean, abs=1e-12)
    assert np.all(table.pass_hat_k[3] <= table.mean + 1e-12)
    assert np.all(table.mean <= table.pass_at_k[3] + 1e-12)
    assert table.mean.mean() == pytest.approx(fit.pass_rate(population="suite").mean, abs=1e-6)
    frame = fit.tasks(k=(1, 3))
    assert list(frame.columns[-4:]) == ["pass@1", "pass^1", "pass@3", "pass^3"]
    assert frame["upper"].to_numpy() == pytest.approx(table.upper)


def test_task_without_scores_stands_in_the_table(mixed: be.Fit) -> None:
    table = mixed.task_table()
    assert np.isnan(table.raw_rate[3])
    assert table.mean[3] == pytest.approx(mixed.pass_rate().mean, abs=1e-6)
    assert table.errored.tolist() == [1, 0, 0, 4]


@pytest.mark.parametrize("name", SUITES)
def test_predicted_histogram(exact_fits: dict[str, be.Fit], name: str) -> None:
    fit = exact_fits[name]
    table = fit.predicted_histogram()
    assert table.observed.sum() == table.n_shown
    assert table.mean.sum() == pytest.approx(table.n_shown)
    assert np.all(table.lower <= table.upper)
    assert np.mean((table.lower <= table.observed) & (table.observed <= table.upper)) >= 0.6
    again = fit.predicted_histogram()
    assert np.array_equal(table.upper, again.upper)


def test_quantiles_of_tasks_and_shares_answer_each_other(exact_fits: dict[str, be.Fit]) -> None:
    """The q-quantile lies above r exactly where a share of at least 1 - q lies above r."""
    for name in ("mild", "unequal", "alike"):
        fit = exact_fits[name]
        for q, rate in ((0.25, 0.3), (0.5, 0.6), (0.75, 0.8)):
            share = fit.share_of_tasks_above(rate).prob_above(1 - q)
            assert fit.task_quantile(q).prob_above(rate) == pytest.approx(share, abs=3e-4)


def test_notes_and_display(mixed: be.Fit) -> None:
    single = exact(be.Rollouts.from_counts([1], 1))
    assert len(single.notes) == 2
    assert repr(mixed).startswith("Fit(3 tasks, engine exact: pass rate on new tasks")
    assert "1 task has no scored rollout" in mixed._repr_html_()
    assert mixed.prior.formula in mixed._repr_html_()


def test_exact_is_deterministic_without_a_seed() -> None:
    one, two = exact(SUITES["mild"]), exact(SUITES["mild"])
    assert one.checks == two.checks
    assert np.array_equal(one.draws.mean, two.draws.mean)


def test_predictive_check_sees_a_suite_that_is_no_beta() -> None:
    """Two heaps of tasks with nothing between them, where a Beta of that spread has tasks."""
    gap = be.Rollouts.from_counts([3] * 60 + [13] * 60, 16)
    with pytest.warns(be.CheckWarning, match="predictive.*FAILED: the tasks do not look like one"):
        fit = be.fit(gap, engine="exact")
    assert not fit.checks.passed
    assert [check.name for check in fit.checks.failed] == ["predictive"]
    assert any("predictive" in note and "split the suite" in note for note in fit.notes)


def test_checks_by_name(exact_fits: dict[str, be.Fit]) -> None:
    checks = exact_fits["mild"].checks
    assert checks["quadrature"].passed
    with pytest.raises(KeyError, match="there are quadrature, predictive"):
        checks["r_hat"]
    assert repr(checks) == "Checks(2 of 2 passed)"
    assert "<table>" in checks._repr_html_()
