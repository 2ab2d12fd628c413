"""The estimand of a quantity in a sentence."""

from __future__ import annotations

from bayeseval.claims import Comparison, Term

__all__ = ["OUTCOME", "estimand_text"]

OUTCOME = "pass, as the harness scored it; errored rollouts are no outcome"

_WHERE = {
    "new_tasks": "over new tasks from the source of these",
    "suite": "over exactly these tasks, rollouts without end",
    "next_run": "that the next run of these tasks will show",
}


def estimand_text(comparison: Comparison, weighted_by: tuple[str, ...]) -> str:
    """Say what is estimated: one sentence for the reader."""
    left = _term(comparison.left)
    text = left if comparison.minus is None else f"{left}, minus {_term(comparison.minus)}"
    where = _WHERE[comparison.population]
    weighted = ""
    if weighted_by:
        weighted = f", slices by {' and '.join(weighted_by)} weighted as in the population"
    return f"{text[0].upper()}{text[1:]}, {where}{weighted}."


def _term(term: Term) -> str:
    if term.kind == "share_of_tasks":
        text = f"the share of tasks whose pass rate is at least {term.rate:.15g}"
    elif term.kind == "pass_rate" or term.k == 1:
        text = "the mean probability that an attempt at a task passes"
    elif term.kind == "pass_hat_k":
        text = f"the mean probability that all of {term.k} attempts at a task pass"
    else:
        text = f"the mean probability that at least one of {term.k} attempts at a task passes"
    if term.where:
        chosen = " and ".join(f"{factor} = {level}" for factor, level in term.where)
        text += f", of tasks with {chosen}"
    if term.baseline:
        text += ", of the baseline"
    return f"the smallest over the slices of {text}" if term.worst else text
