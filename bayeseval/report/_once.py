"""A fit that computes each answer once, whoever asks: tables, figures, claims, records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from functools import cache, cached_property
from typing import Any

from bayeseval._validate import Population
from bayeseval.hierarchical import Fit
from bayeseval.hierarchical._functionals import Functional
from bayeseval.hierarchical._tables import PredictedHistogram, TaskTable
from bayeseval.posterior import Posterior

__all__ = ["OnceFit"]


class OnceFit(Fit):
    """A `Fit` that remembers what it was asked."""

    @classmethod
    def of(cls, fit: Fit) -> OnceFit:
        """Return the same fit with a memory."""
        return cls(**{field.name: getattr(fit, field.name) for field in fields(fit)})

    @cached_property
    def _memory(self) -> dict[Any, Any]:
        return {}

    def _answer(
        self, functional: Functional, population: Population, m: int | None, rollouts: int | None
    ) -> Posterior:
        key = (functional.name, population, m, rollouts)
        if key not in self._memory:
            found = super()._answer(functional, population, m, rollouts)
            self._memory[key] = _with_memory(found)
        kept: Posterior = self._memory[key]
        return kept

    def icc(self) -> Posterior:
        """Posterior of the ICC; see `Fit.icc`."""
        if "icc" not in self._memory:
            self._memory["icc"] = _with_memory(super().icc())
        found: Posterior = self._memory["icc"]
        return found

    def task_table(self, *, k: Iterable[int] = (1,), ci_prob: float = 0.95) -> TaskTable:
        """Raw and shrunken rates of every task; see `Fit.task_table`.

        A table that holds further values of k is given back as it is.
        """
        ks = tuple(k)
        known: TaskTable | None = self._memory.get(("tasks", ci_prob))
        if known is None or not set(ks) <= set(known.pass_at_k):
            known = super().task_table(k=ks, ci_prob=ci_prob)
            self._memory["tasks", ci_prob] = known
        return known

    def predicted_histogram(self, *, ci_prob: float = 0.95) -> PredictedHistogram:
        """Numbers of tasks by passes; see `Fit.predicted_histogram`."""
        if ("predicted", ci_prob) not in self._memory:
            self._memory["predicted", ci_prob] = super().predicted_histogram(ci_prob=ci_prob)
        found: PredictedHistogram = self._memory["predicted", ci_prob]
        return found


def _with_memory(posterior: Posterior) -> Posterior:
    """Let a posterior remember its intervals, which are found by iteration."""
    # Its class is frozen, but this changes no answer.
    object.__setattr__(posterior, "eti", cache(posterior.eti))
    return posterior
