"""Which format a file is: by its content, never by its name; and any bytes at all."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import bayeseval as be

LONG = "task,passed\na,true\nb,false\n"
COUNTS = "task,passes,trials\na,1,2\nb,0,2\n"
TAU = json.dumps(
    [
        {"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0},
        {"task_id": 1, "reward": 0.0, "info": {}, "traj": [], "trial": 0},
    ]
)


@pytest.mark.parametrize("name", ["results", "a.csv", "a.json", "a.jsonl", "a.eval", "a.xml"])
@pytest.mark.parametrize("text", [LONG, COUNTS, TAU, "\ufeff" + LONG, "\n\n" + TAU])
def test_name_plays_no_part(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    rollouts = be.read(path)
    assert (rollouts.n_tasks, rollouts.ledger.passed) == (2, 1)
    assert rollouts.source == str(path)


def test_format_can_be_insisted_on(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(TAU, encoding="utf-8")
    assert be.read(path, format="tau-bench").n_tasks == 2
    assert be.read(path, format="long").n_tasks == 2
    with pytest.raises(be.FormatError, match=r"a\.json: no column names the passes"):
        be.read(path, format="counts")


def test_unknown_format_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(LONG, encoding="utf-8")
    with pytest.raises(
        be.InputError, match=r"format must be one of .*, 'tau-bench', .* 'tau-bench'\?"
    ):
        be.read(path, format="taubench")


def test_counts_or_outcomes_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("task,passed,runs\na,1,4\nb,0,4\n", encoding="utf-8")
    with pytest.raises(be.FormatError, match=r"several ways; say format = 'counts' .* or 'long'"):
        be.read(path)
    assert be.read(path, format="counts").trials.tolist() == [4, 4]
    assert be.read(path, format="long").trials.tolist() == [1, 1]


@pytest.mark.parametrize("order", [("task_id", "reward", "traj"), ("task_id", "traj", "reward")])
def test_a_first_record_longer_than_the_head(tmp_path: Path, order: tuple[str, ...]) -> None:
    turns = [{"content": 'says "so" \\ ]}' * 100_000}]
    fields = {"task_id": 3, "reward": 1, "traj": turns}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{key: fields[key] for key in order}]), encoding="utf-8")
    assert path.stat().st_size > 1 << 20
    rollouts = be.read(path)
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == ([3], [1])
    assert "the field trial is absent" in rollouts.ledger.notes[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"hello world\n", "not recognised as evaluation results: its first line has the columns"),
        (b"{}", "it begins like JSON, but holds no object with keys"),
        (b"[]", "it begins like JSON, but holds no object with keys"),
        (b"[1, 2]", "it begins like JSON"),
        (b'{"a": 1}', "it is JSON: an object that has the keys 'a'"),
        (b'[{"a": 1}]', "it is JSON: a list whose first record has the keys 'a'"),
        (b"\x89PNG\r\n\x1a\n\0\0", "neither a known binary format nor UTF-8 text"),
        (b"\xff\xfea\0b\0", "the text is UTF-16; save it as UTF-8"),
        (b"[" * 100_000, "it begins like JSON"),
        (b'{"task":' * 100_000, "."),
    ],
)
def test_what_is_no_result_file(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(be.FormatError, match=message) as caught:
        be.read(path)
    assert str(caught.value).startswith(str(path))


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match=r"nothing\.csv: no such file"):
        be.read(tmp_path / "nothing.csv")
    with pytest.raises(be.InputError, match="a folder without results"):
        be.read(tmp_path)
    with pytest.raises(be.InputError, match="cannot be read"):
        be.read("a\0b")


# Most files that are drawn come close to a valid one, so that every step of a reader is met.
NAMES = st.sampled_from(
    [
        *("task", "task_id", "id", "sample_id", "passed", "correct", "score", "passes", "trials"),
        *("rollout", "run", "model", "agent", "errored", "missing", "reward", "info", "traj"),
        *("trial", "slice", ""),
    ]
)
TEXTS = st.sampled_from(
    [
        *("1", "0", "1", "0", "true", "false", "2", "x", "y", "", "NaN", "-1", "1e400", "é"),
        *("\v", " ", "0x1", "9" * 30, '""', "1\x00"),
    ]
)
ODD_TEXTS = TEXTS | st.sampled_from(['"', "\r", "\ud800", "a,b", "\n"])
ODD_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)
VALUES = st.one_of(st.sampled_from([0, 1, True, False, None, 1.0, "a", 2]), ODD_VALUES)


@st.composite
def tables(draw: st.DrawFn) -> str:
    required = draw(st.sampled_from([["task", "passed"], ["task", "passes", "trials"], []]))
    header = required + draw(st.lists(NAMES, max_size=3))
    cells = draw(st.sampled_from([TEXTS, TEXTS, ODD_TEXTS]))
    rows = draw(st.lists(st.tuples(*[cells] * len(header)), max_size=6))
    return "\n".join(map(draw(st.sampled_from(",;\t")).join, [header, *rows]))


REWARDED = {
    "task_id": st.integers(0, 2),
    "reward": st.sampled_from([0, 1, 0.5, None]),
    "info": st.sampled_from([{}, None, {"error": "x", "traceback": "y"}]),
    "trial": st.integers(0, 1),
}
PASSED = {"task": st.integers(0, 2), "passed": st.booleans(), "run": st.integers(0, 3)}
COUNTED = {"task": st.integers(0, 9), "passes": st.integers(0, 2), "trials": st.just(2)}


@st.composite
def records(draw: st.DrawFn) -> list[Any]:
    required = draw(st.sampled_from([REWARDED, PASSED, COUNTED, {}]))
    record = st.fixed_dictionaries(required, optional={"slice": VALUES})
    extra = draw(st.sampled_from([st.just({}), st.dictionaries(NAMES, VALUES, max_size=2)]))
    return draw(st.lists(st.builds(dict.__or__, extra, record), max_size=5))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")


BYTES = st.one_of(
    st.binary(max_size=300),
    tables().map(_encoded),
    records().map(json.dumps).map(_encoded),
    records().map(lambda found: _encoded("\n".join(map(json.dumps, found)))),
    st.builds(
        lambda text, end: text[:end].encode(), records().map(json.dumps), st.integers(0, 200)
    ),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=BYTES, format=st.sampled_from([None, "long", "counts", "tau-bench"]))
@example(content=b'task,passed\n"a,true\n', format=None)
@example(content=b"task,passed\na,true\0\n", format="long")
@example(content=b'{"task": "\\ud800", "passed": NaN}', format="long")
@example(content=b'[{"task_id": 1e999, "reward": 1, "info": null}]', format="tau-bench")
@example(content=b"task,passes,trials\na,1e400,1\n", format="counts")
def test_any_bytes_give_rollouts_or_an_error(
    tmp_path: Path, content: bytes, format: str | None
) -> None:
    path = tmp_path / "any"
    path.write_bytes(content)
    refused = None
    try:
        rollouts = be.read(path, format=format)
    except be.BayesevalError as error:
        refused = str(error)
    if refused is None:
        # Whatever was read can be printed.
        assert rollouts.describe().encode("utf-8")
        assert rollouts.ledger.attempted + rollouts.ledger.tasks_without_score > 0
    else:
        assert refused.startswith(str(path))
        assert len(refused.encode("utf-8")) < 2_000
