"""tau-bench: the rollouts that its runner writes, as a JSON list or as JSONL.

Each record has ``task_id``, ``reward``, ``info``, ``traj`` (the messages, which are not
decoded) and ``trial``. A task is a ``task_id``, which is an index within one domain and
split; a rollout is one record; it passes if its reward is 1 within 1e-6. Rewards between
0 and 1 are partial credit.

A record with ``info.error`` broke: it is errored here. tau-bench stores reward 0 for it
and counts it as a failure. Where ``trial`` is absent or does not number the attempts (some
forks repeat the task id there), attempts are told apart by their order.

Options: ``pass_if``, ``duplicates``; ``skip_bad_records`` for JSONL.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.io._attempts import by_trial
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note, stream_lines
from bayeseval.rollouts._tally import Outcome
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

REWARD_TOLERANCE = 1e-6


class _Info(msgspec.Struct):
    error: Any = None


class _Rollout(msgspec.Struct):
    task_id: int | str
    reward: float | None = None
    info: _Info | None = None
    trial: int | str | None = None


def _detect(source: Source) -> bool:
    keys = source.record.keys()
    return {"task_id", "reward"} <= keys and bool(keys & {"traj", "info", "trial"})


def _read(source: Source, options: Options) -> Records:
    if source.head.lstrip()[:1] == b"[":
        return _records(decode(source.content(), list[_Rollout]), None, [])
    skipped: list[str] | None = [] if options.skip_bad_records else None
    rollouts: list[_Rollout] = []
    lines: list[int] = []
    for number, _, rollout in stream_lines(source, _Rollout, skipped):
        rollouts.append(rollout)
        lines.append(number)
    return _records(rollouts, lines, skipped_note(skipped))


def _records(rollouts: list[_Rollout], lines: list[int] | None, notes: list[str]) -> Records:
    task = [rollout.task_id for rollout in rollouts]
    outcome = np.fromiter(map(_outcome, rollouts), np.int8, len(rollouts))
    attempts, more = by_trial(task, [rollout.trial for rollout in rollouts])
    notes += more
    if errored := int(np.count_nonzero(outcome == Outcome.ERRORED)):
        passed = int(np.count_nonzero(outcome == Outcome.PASS))
        notes.append(
            f"tau-bench itself counts the {plural(errored, 'errored rollout')} as failures; its "
            f"own pass rate is {format_percent(passed / len(rollouts))}"
        )
    records = Records(
        task=task,
        outcome=outcome,
        rollout=attempts,
        score=[rollout.reward for rollout in rollouts],
        notes=tuple(notes),
    )
    if lines is None:
        return records
    return replace(records, place=lambda at: f"line {lines[at]}")


def _outcome(rollout: _Rollout) -> Outcome:
    if rollout.info is not None and rollout.info.error is not None:
        return Outcome.ERRORED
    if rollout.reward is None or rollout.reward != rollout.reward:
        return Outcome.MISSING
    return Outcome.PASS if abs(rollout.reward - 1) <= REWARD_TOLERANCE else Outcome.FAIL


FORMAT = Format(
    name="tau-bench",
    title="tau-bench results",
    looks_for="JSON records with task_id, reward and info, traj or trial",
    extensions=(".json", ".jsonl"),
    detect=_detect,
    read=_read,
)
