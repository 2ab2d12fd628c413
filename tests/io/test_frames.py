"""Frames of every engine give the same suite, counted where they live."""

import os
import shutil
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayeseval as be

Make = Callable[[dict[str, list[Any]]], Any]


# A relation of older releases does not keep its connection open.
CONNECTION = duckdb.connect(":memory:")


def _duckdb(columns: dict[str, list[Any]]) -> Any:
    return CONNECTION.from_arrow(pa.table(columns))


def _objects(columns: dict[str, list[Any]]) -> Any:
    """As pandas before version 3 makes it: texts are objects."""
    texts = {name for name, values in columns.items() if set(map(type, values)) <= {str, NoneType}}
    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=object) if name in texts else values
            for name, values in columns.items()
        }
    )


MAKERS: dict[str, Make] = {
    "pandas": pd.DataFrame,
    "pandas, texts as objects": _objects,
    "pandas, pyarrow types": lambda columns: pa.table(columns).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": _duckdb,
}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS.keys())
def make(request: pytest.FixtureRequest) -> Make:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark of two threads on this machine."""
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark (pip install pyspark)")
    java = shutil.which("java")
    if java is None:
        pytest.skip("Spark needs Java")
    os.environ.setdefault("JAVA_HOME", os.path.dirname(os.path.dirname(os.path.realpath(java))))
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    yield session
    session.stop()


EXAMPLE: dict[str, list[Any]] = {
    "task": ["b", "a", "b", "a", "c", "c"],
    "attempt": [1, 1, 2, 2, 1, 1],
    "passed": [True, False, None, True, True, True],
    "slice": ["x", "y", "x", "y", None, None],
    "level": [1, 2, 1, 2, 3, 3],
}


def check_example(frame: Any) -> None:
    suite = be.from_frame(frame, rollout="attempt", factors=["slice", "level"])
    assert suite.task.tolist() == ["a", "b", "c"]
    assert suite.passes.tolist() == [1, 1, 1]
    assert suite.trials.tolist() == [2, 1, 1]
    assert suite.missing.tolist() == [0, 1, 0]
    assert suite.ledger.duplicates == 1
    assert suite.factors["slice"].tolist() == ["y", "x", None]
    assert suite.factors["level"].tolist() == [2, 1, 3]
    # Without ids of the attempts every row is one.
    assert be.from_frame(frame).trials.tolist() == [2, 1, 2]


def test_example(make: Make) -> None:
    check_example(make(EXAMPLE))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_spark(spark: Any) -> None:
    columns = list(EXAMPLE)
    rows = list(zip(*EXAMPLE.values(), strict=True))
    check_example(spark.createDataFrame(rows, columns))
    kinds = "task bigint, passed string, attempt string"
    rows = [(at // 4, ["Yes", "no", "", "error"][at % 4], f"run{at % 4}") for at in range(4_000)]
    frame = spark.createDataFrame(rows, kinds)
    suite = be.from_frame(frame, rollout="attempt")
    assert suite.histogram() == {(1, 2): 1_000}
    assert (suite.ledger.errored, suite.ledger.missing) == (2_000, 1_000)
    assert suite.task.tolist() == list(range(1_000))
    with pytest.raises(be.InputError, match=r"holds 'maybe'.*which is no outcome"):
        be.from_frame(spark.createDataFrame([("a", "maybe")], "task string, passed string"))


@pytest.mark.slow
# Narwhals tells that a package of its own will support Dask one day.
@pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")
def test_dask() -> None:
    dataframe = pytest.importorskip("dask.dataframe", reason="needs dask (pip install dask)")
    check_example(dataframe.from_pandas(pd.DataFrame(EXAMPLE), npartitions=2))
    columns = {
        "task": [at // 4 for at in range(4_000)],
        "passed": [["Yes", "no", "", "error"][at % 4] for at in range(4_000)],
        "attempt": [f"run{at % 4}" for at in range(4_000)],
    }
    frame = dataframe.from_pandas(pd.DataFrame(columns), npartitions=3)
    suite = be.from_frame(frame, rollout="attempt")
    assert suite.histogram() == {(1, 2): 1_000}
    assert (suite.ledger.errored, suite.ledger.missing) == (2_000, 1_000)
    assert suite.task.tolist() == list(range(1_000))
    with pytest.raises(be.InputError, match=r"holds 'Yes'.*--pass-if|texts"):
        be.from_frame(frame, pass_if=0.5)


OUTCOMES: list[list[Any]] = [
    [True, False, None],
    [1, 0, None],
    [1.0, 0.0, None],
    ["yes", "FALSE", None, "", " error ", "1.00", "n/a"],
]


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_as_from_outcomes(maker: str, data: st.DataObject) -> None:
    outcome = data.draw(st.sampled_from(OUTCOMES))
    ids = data.draw(st.sampled_from([["a", "b", "ä"], [3, 1, 10**12]]))
    attempts = data.draw(st.sampled_from([[0, 1, 2], [7, 99, -1], ["x", "y", ""]]))
    row = st.tuples(*map(st.sampled_from, (ids, outcome, attempts)))
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    task, passed, attempt = map(list, zip(*rows, strict=True))
    if all(value is None for value in passed):
        passed[0] = outcome[0]
    frame = MAKERS[maker]({"task": task, "passed": passed, "attempt": attempt})
    rollout = data.draw(st.sampled_from([None, "attempt"]))
    try:
        expected = be.Rollouts.from_outcomes(task, passed, rollout=attempt if rollout else None)
    except be.InputError:
        with pytest.raises(be.InputError, match="has two outcomes"):
            be.from_frame(frame, rollout=rollout)
        return
    suite = be.from_frame(frame, rollout=rollout)
    order = sorted(range(expected.n_tasks), key=lambda at: expected.task[at])
    assert suite.task.tolist() == expected.task[order].tolist()
    for name in ("passes", "trials", "errored", "missing"):
        assert getattr(suite, name).tolist() == getattr(expected, name)[order].tolist()
    assert suite.ledger == expected.ledger


def test_contradictory_records_as_rollouts(make: Make) -> None:
    frame = make(
        {"task": ["a", "a", "a", "b", "b"], "r": [1, 1, 1, 1, 1], "passed": [1, 0, 1, 1, 1]}
    )
    with pytest.raises(
        be.InputError, match=r"task 'a', rollout 1 has two outcomes: pass.* and fail"
    ):
        be.from_frame(frame, rollout="r")
    suite = be.from_frame(frame, rollout="r", duplicates="rollouts")
    assert suite.histogram() == {(1, 1): 1, (2, 3): 1}
    assert suite.ledger.duplicates == 1
    assert "2 records that contradict" in suite.ledger.notes[0]


def test_scores(make: Make) -> None:
    frame = make({"task": [1, 1, 2, 2], "passed": [0.5, 1.0, 0.25, None]})
    suite = be.from_frame(frame, pass_if=">= 0.5")
    assert suite.histogram() == {(0, 1): 1, (2, 2): 1}
    assert suite.ledger.notes == (
        "a score passes if it is >= 0.5; 2 scores between 0 and 1 (partial credit)",
    )
    with pytest.raises(be.InputError, match=r"holds scores, not outcomes.*pass_if="):
        be.from_frame(frame)
    with pytest.raises(be.InputError, match="must be text or a number"):
        be.from_frame(frame, pass_if=bool)  # type: ignore[arg-type]


def test_one_system(make: Make) -> None:
    frame = make({"task": [1, 2], "passed": [1, 0], "model": ["m", "m"]})
    assert be.from_frame(frame, system="model").levels("system") == ("m",)
    frame = make({"task": [1, 2], "passed": [1, 0], "model": ["m", "n"]})
    with pytest.raises(be.InputError, match="names 2 systems or more: 'm', 'n'; filter"):
        be.from_frame(frame, system="model")


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"task": [1], "passd": [1]}, {}, "passed = 'passed' is no column.*did you mean 'passd'"),
        ({"task": ["a", None], "passed": [1, 0]}, {}, "null in some rows"),
        ({"task": [1.5], "passed": [1]}, {}, "must hold texts or whole numbers"),
        ({"task": [1], "passed": [2]}, {}, "holds scores, not outcomes, such as 2"),
        ({"task": [1], "passed": ["maybe"]}, {}, "holds 'maybe'.*which is no outcome"),
        (
            {"task": [1, 1], "passed": [1, 1], "slice": ["x", "y"]},
            {"factors": ["slice"]},
            "factor 'slice' varies within task 1: 'x' and 'y'",
        ),
        (
            {"task": [1, 1], "passed": [1, 1], "slice": ["x", None]},
            {"factors": "slice"},
            "factor 'slice' varies within task 1: 'x' and None",
        ),
        ({"task": [1], "passed": [[1]]}, {}, "no outcome"),
    ],
)
def test_refused(
    make: Make, columns: dict[str, list[Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(be.InputError, match=message):
        be.from_frame(make(columns), **options)


def test_what_is_no_frame() -> None:
    for wrong in (None, [1, 2], {"task": [1]}, "a.csv"):
        with pytest.raises(be.InputError, match="must be a data frame"):
            be.from_frame(wrong)


def test_an_empty_frame(make: Make) -> None:
    empty = {"task": pa.array([], pa.int64()), "passed": pa.array([], pa.bool_())}
    with pytest.raises(be.InputError, match="the suite is empty"):
        be.from_frame(pa.table(empty))


def test_pandas_objects() -> None:
    # Texts beside numbers, and flags beside None: columns of Python objects.
    frame = pd.DataFrame(
        {"task": pd.Series(["8", 8, 8], dtype=object), "passed": pd.Series([True, None, "no"])}
    )
    suite = be.from_frame(frame)
    assert suite.task.tolist() == [8, "8"]
    assert suite.errored.tolist() == [1, 0]


def test_categories() -> None:
    frame = pd.DataFrame({"task": ["a", "b", "b"], "passed": ["pass", "fail", "pass"]})
    suite = be.from_frame(frame.astype("category"))
    assert suite.histogram() == {(1, 1): 1, (1, 2): 1}


def test_flags_as_factors(make: Make) -> None:
    frame = make({"task": [1, 1, 2], "passed": [1, 0, 1], "easy": [True, True, False]})
    assert be.from_frame(frame, factors=["easy"]).factors["easy"].tolist() == [True, False]


def test_nothing_but_counts_leaves_a_lazy_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    heights = []
    collect = pl.LazyFrame.collect

    def counted(self: pl.LazyFrame, *args: Any, **options: Any) -> Any:
        frame = collect(self, *args, **options)
        heights.append(frame.height)
        return frame

    monkeypatch.setattr(pl.LazyFrame, "collect", counted)
    frame = pl.LazyFrame({"task": [at // 100 for at in range(10_000)], "passed": [True] * 10_000})
    assert be.from_frame(frame).n_tasks == 100
    assert max(heights) == 100
