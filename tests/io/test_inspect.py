"""Inspect logs of our own: encodings, values of scores, errors, unfinished and broken logs."""

import io
import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io._totals import Totals, TotalsOnly
from tests.io.fuzzing import damaged_bytes, mutated_json, read, reads_or_refuses

Entries = list[tuple[str, Any]]
Write = Callable[..., Path]

BASE: dict[str, Any] = {"task": "demo", "model": "open/model-1"}


def sample(id: int | str, value: Any = "C", epoch: int = 1, **fields: Any) -> dict[str, Any]:
    """Return a sample scored by one scorer; without scores where `value` is `...`."""
    scores = {} if value is ... else {"match": {"value": value, "explanation": "x"}}
    return {"id": id, "epoch": epoch, "input": "q", "scores": scores} | fields


def header(**fields: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": BASE} | fields


def log(*samples: Any, **fields: Any) -> dict[str, Any]:
    return header(samples=list(samples), **fields)


def archive(entries: Entries) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, value in entries:
            file.writestr(name, json.dumps(value))
    return data.getvalue()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(content: Any) -> Path:
        path = tmp_path / "log.bin"
        if isinstance(content, list):
            path.write_bytes(archive(content))
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return to_file


def counts(rollouts: be.Rollouts) -> tuple[int, int, int, int]:
    ledger = rollouts.ledger
    return ledger.passed, ledger.failed, ledger.errored - ledger.missing, ledger.missing


def member(one: dict[str, Any]) -> tuple[str, Any]:
    return f"samples/{one['id']}_epoch_{one['epoch']}.json", one


def test_json(write: Write) -> None:
    rollouts = be.read(
        write(
            log(*(sample(task, "CI"[epoch == task], epoch) for task in (1, 2) for epoch in (1, 2)))
        )
    )
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == ([1, 2], [1, 1])
    assert rollouts.factors["system"].tolist() == ["open/model-1"] * 2
    assert rollouts.factors["suite"].tolist() == ["demo"] * 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((value, "passed") for value in ("C", True, 1, 1.0, 2.5, "1", "1.0", "yes", "True")),
        *((value, "failed") for value in ("I", "N", False, 0, 0.0, -1, "0", "no", "FALSE")),
        *((value, "failed") for value in ("P", 0.999, "0.5")),
        *((value, "missing") for value in (None, math.nan, "nan")),
        pytest.param(10**400, "passed", id="huge"),
        pytest.param(-(10**400), "failed", id="-huge"),
    ],
)
def test_values(write: Write, value: Any, expected: str) -> None:
    ledger = be.read(write(log(sample("a", value)))).ledger
    assert (getattr(ledger, expected), ledger.attempted) == (1, 1)


def test_partial_credit_and_another_bar(write: Write) -> None:
    path = write(log(sample(1, "P"), sample(2, 0.7), sample(3, "C"), sample(4, 0)))
    rollouts = be.read(path)
    assert counts(rollouts) == (1, 3, 0, 0)
    notes = rollouts.ledger.notes
    assert any("2 scores between 0 and 1 (partial credit)" in note for note in notes)
    assert any("mean of 'match' over these samples is 0.550" in note for note in notes)
    assert counts(read(path, pass_if=lambda score: score >= 0.6)) == (2, 2, 0, 0)


def test_scores_above_full_credit_are_told(write: Write) -> None:
    path = write(log(sample(1, 4), sample(2, 0)))
    assert any("scores reach 4, and each of at least 1" in n for n in be.read(path).ledger.notes)
    rollouts = read(path, pass_if=lambda score: score >= 5)
    assert counts(rollouts) == (0, 2, 0, 0)
    assert not any("reach" in note for note in rollouts.ledger.notes)


def test_scores_without_bounds(write: Write) -> None:
    scores = [math.inf, -math.inf, 1e308, 1e308, 0.5]
    rollouts = be.read(write(log(*(sample(at, score) for at, score in enumerate(scores)))))
    assert counts(rollouts) == (3, 2, 0, 0)


def test_unknown_texts_are_zero_as_in_inspect(write: Write) -> None:
    rollouts = be.read(write(log(sample(1, "maybe"), sample(2, "C"), sample(3, "x"))))
    assert counts(rollouts) == (1, 2, 0, 0)
    assert any("2 values such as 'maybe' mean nothing" in note for note in rollouts.ledger.notes)


