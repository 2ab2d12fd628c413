"""What if the errored rollouts had been scored? Answers by an assumed odds ratio."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayeseval._format import format_percent
from bayeseval._validate import (
    Seed,
    as_generator,
    as_items,
    as_probability,
    as_reals,
    as_whole,
    shown,
)
from bayeseval.errors import InputError
from bayeseval.posterior import About, Posterior
from bayeseval.sensitivity._prior import as_confidence, verdict_of

if TYPE_CHECKING:
    import pandas as pd

    from bayeseval.hierarchical import Fit, HierarchicalPrior
    from bayeseval.hierarchical._draws import DrawsHyper
    from bayeseval.rollouts import Rollouts

__all__ = ["ODDS_RATIOS", "ErroredRow", "ErroredSensitivity", "errored_sensitivity"]

ODDS_RATIOS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, math.inf)
IMPUTATIONS = 50
MOST_IMPUTATIONS = 10_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ErroredRow:
    """The answers on new tasks under one odds ratio.

    Parameters
    ----------
    odds_ratio : float
        Odds that an errored rollout would have passed, over the odds of a scored rollout
        of the same task. 0: all would have failed; inf: all would have passed.
    source : Fit or DrawsHyper
        A fit by the exact engine where nothing had to be drawn (odds ratio 0 or inf, or
        nothing errored); else draws of mean and ICC, one row for each imputation.
    n_tasks : int
        Tasks with a rollout, scored or errored.
    min_attempts : int
        Fewest rollouts of such a task.
    """

    odds_ratio: float
    source: Fit | DrawsHyper
    n_tasks: int
    min_attempts: int

    def pass_rate(self) -> Posterior:
        """Posterior of the pass rate of new tasks."""
        return self._answer("pass_hat_k", 1)

    def pass_hat_k(self, k: int) -> Posterior:
        """Posterior of pass^k on new tasks.

        Parameters
        ----------
        k : int
            Number of attempts, at least 1.
        """
        return self._answer("pass_hat_k", as_whole(k, "k", minimum=1))

    def pass_at_k(self, k: int) -> Posterior:
        """Posterior of pass@k on new tasks.

        Parameters
        ----------
        k : int
            Number of attempts, at least 1.
        """
        return self._answer("pass_at_k", as_whole(k, "k", minimum=1))

    def icc(self) -> Posterior:
        """Posterior of the ICC."""
        from bayeseval.hierarchical import Fit
        from bayeseval.posterior import DrawsPosterior

        if isinstance(self.source, Fit):
            return self.source.icc()
        about = About("ICC", "imputed", None, self.n_tasks, "number")
        return DrawsPosterior(self.source.icc, about)

    def _answer(self, name: str, k: int) -> Posterior:
        from bayeseval.hierarchical import Fit
        from bayeseval.hierarchical._functionals import Functional

        if isinstance(self.source, Fit):
            fit = self.source
            return fit.pass_hat_k(k) if name == "pass_hat_k" else fit.pass_at_k(k)
        functional = Functional("pass_hat_k" if name == "pass_hat_k" else "pass_at_k", k)
        about = About(
            functional.name,
            "imputed",
            "new_tasks",
            self.n_tasks,
            extrapolated=k > self.min_attempts,
        )
        return self.source.new_tasks(functional, about)

    def __repr__(self) -> str:
        return f"ErroredRow(odds ratio {self.odds_ratio:g}: {self.pass_rate()!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ErroredSensitivity:
    """Answers on new tasks by what the errored rollouts are taken for.

    Made by `errored_sensitivity`.

    Parameters
    ----------
    rows : tuple of ErroredRow
        One for each odds ratio, rising.
    errored, tasks : int
        How many rollouts errored, and on how many tasks.
    imputations : int
        Completed suites behind each row that rests on draws.
    """

    rows: tuple[ErroredRow, ...]
    errored: int
    tasks: int
    imputations: int

    def __getitem__(self, odds_ratio: float) -> ErroredRow:
        for row in self.rows:
            if row.odds_ratio == odds_ratio:
                return row
        known = ", ".join(f"{row.odds_ratio:g}" for row in self.rows)
        raise KeyError(f"no odds ratio {odds_ratio!r}; there are {known}")

    @property
    def summary(self) -> str:
        """One sentence: what errored, and how far it could move the pass rate."""
        if self.errored == 0:
            return "No rollout errored: every odds ratio gives the same answer."
        what = f"{counted(self.errored, 'errored rollout')} on {counted(self.tasks, 'task')}"
        parts = [
            f"{format_percent(row.pass_rate().mean)} {_case(row.odds_ratio)}"
            for row in (self.rows[0], self.rows[-1])[: len(self.rows)]
        ]
        return f"{what}; the pass rate of new tasks is {' and '.join(parts)}."

    def moves(self, above: float, *, k: int = 1, confidence: float = 0.95) -> bool:
        """Whether the verdict on "pass^k > above" is not the same under all odds ratios.

        Parameters
        ----------
        above : float
            The bar, 0-1.
        k : int, default 1
            Number of attempts; 1 for the pass rate.
        confidence : float, default 0.95
            Probability, above 0.5, from which a claim counts as supported.
        """
        bar, level = as_probability(above, "above"), as_confidence(confidence)
        verdicts = {verdict_of(row.pass_hat_k(k).prob_above(bar), level) for row in self.rows}
        return len(verdicts) > 1

    def to_pandas(
        self, *, k: Iterable[int] = (), above: float | None = None, ci_prob: float = 0.95
    ) -> pd.DataFrame:
        """Return the answers as a pandas frame with unrounded numbers.

        Parameters
        ----------
        k : iterable of int, default ()
            Values of k for pass@k and pass^k, besides the pass rate.
        above : float, optional
            A bar, for the column ``prob_above``.
        ci_prob : float, default 0.95
            Level of the equal-tailed intervals.

        Returns
        -------
        pandas.DataFrame
            Columns ``odds_ratio``, ``quantity``, ``k``, ``mean``, ``lower``, ``upper``,
            ``ci_prob``, ``prob_above``, ``mcse_mean`` and ``engine``.
        """
        import pandas as pd

        bar = None if above is None else as_probability(above, "above")
        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        ks = [as_whole(each, "k", minimum=1) for each in k]
        frame = []
        for row in self.rows:
            answers = [("pass_rate", 1, row.pass_rate())]
            answers += [("pass_at_k", each, row.pass_at_k(each)) for each in ks]
            answers += [("pass_hat_k", each, row.pass_hat_k(each)) for each in ks]
            for quantity, each, posterior in answers:
                lower, upper = posterior.eti(level)
                frame.append(
                    {
                        "odds_ratio": row.odds_ratio,
                        "quantity": quantity,
                        "k": each,
                        "mean": posterior.mean,
                        "lower": lower,
                        "upper": upper,
                        "ci_prob": level,
                        "prob_above": None if bar is None else posterior.prob_above(bar),
                        "mcse_mean": posterior.mcse_mean,
                        "engine": posterior.engine,
                    }
                )
        return pd.DataFrame(frame)

    def __repr__(self) -> str:
        return f"ErroredSensitivity({self.summary})"

    def __str__(self) -> str:
        lines = [
            f"odds ratio {row.odds_ratio:g}: {row.pass_rate().summary_text()}" for row in self.rows
        ]
        return "\n".join([self.summary, *lines])


def errored_sensitivity(
    rollouts: Rollouts,
    *,
    odds_ratios: Iterable[float] = ODDS_RATIOS,
    prior: HierarchicalPrior | None = None,
    imputations: int = IMPUTATIONS,
    rng: Seed = None,
) -> ErroredSensitivity:
    """Answers with errored rollouts as missing outcomes, by an assumed odds ratio.

    Leaving errored rollouts out assumes that they would have passed as often as the
    scored rollouts of their task (odds ratio 1). Rollouts that crash or run out of time
    may be those that would have failed. How much the answer rests on this cannot be
    learnt from the data, but it can be seen.

    Parameters
    ----------
    rollouts : Rollouts
        The suite with its errored rollouts.
    odds_ratios : iterable of float, default (0, 0.25, 0.5, 1, 2, 4, inf)
        Odds that an errored rollout would have passed, over the odds of a scored rollout
        of the same task; 0 or more, inf allowed, each once. 0: all would have failed; 1: as
        the scored ones; inf: all would have passed.
    prior : HierarchicalPrior, optional
        Default: uniform on the mean rate and on the ICC.
    imputations : int, default 50
        Completed suites for each odds ratio that needs them, at least 2.
    rng : int or numpy.random.Generator, optional
        Seed. The same seed gives the same numbers.

    Returns
    -------
    ErroredSensitivity
        One row for each odds ratio, which answers ``pass_rate()``, ``pass_at_k(k)``,
        ``pass_hat_k(k)`` and ``icc()`` on new tasks.

    Raises
    ------
    InputError
        If no task has a scored rollout, or an odds ratio is negative or given twice.

    Notes
    -----
    Multiple imputation [1]_ with a delta adjustment on the log odds [2]_, a
    pattern-mixture model. For each imputation: mean and ICC are drawn from the exact
    posterior of the scored rollouts; the rate p_i of each task with errored rollouts from
    Beta(mean kappa + s_i, (1 - mean) kappa + n_i - s_i); the passes among its e_i errored
    rollouts from Binomial(e_i, p'_i), where

        p'_i / (1 - p'_i) = odds_ratio * p_i / (1 - p_i).

    The completed counts are integrated exactly and give equal numbers of draws of mean and
    ICC; those of all imputations together are the answer. Its ``mcse_mean`` holds what
    imputations differ by. With odds ratio 0 or inf nothing is left to draw: the answers
    are those of the exact engine on ``rollouts.with_lost("fail")`` and ``("pass")``.

    References
    ----------
    .. [1] Rubin (1987), Multiple Imputation for Nonresponse in Surveys.
       https://doi.org/10.1002/9780470316696
    .. [2] Carpenter and Kenward (2013), Multiple Imputation and its Application, chapter
       10. https://doi.org/10.1002/9781119942283

    Examples
    --------
    >>> import bayeseval as be
    >>> rollouts = be.Rollouts.from_counts([4] * 30 + [2] * 10, [4] * 40, errored=[0, 1] * 20)
    >>> found = be.errored_sensitivity(rollouts, odds_ratios=(0, 1, float("inf")), rng=1)
    >>> print(found.summary)
    20 errored rollouts on 20 tasks; the pass rate of new tasks is 77.3 % if all of them had
    failed (odds ratio 0) and 88.2 % if all of them had passed (odds ratio inf).
    >>> found[0].pass_hat_k(4)
    pass^4 on new tasks: 41.1 % (95 % CrI 28.5-54.8 %, n = 40 tasks)
    """
    from bayeseval._cells import NO_SCORED_TASK, scored_cells
    from bayeseval.hierarchical import Checks, Fit
    from bayeseval.hierarchical._exact import integrate
    from bayeseval.hierarchical._sample import as_model

    if scored_cells(rollouts).n_tasks == 0:
        raise InputError(f"{NO_SCORED_TASK}: there is nothing to fit")
    chosen = as_model(rollouts, prior)
    ratios = as_odds_ratios(odds_ratios)
    count = as_whole(imputations, "imputations", minimum=2, maximum=MOST_IMPUTATIONS)
    seed = int(as_generator(rng).integers(2**31))
    drawn = tuple(ratio for ratio in ratios if 0 < ratio < math.inf)
    sources: dict[float, Fit | DrawsHyper] = {}
    for ratio in ratios:
        if ratio not in drawn or rollouts.ledger.errored == 0:
            suite = rollouts.with_lost("fail" if ratio == 0 else "pass")
            exact = integrate(suite, chosen)
            sources[ratio] = Fit(suite, chosen, "exact", Checks(()), seed, exact)
    if drawn and rollouts.ledger.errored > 0:
        # Loads SciPy's interpolation.
        from bayeseval.sensitivity._impute import imputed_hypers

        hypers = imputed_hypers(rollouts, chosen, drawn, count, seed)
        sources.update(zip(drawn, hypers, strict=True))
    attempts = rollouts.trials + rollouts.errored
    attempted = attempts[attempts > 0]
    rows = (
        ErroredRow(ratio, sources[ratio], attempted.size, int(attempted.min())) for ratio in ratios
    )
    tasks = int((rollouts.errored > 0).sum())
    return ErroredSensitivity(tuple(rows), rollouts.ledger.errored, tasks, count)


def as_odds_ratios(values: Iterable[float]) -> tuple[float, ...]:
    """Return odds ratios, 0 to inf, in rising order."""
    given = as_items(values, "odds_ratios", of="numbers such as (0, 1, inf)")
    ratios = []
    for value in given:
        try:
            ratios.append(float(as_reals(value, "an odds ratio").reshape(())))
        except ValueError:  # InputError among them
            raise InputError(
                f"odds_ratios must hold numbers such as (0, 1, inf); got {shown(values)}"
            ) from None
    if not ratios:
        raise InputError("odds_ratios must hold at least one number; got none")
    for ratio in ratios:
        if not ratio >= 0:
            raise InputError(f"an odds ratio must be 0 or more, up to inf; got {shown(ratio)}")
    if len(set(ratios)) < len(ratios):
        raise InputError(f"odds_ratios must hold each number once; got {shown(values)}")
    return tuple(sorted(ratios))


def counted(number: int, noun: str) -> str:
    """``1 task``, ``1,200 tasks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _case(ratio: float) -> str:
    words = {0.0: "if all of them had failed ", math.inf: "if all of them had passed "}
    return f"{words.get(ratio, '')}(odds ratio {ratio:g})"
