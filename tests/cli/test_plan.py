"""``bayeseval plan``."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be

Run = Callable[..., Any]
SUITE = Path(__file__).parents[2] / "examples/sqlagent.csv"

COMMANDS = [
    ["width", "--rate", "0.8", "--half-width", "0.05"],
    ["width", "--rate", "0.8", "--tasks", "200", "--method", "jeffreys"],
    ["slices", "dates=0.5", "joins=0.9:0.03", "--half-width", "0.1"],
    ["power", "--from", "0.85", "--to", "0.75"],
    ["power", "--from", "0.85", "--to", "0.75", "--tasks", "180"],
    ["power", "--from", "0.85", "--to", "0.75", "--unpooled"],
    ["power", "--from", "0.85", "--to", "0.75", "--discordant", "0.2"],
    ["power", "--from", "0.85", "--to", "0.75", "--correlation", "0.5", "--tasks", "100"],
    ["assurance", "--tasks", "200", "--above", "0.95", "--design", "97,3"],
    ["assurance", "--target", "0.8", "--above", "0.9", "--observed", "190/200"],
    ["assurance", "--target", "0.9", "--above", "0.95", "--design", "97,3"],
    ["assurance", "--tasks", "200", "--above", "0.95", "--rate", "0.97"],
    [
        "assurance", "--tasks", "60", "--above", "0.7", "--rate", "0.8", "--icc", "0.3",
        "--rollouts", "4", "--simulations", "100",
    ],
    [
        "assurance", "--target", "0.5", "--above", "0.7", "--design", "8,2", "--icc", "2,2",
        "--rollouts", "2", "--simulations", "50",
    ],
    ["passes", "--tasks", "200", "--above", "0.95"],
    ["passes", "--tasks", "57", "--above", "0.95"],
    ["passes", "--failures", "2", "--above", "0.95", "--prior", "jeffreys"],
    ["clustered", "--rate", "0.8", "--icc", "0.3"],
    ["clustered", "--rate", "0.8", "--icc", "0", "--half-width", "0.05", "--cost-task", "10"],
    ["clustered", "--rate", "0.8", "--icc", "0.5", "--half-width", "0.05", "--max-tasks", "50"],
    ["clustered", "--rate", "0.8", "--icc", "0.3", "--budget", "1000"],
    ["rare", "--max-rate", "0.01"],
    ["rare", "--tasks", "300"],
    ["rare", "--tasks", "300", "--failures", "2"],
    ["rare", "--see", "0.02"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_prints_for_people_and_for_programs(run: Run, arguments: list[str]) -> None:
    ran = run("plan", *arguments)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.strip()
    assert ran.width <= 80
    assert "\x1b" not in ran.out
    document = run("plan", *arguments, "--json").document
    assert document["schema"] == "bayeseval.plan/1"
    assert document["version"] == be.__version__
    assert document["command"] == arguments[0]
    assert document["plans"]
    for plan in document["plans"]:
        assert hasattr(be.plan, plan["kind"])
        assert plan["sentence"]


def test_width_shows_every_method(run: Run) -> None:
    ran = run("plan", "width", "--rate", "0.8", "--half-width", "0.05")
    rows = {line.split("  ")[0]: line.split() for line in ran.out.splitlines()}
    assert rows["Wilson"][1:3] == ["245", "245"]
    assert rows["Clopper-Pearson"][1:3] == ["264", "265"]
    assert rows["Wald"][1] == "246"


def test_power_of_the_popular_numbers(run: Run) -> None:
    assert "250 tasks a side" in run("plan", "power", "--from", "0.85", "--to", "0.75").out
    assert "906 tasks a side" in run("plan", "power", "--from", "0.85", "--to", "0.80").out
    assert "0.661" in run("plan", "power", "--from", "0.85", "--to", "0.75", "--tasks", "180").out


def test_numbers_are_the_library_s_own(run: Run) -> None:
    def plans(*arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = run("plan", *arguments, "--json").document["plans"]
        return [{k: v for k, v in each.items() if k != "kind"} for each in found]

    def plain(plan: be.plan.Plan) -> Any:
        return json.loads(json.dumps(plan.to_dict()))

    observed = plans("assurance", "--tasks", "200", "--above", "0.95", "--observed", "96/98")
    today = be.beta_posterior(96, 98)
    assert observed == [plain(be.plan.assurance(200, above=0.95, design=today))]
    assert plans("passes", "--tasks", "57", "--above", "0.95", "--confidence", "0.9") == [
        plain(be.plan.passes(57, above=0.95, confidence=0.9))
    ]
    assert plans("clustered", "--rate", "0.8", "--icc", "0.3", "--half-width", "0.05") == [
        plain(be.plan.clustered(0.8, 0.3, 0.05))
    ]
    assert plans("slices", "a=b=0.5", "--half-width", "0.1") == [
        plain(be.plan.slices({"a=b": 0.5}, 0.1))
    ]
    simulated = plans(
        "assurance", "--tasks", "60", "--above", "0.7", "--rate", "0.8", "--icc", "0.3",
        "--rollouts", "4", "--simulations", "100", "--seed", "7", "--prior", "jeffreys",
    )  # fmt: skip
    prior = be.HierarchicalPrior(mean=(0.5, 0.5))
    assert simulated == [
        plain(
            be.plan.clustered_assurance(
                60, 4, above=0.7, design=(0.8, 0.3), prior=prior, simulations=100, rng=7
            )
        )
    ]


def test_an_earlier_run_is_a_design(run: Run) -> None:
    arguments = ["assurance", "--tasks", "100", "--rollouts", "4", "--above", "0.5"]
    ran = run("plan", *arguments, "--today", SUITE, "--simulations", "200")
    assert ran.status == 0
    assert "the fit of 50 tasks" in " ".join(ran.out.split())
    assert run("plan", *arguments, "--today", SUITE, "--simulations", "200").out == ran.out


def test_cheapest_is_marked(run: Run) -> None:
    ran = run(
        "plan", "clustered", "--rate", "0.8", "--icc", "0.3", "--half-width", "0.05",
        "--cost-task", "10",
    )  # fmt: skip
    (line,) = [line for line in ran.out.splitlines() if line.rstrip().endswith("cheapest")]
    assert line.split()[:2] == ["5", "108"]


def test_plan_alone_shows_its_commands(run: Run) -> None:
    ran = run("plan")
    assert ran.status == 0
    for name in ("width", "slices", "power", "assurance", "passes", "clustered", "rare"):
        assert f" {name} " in ran.out


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["width", "--half-width", "0.05"], ["Missing option '--rate'"]),
        (["width", "--rate", "80", "--half-width", "0.05"], ["--rate", "'80'", "divide it by 100"]),
        (["width", "--rate", "0.8", "--half-width", "5"], ["--half-width", "'5'", "divide by 100"]),
        (["width", "--rate", "0.8"], ["one of --half-width, --tasks is needed"]),
        (
            ["width", "--rate", "0.8", "--half-width", "0.1", "--tasks", "9"],
            ["--half-width and --tasks exclude each other"],
        ),
        (["width", "--rate", "0.8", "--tasks", "2.5"], ["--tasks", "whole", "'2.5'"]),
        (
            ["width", "--rate", "0.8", "--tasks", "9", "--method", "willson"],
            ["--method", "'willson'", "did you mean 'wilson'"],
        ),
        (["width", "--rate", "0.8", "--tasks", "9", "--prior", "jefreys"], ["--prior", "jeffreys"]),
        (["width", "--rate", "0.8", "--tasks", "9", "--prior", "1,0"], ["--prior: BETA", "'0'"]),
        (["slices", "dates", "--half-width", "0.1"], ["NAME=RATE", "'dates'"]),
        (["slices", "a=0.5", "a=0.6", "--half-width", "0.1"], ["slice 'a' is given twice"]),
        (["slices", "a=0.5"], ["slice 'a' needs --half-width"]),
        (["slices", "a=5", "--half-width", "0.1"], ["rate of slice 'a'", "'5'"]),
        (["slices", "a=0.5:9"], ["half-width of slice 'a'", "'9'"]),
        (["power", "--from", "0.8", "--to", "0.8"], ["--from and --to must differ"]),
        (["power", "--from", "0.8", "--to", "0.7", "--power", "1"], ["--power", "'1'"]),
        (
            ["power", "--from", "0.8", "--to", "0.7", "--discordant", "0.01"],
            ["discordant", "between 0.1 and 0.5", "0.01"],
        ),
        (
            ["power", "--from", "0.8", "--to", "0.7", "--discordant", "0.2", "--unpooled"],
            ["--unpooled"],
        ),
        (["assurance", "--above", "0.9"], ["one of --tasks, --target is needed"]),
        (["assurance", "--above", "1", "--tasks", "9"], ["--above must be below 1"]),
        (["assurance", "--above", "0.9", "--tasks", "9", "--icc", "0.3"], ["--icc", "--rollouts"]),
        (
            ["assurance", "--above", "0.9", "--tasks", "9", "--rate", "0.9", "--observed", "9/10"],
            ["--rate and --observed exclude each other"],
        ),
        (["assurance", "--above", "0.9", "--tasks", "9", "--observed", "9"], ["PASSES/TRIALS"]),
        (
            ["assurance", "--above", "0.9", "--tasks", "9", "--rollouts", "2", "--rate", "0.9"],
            ["--rate with --rollouts needs --icc"],
        ),
        (
            ["assurance", "--above", "0.9", "--tasks", "9", "--rollouts", "2", "--icc", "0.3"],
            ["--icc must be ALPHA,BETA", "'0.3'"],
        ),
        (
            ["assurance", "--above", ".9", "--tasks", "9", "--rollouts", "2", "--observed", "9/9"],
            ["--today FILE"],
        ),
        (
            [
                "assurance",
                "--above",
                "0.9",
                "--tasks",
                "9",
                "--rollouts",
                "2",
                "--today",
                "none.csv",
            ],
            ["none.csv"],
        ),
        (["passes", "--above", "0.9"], ["one of --tasks, --failures is needed"]),
        (["passes", "--above", "95", "--tasks", "9"], ["--above", "'95'"]),
        (["passes", "--above", "0.9", "--tasks", "9", "--confidence", "1"], ["--confidence"]),
        (["clustered", "--rate", "0.8", "--icc", "2"], ["--icc", "'2'"]),
        (["clustered", "--rate", "1", "--icc", "0.2"], ["--rate", "'1'"]),
        (["clustered", "--rate", "0.8", "--icc", "0.2", "--tasks", "5,x"], ["--tasks", "'x'"]),
        (["clustered", "--rate", "0.8", "--icc", "0.2", "--cost-task", "-1"], ["--cost-task"]),
        (
            ["clustered", "--rate", "0.8", "--icc", "0.2", "--budget", "9", "--half-width", "0.1"],
            ["--half-width and --budget exclude each other"],
        ),
        (["rare"], ["one of --max-rate, --tasks, --see is needed"]),
        (["rare", "--failures", "2"], ["--failures needs --tasks"]),
        (["rare", "--failures", "3", "--tasks", "2"], ["--failures must not exceed --tasks"]),
        (["rare", "--max-rate", "0"], ["--max-rate", "'0'"]),
        (["wdth"], ["No such command 'wdth'", "width"]),
    ],
)
def test_mistakes_are_one_line_that_names_option_value_and_mend(
    run: Run, arguments: list[str], parts: list[str]
) -> None:
    ran = run("plan", *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("bayeseval: ")
    assert ran.err.count("\n") == 1
    for part in parts:
        assert part in ran.err


def test_a_real_process_ends_with_its_status() -> None:
    def status(*arguments: str) -> int:
        command = [sys.executable, "-m", "bayeseval", "plan", "passes", *arguments]
        return subprocess.run(command, capture_output=True, timeout=120).returncode

    assert status("--tasks", "200", "--above", "0.95") == 0
    assert status("--tasks", "200", "--above", "95") == 2


def test_help_loads_no_numpy() -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bayeseval", "plan", "width", "--help"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0
    assert "half-width" in run.stdout
    assert "numpy" not in run.stderr
