"""Does the conclusion move with the prior? Answers recomputed under named alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from bayeseval._format import format_probability, format_value
from bayeseval._interval import Interval
from bayeseval._validate import (
    Population,
    as_mapping,
    as_number,
    as_probability,
    as_whole,
    one_of,
    shown,
)
from bayeseval.conjugate import BetaPosterior, beta_posterior
from bayeseval.errors import InputError
from bayeseval.posterior import Posterior
from bayeseval.sensitivity._named import NAMED_PRIORS

if TYPE_CHECKING:
    import pandas as pd

    from bayeseval._weights import Weights
    from bayeseval.hierarchical import Fit
    from bayeseval.slices import SlicedFit

__all__ = [
    "PriorRow",
    "PriorSensitivity",
    "Verdict",
    "as_confidence",
    "prior_sensitivity",
    "verdict_of",
]

Answer = Literal["pass_rate", "pass_at_k", "pass_hat_k", "icc"]
Verdict = Literal["supported", "contradicted", "inconclusive"]

AS_FITTED = "as fitted"


@dataclass(frozen=True, slots=True, eq=False)
class PriorRow:
    """The answer under one prior.

    Parameters
    ----------
    name : str
        Name of the prior; ``"as fitted"`` for a prior of the fit's own without a name.
    formula : str
        The prior as a formula.
    posterior : Posterior
        The answer under it.
    interval : Interval
        Its equal-tailed interval.
    prob : float or None
        Probability of the claim; None where there is none.
    verdict : {"supported", "contradicted", "inconclusive"} or None
        What follows for the claim; None where there is none.
    """

    name: str
    formula: str
    posterior: Posterior
    interval: Interval
    prob: float | None = None
    verdict: Verdict | None = None

    @property
    def mean(self) -> float:
        """Posterior mean under this prior."""
        return self.posterior.mean

    @property
    def label(self) -> str:
        """The name as it stands in a sentence."""
        return NAMED_PRIORS[self.name].label if self.name in NAMED_PRIORS else self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriorSensitivity:
    """One answer under several priors, and whether its conclusion moves.

    Made by `prior_sensitivity`.

    Parameters
    ----------
    quantity : str
        What was asked, in words.
    claim : str or None
        The claim in symbols, such as ``p > 0.95``; None where no bar was given.
    confidence : float
        From this probability on a claim is supported; contradicted from one minus it
        downwards.
    rows : tuple of PriorRow
        One for each prior; the first is the prior of the fit itself.
    """

    quantity: str
    claim: str | None
    confidence: float
    rows: tuple[PriorRow, ...]

    @property
    def reference(self) -> PriorRow:
        """The answer under the prior of the fit itself."""
        return self.rows[0]

    @property
    def moved(self) -> tuple[str, ...]:
        """Names of the priors under which the conclusion is another one."""
        if self.claim is not None:
            changed = (row for row in self.rows if row.verdict != self.reference.verdict)
        else:
            inner = self.reference.posterior.eti(0.5)
            changed = (row for row in self.rows if row.mean not in inner)
        return tuple(row.name for row in changed)

    @property
    def moves(self) -> bool:
        """Whether some prior leads to another conclusion than the fit's own."""
        return bool(self.moved)

    @property
    def conclusion(self) -> str:
        """One sentence: the answer under each prior, and whether the conclusion moves."""
        if self.claim is None:
            return self._of_means()
        values = ", ".join(
            f"{_short(row.prob)} {row.label}" for row in self.rows if row.prob is not None
        )
        start, level = f"Pr[{self.claim}] {values}", f"{100 * self.confidence:.10g} %"
        if not self.moves:
            return f"{start}: the conclusion ({self.reference.verdict} at {level}) does not move."
        groups: dict[str, list[str]] = {}
        for row in self.rows:
            groups.setdefault(str(row.verdict), []).append(row.label)
        found = ", ".join(f"{verdict} ({', '.join(names)})" for verdict, names in groups.items())
        return f"{start}: the conclusion at {level} moves: {found}."

    def _of_means(self) -> str:
        unit = self.reference.posterior.about.unit
        values = ", ".join(f"{format_value(row.mean, unit)} {row.label}" for row in self.rows)
        inner = self.reference.posterior.eti(0.5)
        limits = format_value((inner.lower, inner.upper), unit)
        moved = ", ".join(row.label for row in self.rows if row.name in self.moved)
        end = f"it moves ({moved}) out of" if moved else "it does not move out of"
        return f"{self.quantity} {values}: {end} its 50 % interval ({limits})."

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas frame with unrounded numbers.

        Returns
        -------
        pandas.DataFrame
            Columns ``prior``, ``formula``, ``mean``, ``lower``, ``upper``, ``ci_prob``,
            ``prob`` and ``verdict``.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "prior": row.name,
                "formula": row.formula,
                "mean": row.mean,
                "lower": row.interval.lower,
                "upper": row.interval.upper,
                "ci_prob": row.interval.ci_prob,
                "prob": row.prob,
                "verdict": row.verdict,
            }
            for row in self.rows
        )

    def __repr__(self) -> str:
        return f"PriorSensitivity({self.conclusion})"

    def __str__(self) -> str:
        lines = []
        for row in self.rows:
            unit = row.posterior.about.unit
            limits = format_value((row.interval.lower, row.interval.upper), unit)
            line = f"{row.label}, {row.formula}: {format_value(row.mean, unit)} ({limits})"
            if row.prob is not None:
                line += f", Pr[{self.claim}] = {format_probability(row.prob)}, {row.verdict}"
            lines.append(line)
        return "\n".join([*lines, self.conclusion])


