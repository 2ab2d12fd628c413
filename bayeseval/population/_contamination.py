"""Contamination: what tasks that have leaked add to a score."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._difference import difference
from bayeseval._validate import as_probability, as_whole, one_of, shown
from bayeseval._weights import slice_label
from bayeseval.errors import InputError
from bayeseval.hierarchical import Fit, HierarchicalPrior
from bayeseval.posterior import Posterior, scaled
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts
from bayeseval.slices import SlicedFit, fit
from bayeseval.slices._sliced import functional_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SETS", "Contamination", "contamination", "leaked_levels"]

Array = npt.NDArray[np.float64]
Kind = Literal["pass_rate", "pass_hat_k", "pass_at_k"]
Which = Literal["all", "clean", "leaked"]
SETS: tuple[Which, ...] = ("all", "clean", "leaked")

_LEAKED = frozenset({"true", "yes", "y", "1", "leaked", "contaminated", "seen"})


@dataclass(frozen=True, eq=False, repr=False)
class Contamination:
    """Answers for all tasks and for the clean ones.

    Parameters
    ----------
    sliced : SlicedFit
        Leaked and clean tasks, fitted apart.
    leaked_label, clean_label : str
        Their labels in `sliced`.

    Examples
    --------
    >>> import bayeseval as be
    >>> suite = be.Rollouts.from_counts(
    ...     [4] * 13 + [3] * 2 + [4] * 12 + [3] * 5 + [2] * 4 + [1] * 4 + [0] * 10,
    ...     4,
    ...     factors={"leaked": [True] * 15 + [False] * 35},
    ... )
    >>> found = be.contamination(suite, leaked="leaked")
    >>> found
    Contamination(15 of 50 tasks leaked: all 65.0 % against clean 53.2 %, inflation +11.8 points)
    >>> found.inflation().prob_above(0.05) > 0.99
    True
    """

    sliced: SlicedFit
    leaked_label: str
    clean_label: str

    @property
    def clean(self) -> Fit:
        """The clean tasks."""
        return self.sliced[self.clean_label]

    @property
    def leaked(self) -> Fit:
        """The leaked tasks."""
        return self.sliced[self.leaked_label]

    @property
    def leaked_share(self) -> float:
        """Share of leaked tasks among those with a scored rollout."""
        return self.leaked.cells.n_tasks / self.sliced.n_tasks

    def answer(
        self,
        which: Which,
        kind: Kind = "pass_rate",
        k: int = 1,
    ) -> Posterior:
        """Posterior on new tasks, mixed as in the suite (``"all"``), or of one kind.

        Parameters
        ----------
        which : {"all", "clean", "leaked"}
            Which tasks.
        kind : {"pass_rate", "pass_hat_k", "pass_at_k"}, default "pass_rate"
            What is asked for.
        k : int, default 1
            Number of attempts; above 1 for pass^k and pass@k only.

        Returns
        -------
        Posterior
        """
        sources: dict[str, SlicedFit | Fit] = {
            "all": self.sliced,
            "clean": self.clean,
            "leaked": self.leaked,
        }
        source = sources[one_of(which, tuple(sources), "which")]
        functional = functional_of(kind, k)
        ask = source.pass_hat_k if functional.kind == "pass_hat_k" else source.pass_at_k
        return ask(functional.k)

    def inflation(self, kind: Kind = "pass_rate", k: int = 1) -> Posterior:
        """Posterior of what the leaked tasks add: all tasks minus clean tasks.

        Parameters
        ----------
        kind : {"pass_rate", "pass_hat_k", "pass_at_k"}, default "pass_rate"
            What is asked for.
        k : int, default 1
            Number of attempts.

        Returns
        -------
        Posterior
            In points, -1 to 1: the share of leaked tasks times (leaked minus clean).

        Raises
        ------
        InputError
            Another `kind`, or a `k` that does not go with it.
        """
        name = functional_of(kind, k).name
        gap = difference(self.answer("leaked", kind, k), self.answer("clean", kind, k))
        about = replace(
            self.answer("all", kind, k).about,
            quantity=f"inflation of {name} by leaked tasks",
            unit="points",
        )
        return scaled(gap, self.leaked_share, 0.0, about, (-1.0, 1.0))

    def curves(self, k: Iterable[int] | None = None, *, ci_prob: float = 0.95) -> pd.DataFrame:
        """pass@k and pass^k over k, for all tasks and for clean ones.

        Parameters
        ----------
        k : iterable of int, optional
            Default: 1 to the largest number of rollouts that a task had.
        ci_prob : float, default 0.95
            Level of the equal-tailed intervals.

        Returns
        -------
        pandas.DataFrame
            One row for each k, kind and set of tasks, with unrounded numbers.

        Raises
        ------
        InputError
            A `k` below 1, or `ci_prob` outside 0 to 1.
        """
        import pandas as pd

        level = as_probability(ci_prob, "ci_prob", open_ends=True)
        most = max(each.max_trials for each in self.sliced.slices.values())
        ks = range(1, most + 1) if k is None else [as_whole(each, "k", minimum=1) for each in k]
        rows: list[dict[str, Any]] = []
        kinds: tuple[Kind, ...] = ("pass_at_k", "pass_hat_k")
        sets: tuple[Literal["all", "clean"], ...] = ("all", "clean")
        for kind in kinds:
            for each in ks:
                for which in sets:
                    answer = self.answer(which, kind, each)
                    lower, upper = answer.eti(level)
                    rows.append(
                        {
                            "kind": kind,
                            "k": each,
                            "tasks": which,
                            "mean": answer.mean,
                            "lower": lower,
                            "upper": upper,
                        }
                    )
        return pd.DataFrame(rows)

    def __repr__(self) -> str:
        every, clean, inflation = self.answer("all"), self.answer("clean"), self.inflation()
        return (
            f"Contamination({self.leaked.cells.n_tasks:,} of {self.sliced.n_tasks:,} tasks "
            f"leaked: all {100 * every.mean:.1f} % against clean {100 * clean.mean:.1f} %, "
            f"inflation {100 * inflation.mean:+.1f} points)"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{name}</td><td>{html.escape(answer.summary_text())}</td></tr>"
            for name, answer in (
                ("all tasks", self.answer("all")),
                ("clean tasks", self.answer("clean")),
                ("inflation", self.inflation()),
            )
        )
        return f"<table>{rows}</table>"


def contamination(
    rollouts: Rollouts,
    *,
    leaked: str,
    level: Any = None,
    prior: HierarchicalPrior | None = None,
) -> Contamination:
    """Fit leaked and clean tasks apart, and say what the leak adds to the score.

    Parameters
    ----------
    rollouts : Rollouts
        The suite.
    leaked : str
        A factor with two levels that marks the leaked tasks.
    level : object, optional
        The level of leaked tasks; by default the one that reads as yes: True, 1, "yes",
        "leaked", "contaminated" or "seen".
    prior : HierarchicalPrior, optional
        Default: uniform on the mean rate and on the ICC.

    Returns
    -------
    Contamination

    Raises
    ------
    InputError
        A factor that is unknown, has not two levels, or does not say which one is leaked;
        a level that no task has; no scored rollout of the one or the other kind.

    Notes
    -----
    With s the share of leaked tasks in the suite, the pass rate over all is
    s leaked + (1 - s) clean, and the inflation s (leaked - clean). Both are fitted apart by
    the exact engine, so that neither borrows from the other.

    Examples
    --------
    See `Contamination`.
    """
    marked, clean = leaked_levels(rollouts, leaked, level)
    sliced = fit(rollouts, by=leaked, pooling="none", prior=prior)
    return Contamination(sliced, slice_label(marked), slice_label(clean))


def leaked_levels(rollouts: Rollouts, leaked: str, level: Any = None) -> tuple[Any, Any]:
    """Levels of leaked and of clean tasks; see `contamination`."""
    as_rollouts(rollouts)
    levels = rollouts.levels(leaked)
    if len(levels) != 2:
        listed = ", ".join(repr(each) for each in levels[:8])
        raise InputError(
            f"a factor that marks leaked tasks has two levels; {leaked!r} has {len(levels)}: "
            f"{listed}"
        )
    if level is None:
        found = [each for each in levels if _reads_as_yes(each)]
        if len(found) != 1:
            raise InputError(
                f"which level of {leaked!r} marks leaked tasks? name it with level= "
                f"(--leaked {leaked}=LEVEL): {levels[0]!r} or {levels[1]!r}"
            )
        level = found[0]
    elif not any(_same(each, level) for each in levels):
        raise InputError(
            f"no task has {leaked} = {shown(level)}; the levels are {levels[0]!r} and {levels[1]!r}"
        )
    (clean,) = [each for each in levels if not _same(each, level)]
    return level, clean


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _reads_as_yes(level: Any) -> bool:
    if isinstance(level, float):
        return level == 1.0
    return str(level).strip().lower() in _LEAKED
