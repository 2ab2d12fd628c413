"""Totals: what a file tells that holds no rollouts."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from bayeseval.errors import FormatError, InputError

__all__ = ["Totals", "TotalsOnly", "in_file"]


@dataclass(frozen=True, slots=True)
class Totals:
    """What a file says about one metric over all tasks, without single rollouts.

    Parameters
    ----------
    name : str
        The metric, with its task set where the file holds several.
    passes : int or None
        How many passed; None where the file gives only a rate that is no share of `trials`.
    trials : int
        Over how many the rate was taken.
    rate : float
        The rate as the file gives it, 0-1.
    """

    name: str
    passes: int | None
    trials: int
    rate: float


class TotalsOnly(FormatError):
    """A file that holds totals only, where rollouts are needed.

    Parameters
    ----------
    message : str
        Why rollouts are needed, and why this file cannot give them.
    totals : tuple of Totals
        What it does hold.
    version : str or None
        As in `Records`.
    """

    def __init__(
        self, message: str, totals: tuple[Totals, ...] = (), version: str | None = None
    ) -> None:
        super().__init__(message)
        self.totals = totals
        self.version = version


def in_file(name: str, error: InputError) -> InputError:
    """Return the same error with the name of the file before its message."""
    named = copy(error)
    named.args = (f"{name}: {error}",)
    return named
