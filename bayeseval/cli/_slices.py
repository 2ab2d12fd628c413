"""Slices, weights, flaky and leaked tasks in ``bayeseval fit``."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bayeseval._format import format_probability, format_value
from bayeseval._interval import Interval
from bayeseval._validate import as_whole, nearest_names, one_of
from bayeseval._weights import Weights, read_weights, slice_label
from bayeseval.cli._tables import Printer, bare_percent, bare_range, level
from bayeseval.errors import CheckWarning, InputError
from bayeseval.population import Contamination, StratifiedEstimate, contamination, stratified_rate
from bayeseval.population._contamination import leaked_levels
from bayeseval.posterior import Posterior
from bayeseval.rollouts import Rollouts
from bayeseval.slices import SlicedFit, fit, split
from bayeseval.slices._table import LEAST_TASKS, WIDEST
from bayeseval.unknown import Unknown

if TYPE_CHECKING:
    from bayeseval.cli._fit_run import Options
    from bayeseval.hierarchical import Fit
    from bayeseval.hierarchical._flaky import FlakyTable

__all__ = [
    "SliceOptions",
    "SliceReport",
    "flakiest",
    "flaky_document",
    "leak_document",
    "leak_report",
    "print_flaky",
    "print_leak",
    "print_slices",
    "slice_document",
    "slice_report",
]

Pooling = Literal["none", "partial", "complete"]
Kind = Literal["pass_rate", "pass_at_k", "pass_hat_k"]
Population = Literal["new_tasks", "suite", "next_run"]

# Flaky tasks that are printed; the document holds as many.
MOST_FLAKY = 5
HEADS: dict[Population, str] = {
    "new_tasks": "new tasks",
    "suite": "this suite",
    "next_run": "next run",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceOptions:
    """What was asked about slices and leaked tasks.

    Parameters
    ----------
    by : tuple of str
        Factors that make the slices; none if empty.
    pooling : {"none", "partial", "complete"}
        How much slices tell of each other.
    weights : Weights or None
        Shares of the population.
    weights_file : str or None
        Where they came from.
    bounds : bool
        Whether a slice without tasks gives a range and not a refusal.
    next_tasks : int or None
        How many further tasks to share out.
    leaked : str or None
        Factor that marks leaked tasks, or ``factor=level``.
    """

    by: tuple[str, ...] = ()
    pooling: Pooling = "none"
    weights: Weights | None = None
    weights_file: str | None = None
    bounds: bool = False
    next_tasks: int | None = None
    leaked: str | None = None

    @classmethod
    def of(
        cls,
        *,
        by: str | None,
        pooling: str | None,
        weights: str | None,
        unsupported: str,
        next_tasks: str | None,
        leaked: str | None,
        engine: str,
    ) -> SliceOptions:
        """Parse and check what the command line was given."""
        one_of(unsupported, ("refuse", "bounds"), "--unsupported")
        names = tuple(part.strip() for part in by.split(",")) if by else ()
        for option, value in (
            ("--pooling", pooling),
            ("--weights", weights),
            ("--next-tasks", next_tasks),
        ):
            if value is not None and not names:
                raise InputError(f"{option} needs --by FACTOR, which says what the slices are")
        if unsupported == "bounds" and weights is None:
            raise InputError("--unsupported bounds needs --weights FILE")
        chosen = pooling or ("partial" if engine == "nuts" else "none")
        one_of(chosen, Pooling, "--pooling")
        if pooling == "partial" and engine == "exact":
            raise InputError("--pooling partial is sampled: leave out --engine exact")
        return cls(
            by=names,
            pooling=chosen,  # type: ignore[arg-type]
            weights=None if weights is None else read_weights(weights, by=names),
            weights_file=weights,
            bounds=unsupported == "bounds",
            next_tasks=None if next_tasks is None else as_whole(next_tasks, "--next-tasks"),
            leaked=leaked,
        )

    def check(self, rollouts: Rollouts) -> None:
        """Refuse what the suite cannot answer, before anything is printed."""
        if self.leaked is not None:
            leaked_levels(rollouts, *self.leaked_marks(rollouts))
        if not self.by:
            return
        slices = split(rollouts, self.by)
        if self.weights is not None:
            aligned = self.weights.align(tuple(slices))
            if not self.bounds:
                aligned.require_support()

    def leaked_marks(self, rollouts: Rollouts) -> tuple[str, Any]:
        """The factor that marks leaked tasks, and its level where that was named."""
        assert self.leaked is not None
        factor, equals, text = self.leaked.partition("=")
        if not equals:
            return factor, None
        levels = rollouts.levels(factor)
        for each in levels:
            if slice_label(each) == text:
                return factor, each
        raise InputError(
            f"--leaked: no task has {factor} = {text!r}"
            f"{nearest_names(text, map(slice_label, levels))}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """One answer over the mix of slices.

    Parameters
    ----------
    kind, k : str and int
        What is asked for.
    answers : mapping of population to (lower, upper) or Unknown
        Posteriors; two different ones where a slice without tasks gives a range.
    lost : tuple of Posterior, or None
        On new tasks, if all errored rollouts had failed, and if all had passed.
    """

    kind: Kind
    k: int
    answers: dict[Population, tuple[Posterior, Posterior] | Unknown]
    lost: tuple[Posterior, Posterior] | None

    @property
    def label(self) -> str:
        """The quantity as people write it."""
        if self.kind == "pass_rate":
            return "pass rate"
        return f"pass{'@' if self.kind == 'pass_at_k' else '^'}{self.k}"


@dataclass(frozen=True, slots=True, eq=False)
class SliceReport:
    """All that is said of slices.

    Parameters
    ----------
    fit : SlicedFit
        The slices.
    options : SliceOptions
        What was asked.
    weighted : tuple of Weighted
        Answers over the mix.
    stratified : StratifiedEstimate or Unknown
        The same without a model.
    ci_prob : float
        Level of all intervals.
    above : float or None
        The bar.
    """

    fit: SlicedFit
    options: SliceOptions
    weighted: tuple[Weighted, ...]
    stratified: StratifiedEstimate | Unknown
    ci_prob: float
    above: float | None


def slice_report(
    rollouts: Rollouts, chosen: SliceOptions, options: Options, ks: tuple[int, ...]
) -> SliceReport:
    """Fit the slices and ask for the answers over their mix."""
    sliced = _fit(rollouts, chosen, chosen.pooling, options)
    asked: list[tuple[Kind, int]] = [("pass_rate", 1)]
    asked += [("pass_at_k", k) for k in ks if k > 1]
    asked += [("pass_hat_k", k) for k in ks if k > 1]
    lost: tuple[SlicedFit, SlicedFit] | None = None
    if rollouts.ledger.errored:
        pooling: Pooling = "none" if chosen.pooling == "partial" else chosen.pooling
        lost = (
            _fit(rollouts.with_lost("fail"), chosen, pooling, options),
            _fit(rollouts.with_lost("pass"), chosen, pooling, options),
        )
    weighted = tuple(_weighted(sliced, lost, chosen, kind, k) for kind, k in asked)
    stratified: StratifiedEstimate | Unknown = Unknown("a slice with weight has no task")
    weights = chosen.weights
    shares = sliced.shares if weights is None else weights
    if weights is None or not weights.align(sliced.labels).unsupported:
        stratified = stratified_rate(
            rollouts, by=chosen.by, weights=shares, ci_prob=options.ci_prob
        )
    return SliceReport(sliced, chosen, weighted, stratified, options.ci_prob, options.above)


def _fit(rollouts: Rollouts, chosen: SliceOptions, pooling: Pooling, options: Options) -> SlicedFit:
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        # What failed is shown with the slices.
        warnings.simplefilter("ignore", CheckWarning)
        return fit(
            rollouts,
            by=chosen.by,
            pooling=pooling,
            prior=options.prior,
            draws=options.draws,
            chains=options.chains,
            rng=options.seed,
        )


def _weighted(
    sliced: SlicedFit,
    lost: tuple[SlicedFit, SlicedFit] | None,
    chosen: SliceOptions,
    kind: Kind,
    k: int,
) -> Weighted:
    answers: dict[Population, tuple[Posterior, Posterior] | Unknown] = {}
    for population in HEADS:
        try:
            answers[population] = _answer(sliced, chosen, kind, k, population)
        except InputError as error:
            if population != "next_run":
                raise
            answers[population] = Unknown(str(error))
    ends = None
    if lost is not None:
        low, high = (_answer(each, chosen, kind, k, "new_tasks") for each in lost)
        ends = (low[0], high[1])
    return Weighted(kind, k, answers, ends)


def _answer(
    sliced: SlicedFit, chosen: SliceOptions, kind: Kind, k: int, population: Population
) -> tuple[Posterior, Posterior]:
    weights = chosen.weights
    if chosen.bounds and weights is not None:
        return sliced.bounds(weights=weights, kind=kind, k=k, population=population)
    ask: Callable[..., Posterior] = {
        "pass_rate": sliced.pass_rate,
        "pass_at_k": lambda **given: sliced.pass_at_k(k, **given),
        "pass_hat_k": lambda **given: sliced.pass_hat_k(k, **given),
    }[kind]
    answer = ask(weights=weights, population=population)
    return answer, answer


def print_slices(report: SliceReport, printer: Printer) -> None:
    """Print the table of slices and the answers over their mix."""
    sliced = report.fit
    table = sliced.table(ci_prob=report.ci_prob)
    how = {
        "none": "each fitted alone",
        "partial": "partially pooled",
        "complete": "fitted as one",
    }[sliced.pooling]
    notes = []
    if table.small.any():
        notes.append(
            f"* Too small to carry a claim: fewer than {LEAST_TASKS} tasks, or an interval "
            f"wider than {100 * WIDEST:.0f} points."
        )
    notes.append(
        "Wilson takes rollouts of one task for independent tasks: right for one rollout each."
    )
    printer.table(
        f"Slices by {' and '.join(sliced.by)}, {how}: pass rate of new tasks, per cent",
        ["", "tasks", "raw", "Wilson", "bootstrap", "posterior"],
        [
            (
                label + ("*" if table.small[at] else ""),
                f"{table.n_tasks[at]:,}",
                bare_percent(float(table.raw_rate[at])),
                _range(table.wilson[at]),
                _range(table.bootstrap[at]),
                f"{bare_percent(float(table.mean[at]))} ({_range(table.interval[at])})",
            )
            for at, label in enumerate(table.label)
        ],
        notes=notes,
    )
    worst = sliced.worst_slice()
    label, chance = next(iter(worst.prob_worst.items()))
    if len(sliced.labels) > 1:
        printer.text(
            f"The worst slice: {bare_percent(worst.posterior.mean)} % "
            f"({bare_range(worst.posterior.eti(report.ci_prob))}); it is {label} with "
            f"probability {format_probability(chance)}."
        )
    _print_weighted(report, printer)
    for check in sliced.checks.failed:
        printer.text(f"Check {check}")


def _print_weighted(report: SliceReport, printer: Printer) -> None:
    chosen, sliced = report.options, report.fit
    if chosen.weights is None:
        title = "The same mix of slices as in the suite, per cent"
    else:
        title = f"In the population of {chosen.weights_file}, per cent"
    notes = [f"Posterior mean ({level(report.ci_prob)} equal-tailed credible interval)."]
    if chosen.weights is not None:
        missing = chosen.weights.align(sliced.labels).missing_share
        if missing:
            notes.append(
                f"{100 * missing:.3g} % of the weight lies on slices without tasks: the range "
                "from always failing to always passing there."
            )
    for reason in dict.fromkeys(
        each.reason
        for row in report.weighted
        for each in row.answers.values()
        if isinstance(each, Unknown)
    ):
        notes.append(f"UNKNOWN: {reason}.")
    printer.table(
        title,
        ["", *HEADS.values()],
        [
            (row.label, *(_cell(row.answers[each], report.ci_prob) for each in HEADS))
            for row in report.weighted
        ],
        notes=notes,
    )
    if report.above is not None:
        printer.table(
            f"Probability of being above {report.above:.15g} in that population",
            ["", *HEADS.values()],
            [
                (row.label, *(_chance(row.answers[each], report.above) for each in HEADS))
                for row in report.weighted
            ],
        )
    if report.weighted[0].lost is not None:
        printer.table(
            f"New tasks of that population, if the errored rollouts "
            f"({sliced.rollouts.ledger.errored:,}) had been scored",
            ["", "all failed", "all passed"],
            [
                (row.label, *(_cell((each, each), report.ci_prob) for each in row.lost))
                for row in report.weighted
                if row.lost is not None
            ],
        )
    _print_stratified(report, printer)
    if chosen.next_tasks is not None:
        where = sliced.next_tasks(chosen.next_tasks, weights=chosen.weights)
        listed = ", ".join(f"{number:,} {label}" for label, number in where.items() if number)
        printer.text(f"Of the next {chosen.next_tasks:,} tasks, these would tell most: {listed}.")


def _print_stratified(report: SliceReport, printer: Printer) -> None:
    found = report.stratified
    printer.text()
    if isinstance(found, Unknown):
        printer.text(f"Stratified estimate without a model: UNKNOWN, {found.reason}.")
        return
    limits = "no interval, since all tasks of each slice agree"
    if isinstance(found.interval, Interval):
        limits = format_value((found.interval.lower, found.interval.upper), "percent")
    text = (
        f"Stratified estimate without a model: {bare_percent(found.estimate)} % ({limits}), "
        f"standard error {100 * found.se:.2f} points. The weights leave {found.n_eff:.0f} "
        f"effective tasks (Kish) of {int(found.n_tasks.sum()):,}."
    )
    share = found.variance_share
    if share is not None:
        order = sorted(range(len(found.label)), key=lambda at: -share[at])[:5]
        listed = ", ".join(f"{found.label[at]} {100 * share[at]:.0f} %" for at in order)
        text += f" Shares of the variance: {listed}."
    printer.text(text)
    if report.options.weights is not None:
        printer.text(
            f"Unweighted: {bare_percent(found.unweighted)} %, the estimate for a fictional "
            "population that is mixed as the suite is."
        )


def slice_document(report: SliceReport) -> dict[str, Any]:
    """Return all that is said of slices for JSON."""
    sliced, chosen, found = report.fit, report.options, report.stratified
    table = sliced.table(ci_prob=report.ci_prob)
    worst = sliced.worst_slice()
    weights = chosen.weights
    return {
        "by": list(sliced.by),
        "pooling": sliced.pooling,
        "rows": [
            {
                "slice": label,
                "tasks": int(table.n_tasks[at]),
                "rollouts": int(table.n_rollouts[at]),
                "passes": int(table.passes[at]),
                "errored": int(table.errored[at]),
                "raw_rate": float(table.raw_rate[at]),
                "wilson": table.wilson[at].tolist(),
                "bootstrap": table.bootstrap[at].tolist(),
                "mean": float(table.mean[at]),
                "lower": float(table.interval[at, 0]),
                "upper": float(table.interval[at, 1]),
                "small": bool(table.small[at]),
            }
            for at, label in enumerate(table.label)
        ],
        "worst": {**_numbers(worst.posterior, report), "prob_worst": dict(worst.prob_worst)},
        "weights": None
        if weights is None
        else {
            "share": dict(weights.share),
            "count": None if weights.count is None else dict(weights.count),
            "unsupported": dict(weights.align(sliced.labels).unsupported),
        },
        "estimates": [
            {"quantity": row.kind, "k": row.k, "population": population, **ends}
            for row in report.weighted
            for population, each in row.answers.items()
            for ends in [
                {"unknown": each.reason}
                if isinstance(each, Unknown)
                else {
                    **_numbers(each[0], report),
                    "if_unsupported_pass": None
                    if each[0] is each[1]
                    else _numbers(each[1], report),
                }
            ]
        ],
        "lost": None
        if report.weighted[0].lost is None
        else [
            {
                "quantity": row.kind,
                "k": row.k,
                "if_failed": _numbers(row.lost[0], report),
                "if_passed": _numbers(row.lost[1], report),
            }
            for row in report.weighted
            if row.lost is not None
        ],
        "stratified": found
        if isinstance(found, Unknown)
        else {
            "estimate": found.estimate,
            "se": found.se,
            "interval": found.interval
            if isinstance(found.interval, Unknown)
            else [found.interval.lower, found.interval.upper],
            "unweighted": found.unweighted,
            "n_eff": found.n_eff,
            "variance_share": None
            if found.variance_share is None
            else dict(zip(found.label, found.variance_share.tolist(), strict=True)),
        },
        "next_tasks": None
        if chosen.next_tasks is None
        else sliced.next_tasks(chosen.next_tasks, weights=weights),
        "checks": [
            {"name": row.name, "value": row.value, "limit": row.limit, "passed": row.passed}
            for row in sliced.checks.rows
        ],
    }


def _numbers(posterior: Posterior, report: SliceReport) -> dict[str, Any]:
    lower, upper = posterior.eti(report.ci_prob)
    return {
        "engine": posterior.engine,
        "mean": posterior.mean,
        "sd": posterior.sd,
        "lower": lower,
        "upper": upper,
        "ci_prob": report.ci_prob,
        "ci_kind": "eti",
        "mcse_mean": posterior.mcse_mean,
        "extrapolated": posterior.extrapolated,
        "threshold": report.above,
        "prob_above": None if report.above is None else posterior.prob_above(report.above),
    }


def flakiest(exact: Fit, ci_prob: float) -> FlakyTable | None:
    """The tasks that pass sometimes and never reliably; None of single rollouts."""
    return None if exact.max_trials < 2 else exact.flaky_tasks(top=MOST_FLAKY, ci_prob=ci_prob)


def print_flaky(table: FlakyTable, printer: Printer) -> None:
    """Print the flakiest tasks."""
    k, ci_prob = table.k, table.ci_prob
    printer.table(
        f"Flakiest tasks: pass@{k} minus pass^{k}, per cent",
        ["task", "passed", f"mean ({level(ci_prob)} CrI)"],
        [
            (
                str(task),
                f"{table.passes[at]} of {table.trials[at]}",
                f"{bare_percent(float(table.mean[at]))} "
                f"({_range((table.lower[at], table.upper[at]))})",
            )
            for at, task in enumerate(table.task.tolist())
        ],
        notes=[f"Probability that {k} attempts at the task neither all fail nor all pass."],
    )


def flaky_document(table: FlakyTable) -> list[dict[str, Any]]:
    """Return the flakiest tasks for JSON."""
    return [
        {
            "task": task,
            "passes": int(table.passes[at]),
            "trials": int(table.trials[at]),
            "k": table.k,
            "mean": float(table.mean[at]),
            "lower": float(table.lower[at]),
            "upper": float(table.upper[at]),
        }
        for at, task in enumerate(table.task.tolist())
    ]


def leak_report(rollouts: Rollouts, chosen: SliceOptions, options: Options) -> Contamination | None:
    """Fit leaked and clean tasks apart, where a factor marks them."""
    if chosen.leaked is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CheckWarning)
        factor, marked = chosen.leaked_marks(rollouts)
        return contamination(rollouts, leaked=factor, level=marked, prior=options.prior)


def print_leak(found: Contamination, ks: tuple[int, ...], ci_prob: float, printer: Printer) -> None:
    """Print answers for all and for clean tasks, and the inflation."""
    rows = []
    for kind, k, label in _leak_rows(ks):
        gap = found.inflation(kind, k)
        rows.append(
            (
                label,
                _cell((found.answer("all", kind, k),) * 2, ci_prob),
                _cell((found.answer("clean", kind, k),) * 2, ci_prob),
                f"{100 * gap.mean:+.1f} "
                f"({format_value(tuple(gap.eti(ci_prob)), 'points').removesuffix(' points')})",  # type: ignore[arg-type]
            )
        )
    printer.table(
        f"Leaked tasks: {found.leaked.cells.n_tasks:,} of {found.sliced.n_tasks:,}; new tasks, "
        "per cent",
        ["", "all", "clean", "inflation, points"],
        rows,
        notes=["Inflation: what the leaked tasks add to the answer for all tasks."],
    )


def leak_document(found: Contamination, ks: tuple[int, ...], ci_prob: float) -> dict[str, Any]:
    """Return the answers for all and for clean tasks for JSON."""

    def numbers(posterior: Posterior) -> dict[str, Any]:
        lower, upper = posterior.eti(ci_prob)
        return {"mean": posterior.mean, "lower": lower, "upper": upper, "ci_prob": ci_prob}

    return {
        "leaked_tasks": found.leaked.cells.n_tasks,
        "tasks": found.sliced.n_tasks,
        "rows": [
            {
                "quantity": kind,
                "k": k,
                "all": numbers(found.answer("all", kind, k)),
                "clean": numbers(found.answer("clean", kind, k)),
                "inflation": numbers(found.inflation(kind, k)),
            }
            for kind, k, _ in _leak_rows(ks)
        ],
    }


def _leak_rows(ks: tuple[int, ...]) -> list[tuple[Kind, int, str]]:
    rows: list[tuple[Kind, int, str]] = [("pass_rate", 1, "pass rate")]
    rows += [("pass_at_k", k, f"pass@{k}") for k in ks if k > 1]
    rows += [("pass_hat_k", k, f"pass^{k}") for k in ks if k > 1]
    return rows


def _cell(answer: tuple[Posterior, Posterior] | Unknown, ci_prob: float) -> str:
    if isinstance(answer, Unknown):
        return "UNKNOWN"
    low, high = answer
    if low is high:
        return f"{bare_percent(low.mean)} ({bare_range(low.eti(ci_prob))})"
    ends = Interval(low.eti(ci_prob).lower, high.eti(ci_prob).upper, ci_prob, "bounds")
    return f"{bare_percent(low.mean)} to {bare_percent(high.mean)} ({bare_range(ends)})"


def _chance(answer: tuple[Posterior, Posterior] | Unknown, above: float) -> str:
    if isinstance(answer, Unknown):
        return "UNKNOWN"
    low, high = (format_probability(each.prob_above(above)) for each in answer)
    return low if answer[0] is answer[1] else f"{low} to {high}"


def _range(limits: Any) -> str:
    low, high = float(limits[0]), float(limits[1])
    if low != low:
        return "UNKNOWN"
    return format_value((low, high), "percent").removesuffix(" %")
