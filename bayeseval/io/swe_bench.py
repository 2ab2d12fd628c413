"""SWE-bench: reports of a run, in all generations, and reports of single instances.

- a run report (``<model>.<run>.json``, schema 2, also of sb-cli and Multi-SWE-bench) with
  ``submitted_ids``, ``resolved_ids``, ``error_ids``, ...;
- the older ``results.json`` or ``report.json`` with the lists ``generated``,
  ``no_generation``, ``applied``, ``resolved``, ...;
- ``report.json`` of single instances, also as the folder of a run
  (``logs/run_evaluation/<run>/<model>/<instance>/report.json``);
- the leaderboard's ``results.json``, which lists the resolved instances only: totals.

A task is an instance; a run has one rollout of each, so several runs are several files or
folders. Resolved is a pass, anything else that was submitted a failure, an empty patch too.
``error_ids`` and ``failed_ids`` are errored, pending ones and those without a generated
patch missing. SWE-bench itself divides by the whole split, so errors and instances that
were not submitted lower its rate: a note gives it. Factor: repo. Single instances have
partial credit, the share of tests to fix that pass. Options: ``pass_if``; ``system`` in a
folder with several models; ``skip_bad_records`` there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from bayeseval._format import format_percent
from bayeseval.errors import FormatError, InputError
from bayeseval.io._fields import version_text
from bayeseval.io._folder import decode_member, strangers, strangers_note
from bayeseval.io._format import Format, Source
from bayeseval.io._json import decode
from bayeseval.io._options import Options
from bayeseval.io._records import Records
from bayeseval.io._stream import skipped_note
from bayeseval.io._totals import Totals, TotalsOnly
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["FORMAT"]

REPORT, LOG = "report.json", "run_instance.log"
NEWEST_SCHEMA = 2
# A file is looked at to tell a folder of instances from another one with the same names.
_MOST_LOOKS = 5
_REPO = re.compile(r"(?P<owner>.+)__(?P<repo>.+)-\d+")
_SPLITS = {"Lite": 300, "Verified": 500, "Multimodal": 517, "full": 2294}

Ids = list[str] | None


class _Run(msgspec.Struct):
    """Both generations of run reports, and the leaderboard's list."""

    schema_version: int | float | str | None = None
    total_instances: int | None = None
    resolved_instances: int | None = None
    submitted_ids: Ids = None
    completed_ids: Ids = None
    incomplete_ids: Ids = None
    empty_patch_ids: Ids = None
    resolved_ids: Ids = None
    unresolved_ids: Ids = None
    error_ids: Ids = None
    pending_ids: Ids = None
    failed_ids: Ids = None
    resolved: Ids = None
    no_generation: Ids = None
    no_logs: Ids = None
    generated: Ids = None
    with_logs: Ids = None
    install_fail: Ids = None
    reset_failed: Ids = None
    no_apply: Ids = None
    applied: Ids = None
    test_errored: Ids = None
    test_timeout: Ids = None


class _Tests(msgspec.Struct):
    success: list[Any] = []
    failure: list[Any] = []


class _Instance(msgspec.Struct):
    resolved: bool | None = None
    patch_is_None: bool | None = None
    tests_status: dict[str, _Tests] | None = None


_RUN_KEYS = {"submitted_ids", "completed_ids", "submitted_instances", "completed_instances"}
_OLD_KEYS = {"generated", "no_generation", "applied", "no_logs", "with_logs"}
_INSTANCE_KEYS = {"patch_is_None", "patch_exists", "patch_successfully_applied"}


def _is_run(found: Mapping[str, Any]) -> bool:
    if found.keys() & {"resolved_ids", "resolved_instances"} and found.keys() & _RUN_KEYS:
        return True
    return isinstance(found.get("resolved"), list) and bool(found.keys() & _OLD_KEYS)


def _is_instances(found: Mapping[str, Any]) -> bool:
    first = next(iter(found.values()), None)
    return isinstance(first, dict) and bool(first.keys() & _INSTANCE_KEYS)


def _detect(source: Source) -> bool:
    if source.is_folder:
        return _is_folder_of_instances(source)
    found = source.json
    return isinstance(found, dict) and (_is_run(found) or _is_instances(found))


def _is_folder_of_instances(source: Source) -> bool:
    if _others(source):
        return False
    names = [name for name in source.members if _is_report(name)]
    for name in names[:_MOST_LOOKS]:
        try:
            found = source.member(name).json
        except InputError:
            continue
        if isinstance(found, dict) and _is_instances(found):
            return True
    return False


def _others(source: Source) -> list[str]:
    folders = {
        name.rpartition("/")[0]
        for name in source.members
        if _is_report(name) or name.endswith(f"/{LOG}")
    }
    return strangers(source, lambda name: name.rpartition("/")[0] in folders)


