"""What ``bayeseval watch`` does: the plan that the files imply, the look, and its print."""

from __future__ import annotations

from collections.abc import Callable

from bayeseval import __version__
from bayeseval._format import format_percent, format_probability
from bayeseval._validate import as_number, as_whole
from bayeseval.cli._reading import Reading
from bayeseval.cli._tables import Printer, bare_range, print_json
from bayeseval.decisions import Look, Sequential
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["run"]

# Seeds the simulated runs: the same files print the same numbers.
SEED = 1


def run(
    reading: Callable[[list[str]], Reading],
    files: list[str],
    *,
    claim: str,
    looks: str,
    tasks_per_look: str | None,
    same_tasks: bool,
    rollouts: str | None,
    alpha: str,
    icc: str | None,
    simulations: str,
    json: bool,
) -> None:
    """Read the files, assess them, and print."""
    planned = as_whole(looks, "--looks", minimum=1)
    batch = (
        None if tasks_per_look is None else as_whole(tasks_per_look, "--tasks-per-look", minimum=1)
    )
    each = None if rollouts is None else as_whole(rollouts, "--rollouts", minimum=1)
    found = reading(files).find()
    suite = found.rollouts
    if suite.n_scored_tasks == 0:
        raise InputError(f"{suite.source}: no task has a scored rollout")
    done = len(found.files)
    again = same_tasks or _runs_again(reading, files, suite, done)
    tasks = suite.n_scored_tasks
    scored = int(suite.trials.sum()) / tasks
    look: int | None = None
    if again:
        if each is None:
            if done == 1 and planned > 1:
                raise InputError(
                    "one file with the same tasks at every look needs --rollouts N, the rollouts "
                    "of a task at each look"
                )
            each, look = max(round(scored / done), 1), done
        batch = tasks if batch is None else batch
    else:
        each = max(round(scored), 1) if each is None else each
        if batch is None:
            if done == 1 and planned > 1:
                raise InputError(
                    "one file needs --tasks-per-look N; several files are one look each"
                )
            batch, look = max(round(tasks / done), 1), done
    plan = Sequential(
        claim,
        looks=planned,
        tasks_per_look=batch,
        alpha=as_number(alpha, "--alpha"),
        rollouts=each,
        icc=None if icc is None else as_number(icc, "--icc"),
        same_tasks=again,
        simulations=as_whole(simulations, "--simulations", minimum=1),
        rng=SEED,
    )
    now = plan.assess(suite, look=look)
    if json:
        print_json(
            {
                "schema": "bayeseval.watch/1",
                "version": __version__,
                "source": suite.source,
                "formats": sorted({file.format.name for file in found.files}),
                "plan": {
                    "looks": plan.looks,
                    "tasks_per_look": plan.tasks_per_look,
                    "rollouts": plan.rollouts,
                    "same_tasks": plan.same_tasks,
                    "alpha": plan.alpha,
                    "icc": plan.icc,
                    "method": plan.method,
                    "simulations": 0 if plan.method == "exact" else plan.simulations,
                    "confidence": plan.confidence,
                    "false_release": plan.false_release,
                    "mcse": plan.mcse,
                },
                "look": now.to_dict(),
            }
        )
        return
    _print(plan, now, suite, Printer())


def _runs_again(
    reading: Callable[[list[str]], Reading], files: list[str], suite: Rollouts, done: int
) -> bool:
    """Whether several files hold the same tasks: the first has as many as all together."""
    if done < 2 or len(files) < 2:
        return False
    return reading(files[:1]).find().rollouts.n_tasks == suite.n_tasks


def _print(plan: Sequential, now: Look, suite: Rollouts, printer: Printer) -> None:
    printer.text(f"{now.outcome.upper()}: look {now.look} of {now.looks}", style="bold")
    printer.text(repr(suite))
    level = 100 * (1 - plan.alpha)
    printer.table(
        "",
        ["", ""],
        [
            ("posterior now", now.estimate),
            (f"Pr[{now.claim}]", format_probability(now.prob)),
            ("needed at this and every look", format_probability(plan.confidence)),
            (f"{level:.10g} % confidence sequence, %", bare_range(now.anytime)),
            (
                f"e-value (release at {1 / plan.alpha:.10g})",
                "UNKNOWN" if isinstance(now.e_value, Unknown) else f"{now.e_value:.3g}",
            ),
        ],
        left=(0,),
        notes=[_risk(plan)],
    )
    if now.note:
        printer.text(now.note)
    if now.stop:
        words = {
            "released": "Stop: the claim is supported, looks counted.",
            "contradicted": "Stop: more results would hardly rescue the claim.",
            "undecided": "The plan is at its end, and has not decided. A longer one must be "
            "made before more results are seen.",
        }
        printer.text(words[now.outcome])
        return
    ahead = now.ahead
    printer.text(f"Go on: {ahead}.")


def _risk(plan: Sequential) -> str:
    how = "exact" if plan.method == "exact" else f"Monte Carlo error {100 * plan.mcse:.1f} points"
    fixed = plan.false_release_at(1 - plan.alpha)
    return (
        f"A system on the bar is ever released in {format_percent(plan.false_release)} ({how}); "
        f"with a fixed {100 * (1 - plan.alpha):.10g} % it would be in {format_percent(fixed)}."
    )
