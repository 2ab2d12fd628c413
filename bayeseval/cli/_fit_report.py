"""What ``bayeseval fit`` answers: the numbers, and the document made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, get_args

from bayeseval._validate import Population
from bayeseval.baselines import Baseline, baseline_table, clustered_se
from bayeseval.cli._text import ABOVE, side_of, verdict
from bayeseval.hierarchical import Fit
from bayeseval.passk import pass_curve
from bayeseval.posterior import Posterior
from bayeseval.rollouts import Rollouts
from bayeseval.unknown import Unknown

__all__ = ["POPULATIONS", "Estimate", "ExactReport", "default_ks", "documents", "estimates"]

Quantity = Literal["pass_rate", "pass_at_k", "pass_hat_k"]

POPULATIONS: tuple[Population, ...] = get_args(Population)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """One quantity: unbiased, and for each population.

    Parameters
    ----------
    quantity : {"pass_rate", "pass_at_k", "pass_hat_k"}
        What is estimated.
    k : int or None
        Rollouts drawn; None for the pass rate.
    unbiased, unbiased_se : float or Unknown
        The unbiased estimate from this suite's counts, and its standard error.
    posterior : mapping of population to Posterior or Unknown
        The model's answers; `Unknown` where the next run has too few rollouts to show it.
    """

    quantity: Quantity
    k: int | None
    unbiased: float | Unknown
    unbiased_se: float | Unknown
    posterior: Mapping[Population, Posterior | Unknown]

    @property
    def label(self) -> str:
        """The quantity as people write it: ``pass^3``."""
        signs = {"pass_rate": "pass rate", "pass_at_k": "pass@", "pass_hat_k": "pass^"}
        return signs[self.quantity] + ("" if self.k is None else str(self.k))

    @property
    def extrapolated(self) -> bool:
        """Whether the answer lies beyond the data."""
        return self.new_tasks.extrapolated

    @property
    def new_tasks(self) -> Posterior:
        """The answer for new tasks, which there always is."""
        found = self.posterior["new_tasks"]
        assert isinstance(found, Posterior)
        return found


def estimates(
    fit: Fit, ks: Sequence[int], *, populations: Sequence[Population] = POPULATIONS
) -> tuple[Estimate, ...]:
    """Ask a fit for the pass rate, then pass@k, then pass^k."""
    curve = pass_curve(fit.rollouts, k=[1, *ks])

    def answers(
        k: int, ask: Callable[[Population], Posterior]
    ) -> Mapping[Population, Posterior | Unknown]:
        # A run shows the unbiased estimates, which need k rollouts of each task.
        short = Unknown(
            f"k = {k}, but a run of this suite has {fit.min_trials} scored rollouts of some tasks"
        )
        return {
            each: short if each == "next_run" and k > fit.min_trials else ask(each)
            for each in populations
        }

    def rows() -> Iterator[Estimate]:
        rate = answers(1, lambda each: fit.pass_rate(population=each))
        yield Estimate("pass_rate", None, curve.pass_at_k[0], curve.pass_at_k_se[0], rate)
        for at, k in enumerate(ks, start=1):
            # One attempt passes at the pass rate: the same answer is not computed again.
            found = rate if k == 1 else answers(k, partial(_pass_at_k, fit, k))
            yield Estimate("pass_at_k", k, curve.pass_at_k[at], curve.pass_at_k_se[at], found)
        for at, k in enumerate(ks, start=1):
            found = rate if k == 1 else answers(k, partial(_pass_hat_k, fit, k))
            yield Estimate("pass_hat_k", k, curve.pass_hat_k[at], curve.pass_hat_k_se[at], found)

    return tuple(rows())


def _pass_at_k(fit: Fit, k: int, population: Population) -> Posterior:
    return fit.pass_at_k(k, population=population)


def _pass_hat_k(fit: Fit, k: int, population: Population) -> Posterior:
    return fit.pass_hat_k(k, population=population)


def default_ks(rollouts: Rollouts) -> tuple[int, ...]:
    """1, 2, 4 and 8, as far as every scored task has so many rollouts."""
    scored = rollouts.trials[rollouts.scored]
    fewest = int(scored.min()) if scored.size else 1
    return tuple(k for k in (1, 2, 4, 8) if k <= fewest)


@dataclass(frozen=True, slots=True, eq=False)
class ExactReport:
    """The exact engine's answers with everything that stands beside them.

    Parameters
    ----------
    fit : Fit
        By the exact engine.
    ks : tuple of int
        The values of k.
    above : float or None
        The bar.
    ci_prob : float
        Level of all intervals.
    estimates : tuple of Estimate
        The answers.
    icc : Posterior
        The intraclass correlation.
    baselines : tuple of Baseline
        Frequentist intervals for the pass rate.
    effective_rollouts : float or Unknown
        How many independent rollouts would know as much about the pass rate.
    lost : tuple of two Fit, or None
        Fits with all errored rollouts as failures, then as passes; None where there are
        none.
    """

    fit: Fit
    ks: tuple[int, ...]
    above: float | None
    ci_prob: float
    estimates: tuple[Estimate, ...]
    icc: Posterior
    baselines: tuple[Baseline, ...]
    effective_rollouts: float | Unknown
    lost: tuple[Fit, Fit] | None

    @classmethod
    def of(
        cls,
        fit: Fit,
        *,
        lost: tuple[Fit, Fit] | None,
        ks: tuple[int, ...],
        above: float | None,
        ci_prob: float,
        seed: int,
    ) -> ExactReport:
        """Ask everything that is printed."""
        return cls(
            fit,
            ks,
            above,
            ci_prob,
            estimates(fit, ks),
            fit.icc(),
            baseline_table(fit.rollouts, ci_prob=ci_prob, rng=seed),
            clustered_se(fit.rollouts).ess_cr1,
            lost,
        )

    @property
    def pass_rate(self) -> Estimate:
        """The first of the estimates."""
        return self.estimates[0]

    @property
    def verdict(self) -> str | None:
        """The sentence on the pass rate of new tasks and the bar, if there is one."""
        if self.above is None or isinstance(self.pass_rate.unbiased, Unknown):
            return None
        rollouts = self.fit.rollouts
        # With equal trials the rate is a fraction of whole numbers, and can equal the bar.
        observed = (
            Fraction(rollouts.ledger.passed, rollouts.ledger.scored)
            if rollouts.equal_trials
            else Fraction(self.pass_rate.unbiased)
        )
        posterior = self.pass_rate.new_tasks
        return verdict(
            side_of(observed, self.above, 1.0),
            posterior.prob_above(self.above),
            posterior.prob_below(self.above),
            ABOVE,
        )

    def lost_estimates(self) -> tuple[tuple[Estimate, ...], tuple[Estimate, ...]] | None:
        """The answers if all errored rollouts had failed, and if all had passed."""
        if self.lost is None:
            return None
        if_failed, if_passed = (
            estimates(fit, self.ks, populations=("new_tasks",)) for fit in self.lost
        )
        return if_failed, if_passed

    def answers(self) -> dict[str, Any]:
        """Return the answers for JSON, without what they rest on."""
        return {
            "estimates": documents(self.estimates, self.ci_prob, self.above),
            "icc": _posterior(self.icc, self.ci_prob, None),
            "unbiased": [
                {
                    "quantity": each.quantity,
                    "k": each.k,
                    "value": each.unbiased,
                    "se": each.unbiased_se,
                }
                for each in self.estimates
            ],
            "baselines": [_baseline(each) for each in self.baselines],
            "effective_rollouts": self.effective_rollouts,
        }

    def document(self) -> dict[str, Any]:
        """Return everything for JSON; see `bayeseval.cli._fit`."""
        rollouts = self.fit.rollouts
        ledger = rollouts.ledger
        names = ("tasks", "tasks_without_score", "passed", "failed", "errored", "missing")
        lost = self.lost_estimates()
        return {
            "source": rollouts.source,
            "ledger": {
                **{name: getattr(ledger, name) for name in names},
                "duplicates": ledger.duplicates,
                "notes": list(ledger.notes),
            },
            "histogram": [
                {"passes": passes, "trials": trials, "tasks": number}
                for (passes, trials), number in rollouts.histogram().items()
            ],
            "prior": self.fit.prior.formula,
            **self.answers(),
            "lost": lost
            and {
                name: documents(each, self.ci_prob, self.above, populations=("new_tasks",))
                for name, each in zip(("if_failed", "if_passed"), lost, strict=True)
            },
            "checks": checks(self.fit),
            "notes": list(self.fit.notes),
        }


def documents(
    rows: Sequence[Estimate],
    ci_prob: float,
    above: float | None,
    *,
    populations: Sequence[Population] = POPULATIONS,
) -> list[dict[str, Any]]:
    """Return estimates for JSON, one entry for each quantity and population."""
    return [
        {"quantity": row.quantity, "k": row.k, "population": population}
        | _posterior(row.posterior[population], ci_prob, above)
        for row in rows
        for population in populations
    ]


def checks(fit: Fit) -> list[dict[str, Any]]:
    """Return the checks of a fit for JSON."""
    names = ("name", "value", "limit", "at_most", "passed", "meaning", "remedy")
    return [{name: getattr(row, name) for name in names} for row in fit.checks.rows]


def _posterior(
    posterior: Posterior | Unknown, ci_prob: float, above: float | None
) -> dict[str, Any]:
    if isinstance(posterior, Unknown):
        numbers = ("mean", "median", "sd", "lower", "upper")
        probs = dict.fromkeys(("prob_above", "prob_below"), None if above is None else posterior)
        about = {"ci_prob": ci_prob, "ci_kind": "eti", "extrapolated": False, "threshold": above}
        return dict.fromkeys((*numbers, "engine", "mcse_mean"), posterior) | about | probs
    lower, upper = posterior.eti(ci_prob)
    return {
        "engine": posterior.engine,
        "mean": posterior.mean,
        "median": posterior.median,
        "sd": posterior.sd,
        "lower": lower,
        "upper": upper,
        "ci_prob": ci_prob,
        "ci_kind": "eti",
        "extrapolated": posterior.extrapolated,
        "mcse_mean": posterior.mcse_mean,
        "threshold": above,
        "prob_above": None if above is None else posterior.prob_above(above),
        "prob_below": None if above is None else posterior.prob_below(above),
    }


def _baseline(row: Baseline) -> dict[str, Any]:
    document: dict[str, Any] = {"name": row.name, "estimate": row.estimate}
    if isinstance(row.interval, Unknown):
        document |= dict.fromkeys(("lower", "upper"), row.interval)
        document |= dict.fromkeys(("ci_prob", "kind"))
    else:
        document |= {"lower": row.interval.lower, "upper": row.interval.upper}
        document |= {"ci_prob": row.interval.ci_prob, "kind": row.interval.kind}
    return document | {"sound": row.sound, "advice": row.advice}
