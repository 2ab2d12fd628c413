"""EvalPlus: ``*_eval_results.json`` of HumanEval+ and MBPP+, both schemas.

One object with ``eval``: for each task its samples, since 0.3 as a list of
``{base_status, plus_status}`` (``pass``, ``fail``, ``timeout``), before as
``{nfiles, base, plus}`` with lists of ``[status, details]`` (``success``, ``failed``,
``timed out``). A task is a key of ``eval``, a rollout is a sample, in order.

There are two metrics, chosen by ``metric``: ``base`` passes if the tests of the original
benchmark do; ``plus`` passes if those and the added ones do (the added tests alone can pass
where a base test fails). Default: ``plus``, the verdict of the whole test suite, where it
was run; a note gives the other one. Timeouts are failures, here as in the harness; there
are no errors. A sample without a status is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import InputError
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.io._records import Records
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

BASE, PLUS = "base", "plus"
_TIMEOUTS = ("timeout", "timed out")
_STATUSES: dict[str | None, Outcome] = {
    None: Outcome.MISSING,
    "pass": Outcome.PASS,
    "success": Outcome.PASS,
    **dict.fromkeys(("fail", "failed", *_TIMEOUTS), Outcome.FAIL),
}

# The form is all that a file tells of the release that wrote it.
_VERSIONS = {True: "records, as from EvalPlus 0.3 on", False: "lists, as before EvalPlus 0.3"}
_MEANING = {
    BASE: "the tests of the original benchmark pass",
    PLUS: "base and added tests pass",
}


class _Sample(msgspec.Struct):
    base_status: str | None = None
    plus_status: str | None = None


class _OldTask(msgspec.Struct):
    base: list[tuple[str | None, Any]] | None = None
    plus: list[tuple[str | None, Any]] | None = None


class _File(msgspec.Struct):
    eval: dict[str, list[_Sample] | _OldTask]


def _detect(source: Source) -> bool:
    found = source.json.get("eval") if isinstance(source.json, dict) else None
    if not isinstance(found, dict) or not found:
        return False
    first = next(iter(found.values()))
    if isinstance(first, list):
        return bool(first) and isinstance(first[0], dict) and "base_status" in first[0]
    return isinstance(first, dict) and "base" in first


def _read(source: Source, options: Options) -> Records:
    file = decode(source.content(), _File)
    task: list[int | str] = []
    outcomes: dict[str, list[Outcome]] = {BASE: [], PLUS: []}
    timeouts, has_plus = 0, False
    for name, at, statuses in _samples(file):
        place = f"task {short(name)}, sample {at + 1}"
        base, added = (_outcome(status, place) for status in statuses)
        task.append(name)
        outcomes[BASE].append(base)
        # Base and plus: a failure of either decides, whatever the other is.
        outcomes[PLUS].append(Outcome.FAIL if Outcome.FAIL in (base, added) else max(base, added))
        timeouts += any(status in _TIMEOUTS for status in statuses)
        has_plus = has_plus or added != Outcome.MISSING
    if not has_plus:
        del outcomes[PLUS]
    default = PLUS if has_plus else BASE
    metric = pick(list(outcomes), options.metric or default, "metric", "metrics")
    chosen = ", the default" if has_plus and options.metric is None else ""
    notes = [f"outcome read: metric {metric} ({_MEANING[metric]}){chosen}"]
    for other in outcomes.keys() - {metric}:
        passed, n = outcomes[other].count(Outcome.PASS), len(task)
        notes.append(
            f"not read: metric {other} ({_MEANING[other]}), by which {passed:,} of {n:,} passed, "
            f"{format_percent(passed / n)}; metric= (--metric {other}) reads it"
        )
    if timeouts:
        notes.append(f"{plural(timeouts, 'sample')} timed out: failures, as in EvalPlus itself")
    return Records(
        task=task,
        outcome=np.array(outcomes[metric], dtype=np.int8),
        notes=tuple(notes),
        version=_VERSIONS[any(isinstance(samples, list) for samples in file.eval.values())],
    )


def _samples(file: _File) -> Iterator[tuple[str, int, tuple[str | None, str | None]]]:
    """Yield the task, the position and the two statuses of each sample."""
    for name, samples in file.eval.items():
        if isinstance(samples, list):
            for at, each in enumerate(samples):
                yield name, at, (each.base_status, each.plus_status)
        else:
            base = [status for status, _ in samples.base or []]
            plus = [status for status, _ in samples.plus or []]
            for at, pair in enumerate(zip_longest(base, plus)):
                yield name, at, pair


def _outcome(status: str | None, place: str) -> Outcome:
    if status not in _STATUSES:
        known = ", ".join(repr(name) for name in _STATUSES if name is not None)
        raise InputError(f"{place}: the status is {short(status)}; it must be one of {known}")
    return _STATUSES[status]


FORMAT = Format(
    name="evalplus",
    title="EvalPlus results",
    looks_for="a JSON object with eval, whose tasks have base and plus statuses",
    extensions=(".json",),
    detect=_detect,
    read=_read,
)
