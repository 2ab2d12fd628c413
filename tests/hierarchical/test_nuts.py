"""The NUTS engine: sound, in agreement with the exact one, and usable by ArviZ."""

import os
import subprocess
import sys
from pathlib import Path

import arviz as az
import numpy as np
import pytest

import bayeseval as be
from tests.hierarchical.suites import SUITES

NUTS_CHECKS = [
    "r_hat",
    "ess_bulk",
    "ess_tail",
    "divergences",
    "bfmi",
    "mcse",
    "agreement",
    "predictive",
]
GROUPS = {
    "posterior",
    "prior",
    "log_prior",
    "log_likelihood",
    "posterior_predictive",
    "observed_data",
    "constant_data",
    "rollouts",
}


@pytest.mark.parametrize("name", SUITES)
def test_every_check_holds(nuts_fits: dict[str, be.Fit], name: str) -> None:
    fit = nuts_fits[name]
    assert [row.name for row in fit.checks.rows] == NUTS_CHECKS
    assert fit.checks.passed, str(fit.checks)
    assert fit.checks["divergences"].value == 0
    assert fit.checks["agreement"].value <= 4
    assert fit.notes == ()


@pytest.mark.parametrize("name", SUITES)
def test_answers_agree_with_the_exact_engine(
    nuts_fits: dict[str, be.Fit], exact_fits: dict[str, be.Fit], name: str
) -> None:
    nuts, exact = nuts_fits[name], exact_fits[name]
    questions = [lambda f: f.icc(), lambda f: f.task_rate(0), lambda f: f.task_quantile(0.3)]
    questions += [lambda f: f.share_of_tasks_above(0.7)]
    for population in ("new_tasks", "suite", "next_run"):
        questions += [lambda f, p=population: f.pass_rate(population=p)]
    for population in ("new_tasks", "suite"):
        questions += [lambda f, p=population: f.pass_hat_k(3, population=p)]
        questions += [lambda f, p=population: f.pass_at_k(2, population=p)]
    questions += [lambda f: f.pass_hat_k(2, population="next_run", m=12, rollouts=3)]
    for ask in questions:
        sampled, truth = ask(nuts), ask(exact)
        assert (sampled.engine, truth.engine) == ("nuts", "exact")
        assert sampled.title == truth.title
        assert sampled.mean == pytest.approx(truth.mean, abs=5 * sampled.mcse_mean + 1e-4), truth
        assert sampled.sd == pytest.approx(truth.sd, rel=0.12), truth
    table, yardstick = nuts.task_table(), exact.task_table()
    assert table.mean == pytest.approx(yardstick.mean, abs=0.02)
    assert table.lower == pytest.approx(yardstick.lower, abs=0.06)


@pytest.mark.parametrize("engine", ["nuts", "exact"])
def test_tree(nuts_fits: dict[str, be.Fit], exact_fits: dict[str, be.Fit], engine: str) -> None:
    fit = (nuts_fits if engine == "nuts" else exact_fits)["unequal"]
    dt = fit.dt
    groups = set(dt.children)
    assert groups == GROUPS | ({"sample_stats"} if engine == "nuts" else set())
    posterior = dt["posterior"].to_dataset()
    assert set(posterior.data_vars) == {"mean", "icc", "log_kappa"}
    assert dict(posterior.sizes) == {"chain": 4, "draw": 1000}
    assert dt["log_likelihood"]["passes"].dims == ("chain", "draw", "task")
    assert dt["posterior_predictive"]["passes"].dims == ("chain", "draw", "task")
    assert dt["observed_data"]["passes"].to_numpy() == pytest.approx(fit.rollouts.passes)
    assert dt["observed_data"]["task"].to_numpy().tolist() == fit.rollouts.task.tolist()
    replicated = dt["posterior_predictive"]["passes"]
    assert bool((replicated <= dt["constant_data"]["trials"]).all())
    assert float(replicated.mean()) > 0


