"""Tables through DuckDB: the same suites as Python reads, and files of every packing."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io import table

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(content: str | bytes, name: str = "results") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., be.Rollouts]:
    """Read a small file as if it were a large one."""

    def read(path: Path, **options: Any) -> be.Rollouts:
        with monkeypatch.context() as patch:
            patch.setattr(table, "is_large", lambda source: source.head.lstrip()[:1] != b"[")
            return be.read(path, **options)

    return read


def same(one: be.Rollouts, other: be.Rollouts) -> None:
    """The same counts and factors for each task, in any order, and the same ledger."""

    def rows(suite: be.Rollouts) -> dict[Any, Any]:
        arrays = (suite.passes, suite.trials, suite.errored, suite.missing)
        counts = zip(*(array.tolist() for array in arrays), strict=True)
        factors = list(zip(*(v.tolist() for v in suite.factors.values()), strict=True))
        keys = [(type(task), task) for task in suite.task.tolist()]
        return dict(zip(keys, zip(counts, factors or [()] * len(keys), strict=True), strict=True))

    assert rows(one) == rows(other)
    assert list(one.factors) == list(other.factors)
    assert one.ledger.rows() == other.ledger.rows()
    assert sorted(one.ledger.notes) == sorted(other.ledger.notes)


TABLES = {
    "csv": "task,rollout,passed,slice\na,1,true,x\na,2,false,x\nb,1,,y\nb,2,error,y\n",
    "tsv, windows": "task\trollout\tpassed\tslice\r\na\t1\tYes\tx\r\na\t2\tNo\tx\r\n"
    "b\t1\tnull\ty\r\n",
    "bom and blank lines": "\ufeff\n\ntask,rollout,passed\na,1,passed\n\na,2,failed\n",
    "quoted": '"task","rollout","passed","slice"\n"a, ""b""\nc","1","true","x"\na,2,no,x\n',
    "unicode": "task,passed\nä/ß 漢,1\nä/ß 漢,0\n'; DROP TABLE x; --,1\n",
    "no rollout column": "task,passed\na,1\na,1\na,0\n007,1\n7,0\n",
    "unusual spellings": "task,passed\na,1.00\na,0.000\na, PASS \na,+1\nb,Resolved\n",
    "blank attempts": "task,rollout,passed\na,1,1\na,,1\na,,0\n",
    "identical duplicates": "task,rollout,passed\na,1,1\na,1,1\na,2,0\nb,1,\nb,1,\n",
    "attempts by name": "task,run,passed\na,first,1\na,second,0\nb,first,1\nb,first,1\n",
    "attempts beyond all bits": "task,run,passed\na,100,1\na,101,0\nb,100,1\nb,100,1\n",
    "two rollout columns": "task,run,epoch,passed\na,1,1,1\na,1,2,0\na,2,1,1\na,2,1,1\n",
    "errored column": "task,passed,errored\na,1,0\na,0,1\na,,0\na,,1\n",
    "varying columns": "task,passed,cost,tag\na,1,3,x\na,0,4,x\nb,0,4,\nb,1,4,\nc,1,4,\nc,1,4,z\n",
    "several systems": "task,model,passed\na,m,1\na,n,0\nb,m,0\n",
    "jsonl": '{"task": "8", "rollout": 1, "passed": true, "slice": "x"}\n'
    '{"task": 8, "rollout": 1, "passed": 0, "slice": 3}\n\n'
    '{"task": 8, "rollout": 2, "passed": null, "slice": 3}\n'
    '{"task": "\\u00e4\\"b", "passed": "no", "slice": null}\n',
    "jsonl with lists": '{"task": 1, "passed": true, "steps": [1, 2], "level": 1.5, "easy": true}\n'
    '{"task": 1, "passed": "error", "steps": [], "level": 1.5, "easy": true}\n'
    '{"task": 2, "steps": [], "level": 2.5, "easy": false}\n',
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_the_engine_reads_what_python_reads(
    write: Write, engine: Callable[..., be.Rollouts], text: str
) -> None:
    path = write(text)
    system = "m" if "model" in text else None
    same(engine(path, system=system), be.read(path, system=system))
    packed = write(gzip.compress(text.encode()), "packed")
    same(be.read(packed, system=system), be.read(path, system=system))
    same(engine(packed, system=system), be.read(path, system=system))


OUTCOMES = ["1", "0", "true", "No", "", "error", "NaN", "0.0", " Pass", "1.00"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "8", "é"]),
            st.sampled_from(["1", "2", "41", "x", ""]),
            st.sampled_from(OUTCOMES),
        ),
        min_size=1,
        max_size=12,
    ),
    duplicates=st.sampled_from(["error", "rollouts"]),
)
def test_engine_and_python_agree(
    write: Write, engine: Callable[..., be.Rollouts], rows: list[Any], duplicates: str
) -> None:
    path = write("task,rollout,passed\n" + "".join(",".join(row) + "\n" for row in rows))
    try:
        expected = be.read(path, duplicates=duplicates)  # type: ignore[arg-type]
    except be.InputError:
        with pytest.raises(be.InputError, match="has two outcomes"):
            engine(path, duplicates=duplicates)
    else:
        same(engine(path, duplicates=duplicates), expected)


def test_scores(write: Write, engine: Callable[..., be.Rollouts]) -> None:
    path = write("task,score\na,0.5\na,1\nb,0.25\nb,\nb,error\nb,0\n")
    for read in (be.read, engine):
        with pytest.raises(be.InputError, match=r"holds scores, not outcomes.*--pass-if"):
            read(path)
        suite = read(path, pass_if=">= 0.5")
        assert suite.passes.tolist() == [2, 0]
        assert suite.trials.tolist() == [2, 2]
        assert (suite.ledger.errored, suite.ledger.missing) == (2, 1)
        assert any("2 scores between 0 and 1" in note for note in suite.ledger.notes)
    with pytest.raises(be.InputError, match="must be text or a number"):
        engine(path, pass_if=lambda score: score > 0.3)
    assert be.read(path, pass_if=lambda score: score > 0.3).ledger.passed == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,passed\na,1\nb,1,2\nc,1\n", "line 3"),
        ("task,passed\na,1\nb,maybe\n", "'maybe'.*no outcome"),
        ("task,passed\na,1\n,1\n", "without a task|is empty"),
        ("task,passed\na,1\n\xff,1\n".encode("latin-1"), "line 3|UTF-8|unicode"),
        ('{"task": 1, "passed": 1}\n{"task": 1, x\n{"task": 1}\n', "line 2"),
        (
            '{"task": 1, "passed": 1}\n{"task": 1.5, "passed": 1}\n',
            "1.5.*must be a text or a whole",
        ),
        ('{"task": 1, "passed": 1}\n{"passed": 1}\n', "task"),
        ("task,model,passed\na,m,1\na,n,0\n", "holds 2 systems; choose one with system="),
        ("task,task_name,passed\na,x,1\na,y,0\n", "could both name the task"),
    ],
)
def test_the_engine_refuses_what_python_refuses(
    write: Write, engine: Callable[..., be.Rollouts], text: str | bytes, message: str
) -> None:
    path = write(text)
    for read in (be.read, engine):
        with pytest.raises(be.InputError, match=message):
            read(path)


def test_bad_records_are_counted(write: Write, engine: Callable[..., be.Rollouts]) -> None:
    for text in (
        "task,passed\na,1\nb,1,2,3\nc,0\nd\n",
        '{"task": "a", "passed": 1}\n{"task"\n{"task": "c", "passed": 0}\nx\n',
        b"task,passed\na,1\n\xff,1\nc,0\nd,\xff\n",
        b'{"task": "a", "passed": 1}\n{"task":"\xff"}\n{"task": "c", "passed": 0}\n{"x":"\xff"}\n',
    ):
        path = write(text)
        for read in (be.read, engine):
            suite = read(path, skip_bad_records=True)
            assert (suite.task.tolist(), suite.passes.tolist()) == (["a", "c"], [1, 0])
            (note,) = [note for note in suite.ledger.notes if "could not be read" in note]
            assert note.startswith("2 records that could not be read left out: line ")


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "results [1]*.parquet"
    duckdb.sql(
        "SELECT (i // 4)::{} AS task_id, i % 4 AS trial, i % 4 <= i // 4 AS passed, "
        "'s' || (i // 8) AS slice, i AS cost FROM range(16) t(i)".format("INTEGER")
    ).write_parquet(str(tmp_path / "plain.parquet"))
    (tmp_path / "plain.parquet").rename(path)
    suite = be.read(path)
    assert suite.task.tolist() == [0, 1, 2, 3]
    assert suite.passes.tolist() == [1, 2, 3, 4]
    assert suite.levels("slice") == ("s0", "s1")
    assert suite.ledger.notes == ("not used, since they vary within a task: cost",)


@pytest.mark.parametrize(
    "passed",
    [
        "CASE i % 4 WHEN 0 THEN NULL ELSE i % 4 = 1 END",
        "CASE i % 4 WHEN 0 THEN NULL ELSE (i % 4 = 1)::INT END",
        "CASE i % 4 WHEN 0 THEN 'nan'::DOUBLE ELSE (i % 4 = 1)::INT END",
        "CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'Pass' ELSE 'no' END",
    ],
)
def test_types_of_outcomes_in_parquet(tmp_path: Path, passed: str) -> None:
    path = tmp_path / "a.parquet"
    duckdb.sql(f"SELECT i // 4 AS task, {passed} AS passed FROM range(8) t(i)").write_parquet(
        str(path)
    )
    suite = be.read(path)
    assert suite.passes.tolist() == [1, 1]
    assert suite.trials.tolist() == [3, 3]
    assert suite.missing.tolist() == [1, 1]


def test_wide_and_counts_in_parquet(tmp_path: Path) -> None:
    wide, counts = tmp_path / "wide.parquet", tmp_path / "counts.parquet"
    duckdb.sql("SELECT 'a' AS task, 1 AS trial_1, 0 AS trial_2").write_parquet(str(wide))
    duckdb.sql("SELECT 'a' AS task, 1 AS passes, 2 AS trials").write_parquet(str(counts))
    for path in (wide, counts):
        assert be.read(path).histogram() == {(1, 2): 1}


def test_damaged_files(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.sql("SELECT 1 AS task, true AS passed").write_parquet(str(path))
    content = path.read_bytes()
    for damaged in (content[:-20], b"PAR1" + bytes(100), content[:10]):
        with pytest.raises(be.FormatError):
            be.read(write(damaged))
    packed = gzip.compress(b"task,passed\n" + b"a,1\n" * 1_000)
    for damaged in (packed[:-9], packed[:15], packed[:30] + b"xxxx" + packed[34:]):
        with pytest.raises(be.FormatError, match="gzip"):
            be.read(write(damaged))


def test_a_gzip_bomb_is_refused(write: Write) -> None:
    bomb = gzip.compress(b"[" + b" " * (200 << 20) + b"]", 9)
    with pytest.raises(be.FormatError, match="times its size"):
        be.read(write(bomb), format="tau-bench")


def test_large_csv_and_its_line_numbers(tmp_path: Path) -> None:
    rows = 1_500_000
    task = np.arange(rows) // 8
    lines = [f"task-{t},{at % 8},{at % 3 == 0}" for at, t in enumerate(task.tolist())]
    path = tmp_path / "large.csv"
    path.write_text("task,rollout,passed\n" + "\n".join(lines) + "\n")
    assert path.stat().st_size > table.LARGE
    suite = be.read(path)
    assert suite.n_tasks == rows // 8
    assert suite.ledger.passed == sum(at % 3 == 0 for at in range(rows))
    lines[1_000_000] += ",surplus"
    path.write_text("task,rollout,passed\n" + "\n".join(lines) + "\n")
    with pytest.raises(be.FormatError, match="line 1000002"):
        be.read(path)
    suite = be.read(path, skip_bad_records=True)
    assert suite.ledger.scored == rows - 1
    assert any("1 record that could not be read" in note for note in suite.ledger.notes)


def test_json_values_keep_their_type(write: Write, engine: Callable[..., be.Rollouts]) -> None:
    records = [
        {"task": task, "passed": True, "slice": level}
        for task, level in [(8, "1"), ("8", 1), ("s8", 1.5), (10**30, None), ("", True)][:4]
    ]
    suite = engine(write("".join(json.dumps(record) + "\n" for record in records)))
    assert sorted(map(repr, suite.task.tolist())) == sorted(map(repr, [8, "8", "s8", 10**30]))
    assert set(map(repr, suite.factors["slice"].tolist())) == {"'1'", "1", "1.5", "None"}


def test_systems_of_one_table(tmp_path: Path) -> None:
    for name in "ab":
        duckdb.sql(
            "SELECT i // 4 AS task, i % 4 AS rollout, i % 4 <= j AS passed, 'm' || j AS model "
            "FROM range(80) t(i), range(2) u(j)"
        ).write_parquet(str(tmp_path / f"{name}.parquet"))
    path = tmp_path / "a.parquet"
    with pytest.raises(be.InputError, match=r"2 systems; choose .*\(--system\): 'm0', 'm1'"):
        be.read(path, combine="systems")
    suite = be.read(path, combine="systems", system="m1")
    assert suite.histogram() == {(2, 4): 20}
    assert suite.levels("system") == ("m1",)
    assert "other systems in the files, not used: m0" in suite.ledger.notes
    same(suite.with_notes(), be.read(path, system="m1").with_notes(suite.ledger.notes[-1]))
    with pytest.raises(be.InputError, match=r"no system 'm11' \(did you mean 'm1'\?\)"):
        be.read(path, system="m11")
    # Where files name their systems alike, the file is said too.
    both = [path, tmp_path / "b.parquet"]
    with pytest.raises(be.InputError, match=r"4 systems; .*'a: m0', 'a: m1', 'b: m0', 'b: m1'"):
        be.read(both, combine="systems")
    assert be.read(both, combine="systems", system="b: m0").histogram() == {(1, 4): 20}


def _rows(tasks: dict[str, list[tuple[str, str]]]) -> str:
    rows = [f"{task},{at},{word}" for task, each in tasks.items() for at, word in each]
    return "task,rollout,passed\n" + "\n".join(rows) + "\n"


def _numbered(n: int, start: int = 0) -> list[tuple[str, str]]:
    return [(str(start + at), ("true", "false", "", "error")[at % 4]) for at in range(n)]


@pytest.mark.parametrize(
    "tasks",
    [
        {"a": _numbered(16), "b": _numbered(1, 15)},
        {"a": _numbered(17), "b": _numbered(3)},
        # Small numbers at first, and then others: fields would run over.
        {f"t{at}": _numbered(2) for at in range(600)} | {"a": _numbered(60), "b": _numbered(9, 38)},
        {f"t{at}": _numbered(2) for at in range(600)} | {"a": [("x", "true"), ("1", "true")]},
        {f"t{at}": _numbered(2) for at in range(600)} | {"a": [("", "true")] * 40},
        {f"t{at}": _numbered(2) for at in range(600)} | {"a": [("1", "true")] * 40},
        {f"t{at}": _numbered(2) for at in range(600)} | {"a": [("1", "true"), ("01", "true")]},
        # Attempts with names, which later ones do not have or share.
        {f"t{at}": [("r1", "true"), ("r2", "")] for at in range(600)} | {"a": [("r3", "true")] * 2},
        {f"t{at}": [("r1", "true"), ("r2", "")] for at in range(600)}
        | {"a": [("r1", "true")] * 33},
    ],
)
def test_counts_that_fit_into_one_number_and_those_that_do_not(
    write: Write, engine: Callable[..., be.Rollouts], tasks: dict[str, list[tuple[str, str]]]
) -> None:
    path = write(_rows(tasks))
    for options in ({}, {"skip_bad_records": True}):
        same(be.read(path, **options), engine(path, **options))


def test_more_records_of_one_task_than_a_field_holds(
    write: Write, engine: Callable[..., be.Rollouts]
) -> None:
    n = 2**17
    path = write("task,passed\na,true\n" + "b,true\n" * (n - 1) + "c,false\n" * n)
    suite = engine(path)
    assert suite.task.tolist() == ["a", "b", "c"]
    assert suite.passes.tolist() == [1, n - 1, 0]
    assert suite.trials.tolist() == [1, n - 1, n]


def test_attempts_in_parquet_that_are_numbers_only_at_first(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.sql(
        "SELECT i // 2 AS task, CASE i WHEN 4000 THEN 'last' ELSE (i % 2)::VARCHAR END AS run, "
        "true AS passed FROM range(4002) t(i)"
    ).write_parquet(str(path))
    assert be.read(path).histogram() == {(2, 2): 2_001}
