"""Suites and priors that the tests of the hierarchical model share."""

import warnings

import bayeseval as be

PRIORS = {
    "lognormal": be.HierarchicalPrior(log_kappa=(1.0, 1.5)),
    "uniform_rho": be.HierarchicalPrior(),
}
VECTOR_CASES = [
    (name, prior)
    for name in (
        "fifty_by_four",
        "retail_like_115x4",
        "unequal_n",
        "all_pass_20x5",
        "all_fail_20x5",
        "single_task",
        "one_trial_each",
        "sparse_5x100",
        "no_overdispersion_10x4",
        "thousand_by_8",
    )
    for prior in PRIORS
]

SUITES: dict[str, be.Rollouts] = {
    "u_shaped": be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4),
    "mild": be.Rollouts.from_counts([0] * 22 + [1] * 15 + [2] * 17 + [3] * 19 + [4] * 42, 4),
    "alike": be.Rollouts.from_counts([1] * 8 + [2] * 14 + [3] * 7 + [4], 4),
    "unequal": be.Rollouts.from_counts(
        [1, 0, 3, 2, 3, 6, 8, 1, 5, 0, 2, 7], [1, 2, 3, 4, 5, 6, 8, 8, 5, 3, 2, 7]
    ),
    "all_pass": be.Rollouts.from_counts([5] * 20, 5),
}


def exact(rollouts: be.Rollouts, prior: be.HierarchicalPrior | None = None) -> be.Fit:
    # Some suites are far from any Beta, and the check that says so is tested elsewhere.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", be.CheckWarning)
        return be.fit(rollouts, engine="exact", prior=prior)
