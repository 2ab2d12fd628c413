"""errored_sensitivity: answers by the odds ratio of errored rollouts."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.hierarchical._exact import integrate
from bayeseval.sensitivity import ErroredSensitivity
from bayeseval.sensitivity._impute import hyper_draws

# Ten tasks whole; one errored rollout on five, two on four, and one task without a score.
SUITE = be.Rollouts.from_counts(
    [4, 4, 4, 4, 3, 3, 2, 2, 1, 0, 3, 3, 2, 1, 3, 2, 2, 1, 0, 0],
    [4] * 10 + [3] * 5 + [2] * 4 + [0],
    errored=[0] * 10 + [1] * 5 + [2] * 4 + [3],
)


@pytest.fixture(scope="module")
def found() -> ErroredSensitivity:
    return be.errored_sensitivity(SUITE, rng=1)


def test_says_how_many_rollouts_errored_on_how_many_tasks(found: ErroredSensitivity) -> None:
    assert (found.errored, found.tasks, found.imputations) == (16, 10, 50)
    assert found.summary.startswith("16 errored rollouts on 10 tasks; the pass rate of new tasks")
    assert [row.odds_ratio for row in found.rows] == [0, 0.25, 0.5, 1, 2, 4, math.inf]


@pytest.mark.parametrize(("ratio", "as_"), [(0.0, "fail"), (math.inf, "pass")])
def test_the_ends_are_the_envelope_exactly(
    found: ErroredSensitivity, ratio: float, as_: Any
) -> None:
    fit = be.fit(SUITE.with_lost(as_), engine="exact")
    row = found[ratio]
    for ours, expected in (
        (row.pass_rate(), fit.pass_rate()),
        (row.pass_hat_k(3), fit.pass_hat_k(3)),
        (row.pass_at_k(3), fit.pass_at_k(3)),
        (row.icc(), fit.icc()),
    ):
        assert ours.engine == "exact"
        assert ours.mean == expected.mean
        assert tuple(ours.eti()) == tuple(expected.eti())


def test_odds_ratio_1_is_leaving_them_out() -> None:
    # The law of total probability: outcomes imputed from the posterior add nothing to it.
    row = be.errored_sensitivity(SUITE, odds_ratios=[1], imputations=200, rng=2)[1]
    fit = be.fit(SUITE, engine="exact")
    for ours, expected in (
        (row.pass_rate(), fit.pass_rate()),
        (row.pass_hat_k(2), fit.pass_hat_k(2)),
        (row.pass_at_k(2), fit.pass_at_k(2)),
        (row.icc(), fit.icc()),
    ):
        assert ours.engine == "imputed"
        assert abs(ours.mean - expected.mean) < 4 * ours.mcse_mean
        for level in (0.1, 0.5, 0.9):
            bar = float(expected.quantile(level))
            assert abs(ours.cdf(bar) - level) < 4 * ours.mcse_prob_above(bar)


@pytest.mark.parametrize("ratio", [0.1, 3.0])
def test_one_errored_rollout_by_sums(ratio: float) -> None:
    # One missing outcome: the answer is a mixture of two exact ones, whose weights are the
    # chance that it passed, E[r p / (1 - p + r p)], here by SciPy's own quadrature.
    suite = be.Rollouts.from_counts([3] * 4 + [1, 0], [3] * 4 + [2, 3], errored=[0] * 4 + [1, 0])
    prior = be.HierarchicalPrior()
    observed = integrate(suite, prior)
    chance = 0.0
    heaviest = np.argsort(observed.weights)[::-1][:300]
    levels = (np.arange(2000) + 0.5) / 2000
    weights = observed.weights[heaviest] / observed.weights[heaviest].sum()
    for weight, a, b in zip(
        weights, observed.alpha[heaviest] + 1, observed.beta[heaviest] + 1, strict=True
    ):
        p = stats.beta.ppf(levels, a, b)
        chance += weight * float(np.mean(ratio * p / (1 - p + ratio * p)))
    failed, passed = (
        be.fit(suite.with_lost(as_), engine="exact").pass_hat_k(2).mean for as_ in ("fail", "pass")
    )
    expected = chance * passed + (1 - chance) * failed
    ours = be.errored_sensitivity(suite, odds_ratios=[ratio], imputations=2000, rng=3)
    answer = ours[ratio].pass_hat_k(2)
    assert abs(answer.mean - expected) < 4 * answer.mcse_mean
    assert answer.mcse_mean < 0.1 * (passed - failed)


def test_answers_rise_with_the_odds_ratio(found: ErroredSensitivity) -> None:
    for ask in ("pass_rate", "pass_hat_k", "pass_at_k"):
        means = [
            getattr(row, ask)(*(() if ask == "pass_rate" else (2,))).mean for row in found.rows
        ]
        errors = max(row.pass_rate().mcse_mean for row in found.rows)
        # The ends are exact, those between are drawn with common random numbers.
        assert np.all(np.diff(means[1:-1]) > 0)
        assert means[0] < means[1] + 4 * errors
        assert means[-2] < means[-1] + 4 * errors


@settings(max_examples=10)
@given(
    counts=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=8
    ),
    ratio=st.floats(0.01, 100),
)
def test_laws(counts: list[tuple[int, int, int]], ratio: float) -> None:
    passes, failures, errored = (list(each) for each in zip(*counts, strict=True))
    trials = [s + f for s, f in zip(passes, failures, strict=True)]
    if sum(trials) == 0:
        return
    suite = be.Rollouts.from_counts(passes, trials, errored=errored)
    order = slice(None, None, -1)
    turned = be.Rollouts.from_counts(passes[order], trials[order], errored=errored[order])
    options: dict[str, Any] = {"odds_ratios": (0, ratio, math.inf), "imputations": 4, "rng": 1}
    found = be.errored_sensitivity(suite, **options)
    draws = found[ratio].pass_rate()
    assert 0 <= draws.mean <= 1
    assert found[0].pass_rate().mean <= found[math.inf].pass_rate().mean + 1e-12
    # The order of tasks is irrelevant where nothing is drawn.
    other = be.errored_sensitivity(turned, **options)
    assert other[0].pass_rate().mean == pytest.approx(found[0].pass_rate().mean, rel=1e-9)
    if sum(errored) == 0:
        assert draws.mean == found[0].pass_rate().mean


def test_where_nothing_errored_every_ratio_is_the_exact_fit() -> None:
    suite = be.Rollouts.from_counts([4] * 5 + [1], 4)
    found = be.errored_sensitivity(suite, rng=1)
    assert found.errored == 0
    assert found.summary == "No rollout errored: every odds ratio gives the same answer."
    means = {row.pass_rate().mean for row in found.rows}
    assert means == {be.fit(suite, engine="exact").pass_rate().mean}


def test_the_same_seed_gives_the_same_numbers(found: ErroredSensitivity) -> None:
    again = be.errored_sensitivity(SUITE, rng=1)
    assert np.array_equal(again[2].pass_rate().draws, found[2].pass_rate().draws)  # type: ignore[attr-defined]
    alone = be.errored_sensitivity(SUITE, odds_ratios=[2], rng=1)
    assert alone[2].pass_rate().mean == found[2].pass_rate().mean


def test_a_verdict_that_depends_on_the_ratio(found: ErroredSensitivity) -> None:
    low = found[0].pass_rate().prob_above(0.5)
    high = found[math.inf].pass_rate().prob_above(0.5)
    between = (low + high) / 2
    assert 0.5 < between < 1
    assert found.moves(0.5, confidence=between)
    assert not found.moves(0.01)


def test_the_frame(found: ErroredSensitivity) -> None:
    frame = found.to_pandas(k=(2,), above=0.6, ci_prob=0.9)
    assert len(frame) == 7 * 3
    row = frame[(frame.odds_ratio == 0) & (frame.quantity == "pass_hat_k")].iloc[0]
    expected = found[0].pass_hat_k(2)
    assert (row["mean"], row.lower, row.upper) == (expected.mean, *expected.eti(0.9))
    assert row.prob_above == expected.prob_above(0.6)
    assert set(frame.engine) == {"exact", "imputed"}
    assert found.to_pandas()["prob_above"].isna().all()


def test_beyond_the_rollouts_the_answer_is_marked(found: ErroredSensitivity) -> None:
    assert not found[1].pass_hat_k(3).extrapolated
    assert found[1].pass_hat_k(4).extrapolated
    assert found[0].pass_hat_k(4).extrapolated


@pytest.mark.parametrize(
    "suite",
    [
        be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4),
        be.Rollouts.from_counts([4] * 20, 4),
        be.Rollouts.from_counts([1], 1),
        be.Rollouts.from_counts(np.random.default_rng(1).binomial(8, 0.6, 300), 8),
    ],
    ids=["U-shaped", "all pass", "one task", "all alike"],
)
def test_quick_draws_follow_the_posterior(suite: be.Rollouts) -> None:
    exact = integrate(suite, be.HierarchicalPrior())
    rng = np.random.default_rng(7)
    mean, icc = hyper_draws(exact, rng.uniform(size=(2, 4000)))
    fit = be.fit(suite, engine="exact")
    for draws, posterior in ((mean, fit.pass_rate()), (icc, fit.icc())):
        below = np.sort(posterior.cdf(draws))
        # Kolmogorov and Smirnov: 1.95 is exceeded once in a thousand times.
        distance = np.abs(below - (np.arange(below.size) + 0.5) / below.size).max()
        assert distance * math.sqrt(below.size) < 1.95


@pytest.mark.slow
def test_the_true_odds_ratio_gives_the_true_rate_back() -> None:
    # A failure is lost with probability .4 and a pass with .1: whatever the task's rate, the
    # odds of a pass among lost rollouts are (.1 / .4) / (.9 / .6) = 1/6 of those among scored.
    rng, ratio, truth, suites = np.random.default_rng(20260101), 1 / 6, 3 / 4.5, 40
    covers = dict.fromkeys((ratio, 1), 0)
    for _ in range(suites):
        passed = rng.random((60, 4)) < rng.beta(3, 1.5, 60)[:, None]
        lost = rng.random((60, 4)) < np.where(passed, 0.1, 0.4)
        suite = be.Rollouts.from_counts(
            (passed & ~lost).sum(1), (~lost).sum(1), errored=lost.sum(1)
        )
        found = be.errored_sensitivity(suite, odds_ratios=tuple(covers), imputations=20, rng=1)
        for each in covers:
            covers[each] += truth in found[each].pass_rate().eti()
    # 95 % intervals hold it in fewer than 33 of 40 once in a thousand times.
    assert covers[ratio] >= 33
    # Leaving them out is too kind.
    assert covers[1] < 30


def test_text(found: ErroredSensitivity) -> None:
    lines = str(found).splitlines()
    assert lines[0] == found.summary
    assert lines[-1].startswith("odds ratio inf: ")
    assert repr(found[0]).startswith("ErroredRow(odds ratio 0: pass rate on new tasks")
    with pytest.raises(KeyError, match="no odds ratio 3"):
        found[3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"odds_ratios": [-1]}, "an odds ratio must be 0 or more"),
        ({"odds_ratios": [math.nan]}, "an odds ratio must be 0 or more"),
        ({"odds_ratios": []}, "at least one number"),
        ({"odds_ratios": [1, 1.0]}, "each number once"),
        ({"odds_ratios": ["many"]}, "must hold numbers"),
        ({"odds_ratios": 2}, "must hold numbers"),
        ({"imputations": 1}, "imputations must be at least 2"),
        ({"prior": "uniform"}, "prior must be a HierarchicalPrior"),
    ],
)
def test_wrong_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.errored_sensitivity(SUITE, **options)


def test_nothing_scored_is_refused() -> None:
    with pytest.raises(be.InputError, match="no task has a scored rollout"):
        be.errored_sensitivity(be.Rollouts.from_counts([0], [0], errored=[4]))


def test_a_fit_says_what_its_errored_rollouts_hide() -> None:
    fit = be.fit(SUITE, engine="exact")
    (note,) = [note for note in fit.notes if "errored" in note]
    failed, passed = (
        be.fit(SUITE.with_lost(as_), engine="exact").pass_rate().mean for as_ in ("fail", "pass")
    )
    assert note == (
        "16 errored rollouts on 10 tasks are left out: with all of them failed the pass rate on "
        f"new tasks would be {100 * failed:.1f} %, with all passed {100 * passed:.1f} %."
    )
    assert be.fit(SUITE.with_lost("fail"), engine="exact").notes == ()
