"""SlicedFit: the answers of a suite that was fitted slice by slice."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Population, as_probability, as_whole, nearest_names, one_of, shown
from bayeseval._weights import AlignedWeights, Weights, as_weights, slice_label
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit
from bayeseval.hierarchical._checks import Checks
from bayeseval.hierarchical._draws import DrawsHyper
from bayeseval.hierarchical._functionals import Functional
from bayeseval.hierarchical._lost import lost_note, lost_rates, lost_text
from bayeseval.posterior import (
    About,
    DiscretePosterior,
    DrawsPosterior,
    MinimumPosterior,
    Posterior,
    dirichlet_mean,
    scaled,
    weighted_mean,
)
from bayeseval.rollouts import Rollouts
from bayeseval.slices._table import SliceTable, slice_table

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Pooling", "SlicedFit", "WorstSlice"]

Array = npt.NDArray[np.float64]
Pooling = Literal["none", "partial", "complete"]
GivenWeights = Weights | Mapping[Any, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class WorstSlice:
    """The slice with the smallest value, and what that value is.

    Parameters
    ----------
    posterior : Posterior
        Of the smallest of the slices' values.
    prob_worst : mapping of str to float
        Probability that each slice is the worst, largest first.
    """

    posterior: Posterior
    prob_worst: Mapping[str, float]

    def __repr__(self) -> str:
        label, chance = next(iter(self.prob_worst.items()))
        return f"{self.posterior!r}; the worst is {label!r} with probability {chance:.2g}"


@dataclass(frozen=True, eq=False, repr=False)
class SlicedFit:
    """A suite fitted by slice, to answer for any mix of its slices.

    Made by `fit` with ``by``. Every answer is a `Posterior`.

    Parameters
    ----------
    rollouts : Rollouts
        The whole suite.
    by : tuple of str
        The factors that make the slices.
    pooling : {"none", "partial", "complete"}
        How much slices tell of each other.
    slices : mapping of str to Fit
        The slices by label; each answers like any `Fit`, for its own tasks.
    checks : Checks
        What was looked at, over all slices.
    seed : int
        Seeds everything that is drawn.
    sampled : xarray.DataTree, optional
        What the sampler left, for ``pooling="partial"``.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts(
    ...     [1] * 120 + [0] * 80 + [1] * 95 + [0] * 5,
    ...     1,
    ...     factors={"slice": ["joins"] * 200 + ["lookups"] * 100},
    ... )
    >>> fit = be.fit(suite, by="slice", pooling="none")
    >>> fit.pass_rate(weights={"joins": 0.2, "lookups": 0.8})
    pass rate, weighted by slice, on new tasks: 87.3 % (95 % CrI 82.9-90.6 %, n = 300 tasks)
    >>> fit["lookups"].pass_rate()
    pass rate on new tasks: 94.1 % (95 % CrI 88.8-97.8 %, n = 100 tasks)
    """

    rollouts: Rollouts
    by: tuple[str, ...]
    pooling: Pooling
    slices: Mapping[str, Fit]
    checks: Checks
    seed: int
    sampled: xr.DataTree | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the slices."""
        return tuple(self.slices)

    @property
    def n_tasks(self) -> int:
        """Number of tasks with a scored rollout."""
        return self.rollouts.n_scored_tasks

    @property
    def engine(self) -> str:
        """What the answers come from: ``"nuts"`` where slices are partially pooled."""
        return "nuts" if self.pooling == "partial" else "exact"

    @property
    def shares(self) -> Weights:
        """Share of each slice among the suite's scored tasks."""
        own = self._own_weights()
        return Weights.from_shares(dict(zip(own.labels, own.shares, strict=True)))

    def __getitem__(self, slice_: Any) -> Fit:
        label = slice_ if isinstance(slice_, str) else slice_label(slice_)
        if label not in self.slices:
            raise InputError(
                f"there is no slice {label!r}{nearest_names(label, self.labels)}; the slices "
                f"are: {', '.join(map(repr, self.labels[:12]))}"
            )
        return self.slices[label]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences that a reader of the numbers must see."""
        notes = []
        if unscored := self.rollouts.n_tasks - self.n_tasks:
            have, carry = ("task has", "carries") if unscored == 1 else ("tasks have", "carry")
            notes.append(f"{unscored:,} {have} no scored rollout and {carry} no information.")
        if self.lost_note:
            notes.append(self.lost_note)
        small = [label for label, bad in zip(self.labels, self.table().small, strict=True) if bad]
        if small:
            listed = ", ".join(small[:8]) + (", ..." if len(small) > 8 else "")
            notes.append(f"Too small to carry a claim of their own: {listed}.")
        notes.extend(f"Check {check}." for check in self.checks.failed)
        return tuple(notes)

    @cached_property
    def lost_note(self) -> str:
        """How many rollouts errored, and what the pass rate would be had they been scored.

        For slices that are mixed as in the suite; partially pooled ones are fitted apart.
        """
        if self.rollouts.ledger.errored == 0:
            return ""
        fits = list(self.slices.values())
        if self.pooling == "complete":
            return lost_note(self.rollouts, fits[0].prior)
        rates = [
            lost_rates(fit.rollouts, fit.prior)
            if fit.rollouts.ledger.errored
            else (fit.exact.mean_rate, fit.exact.mean_rate)
            for fit in fits
        ]
        failed, passed = np.array(self._own_weights().shares) @ np.array(rates)
        return lost_text(self.rollouts, float(failed), float(passed))

    # -- answers --------------------------------------------------------------------

    def pass_rate(
        self, *, weights: GivenWeights = None, population: Population = "new_tasks"
    ) -> Posterior:
        """Posterior of the pass rate over a mix of the slices: post-stratification.

        Parameters
        ----------
        weights : Weights or mapping of str to float, optional
            Share of each slice in the population; by default as in the suite, by
            number of tasks.
        population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
            As in `Fit.pass_rate`, within each slice.

        Returns
        -------
        Posterior

        Raises
        ------
        InputError
            A weight on a slice without tasks (see `bounds`), a slice without a weight.

        Notes
        -----
        sum_h w_h theta_h, with theta_h the pass rate in slice h. Slices that were fitted
        apart are independent, and their weighted sum is convolved exactly; slices that
        were pooled are combined draw by draw.

        References
        ----------
        Gelman and Little (1997), Poststratification into many categories using
        hierarchical logistic regression, Survey Methodology 23, 127-135.
        """
        return self._answer(Functional("pass_hat_k", 1), weights, population)

    def pass_hat_k(
        self, k: int, *, weights: GivenWeights = None, population: Population = "new_tasks"
    ) -> Posterior:
        """Posterior of pass^k over a mix of the slices; see `pass_rate`.

        Parameters
        ----------
        k : int
            Number of attempts, at least 1.
        weights, population
            As in `pass_rate`.
        """
        return self._answer(Functional("pass_hat_k", _attempts(k)), weights, population)

    def pass_at_k(
        self, k: int, *, weights: GivenWeights = None, population: Population = "new_tasks"
    ) -> Posterior:
        """Posterior of pass@k over a mix of the slices; see `pass_rate`.

        Parameters
        ----------
        k : int
            Number of attempts, at least 1.
        weights, population
            As in `pass_rate`.
        """
        return self._answer(Functional("pass_at_k", _attempts(k)), weights, population)

    def bounds(
        self,
        *,
        weights: Weights | Mapping[Any, float],
        kind: Literal["pass_rate", "pass_hat_k", "pass_at_k"] = "pass_rate",
        k: int = 1,
        population: Population = "new_tasks",
    ) -> tuple[Posterior, Posterior]:
        """Posteriors if every slice without tasks always failed, and if it always passed.

        Parameters
        ----------
        weights : Weights or mapping of str to float
            Share of each slice in the population, slices without tasks among them.
        kind : {"pass_rate", "pass_hat_k", "pass_at_k"}, default "pass_rate"
            What is asked for.
        k : int, default 1
            Number of attempts.
        population : {"new_tasks", "suite", "next_run"}, default "new_tasks"
            As in `pass_rate`.

        Returns
        -------
        lower, upper : Posterior
            Equal where each slice with a weight has tasks.

        Raises
        ------
        InputError
            No weight on any slice that has tasks, a slice without a weight.

        Notes
        -----
        With m the share of slices without tasks, the ends are (1 - m) r and (1 - m) r + m,
        where r is the rate over the others. Where the weights were counted m is uncertain
        too: it is Beta distributed, the sum of a part of the Dirichlet.
        """
        aligned = as_weights(weights).align(self.labels)
        functional = functional_of(kind, k)
        if not aligned.unsupported:
            answer = self._weighted(functional, aligned, population)
            return answer, answer
        lower, upper = (
            self._weighted(functional, aligned, population, absent) for absent in (0.0, 1.0)
        )
        return lower, upper

    def worst_slice(
        self,
        *,
        kind: Literal["pass_rate", "pass_hat_k", "pass_at_k"] = "pass_rate",
        k: int = 1,
        population: Literal["new_tasks", "suite"] = "new_tasks",
    ) -> WorstSlice:
        """Posterior of the smallest of the slices' values, and which slice it is.

        Parameters
        ----------
        kind : {"pass_rate", "pass_hat_k", "pass_at_k"}, default "pass_rate"
            What is asked for.
        k : int, default 1
            Number of attempts.
        population : {"new_tasks", "suite"}, default "new_tasks"
            As in `pass_rate`.

        Returns
        -------
        WorstSlice

        Notes
        -----
        The minimum of estimates is too low by construction; the posterior of the minimum
        accounts for how uncertain each of them is. Under ``pooling="complete"`` all slices
        have one rate on new tasks, and each is the worst as likely as any other.
        """
        one_of(population, ("new_tasks", "suite"), "population")
        functional = functional_of(kind, k)
        parts = self._parts(functional, population, range(len(self.slices)))
        about = About(
            f"{functional.name} of the worst slice",
            self.engine,
            population,
            self.n_tasks,
            extrapolated=any(part.extrapolated for part in parts),
            note=_notes(parts),
        )
        if self.pooling == "complete" and population == "new_tasks":
            even = dict.fromkeys(self.labels, 1.0 / len(parts))
            return WorstSlice(replace(parts[0], about=about), even)  # type: ignore[type-var]
        draws = [part.draws for part in parts if isinstance(part, DrawsPosterior)]
        if len(draws) == len(parts):
            stacked = np.stack(draws)
            chances = np.bincount(stacked.argmin(axis=0).ravel(), minlength=len(parts))
            posterior: Posterior = DrawsPosterior(stacked.min(axis=0), about)
            chance = chances / chances.sum()
        else:
            minimum = MinimumPosterior(tuple(parts), about)
            posterior, chance = minimum, minimum.prob_each_smallest()
        order = np.argsort(-chance, kind="stable")
        return WorstSlice(posterior, {self.labels[at]: float(chance[at]) for at in order})

    def _answer(
        self, functional: Functional, weights: GivenWeights, population: Population
    ) -> Posterior:
        one_of(population, Population, "population")
        aligned = self._own_weights() if weights is None else as_weights(weights).align(self.labels)
        aligned.require_support()
        return self._weighted(functional, aligned, population)

    def _own_weights(self) -> AlignedWeights:
        sizes = np.array([fit.cells.n_tasks for fit in self.slices.values()], dtype=float)
        return AlignedWeights(self.labels, tuple((sizes / sizes.sum()).tolist()), {}, None)

    def _weighted(
        self,
        functional: Functional,
        aligned: AlignedWeights,
        population: Population,
        absent: float | None = None,
    ) -> Posterior:
        """The weighted answer; slices without tasks, if any, all have the value `absent`."""
        used = [at for at, share in enumerate(aligned.shares) if share > 0]
        parts = self._parts(functional, population, used)
        note = _notes(parts)
        if absent is not None:
            share = 100.0 * aligned.missing_share
            word = "passed" if absent else "failed"
            note = f"As if slices without tasks ({share:.3g} % of the weight) always {word}. {note}"
        fits = list(self.slices.values())
        about = About(
            f"{functional.name}, weighted by {' and '.join(self.by)},",
            self.engine,
            population,
            sum(fits[at].cells.n_tasks for at in used) if self.pooling == "none" else self.n_tasks,
            "percent",
            any(part.extrapolated for part in parts),
            note.strip(),
        )
        shares = [aligned.shares[at] for at in used]
        strength = [aligned.concentration[at] for at in used] if aligned.concentration else []
        if self.pooling == "complete" and population == "new_tasks":
            # One quantity: what its shares add up to is all that counts.
            parts, shares, strength = parts[:1], [sum(shares)], [sum(strength)]
        rng = np.random.default_rng([self.seed, 17])
        if aligned.concentration is None or (len(parts) == 1 and absent is None):
            total = sum(shares)
            mean = weighted_mean(parts, [share / total for share in shares], about, rng=rng)
            return mean if absent is None else scaled(mean, total, (1.0 - total) * absent, about)
        if absent is not None:
            parts = [*parts, DiscretePosterior(np.array([absent]), np.ones(1), about)]
            strength.append(aligned.missing_concentration)
        return dirichlet_mean(parts, strength, about, rng=rng)

    @cached_property
    def _known(self) -> dict[tuple[Functional, Population, int], Posterior]:
        """Answers of slices that were asked for before."""
        return {}

    def _parts(
        self, functional: Functional, population: Population, used: Iterable[int]
    ) -> list[Posterior]:
        """The functional of some slices; independent, or draws that belong together."""
        labels, fits = self.labels, list(self.slices.values())
        parts = []
        for at in used:
            fewest = fits[at].min_trials
            if population == "next_run" and functional.k > fewest:
                raise InputError(
                    f"a run of the same suite cannot show {functional.name}: some tasks of slice "
                    f"{labels[at]!r} have {fewest} {'rollout' if fewest == 1 else 'rollouts'}"
                )
            key = (functional, population, at)
            if key not in self._known:
                self._known[key] = self._part(functional, population, at)
            parts.append(self._known[key])
        return parts

    def _part(self, functional: Functional, population: Population, at: int) -> Posterior:
        fit = list(self.slices.values())[at]
        if self.pooling != "complete" or population == "new_tasks":
            return _ask(fit, functional, population)
        # All slices share their hyperparameters: draws of these, and of each one's tasks.
        shared = next(iter(self.slices.values())).draws
        draws = DrawsHyper(shared.mean, shared.icc, self.seed + 1 + at)
        about = fit._about(functional.name, population, functional.k)
        ask = draws.suite if population == "suite" else draws.next_run
        return ask(fit.cells, functional, about)

    # -- tables -----------------------------------------------------------------------

    def table(self, *, ci_prob: float = 0.95) -> SliceTable:
        """Slices side by side: raw rate, baselines, posterior.

        Parameters
        ----------
        ci_prob : float, default 0.95
            Level of the intervals.

        Returns
        -------
        SliceTable
        """
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        rates = self._parts(Functional("pass_hat_k", 1), "new_tasks", range(len(self.slices)))
        return slice_table(self.slices, rates, self.seed, level)

    def next_tasks(
        self,
        m: int,
        *,
        weights: GivenWeights = None,
        rollouts: int | None = None,
    ) -> dict[str, int]:
        """Where the next m tasks would help most: their number in each slice.

        Parameters
        ----------
        m : int
            Number of further tasks, at least 1.
        weights : Weights or mapping of str to float, optional
            Share of each slice in the population; by default as in the suite.
        rollouts : int, optional
            Rollouts of each further task; default: the largest number that a task had.

        Returns
        -------
        dict of str to int
            Number of new tasks by slice, in sum m.

        Notes
        -----
        The variance of the weighted rate is sum_h w_h^2 v_h / n_h, where v_h is the
        posterior mean of the variance of one task's observed rate,
        mean (1 - mean) (ICC + (1 - ICC) / rollouts). Each further task goes where it takes
        most off that sum, which is optimal, as the sum is convex. A slice where all tasks
        passed has a v_h above 0, since its rate is not known to be 1.

        References
        ----------
        Neyman (1934), 10.2307/2342192.
        """
        total = as_whole(m, "m", minimum=1)
        aligned = self._own_weights() if weights is None else as_weights(weights).align(self.labels)
        aligned.require_support()
        fits = list(self.slices.values())
        each = max(fit.max_trials for fit in fits)
        if rollouts is not None:
            each = as_whole(rollouts, "rollouts", minimum=1)
        variance = np.array([_task_variance(fit, each) for fit in fits])
        scale = np.array(aligned.shares) ** 2 * variance
        sizes = np.array([fit.cells.n_tasks for fit in fits], dtype=float)
        return dict(zip(self.labels, _allocate(scale, sizes, total).tolist(), strict=True))

    def __repr__(self) -> str:
        rate = self.pass_rate()
        return (
            f"SlicedFit({len(self.slices)} slices by {' and '.join(self.by)}, pooling "
            f"{self.pooling}: {rate.title} {rate.summary_text()})"
        )

    def _repr_html_(self) -> str:
        rate = self.pass_rate()
        return (
            f"<div><b>{html.escape(rate.title)}</b>: {html.escape(rate.summary_text())}"
            f"{self.table().to_html()}</div>"
        )

    @cached_property
    def dt(self) -> xr.DataTree:
        """What the sampler left, for every ArviZ function (``pooling="partial"`` only)."""
        if self.sampled is None:
            raise InputError(
                f"pooling={self.pooling!r} has no sampled model; each slice has its own tree: "
                "fit[label].dt"
            )
        return self.sampled


def functional_of(kind: str, k: int) -> Functional:
    """The functional that is asked for by name."""
    one_of(kind, ("pass_rate", "pass_hat_k", "pass_at_k"), "kind")
    attempts = _attempts(k)
    if kind == "pass_rate":
        if attempts != 1:
            raise InputError(
                f"k goes with pass_hat_k and pass_at_k; got k = {shown(k)} for pass_rate"
            )
        return Functional("pass_hat_k", 1)
    return Functional("pass_hat_k" if kind == "pass_hat_k" else "pass_at_k", attempts)


def _ask(fit: Fit, functional: Functional, population: Population) -> Posterior:
    if functional.kind == "pass_hat_k":
        return fit.pass_hat_k(functional.k, population=population)
    return fit.pass_at_k(functional.k, population=population)


def _attempts(k: int) -> int:
    return as_whole(k, "k", minimum=1)


def _notes(parts: Iterable[Posterior]) -> str:
    """What a reader must see beside any of the parts, each sentence once."""
    return " ".join(dict.fromkeys(part.about.note for part in parts if part.about.note))


def _task_variance(fit: Fit, rollouts: int) -> float:
    """Posterior mean of the variance of the observed rate of one new task."""
    weights, alpha, beta = fit._hyper
    kappa = alpha + beta
    icc = 1.0 / (1.0 + kappa)
    spread = (alpha / kappa) * (beta / kappa)
    return float(weights @ (spread * (icc + (1.0 - icc) / rollouts)))


def _allocate(scale: Array, sizes: Array, total: int) -> npt.NDArray[np.int64]:
    """Whole numbers of sum `total` that make sum(scale / (sizes + number)) smallest."""
    # Water filling for the bulk, then one by one: every step takes the largest gain.
    low, high = 0.0, float(np.sqrt(scale).max() / sizes.min()) + 1e-300
    for _ in range(200):
        rate = 0.5 * (low + high)
        wanted = np.maximum(np.sqrt(scale) / max(rate, 1e-300) - sizes, 0.0)
        low, high = (rate, high) if wanted.sum() > total else (low, rate)
    number = np.floor(np.maximum(np.sqrt(scale) / high - sizes, 0.0)).astype(np.int64)
    number = np.minimum(number, total)
    for _ in range(int(total - number.sum())):
        now = sizes + number
        number[int(np.argmax(scale / now - scale / (now + 1.0)))] += 1
    return number
