"""The results file of lm-evaluation-harness: one rate for each task and metric, no rollouts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bayeseval.errors import FormatError
from bayeseval.io._fields import version_text
from bayeseval.io._format import Source
from bayeseval.io._json import decode
from bayeseval.io._totals import Totals, TotalsOnly

__all__ = ["LOWER_IS_BETTER", "Run", "detect_totals", "refuse_totals", "run_beside"]

# Metrics of the harness whose larger values are worse, where no file says so.
LOWER_IS_BETTER = {
    *("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "ppl", "loss", "nll"),
    *("brier_score", "ter", "wer", "cer", "mae", "mse", "rmse", "ece"),
}
MOST_BYTES = 1 << 26
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<stamp>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl?", re.DOTALL)

_Numbers = dict[str, Any]


class _Results(msgspec.Struct):
    results: dict[str, _Numbers]
    n_samples: dict[str, Any] | None = msgspec.field(name="n-samples", default=None)
    higher_is_better: dict[str, Any] | None = None
    groups: dict[str, Any] | None = None
    group_subtasks: dict[str, Any] | None = None
    model_name: Any = None
    versions: Any = None
    lm_eval_version: Any = None
    git_hash: Any = None

    def version(self, task: str | None = None) -> str | None:
        of_task = self.versions.get(task) if isinstance(self.versions, dict) else None
        return version_text(
            ("lm_eval", self.lm_eval_version), ("git", self.git_hash), ("task version", of_task)
        )


class Run(msgspec.Struct, frozen=True):
    """What the results file of the same run says about a file of samples.

    Parameters
    ----------
    task : str
        The task set that the samples belong to.
    model : str or None
        The model.
    lower_is_better : frozenset of str
        Metrics of the task set whose larger values are worse.
    version : str or None
        Versions of the harness and of the task set.
    """

    task: str
    model: str | None = None
    lower_is_better: frozenset[str] = frozenset()
    version: str | None = None


def detect_totals(source: Source) -> bool:
    """Whether a file is a results file."""
    record = source.record
    results = record.get("results")
    return (
        isinstance(source.json, dict)
        and isinstance(results, dict)
        and bool(results)
        and all(isinstance(value, dict) for value in results.values())
        and "versions" in record
        and bool({"config", "configs", "n-shot", "n-samples"} & record.keys())
    )


def refuse_totals(source: Source) -> FormatError:
    """Return the error for a results file, with the totals it holds."""
    found = decode(source.content(), _Results)
    return TotalsOnly(
        "a results file of lm-eval: one rate for each task and metric, without the outcome of "
        "single docs; read the samples_*.jsonl that lm-eval writes with --log_samples",
        tuple(_totals(found)),
        found.version(),
    )


def run_beside(path: Path) -> Run | None:
    """Return what the results file beside a file of samples says; None for any other name."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    task = match["task"]
    beside = path.with_name(f"results_{match['stamp']}.json")
    try:
        if beside.stat().st_size > MOST_BYTES:
            return Run(task)
        found = decode(beside.read_bytes(), _Results)
    except (OSError, FormatError):
        return Run(task)
    model = found.model_name if isinstance(found.model_name, str) else None
    polarity = (found.higher_is_better or {}).get(task)
    lower = polarity.items() if isinstance(polarity, dict) else ()
    worse = frozenset(metric for metric, higher in lower if higher is False)
    return Run(task, model, worse, found.version(task))


def _totals(found: _Results) -> Iterator[Totals]:
    subtasks = found.group_subtasks or {}
    for task, numbers in found.results.items():
        # A group repeats its subtasks, so it is no further total.
        if task in (found.groups or {}) or subtasks.get(task):
            continue
        trials = _trials((found.n_samples or {}).get(task))
        polarity = (found.higher_is_better or {}).get(task)
        for key, rate in numbers.items():
            metric, _, chosen = key.partition(",")
            if trials is None or type(rate) not in (int, float) or not 0 <= rate <= 1:
                continue
            lower = polarity.get(metric) is False if isinstance(polarity, dict) else False
            if lower or metric in LOWER_IS_BETTER or metric.endswith("_stderr"):
                continue
            name = metric if chosen in ("", "none") else key
            yield Totals(f"{task}/{name}", _passes(rate, trials), trials, float(rate))


def _trials(number: Any) -> int | None:
    if isinstance(number, dict):
        number = number.get("effective", number.get("original"))
    return number if type(number) is int and number > 0 else None


def _passes(rate: float, trials: int) -> int | None:
    passes = round(rate * trials)
    return passes if abs(rate * trials - passes) <= 1e-6 * trials else None
