"""What the answers rest on: other priors, and errored rollouts that nobody scored."""

# 'bayeseval rate' loads this room: the hierarchical model is imported inside functions.
from bayeseval.sensitivity._errored import (
    ODDS_RATIOS,
    ErroredRow,
    ErroredSensitivity,
    as_odds_ratios,
    errored_sensitivity,
)
from bayeseval.sensitivity._named import NAMED_PRIORS, NamedPrior
from bayeseval.sensitivity._power import PowerRow, PowerScaling, power_scaling
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