def _read(source: Source, options: Options) -> Records:
    if source.is_folder:
        return _from_folder(source, options)
    found = source.json
    if isinstance(found, dict) and _is_instances(found):
        instances = decode(source.content(), dict[str, _Instance])
        return _from_instances(list(instances.items()))
    run = decode(source.content(), _Run)
    _check_schema(run.schema_version)
    if run.resolved_ids is None and run.resolved is None:
        raise _counts_only(run)
    if run.submitted_ids is not None or run.completed_ids is not None:
        return replace(_from_report(run), version=_version(run))
    if run.generated is None and run.applied is None and run.with_logs is None:
        raise _resolved_only(run)
    return replace(_from_lists(run), version="legacy lists")


def _version(run: _Run) -> str | None:
    return version_text(("schema_version", run.schema_version))


def _check_schema(version: int | float | str | None) -> None:
    try:
        known = version is None or 0 < float(version) < NEWEST_SCHEMA + 1
    except ValueError:
        known = False
    if not known:
        raise FormatError(
            f"schema_version {short(version)} is unknown; up to {NEWEST_SCHEMA} can be read"
        )


def _counts_only(run: _Run) -> FormatError:
    if run.resolved_instances is None or not run.total_instances:
        return FormatError("the report lists no resolved instances, neither by id nor by count")
    rate = run.resolved_instances / run.total_instances
    return TotalsOnly(
        "the report holds counts only, and not the ids of instances; rollouts need the report "
        "with resolved_ids and submitted_ids, or the folder logs/run_evaluation",
        (Totals("resolved", run.resolved_instances, run.total_instances, rate),),
        _version(run),
    )


def _resolved_only(run: _Run) -> TotalsOnly:
    resolved = len(set(run.resolved or run.resolved_ids or ()))
    return TotalsOnly(
        "the file lists the instances that were resolved, and not those that failed; rollouts "
        "need the report of the run or the folder logs/run_evaluation; for totals, say by "
        "metric which split was run",
        tuple(
            Totals(split, resolved, size, resolved / size)
            for split, size in _SPLITS.items()
            if resolved <= size
        ),
    )


def _from_report(run: _Run) -> Records:
    resolved = set(run.resolved_ids or run.resolved or ())
    unresolved = set(run.unresolved_ids or ())
    if both := resolved & unresolved:
        raise InputError(f"instance {short(min(both))} is both resolved and unresolved")
    outcomes: dict[str, Outcome] = {}
    # Later lists win: an instance that was submitted and stands in no other list has no outcome.
    for ids, outcome in (
        (run.submitted_ids, Outcome.MISSING),
        (run.completed_ids, Outcome.MISSING),
        (run.pending_ids, Outcome.MISSING),
        (run.failed_ids, Outcome.ERRORED),
        (run.error_ids, Outcome.ERRORED),
        (run.empty_patch_ids, Outcome.FAIL),
        (run.unresolved_ids, Outcome.FAIL),
        (resolved, Outcome.PASS),
    ):
        outcomes.update(dict.fromkeys(ids or (), outcome))
    not_submitted = set(run.incomplete_ids or ()) - outcomes.keys()
    total = max(run.total_instances or 0, len(outcomes) + len(not_submitted))
    notes = []
    if empty := len(set(run.empty_patch_ids or ()) - resolved):
        notes.append(f"empty patches, failures as in SWE-bench itself: {empty:,}")
    if total > len(outcomes):
        notes.append(
            f"{total - len(outcomes):,} of {plural(total, 'instance')} of the split were not "
            f"submitted, and are no rollouts here"
        )
    return _records(outcomes, notes, total)


def _from_lists(run: _Run) -> Records:
    lists = {
        "generated": run.generated,
        "with_logs": run.with_logs,
        "applied": run.applied,
        "no_logs": run.no_logs,
        "no_apply": run.no_apply,
        "install_fail": run.install_fail,
        "reset_failed": run.reset_failed,
        "test_errored": run.test_errored,
        "test_timeout": run.test_timeout,
    }
    resolved = set(run.resolved or ())
    outcomes = dict.fromkeys(run.no_generation or (), Outcome.MISSING)
    for ids in lists.values():
        outcomes.update(dict.fromkeys(ids or (), Outcome.FAIL))
    outcomes.update(dict.fromkeys(run.resolved or (), Outcome.PASS))
    notes = []
    kinds = {
        name: len(set(ids or ()) - resolved)
        for name, ids in lists.items()
        if name not in ("generated", "with_logs", "applied")
    }
    if any(kinds.values()):
        listed = ", ".join(f"{name} ({number:,})" for name, number in kinds.items() if number)
        notes.append(f"failures by kind, all failures in SWE-bench itself: {listed}")
    every = {**lists, "no_generation": run.no_generation, "resolved": run.resolved}
    if repeated := sum(len(ids) - len(set(ids)) for ids in every.values() if ids):
        notes.append(f"ids that stand twice in one list, counted once: {repeated:,}")
    notes.append(
        "instances that were never attempted are not in the file; SWE-bench itself divides by "
        "the whole split (Lite 300, Verified 500, full 2,294)"
    )
    return _records(outcomes, notes, len(outcomes))


