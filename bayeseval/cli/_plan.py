"""``bayeseval plan``: how many tasks, how many rollouts, and what a run can be expected to show.

The document that ``--json`` prints (``"schema": "bayeseval.plan/1"``):

``schema, version``
    Which document this is, and which bayeseval wrote it.
``command``
    ``width``, ``slices``, ``power``, ``assurance``, ``passes``, ``clustered`` or ``rare``.
``plans``
    The results, one object for each: ``kind``, the name of its class in `bayeseval.plan`,
    the fields that are documented there, and ``sentence``, which says it in one line.

Numbers are not rounded. What has no answer is ``{"unknown": reason}``.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bayeseval.cli._rate import CiProbOption, JsonOption

__all__ = ["plan"]

plan = typer.Typer(
    name="plan",
    help="Plan a run: how many tasks, how many rollouts, and what they can be expected to show.",
    add_completion=False,
    no_args_is_help=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Text = str | None

RateOption = Annotated[
    str, typer.Option("--rate", metavar="P", help="Pass rate that is expected, 0-1.")
]
AboveOption = Annotated[
    str, typer.Option("--above", metavar="T", help="The bar of the claim p > T.")
]
ConfidenceOption = Annotated[
    str,
    typer.Option("--confidence", metavar="C", help="Posterior probability that supports a claim."),
]
PriorOption = Annotated[
    str,
    typer.Option(
        "--prior",
        metavar="NAME|ALPHA,BETA",
        help="Prior of the analysis: uniform, jeffreys, or the two parameters of a Beta.",
    ),
]
HalfWidthOption = Annotated[
    Text,
    typer.Option("--half-width", metavar="H", help="Half-width to reach: 0.05 is ± 5 points."),
]
MethodOption = Annotated[
    Text,
    typer.Option(
        "--method",
        metavar="NAME",
        help="wilson, clopper_pearson, agresti_coull, wald, jeffreys or posterior.",
    ),
]
CostTaskOption = Annotated[
    str, typer.Option("--cost-task", metavar="X", help="What a task costs once.")
]
CostRolloutOption = Annotated[
    str, typer.Option("--cost-rollout", metavar="X", help="What each rollout costs.")
]


@plan.callback(invoke_without_command=True)
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@plan.command()
def width(
    rate: RateOption,
    half_width: HalfWidthOption = None,
    tasks: Annotated[
        Text,
        typer.Option("--tasks", metavar="N", help="Instead: the half-width with N tasks."),
    ] = None,
    method: MethodOption = None,
    prior: PriorOption = "uniform",
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
) -> None:
    """Tasks for an interval of a given half-width, one rollout for each task."""
    _show("width", locals())


@plan.command()
def slices(
    rates: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=RATE[:HALF_WIDTH]...",
            help="Slices and their expected pass rates, such as dates=0.5 joins=0.9:0.03.",
            show_default=False,
        ),
    ],
    half_width: HalfWidthOption = None,
    method: MethodOption = None,
    prior: PriorOption = "uniform",
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
) -> None:
    """Tasks that each slice needs for an interval of its own."""
    _show("slices", locals())


@plan.command()
def power(
    rate_from: Annotated[
        str, typer.Option("--from", metavar="P", help="True pass rate of the one system.")
    ],
    rate_to: Annotated[str, typer.Option("--to", metavar="P", help="True pass rate of the other.")],
    tasks: Annotated[
        Text, typer.Option("--tasks", metavar="N", help="Instead: the power with N tasks a side.")
    ] = None,
    power: Annotated[
        str, typer.Option("--power", metavar="P", help="Probability to find the difference.")
    ] = "0.8",
    alpha: Annotated[
        str, typer.Option("--alpha", metavar="A", help="Two-sided level of the test.")
    ] = "0.05",
    unpooled: Annotated[
        bool, typer.Option("--unpooled", help="Standard error from both rates, not their mean.")
    ] = False,
    discordant: Annotated[
        Text,
        typer.Option(
            "--discordant",
            metavar="D",
            help="Both systems run the same tasks, and differ in this share of them.",
        ),
    ] = None,
    correlation: Annotated[
        Text,
        typer.Option(
            "--correlation",
            metavar="C",
            help="Both systems run the same tasks, with outcomes correlated like this.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Tasks that tell two pass rates apart, from separate tasks or the same ones."""
    _show("power", locals())


