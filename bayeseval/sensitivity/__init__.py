"""What the answers rest on: other priors, and errored rollouts that nobody scored.

'bayeseval rate' loads this room for other priors only: the rest is loaded when it is first
used, and the hierarchical model inside the functions that fit it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from bayeseval.sensitivity._named import NAMED_PRIORS, NamedPrior
from bayeseval.sensitivity._prior import PriorRow, PriorSensitivity, prior_sensitivity

__all__ = [
    "NAMED_PRIORS",
    "ODDS_RATIOS",
    "ErroredRow",
    "ErroredSensitivity",
    "NamedPrior",
    "PowerRow",
    "PowerScaling",
    "PriorRow",
    "PriorSensitivity",
    "as_odds_ratios",
    "errored_sensitivity",
    "power_scaling",
    "prior_sensitivity",
]

if TYPE_CHECKING:
    from bayeseval.sensitivity._errored import (
        ODDS_RATIOS,
        ErroredRow,
        ErroredSensitivity,
        as_odds_ratios,
        errored_sensitivity,
    )
    from bayeseval.sensitivity._power import PowerRow, PowerScaling, power_scaling
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        part = "_power" if name in ("PowerRow", "PowerScaling", "power_scaling") else "_errored"
        value = getattr(import_module(f"{__name__}.{part}"), name)
        globals()[name] = value
        return value
