"""Terminal-Bench (version 1): ``results.json`` of a run or of a trial, and the run folder.

A run has ``results``, a list of trials with ``task_id``, ``trial_name``, ``is_resolved``,
``failure_mode`` and ``parser_results``. A task is a ``task_id``, a rollout is a trial,
known by its ``trial_name``; it passes if ``is_resolved`` is true, also where the agent ran
out of time. The share of passed tests is partial credit.

A trial whose ``is_resolved`` is null has no verdict (the parser, the tests or the agent
broke): it is errored here; Terminal-Bench counts it as unresolved, and a note gives its
accuracy. ``failure_mode`` becomes a factor where each task has one trial. In a run folder
the agent and model of ``run_metadata.json`` are the system; that file alone holds totals.
Options: ``pass_if``, ``duplicates``; ``skip_bad_records`` in a folder without
``results.json`` of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import FormatError, InputError
from bayeseval.io._fields import version_text
from bayeseval.io._folder import below, decode_member, strangers, strangers_note
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note
from bayeseval.io._totals import Totals, TotalsOnly
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

RESULTS, METADATA = "results.json", "run_metadata.json"
_OUTCOMES = {True: Outcome.PASS, False: Outcome.FAIL, None: Outcome.ERRORED}
_MOST_LOOKS = 5


class _Trial(msgspec.Struct):
    task_id: str
    trial_name: str | None = None
    is_resolved: bool | None = None
    failure_mode: str | None = None
    parser_results: dict[str, str | None] | None = None


class _Run(msgspec.Struct):
    results: list[_Trial]


class _File(_Trial):
    """A run or a trial: both write a file of the same name."""

    task_id: str = ""
    results: list[_Trial] | None = None


class _Metadata(msgspec.Struct):
    dataset_name: Any = None
    dataset_version: Any = None
    agent_name: str | None = None
    model_name: str | None = None
    accuracy: float | None = None
    n_attempts: int | None = None
    dataset_size: int | None = None
    task_ids: list[str] | None = None


def _is_trial(found: object) -> bool:
    return isinstance(found, dict) and {"task_id", "is_resolved"} <= found.keys()


def _is_run(found: object) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        return False
    trials = found["results"]
    return _is_trial(trials[0]) if trials else {"n_resolved", "resolved_ids"} <= found.keys()


def _is_metadata(found: object) -> bool:
    return (
        isinstance(found, dict)
        and {"run_id", "agent_name", "n_attempts"} <= found.keys()
        and "results" not in found
    )


def _detect(source: Source) -> bool:
    if source.is_folder:
        names = _result_files(source)
        return any(_holds(source, name) for name in names[:_MOST_LOOKS]) and not _others(source)
    found = source.json
    return _is_run(found) or _is_trial(found) or _is_metadata(found)


def _result_files(source: Source) -> list[str]:
    """Return the files of runs and trials in a folder, the upper ones first."""
    names = [name for name in source.members if name.rpartition("/")[2] == RESULTS]
    return sorted(names, key=lambda name: (name.count("/"), name))


def _others(source: Source) -> list[str]:
    folders = {name.rpartition("/")[0] for name in _result_files(source)}

    def belongs(name: str) -> bool:
        return below(name, folders) if "/" in name else name in (RESULTS, METADATA)

    return strangers(source, belongs)


def _holds(source: Source, name: str) -> bool:
    try:
        found = source.member(name).json
    except InputError:
        return False
    return _is_run(found) or _is_trial(found)


def _read(source: Source, options: Options) -> Records:
    if source.is_folder:
        return _from_folder(source, options)
    if _is_metadata(source.json):
        raise _totals(decode(source.content(), _Metadata))
    if _is_trial(source.json):
        return _records([decode(source.content(), _Trial)])
    return _records(decode(source.content(), _Run).results)


def _from_folder(source: Source, options: Options) -> Records:
    skipped: list[str] | None = [] if options.skip_bad_records else None
    trials: list[_Trial] = []
    origin: list[str] = []
    runs: set[str] = set()
    unknown: list[str] = []
    for name in _result_files(source):
        if below(name, runs):
            # The file of the run holds this trial already.
            continue
        found = decode_member(source, name, _File, skipped)
        if found is None:
            continue
        folder = name.rpartition("/")[0]
        if found.results is not None:
            runs.add(folder)
            trials += found.results
            origin += [folder] * len(found.results)
        elif found.task_id:
            trials.append(found)
            origin.append("")
        else:
            unknown.append(name)
    if not trials:
        raise FormatError(f"the folder holds no {RESULTS} of a run or of trials")
    about = {folder: _metadata(source, folder, skipped) for folder in dict.fromkeys(origin)}
    labels = {folder: _system(found) for folder, found in about.items()}
    notes = skipped_note(skipped) + strangers_note(_others(source) + unknown)
    if len(runs) > 1:
        notes.append(f"trials of {len(runs)} runs together")
    records = replace(_records(trials, notes), version=_version(about.values()))
    if records.rollout is not None and len(runs) > 1:
        # Runs may name their trials alike.
        named = zip(origin, records.rollout, strict=True)
        records = replace(records, rollout=[name and f"{run}/{name}" for run, name in named])
    if any(labels.values()):
        return replace(records, system=[labels[folder] for folder in origin])
    return records


def _metadata(source: Source, folder: str, skipped: list[str] | None) -> _Metadata:
    """Return what stands beside the results of a run."""
    name = f"{folder}/{METADATA}" if folder else METADATA
    found = None
    if name in source.members:
        found = decode_member(source, name, _Metadata, skipped)
    return found or _Metadata()


def _system(metadata: _Metadata) -> str | None:
    return " / ".join(filter(None, (metadata.agent_name, metadata.model_name))) or None


def _version(about: Iterable[_Metadata]) -> str | None:
    """Return the versions of the task sets of all runs."""
    found = [
        version_text((str(each.dataset_name or "dataset"), each.dataset_version)) for each in about
    ]
    return ", ".join(dict.fromkeys(filter(None, found))) or None


def _records(trials: list[_Trial], notes: Iterable[str] = ()) -> Records:
    outcome = [_OUTCOMES[trial.is_resolved] for trial in trials]
    names = [trial.trial_name for trial in trials]
    return Records(
        task=[trial.task_id for trial in trials],
        outcome=np.array(outcome, dtype=np.int8),
        rollout=names if any(names) else None,
        columns={"failure_mode": [trial.failure_mode for trial in trials]},
        score=[_score(trial) for trial in trials],
        place=lambda at: f"record {at + 1} (trial {short(names[at])})",
        notes=(*notes, *_harness_notes(trials, outcome)),
    )


def _score(trial: _Trial) -> float | None:
    """Return the share of tests that passed."""
    if trial.is_resolved:
        return 1.0
    tests = list((trial.parser_results or {}).values())
    share = tests.count("passed") / len(tests) if tests else None
    # All tests pass, yet it is not resolved: the verdict counts, and the share does not.
    return None if share == 1 else share


def _harness_notes(trials: list[_Trial], outcome: list[Outcome]) -> list[str]:
    broken = Counter(trial.failure_mode for trial in trials if trial.is_resolved is None)
    late = sum(trial.failure_mode == "agent_timeout" for trial in trials if trial.is_resolved)
    notes = []
    if broken:
        listed = ", ".join(f"{short(mode)} ({number:,})" for mode, number in broken.most_common(8))
        passed = outcome.count(Outcome.PASS)
        notes.append(
            f"Terminal-Bench itself counts the {plural(broken.total(), 'trial')} without a "
            f"verdict as unresolved, {listed}; its own accuracy is "
            f"{format_percent(passed / len(trials))}"
        )
    if late:
        notes.append(
            f"{plural(late, 'trial')} resolved although the agent ran out of time: passes, as "
            f"in Terminal-Bench itself"
        )
    return notes


def _totals(metadata: _Metadata) -> FormatError:
    tasks = metadata.dataset_size or len(metadata.task_ids or ())
    trials = tasks * (metadata.n_attempts or 0)
    if metadata.accuracy is None or not 0 <= metadata.accuracy <= 1 or trials <= 0:
        return FormatError(f"{METADATA} of a run that has no accuracy; read its {RESULTS}")
    passes = round(metadata.accuracy * trials)
    exact = abs(passes - metadata.accuracy * trials) < 1e-6 * trials
    return TotalsOnly(
        f"this is the {METADATA} of a run, which holds the accuracy only; the trials are in "
        f"the {RESULTS} beside it",
        (Totals("accuracy", passes if exact else None, trials, metadata.accuracy),),
        _version([metadata]),
    )


FORMAT = Format(
    name="terminal-bench",
    title="Terminal-Bench results",
    looks_for="a JSON object with results (or one trial) that have task_id and is_resolved",
    extensions=(".json",),
    detect=_detect,
    read=_read,
    reads_folders=True,
)
