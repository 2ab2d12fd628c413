"""What is measured: each method makes a 95 % interval of a pass rate from a suite.

A method gets the suite in the form that it takes, and its time runs from there to the interval.
The other packages are called as their documentation shows, with their defaults.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import bayeseval as be
from benchmarks.peers import samplers, suites
from benchmarks.peers.samplers import Answer


@dataclass(frozen=True, slots=True)
class Method:
    """One way to an interval.

    Parameters
    ----------
    title : str
        Its name in tables.
    library : str
        The distribution whose version is told.
    computes : str
        What its interval is, in words.
    about : {"new tasks", "these tasks"}
        Whose mean pass rate the interval is for.
    form : callable
        The suite in the form that the method takes.
    interval : callable
        The work that is timed. `fresh` says that nothing compiled before may be used.
    runs : int
        Simulated suites of the coverage.
    timed : bool
        False for one that is only there to compare its coverage.
    """

    title: str
    library: str
    computes: str
    about: Literal["new tasks", "these tasks"]
    form: Callable[[suites.Suite], Any]
    interval: Callable[[Any, bool], Answer]
    runs: int
    timed: bool = True


def exact(data: Any, fresh: bool) -> Answer:
    rollouts = be.Rollouts.from_counts(*data)
    return Answer(*be.fit(rollouts, engine="exact").pass_rate().eti())


def exact_suite(data: Any, fresh: bool) -> Answer:
    rollouts = be.Rollouts.from_counts(*data)
    return Answer(*be.fit(rollouts, engine="exact").pass_rate(population="suite").eti())


def evalstats(data: Any, fresh: bool) -> Answer:
    from evalstats.core.resampling import beta_binomial_bayes_nested

    return Answer(*beta_binomial_bayes_nested(data, 0.05))


def scorio(data: Any, fresh: bool) -> Answer:
    from scorio.eval import bayes_ci

    _, _, lower, upper = bayes_ci(data, confidence=0.95, bounds=(0.0, 1.0))
    return Answer(lower, upper)


def multivon(data: Any, fresh: bool) -> Answer:
    from multivon_eval.passk import suite_pass_k

    found = suite_pass_k(data, 1, metric="pass@k", confidence=0.95)
    return Answer(found.ci_low, found.ci_high)


METHODS = {
    "exact": Method(
        "bayeseval, exact",
        "bayeseval",
        "Posterior of the mean in a Beta-binomial model with uniform priors on mean and ICC; "
        "integrated to about 1e-12",
        "new tasks",
        suites.as_counts,
        exact,
        1_000,
    ),
    "exact_suite": Method(
        'bayeseval, exact, `population="suite"`',
        "bayeseval",
        "The same fit, asked for the mean rate of the tasks that were seen",
        "these tasks",
        suites.as_counts,
        exact_suite,
        1_000,
        timed=False,
    ),
    "nuts": Method(
        "bayeseval, NUTS",
        "bayeseval",
        "The same posterior by NUTS, 4 x 1,000 draws; also integrates it exactly and computes "
        "every check",
        "new tasks",
        suites.as_counts,
        samplers.nuts,
        40,
    ),
    "evalstats": Method(
        "evalstats, Beta-binomial posterior",
        "evalstats",
        "The same model with a Jeffreys prior on the mean, on an even grid of 300 x 60 "
        "(`beta_binomial_bayes_nested`)",
        "new tasks",
        suites.as_matrix,
        evalstats,
        1_000,
    ),
    "scorio": Method(
        "scorio, `bayes_ci`",
        "scorio",
        "Normal approximation to the posterior of the mean rate of these tasks, with a uniform "
        "prior on the rate of each",
        "these tasks",
        suites.as_matrix,
        scorio,
        1_000,
    ),
    "multivon": Method(
        "multivon-eval, cluster bootstrap",
        "multivon-eval",
        "Percentiles of 2,000 resamples of whole tasks (`suite_pass_k` with k = 1); Wilson where "
        "all tasks are alike",
        "new tasks",
        suites.as_pairs,
        multivon,
        300,
    ),
    "pymc": Method(
        "PyMC, explicit task rates",
        "pymc",
        "The model of the first line with the rate of every task sampled, 4 x 1,000 draws by "
        "nutpie with its defaults",
        "new tasks",
        suites.as_counts,
        samplers.pymc,
        40,
    ),
    "numpyro": Method(
        "NumPyro, logit-normal",
        "numpyro",
        "Normal(0, 1) on the intercept, Exponential(1) on the standard deviation of the tasks' "
        "logits, not centred; 4 x 1,000 draws; the mean rate integrated over tasks",
        "new tasks",
        suites.as_counts,
        samplers.numpyro,
        40,
    ),
}
TIMED = {key: method for key, method in METHODS.items() if method.timed}
