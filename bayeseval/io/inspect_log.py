"""Inspect AI logs: ``.json``, and ``.eval`` archives with deflate or Zstandard members.

A file is one evaluation of one model. A task is a sample id (``8`` and ``"8"`` differ), a
rollout is an epoch. A pass is a score of at least 1, by Inspect's own mapping of values: C is
1, P is 0.5, I and N are 0, booleans and yes/no are 1 or 0, numbers stand as they are, and NaN
means that there is no score. ``scorer=`` chooses where a log has several scorers; a scorer
whose value has several keys counts as several, ``rubric/accuracy``. ``pass_if=`` sets another
bar than 1. The model is the system; the task of the evaluation and plain values of the
sample's metadata are factors.

A sample with an error and no score is errored; Inspect leaves such samples out of its metrics
(unless ``score_on_error`` had them scored, and then their score counts). Logs of runs that
were cancelled or are still running are read as far as they go. Of an archive only the
summaries are read; a sample is opened only where they lack its score. Transcripts are never
decoded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from bayeseval.errors import FormatError
from bayeseval.io._fields import refuse_options, version_text
from bayeseval.io._format import Format, Source
from bayeseval.io._inspect_scores import outcomes
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._records import Records
from bayeseval.io._totals import Totals, TotalsOnly
from bayeseval.io._zip import Archive, Member, is_zip, open_archive
from bayeseval.rollouts._tally import short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

VERSIONS = (1, 2)
HEADER, START, SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")
_BEGINNING = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
# Names of factors that mean something else than the metadata of a sample.
_RESERVED = ("system", "suite", "task")


class _Skipped(msgspec.Struct):
    """An object of which only the presence counts."""


class _Limit(msgspec.Struct):
    type: Any = None


class _Score(msgspec.Struct, gc=False):
    value: Any = None


class _Sample(msgspec.Struct, gc=False):
    """A sample, or its summary: the summary has the same fields, and fewer."""

    id: int | str
    epoch: int = 1
    scores: dict[str, _Score] | None = None
    score: _Score | None = None
    error: str | _Skipped | None = None
    limit: str | _Limit | None = None
    metadata: dict[str, str | int | float | bool | _Skipped | list[Any] | None] | None = None
    retries: int | None = None
    error_retries: list[_Skipped] | None = None


class _Dataset(msgspec.Struct):
    samples: Any = None
    sample_ids: list[Any] | None = None


class _Config(msgspec.Struct):
    epochs: Any = None
    limit: Any = None


class _Eval(msgspec.Struct):
    task: str | None = None
    model: str | None = None
    dataset: _Dataset | None = None
    config: _Config | None = None
    packages: dict[str, Any] | None = None


class _Metric(msgspec.Struct):
    value: Any = None


class _Total(msgspec.Struct):
    name: str
    scored_samples: int | None = None
    metrics: dict[str, _Metric] | None = None


class _Scorer(msgspec.Struct):
    name: str = "score"


class _Results(msgspec.Struct):
    total_samples: int | None = None
    completed_samples: int | None = None
    scores: list[_Total] | None = None
    scorer: _Scorer | None = None


class _Log(msgspec.Struct):
    version: int
    eval: _Eval
    status: str = "started"
    results: _Results | None = None
    samples: list[_Sample] | None = None
    invalidated: bool | None = None


class _Version(msgspec.Struct):
    version: int


def _detect(source: Source) -> bool:
    if is_zip(source.head):
        return True
    spec = source.record.get("eval")
    return bool(_BEGINNING.match(source.head)) or (
        isinstance(source.json, dict)
        and isinstance(spec, dict)
        and {"task", "model"} <= spec.keys()
        and bool({"version", "status", "plan", "samples", "stats"} & source.record.keys())
    )


def _read(source: Source, options: Options) -> Records:
    refuse_options(options, "an Inspect log", "metric", "filter", instead="choose with scorer=")
    notes: list[str] = []
    if is_zip(source.head):
        with open_archive(source) as archive:
            log = _header(archive, notes)
            samples = _samples(archive, options, notes)
    else:
        try:
            log = _log(source.content())
        except FormatError as error:
            raise FormatError(
                f"{error}; if the log was cut short, copy or write it again"
            ) from None
        samples = log.samples or []
    if not samples:
        raise _no_samples(log)
    single = log.results.scorer.name if log.results and log.results.scorer else "score"
    outcome, score, about = outcomes(
        [
            sample.scores or ({single: sample.score} if sample.score is not None else {})
            for sample in samples
        ],
        [sample.id for sample in samples],
        [sample.error is not None for sample in samples],
        options,
    )
    return Records(
        task=[sample.id for sample in samples],
        outcome=outcome,
        rollout=[sample.epoch for sample in samples],
        system=None if log.eval.model is None else [log.eval.model] * len(samples),
        columns=_columns(log, samples),
        place=lambda at: f"sample {short(samples[at].id)}, epoch {samples[at].epoch}",
        notes=(*notes, *about, *_run_notes(log, samples)),
        score=score,
        version=_version(log),
    )


def _log(data: bytes) -> _Log:
    # The version first: in a log of an unknown version any field may mean anything.
    version = decode(data, _Version).version
    if version not in VERSIONS:
        raise FormatError(
            f"the log has version {version}, and only 1 and 2 are known; write it again with a "
            f"release of Inspect that writes version 2"
        )
    return decode(data, _Log)


def _header(archive: Archive, notes: list[str]) -> _Log:
    name = next((name for name in (HEADER, START) if name in archive), None)
    if name is None:
        raise FormatError(
            f"a zip without {HEADER} or {START}; the only zips that are read are logs of Inspect "
            f"(.eval)"
        )
    if name == START:
        notes.append("the run never finished: there is no header, so its journal was read")
    try:
        return _log(archive.named(name))
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None


def _samples(archive: Archive, options: Options, notes: list[str]) -> list[_Sample]:
    """Return the samples by their summaries; those without a verdict there are opened."""
    summaries = list(_summaries(archive))
    # A sample that was written again stands in the log twice: the last one holds.
    found = {(sample.id, sample.epoch): sample for sample in summaries}
    if superseded := len(summaries) - len(found):
        notes.append(f"{plural(superseded, 'sample')} written again: the last record counts")
    if summaries and all(sample.metadata is None for sample in summaries):
        notes.append("its summaries are without metadata, so that gives no factors")
    broken = 0
    for member in _undecided(archive, found.values()):
        try:
            sample = decode(archive.read(member), _Sample)
        except FormatError as error:
            if not options.skip_bad_records:
                raise FormatError(f"{short(member.name)}: {error}") from None
            broken += 1
            continue
        found[sample.id, sample.epoch] = sample
    if broken:
        notes.append(f"{plural(broken, 'sample')} could not be read and were skipped")
    return list(found.values())


def _undecided(archive: Archive, found: Iterable[_Sample]) -> list[Member]:
    """Return the samples whose outcome the summaries do not tell."""
    decided = {
        f"samples/{each.id}_epoch_{each.epoch}.json"
        for each in found
        if each.scores or each.score is not None or each.error is not None
    }
    rest = {name for name in {*archive.names} - decided if name.startswith("samples/")}
    if not rest:
        return []
    # Some writers put another stroke into names than stands in the id.
    decided = {name.replace("\\", "/") for name in decided}
    return [
        member
        for member in archive.members()
        if member.name in rest
        and member.name.endswith(".json")
        and member.name.replace("\\", "/") not in decided
    ]


def _summaries(archive: Archive) -> Iterator[_Sample]:
    if SUMMARIES in archive:
        names = [SUMMARIES]
    else:
        journal = {
            int(match[1]): name for name in archive.names if (match := _JOURNAL.fullmatch(name))
        }
        names = [journal[number] for number in sorted(journal)]
    for name in names:
        try:
            yield from decode(archive.named(name), list[_Sample])
        except FormatError as error:
            raise FormatError(f"{name}: {error}") from None


def _columns(log: _Log, samples: list[_Sample]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    if log.eval.task is not None:
        columns["suite"] = [log.eval.task] * len(samples)
    keys = dict.fromkeys(key for sample in samples for key in sample.metadata or ())
    for key in keys:
        name = f"metadata.{key}" if key in _RESERVED else key
        columns[name] = [(sample.metadata or {}).get(key) for sample in samples]
    return columns


def _version(log: _Log) -> str | None:
    packages = log.eval.packages or {}
    return version_text(("log version", log.version), ("inspect_ai", packages.get("inspect_ai")))


def _run_notes(log: _Log, samples: list[_Sample]) -> Iterator[str]:
    """Say what the run did not do, or did in a way that a reader of its rate must know."""
    epochs = Counter(sample.id for sample in samples).values()
    config = log.eval.config or _Config()
    planned = config.epochs if type(config.epochs) is int else 1
    if log.status != "success":
        yield f"the run did not end well: its status is {short(log.status)}"
    low, high = min(epochs), max(epochs)
    if (low, high) != (planned, planned):
        held = f"{low}" if low == high else f"{low} to {high}"
        yield f"{plural(planned, 'epoch')} of each sample were configured; the log holds {held}"
    expected = _expected(log.eval.dataset, config)
    if expected is not None and len(epochs) < expected:
        yield f"the log holds {len(epochs):,} of the {expected:,} samples that were to be run"
    limits = Counter(
        short(limit.type) if isinstance(limit, _Limit) else short(limit)
        for sample in samples
        if (limit := sample.limit) is not None
    )
    if limits:
        kinds = ", ".join(f"{kind}: {number:,}" for kind, number in limits.items())
        yield f"stopped by a limit, and scored as they were then: {kinds}"
    retried = sum(bool(sample.retries or sample.error_retries) for sample in samples)
    if retried:
        yield f"{plural(retried, 'rollout')} were tried again after an error; the last try counts"
    if log.invalidated:
        yield "the log is marked as invalidated"


def _expected(dataset: _Dataset | None, config: _Config) -> int | None:
    if dataset is None:
        return None
    if dataset.sample_ids is not None:
        return len(dataset.sample_ids)
    if type(dataset.samples) is not int:
        return None
    return min(dataset.samples, config.limit) if type(config.limit) is int else dataset.samples


def _no_samples(log: _Log) -> FormatError:
    """Return the error for a log that is a header only, with the totals it holds."""
    results = log.results or _Results()
    trials = results.completed_samples or results.total_samples
    totals = []
    for total in results.scores or ():
        scored = total.scored_samples or trials
        for name, metric in (total.metrics or {}).items():
            rate = metric.value
            if type(rate) in (int, float) and 0 <= rate <= 1 and scored and "std" not in name:
                label = f"{total.name}/{name}"
                totals.append(Totals(label, _passes(rate, scored), scored, float(rate)))
    message = (
        f"the log holds no samples, only its header (status {short(log.status)}); rollouts cannot "
        f"be had from it, so write the log with its samples"
    )
    return TotalsOnly(message, tuple(totals), _version(log))


def _passes(rate: float, trials: int) -> int | None:
    passes = round(rate * trials)
    return passes if abs(rate * trials - passes) <= 1e-6 else None


FORMAT = Format(
    name="inspect",
    title="Inspect AI log",
    looks_for="a .eval archive with header.json, or a JSON object with version, status and eval",
    extensions=(".eval", ".json"),
    detect=_detect,
    read=_read,
)
