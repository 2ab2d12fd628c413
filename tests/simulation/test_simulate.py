"""simulate: what is drawn follows what was asked, and the truth is the truth."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bayeseval as be
from bayeseval.simulation import RateComponent
from bayeseval.simulation._rates import moment

U_SHAPED = [(0.3, 0.0), (0.2, 1.0), (0.5, 0.6, 0.3)]


def test_same_seed_same_suite() -> None:
    one, two, other = (
        be.simulate(40, (2, 6), leaked_share=0.2, error_rate=0.1, rng=seed) for seed in (3, 3, 4)
    )
    assert np.array_equal(one.grid, two.grid)
    assert np.array_equal(one.rates, two.rates)
    assert not np.array_equal(one.rates, other.rates)


@pytest.mark.parametrize("icc", [0.0, 1e-9, 0.05, 0.5, 0.95, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("mean", [0.0, 0.03, 0.65, 1.0])
def test_rates_have_the_mean_and_the_icc(mean: float, icc: float) -> None:
    n = 40_000
    rates = be.simulate(n, 1, mean=mean, icc=icc, rng=11).rates
    variance = mean * (1 - mean) * icc
    assert np.isfinite(rates).all()
    assert abs(rates.mean() - mean) <= 5 * np.sqrt(variance / n) + 1e-9
    # The fourth moment of a variable on [0, 1] is at most its second.
    assert abs(rates.var() - variance) <= 5 * np.sqrt(variance / n) + 1e-9


@pytest.mark.parametrize("which", ["all", "clean", "leaked"])
def test_truth_of_new_tasks_is_what_many_tasks_show(which: str) -> None:
    n = 200_000
    truth = be.simulate(n, 1, mixture=U_SHAPED, leaked_share=0.25, recall=0.7, rng=5).truth
    for k in (1, 2, 5):
        for ask in (truth.pass_hat_k, truth.pass_at_k):
            new = ask(k, which=which)  # type: ignore[arg-type]
            suite = ask(k, population="suite", which=which)  # type: ignore[arg-type]
            # Each task's value lies in [0, 1], so that its standard deviation is at most 1/2.
            assert abs(new - suite) < 5 * 0.5 / np.sqrt(n / 5)


def test_observed_passes_follow_the_rates() -> None:
    found = be.simulate(300, 50, mean=0.7, icc=0.4, rng=8)
    expected = found.rates * 50
    sd = np.sqrt(50 * (found.rates * (1 - found.rates)).sum())
    assert abs(found.rollouts.passes.sum() - expected.sum()) < 5 * sd
    always, never = found.rates > 1 - 1e-12, found.rates < 1e-12
    assert (found.rollouts.passes[always] == 50).all()
    assert (found.rollouts.passes[never] == 0).all()


@given(
    mean=st.floats(0.01, 0.99),
    icc=st.floats(1e-3, 0.999),
    k=st.integers(1, 12),
)
def test_moment_is_that_of_the_beta(mean: float, icc: float, k: int) -> None:
    kappa = (1 - icc) / icc
    betabinomial = stats.betabinom(k, mean * kappa, (1 - mean) * kappa)
    assert moment(mean, icc, k) == pytest.approx(betabinomial.pmf(k), rel=1e-8, abs=1e-12)


@given(mean=st.floats(0, 1), k=st.integers(1, 8))
def test_moment_at_the_ends_of_the_icc(mean: float, k: int) -> None:
    assert moment(mean, 0.0, k) == pytest.approx(mean**k)
    assert moment(mean, 1.0, k) == pytest.approx(mean)


def test_truth_agrees_with_itself() -> None:
    truth = be.simulate(60, 4, mean=0.6, icc=0.35, leaked_share=0.3, recall=0.8, rng=2).truth
    for population in ("new_tasks", "suite"):
        rate = truth.pass_rate(population=population)  # type: ignore[arg-type]
        for which in ("all", "clean", "leaked"):
            hat = truth.pass_hat_k(1, population=population, which=which)  # type: ignore[arg-type]
            at = truth.pass_at_k(1, population=population, which=which)  # type: ignore[arg-type]
            assert hat == pytest.approx(at)
        both = truth.pass_hat_k(2, population=population)  # type: ignore[arg-type]
        one = truth.pass_at_k(2, population=population)  # type: ignore[arg-type]
        assert both + one == pytest.approx(2 * rate)
    assert truth.leaked_share == 18 / 60
    clean = truth.pass_rate(which="clean")
    assert clean == pytest.approx(0.6)
    assert truth.pass_rate(which="leaked") == pytest.approx(0.6 + 0.4 * 0.8)


def test_icc_of_one_component_is_the_one_asked_for() -> None:
    assert be.simulate(5, mean=0.8, icc=0.37, rng=1).truth.icc == pytest.approx(0.37)
    mixed = be.simulate(5, mixture=U_SHAPED, rng=1).truth
    second = 0.2 + 0.5 * (0.36 + 0.3 * 0.24)
    assert mixed.pass_rate() == pytest.approx(0.5)
    assert mixed.icc == pytest.approx((second - 0.25) / 0.25)


def test_certain_suites_have_no_icc() -> None:
    truth = be.simulate(5, mean=1.0, rng=1).truth
    assert isinstance(truth.icc, be.Unknown)
    assert "ICC UNKNOWN" in repr(truth)


def test_there_is_no_truth_of_leaked_tasks_where_none_leaked() -> None:
    truth = be.simulate(5, rng=1).truth
    assert isinstance(truth.pass_rate(which="leaked"), be.Unknown)


def test_mixture_draws_each_kind_in_its_share() -> None:
    n = 20_000
    rates = be.simulate(n, 1, mixture=U_SHAPED, rng=1).rates
    assert stats.binomtest(int((rates == 0).sum()), n, 0.3).pvalue > 1e-6
    assert stats.binomtest(int((rates == 1).sum()), n, 0.2).pvalue > 1e-6


def test_components_may_be_named() -> None:
    given = [RateComponent(0.3, 0), RateComponent(weight=0.7, mean=0.6, icc=0.3)]
    named = be.simulate(20, mixture=given, rng=1)
    assert named.truth.components == tuple(given)


def test_slices_have_their_sizes_and_means() -> None:
    found = be.simulate(
        rollouts=1, slices={"joins": (4_000, 0.3, 0.0), "dates": (6_000, 0.9)}, icc=0.2, rng=9
    )
    assert found.rollouts.levels("slice") == ("dates", "joins")
    joins = found.rollouts.where("slice", "joins")
    assert joins.n_tasks == 4_000
    assert stats.binomtest(int(joins.passes.sum()), 4_000, 0.3).pvalue > 1e-6
    assert found.truth.pass_rate() == pytest.approx(0.4 * 0.3 + 0.6 * 0.9)
    # A slice that names no ICC takes the one of the suite.
    assert [each.icc for each in found.truth.components] == [0.0, 0.2]


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.3, 15), (0.31, 16), (1.0, 50)])
def test_leaked_tasks_are_whole_and_pass_from_memory(share: float, count: int) -> None:
    found = be.simulate(50, 4, mean=0.2, icc=0.1, leaked_share=share, recall=1.0, rng=1)
    assert found.truth.leaked.sum() == count
    assert (found.rates[found.truth.leaked] == 1).all()
    assert ("leaked" in found.rollouts.factors) == (count > 0)
    if 0 < count < 50:
        assert be.contamination(found.rollouts, leaked="leaked").leaked_share == count / 50


def test_leakage_only_raises_rates() -> None:
    before, after = (be.simulate(30, leaked_share=share, rng=6).rates for share in (0.0, 0.5))
    assert (after >= before).all()
    assert (after > before).sum() == 15


def test_errors_have_their_share_whatever_they_fall_on() -> None:
    n = 20_000
    for on in ("any", "hard"):
        found = be.simulate(n, 1, mean=0.7, icc=0.2, error_rate=0.1, errors_on=on, rng=4)  # type: ignore[arg-type]
        ledger = found.rollouts.ledger
        assert stats.binomtest(ledger.errored, n, 0.1).pvalue > 1e-6
        assert ledger.passed + ledger.failed + ledger.errored == n


def test_errors_on_hard_tasks_flatter_the_score() -> None:
    found = be.simulate(5_000, 4, mean=0.7, error_rate=0.25, errors_on="hard", rng=4)
    suite = found.rollouts
    observed = suite.passes.sum() / suite.trials.sum()
    assert observed > found.truth.pass_rate(population="suite") + 0.05
    assert found.grid[found.rates > 1 - 1e-15].max(initial=1) == 1


def test_rollouts_may_be_unequal() -> None:
    found = be.simulate(3_000, (2, 5), rng=1)
    counts = np.bincount(found.rollouts.trials, minlength=6)
    assert counts[:2].sum() == 0
    assert stats.chisquare(counts[2:]).pvalue > 1e-6
    assert ((found.grid >= 0).sum(axis=1) == found.rollouts.trials).all()


def test_results_are_read_only() -> None:
    found = be.simulate(3, rng=1)
    for array in (found.grid, found.rates, found.truth.leaked):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tasks": 0}, "tasks must be at least 1; got 0"),
        ({"rollouts": 0}, "rollouts must be at least 1"),
        ({"rollouts": (5, 2)}, "rollouts must be .fewest, most."),
        ({"rollouts": (1, 2, 3)}, "a pair"),
        ({"mean": 1.2}, "mean must be between 0 and 1"),
        ({"icc": -0.1}, "icc must be between 0 and 1"),
        ({"mixture": []}, "at least one"),
        ({"mixture": 0.4}, "at least one"),
        ({"mixture": [0.4]}, r"\(weight, mean\).*position 0"),
        ({"mixture": [(0.4, 0.5)]}, "must sum to 1; they sum to 0.4"),
        ({"mixture": U_SHAPED, "mean": 0.5}, "mixture and mean exclude each other"),
        ({"mixture": U_SHAPED, "icc": 0.5}, "mixture and icc exclude each other"),
        ({"slices": {"a": (3, 0.5)}, "tasks": 3}, "slices and tasks exclude each other"),
        ({"slices": {"a": (3, 0.5)}, "mean": 0.3}, "slices and mean exclude each other"),
        ({"slices": {}}, "at least one name"),
        ({"slices": [("a", 3, 0.5)]}, "at least one name"),
        ({"slices": {"a": 3}}, "slice 'a' must be"),
        ({"slices": {"a": (3, 2)}}, "mean of slice 'a' must be between"),
        ({"slices": {"a": (0, 0.5)}}, "tasks of slice 'a' must be at least 1"),
        ({"slices": {" ": (3, 0.5)}}, "name of a slice"),
        ({"leaked_share": 30}, "leaked_share must be between 0 and 1.*a percentage"),
        ({"recall": -1}, "recall"),
        ({"error_rate": 2}, "error_rate"),
        ({"errors_on": "some"}, "errors_on must be one of 'any', 'hard'"),
        ({"error_rate": 0.5, "errors_on": "hard", "mean": 0.8}, "at most 1 - mean rate = 0.2"),
        ({"tasks": 10**8, "rollouts": 2}, "at most 20,000,000 rollouts"),
    ],
)
def test_mistakes_are_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.simulate(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rollouts": (1, 5), "error_rate": 0.2},
        {"slices": {'a "quoted", name': (7, 0.5), " padded": (5, 0.8)}, "leaked_share": 0.4},
    ],
)
def test_a_file_reads_back_to_the_same_suite(tmp_path: Path, options: dict[str, object]) -> None:
    found = be.simulate(rng=2, **options)  # type: ignore[arg-type]
    found.to_csv(tmp_path / "suite.csv")
    back, sent = be.read(tmp_path / "suite.csv"), found.rollouts
    assert back.task.tolist() == sent.task.tolist()
    for name in ("passes", "trials", "errored", "missing"):
        assert getattr(back, name).tolist() == getattr(sent, name).tolist()
    assert {name: values.tolist() for name, values in back.factors.items()} == {
        name: values.tolist() for name, values in sent.factors.items()
    }


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match=r"must end in \.csv"):
        be.simulate(3, rng=1).to_csv(tmp_path / "suite.json")
    assert not list(tmp_path.iterdir())
