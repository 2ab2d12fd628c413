"""Tasks for a half-width: every size is the smallest, laws, slices, wrong input."""

import math
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.plan._half_width import WidthMethod

METHODS = get_args(WidthMethod)

rates = st.integers(0, 100).map(lambda percent: percent / 100)
half_widths = st.integers(3, 40).map(lambda percent: percent / 100)
methods = st.sampled_from(METHODS)


def _half(method: Any, passes: int, tasks: int) -> float:
    """Half-width at a whole number of passes, by the package's own intervals."""
    if method == "posterior":
        found = be.beta_posterior(passes, tasks).eti(0.95)
    else:
        found = be.interval(passes, tasks, method=method)
    return (found.upper - found.lower) / 2


@pytest.mark.parametrize("method", METHODS)
def test_agrees_with_the_intervals_of_the_package(method: Any) -> None:
    for passes, tasks in ((0, 7), (3, 7), (80, 100), (100, 100), (999, 1000)):
        # Wald and Agresti-Coull are cut at 0 and 1 there; Wald is not cut for a plan.
        if method == "wald" and passes == 999:
            continue
        at = be.plan.width_at(passes / tasks, tasks, method=method)
        assert at.half_width == pytest.approx(_half(method, passes, tasks), rel=1e-9, abs=1e-12)


@given(rates, half_widths, methods)
def test_size_is_the_smallest_from_which_on_it_holds(
    rate: float, target: float, method: Any
) -> None:
    plan = be.plan.width(rate, target, method=method)

    def half(tasks: int) -> float:
        return be.plan.width_at(rate, tasks, method=method).half_width

    if plan.tasks == 0:
        assert method == "wald"
        assert rate in (0, 1)
        return
    assert half(plan.tasks) == plan.half_width_at <= target
    if plan.tasks > 1:
        assert half(plan.tasks - 1) == plan.half_width_before > target
    for more in (1, 2, 5, 50, 1000):
        assert half(plan.tasks + more) <= target


@given(rates, half_widths, st.sampled_from(["wilson", "clopper_pearson", "jeffreys", "posterior"]))
def test_whole_passes_hold_from_there_on(rate: float, target: float, method: Any) -> None:
    plan = be.plan.width(rate, target, method=method)

    def half(tasks: int) -> float:
        passes = math.floor(Fraction(str(rate)) * tasks + Fraction(1, 2))
        return _half(method, passes, tasks)

    assert all(half(plan.tasks_whole + more) <= target for more in range(60))
    if plan.tasks_whole > 1:
        assert half(plan.tasks_whole - 1) > target


@given(rates, half_widths, methods)
def test_a_narrower_interval_needs_no_fewer_tasks(rate: float, target: float, method: Any) -> None:
    narrow = be.plan.width(rate, target / 1.5, method=method).tasks
    assert narrow >= be.plan.width(rate, target, method=method).tasks


@given(rates, half_widths, methods)
def test_a_higher_level_needs_no_fewer_tasks(rate: float, target: float, method: Any) -> None:
    low, high = (be.plan.width(rate, target, method=method, ci_prob=c).tasks for c in (0.8, 0.95))
    assert high >= low


@given(rates, half_widths, methods)
def test_passes_and_failures_may_be_swapped(rate: float, target: float, method: Any) -> None:
    swapped = float(1 - Fraction(str(rate)))
    plan, mirror = (be.plan.width(p, target, method=method) for p in (rate, swapped))
    assert plan.half_width_at == pytest.approx(mirror.half_width_at, rel=1e-9)
    assert plan.tasks == mirror.tasks


def test_a_strong_prior_may_widen_the_interval_before_it_narrows() -> None:
    # Beta(400, 1) is narrow; a rate of 0.5 contradicts it first, and then overrules it.
    plan = be.plan.width(0.5, 0.016, method="posterior", prior=(400, 1))
    at = [
        be.plan.width_at(0.5, n, method="posterior", prior=(400, 1)).half_width
        for n in (1, 400, plan.tasks)
    ]
    assert at[0] <= 0.016
    assert at[1] > 0.016
    assert at[2] <= 0.016
    assert plan.tasks > 400


def test_posterior_is_the_beta_interval() -> None:
    lower, upper = stats.beta.interval(0.9, 8 + 17, 2 + 3)
    at = be.plan.width_at(0.85, 20, method="posterior", ci_prob=0.9, prior=(8, 2))
    assert at.half_width == pytest.approx((upper - lower) / 2, rel=1e-12)


def test_table_has_every_method() -> None:
    table = be.plan.width_table(0.8, 0.05)
    assert [plan.method for plan in table] == list(METHODS)
    assert table[0] == be.plan.width(0.8, 0.05)


def test_results_print_themselves() -> None:
    plan = be.plan.width(0.8, 0.05, method="posterior", prior="jeffreys")
    assert repr(plan) == str(plan) == plan.sentence
    assert "245 tasks for 80 % ± 5 points" in repr(plan)
    assert "Beta(0.5, 0.5)" in plan._repr_html_()
    assert "\n" not in repr(plan)
    found = plan.to_dict()
    assert (found["tasks"], found["prior"], found["sentence"]) == (
        plan.tasks,
        "Beta(0.5, 0.5)",
        repr(plan),
    )
    assert be.plan.width(0.8, 0.49).to_dict()["half_width_before"].keys() == {"unknown"}


def test_slices_add_up() -> None:
    plan = be.plan.slices({"dates": 0.5, "joins": 0.9}, {"dates": 0.1, "joins": 0.03})
    assert plan.slices["joins"] == be.plan.width(0.9, 0.03)
    assert plan.tasks == 93 + be.plan.width(0.9, 0.03).tasks
    assert plan.to_dict()["slices"]["dates"]["tasks"] == 93
    with pytest.raises(TypeError):
        plan.slices["dates"] = plan.slices["joins"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: be.plan.width(1.2, 0.05), "rate must be between 0 and 1"),
        (lambda: be.plan.width(80, 0.05), "a percentage"),
        (lambda: be.plan.width(math.nan, 0.05), "rate must be a finite number"),
        (lambda: be.plan.width(0.8, 0), "half_width must be between 0.00001 and 0.5; got 0"),
        (lambda: be.plan.width(0.8, 5), "percentage points"),
        (lambda: be.plan.width(0.8, 0.05, ci_prob=1), "ci_prob must be strictly between"),
        (lambda: be.plan.width(0.8, 0.05, method="willson"), "did you mean 'wilson'"),  # type: ignore[arg-type]
        (
            lambda: be.plan.width(0.8, 0.05, prior=be.MixturePrior(((0.5, 1, 1), (0.5, 9, 1)))),
            "single Beta",
        ),
        (lambda: be.plan.width_at(0.8, 0), "tasks must be at least 1"),
        (lambda: be.plan.width_at(0.8, 2.5), "tasks must be a whole number"),  # type: ignore[arg-type]
        (lambda: be.plan.width_at(0.8, 10**13), "tasks must be at most"),
        (lambda: be.plan.slices({}, 0.1), "rates must map"),
        (lambda: be.plan.slices({"a": 0.5}, {"b": 0.1}), r"differ in \['a', 'b'\]"),
        (lambda: be.plan.slices({"a": 1.5}, 0.1), "rate of slice 'a'"),
        (lambda: be.plan.slices({"a": 0.5}, {"a": 0}), "half_width of slice 'a'"),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call()
