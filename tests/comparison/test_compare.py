"""Two systems: answers, swaps, a system against itself, mistakes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import bayeseval as be
from bayeseval.comparison._draws import SystemDraws
from bayeseval.comparison._join import join
from bayeseval.hierarchical._functionals import Functional

Pair = tuple[be.Rollouts, be.Rollouts]
R = be.Rollouts.from_counts

KINDS = [("pass_rate", None), ("pass_at_k", 4), ("pass_hat_k", 4)]


# -- one rollout each ---------------------------------------------------------------


def test_one_rollout_each_is_exact(one_each: Pair) -> None:
    found = be.compare(*one_each)
    assert found.engine == "exact"
    table = found.table
    assert repr(table) == "PairedTable(both=60, new_only=15, old_only=8, neither=17)"
    assert found.prob_better() == pytest.approx(7752795 / 8388608, abs=1e-9)
    assert found.prob_worse() == pytest.approx(1 - 7752795 / 8388608, abs=1e-9)
    assert found.prob_not_worse(0.05) == pytest.approx(0.9931222225450548, abs=1e-9)
    # Together the outcomes of a partition are certain.
    parts = (found.prob_better(0.05), found.prob_equal(0.05), found.prob_worse(0.05))
    assert sum(map(float, parts)) == pytest.approx(1.0, abs=1e-12)
    assert found.evidence() == "none"
    assert "No evidence of a difference between old and new" in found.sentence()
    assert found.evidence(0.8) == "better"


def test_rates_of_one_rollout_each_are_betas(one_each: Pair) -> None:
    found = be.compare(*one_each)
    rate = found.rate("new")
    assert isinstance(rate, be.Posterior)
    # Margins of Dirichlet(61, 16, 9, 18).
    exact = stats.beta(61 + 16, 9 + 18)
    assert rate.mean == pytest.approx(exact.mean())
    assert rate.quantile(0.9) == pytest.approx(exact.ppf(0.9), abs=1e-9)
    difference = found.difference()
    assert isinstance(difference, be.Posterior)
    old = found.rate("old")
    assert isinstance(old, be.Posterior)
    assert difference.mean == pytest.approx(rate.mean - old.mean)
    # Unpaired: both variances; paired: less twice the covariance.
    assert found.variance_ratio == pytest.approx((rate.sd**2 + old.sd**2) / difference.sd**2)
    assert found.variance_ratio > 1.5


def test_one_rollout_each_leaves_the_suite_unknown(one_each: Pair) -> None:
    found = be.compare(*one_each)
    assert isinstance(found.difference(population="suite"), be.Unknown)
    assert isinstance(found.prob_better(kind="pass_hat_k", k=2), be.Unknown)
    assert isinstance(found.expected_loss(population="suite"), be.Unknown)
    assert isinstance(found.rate("old", "pass_at_k", k=3), be.Unknown)
    # k = 1 is the pass rate.
    assert found.prob_better(kind="pass_hat_k", k=1) == found.prob_better()


def test_moved_tasks_put_regressions_first(one_each: Pair) -> None:
    moved = be.compare(*one_each).moved()
    assert (moved.n_regressed, moved.n_improved, len(moved)) == (8, 15, 23)
    assert np.all(moved.change[:8] == -1)
    assert np.all(moved.change[8:] == 1)
    assert sorted(moved.task[:8].tolist()) == list(range(75, 83))
    assert moved.mean is None


def test_prior_of_the_cells(one_each: Pair) -> None:
    strong = be.compare(*one_each, prior=(1000.0, 100.0, 100.0, 1000.0)).difference()
    assert isinstance(strong, be.Posterior)
    assert strong.mean == pytest.approx((115 - 108) / 2300)


# -- several rollouts ---------------------------------------------------------------


def test_a_better_system_is_found(fitted: be.Comparison) -> None:
    assert fitted.engine == "nuts"
    assert fitted.checks["divergences"].passed
    assert fitted.evidence() == "better"
    assert fitted.sentence().startswith("v2 is better than v1: +")
    for population in ("new_tasks", "suite"):
        for kind, k in KINDS:
            difference = fitted.difference(kind, k=k, population=population)  # type: ignore[arg-type]
            old, new = (
                fitted.rate(name, kind, k=k, population=population)  # type: ignore[arg-type]
                for name in ("v1", "v2")
            )
            assert isinstance(difference, be.Posterior)
            assert isinstance(old, be.Posterior)
            assert isinstance(new, be.Posterior)
            assert difference.support == (-1.0, 1.0)
            assert difference.mean == pytest.approx(new.mean - old.mean, abs=1e-12)
            assert difference.prob_above(0.0) > 0.95
    loss = fitted.expected_loss()
    assert not isinstance(loss, be.Unknown)
    assert loss.choose_new < 0.001 < loss.choose_old


def test_suite_is_known_better_than_new_tasks(fitted: be.Comparison) -> None:
    suite, new = fitted.difference(population="suite"), fitted.difference()
    assert isinstance(suite, be.Posterior)
    assert isinstance(new, be.Posterior)
    assert suite.sd < new.sd
    boot = fitted.bootstrap()
    assert not isinstance(boot.interval, be.Unknown)
    assert boot.interval.lower < suite.mean < boot.interval.upper


def test_attempts_beyond_the_data_are_marked(fitted: be.Comparison) -> None:
    for k, beyond in ((4, False), (5, True)):
        found = fitted.difference("pass_hat_k", k=k)
        assert isinstance(found, be.Posterior)
        assert found.extrapolated is beyond
    assert isinstance(fitted.bootstrap("pass_hat_k", k=5).interval, be.Unknown)


def test_order_of_attempts(fitted: be.Comparison) -> None:
    def mean(kind: Any, k: int) -> float:
        found = fitted.rate("v1", kind, k=k)
        assert isinstance(found, be.Posterior)
        return found.mean

    assert mean("pass_hat_k", 3) < mean("pass_hat_k", 2) < mean("pass_hat_k", 1)
    assert mean("pass_at_k", 1) < mean("pass_at_k", 2) < mean("pass_at_k", 3)
    assert mean("pass_at_k", 1) == pytest.approx(mean("pass_hat_k", 1), abs=1e-12)


def test_moved_tasks_have_their_probabilities(fitted: be.Comparison) -> None:
    moved = fitted.moved()
    assert moved.mean is not None
    assert moved.prob_worse is not None
    fell = moved.change < 0
    assert np.array_equal(fell, np.arange(len(moved)) < moved.n_regressed)
    assert np.all(np.diff(moved.mean[fell]) >= 0)
    # The model draws tasks towards each other: no task changed by as much as it seems.
    worst = np.argmin(moved.change)
    assert moved.mean[worst] > moved.change[worst]


@pytest.mark.slow
def test_swapping_the_systems_flips_every_sign(
    fitted: be.Comparison, pair: dict[str, be.Rollouts]
) -> None:
    order = np.random.default_rng(5).permutation(60)
    shuffled = R(
        pair["v1"].passes[order], pair["v1"].trials[order], task=pair["v1"].task[order].tolist()
    )
    other = be.compare(
        pair["v2"], shuffled, names=("v2", "v1"), rng=3, draws=400, tune=500, progress=False
    )
    for population in ("new_tasks", "suite"):
        for kind, k in KINDS:
            one = fitted.difference(kind, k=k, population=population)  # type: ignore[arg-type]
            two = other.difference(kind, k=k, population=population)  # type: ignore[arg-type]
            assert isinstance(one, be.Posterior)
            assert isinstance(two, be.Posterior)
            assert two.mean == -one.mean
            assert two.sd == one.sd
            assert two.prob_below(0.0) == one.prob_above(0.0)
    assert other.prob_worse(0.05) == fitted.prob_better(0.05)
    a, b = fitted.bootstrap().interval, other.bootstrap().interval
    assert not isinstance(a, be.Unknown)
    assert not isinstance(b, be.Unknown)
    assert tuple(b) == (-a.upper, -a.lower)
    assert other.evidence() == "worse"


def test_a_new_task_is_integrated_over_its_effect() -> None:
    # One draw, so that the answer is an integral which another rule can give.
    old = R([4, 2, 0], 4)
    one = np.full((1, 1), 1.0)
    shift = np.array([[[-0.5]], [[0.5]]])
    draws = SystemDraws(
        join({"a": old, "b": old}, "drop"), 0.3 * one, 2.0 * one, 0.25 * one, shift, None, 1
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    for kind, k in (("pass_hat_k", 3), ("pass_at_k", 3)):
        found = draws.new_tasks(Functional(kind, k))  # type: ignore[arg-type]
        for at, gap in enumerate((-0.5, 0.5)):
            rate = special.expit(0.3 + 2.0 * nodes + gap)
            kappa = 3.0
            a, b = rate * kappa, (1.0 - rate) * kappa
            if kind == "pass_at_k":
                a, b = b, a
            power = np.prod([(a + j) / (a + b + j) for j in range(k)], axis=0)
            expected = weights @ power / weights.sum()
            expected = 1.0 - expected if kind == "pass_at_k" else expected
            assert found[at].item() == pytest.approx(expected, abs=1e-8)


def test_likelihood_integrates_task_effects() -> None:
    # Against scipy: the same three tasks at one point of the parameters.
    old, new = R([4, 2, 0], 4), R([3, 2, 1], [4, 2, 3])
    model = be.build_comparison_model({"a": old, "b": new})
    point = {"mean": 0.6, "task_sd": 1.5, "icc": 0.2}
    centre = special.logit(0.6) * np.sqrt(1 + np.pi * 1.5**2 / 8)
    log_likelihood = model.compile_fn(
        model["log_likelihood"], inputs=model.free_RVs, mode="FAST_COMPILE"
    )
    shifts = {name: sign * 0.56 for name, sign in zip("ab", (-1, 1), strict=True)}
    order = model.coords["system"]
    assert order is not None
    given = {**point, "shift": np.array([shifts[str(name)] for name in order])}
    found = float(log_likelihood({rv.name: given[rv.name] for rv in model.free_RVs}))
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    expected = 0.0
    for s_old, n_old, s_new, n_new in ((4, 4, 3, 4), (2, 4, 2, 2), (0, 4, 1, 3)):
        chance = np.ones(nodes.size)
        for name, s, n in (("a", s_old, n_old), ("b", s_new, n_new)):
            x = centre + 1.5 * nodes + shifts[name]
            law = stats.betabinom(n, special.expit(x) * 4.0, special.expit(-x) * 4.0)
            chance = chance * law.pmf(s) / special.comb(n, s)
        expected += np.log(weights @ chance / weights.sum())
    assert found == pytest.approx(expected, abs=1e-5)


# -- the same system twice ----------------------------------------------------------


@pytest.mark.slow
def test_a_system_against_itself(pair: dict[str, be.Rollouts]) -> None:
    found = be.compare(
        pair["v1"], pair["v1"], names=("a", "b"), rng=1, draws=400, tune=500, progress=False
    )
    assert found.evidence() == "none"
    difference = found.difference()
    assert isinstance(difference, be.Posterior)
    assert abs(difference.mean) < 4 * difference.mcse_mean
    assert len(found.moved()) == 0
    boot = found.bootstrap()
    assert boot.fallback
    assert not isinstance(boot.interval, be.Unknown)
    assert boot.interval.lower < 0 < boot.interval.upper


def test_itself_with_one_rollout_each(one_each: Pair) -> None:
    found = be.compare(one_each[0], one_each[0])
    assert found.prob_better() == pytest.approx(0.5, abs=1e-12)
    assert found.evidence() == "none"
    tests = found.tests()
    assert not isinstance(tests, be.Unknown)
    assert (tests.exact, tests.mid_p) == (1.0, 1.0)


REPEATS = {
    "SWE-bench": ("swe_bench/auto-code-rover-run-{}_report.json", (1, 2, 3)),
    "HumanEval": ("humaneval/gpt35_rerun{}_results.jsonl", (1, 2, 3)),
    "Terminal-Bench": ("terminal_bench/mini-swe-agent_run{}_results.json", (1, 2, 3, 4, 5)),
}


@pytest.mark.parametrize("name", REPEATS)
def test_repeated_runs_show_no_difference(shared: Path, name: str) -> None:
    pattern, runs = REPEATS[name]
    suites = [be.read(shared / "data/real" / pattern.format(run)) for run in runs]
    found = [
        be.compare(suites[i], suites[j], names=(f"run {i}", f"run {j}")).evidence()
        for i in range(len(suites))
        for j in range(i + 1, len(suites))
    ]
    assert found == ["none"] * len(found)


@pytest.mark.slow
def test_trials_of_one_tau2_run_show_no_difference(shared: Path) -> None:
    whole = be.read(shared / "data/real/csv/tau2_retail_wide_trial_matrix.csv")
    # The first two trials and the last two are one system: halves of every task's rollouts,
    # dealt out at random from the counts.
    rng = np.random.default_rng(1)
    half = rng.hypergeometric(whole.passes, whole.trials - whole.passes, whole.trials // 2)
    first = R(half, whole.trials // 2, task=whole.task.tolist())
    second = R(whole.passes - half, whole.trials - whole.trials // 2, task=whole.task.tolist())
    found = be.compare(first, second, names=("a", "b"), rng=1, draws=400, tune=500, progress=False)
    assert found.checks["divergences"].passed
    assert found.evidence() == "none"


# -- unmatched, errored, mistakes ---------------------------------------------------


def test_unmatched_tasks_are_counted_and_shown() -> None:
    old = R([1, 0, 1, 0], [1, 1, 1, 0], task=["a", "b", "c", "d"])
    new = R([1, 1, 0], 1, task=["a", "b", "x"])
    found = be.compare(old, new)
    # Task d has no scored rollout of either system, c and x of one only.
    assert (found.n_tasks, found.joined.n_matched, found.joined.n_unmatched) == (2, 2, 2)
    assert "2 tasks have scored rollouts of some systems only: left out" in found.notes[0]
    assert sorted(join({"o": old, "n": new}, "use").task.tolist()) == ["a", "b", "c", "x"]


def test_unmatched_tasks_are_used() -> None:
    old = R([2, 0, 2, 1, 2], 2, task=["a", "b", "c", "d", "e"])
    new = R([1, 1, 0], 2, task=["a", "b", "x"])
    used = join({"old": old, "new": new}, "use")
    assert (used.n_tasks, used.n_matched, used.n_unmatched) == (6, 2, 4)
    assert "used where they are scored" in used.notes[0]
    # Each task has its row, with nothing where a system did not run it.
    assert used.trials.tolist() == [[2, 2, 2, 2, 2, 0], [2, 2, 0, 0, 0, 2]]
    # The model takes the evidence of one side: more outcomes are less probable together.
    likelihoods = []
    for unmatched in ("drop", "use"):
        model = be.build_comparison_model({"a": old, "b": new}, unmatched=unmatched)  # type: ignore[arg-type]
        point = {"mean": 0.6, "task_sd": 1.5, "icc": 0.2, "shift": np.zeros(2)}
        value = model.compile_fn(
            model["log_likelihood"], inputs=model.free_RVs, mode="FAST_COMPILE"
        )
        likelihoods.append(float(value({rv.name: point[rv.name] for rv in model.free_RVs})))
    assert likelihoods[1] < likelihoods[0]


def test_errored_rollouts_bound_the_difference() -> None:
    old = R([1, 1, 0, 0], [1, 1, 1, 0], errored=[0, 0, 0, 1])
    new = R([1, 0, 1, 1], [1, 1, 1, 1])
    found = be.compare(old, new)
    assert found.joined.n_matched == 3
    # Of four tasks: +1 -1, and the lost one 0 (passed) or +1 (failed).
    assert found.errored_bounds() == (0.0, 0.25)
    assert any("Errored rollouts are left out: old 1." in note for note in found.notes)
    assert any("between +0.0 and +25.0 points" in note for note in found.notes)


def test_html_escapes_names(one_each: Pair) -> None:
    page = be.compare(*one_each, names=("<old>", "new & better"))._repr_html_()
    assert "&lt;old&gt;" in page
    assert "<old>" not in page
    assert "8 tasks regressed, 15 improved" in page


def test_names_come_from_the_results() -> None:
    suite = R([1, 0], 1)
    named = suite.with_factor("system", "gpt")
    assert be.compare(suite, named).joined.systems == ("old", "gpt")
    assert be.compare(named, named).joined.systems == ("old", "new")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "exakt"}, "engine must be one of"),
        ({"unmatched": "keep"}, "unmatched must be one of"),
        ({"names": ("a", "a")}, "names must be 2 different names"),
        ({"names": ("a",)}, "names must be 2 different names"),
        ({"prior": (1, 1, 1)}, "prior must be four numbers"),
        ({"prior": (1, 1, 1, 0)}, "prior must be above 0"),
        ({"engine": "nuts", "prior": (2, 1, 1, 1)}, "prior goes with the exact engine"),
        ({"engine": "nuts", "chains": 0}, "chains must be at least 1"),
        ({"engine": "nuts", "target_accept": 1.0}, "target_accept must be strictly between"),
    ],
)
def test_wrong_options(one_each: Pair, options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.compare(*one_each, **options)


def test_wrong_data(pair: dict[str, be.Rollouts]) -> None:
    with pytest.raises(be.InputError, match="exactly one scored rollout"):
        be.compare(pair["v1"], pair["v2"], engine="exact")
    with pytest.raises(be.InputError, match="no task has a scored rollout of every system"):
        be.compare(R([1], 1, task=["a"]), R([1], 1, task=["b"]))
    # 8 and "8" are two tasks.
    with pytest.raises(be.InputError, match="equal and of one type"):
        be.compare(R([1], 1, task=[8]), R([1], 1, task=["8"]))
    with pytest.raises(be.InputError, match="no scored rollout"):
        be.compare(R([0], 0), R([1], 1))
    with pytest.raises(be.InputError, match="must be a Rollouts"):
        be.compare("old.json", R([1], 1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda c: c.difference("pass_rat"), "kind must be one of"),
        (lambda c: c.difference("pass_hat_k"), "pass_hat_k needs k"),
        (lambda c: c.difference("pass_rate", k=2), "k goes with pass_at_k"),
        (lambda c: c.difference("pass_at_k", k=0), "k must be at least 1"),
        (lambda c: c.difference(population="next_run"), "population must be one of"),
        (lambda c: c.rate("newer"), "no system 'newer' \\(did you mean 'new'\\?\\)"),
        (lambda c: c.prob_better(5), "threshold must be between -1 and 1"),
        (lambda c: c.prob_not_worse(-0.1), "margin must be between 0 and 1"),
        (lambda c: c.prob_equal((0.1, -0.1)), "rope must run from low to high"),
        (lambda c: c.prob_equal(0.0), "rope must run from low to high"),
        (lambda c: c.prob_equal("wide"), "rope must be a number or"),
    ],
)
def test_wrong_questions(
    one_each: Pair, ask: Callable[[be.Comparison], object], message: str
) -> None:
    with pytest.raises(be.InputError, match=message):
        ask(be.compare(*one_each))
