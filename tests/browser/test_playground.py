"""The playground in a browser: its numbers are the package's, and everybody can use it."""

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import bayeseval as be
from bayeseval.cli import main
from bayeseval.passk import plugin_pass_at_k, plugin_pass_hat_k
from bayeseval.plan._clustered_assurance import pass_probabilities
from bayeseval.playground_page import playground_html

CALCULATORS = ("rate", "size", "passk", "sampling", "width")
CLOSE = {"rel": 1e-6, "abs": 1e-6}


class Opened:
    """The page in a browser, and what went wrong there."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def fill(self, **values: object) -> None:
        """Write into fields; an underscore stands for the hyphen of an id."""
        for name, value in values.items():
            self.page.fill(f"#{name.replace('_', '-')}", str(value))

    def value(self, name: str) -> float:
        """A number as it was computed, not as it is shown."""
        return float(self.page.get_attribute(f"#{name}", "data-value"))

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector)).replace("\xa0", " ")

    def call(self, function: str, cases: list[Any]) -> list[Any]:
        """Call a function of the page with each list of arguments."""
        found: list[Any] = self.page.evaluate(
            f"(cases) => cases.map((each) => bayeseval.{function}(...each))", cases
        )
        return found


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("playground") / "playground.html"
    file.write_text(playground_html(), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Callable[..., Opened]]:
    """Opens the page with options of a browser context; complains of errors and requests."""
    contexts = []
    opened = []

    def open_page(**options: Any) -> Opened:
        contexts.append(browser.new_context(**options))
        opened.append(Opened(contexts[-1].new_page()))
        opened[-1].page.goto(address)
        return opened[-1]

    yield open_page
    for context in contexts:
        context.close()
    for each in opened:
        assert each.problems == []
        assert each.requests == [address]


@pytest.fixture
def opened(open_page: Callable[..., Opened]) -> Opened:
    return open_page()


@pytest.fixture(scope="module")
def arithmetic(browser: Any, address: str) -> Iterator[Opened]:
    """One page for all tests that only call functions."""
    context = browser.new_context()
    opened = Opened(context.new_page())
    opened.page.goto(address)
    yield opened
    context.close()
    assert opened.problems == []


# ---- The arithmetic, over grids ----


def test_beta_functions(arithmetic: Opened) -> None:
    parameters = [1e-6, 0.01, 0.5, 1, 3.7, 21, 81, 1e3, 1e5, 1e7]
    levels = [1e-6, 0.025, 0.3, 0.5, 0.975, 1 - 1e-6]
    cases = list(itertools.product(parameters, parameters, levels))
    a, b, u = np.array(cases).T
    x = special.betaincinv(a, b, u)
    at = [list(map(float, each)) for each in zip(x, a, b, strict=True)]
    assert arithmetic.call("betaCdf", at) == pytest.approx(special.betainc(a, b, x), abs=1e-9)
    assert arithmetic.call("betaProbAbove", at) == pytest.approx(
        special.betaincc(a, b, x), abs=1e-9
    )
    quantiles = arithmetic.call("betaQuantile", [[u, a, b] for a, b, u in cases])
    assert quantiles == pytest.approx(x, abs=1e-7)
    inside = [each for each in at if 1e-3 < each[0] < 1 - 1e-3]
    densities = [float(stats.beta.pdf(*each)) for each in inside]
    assert arithmetic.call("betaPdf", inside) == pytest.approx(densities, rel=1e-7)


def test_normal_quantiles(arithmetic: Opened) -> None:
    tails = [1e-300, 1e-20, 1e-6, 0.005, 0.025, 0.1, 0.4999, 0.5, 0.6, 0.999]
    assert arithmetic.call("normalQuantile", [[tail] for tail in tails]) == pytest.approx(
        -special.ndtri(tails), rel=1e-12
    )
    z = [-8.0, -1.0, 0.0, 0.3, 2.999, 3.0, 12.0, 37.0]
    assert arithmetic.call("normalTail", [[each] for each in z]) == pytest.approx(
        special.ndtr(-np.array(z)), rel=1e-10
    )


COUNTS = [
    (passes, trials, level)
    for trials in (1, 2, 7, 100, 5_000, 1_000_000)
    for passes in sorted({0, 1, trials // 3, trials - 1, trials})
    for level in (0.8, 0.95, 0.999)
]


@pytest.mark.parametrize(
    ("function", "method"),
    [("wilsonInterval", "wilson"), ("clopperPearsonInterval", "clopper_pearson")],
)
def test_intervals(arithmetic: Opened, function: str, method: Any) -> None:
    found = arithmetic.call(function, [list(case) for case in COUNTS])
    for (passes, trials, level), each in zip(COUNTS, found, strict=True):
        expected = be.interval(passes, trials, method=method, ci_prob=level)
        assert (each["lower"], each["upper"]) == pytest.approx(tuple(expected), **CLOSE)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 0.5), (8.0, 2.0), (0.01, 30.0)])
def test_beta_intervals(arithmetic: Opened, prior: tuple[float, float]) -> None:
    cases = [[prior[0] + s, prior[1] + n - s, level] for s, n, level in COUNTS]
    for (s, n, level), each in zip(COUNTS, arithmetic.call("betaInterval", cases), strict=True):
        expected = be.beta_posterior(s, n, prior=be.BetaPrior(*prior)).eti(level)
        assert (each["lower"], each["upper"]) == pytest.approx(tuple(expected), **CLOSE)


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "wald", "posterior"])
def test_tasks_for_a_half_width(arithmetic: Opened, method: Any) -> None:
    rates, widths = (0.0, 0.02, 0.5, 0.8, 0.95, 0.999), (0.003, 0.0123, 0.05, 0.1, 0.37, 0.5)
    cases = [(p, h, c) for p in rates for h in widths for c in (0.8, 0.95)]
    found = arithmetic.call("tasksForHalfWidth", [[p, h, method, c] for p, h, c in cases])
    plans = [be.plan.width(p, h, method=method, ci_prob=c) for p, h, c in cases]
    assert found == [plan.tasks for plan in plans]
    at = [[p.rate, p.tasks, method, p.ci_prob] for p in plans if p.tasks]
    assert arithmetic.call("halfWidthAt", at) == pytest.approx(
        [p.half_width_at for p in plans if p.tasks], **CLOSE
    )


def test_tasks_for_two_rates(arithmetic: Opened) -> None:
    rates = (0.0, 0.05, 0.5, 0.75, 0.8, 0.85, 1.0)
    cases = [
        (p, q, power, alpha)
        for p, q in itertools.permutations(rates, 2)
        for power, alpha in ((0.8, 0.05), (0.95, 0.01), (0.5, 0.3))
    ]
    found = arithmetic.call("unpairedSize", [list(case) for case in cases])
    powers = arithmetic.call("unpairedPower", [[p, q, 123, alpha] for p, q, _, alpha in cases])
    for (p, q, power, alpha), each, reached in zip(cases, found, powers, strict=True):
        expected = be.plan.unpaired_size(p, q, power=power, alpha=alpha)
        assert each["tasks"] == expected.tasks
        assert each["tasksCorrected"] == expected.tasks_corrected
        assert each["tasksReal"] == pytest.approx(expected.tasks_real, **CLOSE)
        other = be.plan.unpaired_power(p, q, 123, alpha=alpha)
        assert reached == pytest.approx(other.power, **CLOSE)


def test_pass_at_k_and_pass_hat_k(arithmetic: Opened) -> None:
    cases = [
        [n, c, k]
        for n in (1, 2, 5, 10, 37, 1_000, 100_000)
        for c in sorted({0, 1, n // 3, n - 1, n})
        for k in sorted({1, 2, 3, n // 2 + 1, n, n + 1})
    ]
    functions = {
        "passAtK": be.pass_at_k,
        "passHatK": be.pass_hat_k,
        "pluginPassAtK": plugin_pass_at_k,
        "pluginPassHatK": plugin_pass_hat_k,
    }
    for name, function in functions.items():
        for case, found in zip(cases, arithmetic.call(name, cases), strict=True):
            expected = function(*case)
            if isinstance(expected, be.Unknown):
                assert found is None
            else:
                assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_clustered_designs(arithmetic: Opened) -> None:
    cases = [
        [p, icc, m, r, level]
        for p in (0.02, 0.5, 0.8)
        for icc in (0.0, 0.1, 0.5, 1.0)
        for m in (1, 50, 800)
        for r in (1, 4, 100)
        for level in (0.8, 0.95)
    ]
    for case, found in zip(cases, arithmetic.call("clusteredDesign", cases), strict=True):
        expected = be.plan.clustered_design(*case[:4], ci_prob=case[4])
        assert [found[name] for name in ("designEffect", "nEff", "se", "halfWidth")] == (
            pytest.approx(
                [expected.design_effect, expected.n_eff, expected.se, expected.half_width], **CLOSE
            )
        )


def test_beta_binomial(arithmetic: Opened) -> None:
    cases = [
        [n, mean, icc]
        for n in (1, 2, 10, 50)
        for mean in (0.0, 0.03, 0.5, 0.9, 1.0)
        for icc in (0.0, 1e-9, 0.3, 0.95, 1.0)
    ]
    for case, found in zip(cases, arithmetic.call("betaBinomialPmf", cases), strict=True):
        n, mean, icc = case
        expected = pass_probabilities(n, np.array([mean]), np.array([icc]))[0]
        assert found == pytest.approx(expected, abs=1e-10)


# ---- The simulator ----

SUITES = [
    {"tasks": 30, "n": 10, "mean": 0.5, "icc": 0.3, "leakedShare": 0.2, "recall": 0.9, "seed": 1},
    {"tasks": 7, "n": 3, "mean": 0.9, "icc": 0.05, "leakedShare": 0, "recall": 0.9, "seed": 2},
    {"tasks": 12, "n": 50, "mean": 0.2, "icc": 0.9, "leakedShare": 1, "recall": 0.5, "seed": 3},
    {"tasks": 40, "n": 4, "mean": 0.6, "icc": 0, "leakedShare": 0.5, "recall": 1, "seed": 4},
    {"tasks": 40, "n": 4, "mean": 0.6, "icc": 1, "leakedShare": 0.1, "recall": 0, "seed": 5},
]


@pytest.mark.parametrize("model", SUITES, ids=lambda model: f"seed {model['seed']}")
def test_suites_and_their_curves(arithmetic: Opened, model: dict[str, Any]) -> None:
    (suite,) = arithmetic.call("simulateSuite", [[model]])
    assert sum(suite["leaked"]) == int(model["leakedShare"] * model["tasks"] + 0.5)
    assert [sum(row) for row in suite["grid"]] == suite["passes"]
    (curve,) = arithmetic.call("passCurve", [[model["n"], suite["passes"]]])
    expected = be.pass_curve(be.Rollouts.from_counts(suite["passes"], model["n"]))
    assert curve["passAtK"] == pytest.approx(list(expected.pass_at_k), **CLOSE)
    assert curve["passHatK"] == pytest.approx(list(expected.pass_hat_k), **CLOSE)


@pytest.mark.parametrize("model", SUITES, ids=lambda model: f"seed {model['seed']}")
@pytest.mark.parametrize("estimator", ["passAtK", "passHatK"])
def test_expected_scores_and_their_spread(
    arithmetic: Opened, model: dict[str, Any], estimator: str
) -> None:
    n, k = model["n"], 3
    suite, moved = arithmetic.page.evaluate(
        f"""(model) => {{
          const suite = bayeseval.simulateSuite(model);
          const moved = bayeseval.seedToSeed(model, suite, {n}, {k}, bayeseval.{estimator});
          return [suite, moved];
        }}"""
        , model,
    )  # fmt: skip
    truth = be.simulate(
        model["tasks"],
        n,
        mean=model["mean"],
        icc=model["icc"],
        leaked_share=model["leakedShare"],
        recall=model["recall"],
        rng=1,
    ).truth
    ask = truth.pass_at_k if estimator == "passAtK" else truth.pass_hat_k
    assert moved["expected"] == pytest.approx(ask(k), **CLOSE)
    value = be.pass_at_k if estimator == "passAtK" else be.pass_hat_k
    values = value(n, np.arange(n + 1), k)
    pmf = stats.binom.pmf(np.arange(n + 1), n, np.array(suite["rates"])[:, None])
    variances = pmf @ values**2 - (pmf @ values) ** 2
    assert moved["sameTasks"] == pytest.approx(np.sqrt(variances.sum()) / len(pmf), **CLOSE)
    # New tasks too: within what 4,000 suites of 40 or fewer tasks tell of a standard deviation.
    runs = 4_000
    drawn = be.simulate(
        runs * model["tasks"],
        n,
        mean=model["mean"],
        icc=model["icc"],
        rng=7,
    )
    leaked = np.zeros(model["tasks"], dtype=bool)
    leaked[: sum(suite["leaked"])] = True
    rates = drawn.rates.reshape(runs, -1)
    rates = np.where(leaked, rates + (1 - rates) * model["recall"], rates)
    passes = np.random.default_rng(8).binomial(n, rates)
    sd = values[passes].mean(axis=1).std()
    assert moved["newTasks"] == pytest.approx(sd, rel=0.1, abs=1e-6)


def test_rates_follow_the_beta_that_was_asked_for(arithmetic: Opened) -> None:
    (suite,) = arithmetic.call(
        "simulateSuite",
        [[{**SUITES[0], "tasks": 2_000, "n": 1, "leakedShare": 0}]],
    )
    kappa = 0.7 / 0.3
    assert stats.kstest(suite["rates"], stats.beta(kappa / 2, kappa / 2).cdf).pvalue > 1e-4
    uniforms = [[u, 0.4, 0.25] for u in (0.001, 0.2, 0.5, 0.9)]
    expected = stats.beta.ppf([u for u, _, _ in uniforms], 0.4 * 3, 0.6 * 3)
    assert arithmetic.call("rateQuantile", uniforms) == pytest.approx(expected, abs=1e-9)


def test_uniform_draws_are_uniform_and_independent_of_the_other_tasks(arithmetic: Opened) -> None:
    draws = np.array(
        arithmetic.page.evaluate(
            """() => Array.from({ length: 400 }, (_, task) => {
              const draw = bayeseval.uniformGenerator(9, task, 2);
              return Array.from({ length: 25 }, draw);
            })"""
        )
    )
    assert stats.kstest(draws.ravel(), "uniform").pvalue > 1e-4
    correlations = np.corrcoef(draws.T)[np.triu_indices(25, 1)]
    assert abs(correlations).max() < 5 / np.sqrt(400)
    assert abs(np.corrcoef(draws[:-1].ravel(), draws[1:].ravel())[0, 1]) < 5 / np.sqrt(draws.size)


def test_a_change_of_size_keeps_the_luck_of_the_rest(arithmetic: Opened) -> None:
    small, large = arithmetic.call(
        "simulateSuite", [[SUITES[0]], [{**SUITES[0], "tasks": 40, "n": 20, "leakedShare": 0}]]
    )
    clean = [task for task in range(30) if not small["leaked"][task]]
    for task in clean:
        assert small["rates"][task] == large["rates"][task]
        assert small["grid"][task] == large["grid"][task][:10]


# ---- The calculators as people see them ----


def test_one_rate_opens_at_80_of_100(opened: Opened) -> None:
    posterior = be.beta_posterior(80, 100)
    assert opened.value("rate-mean") == pytest.approx(posterior.mean, **CLOSE)
    assert opened.value("rate-above") == pytest.approx(posterior.prob_above(0.75), **CLOSE)
    assert opened.value("rate-below") == pytest.approx(posterior.prob_below(0.75), **CLOSE)
    lower, upper = posterior.eti(0.95)
    assert opened.value("rate-lower") == pytest.approx(lower, **CLOSE)
    assert opened.value("rate-upper") == pytest.approx(upper, **CLOSE)
    lower, upper = be.interval(80, 100)
    assert opened.value("rate-wilson-lower") == pytest.approx(lower, **CLOSE)
    assert opened.value("rate-wilson-upper") == pytest.approx(upper, **CLOSE)
    shown = opened.text("#rate-answer")
    assert re.search(r"79\.4 % \(95 % CrI 71\.1-86\.\d %\)", shown)
    assert shown.endswith("exceeds 75 % with probability 0.863.")


def test_400_tasks_give_3_9_points_at_the_same_rate(opened: Opened) -> None:
    opened.fill(rate_trials=400)
    assert opened.page.input_value("#rate-passes") == "320"
    assert opened.text("#rate-wilson-half") == "3.91"
    assert opened.text("#rate-half") == "3.91"
    opened.page.uncheck("#rate-keep")
    opened.fill(rate_trials=1000)
    assert opened.page.input_value("#rate-passes") == "320"


def test_priors_and_levels_are_used(opened: Opened) -> None:
    page = opened.page
    for prior, named in (("jeffreys", "jeffreys"), ("own", be.BetaPrior(3.5, 1.5))):
        page.select_option("#rate-prior", prior)
        if prior == "own":
            opened.fill(rate_alpha=3.5, rate_beta=1.5)
        page.select_option("#level", "0.9")
        posterior = be.beta_posterior(80, 100, prior=named)
        assert opened.value("rate-mean") == pytest.approx(posterior.mean, **CLOSE)
        assert opened.value("rate-lower") == pytest.approx(posterior.eti(0.9)[0], **CLOSE)
    assert page.inner_text("#rate-command") == (
        "bayeseval rate 80/100 --above 0.75 --prior 3.5,1.5 --ci-prob 0.9"
    )


def test_sizes_are_245_and_250(opened: Opened) -> None:
    assert opened.value("size-wilson") == 245
    assert opened.value("size-clopper_pearson") == 264
    assert opened.value("power-tasks") == 250
    assert opened.value("power-corrected") == 270
    opened.fill(power_from=0.85, power_to=0.8)
    assert opened.value("power-tasks") == 906


def test_pass_at_k_opens_at_98_and_42_per_cent(opened: Opened) -> None:
    assert opened.text("#passk-at") == "98.4 %"
    assert opened.text("#passk-hat") == "42.2 %"
    opened.fill(passk_k=10)
    assert opened.value("passk-at") == pytest.approx(1 - 0.25**10, **CLOSE)
    assert opened.text("#passk-hat") == "5.6 %"
    assert opened.text("#counts-at") == "91.7 %"
    assert opened.text("#counts-plugin-at") == "83.2 %"
    opened.fill(counts_k=1)
    assert opened.value("counts-at") == pytest.approx(opened.value("counts-plugin-at"))
    opened.fill(counts_k=11)
    assert opened.text("#counts-at") == "–"
    assert opened.text("#counts-answer").startswith("UNKNOWN: k = 11 exceeds the 10 rollouts")


def test_grid_table_and_scores_agree(opened: Opened) -> None:
    cells = opened.page.evaluate(
        """() => [...document.querySelectorAll("#sampling-rows tr")].map(
          (row) => [...row.cells].map((cell) => cell.textContent))"""
    )
    assert len(cells) == 30
    passes = [int(row[2].split()[0]) for row in cells]
    leaked = [row[1] == "yes" for row in cells]
    assert sum(leaked) == 6
    assert passes == sorted(passes, reverse=True)
    suite = be.Rollouts.from_counts(passes, 10, factors={"leaked": leaked})
    clean = suite.where("leaked", False)
    for column, k, name in (
        ("rate", 1, "pass_at_k"),
        ("at", 5, "pass_at_k"),
        ("hat", 5, "pass_hat_k"),
    ):
        (all_tasks,) = getattr(be.pass_curve(suite, k=k), name)
        (clean_tasks,) = getattr(be.pass_curve(clean, k=k), name)
        assert opened.value(f"sampling-all-{column}") == pytest.approx(all_tasks, **CLOSE)
        assert opened.value(f"sampling-clean-{column}") == pytest.approx(clean_tasks, **CLOSE)
        assert opened.value(f"sampling-inflation-{column}") == pytest.approx(
            all_tasks - clean_tasks, **CLOSE
        )


def test_a_new_seed_draws_another_suite(opened: Opened) -> None:
    page = opened.page
    before = page.inner_html("#sampling-grid svg"), opened.value("sampling-expected-at")
    page.click("#sampling-new")
    assert page.input_value("#sampling-seed") == "2"
    assert page.inner_html("#sampling-grid svg") != before[0]
    assert opened.value("sampling-expected-at") == before[1]
    opened.fill(sampling_seed=1)
    assert page.inner_html("#sampling-grid svg") == before[0]
    page.select_option("#sampling-order", "task")
    page.select_option("#sampling-bars", "hat")
    assert page.locator("#sampling-rows th").first.text_content() == "1"
    assert "pass^5" in page.get_attribute("#sampling-grid svg", "aria-label")


def test_designs_are_those_of_the_plan(opened: Opened) -> None:
    design = be.plan.clustered_design(0.8, 0.5, 50, 4)
    assert opened.value("width-half") == pytest.approx(design.half_width, **CLOSE)
    assert opened.value("width-neff") == pytest.approx(design.n_eff, **CLOSE)
    for each in be.plan.clustered_table(0.8, 0.5).designs:
        assert opened.value(f"width-{each.tasks}-{each.rollouts}") == pytest.approx(
            each.half_width, **CLOSE
        )


def test_commands_run_and_agree(
    opened: Opened, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """What the page calls the same in a terminal is the same."""

    def typed(calculator: str) -> dict[str, Any]:
        words = opened.page.inner_text(f"#{calculator}-command").split()
        assert words[0] == "bayeseval"
        words = [str(tmp_path / word) if word == "suite.csv" else word for word in words]
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([*words[1:], "--json"])
        assert ended.value.code == 0
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    rate = typed("rate")
    assert opened.value("rate-above") == pytest.approx(rate["claims"][0]["prob"], **CLOSE)
    plans = {plan["method"]: plan["tasks"] for plan in typed("size")["plans"]}
    assert plans["wilson"] == opened.value("size-wilson")
    assert typed("power")["plans"][0]["tasks"] == opened.value("power-tasks")
    designs = typed("width")["plans"][0]["designs"]
    assert designs[0]["half_width"] == pytest.approx(opened.value("width-half"), **CLOSE)
    made = typed("sampling")
    values = {
        (row["quantity"], row["population"], row["tasks"]): row["value"] for row in made["truth"]
    }
    assert values["pass@5", "new_tasks", "all"] == pytest.approx(
        opened.value("sampling-expected-at"), **CLOSE
    )
    assert eval(opened.page.inner_text("#counts-command"))[0] == pytest.approx(
        opened.value("counts-at"), **CLOSE
    )


# ---- Mistakes and extremes ----

WRONG = ".results.stale, [aria-invalid], form .problem:not(:empty)"


@pytest.mark.parametrize(
    ("values", "calculator", "message"),
    [
        ({"rate_passes": 120}, "rate", "Passes: at most n = 100; got 120."),
        ({"rate_passes": 7.5}, "rate", "Passes: write a whole number; got 7.5."),
        ({"rate_passes": ""}, "rate", "Passes: write a number."),
        ({"rate_bar": 75}, "rate", "Bar: from 0 to 1; got 75 (a percentage? divide it by 100)."),
        ({"power_to": 0.85}, "size", "The two pass rates must differ."),
        ({"power_power": 0.01}, "size", "Power: above alpha / 2"),
        ({"counts_c": 11}, "passk", "Passes c: at most n = 10; got 11."),
        ({"sampling_k": 11}, "sampling", "k: at most the 10 rollouts of each task; got 11."),
        ({"sampling_tasks": 0}, "sampling", "Tasks: from 1 to 300; got 0."),
        ({"width_icc": -0.1}, "width", "Intraclass correlation (ICC): from 0 to 1; got -0.1."),
    ],
)
def test_mistakes_are_named_at_their_field(
    opened: Opened, values: dict[str, object], calculator: str, message: str
) -> None:
    opened.fill(**values)
    problem = opened.page.locator(f"#{calculator} form .problem:not(:empty)")
    assert problem.inner_text().startswith(message)
    wrong = opened.page.locator("[aria-invalid=true]")
    assert wrong.count() == 1
    assert wrong.get_attribute("aria-describedby") == problem.get_attribute("id")
    assert opened.page.locator(".results.stale").count() == 1
    before = {
        name: opened.page.get_attribute(f"#{name.replace('_', '-')}", "value") for name in values
    }
    opened.fill(**{name: value or 0 for name, value in before.items()})
    assert opened.page.locator(WRONG).count() == 0


@pytest.mark.parametrize(
    "values",
    [
        {"rate_passes": 0},
        {"rate_trials": 1, "rate_passes": 1, "rate_bar": 1},
        {"rate_passes": 0, "rate_trials": 1, "rate_bar": 0},
        {"rate_trials": 10_000_000, "rate_bar": 0.8},
        {"size_rate": 0, "size_half": 0.5},
        {"size_rate": 1, "size_half": 0.0005},
        {"power_from": 0, "power_to": 1},
        {"passk_rate": 0, "passk_k": 1000},
        {"passk_rate": 1, "passk_k": 1},
        {"counts_n": 1, "counts_c": 1, "counts_k": 1},
        {"counts_n": 100_000, "counts_c": 99_999, "counts_k": 50_000},
        {"sampling_k": 1, "sampling_n": 1, "sampling_tasks": 1, "sampling_leaked": 1},
        {"sampling_tasks": 300, "sampling_n": 50, "sampling_k": 50, "sampling_icc": 0.99},
        {"sampling_mean": 0, "sampling_icc": 1, "sampling_leaked": 0},
        {"sampling_mean": 1, "sampling_icc": 0, "sampling_recall": 0},
        {"width_icc": 0, "width_tasks": 1, "width_rollouts": 1},
        {"width_icc": 1, "width_tasks": 10_000_000, "width_rollouts": 100_000},
    ],
    ids=str,
)
def test_extremes_have_answers(opened: Opened, values: dict[str, object]) -> None:
    for prior in ("uniform", "jeffreys"):
        opened.page.select_option("#rate-prior", prior)
        opened.fill(**values)
        # The fields of a suite shrink one after the other; the last state counts.
        assert opened.page.locator(WRONG).count() == 0
    shown = opened.page.inner_text("main")
    assert not re.search(r"NaN|undefined|Infinity|null", shown)
    drawn = opened.page.evaluate(
        "() => [...document.querySelectorAll('figure svg')].map((each) => each.outerHTML).join('')"
    )
    assert not re.search(r"NaN|undefined|Infinity", drawn)


# ---- For everybody ----


def test_keyboard_reaches_every_field_and_nothing_twice(opened: Opened) -> None:
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.id || document.activeElement.tagName")
        if name == "BODY":
            break
        reached.append(name)
    fields = page.evaluate(
        """() => [...document.querySelectorAll("input:not([type=range]), select, button")]
          .filter((each) => each.offsetParent).map((each) => each.id)"""
    )
    assert [name for name in reached if name in fields] == fields


def test_keyboard_changes_numbers_and_seeds(opened: Opened) -> None:
    page = opened.page
    page.focus("#rate-passes")
    page.keyboard.press("ArrowUp")
    assert page.input_value("#rate-passes") == "81"
    assert opened.text("#rate-answer").startswith("81 of 100 passed")
    page.focus("#sampling-new")
    page.keyboard.press("Enter")
    assert page.input_value("#sampling-seed") == "2"
    page.focus("summary")
    page.keyboard.press("Space")
    assert page.is_visible("#sampling-rows")


def test_enter_in_a_field_does_not_reload_the_page(opened: Opened) -> None:
    opened.fill(rate_passes=90)
    opened.page.press("#rate-passes", "Enter")
    assert opened.page.input_value("#rate-passes") == "90"


def test_sliders_and_numbers_move_together(opened: Opened) -> None:
    page = opened.page
    page.eval_on_selector(
        "[data-for=rate-bar]",
        "(slider) => { slider.value = 0.9; slider.dispatchEvent(new Event('input', { bubbles: true })); }",  # noqa: E501
    )
    assert page.input_value("#rate-bar") == "0.9"
    opened.fill(rate_bar=0.6)
    assert page.eval_on_selector("[data-for=rate-bar]", "(slider) => slider.value") == "0.6"


def test_answers_are_read_out_and_drawings_have_words(opened: Opened) -> None:
    page = opened.page
    for calculator in CALCULATORS:
        assert page.locator(f"#{calculator} [role=status]").count() >= 1
    for drawing in page.locator("figure svg[role=img]").all():
        assert len(drawing.get_attribute("aria-label")) > 40
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("input:not([type=range]), select")]
          .filter((each) => each.labels.length !== 1).map((each) => each.id)"""
    )
    assert unnamed == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off(open_page: Callable[..., Opened], width: int, scheme: str) -> None:
    opened = open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """() => [...document.querySelectorAll("table, figure, section input, .answer")]
          .filter((each) => each.offsetParent && !each.closest(".scroll"))
          .filter((each) => each.getBoundingClientRect().right
            > each.closest("section").getBoundingClientRect().right + 0.5)
          .map((each) => each.id || each.tagName)"""
    )
    assert outside == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(244, 244, 242)" if scheme == "light" else "rgb(18, 19, 20)"
    )


