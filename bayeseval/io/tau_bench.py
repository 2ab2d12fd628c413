"""tau-bench: the JSON list of rollouts that its runner writes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import numpy as np

from bayeseval.io._format import Format, Options, Source
from bayeseval.io._json import decode
from bayeseval.io._records import Records
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
    return (
        isinstance(source.json, list)
        and {"task_id", "reward"} <= keys
        and bool(keys & {"traj", "info", "trial"})
    )


def _read(source: Source, options: Options) -> Records:
    rollouts = decode(source.content(), list[_Rollout])
    outcome = np.array([_outcome(rollout) for rollout in rollouts], dtype=np.int8)
    attempts, notes = _attempts(rollouts)
    if errored := int(np.count_nonzero(outcome == Outcome.ERRORED)):
        notes.append(
            f"tau-bench itself counts the {plural(errored, 'errored rollout')} as failures"
        )
    return Records(
        task=[rollout.task_id for rollout in rollouts],
        outcome=outcome,
        rollout=attempts,
        notes=tuple(notes),
    )


def _outcome(rollout: _Rollout) -> Outcome:
    if rollout.info is not None and rollout.info.error is not None:
        return Outcome.ERRORED
    if rollout.reward is None or rollout.reward != rollout.reward:
        return Outcome.MISSING
    return Outcome.PASS if abs(rollout.reward - 1) <= REWARD_TOLERANCE else Outcome.FAIL


def _attempts(rollouts: list[_Rollout]) -> tuple[list[Any] | None, list[str]]:
    """Return the trial numbers, or None and a note where they do not tell attempts apart."""
    tasks = Counter(rollout.task_id for rollout in rollouts)
    trials = {rollout.trial for rollout in rollouts}
    if None in trials:
        why = "the field trial is absent"
    elif len(tasks) > 1 and all(rollout.trial == rollout.task_id for rollout in rollouts):
        why = "the field trial repeats the task id"
    elif len(trials) == 1 and max(tasks.values()) > 1:
        why = f"the field trial is always {rollouts[0].trial!r}"
    else:
        return [rollout.trial for rollout in rollouts], []
    return None, [f"attempts are told apart by their order, since {why}"]


FORMAT = Format(
    name="tau-bench",
    title="tau-bench results",
    looks_for="a JSON list of records with task_id, reward and info, traj or trial",
    extensions=(".json",),
    detect=_detect,
    read=_read,
)