def prior_sensitivity(
    fit: Fit | SlicedFit | BetaPosterior,
    *,
    answer: Answer | Callable[[Any], Posterior] = "pass_rate",
    k: int = 1,
    population: Population = "new_tasks",
    weights: Weights | Mapping[str, float] | None = None,
    above: float | None = None,
    below: float | None = None,
    confidence: float = 0.95,
    ci_prob: float = 0.95,
    priors: Mapping[str, Any] | None = None,
) -> PriorSensitivity:
    """Recompute an answer under alternative priors, and say whether the conclusion moves.

    Parameters
    ----------
    fit : Fit, SlicedFit or BetaPosterior
        What `fit` or `beta_posterior` gave. A fit by NUTS is recomputed by the exact
        engine, its own prior included. Slices are refitted as they were, apart or as one;
        partially pooled ones have a prior of their own and are refused.
    answer : {"pass_rate", "pass_at_k", "pass_hat_k", "icc"} or callable
        What is asked, or a function that gets each refit and returns a `Posterior`, such
        as ``lambda fit: fit.task_quantile(0.1)``. Default: the pass rate.
    k : int, default 1
        Number of attempts, for pass@k and pass^k.
    population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
        Which population a named answer of a `Fit` speaks of.
    weights : Weights or mapping of str to float, optional
        Shares of the slices of a `SlicedFit`; by default as in the suite.
    above, below : float, optional
        The claim: the quantity exceeds `above`, stays below `below`, or, with both, lies
        between them. Without either the posterior means are compared.
    confidence : float, default 0.95
        Probability, above 0.5, from which a claim counts as supported.
    ci_prob : float, default 0.95
        Level of the equal-tailed intervals.
    priors : mapping of str to prior, optional
        The alternatives: a `HierarchicalPrior` each for a `Fit`, or what `beta_posterior`
        takes. Default: those named in the Notes.

    Returns
    -------
    PriorSensitivity
        One row for each prior, the fit's own first; ``.moves`` and ``.conclusion``.

    Raises
    ------
    InputError
        Another kind of object, a claim out of range, an answer that is not a posterior.

    Notes
    -----
    The alternatives, for the rate (or the mean rate of new tasks) and for the ICC:

    ========= ============= ================= ===========================================
    name      rate          ICC               stands for
    ========= ============= ================= ===========================================
    uniform   Beta(1, 1)    Beta(1, 1)        everything equally probable
    jeffreys  Beta(.5, .5)  Beta(.5, .5)      more room near 0 and 1
    sceptical Beta(1, 3)    Beta(1, 1)        as if two more failures had been seen
    empirical Beta(1, 1)    Beta(1.54, 2.63)  an ICC as public agent suites have it
    ========= ============= ================= ===========================================

    The last is the Beta whose quartiles are nearest, by least squares, to those of the
    ICC over 34 public leaderboard rows: .21, .33, .53 (extremes .03 and .83). The
    conjugate model has no ICC, and so no such row.

    A claim is *supported* where its probability is at least `confidence`, *contradicted*
    where it is at most one minus that, and else *inconclusive*; the conclusion moves
    where the verdict is not the same under all priors. Without a claim it moves where the
    mean under some prior lies outside the 50 % interval under the fit's own: the choice
    of a prior then matters as much as what the data leave open.

    References
    ----------
    .. [1] Jeffreys (1946), An invariant form for the prior probability in estimation
       problems, Proceedings of the Royal Society A 186, 453-461.
       https://doi.org/10.1098/rspa.1946.0056

    Examples
    --------
    >>> import bayeseval as be
    >>> found = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.95)
    >>> print(found.conclusion)
    Pr[p > 0.95] 0.879 uniform, 0.910 Jeffreys, 0.690 sceptical:
    the conclusion (inconclusive at 95 %) does not move.
    >>> fit = be.fit(be.Rollouts.from_counts([4] * 11 + [3], 4), engine="exact")
    >>> be.prior_sensitivity(fit, answer="pass_hat_k", k=3, above=0.75).moves
    True
    """
    level = as_confidence(confidence)
    prob = as_probability(ci_prob, "ci_prob", open_ends=True)
    low, high = _claim(answer, above, below)
    refits: Iterator[tuple[str, str, Any]]
    if isinstance(fit, BetaPosterior):
        refits = _conjugate(fit, priors)
    else:
        refits = _hierarchical(fit, priors)
    ask = _ask(fit, answer, k, population, weights)
    rows = []
    for name, formula, refit in refits:
        posterior = ask(refit)
        if not isinstance(posterior, Posterior):
            raise InputError(f"answer must return a Posterior; got {type(posterior).__name__}")
        row = PriorRow(name, formula, posterior, posterior.eti(prob))
        rows.append(_judged(row, low, high, level))
    about = rows[0].posterior.about
    symbol = "p" if isinstance(fit, BetaPosterior) and answer == "pass_rate" else about.quantity
    return PriorSensitivity(
        rows[0].posterior.title, _claim_text(symbol, low, high), level, tuple(rows)
    )


