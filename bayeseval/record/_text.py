"""A record as a paragraph, and as HTML."""

from __future__ import annotations

import html

from bayeseval._format import format_percent, format_probability, format_value
from bayeseval.record._record import BaselineRow, EstimateRecord, Limits

__all__ = ["fragment", "paragraph"]


def _level(limits: Limits) -> str:
    return f"{100 * limits.ci_prob:.10g} %"


def _range(limits: Limits, unit: str) -> str:
    return format_value((limits.lower, limits.upper), unit)


def _unit(record: EstimateRecord) -> str:
    return "points" if " - " in record.estimand.quantity else "percent"


def first_baseline(record: EstimateRecord) -> BaselineRow | None:
    """The baseline that is quoted first: Wilson on tasks, or the whole-task bootstrap."""
    return next((row for row in record.baselines if row.sound and row.interval is not None), None)


def paragraph(record: EstimateRecord) -> str:
    """One paragraph: baseline, posterior, claim, and what a reader must know."""
    estimate, unit = record.estimate, _unit(record)
    parts = []
    baseline = first_baseline(record)
    size = f"n = {record.n_tasks:,} tasks"
    if baseline is not None and baseline.estimate is not None and baseline.interval is not None:
        name = baseline.name.removesuffix(" on tasks")
        kind = "CI" if name == "Wilson" else f"{name[0].lower()}{name[1:]}"
        word = f"{name} CI" if kind == "CI" else kind
        parts.append(
            f"{format_percent(baseline.estimate)} ({_level(baseline.interval)} {word} "
            f"{_range(baseline.interval, 'percent')}, {size})"
        )
        size = ""
    else:
        size = f", {size}"
    parts.append(
        f"posterior {format_value(estimate.mean, unit)} ({_level(estimate.interval)} CrI "
        f"{_range(estimate.interval, unit)}{size})"
    )
    if record.claim is not None:
        parts.append(
            f"Pr[{record.claim.claim}] = {format_probability(record.claim.prob)}, "
            f"{record.claim.verdict}"
        )
    sentences = [f"{'; '.join(parts)}.", record.estimand.text]
    if record.n_eff is not None:
        sentences.append(f"The weights leave {record.n_eff:.0f} effective tasks.")
    if record.ledger.errored:
        ends = " and ".join(f"{format_percent(row.mean)} if {row.name}" for row in record.lost)
        sentences.append(f"{record.ledger.errored:,} errored rollouts are left out: {ends}.")
    if estimate.extrapolated:
        sentences.append(estimate.note)
    failed = [row.name for row in record.checks if not row.passed]
    if failed:
        sentences.append(f"Checks that failed: {', '.join(failed)}.")
    if record.claim is not None:
        sentences.extend(f"{reason}." for reason in record.claim.reasons)
    return " ".join(sentence for sentence in sentences if sentence)


def fragment(record: EstimateRecord) -> str:
    """An HTML fragment that holds everything."""
    estimate, unit = record.estimate, _unit(record)
    rows: list[tuple[str, str]] = [
        ("Estimand", record.estimand.text),
        ("Quantity", f"{record.estimand.quantity} for {record.estimand.population}"),
        ("Suite", record.estimand.suite),
        ("Sampling unit", f"{record.estimand.sampling_unit}; outcome: {record.estimand.outcome}"),
        ("Size", f"{record.n_tasks:,} tasks, {record.n_rollouts:,} scored rollouts"),
        (
            "Ledger",
            f"{record.ledger.passed:,} passed, {record.ledger.failed:,} failed, "
            f"{record.ledger.errored:,} errored (of these {record.ledger.missing:,} without a "
            f"record), {record.ledger.duplicates:,} duplicates merged",
        ),
        (
            "Estimate",
            f"{format_value(estimate.mean, unit)} ({_level(estimate.interval)} equal-tailed "
            f"credible interval {_range(estimate.interval, unit)})",
        ),
        ("Engine", f"{estimate.engine}; Monte Carlo error {estimate.mcse:.2g}"),
        ("Model", estimate.model),
        ("Prior", estimate.prior),
    ]
    if record.n_eff is not None:
        weights = ", ".join(f"{row.name} {row.weight:.3g}" for row in record.slices)
        rows.append(("Weights", f"{weights}; {record.n_eff:.1f} effective tasks (Kish)"))
    if record.claim is not None:
        claim = record.claim
        reasons = "".join(f" {reason}." for reason in claim.reasons)
        rows.append(
            (
                "Claim",
                f"{claim.verdict.upper()}: Pr[{claim.claim}] = {format_probability(claim.prob)}, "
                f"{100 * claim.confidence:.10g} % needed, rule {claim.rule}.{reasons}",
            )
        )
    for baseline in record.baselines:
        limits = "no interval"
        if baseline.interval is not None:
            limits = f"{_level(baseline.interval)} {_range(baseline.interval, 'percent')}"
        value = "UNKNOWN" if baseline.estimate is None else format_percent(baseline.estimate)
        rows.append((baseline.name, f"{value} ({limits}); {baseline.advice}"))
    for name, judgements in (("If", record.lost), ("Prior:", record.priors)):
        for row in judgements:
            text = f"{format_value(row.mean, unit)} ({format_value((row.lower, row.upper), unit)})"
            if row.prob is not None:
                text += f"; Pr = {format_probability(row.prob)}, {row.verdict}"
            rows.append((f"{name} {row.name}", text))
    for check in record.checks:
        sign = "at most" if check.at_most else "at least"
        value = "none" if check.value is None else f"{check.value:.4g}"
        verdict = "ok" if check.passed else "FAILED"
        rows.append((f"Check {check.name}", f"{value}, {sign} {check.limit:g}: {verdict}"))
    rows.extend(("Note", note) for note in record.notes)
    source = record.provenance
    for file in source.inputs:
        rows.append(("Input", f"{file.name}, {file.size:,} bytes, SHA-256 {file.sha256}"))
    if source.reading:
        told = ", ".join(f"{name} = {value}" for name, value in source.reading.items())
        rows.append(("Read with", told))
    rows.append(("Versions", ", ".join(f"{name} {each}" for name, each in source.versions.items())))
    rows.append(("Seed", str(source.seed)))
    rows.extend(
        (name, text)
        for name, text in (("Command", source.command), ("Time", source.time))
        if text is not None
    )
    cells = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(text)}</td></tr>'
        for name, text in rows
    )
    return f'<table class="estimate-record">{cells}</table>'
