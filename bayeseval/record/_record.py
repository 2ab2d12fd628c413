"""EstimateRecord: one estimate with all that a reader needs to check it."""

from __future__ import annotations

import inspect
from typing import Any, Literal

import msgspec

from bayeseval.errors import FormatError

__all__ = [
    "SCHEMA",
    "BaselineRow",
    "CheckRow",
    "ClaimRow",
    "Estimand",
    "Estimate",
    "EstimateRecord",
    "InputFile",
    "JudgementRow",
    "LedgerRow",
    "Limits",
    "Provenance",
    "SliceRow",
]

SCHEMA = "bayeseval.record/1"


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a record: no field more, none less."""


class Limits(_Part, frozen=True):
    """An interval with its level and kind."""

    lower: float
    upper: float
    ci_prob: float
    kind: str


class Estimand(_Part, frozen=True):
    """What is estimated, in words and in names.

    Parameters
    ----------
    text : str
        One sentence for the reader.
    quantity : str
        ``pass_rate``, ``pass^3``, or the left side of a claim.
    population : str
        ``new_tasks``, ``suite`` or ``next_run``.
    outcome : str
        What a pass is.
    suite : str
        What the tasks are, and where they came from.
    sampling_unit : str
        What was sampled: ``task``.
    """

    text: str
    quantity: str
    population: Literal["new_tasks", "suite", "next_run"]
    outcome: str
    suite: str
    sampling_unit: Literal["task"] = "task"


class Estimate(_Part, frozen=True):
    """The numbers: posterior mean, median, standard deviation, interval, Monte Carlo error."""

    mean: float
    median: float
    sd: float
    interval: Limits
    mcse: float
    estimator: str
    engine: str
    model: str
    prior: str
    extrapolated: bool
    note: str = ""


class ClaimRow(_Part, frozen=True):
    """A claim, its probability and its verdict."""

    claim: str
    prob: float
    prob_not: float
    confidence: float
    rule: str
    verdict: Literal["supported", "contradicted", "inconclusive"]
    reasons: tuple[str, ...] = ()


class JudgementRow(_Part, frozen=True):
    """The estimate under one other assumption; with a claim, its probability there."""

    name: str
    mean: float
    lower: float
    upper: float
    prob: float | None = None
    verdict: str | None = None


class BaselineRow(_Part, frozen=True):
    """A frequentist estimate; limits are null where the method has none."""

    name: str
    estimate: float | None
    interval: Limits | None
    advice: str
    sound: bool


class CheckRow(_Part, frozen=True):
    """A check of the fit."""

    name: str
    value: float | None
    limit: float
    at_most: bool
    passed: bool


class SliceRow(_Part, frozen=True):
    """A slice and its weight; the weight is null where slices were not weighted."""

    name: str
    tasks: int
    rollouts: int
    weight: float | None = None


class LedgerRow(_Part, frozen=True):
    """Where every rollout went."""

    passed: int
    failed: int
    errored: int
    missing: int
    duplicates: int
    notes: tuple[str, ...] = ()


class InputFile(_Part, frozen=True):
    """A file that was read: its name as given, its SHA-256 and its size in bytes."""

    name: str
    sha256: str
    size: int


class Provenance(_Part, frozen=True):
    """Where the numbers came from.

    Parameters
    ----------
    inputs : tuple of InputFile
        The files.
    reading : dict
        Options of `read` that differ from their defaults.
    versions : dict of str to str
        Of Python, of this package, and of the libraries that computed.
    seed : int
        Seed of everything that was drawn.
    command : str or None
        The command, where there was one.
    time : str or None
        When, in UTC (ISO 8601).
    """

    inputs: tuple[InputFile, ...] = ()
    reading: dict[str, str | bool] = {}
    versions: dict[str, str] = {}
    seed: int = 0
    command: str | None = None
    time: str | None = None


class EstimateRecord(_Part, frozen=True):
    """One estimate with all that a reader needs to check it.

    Made by `make_record`, read by `load_record`. ``record.to_json()`` follows the schema
    that `record_schema` returns.

    Parameters
    ----------
    schema : str
        Name and version of the schema.
    estimand : Estimand
        What is estimated.
    n_tasks, n_rollouts : int
        Scored tasks and rollouts.
    slices : tuple of SliceRow
        Of a suite fitted by slice; none otherwise.
    n_eff : float or None
        Kish's effective number of tasks, where slices are weighted.
    ledger : LedgerRow
        Where every rollout went.
    estimate : Estimate
        The numbers.
    claim : ClaimRow or None
        The claim, where there is one.
    baselines : tuple of BaselineRow
        Frequentist estimates beside it.
    lost : tuple of JudgementRow
        If all errored rollouts had failed, and if all had passed; none if nothing was lost.
    priors : tuple of JudgementRow
        Under other priors.
    checks : tuple of CheckRow
        Of the fit.
    notes : tuple of str
        Sentences that a reader of the numbers must see.
    provenance : Provenance
        Where they came from.

    Examples
    --------
    >>> import bayeseval as be
    >>> fit = be.fit(be.Rollouts.from_counts([1] * 80 + [0] * 20, 1), engine="exact")
    >>> record = be.make_record(fit, claim="pass_rate > 0.75")
    >>> print(record.to_markdown().split("; ")[0])
    80.0 % (95 % Wilson CI 71.1-86.7 %, n = 100 tasks)
    """

    estimand: Estimand
    n_tasks: int
    n_rollouts: int
    ledger: LedgerRow
    estimate: Estimate
    provenance: Provenance
    slices: tuple[SliceRow, ...] = ()
    n_eff: float | None = None
    claim: ClaimRow | None = None
    baselines: tuple[BaselineRow, ...] = ()
    lost: tuple[JudgementRow, ...] = ()
    priors: tuple[JudgementRow, ...] = ()
    checks: tuple[CheckRow, ...] = ()
    notes: tuple[str, ...] = ()
    schema: Literal["bayeseval.record/1"] = "bayeseval.record/1"

    def to_json(self) -> str:
        """The record as JSON; numbers are not rounded."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic")).decode()

    def to_markdown(self) -> str:
        """The record as one paragraph."""
        from bayeseval.record._text import paragraph

        return paragraph(self)

    def to_html(self) -> str:
        """The record as an HTML fragment that stands alone."""
        from bayeseval.record._text import fragment

        return fragment(self)

    def _repr_html_(self) -> str:
        return self.to_html()


def decode_record(text: str | bytes) -> EstimateRecord:
    """Read a record from JSON."""
    try:
        return msgspec.json.decode(text, type=EstimateRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"no estimate record ({SCHEMA}): {error}") from None


def record_schema() -> dict[str, Any]:
    """JSON Schema of an estimate record (draft 2020-12).

    Returns
    -------
    dict
        The schema, which also lies in the package as ``record/estimate_record.schema.json``.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.record_schema()["title"]
    'bayeseval estimate record, version 1'
    """
    # Through JSON, so that defaults are lists and not tuples.
    schema: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(msgspec.json.schema(EstimateRecord))
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bayeseval estimate record, version 1",
        **_same_everywhere(schema),
    }


def _same_everywhere(schema: Any) -> Any:
    """Undo what depends on the release of Python: indents of docstrings, order of choices."""
    if isinstance(schema, list):
        return [_same_everywhere(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    same = {name: _same_everywhere(each) for name, each in schema.items()}
    if isinstance(same.get("description"), str):
        same["description"] = inspect.cleandoc(same["description"])
    if "anyOf" in same:
        same["anyOf"] = sorted(same["anyOf"], key=lambda each: each == {"type": "null"})
    return same
