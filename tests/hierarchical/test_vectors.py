"""The exact engine against reference values of high precision."""

from collections.abc import Callable
from typing import Any

import pytest

import bayeseval as be
from bayeseval.posterior import Posterior
from tests.hierarchical.suites import VECTOR_CASES

QUANTILES = {"q025": 0.025, "q50": 0.5, "q975": 0.975}

Case = tuple[dict[str, Any], dict[str, Any], be.Fit]


@pytest.fixture(params=VECTOR_CASES, ids="-".join, scope="module")
def case(request: pytest.FixtureRequest, vector_case: Callable[[str, str], Case]) -> Case:
    return vector_case(*request.param)


def check(posterior: Posterior, expected: dict[str, Any], tolerance: dict[str, Any]) -> None:
    assert posterior.mean == pytest.approx(expected["mean"], abs=tolerance["abs"], rel=0)
    if "sd" in expected:
        assert posterior.sd == pytest.approx(expected["sd"], abs=tolerance["abs"], rel=0)
    for name, q in QUANTILES.items():
        value = posterior.quantile(q)
        assert value == pytest.approx(expected[name], abs=tolerance["quantile_abs"], rel=0), name


def test_marginal_likelihood(case: Case) -> None:
    expected, tolerance, fit = case
    log = pytest.approx(expected["ln_marginal_count"], abs=tolerance["ln_abs"], rel=0)
    assert fit.log_marginal == log
    sequence = pytest.approx(expected["ln_marginal_sequence"], abs=tolerance["ln_abs"], rel=0)
    assert fit.exact.log_marginal_sequence == sequence


def test_mean_and_icc(case: Case) -> None:
    expected, tolerance, fit = case
    check(fit.pass_rate(), expected["mu"], tolerance)
    check(fit.icc(), expected["rho"], tolerance)


def test_kappa(case: Case) -> None:
    expected, tolerance, fit = case
    mean, sd = fit.exact.moments(-fit.exact.y)
    assert mean == pytest.approx(expected["log_kappa"]["mean"], abs=tolerance["kappa_rel"], rel=0)
    assert sd == pytest.approx(expected["log_kappa"]["sd"], abs=tolerance["kappa_rel"], rel=0)
    for name, q in QUANTILES.items():
        kappa = pytest.approx(expected["kappa"][name], rel=tolerance["kappa_rel"], abs=0)
        assert fit.kappa_quantile(q) == kappa, name
    if expected["kappa"]["mean"] is None:
        assert fit.prior.kappa_mean_is_infinite
    else:
        mean, sd = fit.exact.moments(fit.exact.kappa)
        assert mean == pytest.approx(expected["kappa"]["mean"], rel=tolerance["kappa_rel"], abs=0)
        assert sd == pytest.approx(expected["kappa"]["sd"], rel=tolerance["kappa_rel"], abs=0)


def test_tail_probabilities_to_one_per_cent(case: Case) -> None:
    expected, tolerance, fit = case
    rate = fit.pass_rate()
    for threshold, probability in expected["pr_mu_gt"].items():
        found = rate.prob_above(float(threshold))
        assert found == pytest.approx(probability, abs=tolerance["abs"], rel=0)
        if probability > 1e-12:
            assert found == pytest.approx(probability, rel=0.01, abs=0), threshold


@pytest.mark.parametrize("field", ["pass_hat", "pass_at"])
def test_new_task_functionals(case: Case, field: str) -> None:
    expected, tolerance, fit = case
    answer = fit.pass_hat_k if field == "pass_hat" else fit.pass_at_k
    for k, values in expected[field].items():
        check(answer(int(k)), values, tolerance)


def test_new_task_rate_and_known_tasks(case: Case) -> None:
    expected, tolerance, fit = case
    new_task = fit.exact.new_task_rate(fit.pass_rate().about)
    check(new_task, expected["new_task"], tolerance)
    table = fit.task_table()
    for task in expected["tasks"]:
        same = (fit.rollouts.passes == task["s"]) & (fit.rollouts.trials == task["n"])
        assert same.sum() == task["count"]
        check(fit.task_rate(fit.rollouts.task[same][0]), task, tolerance)
        assert table.mean[same] == pytest.approx(task["mean"], abs=tolerance["abs"], rel=0)
        assert table.lower[same] == pytest.approx(
            task["q025"], abs=tolerance["quantile_abs"], rel=0
        )
        assert table.upper[same] == pytest.approx(
            task["q975"], abs=tolerance["quantile_abs"], rel=0
        )


def test_suite_mean(case: Case) -> None:
    expected, tolerance, fit = case
    values = expected["suite_mean"]
    suite = fit.pass_rate(population="suite")
    monte_carlo = any(name.endswith("_mc_lo") for name in values)
    assert suite.mean == pytest.approx(values["mean"], abs=tolerance["abs"], rel=0)
    if not monte_carlo:
        assert suite.sd == pytest.approx(values["sd"], abs=tolerance["abs"], rel=0)
    wide = tolerance["suite_quantile_abs"]
    for name, q in QUANTILES.items():
        low, high = (
            values.get(f"{name}_mc_lo", values[name]),
            values.get(f"{name}_mc_hi", values[name]),
        )
        assert low - wide <= suite.quantile(q) <= high + wide, name