def _claim(
    answer: Answer | Callable[[Any], Posterior], above: float | None, below: float | None
) -> tuple[float | None, float | None]:
    # What a callable asks may live on another scale; its posterior checks the bar.
    check = as_number if callable(answer) else as_probability
    low = None if above is None else check(above, "above")
    high = None if below is None else check(below, "below")
    if low is not None and high is not None and low >= high:
        raise InputError(f"above must be smaller than below; got {shown(above)} and {shown(below)}")
    return low, high


def _claim_text(symbol: str, low: float | None, high: float | None) -> str | None:
    if low is not None and high is not None:
        return f"{low:.15g} < {symbol} < {high:.15g}"
    if low is not None:
        return f"{symbol} > {low:.15g}"
    return None if high is None else f"{symbol} < {high:.15g}"


def _judged(row: PriorRow, low: float | None, high: float | None, level: float) -> PriorRow:
    posterior = row.posterior
    if low is not None and high is not None:
        prob = posterior.prob_between(low, high)
    elif low is not None:
        prob = posterior.prob_above(low)
    elif high is not None:
        prob = posterior.prob_below(high)
    else:
        return row
    return replace(row, prob=prob, verdict=verdict_of(prob, level))


def verdict_of(prob: float, confidence: float) -> Verdict:
    """What follows for a claim of this probability."""
    if prob >= confidence:
        return "supported"
    return "contradicted" if prob <= 1.0 - confidence else "inconclusive"


def as_confidence(value: float) -> float:
    """Return a confidence above 0.5: below it, a claim and its contrary would both hold."""
    level = as_probability(value, "confidence", open_ends=True)
    if level <= 0.5:
        raise InputError(f"confidence must be above 0.5; got {shown(value)}")
    return level


