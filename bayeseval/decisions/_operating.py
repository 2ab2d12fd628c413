"""Operating characteristics: what a gate does, how often, and how often it is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._format import format_percent
from bayeseval._validate import Seed, as_array, as_generator, as_probability, shown
from bayeseval.claims import Claim
from bayeseval.claims._verdict import Rule
from bayeseval.conjugate import BetaPrior, MixturePrior, PriorLike, as_prior
from bayeseval.decisions._chances import Chances, Enumerated, Simulated, around, drawn_at, iccs_of
from bayeseval.decisions._question import SUPPORTED, Judge, as_size, hierarchical
from bayeseval.decisions._shares import Shares, flips
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.plan._result import Plan, level_text, tasks_text
from bayeseval.unknown import Unknown

__all__ = ["OperatingCharacteristics", "RateRow", "operating_characteristics"]

Array = npt.NDArray[np.float64]
Method = Literal["exact", "simulated"]

MOST_ROLLOUTS = 1_000
MOST_SIMULATIONS = 200_000


@dataclass(frozen=True, slots=True)
class RateRow:
    """What a gate does to systems of one true value.

    Parameters
    ----------
    rate : float
        True value of the claimed quantity: of the pass rate, pass^k or pass@k.
    holds : bool
        Whether the claim is true there.
    supported, contradicted, inconclusive : float
        Probabilities of the verdicts; they sum to 1.
    flip : float
        A/A flip rate: the chance that two independent runs of that system get two
        different verdicts.
    mcse : float
        Largest Monte Carlo standard error of the verdicts' probabilities; 0 if exact.
    mcse_flip : float
        Monte Carlo standard error of `flip`.
    """

    rate: float
    holds: bool
    supported: float
    contradicted: float
    inconclusive: float
    flip: float
    mcse: float
    mcse_flip: float


@dataclass(frozen=True, slots=True, repr=False)
class OperatingCharacteristics(Plan):
    """How often a gate releases, holds back and errs.

    Parameters
    ----------
    claim : str
        The claim.
    tasks, rollouts : int
        Tasks of a run, and rollouts of each.
    icc : float or None
        The ICC of the systems; None where it does not matter, or is averaged over the prior.
    confidence : float
        Probability that a verdict needs.
    rule : {"posterior", "lower-bound"}
        What is held against it.
    sensitivity : bool
        Whether the verdict must be the same under the other named priors.
    method : {"exact", "simulated"}
        Enumeration of all results, or simulated runs judged by the exact engine.
    simulations : int
        Number of simulated runs; 0 if exact.
    rows : tuple of RateRow
        For each true value.
    at_bar : RateRow
        For a system exactly on the bar, counted as one that should not be released:
        `supported` there is the worst false-release probability.
    design : BetaPrior or MixturePrior
        What is believed of the true value.
    prob_holds : float
        Probability that the claim is true, under `design`.
    false_release : float or Unknown
        Pr[supported | the claim is false]: of bad systems, the share released.
    missed_release : float or Unknown
        Pr[not supported | the claim is true]: of good systems, the share held back.
    released_false : float or Unknown
        Pr[the claim is false | supported]: of released systems, the share that is bad.
    flip : float
        A/A flip rate, averaged over `design`.
    mcse_false_release, mcse_missed_release, mcse_flip : float
        Monte Carlo standard errors; 0 if exact.
    passes : int or Unknown
        With one rollout per task, the fewest passes that support the claim (the most,
        for a claim that the rate is low).
    """

    claim: str
    tasks: int
    rollouts: int
    icc: float | None
    confidence: float
    rule: Rule
    sensitivity: bool
    method: Method
    simulations: int
    rows: tuple[RateRow, ...]
    at_bar: RateRow
    design: BetaPrior | MixturePrior
    prob_holds: float
    false_release: float | Unknown
    missed_release: float | Unknown
    released_false: float | Unknown
    flip: float
    mcse_false_release: float
    mcse_missed_release: float
    mcse_flip: float
    passes: int | Unknown

    @property
    def size_text(self) -> str:
        """Size of a run in words."""
        each = "1 rollout" if self.rollouts == 1 else f"{self.rollouts:,} rollouts"
        spread = "" if self.icc is None else f", ICC {self.icc:.3g}"
        return f"{tasks_text(self.tasks)} x {each}{spread}"

    @property
    def sentence(self) -> str:
        """What matters of it in one line."""

        def share(value: float | Unknown) -> str:
            return "UNKNOWN" if isinstance(value, Unknown) else format_percent(value)

        how = "exact" if self.method == "exact" else f"{self.simulations:,} simulated runs"
        return (
            f"{self.claim} with {level_text(self.confidence)}, {self.size_text}: released in "
            f"{share(self.false_release)} where it is false (on the bar itself "
            f"{share(self.at_bar.supported)}), held back in {share(self.missed_release)} where it "
            f"is true; two runs of one system disagree in {share(self.flip)} (true value ~ "
            f"{self.design}; {how})"
        )


def operating_characteristics(
    claim: str | Claim,
    *,
    tasks: int,
    rollouts: int = 1,
    icc: float | None = None,
    confidence: float = 0.95,
    rule: Rule = "posterior",
    rates: npt.ArrayLike | None = None,
    design: PriorLike = "uniform",
    prior: PriorLike | HierarchicalPrior | None = None,
    sensitivity: bool = True,
    simulations: int = 4_000,
    rng: Seed = None,
) -> OperatingCharacteristics:
    """How often a gate on a claim releases, holds back, errs, and contradicts itself.

    Parameters
    ----------
    claim : str or Claim
        One comparison of ``pass_rate``, ``pass^K`` or ``pass@K`` of new tasks with a bar. A
        slice in brackets is allowed: `tasks` are then those of the slice.
    tasks : int
        Tasks of a run, 1 to 1,000,000.
    rollouts : int, default 1
        Rollouts of each task, 1 to 1,000.
    icc : float, optional
        ICC of the systems, 0-1. With one rollout of each task it does not matter for a
        pass rate. Default: averaged over the prior of the analysis.
    confidence, rule, sensitivity
        As in `evaluate`.
    rates : array_like of float, optional
        True values of the claimed quantity to look at, 0-1. Default: 37 around the bar.
    design : PriorLike, default "uniform"
        What is believed of the true value of the claimed quantity before a run: a prior on
        the truth, for averages. It need not be the prior of the analysis.
    prior : PriorLike or HierarchicalPrior, optional
        Prior of the analysis; default: uniform on mean rate and ICC, as the gate has it.
    simulations : int, default 4000
        Number of simulated runs, 100 to 200,000, where rollouts exceed 1.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator for them.

    Returns
    -------
    OperatingCharacteristics

    Raises
    ------
    InputError
        If the claim is of another kind, or an argument is out of range.

    Notes
    -----
    With one rollout per task the verdict depends on the passes alone; all results are
    enumerated, and probabilities are binomial, or Beta-binomial under `design`: exact. With
    several, runs are drawn at true values around the bar and judged by the exact engine.
    Each is used for every true value, with the weight of its probability there against that
    under the mixture it was drawn from (multiple importance sampling with the balance
    heuristic [1]_), so that curves are smooth; beyond the values drawn at, 4 standard errors
    from where a verdict changes, it is taken as certain.

    The false-release probability of a claim at `confidence` c is about 1 - c on the bar and
    falls away from it. Under a `design` equal to the analysis prior `released_false` is at
    most 1 - c. Errored rollouts and failed checks, which make a verdict inconclusive, are not
    simulated.

    References
    ----------
    .. [1] Veach, E., & Guibas, L. J. (1995). Optimally combining sampling techniques for
       Monte Carlo rendering. https://doi.org/10.1145/218380.218498

    Examples
    --------
    >>> import bayeseval as be
    >>> risk = be.operating_characteristics("pass_rate > 0.9", tasks=200, sensitivity=False)
    >>> risk.passes, round(risk.at_bar.supported, 3)
    (188, 0.032)
    >>> round(risk.false_release, 4), round(risk.missed_release, 3), round(risk.flip, 3)
    (0.0003, 0.356, 0.046)
    """
    judge = Judge.of(claim, confidence, rule, prior, sensitivity)
    question = judge.question
    size = as_size(tasks, "tasks")
    each = as_size(rollouts, "rollouts", MOST_ROLLOUTS)
    spread = None if icc is None else as_probability(icc, "icc")
    believed = as_prior(design)
    runs = as_size(simulations, "simulations", MOST_SIMULATIONS)
    if runs < 100:
        raise InputError(f"simulations must be at least 100; got {shown(simulations)}")
    # With single rollouts the pass rate is all there is, whatever the ICC.
    needless = each == 1 and question.functional.k == 1
    if needless:
        spread = None
    iccs = np.zeros(1) if needless else iccs_of(spread, hierarchical(judge.prior))
    effect = 1 + (each - 1) * float(iccs.mean())
    grid = around(question.bar, size * each / effect)
    asked = grid if rates is None else _as_rates(rates)
    chances: Chances
    passes: int | Unknown = Unknown("it depends on how the passes lie among the tasks")
    if each == 1:
        enumerated = Enumerated(question, judge.of_passes(size), iccs)
        chances, runs = enumerated, 0
        passes = _passes_needed(enumerated)
    else:
        values = drawn_at(judge, size, each, iccs)
        chances = Simulated.of(judge, size, each, values, iccs, runs, as_generator(rng))
    holds = question.holds(asked)
    rows = tuple(_row(*parts) for parts in zip(asked, holds, *chances.at(asked), strict=True))
    bar = np.array([question.bar])
    found, influence = chances.at(bar)
    at_bar = _row(question.bar, question.holds(bar)[0], found[0], influence[0])
    shares = Shares.over(chances, question.bar, question.above, believed, grid)
    return OperatingCharacteristics(
        question.text,
        size,
        each,
        spread,
        judge.confidence,
        judge.rule,
        sensitivity,
        "exact" if each == 1 else "simulated",
        runs,
        rows,
        at_bar,
        believed,
        shares.good,
        *shares.rates(),
        shares.flip,
        *shares.errors(),
        passes,
    )


def _as_rates(rates: npt.ArrayLike) -> Array:
    values = np.atleast_1d(as_array(rates, "rates"))
    if values.ndim != 1 or values.size == 0:
        raise InputError(f"rates must be a list of numbers; got shape {values.shape}")
    for value in values:
        as_probability(value, "rates")
    return values


def _passes_needed(enumerated: Enumerated) -> int | Unknown:
    supports = np.flatnonzero(enumerated.codes == SUPPORTED)
    if supports.size == 0:
        return Unknown(f"no result of {tasks_text(enumerated.tasks)} supports the claim")
    return int(supports[0] if enumerated.question.above else supports[-1])


def _row(rate: float, holds: bool, found: Array, influence: Array) -> RateRow:
    spread = np.sqrt(np.sum(influence**2, axis=0))
    spread_flip = math.sqrt(float(np.sum((2 * influence @ found) ** 2)))
    return RateRow(
        float(rate),
        bool(holds),
        float(found[2]),
        float(found[0]),
        float(found[1]),
        float(flips(found)),
        float(spread.max(initial=0.0)),
        spread_flip,
    )
