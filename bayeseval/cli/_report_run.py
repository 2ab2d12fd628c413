"""What ``bayeseval report`` does: options, answers, and the file made of them."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from bayeseval._atomic import as_output_path
from bayeseval._validate import as_probability, as_whole, one_of
from bayeseval._weights import Weights, read_weights
from bayeseval.claims import Claim, parse_claim
from bayeseval.claims._verdict import as_confidence
from bayeseval.cli._fit_run import parse_ks
from bayeseval.cli._modelling import names_in
from bayeseval.cli._reading import Reading
from bayeseval.cli._tables import Printer
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.record import provenance_of
from bayeseval.report import make_report
from bayeseval.report._gather import FORMS, Engine, Pooling

__all__ = ["Options", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for, checked before any work; fields as the parameters of `make_report`.

    Parameters
    ----------
    output : str
        The file to write.
    claims : tuple of Claim
        What is claimed.
    confidence, ci_prob : float
        Levels of verdicts and of intervals.
    ks : tuple of int, or None
        Values of k.
    above : float or None
        The bar.
    engine : {"nuts", "exact"}
        Whether to sample.
    prior : HierarchicalPrior
        The prior.
    by : tuple of str
        Factors of the slices; none if empty.
    pooling : {"none", "partial", "complete"} or None
        How much slices tell of each other.
    weights : Weights or None
        Shares of the population.
    baseline : tuple of str
        Files of an earlier system; none if empty.
    leaked : str or None
        Factor that marks leaked tasks.
    title, figures : str or None
        Title, and folder of the figures.
    seed : int
        Seed of everything that is drawn.
    """

    output: str
    claims: tuple[Claim, ...]
    confidence: float
    ci_prob: float
    ks: tuple[int, ...] | None
    above: float | None
    engine: Engine
    prior: HierarchicalPrior
    by: tuple[str, ...]
    pooling: Pooling | None
    weights: Weights | None
    baseline: tuple[str, ...]
    leaked: str | None
    title: str | None
    figures: str | None
    seed: int

    @classmethod
    def of(
        cls,
        *,
        output: str,
        claims: list[str] | None,
        confidence: str,
        k: str | None,
        above: str | None,
        engine: str,
        prior: str,
        by: str | None,
        pooling: str | None,
        weights: str | None,
        baseline: list[str] | None,
        leaked: str | None,
        title: str | None,
        figures: str | None,
        seed: int | None,
        ci_prob: str,
    ) -> Options:
        """Parse and check what the command line was given."""
        as_output_path(output, suffixes=FORMS)
        one_of(engine, Engine, "--engine")
        one_of(prior, ("uniform", "arcsine"), "--prior")
        names = names_in(by)
        for option, value in (("--pooling", pooling), ("--weights", weights)):
            if value is not None and not names:
                raise InputError(f"{option} needs --by FACTOR, which says what the slices are")
        if pooling is not None:
            one_of(pooling, Pooling, "--pooling")
            if pooling == "partial" and engine == "exact":
                raise InputError("--pooling partial is sampled: leave out --engine exact")
        parsed = tuple(parse_claim(text) for text in claims or ())
        if any(each.needs_baseline for each in parsed) and not baseline:
            raise InputError("a claim about [baseline] needs --baseline FILE")
        if any(each.needs_slices for each in parsed) and not names:
            raise InputError("worst_slice needs --by FACTOR, which says what the slices are")
        if figures is not None and Path(figures).exists() and not Path(figures).is_dir():
            raise InputError(f"{figures}: a file; --figures names a folder")
        return cls(
            output=output,
            claims=parsed,
            confidence=as_confidence(confidence),
            ci_prob=as_probability(ci_prob, "--ci-prob", open_ends=True),
            ks=None if k is None else parse_ks(k),
            above=None if above is None else as_probability(above, "--above"),
            engine=engine,  # type: ignore[arg-type]
            prior=HierarchicalPrior.named(prior),  # type: ignore[arg-type]
            by=names,
            pooling=pooling,  # type: ignore[arg-type]
            weights=None if weights is None else read_weights(weights, by=names),
            baseline=tuple(baseline or ()),
            leaked=leaked,
            title=title,
            figures=figures,
            seed=secrets.randbits(32) if seed is None else as_whole(seed, "--seed"),
        )


def run(reading: Reading, options: Options, *, baseline: Reading) -> None:
    """Read, answer, and write the report and its figures."""
    printer = Printer()
    found = reading.find()
    before = baseline.find() if options.baseline else None
    told = reading.told
    if options.prior != HierarchicalPrior():
        told["prior"] = "arcsine"
    if options.engine == "nuts" and sys.stderr.isatty():
        print("Sampling the PyMC model ...", file=sys.stderr)
    # Standard output is for what was written, whatever a library thinks of its own messages.
    with contextlib.redirect_stdout(sys.stderr):
        report = make_report(
            found.rollouts,
            claims=options.claims,
            k=options.ks,
            above=options.above,
            by=options.by or None,
            pooling=options.pooling,
            weights=options.weights,
            baseline=None if before is None else before.rollouts,
            leaked=options.leaked,
            engine=options.engine,
            prior=options.prior,
            confidence=options.confidence,
            ci_prob=options.ci_prob,
            title=options.title,
            rng=options.seed,
            provenance=provenance_of(
                _inputs(reading.files, [each.name for each in found.files]),
                reading=told,
                command=shlex.join(["bayeseval", *sys.argv[1:]]),
            ),
        )
        if options.figures is not None:
            report.save_figures(options.figures)
        folder = None
        if options.figures is not None:
            folder = os.path.relpath(options.figures, Path(options.output).parent)
        report.save(options.output, figures=folder)
    for verdict in report.verdicts:
        printer.text(str(verdict))
    printer.text(f"Report: {options.output}")
    if options.figures is not None:
        printer.text(f"Figures: {options.figures}")
    printer.text(f"--seed {options.seed} repeats this run.")


def _inputs(given: list[str], read: list[str]) -> list[str]:
    """Files and folders whose hashes say what was read; a pattern stands for what it named.

    Standard input is gone once it was read.
    """
    if all(os.path.exists(name) for name in given):
        return given
    return [name for name in read if os.path.exists(name)]