def _from_instances(instances: list[tuple[str, _Instance]]) -> Records:
    outcome = [_instance_outcome(instance) for _, instance in instances]
    task = [name for name, _ in instances]
    return Records(
        task=task,
        outcome=np.array(outcome, dtype=np.int8),
        score=[_score(instance) for _, instance in instances],
        columns=_columns(task),
        place=lambda at: f"instance {short(task[at])}",
    )


def _instance_outcome(instance: _Instance) -> Outcome:
    if instance.resolved is None:
        return Outcome.FAIL if instance.patch_is_None else Outcome.MISSING
    return Outcome.PASS if instance.resolved else Outcome.FAIL


def _score(instance: _Instance) -> float | None:
    """Return the share of the tests to fix that pass, less where others were broken."""
    if instance.resolved:
        return 1.0
    share = 1.0
    for kind in ("FAIL_TO_PASS", "PASS_TO_PASS"):
        tests = (instance.tests_status or {}).get(kind)
        passed, failed = (len(tests.success), len(tests.failure)) if tests else (0, 0)
        if passed + failed:
            share *= passed / (passed + failed)
        elif kind == "FAIL_TO_PASS":
            return None
    # All tests pass, yet it is not resolved: the report knows why, the share does not.
    return share if share < 1 else None


def _from_folder(source: Source, options: Options) -> Records:
    task: list[int | str] = []
    outcome: list[Outcome] = []
    score: list[float | None] = []
    places: list[str] = []
    skipped: list[str] | None = [] if options.skip_bad_records else None

    def add(instance: str, result: Outcome, share: float | None, place: str) -> None:
        task.append(instance)
        outcome.append(result)
        score.append(share)
        places.append(place)

    folders = {name.rpartition("/")[0]: name for name in source.members if _is_report(name)}
    for name in folders.values():
        found = decode_member(source, name, dict[str, _Instance], skipped)
        for instance, each in (found or {}).items():
            add(instance, _instance_outcome(each), _score(each), name)
    broken = [
        name
        for name in source.members
        if name.endswith(f"/{LOG}") and name.rpartition("/")[0] not in folders
    ]
    for name in broken:
        add(name.split("/")[-2], Outcome.ERRORED, None, name)
    notes = skipped_note(skipped) + strangers_note(_others(source))
    if broken:
        notes.append(
            f"{plural(len(broken), 'instance')} errored: a {LOG}, but no {REPORT}; SWE-bench "
            f"itself counts them as not resolved"
        )
    parts = [place.split("/")[:-2] for place in places]
    models = [part[-1] if part else None for part in parts]
    runs = [part[-2] if len(part) > 1 else None for part in parts]
    return Records(
        task=task,
        outcome=np.array(outcome, dtype=np.int8),
        rollout=runs if len(set(runs)) > 1 else None,
        system=models if any(models) else None,
        score=score,
        columns=_columns(task),
        place=places.__getitem__,
        notes=tuple(notes),
    )


def _is_report(name: str) -> bool:
    return name.endswith(f"/{REPORT}")


def _records(outcomes: dict[str, Outcome], notes: list[str], total: int) -> Records:
    found = list(outcomes.values())
    passed = found.count(Outcome.PASS)
    lost = found.count(Outcome.ERRORED) + found.count(Outcome.MISSING)
    if lost or total > len(found):
        what = f"the {lost:,} errored or missing" if lost else ""
        rest = "those not submitted" if total > len(found) else ""
        notes.append(
            f"SWE-bench itself counts {' and '.join(filter(None, (what, rest)))} as not "
            f"resolved; its own rate is {passed:,} of {total:,}, {format_percent(passed / total)}"
        )
    task: list[int | str] = list(outcomes)
    return Records(
        task=task,
        outcome=np.array(found, dtype=np.int8),
        columns=_columns(task),
        place=lambda at: f"instance {short(task[at])}",
        notes=tuple(notes),
    )


def _columns(task: Sequence[int | str]) -> dict[str, list[str | None]]:
    """Return the repository that each instance id names, where they do."""
    found: Iterable[re.Match[str] | None] = [_REPO.fullmatch(str(each)) for each in task]
    repos = [f"{match['owner']}/{match['repo']}" if match else None for match in found]
    return {"repo": repos} if any(repos) else {}


FORMAT = Format(
    name="swe-bench",
    title="SWE-bench report",
    looks_for=(
        "a JSON object with resolved_ids, with lists generated and resolved, or with "
        "patch_exists and resolved for each instance; or a folder of such report.json files"
    ),
    extensions=(".json",),
    detect=_detect,
    read=_read,
    reads_folders=True,
)
