"""Assurance of a run of several rollouts per task, by simulation with the exact engine."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._format import format_percent
from bayeseval._special import log_binomial
from bayeseval._validate import Seed, as_generator, as_probability, as_whole, shown
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit, HierarchicalPrior
from bayeseval.plan._decide import probs_above
from bayeseval.plan._result import Plan, level_text, rate_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = [
    "ClusteredAssurance",
    "ClusteredAssuranceSize",
    "clustered_assurance",
    "clustered_assurance_size",
]

Array = npt.NDArray[np.float64]
Believed = Fit | HierarchicalPrior | tuple[float, float]

MOST_TASKS = 1_000_000
MOST_ROLLOUTS = 1_000
MOST_SIMULATIONS = 1_000_000
# Sizes that a search tries: each about a twentieth above the last.
RUNG = 1.05


@dataclass(frozen=True, slots=True, repr=False)
class ClusteredAssurance(Plan):
    """The chance that a run of so many tasks and rollouts will support the claim.

    Parameters
    ----------
    tasks, rollouts : int
        Tasks of the run, and rollouts of each.
    above : float
        The bar of the claim ``pass_rate > above``, on new tasks.
    confidence : float
        Posterior probability that the analysis must reach.
    design : str
        What is believed of mean and ICC before the run, in words.
    prior : HierarchicalPrior
        The prior of the analysis afterwards.
    assurance : float
        Share of the simulated runs that support the claim.
    mcse : float
        Monte Carlo standard error of `assurance`; never 0.
    ceiling : float
        Share of the simulated mean rates above the bar; what `assurance` tends to as
        tasks are added.
    simulations : int
        Number of simulated runs.
    """

    tasks: int
    rollouts: int
    above: float
    confidence: float
    design: str
    prior: HierarchicalPrior
    assurance: float
    mcse: float
    ceiling: float
    simulations: int

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        each = "1 rollout" if self.rollouts == 1 else f"{self.rollouts:,} rollouts"
        return (
            f"{format_percent(self.assurance)} chance that {tasks_text(self.tasks)} x {each} "
            f"support pass_rate > {self.above:.15g} with {level_text(self.confidence)} "
            f"({self.design}; {self.simulations:,} simulated runs, Monte Carlo error "
            f"{100 * self.mcse:.1f} points; more tasks lead to {format_percent(self.ceiling)})"
        )


@dataclass(frozen=True, slots=True, repr=False)
class ClusteredAssuranceSize(Plan):
    """How many tasks, of so many rollouts each, reach an assurance.

    Parameters
    ----------
    target : float
        The assurance asked for.
    rollouts : int
        Rollouts of each task.
    tasks : int or Unknown
        Smallest size tried that reaches the target; sizes lie 5 % apart, and the answer
        is uncertain by the Monte Carlo error.
    at : ClusteredAssurance
        The assurance there, or at the largest size tried.
    tried : tuple of (int, float)
        Sizes tried, in order, and the assurance of each.
    """

    target: float
    rollouts: int
    tasks: int | Unknown
    at: ClusteredAssurance
    tried: tuple[tuple[int, float], ...]

    @property
    def sentence(self) -> str:
        """The plan in one line."""
        if isinstance(self.tasks, Unknown):
            return f"no size tried reaches {level_text(self.target)}: {self.tasks.reason}"
        return f"about {tasks_text(self.tasks)} reach {level_text(self.target)}: {self.at.sentence}"


def clustered_assurance(
    tasks: int,
    rollouts: int,
    *,
    above: float,
    design: Believed,
    confidence: float = 0.95,
    prior: HierarchicalPrior | None = None,
    simulations: int = 2_000,
    rng: Seed = None,
) -> ClusteredAssurance:
    """Chance that a run of tasks and rollouts will support ``pass_rate > above``.

    Parameters
    ----------
    tasks : int
        Tasks of the run, 1 to 1,000,000.
    rollouts : int
        Rollouts of each task, 1 to 1,000.
    above : float
        The bar, strictly between 0 and 1.
    design : Fit, HierarchicalPrior or (mean, icc)
        What is believed of mean rate and ICC today: the fit of an earlier run, a prior, or
        two numbers that are taken as known.
    confidence : float, default 0.95
        Posterior probability that the analysis must reach.
    prior : HierarchicalPrior, optional
        Prior of the analysis after the run; default: uniform on mean rate and ICC.
    simulations : int, default 2000
        Number of simulated runs, 2 to 1,000,000.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator; the same seed gives the same answer.

    Returns
    -------
    ClusteredAssurance
        With its Monte Carlo error.

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    Each simulated run draws (mean, ICC) from the design, the passes of its tasks from
    the Beta-binomial, and is then analysed exactly: the posterior of the hierarchical
    model is integrated over mean and ICC as ``fit(..., engine="exact")`` does. The Monte
    Carlo error is sqrt(a (1 - a) / N) with a = (supported + 1) / (N + 2).

    References
    ----------
    .. [1] O'Hagan, A., Stevens, J. W., & Campbell, M. J. (2005). Assurance in clinical
       trial design. https://doi.org/10.1002/pst.175

    Examples
    --------
    >>> import bayeseval as be
    >>> plan = be.plan.clustered_assurance(100, 4, above=0.7, design=(0.8, 0.3), rng=1)
    >>> 0.92 < plan.assurance < 0.97, plan.mcse < 0.01
    (True, True)
    """
    asked = _Asked.of(rollouts, above, confidence, design, prior, simulations)
    size = _as_size(tasks)
    generator = as_generator(rng)
    mean, icc = asked.draws(generator)
    return asked.run(size, mean, icc, int(generator.integers(2**62)))


def clustered_assurance_size(
    target: float,
    rollouts: int,
    *,
    above: float,
    design: Believed,
    confidence: float = 0.95,
    prior: HierarchicalPrior | None = None,
    max_tasks: int = 10_000,
    simulations: int = 2_000,
    rng: Seed = None,
) -> ClusteredAssuranceSize:
    """Find how many tasks, of so many rollouts each, reach an assurance.

    Parameters
    ----------
    target : float
        The chance to reach, strictly between 0 and 1.
    rollouts, above, design, confidence, prior, simulations, rng
        As in `clustered_assurance`.
    max_tasks : int, default 10,000
        Largest size to try.

    Returns
    -------
    ClusteredAssuranceSize

    Raises
    ------
    InputError
        If an argument is out of range.

    Notes
    -----
    Sizes 5 % apart are tried by bisection. Every size sees the same draws of mean and ICC,
    so that sizes differ by their tasks and not by luck in the design.

    Examples
    --------
    >>> import bayeseval as be
    >>> found = be.plan.clustered_assurance_size(
    ...     0.8, 4, above=0.7, design=(0.8, 0.3), simulations=500, rng=1
    ... )
    >>> 50 < found.tasks < 75
    True
    """
    wanted = as_probability(target, "target", open_ends=True)
    asked = _Asked.of(rollouts, above, confidence, design, prior, simulations)
    largest = _as_size(max_tasks, "max_tasks")
    generator = as_generator(rng)
    mean, icc = asked.draws(generator)
    seed = int(generator.integers(2**62))
    rungs = _rungs(largest)
    tried: dict[int, ClusteredAssurance] = {}

    def reaches(rung: int) -> bool:
        size = rungs[rung]
        tried[size] = asked.run(size, mean, icc, seed)
        return tried[size].assurance >= wanted

    # Grow by rungs that double, so that sizes far too large are never simulated.
    low, high = -1, 0
    while not reaches(high):
        low = high
        if high == len(rungs) - 1:
            break
        high = min(2 * high + 8, len(rungs) - 1)
    found = low < high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    at = tried[rungs[high]]
    reason = Unknown(
        f"{tasks_text(largest)} give {format_percent(at.assurance)}, more lead to "
        f"{format_percent(at.ceiling)}"
    )
    return ClusteredAssuranceSize(
        wanted,
        asked.rollouts,
        rungs[high] if found else reason,
        at,
        tuple((size, tried[size].assurance) for size in sorted(tried)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """What every size of a plan has in common."""

    rollouts: int
    above: float
    confidence: float
    design: Believed
    prior: HierarchicalPrior
    simulations: int

    @classmethod
    def of(
        cls,
        rollouts: int,
        above: float,
        confidence: float,
        design: Believed,
        prior: HierarchicalPrior | None,
        simulations: int,
    ) -> _Asked:
        chosen = HierarchicalPrior() if prior is None else prior
        if not isinstance(chosen, HierarchicalPrior):
            raise InputError(f"prior must be a HierarchicalPrior; got {shown(prior)}")
        return cls(
            _at_most(rollouts, "rollouts", 1, MOST_ROLLOUTS),
            as_probability(above, "above", open_ends=True),
            as_probability(confidence, "confidence", open_ends=True),
            _as_believed(design),
            chosen,
            _at_most(simulations, "simulations", 2, MOST_SIMULATIONS),
        )

    @property
    def design_text(self) -> str:
        if isinstance(self.design, Fit):
            return f"design: the fit of {tasks_text(self.design.cells.n_tasks)}"
        if isinstance(self.design, HierarchicalPrior):
            return f"design: {self.design.formula}"
        return f"true rate {rate_text(self.design[0])}, ICC {self.design[1]:.10g}"

    def draws(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Mean and ICC of every simulated run."""
        n = self.simulations
        if isinstance(self.design, Fit):
            draws = self.design.draws
            at = rng.integers(draws.mean.size, size=n)
            return draws.mean.ravel()[at], draws.icc.ravel()[at]
        if isinstance(self.design, HierarchicalPrior):
            mean = rng.beta(*self.design.mean, size=n)
            if self.design.log_kappa is not None:
                return mean, special.expit(-rng.normal(*self.design.log_kappa, size=n))
            assert self.design.icc is not None
            return mean, rng.beta(*self.design.icc, size=n)
        return np.full(n, self.design[0]), np.full(n, self.design[1])

    def run(self, tasks: int, mean: Array, icc: Array, seed: int) -> ClusteredAssurance:
        """Simulate and analyse every run at one size."""
        rng = np.random.default_rng([seed, tasks])
        histograms = rng.multinomial(tasks, pass_probabilities(self.rollouts, mean, icc))
        probs = probs_above(histograms, self.above, self.prior, near=self.confidence)
        supported = probs >= self.confidence
        count, n = int(supported.sum()), self.simulations
        smoothed = (count + 1) / (n + 2)
        return ClusteredAssurance(
            tasks,
            self.rollouts,
            self.above,
            self.confidence,
            self.design_text,
            self.prior,
            count / n,
            math.sqrt(smoothed * (1 - smoothed) / n),
            float(np.mean(mean > self.above)),
            n,
        )


