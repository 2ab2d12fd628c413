"""Verdicts: probabilities of claims, what they decide, and when they must not."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.claims._verdict import outcome_of


def exact(rollouts: be.Rollouts, **options: object) -> be.Fit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        return be.fit(rollouts, engine="exact", **options)  # type: ignore[call-overload, no-any-return]


@pytest.fixture(scope="module")
def good() -> be.Fit:
    counts = [4] * 40 + [3] * 10 + [2] * 6 + [1] * 3 + [0] * 1
    return exact(
        be.Rollouts.from_counts(
            counts, 4, factors={"slice": ["joins"] * 20 + ["dates"] * 40, "n": [1, 2] * 30}
        )
    )


def test_one_rollout_each_is_the_conjugate_answer() -> None:
    """194 of 200: Pr[p > .95] is that of Beta(195, 7)."""
    fit = exact(be.Rollouts.from_counts([1] * 194 + [0] * 6, 1))
    verdict = be.evaluate("pass_rate > 0.95", fit)
    assert verdict.prob == pytest.approx(stats.beta(195, 7).sf(0.95), rel=1e-7)
    assert verdict.outcome == "inconclusive"
    assert {each.name for each in verdict.priors} == {"Jeffreys", "sceptical", "empirical"}


@pytest.mark.parametrize("population", ["new_tasks", "suite", "next_run"])
@pytest.mark.parametrize("quantity", ["pass_rate", "pass^2", "pass@3"])
def test_the_probability_is_that_of_the_posterior(
    good: be.Fit, quantity: str, population: str
) -> None:
    verdict = be.evaluate(f"{quantity} > 0.8 for {population}", good, sensitivity=False)
    ask: dict[str, Callable[..., be.Posterior]] = {
        "pass_rate": good.pass_rate,
        "pass^2": lambda **given: good.pass_hat_k(2, **given),
        "pass@3": lambda **given: good.pass_at_k(3, **given),
    }
    assert verdict.prob == ask[quantity](population=population).prob_above(0.8)
    assert verdict.prob + verdict.prob_not == pytest.approx(1, abs=1e-9)
    contrary = be.evaluate(f"{quantity} <= 0.8 for {population}", good, sensitivity=False)
    assert (contrary.prob, contrary.prob_not) == (verdict.prob_not, verdict.prob)


def test_at_least_and_above_differ_where_a_value_is_hit() -> None:
    fit = exact(be.Rollouts.from_counts([1] * 7 + [0] * 3, 1))
    above = be.evaluate("pass_rate > 0.7 for next_run", fit, sensitivity=False)
    at_least = be.evaluate("pass_rate >= 0.7 for next_run", fit, sensitivity=False)
    assert at_least.prob - above.prob > 0.1


def test_slices_and_levels_of_any_type(good: be.Fit) -> None:
    part = exact(good.rollouts.where("slice", "dates"))
    verdict = be.evaluate("pass_rate[slice=dates] > 0.7", good, sensitivity=False)
    assert verdict.prob == pytest.approx(part.pass_rate().prob_above(0.7), rel=1e-9)
    number = be.evaluate("pass_rate[n=2] > 0.7", good, sensitivity=False)
    assert number.posteriors[0].about.n_tasks == 30
    with pytest.raises(be.InputError, match="did you mean 'dates'"):
        be.evaluate("pass_rate[slice=date] > 0.7", good)
    with pytest.raises(be.InputError, match="unknown factor 'slcie'"):
        be.evaluate("pass_rate[slcie=dates] > 0.7", good)


def test_the_worst_slice(good: be.Fit) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        sliced = be.fit(good.rollouts, by="slice", pooling="none")
    verdict = be.evaluate("worst_slice pass_rate > 0.6", sliced, sensitivity=False)
    chances = [sliced[label].pass_rate().prob_above(0.6) for label in sliced.labels]
    assert verdict.prob == pytest.approx(np.prod(chances), rel=1e-9)
    with pytest.raises(be.InputError, match="needs slices"):
        be.evaluate("worst_slice pass_rate > 0.6", good)


def test_a_difference_against_a_baseline(good: be.Fit) -> None:
    old = exact(be.Rollouts.from_counts([4] * 25 + [2] * 10 + [0] * 15, 4))
    verdict = be.evaluate(
        "pass_rate - pass_rate[baseline] > -0.02", good, baseline=old, sensitivity=False
    )
    difference = be.difference(good.pass_rate(), old.pass_rate())
    assert verdict.prob == difference.prob_above(-0.02)
    with pytest.raises(be.InputError, match="needs a baseline"):
        be.evaluate("pass_rate - pass_rate[baseline] > 0", good)


def test_share_of_tasks(good: be.Fit) -> None:
    verdict = be.evaluate("share_of_tasks(rate >= 0.9) > 0.5", good, sensitivity=False)
    assert verdict.prob == good.share_of_tasks_above(0.9).prob_above(0.5)
    with pytest.raises(be.InputError, match="speaks of new_tasks"):
        be.evaluate("share_of_tasks(rate >= 0.9) > 0.5 for suite", good)


def test_and_is_joint(good: be.Fit) -> None:
    """Claims of one fit rise and fall together: far from the product of their chances."""
    bar_rate, bar_hat = good.pass_rate().median, good.pass_hat_k(2).median
    joint = be.evaluate(f"pass_rate > {bar_rate} and pass^2 > {bar_hat}", good, sensitivity=False)
    assert 0.4 < joint.prob <= 0.5
    twice = be.evaluate(
        f"pass_rate > {bar_rate} and pass_rate > {bar_rate}", good, sensitivity=False
    )
    assert twice.prob == pytest.approx(0.5, abs=1e-6 + 5 * twice.mcse)
    joins, dates = (
        exact(good.rollouts.where("slice", name)).pass_rate().median for name in ("joins", "dates")
    )
    apart = be.evaluate(
        f"pass_rate[slice=joins] > {joins} and pass_rate[slice=dates] > {dates}",
        good,
        sensitivity=False,
    )
    assert apart.prob == pytest.approx(0.25, abs=5 * apart.mcse)


def test_joint_probabilities_stay_within_their_limits(good: be.Fit) -> None:
    single = be.evaluate("pass_rate > 0.5", good, sensitivity=False)
    joint = be.evaluate("pass_rate > 0.5 and pass@4 > 0.3", good, sensitivity=False)
    assert single.prob_not <= joint.prob_not <= 1e-6


def test_errored_rollouts_that_could_turn_the_verdict_make_it_inconclusive() -> None:
    lost = be.Rollouts.from_counts([4] * 45 + [2] * 5, 4, errored=[0] * 30 + [4] * 20)
    verdict = be.evaluate("pass_rate > 0.8", exact(lost))
    assert verdict.prob > 0.95
    assert verdict.outcome == "inconclusive"
    assert [each.name for each in verdict.lost] == [
        "all errored rollouts had failed",
        "all errored rollouts had passed",
    ]
    assert any("all errored rollouts had failed" in reason for reason in verdict.reasons)
    none = be.Rollouts.from_counts([4] * 45 + [2] * 5, 4)
    assert be.evaluate("pass_rate > 0.8", exact(none)).outcome == "supported"


def test_a_prior_that_turns_the_verdict_makes_it_inconclusive() -> None:
    fit = exact(be.Rollouts.from_counts([1] * 9, 1))
    # Beta(10, 1): .9654 above .70; under the sceptical Beta(1, 3) prior it is less.
    verdict = be.evaluate("pass_rate > 0.7", fit)
    assert verdict.prob > 0.95
    assert verdict.outcome == "inconclusive"
    assert any("sceptical prior" in reason for reason in verdict.reasons)


def test_a_failed_check_makes_it_inconclusive() -> None:
    gap = exact(be.Rollouts.from_counts([3] * 60 + [13] * 60, 16))
    verdict = be.evaluate("pass_rate > 0.3", gap)
    assert verdict.outcome == "inconclusive"
    assert "Check predictive failed" in " ".join(verdict.reasons)


def test_contradicted_and_the_lower_bound_rule(good: be.Fit) -> None:
    assert be.evaluate("pass_rate > 0.99", good).outcome == "contradicted"
    level = 0.96
    bar = good.pass_rate().quantile(1 - level)
    posterior = be.evaluate(f"pass_rate > {bar}", good, sensitivity=False)
    bound = be.evaluate(f"pass_rate > {bar}", good, rule="lower-bound", sensitivity=False)
    assert (posterior.outcome, bound.outcome) == ("supported", "inconclusive")
    lower = good.pass_rate().eti(0.95).lower
    on_it = be.evaluate(f"pass_rate > {lower - 1e-9}", good, rule="lower-bound", sensitivity=False)
    assert on_it.outcome == "supported"


def test_require_passes_or_fails_with_the_verdict(good: be.Fit) -> None:
    assert be.require(good, "pass_rate > 0.6").supported
    assert be.require(good.rollouts, "pass_rate > 0.6").supported
    with pytest.raises(AssertionError, match=r"CONTRADICTED: Pr\[pass_rate > 0.99\]"):
        be.require(good, "pass_rate > 0.99")
    with pytest.raises(be.ClaimNotSupported, match="INCONCLUSIVE"):
        be.require(good, f"pass_rate > {good.pass_rate().median}")


def test_what_it_shows(good: be.Fit) -> None:
    verdict = be.evaluate("pass_rate > 0.6 and pass^2 > 0.5", good)
    assert bool(verdict) is True
    assert str(verdict).startswith("SUPPORTED: Pr[pass_rate > 0.6 and pass^2 > 0.5] = ")
    assert "<b>SUPPORTED</b>" in verdict._repr_html_()
    document = verdict.document()
    assert document["verdict"] == "supported"
    assert [row["claim"] for row in document["comparisons"]] == ["pass_rate > 0.6", "pass^2 > 0.5"]


@pytest.mark.parametrize("wrong", [0.5, 1.0, 95, "x", float("nan"), -1, None])
def test_a_confidence_out_of_range(good: be.Fit, wrong: object) -> None:
    with pytest.raises(be.InputError, match="confidence"):
        be.evaluate("pass_rate > 0.5", good, confidence=wrong)  # type: ignore[arg-type]


def test_what_is_no_fit(good: be.Fit) -> None:
    with pytest.raises(be.InputError, match="evaluated on a Fit"):
        be.evaluate("pass_rate > 0.5", good.rollouts)  # type: ignore[arg-type]
    with pytest.raises(be.InputError, match="baseline must be a Fit"):
        be.evaluate("pass_rate > 0.5", good, baseline=good.rollouts)  # type: ignore[arg-type]
    with pytest.raises(be.InputError, match="rule must be one of"):
        be.evaluate("pass_rate > 0.5", good, rule="bayes")  # type: ignore[arg-type]


@settings(max_examples=30)
@given(st.integers(0, 39), st.floats(0.05, 0.95), st.sampled_from([0.9, 0.95, 0.99]))
def test_one_more_pass_never_turns_supported_into_contradicted(
    passes: int, bar: float, confidence: float
) -> None:
    order = {"contradicted": 0, "inconclusive": 1, "supported": 2}

    def outcome(s: int) -> int:
        fit = exact(be.Rollouts.from_counts([1] * s + [0] * (40 - s), 1))
        verdict = be.evaluate(f"pass_rate > {bar}", fit, confidence=confidence, sensitivity=False)
        return order[verdict.outcome]

    assert outcome(passes) <= outcome(passes + 1)


@given(st.floats(0, 1), st.floats(0.51, 0.999))
def test_outcomes_are_ordered_in_the_probability(prob: float, confidence: float) -> None:
    found = outcome_of(prob, 1.0 - prob, confidence, "posterior")
    strict = outcome_of(prob, 1.0 - prob, confidence, "lower-bound")
    assert strict in (found, "inconclusive")
    if found == "supported":
        assert prob >= confidence - 1e-9
    if found == "contradicted":
        assert prob <= 1.0 - confidence + 1e-9