def test_paper_is_white_and_has_every_answer(open_page: Callable[..., Opened]) -> None:
    opened = open_page(color_scheme="dark")
    page = opened.page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    for calculator in CALCULATORS:
        assert page.locator(f"#{calculator} .answer").first.is_visible()
    assert not page.is_visible("#sampling-new")
    assert page.pdf(format="A4")[:5] == b"%PDF-"


def test_without_javascript_the_page_says_so(open_page: Callable[..., Opened]) -> None:
    opened = open_page(java_script_enabled=False)
    assert "need JavaScript" in opened.page.inner_text("noscript")


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, where npm can fetch it."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm, to fetch axe-core")
    folder = tmp_path_factory.mktemp("axe")
    fetched = subprocess.run(
        [npm, "install", "--silent", "--no-audit", "--no-fund", "axe-core@4"],
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    source = folder / "node_modules/axe-core/axe.min.js"
    if fetched.returncode or not source.is_file():
        pytest.skip("axe-core could not be fetched")
    return source.read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(
    open_page: Callable[..., Opened], axe: str, scheme: str, width: int
) -> None:
    opened = open_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened.page.evaluate(axe)
    opened.page.click("summary")
    opened.fill(width_icc=2)
    found = opened.page.evaluate("axe.run()")
    assert not [
        (each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]
    ], json.dumps(found["violations"], indent=1)[:3_000]
