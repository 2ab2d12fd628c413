"""A suite of tasks as counts per task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import (
    as_counts,
    as_kind,
    as_mapping,
    as_text,
    nearest_names,
    one_of,
    shown,
)
from bayeseval.errors import InputError
from bayeseval.rollouts import _text as text
from bayeseval.rollouts._cells import Cells, cells_of
from bayeseval.rollouts._ledger import Ledger, ledger_of
from bayeseval.rollouts._tally import (
    Outcome,
    Varying,
    as_list,
    factor_per_task,
    factorise,
    id_array,
    outcome_codes,
    short,
    tally,
    value_array,
)

__all__ = ["Rollouts", "as_rollouts"]

Counts = npt.NDArray[np.int64]
LostAs = Literal["exclude", "fail", "pass"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rollouts:
    """A suite: for each task how many rollouts were scored, and how many passed.

    Made by `from_counts`, `from_outcomes` or `read`. Immutable: its arrays are read-only.

    Parameters
    ----------
    task : ndarray, shape (n_tasks,)
        Task ids, each once: int64 where all are whole numbers, else an object array of
        int and str (``8`` and ``"8"`` are two tasks).
    passes, trials : ndarray of int64, shape (n_tasks,)
        Passes among the scored rollouts of each task; ``trials`` may be 0.
    errored : ndarray of int64, shape (n_tasks,)
        Rollouts attempted but not scored, whatever the reason. Not part of `trials`.
    missing : ndarray of int64, shape (n_tasks,)
        Those of `errored` without any recorded outcome.
    factors : mapping of str to ndarray, shape (n_tasks,)
        Named properties of the tasks (slice, system, difficulty), read-only.
    ledger : Ledger
        Where every rollout went.
    source : str or None
        Where the data came from, such as the name of a file.

    Examples
    --------
    >>> import bayeseval as be
    >>> rollouts = be.Rollouts.from_counts([4, 0, 2], [4, 4, 4], errored=[0, 0, 1])
    >>> rollouts
    Rollouts(3 tasks x 4 rollouts: 6 of 12 passed, 1 errored)
    >>> rollouts.histogram()
    {(0, 4): 1, (2, 4): 1, (4, 4): 1}
    """

    task: npt.NDArray[Any]
    passes: Counts
    trials: Counts
    errored: Counts
    missing: Counts
    factors: Mapping[str, npt.NDArray[Any]]
    ledger: Ledger
    source: str | None = None

    def __post_init__(self) -> None:
        for array in (self.task, self.passes, self.trials, self.errored, self.missing):
            array.setflags(write=False)
        for values in self.factors.values():
            values.setflags(write=False)
        object.__setattr__(self, "factors", MappingProxyType(dict(self.factors)))

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only mapping cannot be pickled; the plain one is wrapped again on load.
        counts = (self.passes, self.trials, self.errored, self.missing)
        return Rollouts, (self.task, *counts, dict(self.factors), self.ledger, self.source)

    @classmethod
    def from_counts(
        cls,
        passes: npt.ArrayLike,
        trials: npt.ArrayLike,
        *,
        task: Iterable[int | str] | None = None,
        errored: npt.ArrayLike | None = None,
        missing: npt.ArrayLike | None = None,
        factors: Mapping[str, Iterable[Any]] | None = None,
        source: str | None = None,
    ) -> Rollouts:
        """Make a suite from counts per task.

        Parameters
        ----------
        passes : array_like of int, shape (n_tasks,)
            Passed rollouts of each task, 0 to `trials`.
        trials : array_like of int, shape (n_tasks,)
            Scored rollouts of each task; one number serves for all tasks.
        task : iterable of int or str, shape (n_tasks,), default None
            Task ids, each once; 0 to n_tasks - 1 if None.
        errored : array_like of int, shape (n_tasks,), default None
            Rollouts attempted but not scored; none if None.
        missing : array_like of int, shape (n_tasks,), default None
            Those of `errored` without a recorded outcome, at most `errored`; none if None.
        factors : mapping of str to iterable, shape (n_tasks,), default None
            Named properties of the tasks.
        source : str, default None
            Where the data came from.

        Returns
        -------
        Rollouts

        Raises
        ------
        InputError
            Passes above trials, a negative or fractional count, NaN, lengths that
            differ, no task at all, a task id that occurs twice.

        Examples
        --------
        >>> import bayeseval as be
        >>> be.Rollouts.from_counts([3, 1], 4, task=["orders", "refunds"])
        Rollouts(2 tasks x 4 rollouts: 4 of 8 passed, 0 errored)
        """
        passes = as_counts(passes, "passes")
        n_tasks = len(passes)
        if n_tasks == 0:
            raise InputError("the suite is empty: passes holds no task")
        trials = _per_task(trials, "trials", n_tasks)
        errored = _per_task(0 if errored is None else errored, "errored", n_tasks)
        missing = _per_task(0 if missing is None else missing, "missing", n_tasks)
        ids = id_array(task, "task", n_tasks)
        _check_length(ids, "task", n_tasks)
        if task is not None:
            _check_distinct(ids)
        _check_at_most(passes, trials, ids, "passes", "trials", "scored rollouts")
        _check_at_most(missing, errored, ids, "missing", "errored", "errored rollouts")
        columns = {}
        for name, values in _factors(factors).items():
            columns[name] = value_array(values, f"factor {name!r}")
            _check_length(columns[name], f"factor {name!r}", n_tasks)
        ledger = ledger_of(passes, trials, errored, missing)
        return cls(ids, passes, trials, errored, missing, columns, ledger, source)

    @classmethod
    def from_outcomes(
        cls,
        task: Iterable[int | str],
        passed: Iterable[Any],
        *,
        rollout: Iterable[Any] | None = None,
        factors: Mapping[str, Iterable[Any]] | None = None,
        errored: Iterable[bool] | None = None,
        source: str | None = None,
    ) -> Rollouts:
        """Make a suite from single rollouts, one entry each.

        Parameters
        ----------
        task : iterable of int or str, shape (n_rollouts,)
            The task of each rollout.
        passed : iterable, shape (n_rollouts,)
            Its outcome: True, False, 1, 0, or text in any case (true, false, yes, no, 1,
            0, pass, fail, passed, failed). None, NaN and empty text are missing: such a
            rollout counts as errored, never as failed. The text ``error`` is errored.
        rollout : iterable, shape (n_rollouts,), default None
            Ids of the attempts within their task. With it, records that repeat a (task,
            rollout) are merged where they agree, and refused where they do not. An entry
            of None is an attempt of its own.
        factors : mapping of str to iterable, shape (n_rollouts,), default None
            Named properties of the tasks; each must be constant within a task.
        errored : iterable of bool, shape (n_rollouts,), default None
            True for an attempt that broke; its `passed` is then not used.
        source : str, default None
            Where the data came from.

        Returns
        -------
        Rollouts
            With tasks in order of first appearance.

        Raises
        ------
        InputError
            An unknown outcome, lengths that differ, no rollout at all, two outcomes for
            one (task, rollout), a factor that varies within a task.

        Examples
        --------
        >>> import bayeseval as be
        >>> be.Rollouts.from_outcomes(["a", "a", "b", "b"], [True, "fail", "yes", None])
        Rollouts(2 tasks, 1 to 2 rollouts each: 2 of 3 passed, 1 errored)
        """
        ids = id_array(task, "task")
        outcome = outcome_codes(passed, "passed")
        n = len(ids)
        if n == 0:
            raise InputError("the suite is empty: task holds no rollout")
        _check_length(outcome, "passed", n)
        if errored is not None:
            broke = outcome_codes(errored, "errored")
            _check_length(broke, "errored", n)
            outcome[broke == Outcome.PASS] = Outcome.ERRORED
        attempts = None
        if rollout is not None:
            attempts = as_list(rollout, "rollout")
            _check_length(attempts, "rollout", n)
        counted = tally(ids, outcome, rollout=attempts)
        columns = {}
        for name, raw in _factors(factors).items():
            values = value_array(raw, f"factor {name!r}")
            _check_length(values, f"factor {name!r}", n)
            column = factor_per_task(counted, values)
            if isinstance(column, Varying):
                raise InputError(
                    f"factor {name!r} varies within task {short(column.task)}: "
                    f"{short(column.one)} and {short(column.other)}; a factor is a property of "
                    f"a task, so leave this one out, or make it part of the task id"
                )
            columns[name] = column
        counts = (counted.passes, counted.trials, counted.errored, counted.missing)
        ledger = ledger_of(*counts, duplicates=counted.duplicates)
        return cls(counted.task, *counts, columns, ledger, source)

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.task)

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Which tasks have a scored rollout, shape (n_tasks,)."""
        return self.trials > 0

    @property
    def n_scored_tasks(self) -> int:
        """Number of tasks with at least one scored rollout."""
        return self.n_tasks - self.ledger.tasks_without_score

    @property
    def n_rollouts(self) -> int:
        """Number of scored rollouts."""
        return self.ledger.scored

    @property
    def min_trials(self) -> int:
        """Smallest number of scored rollouts of any task; 0 where a task has none."""
        return int(self.trials.min())

    @property
    def max_trials(self) -> int:
        """Largest number of scored rollouts of any task."""
        return int(self.trials.max())

    @property
    def equal_trials(self) -> bool:
        """Whether all tasks have the same number of scored rollouts."""
        return self.min_trials == self.max_trials

    @property
    def pass_rate(self) -> npt.NDArray[np.float64]:
        """Raw pass rates, 0-1, of the tasks in ``task[scored]``, shape (n_scored_tasks,).

        A task without a scored rollout has no raw rate, so it has no entry here.
        """
        scored = self.scored
        return self.passes[scored] / self.trials[scored]

    @property
    def cells(self) -> Cells:
        """Tasks collapsed by equal (passes, trials)."""
        return cells_of(self.passes, self.trials)

    def histogram(self) -> dict[tuple[int, int], int]:
        """Return the number of tasks for each (passes, trials), by trials, then passes."""
        cells = self.cells
        pairs = zip(cells.passes.tolist(), cells.trials.tolist(), strict=True)
        return dict(zip(pairs, cells.count.tolist(), strict=True))

    def levels(self, factor: str) -> tuple[Any, ...]:
        """Return the distinct values of a factor, sorted; None, if any, comes last.

        Parameters
        ----------
        factor : str
            Name of a factor.

        Returns
        -------
        tuple

        Raises
        ------
        InputError
            An unknown factor.
        """
        if as_text(factor, "factor") not in self.factors:
            known = ", ".join(map(repr, self.factors)) or "none"
            raise InputError(
                f"unknown factor {shown(factor)}{nearest_names(factor, self.factors)}; "
                f"the factors are: {known}"
            )
        _, levels = factorise(self.factors[factor])

        def key(value: Any) -> tuple[bool, str, Any]:
            number = isinstance(value, int | float)
            return value is None, "" if number else "text", 0 if value is None else value

        return tuple(sorted(levels.tolist(), key=key))

    def where(self, factor: str, value: Any) -> Rollouts:
        """Return the tasks whose `factor` equals `value`.

        Parameters
        ----------
        factor : str
            Name of a factor.
        value : object
            One of its levels, of the same type: ``3`` is not ``"3"``.

        Returns
        -------
        Rollouts

        Raises
        ------
        InputError
            An unknown factor, or a value that no task has.

        Examples
        --------
        >>> import bayeseval as be
        >>> suite = be.Rollouts.from_counts([4, 1], 4, factors={"slice": ["joins", "dates"]})
        >>> suite.where("slice", "joins")
        Rollouts(1 task x 4 rollouts: 4 of 4 passed, 0 errored)
        """
        levels = self.levels(factor)
        if not any(_same(level, value) for level in levels):
            listed = ", ".join(short(level) for level in levels[:20])
            listed += ", ..." if len(levels) > 20 else ""
            hint = nearest_names(short(value).strip("'"), [str(level) for level in levels])
            raise InputError(
                f"no task has {factor} = {short(value)}{hint}; "
                f"the levels of {factor!r} are: {listed}"
            )
        mask = np.array([_same(v, value) for v in self.factors[factor]])
        return self._part(mask, f"{factor} = {value}")

    def subset(self, mask: npt.ArrayLike) -> Rollouts:
        """Return some of the tasks.

        Parameters
        ----------
        mask : array_like of bool, shape (n_tasks,)
            True for the tasks to keep.

        Returns
        -------
        Rollouts

        Raises
        ------
        InputError
            A mask that is not boolean, has another length or keeps no task.
        """
        try:
            keep = np.asarray(mask)
        except ValueError:
            raise InputError(f"mask must hold True and False; got {shown(mask)}") from None
        if keep.dtype != np.bool_ or keep.ndim != 1:
            raise InputError(f"mask must hold True and False; got {keep.dtype} values")
        _check_length(keep, "mask", self.n_tasks)
        if not keep.any():
            raise InputError("mask keeps no task, and a suite needs at least one")
        return self._part(keep, "a subset")

    def _part(self, keep: npt.NDArray[np.bool_], label: str) -> Rollouts:
        counts = (self.passes[keep], self.trials[keep], self.errored[keep], self.missing[keep])
        note = f"{int(keep.sum())} of {self.n_tasks} tasks ({label})"
        if self.ledger.duplicates:
            note += "; merged duplicates are counted over all of them"
        ledger = replace(
            ledger_of(*counts, duplicates=self.ledger.duplicates),
            notes=(*self.ledger.notes, note),
        )
        factors = {name: values[keep] for name, values in self.factors.items()}
        return Rollouts(self.task[keep], *counts, factors, ledger, self.source)

    def with_lost(self, as_: LostAs) -> Rollouts:
        """Count errored rollouts as failures or as passes, or leave them out.

        The two answers of ``"fail"`` and ``"pass"`` bound what the errored rollouts
        could have changed.

        Parameters
        ----------
        as_ : {"exclude", "fail", "pass"}
            ``"exclude"`` returns the suite as it is.

        Returns
        -------
        Rollouts
            Without errored rollouts, unless excluded; a note in the ledger says so.

        Raises
        ------
        InputError
            Another value of `as_`.

        Examples
        --------
        >>> import bayeseval as be
        >>> suite = be.Rollouts.from_counts([3], [4], errored=[2])
        >>> suite.with_lost("fail"), suite.with_lost("pass")  # doctest: +NORMALIZE_WHITESPACE
        (Rollouts(1 task x 6 rollouts: 3 of 6 passed, 0 errored),
         Rollouts(1 task x 6 rollouts: 5 of 6 passed, 0 errored))
        """
        one_of(as_, LostAs, "as_")
        lost = self.ledger.errored
        if as_ == "exclude" or lost == 0:
            return self
        trials = self.trials + self.errored
        passes = self.passes + self.errored if as_ == "pass" else self.passes
        none = np.zeros(self.n_tasks, dtype=np.int64)
        word = "passes" if as_ == "pass" else "failures"
        ledger = replace(
            ledger_of(passes, trials, none, none, duplicates=self.ledger.duplicates),
            notes=(*self.ledger.notes, f"{lost} errored rollouts are counted as {word}"),
        )
        return Rollouts(self.task, passes, trials, none, none, self.factors, ledger, self.source)

    def with_notes(self, *notes: str) -> Rollouts:
        """Return the same suite with further notes in its ledger.

        Parameters
        ----------
        *notes : str
            One sentence each, without the full stop.

        Returns
        -------
        Rollouts
        """
        added = [as_text(note, "notes") for note in notes]
        ledger = replace(self.ledger, notes=(*self.ledger.notes, *added))
        return replace(self, ledger=ledger)

    def with_factor(self, name: str, value: str | int | float | bool) -> Rollouts:
        """Return the same suite with a factor that is the same for all tasks.

        Parameters
        ----------
        name : str
            Name of the factor; one of that name is replaced.
        value : str, int, float or bool
            Its value.

        Returns
        -------
        Rollouts
        """
        as_text(name, "name")
        plain: Any = value
        if not isinstance(plain, str | int | float | np.bool_ | np.integer) or plain != plain:
            raise InputError(f"value must be a text, a number or a flag; got {shown(value)}")
        column = np.full(self.n_tasks, value, dtype=object)
        others = {key: values for key, values in self.factors.items() if key != name}
        return replace(self, factors={name: column, **others})

    def __repr__(self) -> str:
        return f"Rollouts({text.summary(self)})"

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """Return the histogram of passes, the ledger and the rollouts per task as text.

        Returns
        -------
        str
            Several lines of at most 80 columns.
        """
        return text.describe(self)

    def _repr_html_(self) -> str:
        return text.html(self)


