"""From the scores of an Inspect log to outcomes, by Inspect's own mapping of values."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bayeseval.errors import FormatError
from bayeseval.io._options import Options
from bayeseval.io._pick import pick
from bayeseval.rollouts._tally import Outcome, short
from bayeseval.rollouts._text import plural

__all__ = ["outcomes"]

FULL_CREDIT = 1.0
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Score(Protocol):
    """What one scorer says of one sample."""

    value: Any


def outcomes(
    samples: Sequence[Mapping[str, Score]],
    tasks: Sequence[int | str],
    broke: Sequence[bool],
    options: Options,
) -> tuple[npt.NDArray[np.int8], list[float | None], list[str]]:
    """Return the outcome and the score of each sample, and what must be told about them.

    Parameters
    ----------
    samples : sequence of mapping
        For each sample the score by each scorer.
    tasks : sequence of int or str
        Ids of the samples.
    broke : sequence of bool
        Whether a sample ended with an error.
    options : Options
        ``scorer`` chooses; without ``pass_if`` a score passes from 1 on.
    """
    values: dict[str, dict[int, Any]] = defaultdict(dict)
    for at, scores in enumerate(samples):
        for name, found in scores.items():
            value = found.value
            if type(value) is not dict and type(value) is not list:
                values[name][at] = value
                continue
            for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                values[f"{name}/{key}"][at] = part
    notes: list[str] = []
    score: list[float | None] = [None] * len(samples)
    scorer = None
    # A log that was never scored has no scorer to choose, but its samples are counted.
    if values or options.scorer is not None:
        numbers = _Numbers()
        scorer = _choose(values, numbers, options.scorer, notes)
        unknown = []
        for at, value in values[scorer].items():
            try:
                number = numbers[value]
            except TypeError:
                number = _UNKNOWN
            if number is _UNKNOWN:
                unknown.append(value)
                number = 0.0
            score[at] = number
        if unknown:
            notes.append(
                f"{plural(len(unknown), 'value')} such as {short(unknown[0])} mean nothing to "
                f"Inspect, which counts them as 0"
            )
    notes += _notes(scorer, score, tasks, broke, options)
    return _codes(score, broke), score, notes


_UNKNOWN: Any = object()


class _Numbers(dict[Any, Any]):
    """Score of each value met so far: a number, None where there is none, or `_UNKNOWN`."""

    def of(self, value: Any) -> Any:
        return _UNKNOWN if isinstance(value, dict | list) else self[value]

    def __missing__(self, value: Any) -> Any:
        number = self[value] = _number(value)
        return number


def _number(value: Any) -> Any:
    if value is None or value in _LETTERS:
        return _LETTERS.get(value)
    if isinstance(value, str):
        value = _WORDS.get(value.lower(), value)
    try:
        number = float(value)
    except ValueError:
        return _UNKNOWN
    except OverflowError:
        number = math.inf if value > 0 else -math.inf
    return None if math.isnan(number) else number


def _codes(score: list[float | None], broke: Sequence[bool]) -> npt.NDArray[np.int8]:
    # None becomes NaN.
    numbers = np.array(score, dtype=float)
    unscored = np.where(broke, np.int8(Outcome.ERRORED), np.int8(Outcome.MISSING))
    # PASS and FAIL are 1 and 0.
    passed = (numbers >= FULL_CREDIT).astype(np.int8)
    return np.where(np.isnan(numbers), unscored, passed)


def _choose(
    values: dict[str, dict[int, Any]], numbers: _Numbers, wanted: str | None, notes: list[str]
) -> str:
    usable: dict[str, None] = {}
    for name, given in values.items():
        if any(numbers.of(value) is not _UNKNOWN for value in given.values()):
            usable[name] = None
    texts = [name for name in values if name not in usable]
    if wanted in texts or (texts and not usable):
        name = wanted or texts[0]
        example = next(iter(values[name].values()))
        other = f"; other scorers: {', '.join(map(short, usable))}" if usable else ""
        raise FormatError(
            f"the scorer {short(name)} gives values such as {short(example)}, which neither pass "
            f"nor fail{other}"
        )
    if texts and wanted is None:
        notes.append(f"not used, since they neither pass nor fail: {', '.join(texts)}")
    return pick(list(usable), wanted, "scorer", "scorers")


def _notes(
    scorer: str | None,
    score: list[float | None],
    tasks: Sequence[int | str],
    broke: Sequence[bool],
    options: Options,
) -> Iterator[str]:
    numbers = [number for number in score if number is not None]
    errored = sum(error for number, error in zip(score, broke, strict=True) if number is None)
    missing = len(score) - len(numbers) - errored
    if missing and scorer is None:
        yield "the samples have no scores: the run was not scored"
    elif missing:
        yield f"{plural(missing, 'rollout')} without a score by {scorer!r} (absent, null or NaN)"
    if scored := sum(broke) - errored:
        yield f"{plural(scored, 'rollout')} ended with an error and count by the score they have"
    if errored:
        yield (f"Inspect itself leaves the {plural(errored, 'errored rollout')} out of its metrics")
    if not numbers:
        return
    if max(numbers) > FULL_CREDIT and options.pass_if is None:
        yield (
            f"scores reach {max(numbers):g}, and each of at least 1 counts as a pass; if that is "
            f"no pass on this scale, set another bar with pass_if= (--pass-if)"
        )
    if len(numbers) < len(score) or any(0 < number < FULL_CREDIT for number in numbers):
        per_task: dict[int | str, list[float]] = defaultdict(list)
        for task, number in zip(tasks, score, strict=True):
            if number is not None:
                per_task[task].append(number)
        # Not `fmean`, which raises where numbers are infinite.
        own = sum(sum(each) / len(each) for each in per_task.values()) / len(per_task)
        if math.isfinite(own):
            yield (
                f"Inspect's own mean of {scorer!r} over these samples is {own:.3f}, with partial "
                f"credit counted in part"
            )
