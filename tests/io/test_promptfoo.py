"""promptfoo results: systems, repeats, real errors, and near-valid files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from tests.io.fuzzing import Write, damaged_bytes, mutated_json, read, reads_or_refuses


def row(test: int | None, success: Any = True, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "provider": {"id": "openai:gpt-4o", "label": ""},
        "prompt": {"raw": f"Say {test}", "label": "Say {{word}}"},
        "promptIdx": 0,
        "promptId": "p0",
        "vars": {"word": f"w{test}"},
        "testCase": {"description": None, "assert": [{"type": "equals", "value": "x"}]},
        "success": success,
        "score": 1 if success else 0,
        "namedScores": {},
        "failureReason": 0 if success else 1,
    }
    if test is not None:
        made["testIdx"] = test
    return made | fields


def v2_row(word: str, success: bool, **fields: Any) -> dict[str, Any]:
    return {
        "provider": {"id": "openai:gpt-4o"},
        "prompt": {"raw": "Say it", "display": "Say {{word}}"},
        "vars": {"word": word, "_conversation": []},
        "success": success,
        "score": 1 if success else 0,
    } | fields


def results(rows: list[Any], version: Any = 3, **fields: Any) -> dict[str, Any]:
    inner = {"version": version, "prompts": [], "results": rows, "stats": {"successes": 1}}
    return {"evalId": "eval-x", "results": inner | fields, "config": {}}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(document: Any) -> Path:
        path = tmp_path / "output.json"
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return path

    return to_file


def test_an_assertion_message_is_no_error(write: Write) -> None:
    failed = row(0, False, error="Expected output to contain 'x'", gradingResult={"pass": False})
    broken = row(1, False, error="API error: 500", gradingResult=None, failureReason=2)
    ledger = be.read(write(results([failed, broken, row(2)]))).ledger
    assert (ledger.passed, ledger.failed, ledger.errored) == (1, 1, 1)
    assert ledger.notes == (
        "promptfoo itself counts 1 errored row apart, and keeps them in the denominator: over "
        "all systems 33.3 % of 3 passed",
    )


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"error": "wrong", "gradingResult": {"pass": False}}, "failed"),
        ({"error": "Error: ECONNRESET"}, "errored"),
        ({"error": "500", "response": {"error": "500"}}, "errored"),
        ({"error": "No output", "response": {"output": ""}}, "failed"),
        ({}, "failed"),
    ],
)
def test_errors_of_files_without_a_failure_reason(
    write: Write, fields: dict[str, Any], outcome: str
) -> None:
    ledger = be.read(write(results([v2_row("a", False, **fields)], version=2))).ledger
    assert getattr(ledger, outcome) == 1


def test_provider_and_prompt_are_the_system(write: Write) -> None:
    rows = [
        row(test, success, promptIdx=column, provider=provider, prompt={"label": label})
        for test in range(2)
        for column, (provider, label, success) in enumerate(
            [("gpt", "Be terse", True), ("gpt", "Be kind", False), ("haiku", "Be kind", True)]
        )
    ]
    path = write(results(rows))
    message = r"'gpt \| Be terse' \(2 records\), 'gpt \| Be kind' \(2 records\), 'haiku' \(2 rec"
    with pytest.raises(be.InputError, match=message):
        be.read(path)
    assert be.read(path, system="gpt | Be kind").ledger.failed == 2
    assert be.read(path, system="haiku").ledger.passed == 2


def test_columns_with_one_label_are_told_apart(write: Write) -> None:
    rows = [row(0, column == 1, promptIdx=column) for column in (1, 0)]
    path = write(results(rows))
    assert be.read(path, system="openai:gpt-4o | Say {{word}} #1").ledger.passed == 1
    assert be.read(path, system="openai:gpt-4o | Say {{word}} #0").ledger.failed == 1


def test_the_label_of_a_provider_goes_before_its_id(write: Write) -> None:
    provider = {"id": "openai:gpt-4o", "label": "careful"}
    rollouts = be.read(write(results([row(0, provider=provider)])))
    assert rollouts.levels("system") == ("careful",)


def test_repeats_are_rollouts(write: Write) -> None:
    same = {"vars": {"word": "a"}}
    rows = [row(0, **same), row(1, False, **same), row(2), row(3, vars={"word": "w2"})]
    rollouts = be.read(write(results(rows)))
    assert rollouts.task.tolist() == [0, 1]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 2], [2, 2])
    assert "--repeat" in rollouts.ledger.notes[0]


@pytest.mark.parametrize(
    "other",
    [
        {"vars": {"word": "b"}},
        {"testCase": {"description": "another", "assert": []}},
        {"testCase": {"assert": [{"type": "equals", "value": "y"}]}},
    ],
)
def test_other_tests_are_no_repeats(write: Write, other: dict[str, Any]) -> None:
    same = {"vars": {"word": "a"}, "testCase": {"description": "one", "assert": []}}
    rollouts = be.read(write(results([row(4, **same), row(7, **(same | other))])))
    assert (rollouts.task.tolist(), rollouts.ledger.notes) == ([4, 7], ())


def test_version_2_names_tasks_by_what_they_are(write: Write) -> None:
    long = "x" * 500
    rows = [v2_row("b", True), v2_row("a", False), v2_row("b", False), v2_row(long, True)]
    rollouts = be.read(write(results(rows, version=2)))
    assert rollouts.task.tolist()[:2] == ["word=b", "word=a"]
    assert len(rollouts.task[2]) < 150
    assert rollouts.trials.tolist() == [2, 1, 1]


def test_partial_scores_do_not_decide(write: Write) -> None:
    path = write(results([row(0, True, score=0.8), row(1, False, score=0.9)]))
    rollouts = be.read(path)
    assert rollouts.passes.tolist() == [1, 0]
    assert rollouts.ledger.notes[0].startswith("2 scores between 0 and 1 (partial credit)")
    assert read(path, pass_if=lambda score: score > 0.85).passes.tolist() == [0, 1]


def test_a_named_score(write: Write) -> None:
    rows = [
        row(0, namedScores={"tone": 1, "facts": 0}),
        row(1, False, namedScores={"tone": 0.5}),
        row(2, False, failureReason=2),
        row(3),
    ]
    path = write(results(rows))
    rollouts = read(path, metric="tone")
    ledger = rollouts.ledger
    assert (rollouts.passes.tolist(), ledger.failed) == ([1, 0, 0, 0], 1)
    assert (ledger.errored, ledger.missing) == (2, 1)
    assert read(path, metric="tone", pass_if=lambda score: score >= 0.5).ledger.passed == 2
    with pytest.raises(be.InputError, match=r"metric = 'ton' .*did you mean 'tone'.*'facts'"):
        read(path, metric="ton")
    with pytest.raises(be.InputError, match=r"scorer = 'tone' .* has no scorers; metric= names"):
        read(path, scorer="tone")


def test_factors(write: Write) -> None:
    case = {"description": "greets", "metadata": {"area": "chat", "_internal": 1}}
    rows = [row(0, testCase=case, vars={"system": "Be nice", "lang": "de", "_conversation": []})]
    rollouts = be.read(write(results(rows)))
    assert set(rollouts.factors) == {"system", "vars.system", "lang", "area", "description"}
    assert rollouts.levels("system") == ("openai:gpt-4o",)


def test_rows_as_jsonl_and_as_a_bare_summary(tmp_path: Path, write: Write) -> None:
    rows = [row(0), row(1, False)]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert be.read(path).passes.tolist() == [1, 0]
    assert be.read(write(results(rows)["results"])).passes.tolist() == [1, 0]
    path.write_text(json.dumps(rows[0]) + "\n{broken\n", encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"line 2: not valid JSON.*skip-bad-records"):
        be.read(path)
    rollouts = read(path, skip_bad_records=True)
    assert rollouts.n_tasks == 1
    assert rollouts.ledger.notes[0].startswith("1 record that could not be read left out: line 2")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (results([row(0)], version=4), "version 4 are not known, only 2 and 3"),
        (results([row(0)], version=None), "version None are not known"),
        (results([]), "holds no rows"),
        (results([row(0, "yes")]), "row 1: success is 'yes'; it must be true or false"),
        (results([row(0), row(1, failureReason=7)]), "row 2: failureReason is 7; known are 0"),
        (results([row("a")]), r"a field is not what the format says: .*testIdx"),
    ],
)
def test_what_cannot_be_right_is_refused(write: Write, document: Any, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write(document))


def test_contradictory_rows_of_one_test_are_refused(write: Write) -> None:
    path = write(results([row(0), row(0, False)]))
    with pytest.raises(be.InputError, match="task 0, rollout 0 has two outcomes"):
        be.read(path)
    assert read(path, duplicates="rollouts").trials.tolist() == [2]


VALID = results([row(0), row(0, False, promptIdx=1), row(1, False, failureReason=2, error="x")])
VALID_2 = results([v2_row("a", True), v2_row("b", False, error="x")], version=2)


@given(st.one_of(mutated_json(VALID), mutated_json(VALID_2)))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_documents_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "x", content, "promptfoo")
    reads_or_refuses(tmp_path / "x", content, "promptfoo", system="openai:gpt-4o")


@given(damaged_bytes(json.dumps(VALID).encode()))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "x", content, "promptfoo")
