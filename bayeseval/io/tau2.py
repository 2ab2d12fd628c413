"""tau2-bench (tau3): one object with all simulations, or a folder with one file for each.

A run is an object with ``info``, ``tasks`` and ``simulations``. In the directory form
``results.json`` holds everything but the simulations, which lie beside it in
``simulations/<id>.json``; name the folder or its ``results.json``. A task is a ``task_id``,
a rollout is a simulation; it passes if ``reward_info.reward`` is 1 within 1e-6. Rewards in
between are partial credit. Messages are not decoded.

A simulation without ``reward_info`` was not evaluated: missing. One that ended with
``infrastructure_error`` is errored: tau2 leaves it out of its metrics (older versions counted
a failure). Other early ends, such as ``max_steps``, have reward 0 and are failures, here as
there. Factors: domain, and the persona that telecom task ids name; the system is the model
of the agent. Options: ``pass_if``, ``duplicates``; ``skip_bad_records`` for the files of
the directory form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import FormatError, InputError
from bayeseval.io._attempts import by_trial
from bayeseval.io._fields import version_text
from bayeseval.io._folder import decode_member, strangers, strangers_note
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

REWARD_TOLERANCE = 1e-6
RESULTS, FOLDER = "results.json", "simulations"
_HASH = 9
_NORMAL_ENDS = ("user_stop", "agent_stop")
_PERSONA = re.compile(r"\[PERSONA:([^\]]*)\]")


class _Reward(msgspec.Struct):
    reward: float | None = None


class _Simulation(msgspec.Struct):
    task_id: int | str
    id: int | str | None = None
    trial: int | str | None = None
    termination_reason: str | None = None
    reward_info: _Reward | None = None


class _Indexed(msgspec.Struct):
    task_id: int | str
    id: int | str | None = None
    trial: int | str | None = None
    termination_reason: str | None = None
    reward: float | None = None


class _Agent(msgspec.Struct):
    llm: str | None = None
    implementation: str | None = None


class _Environment(msgspec.Struct):
    domain_name: str | None = None


class _Info(msgspec.Struct):
    git_commit: Any = None
    agent_info: _Agent | None = None
    environment_info: _Environment | None = None


class _Results(msgspec.Struct):
    info: _Info | None = None
    simulations: list[_Simulation] | None = None
    simulation_index: list[_Indexed] | None = None


def _detect(source: Source) -> bool:
    if source.is_folder:
        return _is_directory_form(source)
    found = source.json
    if not isinstance(found, dict):
        return False
    info = found.get("info")
    described = isinstance(info, dict) and bool(
        info.keys() & {"agent_info", "user_info", "environment_info"}
    )
    return described and bool(found.keys() & {"tasks", "simulations", "simulation_index"})


def _is_directory_form(source: Source) -> bool:
    if RESULTS not in source.members or not _simulation_files(source.members, f"{FOLDER}/"):
        return False
    if strangers(source, _belongs):
        return False
    try:
        return _detect(source.member(RESULTS))
    except InputError:
        return False


def _belongs(name: str) -> bool:
    return name == RESULTS or "/" in name


def _simulation_files(members: Sequence[str], start: str = "") -> list[str]:
    return [name for name in members if name.startswith(start) and name.endswith(".json")]


def _read(source: Source, options: Options) -> Records:
    results, folder = source, source
    if source.is_folder:
        if RESULTS not in source.members:
            runs = [name for name in source.members if name.endswith(f"/{RESULTS}")]
            below = ", ".join(short(name.removesuffix(f"/{RESULTS}")) for name in runs[:8])
            hint = f"; name the folders of its runs: {below}" if runs else ""
            raise FormatError(f"the folder holds no {RESULTS}, which every run of tau2 has{hint}")
        results = source.member(RESULTS)
        names = _simulation_files(source.members, f"{FOLDER}/")
    else:
        names, folder = _beside(source)
    found = decode(results.content(), _Results)
    notes = strangers_note(strangers(source, _belongs))
    places: list[str] | None = None
    simulations = found.simulations or []
    if not simulations:
        simulations, places = _from_files(folder, names, options, notes)
        simulations += _from_index(found, simulations, places, notes)
    if not simulations:
        raise FormatError(
            f"{RESULTS} lists no simulations, and there are none in a folder {FOLDER} beside it"
        )
    return _records(found.info, simulations, places, notes)


def _beside(source: Source) -> tuple[list[str], Source]:
    """Return the files of the folder of simulations that lies beside a results.json."""
    path = source.path.parent / FOLDER
    if not path.is_dir():
        return [], source
    folder = Source.open(str(path))
    return _simulation_files(folder.members), folder


def _from_files(
    folder: Source, names: list[str], options: Options, notes: list[str]
) -> tuple[list[_Simulation], list[str]]:
    simulations, places = [], []
    skipped: list[str] | None = [] if options.skip_bad_records else None
    for name in names:
        found = decode_member(folder, name, _Simulation, skipped)
        if found is not None:
            simulations.append(found)
            places.append(name)
    notes += skipped_note(skipped)
    return simulations, places


def _from_index(
    found: _Results, simulations: list[_Simulation], places: list[str], notes: list[str]
) -> list[_Simulation]:
    """Return the simulations that the index of the run knows, and that have no file."""
    if found.simulation_index is None:
        return []
    read = {simulation.id for simulation in simulations}
    indexed = {entry.id for entry in found.simulation_index}
    lost = [entry for entry in found.simulation_index if entry.id not in read]
    if simulations and (extra := read - indexed):
        notes.append(
            f"{plural(len(extra), 'simulation')} read from files that the index of the run "
            f"does not list, such as {short(min(map(str, extra)))}"
        )
    if lost:
        notes.append(
            f"{plural(len(lost), 'simulation')} read from the index of the run, since there is "
            f"no file of it" + ("" if len(lost) == 1 else " for each")
        )
    places += [f"index entry {short(entry.id)}" for entry in lost]
    return [
        _Simulation(
            task_id=entry.task_id,
            id=entry.id,
            trial=entry.trial,
            termination_reason=entry.termination_reason,
            reward_info=None if entry.reward is None else _Reward(entry.reward),
        )
        for entry in lost
    ]


def _records(
    info: _Info | None,
    simulations: list[_Simulation],
    places: list[str] | None,
    notes: list[str],
) -> Records:
    task = [each.task_id for each in simulations]
    outcome = np.fromiter(map(_outcome, simulations), np.int8, len(simulations))
    rollout, more = _rollout(task, simulations)
    ends = [each.termination_reason for each in simulations]
    columns: dict[str, Sequence[Any]] = {}
    if len(set(ends)) > 1:
        columns["termination_reason"] = ends
    personas = [_PERSONA.search(str(each)) for each in task]
    if any(personas):
        columns["persona"] = [each and each[1] for each in personas]
    environment = info.environment_info if info else None
    if environment is not None and environment.domain_name is not None:
        columns["domain"] = [environment.domain_name] * len(task)
    agent = info.agent_info if info else None
    label = (agent.llm or agent.implementation) if agent else None
    records = Records(
        task=task,
        outcome=outcome,
        rollout=rollout,
        system=None if label is None else [label] * len(task),
        columns=columns,
        score=[each.reward_info.reward if each.reward_info else None for each in simulations],
        notes=(*notes, *more, *_harness_notes(ends, outcome.tolist())),
        version=_version(info),
    )
    if places is None:
        return records
    return replace(records, place=places.__getitem__)


def _version(info: _Info | None) -> str | None:
    commit = info.git_commit if info else None
    return version_text(("git commit", commit[:_HASH] if isinstance(commit, str) else None))


def _outcome(simulation: _Simulation) -> Outcome:
    if simulation.termination_reason == "infrastructure_error":
        return Outcome.ERRORED
    reward = simulation.reward_info.reward if simulation.reward_info else None
    if reward is None or reward != reward:
        return Outcome.MISSING
    return Outcome.PASS if abs(reward - 1) <= REWARD_TOLERANCE else Outcome.FAIL


def _rollout(
    task: list[int | str], simulations: list[_Simulation]
) -> tuple[Sequence[Any] | None, list[str]]:
    trial = [each.trial for each in simulations]
    ids = [each.id for each in simulations]
    pairs = set(zip(task, trial, strict=True))
    if len(pairs) < len(task) and None not in ids:
        # Runs that were joined number their trials alike; a simulation has an id of its own.
        return ids, ["attempts are told apart by the id of the simulation, since trials repeat"]
    return by_trial(task, trial)


def _harness_notes(ends: list[str | None], outcome: list[int]) -> list[str]:
    notes = []
    passed, errored = outcome.count(Outcome.PASS), outcome.count(Outcome.ERRORED)
    if errored:
        notes.append(
            f"tau2 itself leaves the {plural(errored, 'rollout')} that ended with "
            f"infrastructure_error out of its metrics, as here; older versions count failures, "
            f"for a pass rate of {format_percent(passed / len(outcome))}"
        )
    early = Counter(
        end
        for end, code in zip(ends, outcome, strict=True)
        if end not in _NORMAL_ENDS and end is not None and code == Outcome.FAIL
    )
    if early:
        listed = ", ".join(f"{short(end)} ({number:,})" for end, number in early.most_common(8))
        notes.append(f"failures that ended early, failures in tau2 as well: {listed}")
    if unscored := outcome.count(Outcome.MISSING):
        notes.append(f"{plural(unscored, 'rollout')} not evaluated yet: without a reward")
    return notes


FORMAT = Format(
    name="tau2",
    title="tau2-bench results",
    looks_for="a JSON object with info.agent_info and simulations, or the folder of such a run",
    extensions=(".json",),
    detect=_detect,
    read=_read,
    reads_folders=True,
)
