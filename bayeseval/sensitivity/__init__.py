"""What the answers rest on: other priors, and errored rollouts that nobody scored."""

# 'bayeseval rate' loads this room: the hierarchical model is imported inside functions.
from bayeseval.sensitivity._errored import ErroredRow, ErroredSensitivity, errored_sensitivity
from bayeseval.sensitivity._named import NAMED_PRIORS, NamedPrior
from bayeseval.sensitivity._power import PowerRow, PowerScaling, power_scaling
from bayeseval.sensitivity._prior import PriorRow, PriorSensitivity, prior_sensitivity

__all__ = [
    "NAMED_PRIORS",
    "ErroredRow",
    "ErroredSensitivity",
    "NamedPrior",
    "PowerRow",
    "PowerScaling",
    "PriorRow",
    "PriorSensitivity",
    "errored_sensitivity",
    "power_scaling",
    "prior_sensitivity",
]