def _ask(
    fit: Fit | SlicedFit | BetaPosterior,
    answer: Answer | Callable[[Any], Posterior],
    k: int,
    population: Population,
    weights: Weights | Mapping[str, float] | None,
) -> Callable[[Any], Posterior]:
    sliced = hasattr(fit, "slices")
    if weights is not None and not sliced:
        raise InputError("weights go with a fit by slice: be.fit(..., by=FACTOR)")
    if callable(answer):
        return answer
    one_of(answer, Answer, "answer")
    one_of(population, Population, "population")
    attempts = as_whole(k, "k", minimum=1)
    if answer in ("pass_rate", "icc") and attempts != 1:
        raise InputError(f'k goes with answer="pass_at_k" or "pass_hat_k"; got k={shown(k)}')
    if isinstance(fit, BetaPosterior):
        if answer != "pass_rate" or population != "new_tasks":
            raise InputError(
                "of independent trials only the pass rate can be asked; pass@k, pass^k, the ICC "
                "and other populations need several rollouts per task: use be.fit"
            )
        return lambda refit: refit
    if answer == "icc":
        if sliced:
            raise InputError("each slice has an ICC of its own: ask prior_sensitivity(fit[SLICE])")
        if population != "new_tasks":
            raise InputError(f'the ICC is of new tasks; got population="{population}"')
        return lambda refit: refit.icc()
    asked: dict[str, Any] = {"population": population}
    if sliced:
        asked["weights"] = weights
    if answer == "pass_at_k":
        return lambda refit: refit.pass_at_k(attempts, **asked)
    # pass^1 is the pass rate.
    return lambda refit: refit.pass_hat_k(attempts, **asked)


def _conjugate(
    fit: BetaPosterior, priors: Mapping[str, Any] | None
) -> Iterator[tuple[str, str, BetaPosterior]]:
    if priors is None:
        alternatives: dict[str, Any] = {}
        for name, named in NAMED_PRIORS.items():
            # One that differs in the ICC only is no alternative here.
            if named.conjugate() not in alternatives.values():
                alternatives[name] = named.conjugate()
    else:
        alternatives = dict(priors)
    refits = {
        name: beta_posterior(fit.passes, fit.trials, prior=prior)
        for name, prior in alternatives.items()
    }
    own = next((name for name, each in refits.items() if each.prior == fit.prior), AS_FITTED)
    for name, refit in {own: fit, **refits}.items():
        yield name, f"p ~ {refit.prior}", refit


def _hierarchical(
    fit: Fit | SlicedFit, priors: Mapping[str, Any] | None
) -> Iterator[tuple[str, str, Fit | SlicedFit]]:
    # Loads SciPy and the engines, which 'bayeseval rate' does without.
    from bayeseval.hierarchical import Fit, HierarchicalPrior
    from bayeseval.slices import SlicedFit
    from bayeseval.slices._refit import refit

    if not isinstance(fit, Fit | SlicedFit):
        raise InputError(
            "fit must be a Fit or a SlicedFit, as be.fit makes it, or what be.beta_posterior "
            f"returns; got {type(fit).__name__}"
        )
    if isinstance(fit, Fit):
        fit.require_alone("prior_sensitivity")
        was = fit.prior
    elif fit.pooling == "partial":
        raise InputError(
            'partially pooled slices have a prior of their own: fit them with pooling="none"'
        )
    else:
        was = next(iter(fit.slices.values())).prior
    alternatives: dict[str, Any] = (
        {name: named.hierarchical() for name, named in NAMED_PRIORS.items()}
        if priors is None
        else as_mapping(priors, "priors", of="priors")
    )
    for name, prior in alternatives.items():
        if not isinstance(prior, HierarchicalPrior):
            raise InputError(f"prior {name!r} must be a HierarchicalPrior; got {shown(prior)}")
    own = next((name for name, prior in alternatives.items() if prior == was), AS_FITTED)
    for name, prior in {own: was, **alternatives}.items():
        yield name, prior.formula, refit(fit, prior=prior)


def _short(probability: float) -> str:
    """Three decimals: what is told apart here are conclusions, not far tails."""
    if 0 < probability < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= probability < 1 else f"{probability:.3f}"
