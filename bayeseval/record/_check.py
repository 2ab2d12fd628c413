"""Read a record, and compute its numbers again from the inputs that it names."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayeseval._validate import as_kind, as_path
from bayeseval.claims import parse_claim
from bayeseval.errors import CheckWarning, FormatError, InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.io import read
from bayeseval.record._make import make_record, provenance_of
from bayeseval.record._record import EstimateRecord, decode_record
from bayeseval.slices import fit

__all__ = ["Difference", "check_record", "load_record"]

# The exact engine is deterministic; other processors round differently.
RELATIVE, ABSOLUTE = 1e-7, 1e-9
# Sampled numbers agree within so many Monte Carlo errors of the recorded mean.
MONTE_CARLO = 6.0


@dataclass(frozen=True, slots=True)
class Difference:
    """One number or text that is not as recorded.

    Parameters
    ----------
    what : str
        Where it stands in the record.
    recorded, found : object
        As it was, and as it is now.
    """

    what: str
    recorded: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.what}: recorded {self.recorded!r}, found {self.found!r}"


def load_record(path: str | os.PathLike[str]) -> EstimateRecord:
    """Read an estimate record from a JSON file.

    Parameters
    ----------
    path : str or path-like
        A file that `EstimateRecord.to_json` or ``bayeseval record make`` wrote.

    Returns
    -------
    EstimateRecord

    Raises
    ------
    InputError
        No such file.
    FormatError
        A file that is no such record, or of another version.

    Examples
    --------
    >>> import bayeseval as be, pathlib, tempfile
    >>> fit = be.fit(be.Rollouts.from_counts([1] * 8 + [0] * 2, 1), engine="exact")
    >>> record = be.make_record(fit)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "record.json"
    >>> _ = path.write_text(record.to_json())
    >>> be.load_record(path) == record
    True
    """
    name = Path(as_path(path, "path"))
    try:
        text = name.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or error}") from None
    try:
        return decode_record(text)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def check_record(
    record: EstimateRecord, *, folder: str | os.PathLike[str] = "."
) -> tuple[Difference, ...]:
    """Compute a record again from the inputs that it names, and say what differs.

    Parameters
    ----------
    record : EstimateRecord
        The record.
    folder : str or path-like, default "."
        Where the names of its inputs begin.

    Returns
    -------
    tuple of Difference
        None if all numbers are as recorded: to 1e-7 of their size, or within 6 Monte Carlo
        errors where they were sampled.

    Raises
    ------
    InputError
        A record without inputs, or an input that cannot be read.

    Examples
    --------
    >>> import bayeseval as be
    >>> file = "examples/sqlagent.csv"
    >>> record = be.make_record(
    ...     be.fit(be.read(file), engine="exact"), provenance=be.provenance_of([file])
    ... )
    >>> be.check_record(record)
    ()
    """
    source = as_kind(record, EstimateRecord, "record").provenance
    folder = as_path(folder, "folder")
    if not source.inputs:
        raise InputError("the record names no input: its numbers cannot be computed again")
    files = [os.path.join(folder, each.name) for each in source.inputs]
    now = provenance_of(files)
    changed = tuple(
        Difference(f"SHA-256 of {was.name}", was.sha256, found.sha256)
        for was, found in zip(source.inputs, now.inputs, strict=True)
        if was.sha256 != found.sha256
    )
    again = _again(record, files)
    return changed + tuple(_differences(record, again))


def _again(record: EstimateRecord, files: list[str]) -> EstimateRecord:
    """The same record, made now."""
    given: dict[str, Any] = dict(record.provenance.reading)
    by = tuple(str(given.pop("by")).split(",")) if "by" in given else None
    pooling: Any = given.pop("pooling", "none")
    prior = HierarchicalPrior.named(str(given.pop("prior", "uniform")))  # type: ignore[arg-type]
    rollouts = read(files if len(files) > 1 else files[0], **given)
    engine: Any = record.estimate.engine
    with warnings.catch_warnings():
        # What failed stands among the checks that are compared.
        warnings.simplefilter("ignore", CheckWarning)
        seed = record.provenance.seed
        fitted = (
            fit(rollouts, engine=engine, prior=prior, rng=seed)
            if by is None
            else fit(rollouts, by=by, pooling=pooling, prior=prior, rng=seed)
        )
        claim = record.claim
        if claim is not None:
            return make_record(
                fitted,
                claim=claim.claim,
                confidence=claim.confidence,
                ci_prob=record.estimate.interval.ci_prob,
            )
        weights = None
        if record.n_eff is not None:
            weights = {row.name: row.weight or 0.0 for row in record.slices}
        term = parse_claim(f"{record.estimand.quantity} > 0").comparisons[0].left
        return make_record(
            fitted,
            quantity=term.kind,  # type: ignore[arg-type]
            k=term.k,
            population=record.estimand.population,
            weights=weights,
            ci_prob=record.estimate.interval.ci_prob,
        )


def _differences(record: EstimateRecord, again: EstimateRecord) -> Iterable[Difference]:
    for name in ("n_tasks", "n_rollouts"):
        if (was := getattr(record, name)) != (found := getattr(again, name)):
            yield Difference(name, was, found)
    for name in ("passed", "failed", "errored", "missing", "duplicates"):
        was, found = getattr(record.ledger, name), getattr(again.ledger, name)
        if was != found:
            yield Difference(f"ledger.{name}", was, found)
    sampled = record.estimate.engine == "nuts"
    slack = MONTE_CARLO * record.estimate.mcse if sampled else ABSOLUTE
    pairs: list[tuple[str, float, float]] = [
        (f"estimate.{name}", getattr(record.estimate, name), getattr(again.estimate, name))
        for name in ("mean", "median", "sd")
    ]
    pairs += [
        (
            f"estimate.interval.{name}",
            getattr(record.estimate.interval, name),
            getattr(again.estimate.interval, name),
        )
        for name in ("lower", "upper")
    ]
    if record.claim is not None and again.claim is not None:
        pairs.append(("claim.prob", record.claim.prob, again.claim.prob))
        if record.claim.verdict != again.claim.verdict:
            yield Difference("claim.verdict", record.claim.verdict, again.claim.verdict)
    for group in ("lost", "priors"):
        for was, found in zip(getattr(record, group), getattr(again, group), strict=False):
            pairs.append((f"{group}.{was.name}", was.mean, found.mean))
    for was, found in zip(record.baselines, again.baselines, strict=False):
        if was.estimate is not None and found.estimate is not None:
            pairs.append((f"baselines.{was.name}", was.estimate, found.estimate))
    for what, before, now in pairs:
        # Quantiles of draws are less certain than their mean.
        reach = max(slack * (3.0 if sampled else 1.0), RELATIVE * abs(before), ABSOLUTE)
        if not abs(before - now) <= reach:
            yield Difference(what, before, now)