def pass_probabilities(rollouts: int, mean: Array, icc: Array) -> Array:
    """Beta-binomial probabilities of 0..rollouts passes, shape (n, rollouts + 1).

    Right from ICC 0, the binomial, to ICC 1, where only all or nothing passes.
    """
    mu, rho = mean[:, None], icc[:, None]
    steps = np.arange(1, rollouts)

    def logs(base: Array) -> Array:
        """Log of base times the product of base (1 - rho) + j rho over j = 1..s - 1."""
        rows = np.zeros((mu.size, rollouts + 1))
        rows[:, 1:] = np.log(base)
        rows[:, 2:] += np.cumsum(np.log(base * (1 - rho) + steps * rho), axis=1)
        return rows

    # A rate of exactly 0 or 1 has a logarithm of -inf, which the exponential turns into 0.
    with np.errstate(divide="ignore"):
        table = log_binomial(rollouts, np.arange(rollouts + 1)) + logs(mu) + logs(1 - mu)[:, ::-1]
        table[:, 1:-1] += np.log1p(-rho)
    return np.asarray(special.softmax(table, axis=1))


def _rungs(largest: int) -> list[int]:
    sizes = [1]
    while sizes[-1] < largest:
        sizes.append(min(max(sizes[-1] + 1, round(sizes[-1] * RUNG)), largest))
    return sizes


def _as_believed(design: Believed) -> Believed:
    if isinstance(design, Fit | HierarchicalPrior):
        return design
    try:
        mean, icc = design
    except (TypeError, ValueError):
        raise InputError(
            f"design must be a Fit, a HierarchicalPrior or a pair (mean, icc); got {shown(design)}"
        ) from None
    return as_probability(mean, "design mean"), as_probability(icc, "design ICC")


def _at_most(value: int, argument: str, least: int, most: int) -> int:
    count = as_whole(value, argument, minimum=least)
    if count > most:
        raise InputError(f"{argument} must be at most {most:,}; got {shown(value)}")
    return count


def _as_size(tasks: int, argument: str = "tasks") -> int:
    return _at_most(tasks, argument, 1, MOST_TASKS)
