"""Options of ``bayeseval plan`` as they are typed: each error names the option and its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayeseval._validate import as_positive, as_whole, nearest_names
from bayeseval.conjugate import NAMED_PRIORS, BetaPrior
from bayeseval.errors import InputError
from bayeseval.plan import Plan

__all__ = ["beta_prior", "exactly_one", "pair", "sentence_of", "whole_list"]


def exactly_one(options: dict[str, Any], names: Sequence[str]) -> str:
    """Return the one of these options that was given."""
    given = [name for name in names if options[name] is not None]
    if len(given) == 1:
        return given[0]
    listed = " and ".join(_flag(name) for name in (given or names))
    if given:
        raise InputError(f"{listed} exclude each other: give one of them")
    raise InputError(f"one of {listed.replace(' and ', ', ')} is needed; got none of them")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def pair(text: str, option: str) -> tuple[float, float] | None:
    """Read ``ALPHA,BETA``; None where there is no comma."""
    alpha, comma, beta = text.partition(",")
    if not comma:
        return None
    return as_positive(alpha, f"{option}: ALPHA"), as_positive(beta, f"{option}: BETA")


def beta_prior(text: str, option: str) -> BetaPrior:
    """Read the name of a prior, or ``ALPHA,BETA``."""
    if (both := pair(text, option)) is not None:
        return BetaPrior(*both)
    if text not in NAMED_PRIORS:
        raise InputError(
            f"{option} must be one of {', '.join(NAMED_PRIORS)}, or two numbers ALPHA,BETA; got "
            f"{text!r}{nearest_names(text, NAMED_PRIORS)}"
        )
    return BetaPrior(*NAMED_PRIORS[text])


def whole_list(text: str, option: str) -> tuple[int, ...]:
    """Read ``50,100,200``."""
    return tuple(as_whole(part, option, minimum=1) for part in text.split(","))


def sentence_of(plan: Plan) -> str:
    """Return the plan as a sentence, with a capital and a full stop."""
    return f"{plan.sentence[0].upper()}{plan.sentence[1:]}."