def _per_task(values: npt.ArrayLike, argument: str, n_tasks: int) -> Counts:
    counts = as_counts(values, argument)
    if np.ndim(values) == 0:
        return np.full(n_tasks, counts[0])
    _check_length(counts, argument, n_tasks)
    return counts


def as_rollouts(value: Any, argument: str = "rollouts") -> Rollouts:
    """Return a suite, or raise InputError where the argument is none."""
    hint = "as be.read(path) or Rollouts.from_counts makes it"
    return as_kind(value, Rollouts, argument, hint=hint)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _factors(factors: Mapping[str, Iterable[Any]] | None) -> dict[str, Iterable[Any]]:
    named = {} if factors is None else as_mapping(factors, "factors", of="one value for each task")
    for name in named:
        as_text(name, "the name of a factor")
    return named


def _check_length(values: Any, argument: str, expected: int) -> None:
    if getattr(values, "ndim", 1) != 1 or len(values) != expected:
        raise InputError(
            f"{argument} must have one entry for each of the {expected} in the first "
            f"argument; got {len(values)}"
        )


def _check_distinct(ids: npt.NDArray[Any]) -> None:
    distinct = len(np.unique(ids)) if ids.dtype != object else len(set(ids.tolist()))
    if distinct < len(ids):
        seen: set[Any] = set()
        for at, value in enumerate(ids.tolist()):
            if value in seen:
                raise InputError(
                    f"task {short(value)} occurs twice, again at position {at}; "
                    f"give each task one row, or pass single rollouts to from_outcomes"
                )
            seen.add(value)


def _check_at_most(
    counts: Counts, limit: Counts, ids: npt.NDArray[Any], name: str, limit_name: str, what: str
) -> None:
    above = counts > limit
    if above.any():
        at = int(np.argmax(above))
        raise InputError(
            f"{name} must not exceed {limit_name}: task {short(ids.tolist()[at])} has "
            f"{counts[at]} {name} of {limit[at]} {what}"
        )
