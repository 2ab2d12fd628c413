"""What ``bayeseval record`` does."""

from __future__ import annotations

import re
import shlex
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bayeseval._atomic import as_output_path, atomic_path
from bayeseval._validate import Population, as_probability, as_whole, one_of
from bayeseval._weights import Weights, read_weights
from bayeseval.claims import parse_claim
from bayeseval.claims._verdict import as_confidence
from bayeseval.cli._modelling import names_in
from bayeseval.cli._reading import Reading
from bayeseval.cli._tables import Printer, print_json
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.record import (
    EstimateRecord,
    check_record,
    load_record,
    make_record,
    provenance_of,
)
from bayeseval.slices import fit

__all__ = ["Options", "check", "make"]

Quantity = Literal["pass_rate", "pass_at_k", "pass_hat_k"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for, checked before any work; fields as the options."""

    output: str | None
    quantity: Quantity
    k: int
    population: Population
    claim: str | None
    confidence: float
    engine: Literal["exact", "nuts"]
    prior: str
    by: tuple[str, ...]
    weights: Weights | None
    estimand: str | None
    seed: int
    ci_prob: float

    @classmethod
    def of(
        cls,
        *,
        output: str | None,
        quantity: str,
        population: str,
        claim: str | None,
        confidence: str,
        engine: str,
        prior: str,
        by: str | None,
        weights: str | None,
        estimand: str | None,
        seed: int,
        ci_prob: str,
    ) -> Options:
        """Parse and check what the command line was given."""
        one_of(engine, ("exact", "nuts"), "--engine")
        one_of(prior, ("uniform", "arcsine"), "--prior")
        one_of(population, Population, "--population")
        if output is not None:
            as_output_path(output, suffixes=(".json", ".md", ".html"))
        if claim is not None:
            parse_claim(claim)
        names = names_in(by)
        if weights is not None and not names:
            raise InputError("--weights needs --by FACTOR, which says what the slices are")
        if names and engine == "nuts":
            raise InputError("--by fits each slice by the exact engine; leave out --engine nuts")
        kind, k = _quantity(quantity)
        return cls(
            output=output,
            quantity=kind,
            k=k,
            population=population,  # type: ignore[arg-type]
            claim=claim,
            confidence=as_confidence(confidence),
            engine=engine,  # type: ignore[arg-type]
            prior=prior,
            by=names,
            weights=None if weights is None else read_weights(weights, by=names),
            estimand=estimand,
            seed=as_whole(seed, "--seed"),
            ci_prob=as_probability(ci_prob, "--ci-prob", open_ends=True),
        )


def _quantity(text: str) -> tuple[Quantity, int]:
    if text == "pass_rate":
        return "pass_rate", 1
    match = re.fullmatch(r"pass([@^])(\d{1,9})", text)
    if match is None or int(match[2]) < 1:
        raise InputError(f"--quantity must be pass_rate, pass^K or pass@K; got {text!r}")
    return ("pass_hat_k" if match[1] == "^" else "pass_at_k"), int(match[2])


def make(reading: Reading, options: Options, *, json: bool) -> None:
    """Read, fit, make the record, and write or print it."""
    rollouts = reading.find().rollouts
    told = reading.told
    prior = HierarchicalPrior.named(options.prior)  # type: ignore[arg-type]
    if options.prior != "uniform":
        told["prior"] = options.prior
    with warnings.catch_warnings():
        # What failed stands in the record.
        warnings.simplefilter("ignore", CheckWarning)
        if options.by:
            told |= {"by": ",".join(options.by), "pooling": "none"}
            fitted: Any = fit(
                rollouts, by=options.by, pooling="none", prior=prior, rng=options.seed
            )
        else:
            fitted = fit(rollouts, engine=options.engine, prior=prior, rng=options.seed)
        found = make_record(
            fitted,
            quantity=options.quantity,
            k=options.k,
            population=options.population,
            claim=options.claim,
            confidence=options.confidence,
            weights=options.weights,
            ci_prob=options.ci_prob,
            estimand=options.estimand,
            provenance=provenance_of(
                reading.files,
                reading=told,
                command=shlex.join(["bayeseval", *sys.argv[1:]]),
            ),
        )
    if options.output is not None:
        with atomic_path(options.output) as temporary:
            temporary.write_text(_as_text(found, Path(options.output).suffix), encoding="utf-8")
    printer = Printer(silent=json)
    printer.text(found.to_markdown())
    if options.output is not None:
        printer.text()
        printer.text(f"Record: {options.output}")
    if json:
        sys.stdout.write(found.to_json() + "\n")


def _as_text(found: EstimateRecord, suffix: str) -> str:
    if suffix.lower() == ".json":
        return found.to_json() + "\n"
    if suffix.lower() == ".md":
        return found.to_markdown() + "\n"
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Estimate record</title>'
    return f"{head}<body>{found.to_html()}</body></html>\n"


def check(file: str, *, json: bool) -> int:
    """Compute a record again and print what differs; returns the exit status."""
    found = load_record(file)
    differences = check_record(found)
    printer = Printer(silent=json)
    if differences:
        printer.text(f"{len(differences)} of the record's values differ:", style="bold")
        for each in differences:
            printer.text(f"- {each}")
    else:
        files = ", ".join(each.name for each in found.provenance.inputs)
        printer.text(f"All numbers are as recorded, computed again from {files}.")
    if json:
        print_json(
            {
                "schema": "bayeseval.record-check/1",
                "as_recorded": not differences,
                "differences": [
                    {"what": each.what, "recorded": each.recorded, "found": each.found}
                    for each in differences
                ],
            }
        )
    return 1 if differences else 0
