"""EvalPlus results: both schemas, base and plus."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from tests.io.reading import check_any_bytes, encoded, mutated, write_json


def sample(base: Any, plus: Any) -> dict[str, Any]:
    return {"solution": "pass", "base_status": base, "plus_status": plus, "base_fail_tests": []}


NEW = {
    "date": "2024-05-10 20:16",
    "eval": {
        "Mbpp/2": [sample("pass", "pass"), sample("pass", "fail")],
        "Mbpp/3": [sample("fail", "pass"), sample("timeout", "timeout")],
    },
}
OLD = {
    "date": "2023-10-17 15:24",
    "eval": {
        "Mbpp/2": {
            "nfiles": 2,
            "base": [["success", [True]], ["success", []]],
            "plus": [["success", None], ["failed", [False]]],
        },
        "Mbpp/3": {
            "nfiles": 2,
            "base": [["failed", []], ["timed out", []]],
            "plus": [["success", []], ["timed out", []]],
        },
    },
}


def read(tmp_path: Path, document: Any, **options: Any) -> be.Rollouts:
    return be.read(write_json(tmp_path / "any", document), **options)


@pytest.mark.parametrize("document", [NEW, OLD])
@pytest.mark.parametrize(("metric", "passes"), [("base", [2, 0]), ("plus", [1, 0]), (None, [1, 0])])
def test_base_and_plus(
    tmp_path: Path, document: Any, metric: str | None, passes: list[int]
) -> None:
    rollouts = read(tmp_path, document, metric=metric)
    assert rollouts.task.tolist() == ["Mbpp/2", "Mbpp/3"]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == (passes, [2, 2])
    notes = "\n".join(rollouts.ledger.notes)
    assert f"outcome read: metric {metric or 'plus'} (" in notes
    assert (", the default" in notes) == (metric is None)
    other = "2 of 4 passed, 50.0 %" if metric != "base" else "1 of 4 passed, 25.0 %"
    assert other in notes
    assert "1 sample timed out: failures" in notes


def test_unknown_metric(tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match=r"'pluss'.*did you mean 'plus'.*'base', 'plus'"):
        read(tmp_path, NEW, metric="pluss")


def test_base_only(tmp_path: Path) -> None:
    new = {"eval": {"a": [sample("pass", None)], "b": [sample("fail", None)]}}
    old = {"eval": {"a": {"base": [["success", []]], "plus": []}, "b": {"base": [["failed", 0]]}}}
    for document in (new, old):
        rollouts = read(tmp_path, document)
        assert rollouts.passes.tolist() == [1, 0]
        assert rollouts.ledger.notes == (
            "outcome read: metric base (the tests of the original benchmark pass)",
        )
        with pytest.raises(be.InputError, match=r"'plus' .* is not in the file; it holds: 'base'"):
            read(tmp_path, document, metric="plus")


def test_a_status_that_is_missing(tmp_path: Path) -> None:
    samples = [sample("pass", None), sample("fail", None), sample(None, "pass")]
    ledger = read(tmp_path, {"eval": {"a": samples, "b": [sample("pass", "pass")]}}).ledger
    # A failed base test decides; a base test that passes does not.
    assert (ledger.passed, ledger.failed, ledger.missing) == (1, 1, 2)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"eval": {"a": [sample("passed", "pass")]}}, "task 'a', sample 1: the status is 'passed'"),
        ({"eval": {"a": [sample(1, "pass")]}}, r"\$\.eval\[\.\.\.\]\[0\]\.base_status"),
        ({"eval": {"a": {"base": [["success"]]}}}, "length 2"),
        ({"eval": {}}, "holds no rollouts"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        read(tmp_path, document, format="evalplus")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(mutated(NEW).map(encoded), mutated(OLD).map(encoded), st.binary(max_size=100))
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    check_any_bytes(tmp_path / "any", content, "evalplus")
    check_any_bytes(tmp_path / "any", content, None)
