"""``bayeseval plan width``, ``slices``, ``power`` and ``clustered``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, get_args

import bayeseval.plan as planning
from bayeseval._validate import as_number, as_positive, as_probability, as_whole, one_of
from bayeseval.cli._plan_options import beta_prior, exactly_one, sentence_of, whole_list
from bayeseval.cli._tables import Printer, level
from bayeseval.errors import InputError
from bayeseval.plan._designs import ClusteredMethod
from bayeseval.plan._half_width import METHOD_NAMES, WidthMethod, as_half_width
from bayeseval.unknown import Unknown

__all__ = ["show_clustered", "show_power", "show_slices", "show_width"]

Options = dict[str, Any]


def _method_options(options: Options) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Methods that were asked for, and what all of them take."""
    if options["method"] is None:
        methods = get_args(WidthMethod)
    else:
        methods = (one_of(options["method"], WidthMethod, "--method"),)
    return methods, {
        "ci_prob": as_probability(options["ci_prob"], "--ci-prob", open_ends=True),
        "prior": beta_prior(options["prior"], "--prior"),
    }


def show_width(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Plan a half-width, or say what so many tasks give."""
    rate = as_probability(options["rate"], "--rate")
    methods, common = _method_options(options)
    asked = exactly_one(options, ("half_width", "tasks"))
    interval = f"{level(common['ci_prob'])} interval"
    if asked == "tasks":
        tasks = as_whole(options["tasks"], "--tasks", minimum=1)
        found = [planning.width_at(rate, tasks, method=method, **common) for method in methods]
        printer.table(
            f"Half-width at {100 * rate:.10g} % with {tasks:,} tasks",
            [interval, "half-width, points"],
            [(METHOD_NAMES[each.method], f"± {100 * each.half_width:.2f}") for each in found],
        )
        return found
    target = as_half_width(options["half_width"], "--half-width")
    plans = [planning.width(rate, target, method=method, **common) for method in methods]
    printer.table(
        f"Tasks for {100 * rate:.10g} % ± {100 * target:.10g} points, one rollout each",
        [interval, "tasks", "passes whole", "half-width, points"],
        [
            (
                METHOD_NAMES[plan.method],
                f"{plan.tasks:,}",
                f"{plan.tasks_whole:,}",
                f"± {100 * plan.half_width_at:.3f}",
            )
            for plan in plans
        ],
        notes=[
            "Tasks: for exactly that rate. Passes whole: for the nearest whole number of passes, "
            "and from there on.",
            f"Beta posterior: equal-tailed, prior {common['prior']}."
            if "posterior" in methods
            else "Several rollouts of a task are not independent: see 'bayeseval plan clustered'.",
        ],
    )
    return plans


def show_slices(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Plan a half-width for each slice."""
    options["method"] = options["method"] or "wilson"
    (method,), common = _method_options(options)
    rates, targets = {}, {}
    for text in options["rates"]:
        name, equals, numbers = text.rpartition("=")
        rate, colon, target = numbers.partition(":")
        if not equals or not name:
            raise InputError(f"a slice must be NAME=RATE, such as dates=0.5; got {text!r}")
        if name in rates:
            raise InputError(f"slice {name!r} is given twice; got {text!r}")
        if not colon and options["half_width"] is None:
            raise InputError(f"slice {name!r} needs --half-width, or NAME=RATE:HALF_WIDTH")
        rates[name] = as_probability(rate, f"rate of slice {name!r}")
        targets[name] = (
            as_half_width(target, f"half-width of slice {name!r}")
            if colon
            else as_half_width(options["half_width"], "--half-width")
        )
    plan = planning.slices(rates, targets, method=method, **common)
    rows = [
        (
            name,
            f"{100 * each.rate:.10g}",
            f"± {100 * each.half_width:.10g}",
            f"{each.tasks:,}",
            f"{each.tasks_whole:,}",
        )
        for name, each in plan.slices.items()
    ]
    whole = sum(each.tasks_whole for each in plan.slices.values())
    printer.table(
        f"Tasks of each slice, {level(common['ci_prob'])} {METHOD_NAMES[method]}",
        ["slice", "rate, %", "points", "tasks", "passes whole"],
        [*rows, ("all", "", "", f"{plan.tasks:,}", f"{whole:,}")],
        notes=["Each interval has this level by itself; that all hold at once is less probable."],
    )
    return [plan]


def show_power(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Plan a comparison of two pass rates."""
    rate_from = as_probability(options["rate_from"], "--from")
    rate_to = as_probability(options["rate_to"], "--to")
    if rate_from == rate_to:
        raise InputError(f"--from and --to must differ; got {options['rate_to']} for both")
    alpha = as_probability(options["alpha"], "--alpha", open_ends=True)
    tasks = options["tasks"]
    sizes = {"alpha": alpha}
    if tasks is None:
        sizes["power"] = as_probability(options["power"], "--power", open_ends=True)
    if options["discordant"] is None and options["correlation"] is None:
        variance: Any = "unpooled" if options["unpooled"] else "pooled"
        if tasks is not None:
            count = as_whole(tasks, "--tasks", minimum=1)
            found = planning.unpaired_power(
                rate_from, rate_to, count, alpha=alpha, variance=variance
            )
            _print_power(printer, found, f"{count:,} tasks a side, each system its own tasks")
            return [found]
        size = planning.unpaired_size(rate_from, rate_to, variance=variance, **sizes)
        _print_power(
            printer, size.at, f"{size.tasks:,} tasks a side, each system its own tasks", size
        )
        return [size]
    if options["unpooled"]:
        raise InputError("--unpooled belongs to separate tasks, not to --discordant, --correlation")
    name = exactly_one(options, ("discordant", "correlation"))
    share = {name: as_number(options[name], f"--{name}")}
    if tasks is not None:
        count = as_whole(tasks, "--tasks", minimum=1)
        paired = planning.paired_power(rate_from, rate_to, count, alpha=alpha, **share)
        _print_power(printer, paired, f"{count:,} tasks, run by both systems")
        return [paired]
    both = planning.paired_size(rate_from, rate_to, **share, **sizes)
    _print_power(printer, both.at, f"{both.tasks:,} tasks, run by both systems", both)
    return [both]


def _print_power(
    printer: Printer,
    power: planning.UnpairedPower | planning.PairedPower,
    title: str,
    size: planning.UnpairedSize | planning.PairedSize | None = None,
) -> None:
    def show(value: float | Unknown) -> str:
        return value.reason if isinstance(value, Unknown) else f"{value:.3f}"

    rates = f"{100 * power.rate_from:.10g} % against {100 * power.rate_to:.10g} %"
    rows = [("power, normal formula", show(power.power))]
    notes = [f"Two-sided alpha {power.alpha:.10g}."]
    if isinstance(power, planning.UnpairedPower):
        rows.append((f"power, exact, {power.variance} z test", show(power.exact_power)))
        if isinstance(size, planning.UnpairedSize):
            rows.append(("tasks a side, continuity-corrected test", f"{size.tasks_corrected:,}"))
            notes.append("Both systems on the same tasks need fewer: --correlation, --discordant.")
    else:
        rows.append(("power, exact, McNemar's z test", show(power.exact_power)))
        rows.append(("power, exact, binomial test", show(power.exact_test_power)))
        notes.append(f"{100 * power.discordant:.4g} % of the tasks have different outcomes.")
    printer.table(f"{rates}: {title}", ["", ""], rows, notes=notes)


def show_clustered(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Lay out designs of tasks and rollouts, and find the cheapest."""
    rate = as_probability(options["rate"], "--rate", open_ends=True)
    icc = as_probability(options["icc"], "--icc")
    cost_task = as_number(options["cost_task"], "--cost-task")
    if cost_task < 0:
        raise InputError(f"--cost-task must not be negative; got {options['cost_task']!r}")
    common: dict[str, Any] = {
        "method": one_of(options["method"], ClusteredMethod, "--method"),
        "ci_prob": as_probability(options["ci_prob"], "--ci-prob", open_ends=True),
        "cost_task": cost_task,
        "cost_rollout": as_positive(options["cost_rollout"], "--cost-rollout"),
    }
    limits: dict[str, Any] = {
        "max_rollouts": as_whole(options["max_rollouts"], "--max-rollouts", minimum=1)
    }
    if options["max_tasks"] is not None:
        limits["max_tasks"] = as_whole(options["max_tasks"], "--max-tasks", minimum=1)
    if options["half_width"] is not None and options["budget"] is not None:
        raise InputError("--half-width and --budget exclude each other: give one of them")
    if options["half_width"] is not None:
        target = as_half_width(options["half_width"], "--half-width")
        plan = planning.clustered(rate, icc, target, **common, **limits)
        _print_cheapest(printer, plan)
        return [plan]
    if options["budget"] is not None:
        money = as_positive(options["budget"], "--budget")
        best = planning.clustered_budget(rate, icc, money, **common, **limits)
        printer.text(sentence_of(best))
        return [best]
    table = planning.clustered_table(
        rate,
        icc,
        tasks=whole_list(options["tasks"], "--tasks"),
        rollouts=whole_list(options["rollouts"], "--rollouts"),
        **common,
    )
    _print_table(printer, table)
    return [table]


def _print_cheapest(printer: Printer, plan: planning.ClusteredPlan) -> None:
    title = f"{100 * plan.rate:.10g} % ± {100 * plan.half_width:.10g} points"
    if isinstance(plan.cheapest, Unknown):
        printer.text(sentence_of(plan))
    if not plan.designs:
        return
    textbook = (
        "without end" if math.isinf(plan.best_rollouts) else f"{plan.best_rollouts:.1f} of each"
    )
    printer.table(
        f"Designs for {title}, {level(plan.ci_prob)} {METHOD_NAMES[plan.method]}, "
        f"ICC {plan.icc:.10g}",
        ["rollouts", "tasks", "in all", "design effect", "points", "cost", ""],
        [
            (
                f"{each.rollouts:,}",
                f"{each.tasks:,}",
                f"{each.tasks * each.rollouts:,}",
                f"{each.design_effect:.2f}",
                f"± {100 * each.half_width:.2f}",
                f"{each.cost:,.10g}",
                "cheapest" if each == plan.cheapest else "",
            )
            for each in plan.designs
        ],
        left=(6,),
        notes=[
            f"A task costs {plan.cost_task:.10g}, and each rollout of it "
            f"{plan.cost_rollout:.10g}. Rollouts of the textbook formula: {textbook}.",
            "The interval is for new tasks like these.",
        ],
    )


def _print_table(printer: Printer, table: planning.ClusteredTable) -> None:
    first = table.designs[0]
    rollouts = sorted({each.rollouts for each in table.designs})
    cells = {(each.tasks, each.rollouts): each for each in table.designs}
    head = [f"{r:,} rollout" if r == 1 else f"{r:,} rollouts" for r in rollouts]
    printer.table(
        f"Half-width in points and (standard error), {level(first.ci_prob)} "
        f"{METHOD_NAMES[first.method]}, {100 * first.rate:.10g} %, ICC {first.icc:.10g}",
        ["tasks", *head],
        [
            (
                f"{m:,}",
                *(
                    f"± {100 * cells[m, r].half_width:.2f} ({100 * cells[m, r].se:.2f})"
                    for r in rollouts
                ),
            )
            for m in sorted({each.tasks for each in table.designs})
        ],
        notes=[
            "Design effect: "
            + ", ".join(f"{cells[first.tasks, r].design_effect:.2f}" for r in rollouts)
            + ". --half-width finds the cheapest design, --budget the best one."
        ],
    )
