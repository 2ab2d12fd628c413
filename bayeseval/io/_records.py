"""What readers return, and the one way from there to Rollouts, for every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._validate import nearest_names
from bayeseval.errors import FormatError, InputError
from bayeseval.io._options import Options
from bayeseval.io._pass_if import PassIf
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._ledger import ledger_of
from bayeseval.rollouts._tally import (
    Outcome,
    Varying,
    factor_per_task,
    id_array,
    is_blank,
    short,
    tally,
)
from bayeseval.rollouts._text import plural

__all__ = [
    "CountTable",
    "Records",
    "SeveralSystems",
    "several_systems",
    "systems_in",
    "to_rollouts",
    "unknown_system",
    "usable_columns",
]

LONGEST_FACTOR_VALUE = 200
NO_SCORES = "pass_if= (--pass-if) decides which scores pass, but the file holds no scores"
_NO_NAME = "(no name)"


def _record_number(at: int) -> str:
    return f"record {at + 1}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Records:
    """Single rollouts in long form, one entry each.

    Parameters
    ----------
    task : sequence of int or str
        Task ids.
    outcome : ndarray of int8
        Codes of `Outcome`.
    rollout : sequence or None
        Ids of the attempts within their task; None where attempts count by order.
    system : sequence or None
        What was under test; None where the file does not say.
    columns : mapping of str to sequence
        Whatever else the file says: a factor where it is constant within each task.
    place : callable
        Names an entry for messages: ``line 12``, ``record 3``.
    notes : tuple of str
        What the ledger must tell.
    score : sequence of float or None, optional
        The score behind each outcome, where the format has scores: entries with a score
        are decided anew by ``options.pass_if``, and partial credit is counted.
    full_credit : float
        The score that is a pass by default.
    version : str or None
        The version of the format, of the harness or of the task set, each with its name,
        where the file says so: ``schema_version 2``.
    """

    task: Sequence[int | str]
    outcome: npt.NDArray[np.int8]
    rollout: Sequence[Any] | None = None
    system: Sequence[Any] | None = None
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    place: Callable[[int], str] = _record_number
    notes: tuple[str, ...] = ()
    score: Sequence[float | None] | None = None
    full_credit: float = 1.0
    version: str | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountTable:
    """Counts, one entry for each task of each system; fields as in `Records`.

    Those `by_engine` were made from single rollouts, of which `duplicates` were merged, and
    name each task once: nothing is left to check.
    """

    task: Sequence[int | str]
    passes: Sequence[int]
    trials: Sequence[int]
    errored: Sequence[int] | None = None
    missing: Sequence[int] | None = None
    system: Sequence[Any] | None = None
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    place: Callable[[int], str] = _record_number
    notes: tuple[str, ...] = ()
    duplicates: int = 0
    by_engine: bool = False
    version: str | None = None


class SeveralSystems(InputError):
    """Several systems in a file, and none chosen.

    Parameters
    ----------
    message : str
        What there is to choose from.
    names : tuple of str
        The systems.
    """

    def __init__(self, message: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.names = names


def several_systems(records: Mapping[str, int]) -> SeveralSystems:
    """Return the error for systems, each with its number of records."""
    return SeveralSystems(
        f"the file holds {len(records)} systems; choose one with system= (--system): "
        f"{_with_records(records)}",
        tuple(records),
    )


def _with_records(records: Mapping[str, int]) -> str:
    return ", ".join(f"{label!r} ({number:,} records)" for label, number in records.items())


def unknown_system(wanted: str, records: Mapping[str, int]) -> InputError:
    """Return the error for a system that is not among those of a file."""
    return InputError(
        f"the file holds no system {wanted!r}{nearest_names(wanted, records)}; it holds: "
        f"{_with_records(records)}"
    )


def to_rollouts(data: Records | CountTable, options: Options, *, source: str) -> Rollouts:
    """Pick the system, merge duplicates, find the factors and write the ledger."""
    if not len(data.task):
        raise FormatError("the file holds no rollouts")
    data, system = _pick_system(data, options.system)
    if isinstance(data, Records):
        data = _decided(data, options.pass_if)
        rollouts, factors, notes = _from_records(data, options)
    elif data.by_engine:
        rollouts, factors, notes = _from_engine(data)
    else:
        if options.pass_if is not None:
            raise InputError(NO_SCORES)
        rollouts, factors, notes = _from_counts(data)
    if system is not None:
        factors = {"system": _repeated(system, rollouts.n_tasks), **factors}
    return replace(rollouts, factors=factors, source=source).with_notes(*data.notes, *notes)


def _repeated(value: str, n: int) -> npt.NDArray[Any]:
    column = np.empty(n, dtype=object)
    column[:] = value
    return column


def systems_in(data: Records | CountTable) -> list[str | None]:
    """Return the systems that a file holds, in order; a single None where it names none."""
    return [None] if data.system is None else list(dict.fromkeys(_labels(data.system)))


def _labels(system: Sequence[Any]) -> list[str]:
    if set(map(type, system)) == {str} and "" not in system:
        return list(system)
    return [_NO_NAME if is_blank(label) or label == "" else str(label) for label in system]


def _pick_system(
    data: Records | CountTable, wanted: str | None
) -> tuple[Records | CountTable, str | None]:
    if data.system is None:
        if wanted is not None:
            raise InputError(f"system = {wanted!r} was asked for, but the file names no system")
        return data, None
    labels = _labels(data.system)
    found = Counter(labels)
    if wanted is None and len(found) > 1:
        raise several_systems(found)
    if wanted is not None and wanted not in found:
        raise unknown_system(wanted, found)
    chosen = labels[0] if wanted is None else wanted
    if len(found) > 1:
        data = _rows(data, [at for at, label in enumerate(labels) if label == chosen])
    return data, chosen


def _rows(data: Records | CountTable, rows: list[int]) -> Records | CountTable:
    def part(values: Sequence[Any] | None) -> Any:
        return None if values is None else [values[at] for at in rows]

    def place(at: int) -> str:
        return data.place(rows[at])

    columns = {name: part(values) for name, values in data.columns.items()}
    if isinstance(data, Records):
        return replace(
            data,
            task=part(data.task),
            outcome=data.outcome[rows],
            rollout=part(data.rollout),
            score=part(data.score),
            columns=columns,
            place=place,
        )
    return replace(
        data,
        task=part(data.task),
        passes=part(data.passes),
        trials=part(data.trials),
        errored=part(data.errored),
        missing=part(data.missing),
        columns=columns,
        place=place,
    )


Factors = dict[str, npt.NDArray[Any]]


def _decided(data: Records, pass_if: Callable[[float], bool] | None) -> Records:
    """Let `pass_if` decide which scores pass, and count partial credit."""
    if data.score is None:
        if pass_if is not None:
            raise InputError(NO_SCORES)
        return data
    # None becomes NaN.
    score = np.array(data.score, dtype=float)
    decides = np.isfinite(score) & (data.outcome <= Outcome.PASS)
    outcome = data.outcome
    if pass_if is not None:
        levels, level = np.unique(score[decides], return_inverse=True)
        passes = np.array([bool(pass_if(each)) for each in levels.tolist()], dtype=bool)
        outcome = data.outcome.copy()
        outcome[decides] = passes[level]
    partial = decides & (score > 0) & (score < data.full_credit)
    notes = data.notes
    if n_partial := int(np.count_nonzero(partial)):
        n_passed = int(np.count_nonzero(outcome[partial] == Outcome.PASS))
        notes = (*notes, _partial_note(n_partial, n_passed, data.full_credit, pass_if))
    elif pass_if is not None:
        notes = (*notes, f"a score passes if {_rule(pass_if)}; none is partial")
    return replace(data, outcome=outcome, notes=notes)


def _rule(pass_if: Callable[[float], bool]) -> str:
    return f"it is {pass_if}" if isinstance(pass_if, PassIf) else "the given function says so"


def _partial_note(
    n_partial: int, n_passed: int, full: float, pass_if: Callable[[float], bool] | None
) -> str:
    found = f"{plural(n_partial, 'score')} between 0 and {full:g} (partial credit)"
    if pass_if is None:
        verdict = "passed by the file's own rule" if n_passed else "not passed"
        number = "" if n_passed in (0, n_partial) else f"{n_passed:,} of them "
        return f"{found}: {number}{verdict}; pass_if= (--pass-if) sets another bar"
    return f"{found}: {n_passed:,} of them passed, since a score passes if {_rule(pass_if)}"


def _from_records(data: Records, options: Options) -> tuple[Rollouts, Factors, list[str]]:
    ids = id_array(data.task, "task")
    counted = tally(
        ids,
        data.outcome,
        rollout=data.rollout,
        place=data.place,
        keep_contradictory=options.duplicates == "rollouts",
    )
    rollouts = Rollouts.from_counts(
        counted.passes,
        counted.trials,
        task=counted.task,
        errored=counted.errored,
        missing=counted.missing,
    )
    ledger = replace(rollouts.ledger, duplicates=counted.duplicates)
    rollouts = replace(rollouts, ledger=ledger)
    columns, notes = usable_columns(data.columns)
    if counted.contradictory:
        notes.append(
            f"{plural(counted.contradictory, 'record')} that contradict an earlier one of the "
            f"same task and rollout are counted as further rollouts"
        )
    factors: Factors = {}
    varying: list[str] = []
    for name, values in columns.items():
        column = factor_per_task(counted, values)
        if isinstance(column, Varying):
            varying.append(name)
        else:
            factors[name] = column
    if varying:
        notes.insert(0, f"not used, since they vary within a task: {', '.join(varying)}")
    return rollouts, factors, notes


def _from_engine(data: CountTable) -> tuple[Rollouts, Factors, list[str]]:
    # The reader has looked at an array of ids that are no whole numbers, one by one.
    checked = getattr(data.task, "dtype", None) == np.dtype(object)
    ids = np.asarray(data.task) if checked else id_array(data.task, "task")
    passes, trials, errored, missing = (
        np.asarray(each, dtype=np.int64)
        for each in (data.passes, data.trials, data.errored, data.missing)
    )
    ledger = ledger_of(passes, trials, errored, missing, duplicates=data.duplicates)
    columns, notes = usable_columns(data.columns)
    factors: Factors = {}
    for name, values in columns.items():
        factors[name] = np.empty(len(values), dtype=object)
        factors[name][:] = values
    return Rollouts(ids, passes, trials, errored, missing, {}, ledger), factors, notes


def _from_counts(data: CountTable) -> tuple[Rollouts, Factors, list[str]]:
    first: dict[int | str, int] = {}
    for at, task in enumerate(data.task):
        if first.setdefault(task, at) != at:
            raise InputError(
                f"task {short(task)} stands at {data.place(first[task])} and again at "
                f"{data.place(at)}; a count table has one row for each task"
            )
    rollouts = Rollouts.from_counts(
        data.passes, data.trials, task=data.task, errored=data.errored, missing=data.missing
    )
    columns, notes = usable_columns(data.columns)
    factors: Factors = {}
    for name, values in columns.items():
        factors[name] = np.empty(len(values), dtype=object)
        factors[name][:] = values
    return rollouts, factors, notes


def usable_columns(columns: Mapping[str, Sequence[Any]]) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the columns that can be factors, blanks as None, and notes on the others."""
    usable: dict[str, list[Any]] = {}
    unusable: dict[str, list[str]] = {}
    for name, raw in columns.items():
        values: list[Any]
        kinds = set(map(type, raw))
        if kinds == {str}:
            values = [value or None for value in raw] if "" in raw else list(raw)
            longest = max(map(len, raw))
            kinds = kinds if longest else set()
        else:
            values = [None if value == "" or is_blank(value) else value for value in raw]
            kinds = set(map(type, values)) - {type(None)}
            longest = max((len(value) for value in values if type(value) is str), default=0)
        if not kinds:
            reason = "they are empty"
        elif kinds - {str, int, float, bool}:
            reason = "they hold lists or objects"
        elif longest > LONGEST_FACTOR_VALUE:
            reason = f"they hold texts of more than {LONGEST_FACTOR_VALUE} characters"
        else:
            usable[name] = values
            continue
        unusable.setdefault(reason, []).append(name)
    notes = [f"not used, since {why}: {', '.join(names)}" for why, names in unusable.items()]
    return usable, notes
