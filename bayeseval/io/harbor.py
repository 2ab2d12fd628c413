"""Harbor (Terminal-Bench 2): ``result.json`` of a trial, and the folder of a job.

A job writes ``<job>/result.json`` and ``<job>/<trial>/result.json``; the file of the job has
``stats``, that of a trial ``trial_name``. Name the job folder (or a folder of jobs): every
trial in it is read. The file of the job alone holds totals. A task is a ``task_name`` (with
its dataset where two share a name), a rollout is a trial. It passes if its reward is 1 or
more; rewards in between are partial credit. Where trials have several named rewards,
``metric`` chooses.

A trial without a reward is errored if it has an exception, else missing. One with both, for
instance where the agent ran out of time and the verifier still ran, counts by its reward.
Harbor itself takes a trial without a reward as 0 in its mean, and leaves it out of its
pass@k: a note gives that mean. Factors: dataset; the system is agent and model.
Options: ``metric``, ``pass_if``, ``system``; ``skip_bad_records`` in a folder.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from bayeseval._format import format_value
from bayeseval.errors import FormatError, InputError
from bayeseval.io._folder import below, decode_member, strangers, strangers_note
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note
from bayeseval.io._totals import Totals, TotalsOnly
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

RESULT = "result.json"
FULL_REWARD = 1.0
_MOST_LOOKS = 5
_TRIAL_KEYS = {"trial_name", "task_name"}
_MORE_TRIAL_KEYS = {"verifier_result", "exception_info", "agent_info", "trial_uri"}


class _Verdict(msgspec.Struct):
    rewards: dict[str, bool | float | None] | None = None


class _Model(msgspec.Struct):
    name: str | None = None


class _Agent(msgspec.Struct):
    name: str | None = None
    model_info: _Model | None = None


class _AgentConfig(msgspec.Struct):
    name: str | None = None
    model_name: str | None = None


class _Config(msgspec.Struct):
    agent: _AgentConfig | None = None


class _Exception(msgspec.Struct):
    exception_type: str | None = None


class _Eval(msgspec.Struct):
    n_trials: int = 0
    reward_stats: dict[str, dict[str, list[str]]] = {}
    exception_stats: dict[str, list[str]] = {}


class _Stats(msgspec.Struct):
    evals: dict[str, _Eval] = {}


class _Result(msgspec.Struct):
    """A trial or a job: both write a file of the same name."""

    trial_name: str = ""
    task_name: str = ""
    source: str | None = None
    config: _Config | None = None
    agent_info: _Agent | None = None
    verifier_result: _Verdict | None = None
    exception_info: _Exception | None = None
    stats: _Stats | None = None
    n_total_trials: int | None = None

    @property
    def is_trial(self) -> bool:
        return bool(self.trial_name and self.task_name)

    @property
    def is_job(self) -> bool:
        return self.stats is not None and not self.is_trial


def _is_trial(found: object) -> bool:
    return (
        isinstance(found, dict)
        and found.keys() >= _TRIAL_KEYS
        and bool(found.keys() & _MORE_TRIAL_KEYS)
    )


def _is_job(found: object) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("stats"), dict):
        return False
    return "n_total_trials" in found or "evals" in found["stats"]


def _detect(source: Source) -> bool:
    if not source.is_folder:
        return _is_trial(source.json) or _is_job(source.json)
    if _others(source):
        return False
    for name in _result_files(source)[:_MOST_LOOKS]:
        try:
            found = source.member(name).json
        except InputError:
            continue
        if _is_trial(found) or _is_job(found):
            return True
    return False


def _result_files(source: Source) -> list[str]:
    return [name for name in source.members if name.rpartition("/")[2] == RESULT]


def _others(source: Source) -> list[str]:
    folders = {name.rpartition("/")[0] for name in _result_files(source)}
    return strangers(source, lambda name: below(name, folders))


def _read(source: Source, options: Options) -> Records:
    if not source.is_folder:
        only = decode(source.content(), _Result)
        if only.is_job:
            raise _totals(only)
        if not only.is_trial:
            raise FormatError("neither a trial, with trial_name, nor a job, with stats")
        return _records([only], [only.trial_name], options, [])
    trials: list[_Result] = []
    places: list[str] = []
    skipped: list[str] | None = [] if options.skip_bad_records else None
    foreign: list[str] = []
    planned, jobs = 0, 0
    for name in _result_files(source):
        found = decode_member(source, name, _Result, skipped)
        if found is None:
            continue
        if found.is_job:
            planned += found.n_total_trials or 0
            jobs += 1
        elif found.is_trial:
            trials.append(found)
            places.append(name)
        else:
            foreign.append(name)
    if not trials:
        raise FormatError(
            f"the folder holds no trial: each has a folder with its {RESULT} in that of the job"
        )
    notes = skipped_note(skipped) + strangers_note(foreign + _others(source))
    if jobs > 1:
        notes.append(f"trials of {jobs} jobs together")
    if planned > len(trials) + len(skipped or ()):
        notes.append(
            f"{plural(planned, 'trial')} planned, {len(trials):,} found: the others have not "
            f"ended, or their folders are not here"
        )
    return _records(trials, places, options, notes)


def _records(
    trials: list[_Result], places: list[str], options: Options, notes: list[str]
) -> Records:
    names = list(dict.fromkeys(name for trial in trials for name in _rewards(trial)))
    metric = pick(names, options.metric, "metric", "rewards") if names or options.metric else ""
    reward = [_number(_rewards(trial).get(metric)) for trial in trials]
    outcome = [_outcome(*pair) for pair in zip(trials, reward, strict=True)]
    columns = {
        "dataset": [trial.source for trial in trials],
        "exception": [_exception(trial) for trial in trials],
    }
    return Records(
        task=_tasks(trials),
        outcome=np.array(outcome, dtype=np.int8),
        rollout=[trial.trial_name for trial in trials],
        system=[_system(trial) for trial in trials],
        columns={name: found for name, found in columns.items() if any(found)},
        score=reward,
        full_credit=FULL_REWARD,
        place=places.__getitem__,
        notes=(*notes, *_harness_notes(trials, reward)),
    )


def _rewards(trial: _Result) -> dict[str, bool | float | None]:
    return (trial.verifier_result.rewards if trial.verifier_result else None) or {}


def _exception(trial: _Result) -> str | None:
    if trial.exception_info is None:
        return None
    return trial.exception_info.exception_type or "unnamed"


def _number(reward: bool | float | None) -> float | None:
    return None if reward is None or not math.isfinite(reward) else float(reward)


def _outcome(trial: _Result, reward: float | None) -> Outcome:
    if reward is None:
        return Outcome.MISSING if trial.exception_info is None else Outcome.ERRORED
    return Outcome.PASS if reward >= FULL_REWARD else Outcome.FAIL


def _tasks(trials: list[_Result]) -> list[int | str]:
    """Return the task names, with the dataset where two datasets share a name."""
    datasets: dict[str, set[str | None]] = {}
    for trial in trials:
        datasets.setdefault(trial.task_name, set()).add(trial.source)
    return [
        f"{trial.source or 'no dataset'}/{trial.task_name}"
        if len(datasets[trial.task_name]) > 1
        else trial.task_name
        for trial in trials
    ]


def _system(trial: _Result) -> str:
    """Return agent and model: as they were, or as the job asked for where none started."""
    wanted = trial.config.agent if trial.config else None
    agent = trial.agent_info.name if trial.agent_info else None
    model = trial.agent_info.model_info if trial.agent_info else None
    name = model.name if model else None
    if name is None and wanted is not None and wanted.model_name:
        # The file says ``anthropic/claude`` where it asks, and ``claude`` where it ran.
        name = wanted.model_name.partition("/")[2] or wanted.model_name
    return " / ".join(part for part in (agent or (wanted.name if wanted else None), name) if part)


def _harness_notes(trials: list[_Result], reward: list[float | None]) -> list[str]:
    notes = []
    if without := reward.count(None):
        mean = sum(each or 0.0 for each in reward) / len(reward)
        notes.append(
            f"Harbor itself takes the {plural(without, 'trial')} without a reward as 0 in its "
            f"mean reward, {format_value(mean, 'number')}, and leaves them out of its pass@k"
        )
    both = Counter(
        _exception(trial)
        for trial, each in zip(trials, reward, strict=True)
        if trial.exception_info is not None and each is not None
    )
    if both:
        listed = ", ".join(f"{name} ({number:,})" for name, number in both.most_common(8))
        notes.append(
            f"{plural(both.total(), 'trial')} with an exception and a reward, counted by the "
            f"reward: {listed}"
        )
    return notes


def _totals(job: _Result) -> FormatError:
    evals = job.stats.evals if job.stats else {}
    totals = tuple(total for key, found in evals.items() for total in _each(key, found))
    if not totals:
        return FormatError("the job holds no trials that ended")
    return TotalsOnly(
        f"this is the {RESULT} of a job, which holds totals; rollouts need those of its trials, "
        f"each in a folder beside it: name the folder of the job",
        totals,
    )


def _each(key: str, found: _Eval) -> Iterator[Totals]:
    """Yield the passes of each named reward; trials without a reward are no passes."""
    ended = {name for names in found.exception_stats.values() for name in names}
    for rewards in found.reward_stats.values():
        ended.update(name for names in rewards.values() for name in names)
    trials = max(len(ended), found.n_trials)
    for reward, rewards in found.reward_stats.items():
        passes = sum(len(set(names)) for value, names in rewards.items() if _passes(value))
        name = key if len(found.reward_stats) == 1 else f"{key}/{reward}"
        if trials:
            yield Totals(name, passes, trials, passes / trials)
    if not found.reward_stats and trials:
        yield Totals(key, 0, trials, 0.0)


def _passes(value: str) -> bool:
    try:
        return float(value) >= FULL_REWARD
    except ValueError:
        raise FormatError(
            f"a reward in reward_stats is {short(value)}; it must be a number"
        ) from None


FORMAT = Format(
    name="harbor",
    title="Harbor trial or job",
    looks_for=(
        "a JSON object with trial_name and verifier_result, one with stats.evals, or the "
        "folder of a job"
    ),
    extensions=(".json",),
    detect=_detect,
    read=_read,
    reads_folders=True,
)