def test_a_scorer_of_texts_is_no_outcome(write: Write) -> None:
    with pytest.raises(be.FormatError, match="'match' gives values such as 'refusal', which neit"):
        be.read(write(log(sample(1, "refusal"), sample(2, "comply"))))
    both = {"kind": {"value": "refusal"}, "match": {"value": "C"}}
    path = write(log(sample(1, scores=both)))
    rollouts = be.read(path)
    assert counts(rollouts) == (1, 0, 0, 0)
    assert "not used, since they neither pass nor fail: kind" in rollouts.ledger.notes
    with pytest.raises(be.FormatError, match=r"'kind' gives values .* other scorers: 'match'"):
        read(path, scorer="kind")


def test_each_key_of_a_value_is_a_scorer(write: Write) -> None:
    value = {"a": 1, "b/c": 0, "d": {"e": 1}}
    path = write(log(sample(1, value), sample(2, [1, 0]), sample(3, {"a": None})))
    with pytest.raises(
        be.InputError, match=r"4 scorers; .*'match/a', 'match/b/c', 'match/0', 'mat"
    ):
        be.read(path)
    assert counts(read(path, scorer="match/a")) == (1, 0, 0, 2)
    assert counts(read(path, scorer="match/b/c")) == (0, 1, 0, 2)
    assert counts(read(path, scorer="match/0")) == (1, 0, 0, 2)


def test_scorers_that_differ_between_samples(write: Write) -> None:
    one, two = {"x": {"value": 1}}, {"y": {"value": 0}}
    path = write(log(sample(1, scores=one), sample(2, scores=two), sample(3, scores=one | two)))
    rollouts = read(path, scorer="x")
    assert counts(rollouts) == (2, 0, 0, 1)
    assert any("1 rollout without a score by 'x'" in note for note in rollouts.ledger.notes)


def test_errors(write: Write) -> None:
    broke = {"message": "crash", "traceback": "..."}
    rollouts = be.read(
        write(
            log(
                sample(1, ..., error=broke),
                sample(2, None, error=broke),
                sample(3, "I", error=broke),
                sample(4, ...),
                sample(5, "C"),
            )
        )
    )
    assert counts(rollouts) == (1, 1, 2, 1)
    notes = rollouts.ledger.notes
    assert "1 rollout ended with an error and count by the score they have" in notes
    assert "Inspect itself leaves the 2 errored rollouts out of its metrics" in notes


def test_a_run_that_was_not_scored(write: Write) -> None:
    path = write(log(sample(1, ...), sample(2, ..., scores=None)))
    rollouts = be.read(path)
    assert counts(rollouts) == (0, 0, 0, 2)
    assert "the samples have no scores: the run was not scored" in rollouts.ledger.notes
    with pytest.raises(be.InputError, match="it holds no scorers at all"):
        read(path, scorer="match")


def test_the_single_score_of_very_old_logs(write: Write) -> None:
    old = {"id": 1, "epoch": 1, "score": {"value": "C"}}
    assert counts(be.read(write(log(old, version=1)))) == (1, 0, 0, 0)
    results = {"scorer": {"name": "includes"}, "metrics": {}}
    assert counts(read(write(log(old, results=results)), scorer="includes")) == (1, 0, 0, 0)


def test_ids_keep_their_type(write: Write) -> None:
    ids = [8, "8", "08", "a/b\\c", "../up", "任务", " "]
    samples = [sample(each) for each in ids]
    assert be.read(write(log(*samples))).task.tolist() == ids
    entries = [("summaries.json", samples), ("header.json", header())]
    assert be.read(write(entries)).task.tolist() == ids


def test_ids_of_one_member_name_stay_apart_without_summaries(write: Write) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = write([member(sample(8)), member(sample("8", "I")), ("header.json", header())])
    rollouts = be.read(path)
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == ([8, "8"], [1, 0])


def test_metadata_become_factors(write: Write) -> None:
    fields = {"level": 2, "task": "T", "tags": ["x"], "more": {"y": 1}, "hard": True}
    samples = [sample(1, epoch=epoch, metadata=fields | {"run": epoch}) for epoch in (1, 2)]
    rollouts = be.read(write(log(*samples)))
    factors = {name: values.tolist() for name, values in rollouts.factors.items()}
    known = {"system": ["open/model-1"], "suite": ["demo"]}
    assert factors == known | {"level": [2], "metadata.task": ["T"], "hard": [True]}
    notes = rollouts.ledger.notes
    assert "not used, since they hold lists or objects: tags, more" in notes
    assert "not used, since they vary within a task: run" in notes


