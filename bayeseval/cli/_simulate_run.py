"""Runs ``bayeseval simulate``: read the options, simulate, write, print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayeseval import __version__
from bayeseval._atomic import as_output_path
from bayeseval._validate import as_probability, as_whole, one_of
from bayeseval.cli._tables import Printer, bare_percent, print_json
from bayeseval.errors import InputError
from bayeseval.simulation import Simulation, simulate
from bayeseval.simulation._generate import ErrorsOn
from bayeseval.unknown import Unknown

__all__ = ["Options", "run"]

# Values of k that people ask for, as far as the rollouts of every task reach.
KS = (1, 2, 3, 4, 5, 8, 10)


@dataclass(frozen=True, slots=True)
class Options:
    """The options as they were typed."""

    output: str
    tasks: str | None
    rollouts: str
    mean: str | None
    icc: str | None
    mixture: str | None
    slices: list[str]
    leaked_share: str
    recall: str
    error_rate: str
    errors_on: str
    seed: str


def run(options: Options, *, json: bool) -> None:
    """Simulate, write the file, and print what is true."""
    as_output_path(options.output, suffixes=(".csv",))
    _check_exclusive(options)
    seed = as_whole(options.seed, "--seed")
    rollouts = _rollouts(options.rollouts)
    found = simulate(
        None if options.tasks is None else as_whole(options.tasks, "--tasks", minimum=1),
        rollouts,
        mean=_probability(options.mean, "--mean"),
        icc=_probability(options.icc, "--icc"),
        mixture=None if options.mixture is None else _mixture(options.mixture),
        slices=_slices(options.slices) if options.slices else None,
        leaked_share=as_probability(options.leaked_share, "--leaked-share"),
        recall=as_probability(options.recall, "--recall"),
        error_rate=as_probability(options.error_rate, "--error-rate"),
        errors_on=one_of(options.errors_on, ErrorsOn, "--errors-on"),
        rng=seed,
    )
    found.to_csv(options.output)
    most = rollouts if isinstance(rollouts, int) else rollouts[1]
    rows = _truth(found, tuple(k for k in KS if k <= most))
    if json:
        print_json(_document(options.output, seed, found, rows))
    else:
        _print(Printer(), options.output, seed, found, rows)


def _check_exclusive(options: Options) -> None:
    """Refuse options that say the same thing twice, by the names that were typed."""
    given = {
        "--slice": bool(options.slices),
        "--mixture": options.mixture is not None,
        "--tasks": options.tasks is not None,
        "--mean": options.mean is not None,
        "--icc": options.icc is not None,
    }
    for one, others in (
        ("--slice", ("--tasks", "--mean", "--mixture")),
        ("--mixture", ("--mean", "--icc")),
    ):
        for other in others:
            if given[one] and given[other]:
                raise InputError(f"{one} and {other} exclude each other: give one of them")


def _probability(text: str | None, option: str) -> float | None:
    return None if text is None else as_probability(text, option)


def _rollouts(text: str) -> int | tuple[int, int]:
    low, dash, high = text.partition("-")
    # A number with a sign is no range.
    if not dash or not low:
        return as_whole(text, "--rollouts", minimum=1)
    both = (as_whole(each, "--rollouts LOW-HIGH", minimum=1) for each in (low, high))
    fewest, most = both
    if fewest > most:
        raise InputError(f"--rollouts LOW-HIGH: the lower number comes first; got {text!r}")
    return fewest, most


def _parts(text: str, option: str, form: str) -> list[str]:
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise InputError(f"{option} must be {form}; got {text!r}")
    return parts


def _mixture(text: str) -> list[tuple[float, float, float]]:
    found = []
    for each in text.split(","):
        weight, mean, *icc = _parts(each, "--mixture", "WEIGHT:MEAN[:RHO], and so on")
        found.append(
            (
                as_probability(weight, f"--mixture {each}: WEIGHT"),
                as_probability(mean, f"--mixture {each}: MEAN"),
                as_probability(icc[0], f"--mixture {each}: RHO") if icc else 0.0,
            )
        )
    return found


def _slices(texts: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in texts:
        form = "NAME=TASKS:MEAN[:RHO]"
        name, equals, rest = text.rpartition("=")
        if not equals or not name.strip():
            raise InputError(f"--slice must be {form}; got {text!r}")
        if name in found:
            raise InputError(f"--slice {name} is given twice; give each slice once")
        tasks, mean, *icc = _parts(rest, f"--slice {name}", form)
        found[name] = (
            as_whole(tasks, f"--slice {name}: TASKS", minimum=1),
            as_probability(mean, f"--slice {name}: MEAN"),
            *(as_probability(each, f"--slice {name}: RHO") for each in icc),
        )
    return found


def _truth(found: Simulation, ks: tuple[int, ...]) -> list[dict[str, Any]]:
    truth = found.truth
    sets = ("all", "clean", "leaked") if truth.leaked.any() else ("all",)
    rows: list[dict[str, Any]] = []
    for k in ks:
        asked = (
            ((f"pass@{k}", truth.pass_at_k), (f"pass^{k}", truth.pass_hat_k))
            if k > 1
            else (("pass_rate", truth.pass_hat_k),)
        )
        for quantity, ask in asked:
            for population in ("new_tasks", "suite"):
                for which in sets:
                    value = ask(k, population=population, which=which)  # type: ignore[arg-type]
                    rows.append(
                        {
                            "quantity": quantity,
                            "population": population,
                            "tasks": which,
                            "value": value,
                        }
                    )
    return rows


def _document(
    output: str, seed: int, found: Simulation, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    ledger = found.rollouts.ledger
    return {
        "schema": "bayeseval.simulate/1",
        "version": __version__,
        "file": output,
        "seed": seed,
        "tasks": found.rollouts.n_tasks,
        "leaked_tasks": int(found.truth.leaked.sum()),
        "passed": ledger.passed,
        "failed": ledger.failed,
        "errored": ledger.errored,
        "icc": found.truth.icc,
        "truth": rows,
        "rates": found.rates,
    }


def _print(
    printer: Printer, output: str, seed: int, found: Simulation, rows: list[dict[str, Any]]
) -> None:
    printer.text(repr(found.rollouts).removeprefix("Rollouts(").removesuffix(")"))
    values = {
        (row["quantity"], row["population"], row["tasks"]): bare_percent(row["value"])
        for row in rows
    }
    leaked = int(found.truth.leaked.sum())
    sets = ("all", "clean") if leaked else ("all",)
    heads = {
        ("new_tasks", "all"): "new tasks",
        ("suite", "all"): "these tasks",
        ("new_tasks", "clean"): "new, clean",
        ("suite", "clean"): "these, clean",
    }
    chosen = [(population, which) for which in sets for population in ("new_tasks", "suite")]
    icc = found.truth.icc
    notes = [
        f"ICC of new tasks: {'UNKNOWN' if isinstance(icc, Unknown) else f'{icc:.3f}'}. "
        "New tasks: expected of the generator. These: the rates it drew."
    ]
    if leaked:
        notes.append(f"Leaked: {leaked:,} of {found.rollouts.n_tasks:,} tasks.")
    quantities = dict.fromkeys(row["quantity"] for row in rows)
    printer.table(
        "What is true, %",
        ["", *(heads[each] for each in chosen)],
        [
            (
                "pass rate" if quantity == "pass_rate" else quantity,
                *(values[quantity, population, which] for population, which in chosen),
            )
            for quantity in quantities
        ],
        notes=notes,
    )
    printer.text(f"File: {output} (seed {seed})")
