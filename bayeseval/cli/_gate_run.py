"""What ``bayeseval gate`` does: settings, verdicts, and what is written of them."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

from bayeseval import __version__
from bayeseval._atomic import as_output_path, atomic_path
from bayeseval._format import format_probability
from bayeseval._validate import nearest_names, one_of
from bayeseval.claims import Claim, Verdict, evaluate, parse_claim
from bayeseval.claims._verdict import Outcome, Rule, as_confidence
from bayeseval.cli._reading import Reading
from bayeseval.cli._tables import Printer, print_json
from bayeseval.errors import BayesevalWarning, CheckWarning, InputError
from bayeseval.hierarchical import Fit, fit_suite
from bayeseval.rollouts import Rollouts
from bayeseval.slices import fit

__all__ = ["Settings", "run"]

CONFIG = "bayeseval.toml"
STATUS: dict[Outcome, int] = {"supported": 0, "contradicted": 1, "inconclusive": 3}
_KEYS = ("files", "claims", "confidence", "rule", "on_inconclusive", "by", "baseline")
OnInconclusive = Literal["fail", "warn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the gate was told, by its options or by a file of settings.

    Parameters
    ----------
    files : list of str
        Result files.
    claims : tuple of Claim
        What must hold.
    confidence : float
        Probability that a verdict needs.
    rule : {"posterior", "lower-bound"}
        What is held against it.
    on_inconclusive : {"fail", "warn"}
        Whether an inconclusive gate fails.
    by : tuple of str
        Factors of the slices; none if empty.
    baseline : list of str
        Files of the baseline; none if empty.
    junit : str or None
        File to write.
    """

    files: list[str]
    claims: tuple[Claim, ...]
    confidence: float
    rule: Rule
    on_inconclusive: OnInconclusive
    by: tuple[str, ...]
    baseline: list[str]
    junit: str | None

    @classmethod
    def of(
        cls,
        *,
        files: list[str] | None,
        claims: list[str] | None,
        confidence: str | None,
        rule: str | None,
        on_inconclusive: str | None,
        by: str | None,
        baseline: list[str] | None,
        config: str | None,
        junit: str | None,
    ) -> Settings:
        """Check the options, and fill in what the file of settings says."""
        told = _config(config)
        given: dict[str, Any] = {
            "files": files or None,
            "claims": claims or None,
            "confidence": confidence,
            "rule": rule,
            "on_inconclusive": on_inconclusive,
            "by": None if by is None else by.split(","),
            "baseline": baseline or None,
        }
        chosen = told | {name: value for name, value in given.items() if value is not None}
        if not chosen.get("files"):
            raise InputError(f"gate needs a result file, or files = [...] in {CONFIG}")
        if not chosen.get("claims"):
            raise InputError(
                f"gate needs a claim: --claim 'pass_rate > 0.95', or claims = [...] in {CONFIG}"
            )
        parsed = tuple(parse_claim(text) for text in chosen["claims"])
        slices = tuple(name.strip() for name in chosen.get("by", []))
        if any(each.needs_slices for each in parsed) and not slices:
            raise InputError("worst_slice needs --by FACTOR, which says what the slices are")
        if any(each.needs_baseline for each in parsed) and not chosen.get("baseline"):
            raise InputError("a claim about [baseline] needs --baseline FILE")
        rule_name = chosen.get("rule", "posterior")
        one_of(rule_name, Rule, "--rule")
        one_of(chosen.get("on_inconclusive", "fail"), OnInconclusive, "--on-inconclusive")
        if junit is not None:
            as_output_path(junit, suffixes=(".xml",))
        return cls(
            files=list(chosen["files"]),
            claims=parsed,
            confidence=as_confidence(chosen.get("confidence", 0.95)),
            rule=rule_name,
            on_inconclusive=chosen.get("on_inconclusive", "fail"),
            by=slices,
            baseline=list(chosen.get("baseline", [])),
            junit=junit,
        )


def _config(name: str | None) -> dict[str, Any]:
    """Read the table [gate] of a file of settings."""
    path = Path(CONFIG if name is None else name)
    if name is None and not path.is_file():
        return {}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: cannot be read as TOML: {error}") from None
    table = document.get("gate")
    if not isinstance(table, dict):
        raise InputError(f"{path}: the settings of the gate stand in a table [gate]")
    for key, value in table.items():
        if key not in _KEYS:
            hint = nearest_names(key, _KEYS)
            raise InputError(f"{path}: [gate] has no setting {key!r}{hint}")
        if key in ("files", "claims", "by", "baseline"):
            listed = [value] if isinstance(value, str) else value
            if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
                raise InputError(f"{path}: {key} must be a text or a list of texts; got {value!r}")
            table[key] = listed
        elif key != "confidence" and not isinstance(value, str):
            raise InputError(f"{path}: {key} must be a text; got {value!r}")
    return table