def test_duplicates(write: Write) -> None:
    assert be.read(write(log(sample(1), sample(1)))).ledger.duplicates == 1
    path = write(log(sample(1), sample(1, "I")))
    with pytest.raises(be.InputError, match="pass at sample 1, epoch 1 and fail at sample 1, epo"):
        be.read(path)
    assert counts(read(path, duplicates="rollouts")) == (1, 1, 0, 0)


def test_summaries_are_enough(write: Write) -> None:
    path = write(
        [
            ("samples/1_epoch_1.json", "not opened"),
            ("summaries.json", [sample(1), sample(2, ..., error="crash", completed=False)]),
            ("samples/2_epoch_1.json", "not opened"),
            ("header.json", header()),
        ]
    )
    rollouts = be.read(path)
    assert counts(rollouts) == (1, 0, 1, 0)
    assert any("summaries are without metadata" in note for note in rollouts.ledger.notes)


def test_samples_are_opened_where_summaries_lack_them(write: Write) -> None:
    path = write(
        [
            member(sample("a\\b", "C")),
            member(sample(2, "I")),
            member(sample(3, "C")),
            ("summaries.json", [sample("a\\b", ...), sample(3, "I"), sample(4, ...)]),
            ("header.json", header()),
        ]
    )
    rollouts = be.read(path)
    assert dict(zip(rollouts.task.tolist(), rollouts.passes.tolist(), strict=True)) == {
        "a\\b": 1,
        3: 0,
        4: 0,
        2: 0,
    }
    assert counts(rollouts) == (1, 2, 0, 1)


def test_the_last_record_counts(write: Write) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = write(
            [
                ("header.json", header(version=7)),
                ("summaries.json", [sample(1, "I"), sample(2, "I"), sample(1, "C")]),
                ("header.json", header()),
            ]
        )
    rollouts = be.read(path)
    assert counts(rollouts) == (1, 1, 0, 0)
    assert "1 sample written again: the last record counts" in rollouts.ledger.notes


def test_an_unfinished_run_is_read_from_its_journal(write: Write) -> None:
    config = {"epochs": 2}
    dataset = {"samples": 100, "sample_ids": [1, 2, 3]}
    journal = {f"_journal/summaries/{at}.json": [sample(at, "CI"[at % 2])] for at in (1, 2, 10)}
    path = write(
        [
            (
                "_journal/start.json",
                {"version": 2, "eval": BASE | {"config": config, "dataset": dataset}},
            ),
            *journal.items(),
            member(sample(10, "C", 2)),
        ]
    )
    rollouts = be.read(path)
    assert rollouts.task.tolist() == [1, 2, 10]
    assert rollouts.passes.tolist() == [0, 1, 2]
    notes = rollouts.ledger.notes
    assert "the run never finished: there is no header, so its journal was read" in notes
    assert "the run did not end well: its status is 'started'" in notes
    assert "2 epochs of each sample were configured; the log holds 1 to 2" in notes


def test_what_the_run_did_is_told(write: Write) -> None:
    spec = BASE | {"dataset": {"samples": 50}, "config": {"limit": 3}}
    samples = [
        sample(1, limit={"type": "token", "limit": 10}, error_retries=[{"message": "x"}]),
        sample(2, limit="time", retries=2),
    ]
    notes = be.read(
        write(log(*samples, status="cancelled", eval=spec, invalidated=True))
    ).ledger.notes
    assert notes == (
        "the run did not end well: its status is 'cancelled'",
        "the log holds 2 of the 3 samples that were to be run",
        "stopped by a limit, and scored as they were then: 'token': 1, 'time': 1",
        "2 rollouts were tried again after an error; the last try counts",
        "the log is marked as invalidated",
    )


def test_a_header_only_gives_totals(write: Write) -> None:
    metrics = {"accuracy": {"value": 0.75}, "stderr": {"value": 0.1}, "mean": {"value": math.nan}}
    results = {
        "total_samples": 9,
        "completed_samples": 8,
        "scores": [
            {"name": "match", "metrics": metrics},
            {"name": "other", "scored_samples": 3, "metrics": {"rate": {"value": 0.5}}},
        ],
    }
    for content in (header(results=results), [("header.json", header(results=results))]):
        with pytest.raises(TotalsOnly, match="no samples, only its header") as refused:
            be.read(write(content))
        assert refused.value.totals == (
            Totals("match/accuracy", 6, 8, 0.75),
            Totals("other/rate", None, 3, 0.5),
        )


