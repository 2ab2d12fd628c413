"""Several files as one suite: further runs, parts, or one system each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import nearest_names
from bayeseval.errors import InputError
from bayeseval.io._records import SeveralSystems
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._ledger import ledger_of
from bayeseval.rollouts._tally import factorise, short
from bayeseval.rollouts._text import plural

__all__ = ["COMBINE_HELP", "Combine", "as_parts", "as_runs", "pick_system", "system_names"]

Combine = Literal["rollouts", "tasks", "systems"]
COMBINE_HELP = (
    "'rollouts' (runs of one system on the same tasks), 'tasks' (parts of one suite) or "
    "'systems' (one file per system)"
)

_Named = tuple[str, Rollouts]


def as_runs(suites: Sequence[_Named]) -> Rollouts:
    """Join runs of one system on the task id: counts of a task add up."""
    ids, where = _all_tasks(suites)
    counts = _summed(suites, where, len(ids))
    covered = np.zeros(len(ids), dtype=np.int64)
    for at in where:
        covered[at] += 1
    everywhere = int(np.count_nonzero(covered == len(suites)))
    if everywhere == len(ids):
        note = f"{plural(len(suites), 'run')} joined on the task id; all have the same tasks"
    else:
        sizes = Counter(covered.tolist())
        parts = ", ".join(f"{sizes[n]:,} in {n}" for n in sorted(sizes, reverse=True))
        note = (
            f"{plural(len(suites), 'run')} joined on the task id; NOT all have the same tasks: "
            f"{everywhere:,} of {plural(len(ids), 'task')} are in all of them ({parts})"
        )
    factors, dropped = _shared_factors(suites, where, len(ids))
    notes = [note]
    if "system" in dropped:
        names = sorted({str(level) for _, suite in suites for level in _levels(suite, "system")})
        notes.append(f"joined as asked, though the runs name different systems: {_listed(names)}")
        dropped.remove("system")
    if dropped:
        notes.append(f"not used, since they differ between the runs: {', '.join(dropped)}")
    return _suite(suites, ids, counts, factors, notes)


def as_parts(suites: Sequence[_Named]) -> Rollouts:
    """Put parts of one suite together: each task lies in one of them."""
    first: dict[Any, str] = {}
    for name, suite in suites:
        for task in _keys(suite):
            if first.setdefault(task, name) != name:
                raise InputError(
                    f"task {short(task[1])} is in {first[task]} and in {name}; parts of a suite "
                    f"share no task: if they are runs of the same tasks, say combine='rollouts' "
                    f"(--as rollouts)"
                )
    ids, where = _all_tasks(suites)
    counts = _summed(suites, where, len(ids))
    names = dict.fromkeys(name for _, suite in suites for name in suite.factors)
    factors = {name: _blank(len(ids)) for name in names}
    for (_, suite), at in zip(suites, where, strict=True):
        for name, values in suite.factors.items():
            factors[name][at] = values
    if "file" not in factors:
        factors["file"] = _blank(len(ids))
        for (name, _), at in zip(suites, where, strict=True):
            factors["file"][at] = os.path.basename(name)
    note = f"{plural(len(suites), 'part')} of one suite put together; the factor 'file' tells them"
    return _suite(suites, ids, counts, factors, [note])


def system_names(files: Sequence[tuple[str, str | None]]) -> list[str]:
    """Name the systems of (file, system) pairs: by the system if that tells them apart."""
    labels = [label for _, label in files]
    if None not in labels and len(set(labels)) == len(labels):
        return [str(label) for label in labels]
    stems = [os.path.basename(name.rstrip("/")).split(".")[0] or name for name, _ in files]
    if len(set(stems)) == len(stems):
        return stems
    names = [name for name, _ in files]
    if len(set(names)) == len(names):
        return names
    pairs = [f"{stem}: {label}" for stem, (_, label) in zip(stems, files, strict=True)]
    if len(set(pairs)) == len(pairs):
        return pairs
    return [f"{name}: {label}" for name, label in files]


def pick_system(names: Sequence[str], wanted: str | None) -> int:
    """Return the position of the system that is meant."""
    listed = _listed(names)
    if wanted is None and len(names) > 1:
        raise SeveralSystems(
            f"the files hold {len(names)} systems; choose one with system= (--system): {listed}",
            tuple(names),
        )
    if wanted is not None and wanted not in names:
        raise InputError(
            f"the files hold no system {wanted!r}{nearest_names(wanted, names)}; they hold: "
            f"{listed}"
        )
    return 0 if wanted is None else list(names).index(wanted)


def _listed(names: Sequence[str], most: int = 20) -> str:
    return ", ".join(map(short, names[:most])) + (", ..." if len(names) > most else "")


def _keys(suite: Rollouts) -> list[tuple[type, Any]]:
    return [(type(task), task) for task in suite.task.tolist()]


def _all_tasks(
    suites: Sequence[_Named],
) -> tuple[npt.NDArray[Any], list[npt.NDArray[np.int64]]]:
    """Return all tasks in order of first appearance, and where those of each suite stand."""
    arrays = [suite.task for _, suite in suites]
    if all(array.dtype.kind == "i" for array in arrays):
        joined = np.concatenate(arrays)
    else:
        joined = np.concatenate([array.astype(object) for array in arrays])
    codes, ids = factorise(joined)
    ends = np.cumsum([len(array) for array in arrays])[:-1]
    return ids, np.split(codes, ends)


def _summed(
    suites: Sequence[_Named], where: Sequence[npt.NDArray[np.int64]], n_tasks: int
) -> list[npt.NDArray[np.int64]]:
    totals = [np.zeros(n_tasks, dtype=np.int64) for _ in range(4)]
    for (_, suite), at in zip(suites, where, strict=True):
        parts = (suite.passes, suite.trials, suite.errored, suite.missing)
        for total, part in zip(totals, parts, strict=True):
            total[at] += part
    return totals


def _shared_factors(
    suites: Sequence[_Named], where: Sequence[npt.NDArray[np.int64]], n_tasks: int
) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """Return the factors on which the runs agree, and the names of those on which not."""
    factors: dict[str, npt.NDArray[Any]] = {}
    dropped: list[str] = []
    for name in dict.fromkeys(name for _, suite in suites for name in suite.factors):
        column = _blank(n_tasks)
        known = np.zeros(n_tasks, dtype=bool)
        for (_, suite), at in zip(suites, where, strict=True):
            if name not in suite.factors:
                continue
            values = suite.factors[name]
            seen = known[at]
            if not _same(column[at][seen], values[seen]):
                dropped.append(name)
                break
            column[at], known[at] = values, True
        else:
            factors[name] = column
    return factors, dropped


def _same(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    pairs = zip(one.tolist(), other.tolist(), strict=True)
    return all(type(a) is type(b) and a == b for a, b in pairs)


def _levels(suite: Rollouts, factor: str) -> tuple[Any, ...]:
    return suite.levels(factor) if factor in suite.factors else ()


def _blank(n: int) -> npt.NDArray[Any]:
    return np.full(n, None, dtype=object)


def _suite(
    suites: Sequence[_Named],
    ids: npt.NDArray[Any],
    counts: list[npt.NDArray[np.int64]],
    factors: dict[str, npt.NDArray[Any]],
    notes: list[str],
) -> Rollouts:
    passes, trials, errored, missing = counts
    duplicates = sum(suite.ledger.duplicates for _, suite in suites)
    ledger = replace(
        ledger_of(passes, trials, errored, missing, duplicates=duplicates),
        notes=(*notes, *_joined_notes(suites)),
    )
    return Rollouts(ids, passes, trials, errored, missing, factors, ledger, _source(suites))


def _source(suites: Sequence[_Named]) -> str:
    names = [name for name, _ in suites]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more files"


def _joined_notes(suites: Sequence[_Named]) -> list[str]:
    """Return each note once, with the files that it speaks of where that is not all of them."""
    speakers: dict[str, list[str]] = {}
    for name, suite in suites:
        for note in suite.ledger.notes:
            speakers.setdefault(note, []).append(os.path.basename(name))
    return [
        note if len(names) == len(suites) else f"{_listed_plain(names)}: {note}"
        for note, names in speakers.items()
    ]


def _listed_plain(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
