"""``bayeseval gate``: claims about results as a pass or a fail for CI.

The document that ``--json`` prints (``"schema": "bayeseval.gate/1"``):

``schema, version``
    Which document this is, and which bayeseval wrote it.
``source, formats, baseline``
    The files, the formats that they were read as, and the files of the baseline or null.
``verdict, exit_status``
    ``supported``, ``contradicted`` or ``inconclusive`` over all claims; 0, 1 or 3.
``ledger``
    ``tasks``, ``passed``, ``failed``, ``errored``, ``missing``, ``duplicates`` and ``notes``.
``explain``
    With ``--explain``, one for each comparison: ``claim``, ``assumed`` and
    ``characteristics``, the fields of `OperatingCharacteristics`; null otherwise.
``claims``
    One for each claim: ``claim``, ``verdict``, ``prob``, ``prob_not``, ``mcse``, ``confidence``,
    ``rule``, ``reasons``, ``comparisons`` (``claim``, ``quantity``, ``population``,
    ``operator``, ``bar``, ``engine``, ``mean``, ``lower``, ``upper``, ``ci_prob``, ``ci_kind``,
    ``prob``, ``extrapolated``, ``n_tasks``), and ``lost`` and ``priors`` (``name``, ``prob``,
    ``verdict``).

Numbers are not rounded.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bayeseval.cli._rate import JsonOption
from bayeseval.cli._reading import Read, with_reading

__all__ = ["gate"]


@with_reading
def gate(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...]",
            help="Result files; by default those that bayeseval.toml names.",
            show_default=False,
        ),
    ] = None,
    claim: Annotated[
        list[str] | None,
        typer.Option(
            "--claim",
            metavar="CLAIM",
            help="Such as 'pass^3 > 0.8', 'pass_rate\\[slice=dates] > 0.7 for suite', "
            "'worst_slice pass_rate > 0.6' or 'pass_rate - pass_rate\\[baseline] > -0.02'. May be "
            "given several times; by default those of bayeseval.toml.",
        ),
    ] = None,
    confidence: Annotated[
        str | None,
        typer.Option(
            "--confidence", metavar="P", help="Probability that a verdict needs. Default: 0.95."
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            "--rule",
            metavar="posterior|lower-bound",
            help="What must reach it: the probability of the claim (default), or the whole "
            "central interval.",
        ),
    ] = None,
    on_inconclusive: Annotated[
        str | None,
        typer.Option(
            "--on-inconclusive",
            metavar="fail|warn",
            help="Exit status of an inconclusive gate: 3 (default), or 0 and a warning.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="FACTOR,...", help="Slices, for worst_slice."),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline", metavar="FILE", help="Results that \\[baseline] in a claim stands for."
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="TOML",
            help="Settings of the gate. Default: bayeseval.toml, where it is there.",
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", help="Write the verdicts as JUnit XML: .xml."),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Also print the risk of this gate: how often a suite of this size releases, "
            "holds back, and contradicts itself, over the true rate.",
        ),
    ] = False,
    json: JsonOption = False,
    *,
    reading: Read,
) -> int:
    """Ship or not: exit 0 if every claim is supported, 1 contradicted, 3 inconclusive.

    Deterministic: the exact engine. An inconclusive gate is no pass: more tasks decide it.
    """
    # Loads NumPy, which the help does without.
    from bayeseval.cli import _gate_run

    settings = _gate_run.Settings.of(
        files=files,
        claims=claim,
        confidence=confidence,
        rule=rule,
        on_inconclusive=on_inconclusive,
        by=by,
        baseline=baseline,
        config=config,
        junit=junit,
    )

    return _gate_run.run(reading, settings, explain=explain, json=json)
