"""Unbiased pass@k and pass^k, for tasks and for suites.

pass@k is the probability that at least one of k rollouts passes, pass^k the
probability that all k pass. Both are estimated without bias from n scored rollouts
only while k <= n; beyond that these functions answer UNKNOWN and never extrapolate.
"""

from __future__ import annotations

from bayeseval.passk._suite import PassCurve, pass_curve, suite_pass_at_k, suite_pass_hat_k
from bayeseval.passk._task import (
    log_pass_at_k,
    log_pass_hat_k,
    pass_at_k,
    pass_hat_k,
    plugin_pass_at_k,
    plugin_pass_hat_k,
)

__all__ = [
    "PassCurve",
    "log_pass_at_k",
    "log_pass_hat_k",
    "pass_at_k",
    "pass_curve",
    "pass_hat_k",
    "plugin_pass_at_k",
    "plugin_pass_hat_k",
    "suite_pass_at_k",
    "suite_pass_hat_k",
]