def run(
    reading: Callable[[list[str]], Reading],
    settings: Settings,
    *,
    explain: bool = False,
    json: bool = False,
) -> int:
    """Judge the claims, print and write the verdicts; returns the exit status."""
    found = reading(settings.files).find()
    rollouts = found.rollouts
    baseline = None
    if settings.baseline:
        baseline = _exact(reading(settings.baseline).find().rollouts)
    fitted = _exact(rollouts)
    if settings.by:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CheckWarning)
            sliced = fit(rollouts, by=settings.by, pooling="none")
    verdicts = [
        evaluate(
            claim,
            sliced if claim.needs_slices else fitted,
            confidence=settings.confidence,
            rule=settings.rule,
            baseline=baseline,
        )
        for claim in settings.claims
    ]
    outcome = _together(verdicts)
    status = STATUS[outcome]
    if outcome == "inconclusive" and settings.on_inconclusive == "warn":
        status = 0
        warnings.warn("the gate is inconclusive: it passes on request", BayesevalWarning, 1)
    printer = Printer(silent=json)
    _print(rollouts, verdicts, outcome, printer)
    risks = None
    if explain:
        # Loads the engine of many suites, which a gate does without.
        from bayeseval.cli import _gate_explain

        printer.flush()
        rows = _gate_explain.explain(
            settings.claims, fitted, confidence=settings.confidence, rule=settings.rule
        )
        _gate_explain.print_explained(rows, printer)
        risks = _gate_explain.document(rows)
    if settings.junit is not None:
        with atomic_path(settings.junit) as temporary:
            _write_junit(verdicts, settings, temporary)
        printer.text(f"JUnit: {settings.junit}")
    _append_summary(rollouts, verdicts, outcome)
    if json:
        print_json(
            {
                "schema": "bayeseval.gate/1",
                "version": __version__,
                "source": rollouts.source,
                "formats": sorted({each.format.name for each in found.files}),
                "baseline": settings.baseline or None,
                "verdict": outcome,
                "exit_status": status,
                "ledger": _ledger(rollouts),
                "explain": risks,
                "claims": [verdict.document() for verdict in verdicts],
            }
        )
    return status


def _exact(rollouts: Rollouts) -> Fit:
    with warnings.catch_warnings():
        # A failed check makes the verdict inconclusive, and is named there.
        warnings.simplefilter("ignore", CheckWarning)
        return fit_suite(rollouts, engine="exact")


def _together(verdicts: list[Verdict]) -> Outcome:
    """The verdict over all claims: one that is contradicted decides."""
    found = {verdict.outcome for verdict in verdicts}
    for outcome in ("contradicted", "inconclusive"):
        if outcome in found:
            return outcome
    return "supported"


def _print(rollouts: Rollouts, verdicts: list[Verdict], outcome: Outcome, printer: Printer) -> None:
    printer.text(f"{outcome.upper()}: {rollouts!r}", style="bold")
    need = verdicts[0]
    rule = "" if need.rule == "posterior" else ", by the lower bound"
    printer.table(
        "",
        ["claim", "Pr", "verdict"],
        [
            (str(verdict.claim), format_probability(verdict.prob), verdict.outcome)
            for verdict in verdicts
        ],
        left=(0, 2),
        notes=[f"A verdict needs a probability of {100 * need.confidence:.10g} %{rule}."],
    )
    for verdict in verdicts:
        printer.text()
        printer.text(str(verdict.claim), style="bold")
        for comparison, posterior in zip(
            verdict.claim.comparisons, verdict.posteriors, strict=True
        ):
            printer.text(f"{comparison.quantity}: {posterior.summary_text()}")
        for reason in verdict.reasons:
            printer.text(f"- {reason}.")
        others = [f"{each.name} {format_probability(each.prob)}" for each in verdict.priors]
        if others:
            printer.text(f"Under other priors: {', '.join(others)}.")
        for each in verdict.lost:
            printer.text(f"If {each.name}: Pr = {format_probability(each.prob)}.")


def _write_junit(verdicts: list[Verdict], settings: Settings, path: Path) -> None:
    bad = {
        "failures": sum(verdict.outcome == "contradicted" for verdict in verdicts),
        "errors": 0,
        "skipped": 0,
    }
    doubtful = sum(verdict.outcome == "inconclusive" for verdict in verdicts)
    bad["errors" if settings.on_inconclusive == "fail" else "skipped"] = doubtful
    suite = ElementTree.Element(
        "testsuite",
        {"name": "bayeseval gate", "tests": str(len(verdicts))}
        | {name: str(number) for name, number in bad.items()},
    )
    for verdict in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": "bayeseval.gate", "name": str(verdict.claim)}
        )
        if verdict.outcome == "supported":
            ElementTree.SubElement(case, "system-out").text = str(verdict)
            continue
        tag = "failure"
        if verdict.outcome == "inconclusive":
            tag = "error" if settings.on_inconclusive == "fail" else "skipped"
        child = ElementTree.SubElement(case, tag, {"message": verdict.outcome})
        child.text = str(verdict)
    ElementTree.indent(suite)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _append_summary(rollouts: Rollouts, verdicts: list[Verdict], outcome: Outcome) -> None:
    """Append Markdown to the step summary of GitHub Actions, where there is one."""
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    rows = "".join(
        f"| `{_cell(str(verdict.claim))}` | {format_probability(verdict.prob)} "
        f"| {verdict.outcome} | {_cell('; '.join(verdict.reasons))} |\n"
        for verdict in verdicts
    )
    text = (
        f"### bayeseval gate: {outcome}\n\n{_cell(repr(rollouts))}\n\n"
        f"| claim | Pr | verdict | why |\n|---|---|---|---|\n{rows}\n"
        f"A verdict needs a probability of {100 * verdicts[0].confidence:.10g} %.\n"
    )
    try:
        with open(name, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"GITHUB_STEP_SUMMARY: {name}: {error}") from None


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _ledger(rollouts: Rollouts) -> dict[str, Any]:
    ledger = rollouts.ledger
    return {
        "tasks": rollouts.n_tasks,
        "passed": ledger.passed,
        "failed": ledger.failed,
        "errored": ledger.errored,
        "missing": ledger.missing,
        "duplicates": ledger.duplicates,
        "notes": list(ledger.notes),
    }
