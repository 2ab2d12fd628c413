"""``bayeseval plan assurance``, ``passes`` and ``rare``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bayeseval.plan as planning
from bayeseval._format import format_percent
from bayeseval._validate import as_probability, as_whole
from bayeseval.cli._plan_options import beta_prior, exactly_one, pair, sentence_of
from bayeseval.cli._tables import Printer, level
from bayeseval.conjugate import beta_posterior
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.slices import fit
from bayeseval.unknown import Unknown

__all__ = ["show_assurance", "show_passes", "show_rare"]

Options = dict[str, Any]


def show_passes(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Plan the fewest passes, or the fewest tasks with some failures."""
    common: dict[str, Any] = {
        "above": _bar(options),
        "confidence": as_probability(options["confidence"], "--confidence", open_ends=True),
        "prior": beta_prior(options["prior"], "--prior"),
    }
    plan: planning.Plan
    if exactly_one(options, ("tasks", "failures")) == "tasks":
        plan = planning.passes(as_whole(options["tasks"], "--tasks", minimum=1), **common)
    else:
        failures = as_whole(options["failures"], "--failures")
        plan = planning.tasks_for_failures(failures, **common)
    printer.text(sentence_of(plan))
    return [plan]


def show_assurance(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Plan the chance to support a claim, or the tasks that reach it."""
    asked = exactly_one(options, ("tasks", "target"))
    above = _bar(options)
    confidence = as_probability(options["confidence"], "--confidence", open_ends=True)
    if asked == "tasks":
        first: Any = as_whole(options["tasks"], "--tasks", minimum=1)
    else:
        first = as_probability(options["target"], "--target", open_ends=True)
    if options["rollouts"] is None:
        for name in ("icc", "today"):
            if options[name] is not None:
                raise InputError(f"--{name} goes with --rollouts; got {options[name]!r} alone")
        function: Any = planning.assurance if asked == "tasks" else planning.assurance_size
        plan = function(
            first,
            above=above,
            confidence=confidence,
            design=_design(options),
            prior=beta_prior(options["prior"], "--prior"),
        )
    else:
        rollouts = as_whole(options["rollouts"], "--rollouts", minimum=1)
        mean = beta_prior(options["prior"], "--prior")
        function = (
            planning.clustered_assurance if asked == "tasks" else planning.clustered_assurance_size
        )
        plan = function(
            first,
            rollouts,
            above=above,
            confidence=confidence,
            design=_clustered_design(options),
            prior=HierarchicalPrior(mean=(mean.alpha, mean.beta)),
            simulations=as_whole(options["simulations"], "--simulations", minimum=2),
            rng=as_whole(options["seed"], "--seed"),
        )
    printer.text(sentence_of(plan))
    if isinstance(plan, planning.ClusteredAssuranceSize):
        printer.table(
            "",
            ["tasks tried", "chance"],
            [(f"{size:,}", format_percent(chance)) for size, chance in plan.tried],
            left=(),
        )
    return [plan]


def _design(options: Options) -> Any:
    if options["rate"] is not None:
        if options["observed"] is not None:
            raise InputError("--rate and --observed exclude each other: give one of them")
        return as_probability(options["rate"], "--rate")
    prior = beta_prior(options["design"], "--design")
    if options["observed"] is None:
        return prior
    # Reads counts as 'bayeseval rate' does.
    from bayeseval.cli._rate_report import parse_counts

    return beta_posterior(*parse_counts(options["observed"]), prior=prior)


def _clustered_design(options: Options) -> Any:
    if options["observed"] is not None:
        raise InputError("--observed is for one rollout each; with --rollouts give --today FILE")
    if options["today"] is not None:
        for name in ("rate", "icc"):
            if options[name] is not None:
                raise InputError(f"--today and --{name} exclude each other: give one of them")
        from bayeseval.io import read

        return fit(read(options["today"]), engine="exact")
    icc = options["icc"]
    if options["rate"] is None:
        mean = beta_prior(options["design"], "--design")
        spread = (1.0, 1.0) if icc is None else pair(icc, "--icc")
        if spread is None:
            raise InputError(
                f"--icc must be ALPHA,BETA beside --design, or go with --rate; got {icc!r}"
            )
        return HierarchicalPrior(mean=(mean.alpha, mean.beta), icc=spread)
    if icc is None:
        raise InputError("--rate with --rollouts needs --icc, a number between 0 and 1")
    return as_probability(options["rate"], "--rate"), as_probability(icc, "--icc")


def show_rare(options: Options, printer: Printer) -> Sequence[planning.Plan]:
    """Plan for rare failures."""
    confidence = as_probability(options["confidence"], "--confidence", open_ends=True)
    if options["failures"] is not None and options["tasks"] is None:
        raise InputError(f"--failures needs --tasks; got {options['failures']!r} failures alone")
    asked = exactly_one(options, ("max_rate", "tasks", "see"))
    if options["failures"] is not None and asked != "tasks":
        raise InputError("--failures goes with --tasks only")
    if asked == "max_rate":
        rate = as_probability(options["max_rate"], "--max-rate", open_ends=True)
        clean = planning.clean_run(rate, confidence=confidence)
        printer.table(
            f"Tasks without a failure for a failure rate of at most {100 * rate:.10g} %",
            [f"{level(confidence)}, one-sided", "tasks"],
            [
                ("exact", f"{clean.tasks:,}"),
                ("posterior, uniform prior", f"{clean.tasks_uniform:,}"),
                ("rule of three, for 95 %", f"{clean.tasks_rule_of_three:,}"),
            ],
        )
        return [clean]
    if asked == "see":
        rate = as_probability(options["see"], "--see", open_ends=True)
        seen = planning.see_failure(rate, prob=confidence)
        printer.text(sentence_of(seen))
        return [seen]
    tasks = as_whole(options["tasks"], "--tasks", minimum=1)
    failures = as_whole(options["failures"] or "0", "--failures")
    if failures > tasks:
        raise InputError(f"--failures must not exceed --tasks; got {failures} of {tasks}")
    bound = planning.failure_bound(failures, tasks, confidence=confidence)
    rows = [
        ("exact, one-sided", bound.upper),
        ("Clopper-Pearson, two-sided", bound.upper_two_sided),
        ("posterior, uniform prior", bound.upper_uniform),
        ("posterior, Jeffreys prior", bound.upper_jeffreys),
        ("rule of three, for 95 %", bound.rule_of_three),
    ]
    printer.table(
        f"Upper limit of the failure rate: {failures:,} of {tasks:,} failed",
        [level(confidence), "per cent"],
        [
            (name, f"{100 * min(limit, 1.0):.3g}")
            for name, limit in rows
            if not isinstance(limit, Unknown)
        ],
    )
    return [bound]


def _bar(options: Options) -> float:
    above = as_probability(options["above"], "--above")
    if above == 1:
        raise InputError("--above must be below 1: no rate is above 1; got 1")
    return above
