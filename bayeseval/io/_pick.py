"""Choosing one of several outcomes that a file holds."""

from __future__ import annotations

from collections.abc import Sequence

from bayeseval._validate import nearest_names
from bayeseval.errors import InputError
from bayeseval.rollouts._tally import short

__all__ = ["pick"]

MOST_LISTED = 30


def pick(names: Sequence[str], wanted: str | None, option: str, what: str) -> str:
    """Return the name that is meant: the wanted one, or the only one.

    Parameters
    ----------
    names : sequence of str
        The names in the file, each once.
    wanted : str or None
        What the caller chose.
    option : {"scorer", "metric", "filter"}
        The option that chooses.
    what : str
        What is chosen, in the plural, for the message: ``scorers``.

    Raises
    ------
    InputError
        Several names and none wanted, a wanted one that is not there, or none at all.
    """
    listed = ", ".join(short(name) for name in names[:MOST_LISTED])
    if len(names) > MOST_LISTED:
        listed += f", ... ({len(names):,} in all)"
    if wanted is not None:
        if wanted in names:
            return wanted
        holds = f"it holds: {listed}" if names else f"it holds no {what} at all"
        raise InputError(
            f"{option} = {wanted!r} (--{option}) is not in the file"
            f"{nearest_names(wanted, names)}; {holds}"
        )
    if not names:
        raise InputError(f"the file holds no {what}")
    if len(names) > 1:
        raise InputError(
            f"the file holds {len(names):,} {what}; choose one with {option}= "
            f"(--{option}): {listed}"
        )
    return names[0]
