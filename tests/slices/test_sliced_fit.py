"""Fits by slice, apart and as one: weights, populations, bounds, the worst, the next tasks."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example as tried
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.posterior import DiscretePosterior, DrawsPosterior, MeanPosterior

WEIGHTS = {"joins": 0.2, "lookups": 0.8}


def worked() -> be.Rollouts:
    """The worked example: joins 120 of 200, lookups 95 of 100, one rollout each."""
    return be.Rollouts.from_counts(
        [1] * 120 + [0] * 80 + [1] * 95 + [0] * 5,
        1,
        factors={"slice": ["joins"] * 200 + ["lookups"] * 100},
    )


def sliced(rollouts: be.Rollouts, by: Any = "slice", pooling: Any = "none") -> be.SlicedFit:
    with warnings.catch_warnings():
        # Small suites are far from any Beta now and then; the check is tested elsewhere.
        warnings.simplefilter("ignore", be.CheckWarning)
        return be.fit(rollouts, by=by, pooling=pooling)


@pytest.fixture(scope="module")
def example() -> be.SlicedFit:
    return sliced(worked())


@pytest.fixture(scope="module")
def three() -> be.Rollouts:
    rng = np.random.default_rng(3)
    means, sizes = (0.5, 0.8, 0.95), (12, 20, 30)
    passes = [
        rng.binomial(4, rng.beta(3 * m, 3 * (1 - m), n)) for m, n in zip(means, sizes, strict=True)
    ]
    return be.Rollouts.from_counts(
        np.concatenate(passes), 4, factors={"slice": np.repeat(["a", "b", "c"], sizes).tolist()}
    )


@pytest.fixture(scope="module")
def apart(three: be.Rollouts) -> be.SlicedFit:
    return sliced(three)


@pytest.fixture(scope="module")
def as_one(three: be.Rollouts) -> be.SlicedFit:
    return sliced(three, pooling="complete")


# -- the worked example ------------------------------------------------------------------------


def test_post_stratified_rate_against_closed_forms(example: be.SlicedFit) -> None:
    # One rollout per task: the mean of each slice is a Beta, known in closed form.
    joins, lookups = stats.beta(121, 81), stats.beta(96, 6)
    rate = example.pass_rate(weights=WEIGHTS)
    assert isinstance(rate, MeanPosterior)
    assert rate.mean == pytest.approx(0.2 * joins.mean() + 0.8 * lookups.mean(), abs=1e-9)
    sd = np.hypot(0.2 * joins.std(), 0.8 * lookups.std())
    assert rate.sd == pytest.approx(float(sd), rel=1e-6)
    rng = np.random.default_rng(1)
    draws = 0.2 * joins.rvs(200_000, rng) + 0.8 * lookups.rvs(200_000, random_state=rng)
    # 0.0045 is four standard errors of a share of 200,000.
    for level in (0.025, 0.5, 0.975):
        assert np.mean(draws < rate.quantile(level)) == pytest.approx(level, abs=0.0045)


def test_it_differs_from_the_mix_of_the_suite(example: be.SlicedFit) -> None:
    assert example.pass_rate().mean == pytest.approx(0.714, abs=1e-3)
    assert example.pass_rate(weights=WEIGHTS).mean == pytest.approx(0.873, abs=1e-3)


def test_what_it_says(example: be.SlicedFit) -> None:
    rate = example.pass_rate(weights=WEIGHTS)
    assert repr(rate) == (
        "pass rate, weighted by slice, on new tasks: 87.3 % (95 % CrI 82.9-90.6 %, n = 300 tasks)"
    )
    assert rate.engine == "exact"
    assert repr(example).startswith(
        "SlicedFit(2 slices by slice, pooling none: pass rate, weighted"
    )
    assert "<table>" in example._repr_html_()
    assert "too small" not in example._repr_html_()
    assert example["lookups"].pass_rate().mean == pytest.approx(96 / 102, abs=1e-9)


# -- laws --------------------------------------------------------------------------------------


@pytest.mark.parametrize("population", ["new_tasks", "suite", "next_run"])
def test_weights_of_the_suite_change_nothing(apart: be.SlicedFit, population: Any) -> None:
    own = apart.pass_rate(population=population)
    for weights in (apart.shares, {"a": 12 / 62, "b": 20 / 62, "c": 30 / 62}):
        given_ = apart.pass_rate(weights=weights, population=population)
        assert given_.mean == pytest.approx(own.mean, abs=1e-12)
        assert given_.quantile([0.025, 0.975]) == pytest.approx(
            own.quantile([0.025, 0.975]), abs=1e-9
        )


@pytest.mark.parametrize(
    "ask", [lambda f, w: f.pass_hat_k(3, weights=w), lambda f, w: f.pass_at_k(3, weights=w)]
)
def test_all_weight_on_one_slice_is_that_slice(apart: be.SlicedFit, ask: Any) -> None:
    found = ask(apart, {"a": 0, "b": 1, "c": 0})
    hat = "pass^3" in found.about.quantity
    alone = apart["b"].pass_hat_k(3) if hat else apart["b"].pass_at_k(3)
    assert found.mean == alone.mean
    assert found.prob_above(0.7) == alone.prob_above(0.7)
    assert found.about.n_tasks == 20


def test_order_of_slices_and_of_tasks_is_irrelevant(
    three: be.Rollouts, apart: be.SlicedFit
) -> None:
    order = np.random.default_rng(5).permutation(three.n_tasks)
    names = {"a": "z", "b": "m", "c": "b"}
    labels = [names[label] for label in three.factors["slice"][order].tolist()]
    again = sliced(be.Rollouts.from_counts(three.passes[order], 4, factors={"slice": labels}))
    first = apart.pass_hat_k(2, weights={"a": 0.5, "b": 0.3, "c": 0.2})
    second = again.pass_hat_k(2, weights={"z": 0.5, "m": 0.3, "b": 0.2})
    assert second.mean == pytest.approx(first.mean, abs=1e-12)
    assert second.prob_below(0.3) == pytest.approx(first.prob_below(0.3), rel=1e-5)
    worst = (apart.worst_slice(), again.worst_slice())
    assert worst[0].prob_worst["a"] == pytest.approx(worst[1].prob_worst["z"], abs=1e-9)


def test_slices_answer_as_if_fitted_alone(three: be.Rollouts, apart: be.SlicedFit) -> None:
    alone = be.fit(three.where("slice", "c"), engine="exact")
    for population in ("new_tasks", "suite", "next_run"):
        whole, part = (f.pass_rate(population=population) for f in (alone, apart["c"]))
        assert part.mean == pytest.approx(whole.mean, abs=1e-12)


@given(st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3).filter(lambda w: sum(w) > 0.01))
@settings(max_examples=15)
@tried([0.0, 1.0, 5e-324])
def test_mean_is_linear_in_the_weights(apart: be.SlicedFit, raw: list[float]) -> None:
    weights = {label: w / sum(raw) for label, w in zip("abc", raw, strict=True)}
    mean = apart.pass_at_k(2, weights=weights).mean
    assert mean == pytest.approx(
        sum(w * apart[label].pass_at_k(2).mean for label, w in weights.items()), abs=1e-9
    )


# -- populations -------------------------------------------------------------------------------


def test_the_three_populations(apart: be.SlicedFit) -> None:
    weights = {"a": 0.5, "b": 0.3, "c": 0.2}
    new, suite, run = (
        apart.pass_rate(weights=weights, population=each)
        for each in ("new_tasks", "suite", "next_run")
    )
    assert new.sd > run.sd > suite.sd
    assert isinstance(run, DiscretePosterior)
    assert [each.about.population for each in (new, suite, run)] == [
        "new_tasks",
        "suite",
        "next_run",
    ]


def test_a_run_that_cannot_show_it() -> None:
    fitted = sliced(
        be.Rollouts.from_counts([4, 3, 2, 1], [4, 4, 2, 2], factors={"slice": list("aabb")})
    )
    with pytest.raises(
        be.InputError,
        match=r"cannot show pass\^3: some tasks of slice 'b' have 2 rollouts",
    ):
        fitted.pass_hat_k(3, population="next_run")
    # A slice that is left out does not matter.
    only = fitted.pass_hat_k(3, weights={"a": 1, "b": 0}, population="next_run")
    assert only.about.n_tasks == 2
    assert fitted.pass_hat_k(3).extrapolated


def test_complete_pooling_is_one_model(three: be.Rollouts, as_one: be.SlicedFit) -> None:
    whole = be.fit(three, engine="exact")
    weights = {"a": 0.6, "b": 0.3, "c": 0.1}
    assert as_one.pass_rate(weights=weights).mean == whole.pass_rate().mean
    assert as_one.pass_rate(weights=weights).sd == whole.pass_rate().sd
    own = as_one.pass_rate(population="suite")
    truth = whole.pass_rate(population="suite")
    assert isinstance(own, DrawsPosterior)
    assert own.mean == pytest.approx(truth.mean, abs=4 * own.mcse_mean)
    run = as_one.pass_rate(population="next_run")
    assert run.mean == pytest.approx(truth.mean, abs=4 * run.mcse_mean)
    # Its own tasks still tell of each slice.
    assert as_one["a"].pass_rate(population="suite").mean < truth.mean
    assert as_one.pass_rate(weights={"a": 1, "b": 0, "c": 0}, population="suite").mean < own.mean


# -- uncertain weights -------------------------------------------------------------------------


def test_counted_weights_add_their_uncertainty(example: be.SlicedFit) -> None:
    few = example.pass_rate(weights=be.Weights.from_counts({"joins": 2, "lookups": 8}))
    many = example.pass_rate(
        weights=be.Weights.from_counts({"joins": 2 * 10**9, "lookups": 8 * 10**9})
    )
    fixed = example.pass_rate(weights=WEIGHTS)
    assert many.mean == pytest.approx(fixed.mean, abs=4 * many.mcse_mean)
    assert many.sd == pytest.approx(fixed.sd, rel=0.02)
    # Law of total variance: w ~ Beta(3, 9), theta independent of it.
    joins, lookups, w = stats.beta(121, 81), stats.beta(96, 6), stats.beta(3, 9)
    square = w.var() + w.mean() ** 2
    other = w.var() + (1 - w.mean()) ** 2
    gap = joins.mean() - lookups.mean()
    variance = w.var() * gap**2 + square * joins.var() + other * lookups.var()
    assert few.sd == pytest.approx(variance**0.5, rel=0.02)
    assert few.mean == pytest.approx(w.mean() * gap + lookups.mean(), abs=4 * few.mcse_mean)
    assert few.sd > 2 * fixed.sd


def test_the_same_seed_the_same_draws(example: be.SlicedFit) -> None:
    weights = be.Weights.from_counts({"joins": 2, "lookups": 8})
    assert example.pass_rate(weights=weights).mean == example.pass_rate(weights=weights).mean


# -- missing support ---------------------------------------------------------------------------


def test_missing_support_is_a_refusal(example: be.SlicedFit) -> None:
    with pytest.raises(be.InputError, match=r"slice 'dates' has weight 0\.1 but no task"):
        example.pass_rate(weights={"joins": 0.2, "lookups": 0.7, "dates": 0.1})


def test_bounds_of_known_weights(example: be.SlicedFit) -> None:
    low, high = example.bounds(weights={"joins": 0.18, "lookups": 0.72, "dates": 0.1})
    inside = example.pass_rate(weights=WEIGHTS)
    assert low.mean == pytest.approx(0.9 * inside.mean, abs=1e-12)
    assert high.mean == pytest.approx(0.9 * inside.mean + 0.1, abs=1e-12)
    assert low.prob_above(0.9) == 0.0
    assert high.prob_below(0.1) == 0.0
    assert high.prob_above(0.88) == pytest.approx(inside.prob_above(0.78 / 0.9), rel=1e-9)
    assert low.about.note == "As if slices without tasks (10 % of the weight) always failed."
    assert high.about.note.endswith("always passed.")


def test_bounds_of_counted_weights_take_the_missing_share_as_uncertain(
    example: be.SlicedFit,
) -> None:
    weights = be.Weights.from_counts({"joins": 19, "lookups": 79, "dates": 9})
    low, high = example.bounds(weights=weights)
    assert isinstance(low, DrawsPosterior)
    assert isinstance(high, DrawsPosterior)
    # The ends differ by the share of dates, draw by draw: a part of the Dirichlet.
    missing = high.draws - low.draws
    law = stats.beta(10, 100)
    assert missing.min() > 0
    assert missing.mean() == pytest.approx(law.mean(), abs=4 * law.std() / np.sqrt(100_000))
    assert missing.std() == pytest.approx(law.std(), rel=0.02)


def test_bounds_where_all_is_supported(example: be.SlicedFit) -> None:
    low, high = example.bounds(weights=WEIGHTS, kind="pass_hat_k", k=2)
    assert low is high
    assert low.mean == pytest.approx(example.pass_hat_k(2, weights=WEIGHTS).mean)


def test_bounds_of_one_model(as_one: be.SlicedFit) -> None:
    low, high = as_one.bounds(weights={"a": 0.2, "b": 0.2, "c": 0.2, "d": 0.4})
    assert low.mean == pytest.approx(0.6 * as_one.pass_rate().mean)
    assert high.mean == pytest.approx(low.mean + 0.4)
    counted = be.Weights.from_counts({"a": 10, "b": 10, "c": 10, "d": 20})
    low, high = as_one.bounds(weights=counted)
    share = 33 / 54
    assert low.mean == pytest.approx(share * as_one.pass_rate().mean, abs=4 * low.mcse_mean)


def test_bounds_of_a_prediction_stay_discrete(apart: be.SlicedFit) -> None:
    weights = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}
    low, high = apart.bounds(weights=weights, population="next_run")
    assert isinstance(low, DiscretePosterior)
    assert high.mean == pytest.approx(low.mean + 0.1, abs=1e-12)


def test_every_slice_needs_a_weight(example: be.SlicedFit) -> None:
    with pytest.raises(be.InputError, match="slice 'lookups' has no weight"):
        example.pass_rate(weights={"joins": 1.0})


# -- the worst slice ---------------------------------------------------------------------------


def test_worst_slice(apart: be.SlicedFit) -> None:
    worst = apart.worst_slice()
    assert next(iter(worst.prob_worst)) == "a"
    assert sum(worst.prob_worst.values()) == pytest.approx(1.0)
    assert list(worst.prob_worst.values()) == sorted(worst.prob_worst.values(), reverse=True)
    assert worst.posterior.mean < apart["a"].pass_rate().mean
    assert "the worst is 'a' with probability" in repr(worst)
    draws = np.stack(
        [apart[label].pass_rate().sample(20_000, 1 + at) for at, label in enumerate("abc")]
    )
    least = draws.min(axis=0)
    assert worst.posterior.mean == pytest.approx(least.mean(), abs=4 * least.std() / 141)


def test_worst_slice_of_other_quantities(apart: be.SlicedFit) -> None:
    rate, hat = apart.worst_slice(), apart.worst_slice(kind="pass_hat_k", k=3)
    assert hat.posterior.mean < rate.posterior.mean
    assert hat.posterior.about.quantity == "pass^3 of the worst slice"
    assert apart.worst_slice(population="suite").posterior.sd < rate.posterior.sd
    with pytest.raises(be.InputError, match="population must be one of 'new_tasks', 'suite'"):
        apart.worst_slice(population="next_run")  # type: ignore[arg-type]


def test_slices_of_one_model_are_all_as_bad(as_one: be.SlicedFit) -> None:
    worst = as_one.worst_slice()
    assert worst.posterior.mean == as_one.pass_rate().mean
    assert list(worst.prob_worst.values()) == pytest.approx([1 / 3] * 3)
    assert next(iter(as_one.worst_slice(population="suite").prob_worst)) == "a"


# -- the next tasks ----------------------------------------------------------------------------


def loss(fitted: be.SlicedFit, weights: dict[str, float], more: dict[str, int]) -> float:
    total = 0.0
    for label, w in weights.items():
        rate = fitted[label].pass_rate()
        # One rollout per task: a task's variance is E[p (1 - p)] of the mean rate.
        spread = rate.mean - (rate.sd**2 + rate.mean**2)
        total += w**2 * spread / (fitted[label].cells.n_tasks + more[label])
    return total


def test_next_tasks_are_the_best_of_all(example: be.SlicedFit) -> None:
    for weights in (WEIGHTS, {"joins": 0.6, "lookups": 0.4}, {"joins": 1.0, "lookups": 0.0}):
        found = example.next_tasks(40, weights=weights)
        assert sum(found.values()) == 40
        every = [loss(example, weights, {"joins": at, "lookups": 40 - at}) for at in range(41)]
        assert loss(example, weights, found) == pytest.approx(min(every), rel=1e-12)
    assert example.next_tasks(100, weights=WEIGHTS) == {"joins": 0, "lookups": 100}


def test_more_rollouts_help_where_tasks_are_alike(apart: be.SlicedFit) -> None:
    assert sum(apart.next_tasks(7, rollouts=1).values()) == 7
    assert sum(apart.next_tasks(10**9).values()) == 10**9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"m": 0}, "m must be at least 1; got 0"),
        ({"m": 2.5}, "m must be a whole number"),
        ({"m": 5, "rollouts": 0}, "rollouts must be at least 1"),
        ({"m": 5, "weights": {"joins": 0.5, "lookups": 0.2, "x": 0.3}}, "slice 'x' has weight"),
    ],
)
def test_wrong_next_tasks(example: be.SlicedFit, arguments: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        example.next_tasks(**arguments)


# -- the table, notes and checks ---------------------------------------------------------------


def test_table(example: be.SlicedFit) -> None:
    table = example.table()
    assert table.label == ("joins", "lookups")
    assert table.n_tasks.tolist() == [200, 100]
    assert table.raw_rate == pytest.approx([0.6, 0.95])
    wilson = be.interval(120, 200)
    assert isinstance(wilson, be.Interval)
    assert table.wilson[0] == pytest.approx([wilson.lower, wilson.upper])
    assert table.mean == pytest.approx([121 / 202, 96 / 102], abs=1e-9)
    assert not table.small.any()
    assert repr(table) == "SliceTable(2 slices, 300 tasks, pass rates 59.9 % to 94.1 %)"
    frame = table.to_pandas()
    assert frame.index.tolist() == ["joins", "lookups"]
    assert frame.loc["joins", "wilson_lower"] == pytest.approx(wilson.lower)
    narrow = example.table(ci_prob=0.5)
    assert np.all(np.diff(narrow.interval) < np.diff(table.interval))


def test_small_slices_are_marked() -> None:
    fitted = sliced(
        be.Rollouts.from_counts(
            [4] * 40 + [3] + [2] * 12, 4, factors={"s": ["big"] * 40 + ["one"] + ["<b>"] * 12}
        ),
        "s",
    )
    table = fitted.table()
    assert dict(zip(table.label, table.small.tolist(), strict=True)) == {
        "<b>": False,
        "big": False,
        "one": True,
    }
    assert "1 too small to carry a claim" in repr(table)
    assert "&lt;b&gt;" in table._repr_html_()
    assert "Too small to carry a claim of their own: one." in fitted.notes
    # A single task still has a posterior, and the whole one that counts it.
    assert 0.3 < fitted["one"].pass_rate().mean < 0.8
    assert fitted.pass_rate().about.n_tasks == 53


def test_all_pass_is_not_certain() -> None:
    fitted = sliced(
        be.Rollouts.from_counts([4] * 30, 4, factors={"s": ["a"] * 10 + ["b"] * 20}), "s"
    )
    rate = fitted.pass_rate()
    assert rate.mean < 0.99
    assert rate.eti().lower < 0.95
    assert fitted.next_tasks(10, weights={"a": 0.5, "b": 0.5})["a"] == 10


def test_lost_rollouts_are_told_with_the_slices() -> None:
    rollouts = be.Rollouts.from_counts(
        [3] * 20 + [2] * 20,
        [4] * 20 + [3] * 20,
        errored=[0] * 20 + [1] * 20,
        factors={"s": ["a"] * 20 + ["b"] * 20},
    )
    fitted = sliced(rollouts, "s")
    assert "20 errored rollouts on 20 tasks are left out" in fitted.lost_note
    assert fitted.lost_note in fitted.notes
    failed, passed = (
        sliced(rollouts.with_lost(as_), "s").pass_rate().mean for as_ in ("fail", "pass")
    )
    assert f"{100 * failed:.1f} %, with all passed {100 * passed:.1f} %" in fitted.lost_note
    one = sliced(rollouts, "s", "complete")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        whole = be.fit(rollouts, engine="exact")
    assert one.lost_note == whole.lost_note


def test_tasks_without_a_score_are_told() -> None:
    rollouts = be.Rollouts.from_counts(
        [1] * 10 + [0] * 10 + [0],
        [2] * 20 + [0],
        errored=[0] * 20 + [2],
        factors={"s": ["a"] * 11 + ["b"] * 10},
    )
    assert "1 task has no scored rollout and carries no information." in sliced(rollouts, "s").notes


def test_a_slice_that_is_no_beta_is_named() -> None:
    # Half the tasks of one slice pass half the time exactly, the others never: no Beta.
    odd = [4] * 60 + [0] * 60
    rng = np.random.default_rng(8)
    fine = rng.binomial(8, rng.beta(3, 2, size=120))
    rollouts = be.Rollouts.from_counts(
        np.concatenate([odd, fine]), 8, factors={"s": ["odd"] * 120 + ["fine"] * 120}
    )
    with pytest.warns(be.CheckWarning, match="predictive of odd"):
        fitted = be.fit(rollouts, by="s", pooling="none")
    assert [check.name for check in fitted.checks.failed] == ["predictive of odd"]
    assert any("predictive of odd" in note for note in fitted.notes)
    assert fitted["fine"].checks.passed


def test_100_slices_of_the_model_raise_no_alarm() -> None:
    rng = np.random.default_rng(11)
    passes = rng.binomial(4, rng.beta(1.2, 0.8, size=3_000))
    rollouts = be.Rollouts.from_counts(
        passes, 4, factors={"s": np.repeat(np.arange(100), 30).tolist()}
    )
    fitted = be.fit(rollouts, by="s", pooling="none")
    assert fitted.checks.passed
    assert fitted.checks.rows[-1].limit == pytest.approx(1e-4)


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"by": "slice", "pooling": "some"},
            "pooling must be one of 'none', 'partial', 'complete'",
        ),
        ({"by": "slic", "pooling": "none"}, r"no factor 'slic' \(did you mean 'slice'\?\)"),
        ({"pooling": "none"}, "pooling='none' goes with by"),
        (
            {"by": "slice", "engine": "exact"},
            'partial pooling is sampled; engine="exact" with by needs',
        ),
        ({"by": "slice", "engine": "fast"}, "engine must be one of"),
        ({"by": "slice", "pooling": "none", "chains": 0}, "chains must be at least 1"),
    ],
)
def test_wrong_fits(arguments: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.fit(worked(), **arguments)


def test_wrong_questions(example: be.SlicedFit) -> None:
    for ask, message in (
        (lambda: example["join"], r"there is no slice 'join' \(did you mean 'joins'\?\)"),
        (lambda: example.pass_hat_k(0), "k must be at least 1"),
        (lambda: example.pass_rate(population="old"), "population must be one of"),
        (lambda: example.bounds(weights=WEIGHTS, kind="rate"), "kind must be one of"),
        (lambda: example.bounds(weights=WEIGHTS, k=2), "k goes with pass_hat_k and pass_at_k"),
        (lambda: example.table(ci_prob=95), "ci_prob must be strictly between 0 and 1"),
        (lambda: example.dt, "pooling='none' has no sampled model; each slice has its own tree"),
        (lambda: example.pass_rate(weights=[0.2, 0.8]), "weights must be a mapping"),
    ):
        with pytest.raises(be.InputError, match=message):
            ask()


def test_one_slice_is_not_pooled() -> None:
    fitted = be.fit(be.Rollouts.from_counts([3, 2, 4, 1], 4, factors={"s": ["a"] * 4}), by="s")
    assert fitted.pooling == "none"
    assert fitted.pass_rate().mean == pytest.approx(fitted["a"].pass_rate().mean)


def test_levels_may_be_asked_for_as_they_are() -> None:
    rollouts = be.Rollouts.from_counts(
        [3, 2, 4, 1], 4, factors={"hard": [True, True, False, False], "n": [1, 1, 1, 2]}
    )
    fitted = sliced(rollouts, ["hard", "n"])
    assert fitted[True, 1] is fitted["True, 1"]
    assert sliced(rollouts, "hard")[False].cells.n_tasks == 2


# -- coverage ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_intervals_of_post_stratified_rates_cover() -> None:
    """True rates are weighted means of the slices' Betas; suites over-sample the hard slice."""
    rng = np.random.default_rng(20)
    means, iccs, sizes = np.array([0.55, 0.85]), np.array([0.5, 0.3]), (40, 25)
    weights = {"hard": 0.2, "easy": 0.8}
    truth = float(np.array([0.2, 0.8]) @ means)
    kappas = (1 - iccs) / iccs
    covered, size = 0, 120
    for _ in range(size):
        passes = [
            rng.binomial(4, rng.beta(m * kappa, (1 - m) * kappa, n))
            for m, kappa, n in zip(means, kappas, sizes, strict=True)
        ]
        rollouts = be.Rollouts.from_counts(
            np.concatenate(passes), 4, factors={"s": ["hard"] * 40 + ["easy"] * 25}
        )
        lower, upper = sliced(rollouts, "s").pass_rate(weights=weights).eti()
        covered += lower <= truth <= upper
    # The model's own intervals cover .913-.981 over parameters; here, with the error of 120
    # runs, four standard errors around .95.
    assert covered / size == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / size))
