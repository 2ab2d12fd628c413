"""Samples and results of lm-eval, of our own: metrics, filters, runs in one file, broken lines."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io._totals import Totals, TotalsOnly
from tests.io.fuzzing import damaged_bytes, mutated_json, read, reads_or_refuses

Write = Callable[..., Path]
STAMP = "2026-01-21T03-44-18.458309"


def line(doc_id: int | str, **fields: Any) -> dict[str, Any]:
    """Return a line as present releases write it; metrics by name."""
    usual = {
        "doc_id": doc_id,
        "doc": {"question": f"q {doc_id}", "subject": "law"},
        "target": "A",
        "arguments": {"gen_args_0": {"arg_0": "prompt"}},
        "resps": [["A"]],
        "filtered_resps": ["A"],
        "filter": "none",
        "doc_hash": f"hash {doc_id}",
        "prompt_hash": "p",
        "target_hash": "t",
    }
    metrics = {name: value for name, value in fields.items() if name not in usual}
    return usual | {"metrics": list(metrics)} | fields


def old(doc_id: int, **fields: Any) -> dict[str, Any]:
    """Return a line as releases without `filter` and `metrics` wrote it."""
    new = line(doc_id, **fields)
    return {name: value for name, value in new.items() if name not in ("filter", "metrics")}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(*lines: Any, name: str = "some.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
        return path

    return to_file


@pytest.mark.parametrize("make", [line, old])
def test_samples(write: Write, make: Callable[..., Any]) -> None:
    values = [1.0, 0.0, True, False, 1, 0, math.nan, None, "1.0", "0.0"]
    rollouts = be.read(write(*(make(at, acc=value) for at, value in enumerate(values))))
    assert rollouts.task.tolist() == list(range(10))
    assert rollouts.passes.tolist() == [1, 0, 1, 0, 1, 0, 0, 0, 1, 0]
    assert rollouts.ledger.missing == 2
    assert rollouts.factors["subject"].tolist() == ["law"] * 10
    assert any("tell docs apart" in n and "'question'" in n for n in rollouts.ledger.notes)


def test_partial_credit(write: Write) -> None:
    path = write(*(line(at, f1=value) for at, value in enumerate((1.0, 0.4, 0.0))))
    assert any("1 score between 0 and 1" in note for note in be.read(path).ledger.notes)
    assert read(path, pass_if=lambda score: score >= 0.3).ledger.passed == 2


def test_several_metrics(write: Write) -> None:
    path = write(line(0, acc=1, acc_norm=0, bleu=["a", "b"]), line(1, acc=0, acc_norm=0, bleu=[]))
    with pytest.raises(be.InputError, match=r"2 metrics; choose one with metric= .*'acc', 'acc_n"):
        be.read(path)
    assert read(path, metric="acc").ledger.passed == 1
    with pytest.raises(be.FormatError, match="the metric 'bleu' is a list for each doc"):
        read(path, metric="bleu")
    with pytest.raises(be.FormatError, match="the metric 'ppl' is a list for each doc"):
        be.read(write(line(0, ppl=[-3.2, 5])))


def test_undeclared_keys_are_no_metrics(write: Write) -> None:
    assert be.read(write(line(0, acc=1, metrics=["acc"], seed=7))).ledger.passed == 1
    assert be.read(write(old(0, acc=1, model_answer="A"))).ledger.passed == 1


def test_filters_are_no_rollouts(write: Write) -> None:
    path = write(
        *(line(at, filter="strict-match", exact_match=0) for at in range(3)),
        *(line(at, filter="flexible-extract", exact_match=1) for at in range(3)),
    )
    with pytest.raises(be.InputError, match="'strict-match', 'flexible-extract'"):
        be.read(path)
    rollouts = read(path, filter="flexible-extract")
    assert (rollouts.n_tasks, rollouts.ledger.passed, rollouts.max_trials) == (3, 3, 1)
    assert "of 6 lines, 3 are of other filters" in rollouts.ledger.notes
    with pytest.raises(be.InputError, match=r"filter = 'strict'.*'strict-match'"):
        read(path, filter="strict")
    with pytest.raises(be.InputError, match="it holds no filters at all"):
        read(write(old(0, acc=1)), filter="strict-match")


def test_runs_in_one_file_are_rollouts_by_order(write: Write) -> None:
    rollouts = be.read(write(*(line(at, acc=run % 2) for run in range(3) for at in (0, 1))))
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 1], [3, 3])
    assert any("a doc_id stands up to 3 times" in note for note in rollouts.ledger.notes)


def test_joined_files_of_several_tasks_are_refused(write: Write) -> None:
    path = write(line(0, acc=1), line(1, acc=1), line(0, acc=1, doc_hash="other"))
    with pytest.raises(be.InputError, match=r"doc_id 0 .* two different docs, at line 1 and"):
        be.read(path)


def test_empty_responses_and_repeats_are_told(write: Write) -> None:
    path = write(line(0, acc=0, resps=[[""]]), line(1, acc=1, resps=[["a", "b", "c"]]))
    notes = be.read(path).ledger.notes
    assert any(note.startswith("1 response empty") for note in notes)
    assert any("up to 3 responses each" in note for note in notes)


def test_wrong_polarity(write: Write) -> None:
    path = write(line(0, brier_score=0.1), line(1, brier_score=0.9))
    with pytest.raises(be.InputError, match="'brier_score' has the wrong polarity"):
        be.read(path)
    assert read(path, pass_if=lambda score: score <= 0.2).ledger.passed == 1


def results(**fields: Any) -> dict[str, Any]:
    return {
        "results": {"law": {"alias": "law", "acc,none": 0.5, "acc_stderr,none": "N/A"}},
        "versions": {"law": 1.0},
        "n-shot": {"law": 0},
        "n-samples": {"law": {"original": 4, "effective": 2}},
    } | fields


def test_the_results_file_of_the_same_run_is_heeded(write: Write) -> None:
    path = write(line(0, loss_like=1), name=f"samples_law_exam_{STAMP}.jsonl")
    rollouts = be.read(path)
    assert rollouts.factors["suite"].tolist() == ["law_exam"]
    assert "system" not in rollouts.factors
    beside = results(model_name="gpt", higher_is_better={"law_exam": {"loss_like": False}})
    write(beside, name=f"results_{STAMP}.json")
    with pytest.raises(be.InputError, match="'loss_like' has the wrong polarity"):
        be.read(path)
    assert read(path, pass_if=bool).factors["system"].tolist() == ["gpt"]
    for broken in ("{", "[]", json.dumps(results(higher_is_better={"law_exam": 7}, model_name=3))):
        (path.parent / f"results_{STAMP}.json").write_text(broken, encoding="utf-8")
        assert be.read(path).ledger.passed == 1


def test_values_above_one_are_told(write: Write) -> None:
    notes = be.read(write(line(0, rouge=45.5), line(1, rouge=0))).ledger.notes
    assert any("values of 'rouge' reach 45.5" in note for note in notes)


def test_lists_of_records(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps([old(0, acc=1.0), old(1, acc=0.0)], indent=2), encoding="utf-8")
    assert be.read(path).passes.tolist() == [1, 0]
    first = {"doc_id": 0, "prompt_0": "p", "logit_0": "-1.5", "truth": "1", "acc": "1.0"}
    path.write_text(json.dumps([first, first | {"doc_id": 1, "acc": "0.0"}]), encoding="utf-8")
    assert be.read(path).passes.tolist() == [1, 0]


def test_pretty_printed_records_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(line(0, acc=1), indent=1), encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"line 1: .*saved anew as pretty-printed JSON"):
        be.read(path)


def test_broken_lines(write: Write) -> None:
    path = write(line(0, acc=1), line(1, acc=0))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"doc_id": 2, "acc": \n' + json.dumps(line(3, acc=1)))
    with pytest.raises(be.FormatError, match="line 3: not valid JSON") as refused:
        be.read(path)
    assert "pretty-printed" not in str(refused.value)
    rollouts = read(path, skip_bad_records=True)
    assert rollouts.task.tolist() == [0, 1, 3]
    assert any("1 record that could not be read" in note for note in rollouts.ledger.notes)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (line(1.5, acc=1), r"line 2: doc_id is 1\.5; it must be"),  # type: ignore[arg-type]
        (line(True, acc=1), "line 2: doc_id is True"),
        (line(1, acc=1, filter=3), "line 2: filter is 3; it must be a text"),
        (7, "line 2"),
    ],
)
def test_wrong_fields(write: Write, record: Any, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write(line(0, acc=1), record))


def test_options_of_other_formats(write: Write) -> None:
    with pytest.raises(be.InputError, match="no scorers; choose with metric= and filter="):
        read(write(line(0, acc=1)), scorer="match")


def test_results_are_totals_only(write: Write) -> None:
    numbers = {
        "group": {"acc,none": 0.5},
        "law": {
            "alias": "law",
            "acc,none": 0.75,
            "acc_stderr,none": 0.1,
            "f1,strict": 0.61,
            "word_perplexity,none": 0.9,
            "error,none": 0.2,
            "bits": 7.5,
            "nan,none": math.nan,
        },
        "uncounted": {"acc,none": 0.5},
    }
    path = write(
        results(
            results=numbers,
            group_subtasks={"group": ["law"], "law": []},
            higher_is_better={"law": {"error": False}, "group": {}},
            **{"n-samples": {"law": {"original": 9, "effective": 4}, "group": 4}},
        )
    )
    with pytest.raises(TotalsOnly, match="without the outcome of single docs") as refused:
        be.read(path)
    assert refused.value.totals == (
        Totals("law/acc", 3, 4, 0.75),
        Totals("law/f1,strict", None, 4, 0.61),
    )


NEAR = [
    line(0, acc=1, acc_norm=0.5),
    line(1, acc=0, filter="other", resps=[[""], ["a"]]),
    old(0, acc=math.nan),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=100),
        mutated_json(NEAR),
        mutated_json(NEAR).map(
            lambda changed: b"\n".join(json.dumps(each).encode() for each in json.loads(changed))
        ),
        mutated_json(results()),
        damaged_bytes("\n".join(map(json.dumps, NEAR)).encode()),
    )
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "samples", content, "lm-eval")
    chosen = {"metric": "acc", "filter": "none", "skip_bad_records": True}
    reads_or_refuses(tmp_path / "samples", content, "lm-eval", **chosen)
