"""What ``bayeseval fit`` does, in order."""

from __future__ import annotations

import contextlib
import secrets
import sys
from dataclasses import dataclass, field
from typing import Any, Literal

from bayeseval import __version__
from bayeseval._atomic import as_output_path, atomic_path
from bayeseval._validate import as_probability, as_whole, one_of
from bayeseval.cli._fit_print import print_checks, print_exact
from bayeseval.cli._fit_report import ExactReport, checks, default_ks, documents, estimates
from bayeseval.cli._reading import Reading
from bayeseval.cli._sensitivity import (
    errored_document,
    fit_priors,
    power_document,
    print_errored,
    print_fit_priors,
    print_power,
)
from bayeseval.cli._slices import SliceOptions, flakiest, leak_report, slice_report
from bayeseval.cli._slices_document import flaky_document, leak_document, slice_document
from bayeseval.cli._slices_print import print_flaky, print_leak, print_slices
from bayeseval.cli._tables import Printer, print_json
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit, HierarchicalPrior
from bayeseval.rollouts import Rollouts
from bayeseval.sensitivity import (
    ODDS_RATIOS,
    as_odds_ratios,
    errored_sensitivity,
    power_scaling,
)
from bayeseval.slices import fit as fit_model
from bayeseval.slices._refit import both_fates

__all__ = ["Options", "parse_ks", "run"]