@pytest.mark.parametrize("engine", ["nuts", "exact"])
@pytest.mark.parametrize("name", ["u_shaped", "all_pass"])
def test_arviz_works_on_it(
    nuts_fits: dict[str, be.Fit], exact_fits: dict[str, be.Fit], engine: str, name: str
) -> None:
    fit = (nuts_fits if engine == "nuts" else exact_fits)[name]
    summary = az.summary(fit.dt, ci_prob=0.95, ci_kind="eti", round_to="none")
    assert summary.loc["mean", "mean"] == pytest.approx(fit.pass_rate().mean, abs=0.02)
    assert set(summary.index) == {"mean", "icc", "log_kappa"}
    loo = az.loo(fit.dt)
    total = float(fit.dt["log_likelihood"]["passes"].mean(("chain", "draw")).sum())
    assert loo.elpd < 0
    assert loo.elpd == pytest.approx(total, abs=0.3 * abs(total) + 2)
    az.plot_trace_dist(fit.dt, var_names=["mean", "icc"], backend="none")
    if name == "u_shaped":
        # With a single value observed ArviZ takes the values for chains.
        az.plot_ppc_rootogram(fit.dt, backend="none")


def test_arviz_draws_with_matplotlib(nuts_fits: dict[str, be.Fit]) -> None:
    plots = az.plot_trace_dist(nuts_fits["mild"].dt, backend="matplotlib")
    assert plots.viz["figure"].item() is not None
    plots = az.plot_ppc_rootogram(nuts_fits["mild"].dt, backend="matplotlib")
    assert plots.viz["figure"].item() is not None


def test_the_same_seed_gives_the_same_numbers_on_one_core_or_two() -> None:
    settings = {"draws": 200, "tune": 200, "chains": 2, "rng": 3, "progress": False}
    with pytest.warns(be.CheckWarning):
        one, two = (be.fit(SUITES["mild"], cores=cores, **settings) for cores in (1, 2))
    assert np.array_equal(one.draws.mean, two.draws.mean)
    for population in ("new_tasks", "suite", "next_run"):
        first, second = (fit.pass_rate(population=population) for fit in (one, two))
        assert first.mean == second.mean
    assert one.task_rate(1).mean == two.task_rate(1).mean
    # Asking again, or in another order, changes nothing.
    assert one.pass_rate(population="suite").mean == one.pass_rate(population="suite").mean


def test_a_check_that_fails_warns_stands_in_the_result_and_names_the_remedy() -> None:
    with pytest.warns(be.CheckWarning) as caught:
        fit = be.fit(SUITES["mild"], draws=10, tune=50, chains=2, cores=1, rng=1)
    messages = [str(warning.message) for warning in caught]
    assert any("ess_bulk" in text and "FAILED: sample longer: raise" in text for text in messages)
    assert len(messages) == len(fit.checks.failed)
    assert not fit.checks.passed
    assert not fit.checks["ess_bulk"].passed
    assert fit.checks["ess_bulk"].value < 400
    assert any("ess_bulk" in note and "raise draws" in note for note in fit.notes)
    assert "raise draws" in fit._repr_html_()


def test_priors_reach_the_sampler() -> None:
    """Both ways to give a prior, each against the exact engine."""
    for prior in (be.HierarchicalPrior(log_kappa=(1, 1.5)), be.HierarchicalPrior.named("arcsine")):
        fit = be.fit(SUITES["mild"], prior=prior, draws=700, chains=2, cores=1, rng=4)
        assert fit.checks["agreement"].value <= 4
        assert fit.checks["divergences"].value == 0


def test_no_compiler_is_needed(tmp_path: Path) -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import shutil, bayeseval as be\n"
        "assert not any(map(shutil.which, ('gcc', 'cc', 'g++', 'c++', 'clang', 'ld')))\n"
        "fit = be.fit(be.Rollouts.from_counts([2, 0, 1], 2), draws=50, tune=50, chains=1, rng=1)\n"
        "print(fit.engine, fit.draws.mean.shape)\n"
    )
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CC", "CXX", "LD", "PYTENSOR_FLAGS")
    }
    environment["PATH"] = str(Path(sys.executable).parent)
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "nuts (1, 50)"
