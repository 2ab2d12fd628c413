"""Fewest passes, fewest tasks, and rare failures: brute force, laws, wrong input."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.plan._passes import Supports

bars = st.integers(0, 99).map(lambda percent: percent / 100)
levels = st.integers(5, 99).map(lambda percent: percent / 100)
priors = st.sampled_from(
    [
        "uniform",
        "jeffreys",
        (30, 2),
        (0.1, 40),
        be.MixturePrior(((0.7, 1, 1), (0.3, 60, 2))),
    ]
)


@given(st.integers(1, 300), bars, levels, priors)
def test_fewest_passes_are_the_first_that_are_enough(
    tasks: int, above: float, confidence: float, prior: Any
) -> None:
    plan = be.plan.passes(tasks, above=above, confidence=confidence, prior=prior)
    enough = [
        s
        for s in range(tasks + 1)
        if be.beta_posterior(s, tasks, prior=prior).prob_above(above) >= confidence - 1e-12
    ]
    if not enough:
        assert isinstance(plan.passes, be.Unknown)
        assert plan.fewest_tasks > tasks
        return
    assert plan.passes == enough[0]
    assert enough == list(range(enough[0], tasks + 1)), "one more pass never hurts"
    assert plan.failures_allowed == tasks - enough[0]
    assert plan.fewest_tasks <= tasks
    at = be.beta_posterior(plan.passes, tasks, prior=prior).prob_above(above)
    assert plan.prob_at == pytest.approx(at, abs=1e-12)


@given(st.integers(0, 20), bars, levels, priors)
def test_fewest_tasks_are_the_first_that_are_enough(
    failures: int, above: float, confidence: float, prior: Any
) -> None:
    plan = be.plan.tasks_for_failures(failures, above=above, confidence=confidence, prior=prior)
    at = be.plan.passes(plan.tasks, above=above, confidence=confidence, prior=prior)
    assert at.failures_allowed >= failures
    if plan.tasks > max(failures, 1):
        less = be.plan.passes(plan.tasks - 1, above=above, confidence=confidence, prior=prior)
        assert isinstance(less.failures_allowed, be.Unknown) or less.failures_allowed < failures


@given(bars, levels, priors)
def test_steps_are_where_one_more_failure_is_allowed(
    above: float, confidence: float, prior: Any
) -> None:
    support = Supports.of(above, confidence, prior)
    steps = support.steps(100)
    allowed = [support.failures_allowed(n) for n in range(1, 101)]
    from_steps = np.searchsorted(steps, np.arange(1, 101), side="right") - 1
    assert from_steps.tolist() == allowed


def test_a_tie_counts_as_reached() -> None:
    # One pass of one: Pr[p > 1/2] = 1 - 1/4 exactly.
    assert be.plan.passes(1, above=0.5, confidence=0.75).passes == 1
    # (1 - 0.9)^2 = 0.01 exactly, but not in binary.
    assert be.plan.clean_run(0.9, confidence=0.99).tasks == 2
    assert be.plan.clean_run(0.2, confidence=0.36).tasks == 2


def test_a_prior_may_be_enough_without_a_pass() -> None:
    plan = be.plan.passes(3, above=0.5, prior=(1000, 1))
    assert plan.passes == 0
    assert isinstance(plan.prob_one_less, be.Unknown)
    assert "one pass less" not in repr(plan)


def test_sentences() -> None:
    assert repr(be.plan.passes(200, above=0.95)) == (
        "196 of 200 tasks must pass to support p > 0.95 with 95 %: Pr = 0.974; one pass less: "
        "0.939 (prior Beta(1, 1))"
    )
    assert "the smallest run that can has 58" in repr(be.plan.passes(57, above=0.95))
    assert "no failure support" in repr(be.plan.tasks_for_failures(0, above=0.95))
    assert "&gt;" in be.plan.passes(200, above=0.95)._repr_html_()


@given(st.integers(1, 999).map(lambda m: m / 1000), st.integers(1, 999).map(lambda m: m / 1000))
def test_clean_run_is_the_smallest_by_exact_fractions(rate: float, confidence: float) -> None:
    plan = be.plan.clean_run(rate, confidence=confidence)
    passed, rest = 1 - Fraction(str(rate)), 1 - Fraction(str(confidence))
    assert passed**plan.tasks <= rest
    assert plan.tasks == 1 or passed ** (plan.tasks - 1) > rest
    assert passed ** (plan.tasks_uniform + 1) <= rest


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.5, 0.999))
def test_bounds_solve_their_equations(failures: int, more: int, confidence: float) -> None:
    tasks = failures + more
    bound = be.plan.failure_bound(failures, tasks, confidence=confidence)
    assert stats.binom.cdf(failures, tasks, bound.upper) == pytest.approx(1 - confidence, rel=1e-8)
    assert stats.binom.cdf(failures, tasks, bound.upper_two_sided) == pytest.approx(
        (1 - confidence) / 2, rel=1e-8
    )
    assert stats.beta.cdf(bound.upper_uniform, failures + 1, more + 1) == pytest.approx(
        confidence, rel=1e-9
    )
    assert bound.upper_uniform <= bound.upper <= bound.upper_two_sided
    assert stats.beta.cdf(bound.upper_jeffreys, failures + 0.5, more + 0.5) == pytest.approx(
        confidence, rel=1e-9
    )


def test_rules_are_for_clean_runs() -> None:
    clean, failed = be.plan.failure_bound(0, 300), be.plan.failure_bound(1, 300)
    assert clean.rule_of_three == 0.01
    assert clean.upper < clean.rule_of_three
    assert isinstance(failed.rule_of_three, be.Unknown)
    assert isinstance(failed.log_rule, be.Unknown)
    assert repr(failed).startswith("1 failure in 300 tasks")
    assert be.plan.failure_bound(3, 3).upper == 1


@given(st.floats(0.001, 0.9), st.floats(0.1, 0.99), st.integers(1, 5))
def test_failures_are_seen_as_often_as_promised(rate: float, prob: float, failures: int) -> None:
    plan = be.plan.see_failure(rate, prob=prob, failures=failures)
    assert plan.prob_at == pytest.approx(
        stats.binom.sf(failures - 1, plan.tasks, rate), rel=1e-9, abs=1e-12
    )
    assert plan.prob_at >= prob * (1 - 1e-9)
    if plan.tasks > failures:
        assert stats.binom.sf(failures - 1, plan.tasks - 1, rate) < prob


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: be.plan.passes(0, above=0.9), "tasks must be at least 1"),
        (lambda: be.plan.passes(10, above=1), "above must be below 1"),
        (lambda: be.plan.passes(10, above=95), "a percentage"),
        (lambda: be.plan.passes(10, above=0.9, confidence=1), "confidence must be strictly"),
        (lambda: be.plan.passes(10, above=0.9, prior="flat"), "prior must be one of"),
        (lambda: be.plan.tasks_for_failures(-1, above=0.9), "failures must be at least 0"),
        (lambda: be.plan.tasks_for_failures(10**13, above=0.9), "failures must be at most"),
        (
            lambda: be.plan.tasks_for_failures(0, above=1 - 1e-13),
            "more than 1,000,000,000,000 tasks",
        ),
        (lambda: be.plan.clean_run(0), "max_failure_rate must be strictly between"),
        (lambda: be.plan.clean_run(1e-13), "name a higher rate"),
        (lambda: be.plan.failure_bound(4, 3), "failures must not exceed tasks"),
        (lambda: be.plan.failure_bound(0, 0), "tasks must be at least 1"),
        (lambda: be.plan.see_failure(0.1, failures=0), "failures must be at least 1"),
        (lambda: be.plan.see_failure(1), "failure_rate must be strictly between"),
        (lambda: be.plan.see_failure(math.inf), "failure_rate must be a finite number"),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call()
