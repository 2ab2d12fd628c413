"""Slices of a suite: its tasks by the levels of one factor, or of several crossed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayeseval._validate import as_items, nearest_names, shown
from bayeseval._weights import slice_label
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts

__all__ = ["factor_names", "level_named", "split"]

MOST_SLICES = 2000


def factor_names(by: str | Sequence[str]) -> tuple[str, ...]:
    """Names of the factors that make the slices, each once."""
    names = (by,) if isinstance(by, str) else as_items(by, "by", of="names of factors")
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"by must name one factor or several; got {shown(by)}")
    if len(set(names)) < len(names):
        raise InputError(f"by names a factor twice; got {shown(by)}")
    return names


def split(rollouts: Rollouts, by: str | Sequence[str]) -> dict[str, Rollouts]:
    """Return the slices of a suite by label, sorted by their levels.

    Parameters
    ----------
    rollouts : Rollouts
        The suite.
    by : str or sequence of str
        A factor, or several to cross; only combinations that some task has are slices.

    Raises
    ------
    InputError
        An unknown factor, levels that read alike, or a slice without a scored rollout.
    """
    as_rollouts(rollouts)
    names = factor_names(by)
    for name in names:
        if name not in rollouts.factors:
            known = ", ".join(repr(each) for each in rollouts.factors) or "none"
            raise InputError(
                f"the suite has no factor {shown(name)}{nearest_names(name, rollouts.factors)}; "
                f"its factors: {known}"
            )
    ranks = [
        {_key(level): rank for rank, level in enumerate(rollouts.levels(name))} for name in names
    ]
    columns = [rollouts.factors[name].tolist() for name in names]
    keys = [
        tuple(rank[_key(value)] for rank, value in zip(ranks, row, strict=True))
        for row in zip(*columns, strict=True)
    ]
    order = sorted(set(keys))
    if len(order) > MOST_SLICES:
        raise InputError(
            f"by={by!r} makes {len(order):,} slices, more than {MOST_SLICES:,}; "
            "choose a factor with fewer levels"
        )
    place = {key: at for at, key in enumerate(order)}
    which = np.array([place[key] for key in keys])
    slices: dict[str, Rollouts] = {}
    for at in range(len(order)):
        mask = which == at
        first = int(np.argmax(mask))
        label = slice_label(tuple(column[first] for column in columns))
        if label in slices:
            raise InputError(
                f"two levels of {' and '.join(names)} read {label!r}; rename one of them"
            )
        part = rollouts.subset(mask)
        if part.n_scored_tasks == 0:
            raise InputError(
                f"slice {label!r} has no scored rollout: there is nothing to fit; "
                "leave it out with Rollouts.where or subset"
            )
        slices[label] = part
    return slices


def level_named(rollouts: Rollouts, factor: str, text: str) -> Any:
    """The level of a factor that reads as a text says."""
    levels = rollouts.levels(factor)
    found = [level for level in levels if slice_label(level) == text]
    if len(found) == 1:
        return found[0]
    names = [slice_label(level) for level in levels]
    listed = ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")
    raise InputError(
        f"no task has {factor} = {text!r}{nearest_names(text, names)}; the levels are: {listed}"
    )


def _key(value: object) -> tuple[str, object]:
    """3 and "3" and True are different levels."""
    return type(value).__name__, value