@pytest.mark.parametrize("version", [0, 3, 4])
def test_unknown_versions_are_refused(write: Write, version: int) -> None:
    # Whatever else an unknown version may hold: the version is named.
    for content in (
        log(sample(1), version=version, results=[]),
        [("header.json", header(version=version)), ("summaries.json", [])],
    ):
        with pytest.raises(be.FormatError, match=f"version {version}, and only 1 and 2 are known"):
            be.read(write(content))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([], "a zip without header.json"),
        ([("word/document.xml", 1)], "a zip without header.json"),
        ([("header.json", [])], "header.json: a field is not what the format says"),
        (
            [("header.json", header()), ("summaries.json", [sample(1), {"id": 1.5}])],
            r"summaries.json: a field is not what .*\$\[1\]\.id",
        ),
        (
            [("header.json", header()), ("samples/1_epoch_1.json", {"epoch": 1})],
            r"'samples/1_epoch_1.json': a field .*`id`",
        ),
        ([("../header.json", header())], "would lie outside its folder"),
    ],
)
def test_broken_archives(write: Write, entries: Entries, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write(entries))


def test_bad_samples_can_be_skipped(write: Write) -> None:
    path = write([("header.json", header()), member(sample(1)), ("samples/2_epoch_1.json", [])])
    rollouts = read(path, skip_bad_records=True)
    assert counts(rollouts) == (1, 0, 0, 0)
    assert "1 sample could not be read and were skipped" in rollouts.ledger.notes


def test_cut_short(write: Write) -> None:
    path = write([("header.json", header()), ("summaries.json", [sample(1)])])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(be.FormatError, match=r"log\.bin: the zip is cut short"):
        be.read(path)
    text = json.dumps(log(sample(1)))
    for end in (40, len(text) - 5):
        path.write_text(text[:end], encoding="utf-8")
        with pytest.raises(be.FormatError, match=r"not valid JSON.*if the log was cut short"):
            be.read(path)


def test_deep_json(write: Write) -> None:
    path = write(log(sample(1)))
    deep = "[" * 100_000 + "]" * 100_000
    path.write_text(json.dumps(log(sample(1, x="deep"))).replace('"deep"', deep), encoding="utf-8")
    with pytest.raises(be.FormatError, match="nested too deeply"):
        be.read(path)


def test_options_of_other_formats(write: Write) -> None:
    path = write(log(sample(1)))
    with pytest.raises(be.InputError, match=r"metric = 'acc' .* no metrics; choose with scorer="):
        read(path, metric="acc")
    with pytest.raises(be.InputError, match="filter = 'none'"):
        read(path, filter="none")
    with pytest.raises(be.InputError, match="the file holds no system 'gpt'"):
        read(path, system="gpt")


NEAR = log(
    sample(1, "C", metadata={"level": 1}, limit={"type": "token"}, retries=1),
    sample("1", math.nan, 2, error={"message": "x"}),
    sample(2, {"a": 1}),
    results={"total_samples": 3, "scores": [{"name": "match", "metrics": {"m": {"value": 1}}}]},
)
NEAR_EVAL = [
    ("header.json", header()),
    ("summaries.json", NEAR["samples"]),
    member(sample(3)),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=100),
        mutated_json(NEAR),
        damaged_bytes(json.dumps(NEAR).encode()),
        damaged_bytes(archive(NEAR_EVAL)),
        mutated_json(NEAR["samples"]).map(
            lambda changed: archive(
                [("header.json", header()), ("summaries.json", json.loads(changed))]
            )
        ),
    )
)
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    reads_or_refuses(tmp_path / "log", content, "inspect")
    reads_or_refuses(tmp_path / "log", content, "inspect", scorer="match", skip_bad_records=True)


def test_a_bare_nan_anywhere_changes_nothing_else(write: Write) -> None:
    samples = [
        sample(8, "C", 1, input="é", store={"x": 2**70}),
        sample("8", 0.5, 2, metadata={"level": 1, "tags": ["a"], "ok": True}),
        sample("ü", 1, 1, error={"message": "x"}),
    ]
    plain = be.read(write(log(*samples)))
    slow = be.read(write(log(*samples, stats={"mean": math.nan, "low": -math.inf})))
    assert slow.task.tolist() == plain.task.tolist() == [8, "8", "ü"]
    assert slow.histogram() == plain.histogram()
    assert slow.ledger == plain.ledger
    assert {n: v.tolist() for n, v in slow.factors.items()} == {
        n: v.tolist() for n, v in plain.factors.items()
    }