Engine = Literal["nuts", "exact"]
TREATMENTS = ("exclude", "fail", "bounds", "model")
FIGURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for, checked before any work.

    Parameters
    ----------
    ks : tuple of int, or None
        Values of k; None for those that the data reach.
    above : float or None
        The bar.
    engine : {"nuts", "exact"}
        Whether to sample.
    prior : HierarchicalPrior
        The prior.
    plot, save : str or None
        Files to write.
    seed : int
        Seed of everything that is drawn.
    draws, chains : int
        Size of the sample.
    ci_prob : float
        Level of all intervals.
    odds_ratios : tuple of float
        Of errored rollouts, for ``--errors model``.
    slices : SliceOptions
        Slices, their weights, and leaked tasks.
    """

    ks: tuple[int, ...] | None
    above: float | None
    engine: Engine
    prior: HierarchicalPrior
    plot: str | None
    save: str | None
    seed: int
    draws: int
    chains: int
    ci_prob: float
    odds_ratios: tuple[float, ...] = ODDS_RATIOS
    slices: SliceOptions = field(default_factory=SliceOptions)

    @classmethod
    def of(
        cls,
        *,
        k: str | None,
        above: str | None,
        engine: str,
        prior: str,
        plot: str | None,
        save: str | None,
        seed: int | None,
        draws: int | None,
        chains: int | None,
        ci_prob: str,
        errors: str = "exclude",
        odds_ratio: str | None = None,
        by: str | None = None,
        pooling: str | None = None,
        weights: str | None = None,
        unsupported: str = "refuse",
        next_tasks: str | None = None,
        leaked: str | None = None,
    ) -> Options:
        """Parse and check what the command line was given."""
        one_of(engine, Engine, "--engine")
        one_of(prior, ("uniform", "arcsine"), "--prior")
        if engine == "exact" and (draws is not None or chains is not None):
            raise InputError("--draws and --chains belong to --engine nuts; exact draws nothing")
        if odds_ratio is not None and errors != "model":
            raise InputError(f"--odds-ratio goes with --errors model; got --errors {errors}")
        if plot is not None:
            as_output_path(plot, suffixes=FIGURES)
        if save is not None:
            as_output_path(save, suffixes=(".nc",))
        return cls(
            ks=None if k is None else parse_ks(k),
            above=None if above is None else as_probability(above, "--above"),
            engine=engine,  # type: ignore[arg-type]
            prior=HierarchicalPrior.named(prior),  # type: ignore[arg-type]
            plot=plot,
            save=save,
            seed=secrets.randbits(32) if seed is None else as_whole(seed, "--seed"),
            draws=1000 if draws is None else as_whole(draws, "--draws", minimum=1),
            chains=4 if chains is None else as_whole(chains, "--chains", minimum=1),
            ci_prob=as_probability(ci_prob, "--ci-prob", open_ends=True),
            odds_ratios=ODDS_RATIOS if odds_ratio is None else _parse_ratios(odds_ratio),
            slices=SliceOptions.of(
                by=by,
                pooling=pooling,
                weights=weights,
                unsupported=unsupported,
                next_tasks=next_tasks,
                leaked=leaked,
                engine=engine,
            ),
        )


def run(reading: Reading, options: Options, *, json: bool) -> None:
    """Read, answer exactly, sample, check, and write what was asked for."""
    printer = Printer(silent=json)
    found = reading.find(TREATMENTS)
    rollouts = found.rollouts
    options.slices.check(rollouts)
    ks = default_ks(rollouts) if options.ks is None else options.ks

    def report_of(fit: Fit, lost: tuple[Fit, Fit] | None) -> ExactReport:
        return ExactReport.of(
            fit,
            lost=lost,
            ks=ks,
            above=options.above,
            ci_prob=options.ci_prob,
            seed=options.seed,
        )

    exact = _exact(rollouts, options)
    lost = both_fates(exact)
    report = report_of(exact, lost)
    bounds: tuple[ExactReport, ...] = ()
    if lost is not None and reading.errors == "bounds":
        bounds = tuple(report_of(each, None) for each in lost)
    print_exact(report, printer, bounds)
    asked = (ks, options.above, options.ci_prob)
    by_ratio = None
    if reading.errors == "model":
        by_ratio = errored_sensitivity(
            rollouts, odds_ratios=options.odds_ratios, prior=options.prior, rng=options.seed
        )
        print_errored(by_ratio, *asked, printer)
    priors = fit_priors(exact, *asked)
    print_fit_priors(priors, printer)
    flaky = flakiest(exact, options.ci_prob)
    if flaky is not None:
        print_flaky(flaky, printer)
    leak = leak_report(rollouts, options.slices, options)
    if leak is not None:
        print_leak(leak, ks, options.ci_prob, printer)
    sliced = slice_report(rollouts, options.slices, options, ks) if options.slices.by else None
    if sliced is not None:
        print_slices(sliced, printer)
    fit = exact
    if options.engine == "nuts":
        printer.flush()
        fit = _sample(rollouts, options)
    print_checks(fit, printer)
    power = power_scaling(fit) if options.engine == "nuts" else None
    if power is not None:
        print_power(power, printer)
    _write_files(fit, options, printer)
    printer.text()
    printer.text(f"--seed {options.seed} repeats this run.")
    if json:
        document = _document(report, fit, options)
        if power is not None:
            document["sampled"]["power_scaling"] = power_document(power)
        document["errors"] = reading.errors
        document["priors"] = priors.document()
        document["by_odds_ratio"] = by_ratio and errored_document(by_ratio, *asked)
        document["slices"] = sliced and slice_document(sliced)
        document["flaky"] = [] if flaky is None else flaky_document(flaky)
        document["contamination"] = leak and leak_document(leak, ks, options.ci_prob)
        document["formats"] = sorted({each.format.name for each in found.files})
        document["bounds"] = {
            name: each.answers()
            for name, each in zip(("if_failed", "if_passed"), bounds, strict=False)
        } or None
        print_json(document)


def _exact(rollouts: Rollouts, options: Options) -> Fit:
    return fit_model(rollouts, engine="exact", prior=options.prior, rng=options.seed)


def _sample(rollouts: Rollouts, options: Options) -> Fit:
    if sys.stderr.isatty():
        print(
            f"Sampling the PyMC model: {options.chains} chains of {options.draws} draws ...",
            file=sys.stderr,
        )
    # Standard output is for answers only, whatever a library thinks of its own messages.
    with contextlib.redirect_stdout(sys.stderr):
        return fit_model(
            rollouts,
            engine="nuts",
            prior=options.prior,
            draws=options.draws,
            chains=options.chains,
            rng=options.seed,
        )


def _write_files(fit: Fit, options: Options, printer: Printer) -> None:
    if options.plot is None and options.save is None:
        return
    printer.text()
    if options.plot is not None:
        # Loads Matplotlib.
        from bayeseval.cli._figure import write_figure

        with atomic_path(options.plot) as temporary:
            write_figure(
                fit,
                temporary,
                threshold=options.above,
                ci_prob=options.ci_prob,
                seed=options.seed,
            )
        printer.text(f"Figure: {options.plot}")
    if options.save is not None:
        fit.save(options.save)
        printer.text(f"Fit: {options.save}")


def _document(report: ExactReport, fit: Fit, options: Options) -> dict[str, Any]:
    sampled = None
    if options.engine == "nuts":
        rows = estimates(fit, report.ks)
        sampled = {
            "draws": options.draws,
            "chains": options.chains,
            "estimates": documents(rows, options.ci_prob, options.above),
            "checks": checks(fit),
        }
    return {
        "schema": "bayeseval.fit/1",
        "version": __version__,
        "seed": options.seed,
        **report.document(),
        "sampled": sampled,
        "files": {"plot": options.plot, "save": options.save},
    }


def parse_ks(text: str) -> tuple[int, ...]:
    """Return the values of k of an option, sorted."""
    parts = [part.strip() for part in text.split(",")]
    # Nine digits: beyond any number of rollouts, and no work to refuse.
    if not all(part.isdecimal() and len(part) <= 9 and int(part) >= 1 for part in parts):
        raise InputError(
            f"--k must be whole numbers of at least 1 with commas between, such as 1,2,4; "
            f"got {text!r}"
        )
    return tuple(sorted({int(part) for part in parts}))


def _parse_ratios(text: str) -> tuple[float, ...]:
    """The odds ratios that were named, between the two that bound every other."""
    try:
        named = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--odds-ratio must be numbers with commas between, such as 0.5,1,2; got {text!r}"
        ) from None
    return as_odds_ratios({0.0, *named, float("inf")})
