"""The formats that can be read, and which of them a file is."""

from __future__ import annotations

from bayeseval._validate import one_of
from bayeseval.errors import FormatError
from bayeseval.io import (
    deepeval,
    evalplus,
    harbor,
    humaneval,
    inspect_log,
    junit,
    lm_eval,
    multivon,
    openai_evals,
    promptfoo,
    swe_bench,
    table,
    tau2,
    tau_bench,
    terminal_bench,
)
from bayeseval.io._format import WIDE_HEAD_SIZE, Format, Source

__all__ = ["FORMATS", "choose"]

FORMATS: tuple[Format, ...] = (
    inspect_log.FORMAT,
    lm_eval.FORMAT,
    tau_bench.FORMAT,
    tau2.FORMAT,
    swe_bench.FORMAT,
    humaneval.FORMAT,
    evalplus.FORMAT,
    terminal_bench.FORMAT,
    harbor.FORMAT,
    promptfoo.FORMAT,
    multivon.FORMAT,
    deepeval.FORMAT,
    junit.FORMAT,
    openai_evals.FORMAT,
    table.COUNTS,
    table.LONG,
)


def choose(source: Source, name: str | None = None) -> Format:
    """Return the format called `name`, or else the one that claims the source."""
    if name is not None:
        one_of(name, [known.name for known in FORMATS], "format")
        return next(known for known in FORMATS if known.name == name)
    claims = _claims(source)
    # A wider head tells more only where it is the first record that is cut.
    cut = not isinstance(source.json, list) or len(source.json) < 2
    if not claims and source.is_json and not source.complete and cut:
        claims = _claims(Source.open(str(source.path), size=WIDE_HEAD_SIZE))
    if len(claims) == 1:
        return claims[0]
    if claims:
        listed = " or ".join(f"{known.name!r} ({known.title})" for known in claims)
        raise FormatError(f"the file can be read in several ways; say format = {listed}")
    if source.is_folder:
        raise FormatError("a folder without results that could be recognised")
    if source.text is None:
        raise FormatError(
            "the file is neither a known binary format nor UTF-8 text; if it is a table, "
            "save it as UTF-8"
        )
    listed = "; ".join(f"{known.name}: {known.looks_for}" for known in FORMATS)
    raise FormatError(
        f"not recognised as evaluation results: {source.describe()}. Looked for {listed}"
    )


def _claims(source: Source) -> list[Format]:
    claims = [known for known in FORMATS if known.detect(source)]
    special = [known for known in claims if not known.general]
    return special or claims
