"""One comparison with a bar, and the verdict that each possible result of a run gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from bayeseval._quadrature import log_sum
from bayeseval._special import log_beta
from bayeseval._validate import as_flag, as_whole, one_of, shown
from bayeseval.claims import Claim, parse_claim
from bayeseval.claims._verdict import Rule, as_confidence
from bayeseval.conjugate import BetaPrior, MixturePrior, PriorLike, as_prior
from bayeseval.errors import InputError
from bayeseval.hierarchical import HierarchicalPrior
from bayeseval.hierarchical._functionals import Functional, solve_pass_hat
from bayeseval.plan._decide import probs_above
from bayeseval.sensitivity import NAMED_PRIORS

__all__ = [
    "CONTRADICTED",
    "INCONCLUSIVE",
    "SUPPORTED",
    "AnalysisPrior",
    "Judge",
    "Question",
    "as_analysis_prior",
    "as_size",
]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]
AnalysisPrior = HierarchicalPrior | BetaPrior | MixturePrior

CONTRADICTED, INCONCLUSIVE, SUPPORTED = 0, 1, 2
MOST_TASKS = 1_000_000
# An ICC of exactly 0 or 1 has no logit; this near, no probability differs.
EDGE = 1e-9


@dataclass(frozen=True, slots=True)
class Question:
    """A claim that a design can be examined for: one quantity of new tasks against a bar.

    Parameters
    ----------
    text : str
        The claim.
    functional : Functional
        The quantity: pass rate, pass^k or pass@k.
    above : bool
        Whether the claim is that it lies above the bar.
    strict : bool
        Whether the bar itself does not fulfil the claim.
    bar : float
        The bar, strictly between 0 and 1.
    """

    text: str
    functional: Functional
    above: bool
    strict: bool
    bar: float

    @classmethod
    def of(cls, claim: str | Claim) -> Question:
        """Check that a claim is one comparison of one quantity on new tasks."""
        parsed = parse_claim(claim)
        mend = "ask for each comparison by itself"
        if len(parsed.comparisons) > 1:
            raise InputError(f"{str(parsed)!r} joins several comparisons; {mend}")
        (comparison,) = parsed.comparisons
        term = comparison.left
        if comparison.minus is not None or term.baseline:
            raise InputError(f"{str(parsed)!r} compares two systems; be.plan.paired_power does")
        if term.worst or term.kind == "share_of_tasks":
            raise InputError(f"{str(parsed)!r}: only pass_rate, pass^k and pass@k are supported")
        if comparison.population != "new_tasks":
            raise InputError(f"{str(parsed)!r}: only claims for new_tasks are supported")
        if not 0 < comparison.bar < 1:
            raise InputError(f"{str(parsed)!r}: the bar must lie strictly between 0 and 1")
        return cls(
            str(parsed),
            Functional("pass_at_k" if term.kind == "pass_at_k" else "pass_hat_k", term.k),
            comparison.operator in (">", ">="),
            comparison.operator in (">", "<"),
            comparison.bar,
        )

    def holds(self, value: Array) -> npt.NDArray[np.bool_]:
        """Whether the claim is true where the quantity has this value."""
        if self.strict:
            return np.asarray(value > self.bar if self.above else value < self.bar)
        return np.asarray(value >= self.bar if self.above else value <= self.bar)

    def mean_at(self, value: Array, icc: Array) -> Array:
        """Pass rate of new tasks at which the quantity has this value; broadcasts."""
        if self.functional.k == 1:
            return np.broadcast_arrays(value, icc)[0]
        z = special.logit(np.clip(value, EDGE, 1 - EDGE))
        y = special.logit(np.clip(icc, EDGE, 1 - EDGE))
        sign = -1.0 if self.functional.mirrored else 1.0
        x, _ = solve_pass_hat(sign * z, y, self.functional.k)
        return np.asarray(special.expit(sign * x))


@dataclass(frozen=True, slots=True)
class Judge:
    """How a verdict is reached.

    Parameters
    ----------
    question : Question
        The claim.
    confidence : float
        Probability that a verdict needs.
    rule : {"posterior", "lower-bound"}
        What is held against it.
    prior : HierarchicalPrior, BetaPrior or MixturePrior
        The prior of the analysis.
    others : tuple of HierarchicalPrior
        Priors under which the verdict must be the same.
    """

    question: Question
    confidence: float
    rule: Rule
    prior: AnalysisPrior
    others: tuple[HierarchicalPrior, ...]

    @classmethod
    def of(
        cls,
        claim: str | Claim,
        confidence: float,
        rule: Rule,
        prior: PriorLike | HierarchicalPrior | None,
        sensitivity: bool,
    ) -> Judge:
        one_of(rule, Rule, "rule")
        own = as_analysis_prior(prior)
        others = []
        if as_flag(sensitivity, "sensitivity"):
            others = [named.hierarchical() for named in NAMED_PRIORS.values()]
        return cls(
            Question.of(claim),
            as_confidence(confidence),
            rule,
            own,
            tuple(other for other in others if other != own),
        )

    @property
    def tail(self) -> float:
        """Probability of the contrary that a verdict allows."""
        allowed = 1.0 - self.confidence
        return allowed if self.rule == "posterior" else 0.5 * allowed

    def codes(self, prob: Array, prob_not: Array) -> Codes:
        """Verdicts from the probabilities of the claim and of its contrary."""
        # As in the verdict itself: rounding must not turn a tie.
        need = self.tail * (1.0 + 1e-12)
        codes = np.where(prob <= need, CONTRADICTED, INCONCLUSIVE)
        return np.where(prob_not <= need, SUPPORTED, codes).astype(np.int8)

    def of_passes(self, tasks: int) -> Codes:
        """Verdicts for 0..tasks passes of one rollout each, shape (tasks + 1,)."""
        s = np.arange(tasks + 1)
        if self.question.functional.k == 1:
            return self._agreed(lambda prior: self.codes(*self._tails(s, tasks - s, prior)))

        def ask(passes: npt.NDArray[np.int64]) -> Codes:
            return self.of_histograms(np.stack([tasks - passes, passes], axis=1))

        return _filled(ask, tasks)

    def of_histograms(self, histograms: npt.NDArray[np.int64]) -> Codes:
        """Verdicts for suites of equal rollouts, each as a histogram of passes per task."""
        near = (self.tail, 1.0 - self.tail)

        def one(prior: AnalysisPrior, part: npt.NDArray[np.int64]) -> Codes:
            above = probs_above(
                part,
                self.question.bar,
                hierarchical(prior),
                near=near,
                functional=self.question.functional,
            )
            pair = (above, 1.0 - above) if self.question.above else (1.0 - above, above)
            return self.codes(*pair)

        codes = one(self.prior, histograms)
        for other in self.others:
            # One prior that differs is enough; what is inconclusive stays so.
            decided = np.flatnonzero(codes != INCONCLUSIVE)
            if decided.size:
                same = one(other, histograms[decided]) == codes[decided]
                codes[decided[~same]] = INCONCLUSIVE
        return codes

    def probs(self, passes: npt.ArrayLike, fails: npt.ArrayLike) -> Array:
        """Pr[claim] after passes and failures of single rollouts, under the own prior."""
        return self._tails(np.asarray(passes), np.asarray(fails), self.prior)[0]

    def _agreed(self, ask: Callable[[AnalysisPrior], Codes]) -> Codes:
        codes = ask(self.prior)
        for other in self.others:
            codes = np.where(ask(other) == codes, codes, INCONCLUSIVE).astype(np.int8)
        return codes

    def _tails(
        self, passes: npt.NDArray[np.int64], fails: npt.NDArray[np.int64], prior: AnalysisPrior
    ) -> tuple[Array, Array]:
        """Probabilities of the claim and of its contrary, conjugate."""
        weight, alpha, beta = np.array(components(prior)).T
        a, b = alpha + passes[..., None], beta + fails[..., None]
        shares: Array | float = 1.0
        if weight.size > 1:
            logs = np.log(weight) + log_beta(a, b) - log_beta(alpha, beta)
            shares = np.exp(logs - log_sum(logs)[..., None])
        upper = np.sum(shares * special.betaincc(a, b, self.question.bar), axis=-1)
        lower = np.sum(shares * special.betainc(a, b, self.question.bar), axis=-1)
        return (upper, lower) if self.question.above else (lower, upper)


def _filled(ask: Callable[[npt.NDArray[np.int64]], Codes], tasks: int) -> Codes:
    """Verdicts for 0..tasks passes from few of them: they change at two places at most."""
    at = np.unique(np.linspace(0, tasks, min(tasks + 1, 17)).astype(np.int64))
    found = ask(at)
    while True:
        open_ = np.flatnonzero((found[1:] != found[:-1]) & (np.diff(at) > 1))
        if open_.size == 0:
            break
        steps = [np.linspace(at[i], at[i + 1], 9).astype(np.int64)[1:-1] for i in open_]
        new = np.setdiff1d(np.concatenate(steps), at)
        order = np.argsort(np.concatenate([at, new]))
        at, found = np.concatenate([at, new])[order], np.concatenate([found, ask(new)])[order]
    return found[np.searchsorted(at, np.arange(tasks + 1), side="right") - 1]


def components(prior: AnalysisPrior) -> tuple[tuple[float, float, float], ...]:
    """Components of the prior of the pass rate: weight, alpha, beta."""
    if isinstance(prior, HierarchicalPrior):
        return ((1.0, *prior.mean),)
    return prior.components


def hierarchical(prior: AnalysisPrior) -> HierarchicalPrior:
    """The prior as one of mean and ICC."""
    if isinstance(prior, HierarchicalPrior):
        return prior
    if isinstance(prior, MixturePrior):
        raise InputError("several rollouts per task, or k above 1, need a HierarchicalPrior")
    return HierarchicalPrior(mean=(prior.alpha, prior.beta))


def as_analysis_prior(prior: PriorLike | HierarchicalPrior | None) -> AnalysisPrior:
    """Return the prior of the analysis; uniform on mean and ICC if None."""
    if prior is None:
        return HierarchicalPrior()
    if isinstance(prior, HierarchicalPrior):
        return prior
    return as_prior(prior)


def as_size(value: int, argument: str, most: int = MOST_TASKS) -> int:
    """Return a whole number of at least 1 and at most `most`."""
    count = as_whole(value, argument, minimum=1)
    if count > most:
        raise InputError(f"{argument} must be at most {most:,}; got {shown(value)}")
    return count
