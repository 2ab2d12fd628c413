"""The formats that can be read, and which of them a file is."""

from __future__ import annotations

from collections.abc import Sequence

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
    wide,
)
from bayeseval.io._format import WIDE_HEAD_SIZE, Format, Source

__all__ = ["FORMATS", "choose", "claims"]

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
    wide.WIDE,
    wide.SYSTEMS,
)


def choose(source: Source, name: str | None = None) -> Format:
    """Return the format called `name`, or else the one that claims the source."""
    if name is not None:
        return _named(name)
    claimed = claims(source)
    if len(claimed) == 1:
        return claimed[0]
    if claimed:
        listed = " or ".join(f"{known.name!r} ({known.title})" for known in claimed)
        raise FormatError(f"the file can be read in several ways; say format = {listed}")
    if source.is_folder:
        raise FormatError("a folder without results that could be recognised")
    if source.text is None and not source.is_parquet:
        raise FormatError(
            "the file is neither a known binary format nor UTF-8 text; if it is a table, "
            "save it as UTF-8"
        )
    listed = "; ".join(f"{known.name}: {known.looks_for}" for known in FORMATS)
    raise FormatError(
        f"not recognised as evaluation results: {source.describe()}. Looked for {listed}"
    )


def claims(source: Source, name: str | None = None) -> list[Format]:
    """Return the formats that a source may be, of those called `name` if it is given."""
    among = FORMATS if name is None else (_named(name),)
    claimed = _claims(source, among)
    # A wider head tells more only where it is the first record that is cut.
    cut = not isinstance(source.json, list) or len(source.json) < 2
    if not claimed and source.is_json and not source.complete and cut:
        claimed = _claims(Source.open(str(source.path), size=WIDE_HEAD_SIZE), among)
    return claimed


def _named(name: str) -> Format:
    one_of(name, [known.name for known in FORMATS], "format")
    return next(known for known in FORMATS if known.name == name)


def _claims(source: Source, among: Sequence[Format]) -> list[Format]:
    claimed = [known for known in among if known.detect(source)]
    special = [known for known in claimed if not known.general]
    return special or claimed
