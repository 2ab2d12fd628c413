"""What answers rest on, as text and as documents: other priors, and errored rollouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayeseval._format import format_probability, quantities
from bayeseval.cli._tables import Printer, bare_percent, bare_range, level
from bayeseval.posterior import Posterior
from bayeseval.sensitivity import PriorSensitivity, prior_sensitivity

if TYPE_CHECKING:
    from bayeseval.hierarchical import Fit
    from bayeseval.sensitivity import ErroredSensitivity, PowerScaling

__all__ = [
    "FitPriors",
    "errored_document",
    "fit_priors",
    "power_document",
    "print_errored",
    "print_fit_priors",
    "print_power",
    "prior_document",
    "prior_lines",
]

# A quantity, its k (None for the pass rate) and its label.
Asked = tuple[str, int | None, str]


def prior_lines(found: Iterable[PriorSensitivity]) -> list[str]:
    """One sentence for each answer under other priors."""
    return [f"Other priors: {each.conclusion}" for each in found]


def prior_document(found: PriorSensitivity) -> dict[str, Any]:
    """Return one answer under other priors for JSON."""
    return {
        "quantity": found.quantity,
        "claim": found.claim,
        "confidence": found.confidence,
        "rows": [
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
            for row in found.rows
        ],
        "moves": found.moves,
        "moved": list(found.moved),
        "conclusion": found.conclusion,
    }


@dataclass(frozen=True, slots=True, eq=False)
class FitPriors:
    """Answers of a fit on new tasks under other priors.

    Parameters
    ----------
    rows : tuple of (asked, PriorSensitivity)
        One for each answer.
    above : float or None
        The bar.
    """

    rows: tuple[tuple[Asked, PriorSensitivity], ...]
    above: float | None

    def document(self) -> list[dict[str, Any]]:
        """Return it for JSON."""
        return [
            prior_document(found) | {"quantity": quantity, "k": k, "population": "new_tasks"}
            for (quantity, k, _), found in self.rows
        ]


def fit_priors(fit: Fit, ks: Sequence[int], above: float | None, ci_prob: float) -> FitPriors:
    """Ask for the answers of a fit on new tasks under other priors.

    Of several k it takes the largest, where the prior tells most: each answer is integrated
    afresh under each prior.
    """

    def ask(quantity: Any, k: int | None) -> PriorSensitivity:
        return prior_sensitivity(fit, answer=quantity, k=k or 1, above=above, ci_prob=ci_prob)

    return FitPriors(tuple((each, ask(*each[:2])) for each in quantities([max(ks)])), above)


def print_fit_priors(priors: FitPriors, printer: Printer) -> None:
    """Print one row for each answer, and whether any conclusion moves."""
    first = priors.rows[0][1]
    names = [row.label for row in first.rows]
    confidence = f"{100 * first.confidence:.10g} %"
    rows = []
    for (_, _, label), found in priors.rows:
        if priors.above is None:
            cells = [bare_percent(row.mean) for row in found.rows]
            verdict = "stays"
        else:
            cells = [format_probability(row.prob or 0.0) for row in found.rows]
            verdict = str(found.reference.verdict)
        rows.append((label, *cells, "MOVES" if found.moves else verdict))
    moved = [label for (_, _, label), found in priors.rows if found.moves]
    sentence = (
        f"The conclusion moves with the prior for {', '.join(moved)}."
        if moved
        else "No conclusion moves with the prior."
    )
    if priors.above is None:
        title = "New tasks under other priors, per cent"
        rule = "It moves where a mean leaves the 50 % interval under the first prior."
    else:
        title = f"New tasks under other priors: probability of being above {priors.above:.15g}"
        rule = f"Supported from {confidence} on; it moves where the priors do not agree."
    printer.table(title, ["", *names, "conclusion"], rows, notes=[f"{sentence} {rule}"])


def print_power(power: PowerScaling, printer: Printer) -> None:
    """Print how the draws answer to a stronger prior or likelihood."""
    printer.table(
        "Power-scaling of the draws",
        ["", "prior", "likelihood", "reading"],
        [
            (row.quantity, f"{row.prior:.3f}", f"{row.likelihood:.3f}", row.diagnosis)
            for row in power.rows
        ],
        left=(0, 3),
        notes=[f"Sensitivities from {power.threshold:g} on count."],
    )


def power_document(power: PowerScaling) -> dict[str, Any]:
    """Return the power-scaling of a fit for JSON."""
    names = ("quantity", "prior", "likelihood", "diagnosis")
    return {
        "threshold": power.threshold,
        "flat_prior": power.flat_prior,
        "rows": [{name: getattr(row, name) for name in names} for row in power.rows],
    }


def _answer(row: Any, quantity: str, k: int | None) -> Posterior:
    answer: Posterior = (
        row.pass_rate()
        if k is None
        else row.pass_at_k(k)
        if quantity == "pass_at_k"
        else row.pass_hat_k(k)
    )
    return answer


def print_errored(
    found: ErroredSensitivity,
    ks: Sequence[int],
    above: float | None,
    ci_prob: float,
    printer: Printer,
) -> None:
    """Print the answers on new tasks for each odds ratio."""
    if found.errored == 0:
        printer.text()
        printer.text(found.summary)
        return
    shown = [each for each in quantities(ks) if each[0] != "pass_at_k"]
    rows = []
    for row in found.rows:
        cells = [f"{row.odds_ratio:g}"]
        for quantity, k, _ in shown:
            posterior = _answer(row, quantity, k)
            text = f"{bare_percent(posterior.mean)} ({bare_range(posterior.eti(ci_prob))})"
            if above is not None:
                text += f" {format_probability(posterior.prob_above(above))}"
            cells.append(text)
        rows.append(cells)
    bar = "" if above is None else f", probability of being above {above:.15g}"
    printer.table(
        "New tasks by the odds ratio of errored rollouts",
        ["odds ratio", *(label for _, _, label in shown)],
        rows,
        notes=[
            f"Per cent: posterior mean ({level(ci_prob)} equal-tailed credible interval){bar}.",
            "Odds ratio: odds that an errored rollout would have passed, over those of a scored "
            "one of its task. 0: all failed. 1: like the scored ones. inf: all passed.",
            found.summary,
        ],
    )


def errored_document(
    found: ErroredSensitivity, ks: Sequence[int], above: float | None, ci_prob: float
) -> dict[str, Any]:
    """Return the answers on new tasks for each odds ratio for JSON."""
    rows = []
    for row in found.rows:
        for quantity, k, _ in quantities(ks):
            posterior = _answer(row, quantity, k)
            lower, upper = posterior.eti(ci_prob)
            rows.append(
                {
                    "odds_ratio": "inf" if row.odds_ratio == float("inf") else row.odds_ratio,
                    "quantity": quantity,
                    "k": k,
                    "population": "new_tasks",
                    "engine": posterior.engine,
                    "mean": posterior.mean,
                    "lower": lower,
                    "upper": upper,
                    "ci_prob": ci_prob,
                    "ci_kind": "eti",
                    "mcse_mean": posterior.mcse_mean,
                    "extrapolated": posterior.extrapolated,
                    "threshold": above,
                    "prob_above": None if above is None else posterior.prob_above(above),
                }
            )
    return {
        "errored": found.errored,
        "tasks": found.tasks,
        "imputations": found.imputations,
        "summary": found.summary,
        "rows": rows,
    }
