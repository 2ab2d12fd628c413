"""Tasks x rollouts: against width and simulation, laws, wrong input."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be

rates = st.integers(5, 95).map(lambda percent: percent / 100)
iccs = st.floats(0, 1)
half_widths = st.integers(2, 20).map(lambda percent: percent / 100)
costs = st.sampled_from([0.0, 0.1, 1.0, 10.0, 300.0])


def test_standard_error_is_that_of_simulated_suites(rng: np.random.Generator) -> None:
    tasks, rollouts, rate, icc, runs = 60, 4, 0.8, 0.3, 20_000
    kappa = (1 - icc) / icc
    task_rates = rng.beta(rate * kappa, (1 - rate) * kappa, (runs, tasks))
    observed = rng.binomial(rollouts, task_rates).sum(axis=1) / (tasks * rollouts)
    design = be.plan.clustered_design(rate, icc, tasks, rollouts)
    # The standard error of a standard deviation is about 1 / sqrt(2 runs) of it.
    assert observed.std() == pytest.approx(design.se, rel=4 / math.sqrt(2 * runs))


@given(rates, half_widths, st.sampled_from(["wilson", "wald"]))
def test_one_rollout_each_is_width(rate: float, target: float, method: Any) -> None:
    plan = be.plan.clustered(rate, 0.4, target, max_rollouts=1, method=method)
    assert plan.cheapest.tasks == be.plan.width(rate, target, method=method).tasks


@given(rates, iccs, half_widths, costs, costs.filter(bool))
def test_cheapest_by_trying_all(
    rate: float, icc: float, target: float, cost_task: float, cost_rollout: float
) -> None:
    plan = be.plan.clustered(
        rate, icc, target, cost_task=cost_task, cost_rollout=cost_rollout, max_rollouts=12
    )
    best = plan.cheapest
    assert best.half_width <= target * (1 + 1e-9)
    assert best.cost == best.tasks * (cost_task + best.rollouts * cost_rollout)
    for r in range(1, 13):
        tasks = 1
        while be.plan.clustered_design(rate, icc, tasks, r).half_width > target * (1 + 1e-9):
            tasks = tasks * 2
        low, high = tasks // 2, tasks
        while high - low > 1:
            middle = (low + high) // 2
            design = be.plan.clustered_design(rate, icc, middle, r)
            low, high = (
                (low, middle) if design.half_width <= target * (1 + 1e-9) else (middle, high)
            )
        assert high * (cost_task + r * cost_rollout) >= best.cost * (1 - 1e-9)


@given(rates, st.floats(0.01, 0.9), st.integers(1, 400), st.integers(1, 30))
def test_more_never_tells_less_and_alike_rollouts_tell_less(
    rate: float, icc: float, tasks: int, rollouts: int
) -> None:
    base = be.plan.clustered_design(rate, icc, tasks, rollouts)
    assert be.plan.clustered_design(rate, icc, tasks + 1, rollouts).half_width < base.half_width
    assert be.plan.clustered_design(rate, icc, tasks, rollouts + 1).half_width < base.half_width
    alike = be.plan.clustered_design(rate, icc + 0.05, tasks, rollouts).half_width
    assert alike >= base.half_width
    # However often they run, the tasks themselves are a sample.
    floor = math.sqrt(rate * (1 - rate) * icc / tasks)
    assert base.se > floor


def test_best_rollouts_of_the_textbook() -> None:
    plan = be.plan.clustered(0.8, 0.2, 0.02, cost_task=9, cost_rollout=1)
    assert plan.best_rollouts == pytest.approx(6)
    assert abs(plan.cheapest.rollouts - 6) <= 1
    assert math.isinf(be.plan.clustered(0.8, 0, 0.05).best_rollouts)
    assert be.plan.clustered(0.8, 1, 0.05).cheapest.rollouts == 1


def test_few_tasks() -> None:
    never = be.plan.clustered(0.8, 0.5, 0.05, max_tasks=50)
    assert isinstance(never.cheapest, be.Unknown)
    assert never.designs == ()
    limit = be.plan.clustered_design(0.8, 0.5, 50, 100_000).half_width
    assert f"{100 * limit:.2f} points at best" in repr(never)
    often = be.plan.clustered(0.8, 0.5, 0.05, max_tasks=140, max_rollouts=4)
    assert "140 tasks need 7 rollouts of each, more than 4" in repr(often)
    enough = be.plan.clustered(0.8, 0.5, 0.05, max_tasks=140)
    assert enough.cheapest.rollouts >= 7
    assert enough.cheapest.tasks <= 140


@given(rates, st.floats(0, 1), st.floats(30, 3000), costs)
def test_budget_is_kept_and_used(rate: float, icc: float, budget: float, cost_task: float) -> None:
    if budget < cost_task + 1:
        budget += 300
    best = be.plan.clustered_budget(rate, icc, budget, cost_task=cost_task, max_rollouts=20)
    assert best.cost <= budget * (1 + 1e-9)
    for r in range(1, 21):
        tasks = math.floor(budget / (cost_task + r))
        if tasks:
            other = be.plan.clustered_design(rate, icc, tasks, r)
            assert best.half_width <= other.half_width * (1 + 1e-12)


def test_table() -> None:
    table = be.plan.clustered_table(0.8, 0.5, tasks=(200, 100), rollouts=[4, 1])
    assert [(each.tasks, each.rollouts) for each in table.designs] == [
        (100, 1), (100, 4), (200, 1), (200, 4),
    ]  # fmt: skip
    assert table.designs[0].half_width == be.plan.width_at(0.8, 100).half_width
    assert "4 designs for 80 % at ICC 0.5" in repr(table)
    assert table._repr_html_().count("<td>") == 4
    assert len(table.to_dict()["designs"]) == 4


def test_sentences() -> None:
    plan = be.plan.clustered(0.8, 0.3, 0.05, cost_task=10, cost_rollout=1)
    assert repr(plan) == (
        "108 tasks x 5 rollouts for 80 % ± 5 points (95 % Wilson, ICC 0.3; the cheapest at 10 a "
        "task and 1 a rollout: 1,620)"
    )
    assert repr(be.plan.clustered_design(0.8, 0.3, 1, 1)).startswith("1 task x 1 rollout: 80 %")
    assert plan.to_dict()["cheapest"]["tasks"] == 108


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: be.plan.clustered(1, 0.3, 0.05), "rate must be strictly between 0 and 1"),
        (lambda: be.plan.clustered(0.8, 1.3, 0.05), "icc must be between 0 and 1"),
        (lambda: be.plan.clustered(0.8, 0.3, 5), "percentage points"),
        (lambda: be.plan.clustered(0.8, 0.3, 0.05, cost_task=-1), "cost_task must not be negative"),
        (lambda: be.plan.clustered(0.8, 0.3, 0.05, cost_rollout=0), "cost_rollout must be above 0"),
        (lambda: be.plan.clustered(0.8, 0.3, 0.05, max_tasks=0), "max_tasks must be at least 1"),
        (lambda: be.plan.clustered(0.8, 0.3, 0.05, max_rollouts=10**9), "max_rollouts must be at"),
        (lambda: be.plan.clustered(0.8, 0.3, 0.05, method="exact"), "method must be one of"),  # type: ignore[arg-type]
        (lambda: be.plan.clustered_design(0.8, 0.3, 0, 1), "tasks must be at least 1"),
        (lambda: be.plan.clustered_design(0.8, 0.3, 1, 1.5), "rollouts must be a whole"),  # type: ignore[arg-type]
        (lambda: be.plan.clustered_table(0.8, 0.3, tasks=()), "at least one number"),
        (lambda: be.plan.clustered_budget(0.8, 0.3, 1), "one task and one rollout, 2; got 1"),
        (lambda: be.plan.design_effect(0, 0.3), "rollouts must be at least 1"),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call()