@plan.command()
def assurance(
    above: AboveOption,
    tasks: Annotated[
        Text, typer.Option("--tasks", metavar="N", help="The chance with N tasks.")
    ] = None,
    target: Annotated[
        Text, typer.Option("--target", metavar="P", help="The tasks that reach this chance.")
    ] = None,
    confidence: ConfidenceOption = "0.95",
    design: Annotated[
        str,
        typer.Option(
            "--design",
            metavar="NAME|ALPHA,BETA",
            help="What is believed of the rate before the run.",
        ),
    ] = "uniform",
    observed: Annotated[
        Text,
        typer.Option(
            "--observed", metavar="PASSES/TRIALS", help="Today's result; it updates --design."
        ),
    ] = None,
    rate: Annotated[
        Text, typer.Option("--rate", metavar="P", help="Instead of both: a rate taken as known.")
    ] = None,
    prior: PriorOption = "uniform",
    rollouts: Annotated[
        Text,
        typer.Option("--rollouts", metavar="R", help="Rollouts of each task: simulated."),
    ] = None,
    icc: Annotated[
        Text,
        typer.Option(
            "--icc",
            metavar="RHO|ALPHA,BETA",
            help="With --rollouts: how alike rollouts of a task are, a number beside --rate, or "
            "a Beta. Default: uniform.",
        ),
    ] = None,
    today: Annotated[
        Text,
        typer.Option(
            "--today",
            metavar="FILE",
            help="With --rollouts: results of an earlier run, whose fit is the design.",
        ),
    ] = None,
    simulations: Annotated[
        str, typer.Option("--simulations", metavar="N", help="Simulated runs.")
    ] = "2000",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Seed of the simulation.")] = "0",
    json: JsonOption = False,
) -> None:
    """Chance that a run will support p > T, or the tasks that reach a chance."""
    _show("assurance", locals())


@plan.command()
def passes(
    above: AboveOption,
    tasks: Annotated[
        Text, typer.Option("--tasks", metavar="N", help="Tasks of the run, one rollout each.")
    ] = None,
    failures: Annotated[
        Text,
        typer.Option("--failures", metavar="F", help="Instead: fewest tasks with F failures."),
    ] = None,
    confidence: ConfidenceOption = "0.95",
    prior: PriorOption = "uniform",
    json: JsonOption = False,
) -> None:
    """Fewest passes of N tasks that support p > T."""
    _show("passes", locals())


@plan.command()
def clustered(
    rate: RateOption,
    icc: Annotated[
        str,
        typer.Option(
            "--icc",
            metavar="RHO",
            help="Intraclass correlation: how alike rollouts of a task are, 0-1.",
        ),
    ],
    half_width: HalfWidthOption = None,
    budget: Annotated[
        Text, typer.Option("--budget", metavar="X", help="Instead: the best design for a budget.")
    ] = None,
    cost_task: CostTaskOption = "1",
    cost_rollout: CostRolloutOption = "1",
    max_tasks: Annotated[
        Text, typer.Option("--max-tasks", metavar="N", help="Tasks that there are at most.")
    ] = None,
    max_rollouts: Annotated[
        str, typer.Option("--max-rollouts", metavar="R", help="Rollouts of a task at most.")
    ] = "100",
    tasks: Annotated[
        str, typer.Option("--tasks", metavar="N,N,...", help="Rows of the table.")
    ] = "50,100,200,400,800",
    rollouts: Annotated[
        str, typer.Option("--rollouts", metavar="R,R,...", help="Columns of the table.")
    ] = "1,2,4,8",
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="wilson or wald.")
    ] = "wilson",
    ci_prob: CiProbOption = "0.95",
    json: JsonOption = False,
) -> None:
    """Tasks x rollouts: what each design tells, and the cheapest that is enough."""
    _show("clustered", locals())


@plan.command()
def rare(
    max_rate: Annotated[
        Text,
        typer.Option("--max-rate", metavar="R", help="Tasks that must all pass to rule out R."),
    ] = None,
    failures: Annotated[
        Text, typer.Option("--failures", metavar="F", help="Failures seen; needs --tasks.")
    ] = None,
    tasks: Annotated[
        Text, typer.Option("--tasks", metavar="N", help="Bound the failure rate after N tasks.")
    ] = None,
    see: Annotated[
        Text,
        typer.Option("--see", metavar="R", help="Tasks that show a failure of rate R."),
    ] = None,
    confidence: Annotated[
        str,
        typer.Option("--confidence", metavar="C", help="Confidence of a bound, chance to see one."),
    ] = "0.95",
    json: JsonOption = False,
) -> None:
    """Rare failures: clean runs, upper bounds, and runs that show one."""
    _show("rare", locals())


def _show(command: str, options: dict[str, Any]) -> None:
    # Loads NumPy, which the help does without.
    from bayeseval.cli._plan_run import run

    run(command, options)
