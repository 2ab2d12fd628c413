"""Rollouts: making them, what is refused, and what they say."""

import copy
import dataclasses
import pickle
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be

OUTCOMES = st.sampled_from([True, False, None])


@st.composite
def suites(draw: st.DrawFn) -> be.Rollouts:
    trials = draw(st.lists(st.integers(0, 12), min_size=1, max_size=30))
    passes = [draw(st.integers(0, n)) for n in trials]
    errored = [draw(st.integers(0, 3)) for _ in trials]
    missing = [draw(st.integers(0, e)) for e in errored]
    return be.Rollouts.from_counts(passes, trials, errored=errored, missing=missing)


@pytest.fixture
def suite() -> be.Rollouts:
    return be.Rollouts.from_counts(
        [4, 0, 2, 0],
        [4, 4, 3, 0],
        task=["a", "b", 8, "8"],
        errored=[0, 0, 1, 4],
        missing=[0, 0, 0, 3],
        factors={"slice": ["joins", "dates", "joins", None], "level": [1, 2, True, "1"]},
        source="results.csv",
    )


# Counts


def test_fields_of_counts(suite: be.Rollouts) -> None:
    assert suite.n_tasks == 4
    assert suite.n_scored_tasks == 3
    assert suite.n_rollouts == 11
    assert (suite.min_trials, suite.max_trials, suite.equal_trials) == (0, 4, False)
    assert suite.task.tolist() == ["a", "b", 8, "8"]
    assert suite.ledger == be.Ledger(
        tasks=4, tasks_without_score=1, passed=6, failed=5, errored=5, missing=3
    )
    assert (suite.ledger.scored, suite.ledger.attempted) == (11, 16)
    np.testing.assert_array_equal(suite.pass_rate, [1, 0, 2 / 3])
    np.testing.assert_array_equal(suite.scored, [True, True, True, False])


def test_ids_default_to_positions() -> None:
    assert be.Rollouts.from_counts([1, 0], [1, 1]).task.tolist() == [0, 1]


def test_one_number_of_trials_serves_all_tasks() -> None:
    assert be.Rollouts.from_counts([1, 0, 3], 4).trials.tolist() == [4, 4, 4]


def test_whole_floats_are_counts() -> None:
    assert be.Rollouts.from_counts(np.array([1.0, 2.0]), [2.0, 2.0]).passes.tolist() == [1, 2]


def test_arguments_are_neither_altered_nor_shared() -> None:
    passes, task = np.array([1, 2]), np.array([5, 6])
    factor = np.array(["x", "y"], dtype=object)
    rollouts = be.Rollouts.from_counts(passes, 2, task=task, factors={"f": factor})
    passes[0], task[0], factor[0] = 0, 0, "z"
    assert (rollouts.passes[0], rollouts.task[0], rollouts.factors["f"][0]) == (1, 5, "x")


def test_is_immutable(suite: be.Rollouts) -> None:
    cells = suite.cells
    for array in (
        *(suite.task, suite.passes, suite.trials, suite.errored, suite.missing),
        *(suite.factors["slice"], cells.passes, cells.trials, cells.count, cells.index),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        suite.factors["new"] = suite.task  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        suite.source = "other"  # type: ignore[misc]


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_copies_and_pickles(suite: be.Rollouts, twin: Any) -> None:
    other = twin(suite)
    assert str(other) == str(suite)
    assert other.task.tolist() == suite.task.tolist()
    assert not other.passes.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"passes": [5], "trials": [4]}, r"passes must not exceed trials: task 0 has 5 .* of 4"),
        (
            {"passes": [0, 3], "trials": 2, "task": ["a", "b"]},
            r"passes must not exceed trials: task 'b' has 3 passes of 2",
        ),
        ({"passes": [-1], "trials": [4]}, "passes must not be negative; got -1 at position 0"),
        ({"passes": [1], "trials": [-4]}, "trials must not be negative"),
        ({"passes": [0.5], "trials": [4]}, "passes must hold whole numbers; got .*0.5"),
        ({"passes": [1], "trials": [float("nan")]}, "trials must hold whole numbers; got .*nan"),
        ({"passes": ["x"], "trials": [4]}, "passes must hold whole numbers"),
        ({"passes": [1], "trials": [10**30]}, "trials is too large for a count"),
        ({"passes": [1, 1], "trials": [4]}, "trials must have one entry for each of the 2"),
        ({"passes": [1, 1], "trials": 4, "task": [1]}, "task must have one entry for each of"),
        ({"passes": [], "trials": []}, "the suite is empty"),
        ({"passes": [1, 1], "trials": 4, "task": [7, 7]}, "task 7 occurs twice, .* position 1"),
        ({"passes": [1, 1], "trials": 4, "task": ["a", "a"]}, "task 'a' occurs twice"),
        ({"passes": [1], "trials": 4, "task": [1.5]}, "texts or whole numbers; got 1.5"),
        ({"passes": [1], "trials": 4, "task": [True]}, "texts or whole numbers; got True"),
        ({"passes": [1], "trials": 4, "task": "a"}, "task must be a sequence"),
        ({"passes": [1], "trials": 4, "errored": [0], "missing": [1]}, "missing must not exceed"),
        ({"passes": [1], "trials": 4, "errored": [-1]}, "errored must not be negative"),
        ({"passes": [1], "trials": 4, "factors": {"f": [1, 2]}}, "factor 'f' must have one entry"),
        ({"passes": [1], "trials": 4, "factors": {"f": [[1]]}}, r"factor 'f' .* got \[1\]"),
    ],
)
def test_from_counts_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.Rollouts.from_counts(**arguments)


# Single rollouts


@pytest.mark.parametrize(
    ("spelling", "passed"),
    [
        *[(value, True) for value in (True, 1, 1.0, np.True_, np.int64(1), np.float64(1))],
        *[(text, True) for text in ("true", "TRUE", " Yes ", "1", "1.0", "pass", "Passed")],
        *[(value, False) for value in (False, 0, 0.0, np.False_)],
        *[(text, False) for text in ("false", "No", "0", "0.0", "FAIL", "failed")],
    ],
)
def test_outcome_spellings(spelling: Any, passed: bool) -> None:
    rollouts = be.Rollouts.from_outcomes(["a"], [spelling])
    assert (rollouts.passes[0], rollouts.trials[0]) == (int(passed), 1)


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, "", "  ", "null", "None", "NaN"])
def test_missing_outcomes_are_errored_never_failed(value: Any) -> None:
    rollouts = be.Rollouts.from_outcomes(["a", "a"], [value, True])
    assert rollouts.trials.tolist() == [1]
    assert (rollouts.ledger.failed, rollouts.ledger.errored, rollouts.ledger.missing) == (0, 1, 1)


def test_missing_outcomes_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    for passed in (
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([1.0, np.nan, 0.0]),
        pd.Series(["pass", pd.NA, "fail"]),
    ):
        rollouts = be.Rollouts.from_outcomes(pd.Series(["a", "a", "b"]), passed)
        assert repr(rollouts) == "Rollouts(2 tasks x 1 rollout: 1 of 2 passed, 1 errored)"


def test_an_attempt_marked_errored_is_not_missing() -> None:
    rollouts = be.Rollouts.from_outcomes(
        ["a", "a", "a"], [False, None, True], errored=[True, False, False]
    )
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1], [1])
    assert (rollouts.errored.tolist(), rollouts.missing.tolist()) == ([2], [1])


def test_the_text_error_is_errored_not_missing() -> None:
    ledger = be.Rollouts.from_outcomes(["a"], ["error"]).ledger
    assert (ledger.errored, ledger.missing, ledger.tasks_without_score) == (1, 0, 1)


def test_tasks_keep_order_and_type() -> None:
    rollouts = be.Rollouts.from_outcomes([8, "8", "08", 8, "é/ü 🙂"], [1, 0, 1, 1, 0])
    assert rollouts.task.tolist() == [8, "8", "08", "é/ü 🙂"]
    assert rollouts.passes.tolist() == [2, 0, 1, 0]
    from_array = be.Rollouts.from_outcomes(np.array([9, 3, 9, 5]), np.array([1, 0, 1, 1]))
    assert from_array.task.tolist() == [9, 3, 5]
    assert from_array.passes.tolist() == [2, 0, 1]


def test_identical_duplicates_are_merged_and_counted() -> None:
    rollouts = be.Rollouts.from_outcomes(
        ["a", "a", "a", "b", "a"], [1, 0, 1, 1, 1], rollout=[1, 2, 1, 1, 1]
    )
    assert rollouts.ledger.duplicates == 2
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([1, 1], [2, 1])


@pytest.mark.parametrize("second", [False, None])
def test_contradictory_duplicates_are_refused(second: Any) -> None:
    with pytest.raises(be.InputError, match=r"task 'b', rollout 3 has two outcomes: pass at .* 1 "):
        be.Rollouts.from_outcomes(["a", "b", "b"], [True, True, second], rollout=[3, 3, 3])


def test_a_record_without_rollout_id_is_an_attempt_of_its_own() -> None:
    rollouts = be.Rollouts.from_outcomes(["a"] * 3, [True, False, True], rollout=[None, None, 1])
    assert (rollouts.trials.tolist(), rollouts.ledger.duplicates) == ([3], 0)


def test_factors_of_tasks() -> None:
    rollouts = be.Rollouts.from_outcomes(
        ["a", "b", "a"], [1, 0, 1], factors={"slice": ["x", "y", "x"], "none": [None] * 3}
    )
    assert rollouts.factors["slice"].tolist() == ["x", "y"]
    assert rollouts.factors["none"].tolist() == [None, None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": [1], "passed": ["maybe"]}, "'maybe' at position 0, which is no outcome; write"),
        ({"task": [1, 2, 3], "passed": [True, 0.5, "x"]}, "0.5 at position 1, which is no"),
        ({"task": [1, 2], "passed": np.array([1.0, 2.0])}, "2.0 at position 1, which is no"),
        ({"task": [1], "passed": [[1]]}, r"\[1\] at position 0, which is no outcome"),
        ({"task": [1, 2], "passed": [1]}, "passed must have one entry for each of the 2"),
        ({"task": [], "passed": []}, "the suite is empty"),
        ({"task": [None], "passed": [1]}, "texts or whole numbers; got None at position 0"),
        ({"task": [1, 1], "passed": [1, 1], "rollout": [1]}, "rollout must have one entry"),
        ({"task": [1, 1], "passed": [1, 1], "rollout": [[1], 2]}, "rollout must hold texts"),
        ({"task": [1], "passed": [1], "errored": ["x"]}, "errored holds 'x'"),
        ({"task": np.ones((2, 2), int), "passed": [1]}, "one-dimensional"),
        ({"task": 3, "passed": [1]}, "task must be a sequence"),
        (
            {"task": ["a", "b", "b"], "passed": [1, 1, 1], "factors": {"seed": [1, 2, 3]}},
            "factor 'seed' varies within task 'b': 2 and 3; a factor is a property of a task",
        ),
    ],
)
def test_from_outcomes_refuses(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.Rollouts.from_outcomes(**arguments)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", 1, "1"]), OUTCOMES), min_size=1))
def test_every_record_is_accounted_for(records: list[tuple[int | str, bool | None]]) -> None:
    ledger = be.Rollouts.from_outcomes(*zip(*records, strict=True)).ledger
    outcomes = [outcome for _, outcome in records]
    assert ledger.attempted == len(records)
    assert (ledger.passed, ledger.failed, ledger.missing) == tuple(
        sum(outcome is which for outcome in outcomes) for which in (True, False, None)
    )


@given(st.lists(st.tuples(st.integers(0, 4), OUTCOMES), min_size=1), st.randoms())
def test_order_of_records_does_not_matter(
    records: list[tuple[int, bool | None]], random: Any
) -> None:
    def counts(rows: list[tuple[int, bool | None]]) -> set[tuple[int, ...]]:
        rollouts = be.Rollouts.from_outcomes(*zip(*rows, strict=True))
        columns = (rollouts.task, rollouts.passes, rollouts.trials, rollouts.missing)
        return set(zip(*(column.tolist() for column in columns), strict=True))

    shuffled = records.copy()
    random.shuffle(shuffled)
    assert counts(shuffled) == counts(records)


@given(st.lists(st.tuples(st.integers(0, 4), OUTCOMES), min_size=1))
def test_repeating_every_record_only_adds_duplicates(
    records: list[tuple[int, bool | None]],
) -> None:
    task, passed = (list(column) for column in zip(*records, strict=True))
    ids = list(range(len(task)))
    once = be.Rollouts.from_outcomes(task, passed, rollout=ids)
    twice = be.Rollouts.from_outcomes(task * 2, passed * 2, rollout=ids * 2)
    assert twice.ledger == dataclasses.replace(once.ledger, duplicates=len(task))


# Cells


@given(suites())
def test_cells_give_the_counts_back(rollouts: be.Rollouts) -> None:
    cells = rollouts.cells
    np.testing.assert_array_equal(cells.passes[cells.index], rollouts.passes)
    np.testing.assert_array_equal(cells.trials[cells.index], rollouts.trials)
    np.testing.assert_array_equal(cells.count, np.bincount(cells.index))
    pairs = list(zip(cells.trials.tolist(), cells.passes.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert rollouts.histogram() == {
        (s, n): int(((rollouts.passes == s) & (rollouts.trials == n)).sum()) for n, s in pairs
    }


@pytest.mark.parametrize("scale", [10_000, 10**12])
def test_cells_of_very_large_counts(scale: int, rng: np.random.Generator) -> None:
    trials = rng.integers(1, 20, 500) * scale
    passes = trials // rng.integers(1, 4, 500)
    cells = be.Rollouts.from_counts(passes, trials).cells
    expected = sorted(set(zip(trials.tolist(), passes.tolist(), strict=True)))
    assert list(zip(cells.trials.tolist(), cells.passes.tolist(), strict=True)) == expected
    np.testing.assert_array_equal(cells.passes[cells.index], passes)
    np.testing.assert_array_equal(cells.count, np.bincount(cells.index))


def test_a_million_tasks_are_quick(rng: np.random.Generator) -> None:
    passes = rng.binomial(8, 0.6, 1_000_000)
    rollouts = be.Rollouts.from_counts(passes, 8)
    elapsed = []
    for _ in range(3):
        start = time.perf_counter()
        cells = rollouts.cells
        elapsed.append(time.perf_counter() - start)
    assert cells.count.sum() == 1_000_000
    # About 5 ms on an idle machine; a loop over tasks or a sort takes far longer than this.
    assert min(elapsed) < 0.1


# Parts


def test_levels_are_sorted_with_none_last(suite: be.Rollouts) -> None:
    assert suite.levels("slice") == ("dates", "joins", None)
    assert list(map(repr, suite.levels("level"))) == ["1", "True", "2", "'1'"]


def test_where_compares_type_and_value(suite: be.Rollouts) -> None:
    assert suite.where("slice", "joins").task.tolist() == ["a", 8]
    assert suite.where("slice", None).task.tolist() == ["8"]
    assert suite.where("level", 1).task.tolist() == ["a"]
    assert suite.where("level", "1").task.tolist() == ["8"]


def test_a_part_says_that_it_is_one(suite: be.Rollouts) -> None:
    part = suite.where("slice", "joins")
    assert part.ledger.tasks == 2
    assert part.ledger.passed == 6
    assert part.ledger.notes == ("2 of 4 tasks (slice = joins)",)
    assert part.factors["slice"].tolist() == ["joins", "joins"]
    assert part.source == "results.csv"


def test_duplicates_of_a_part_are_those_of_the_whole() -> None:
    whole = be.Rollouts.from_outcomes([1, 1, 2], [1, 1, 0], rollout=[1, 1, 1])
    part = whole.subset([False, True])
    assert part.ledger.duplicates == 1
    assert "counted over all of them" in part.ledger.notes[0]


@given(suites(), st.data())
def test_parts_add_up(rollouts: be.Rollouts, data: st.DataObject) -> None:
    n_tasks = rollouts.n_tasks
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n_tasks, max_size=n_tasks)))
    parts = [rollouts.subset(keep) for keep in (mask, ~mask) if keep.any()]
    for name in ("tasks", "tasks_without_score", "passed", "failed", "errored", "missing"):
        total = sum(getattr(part.ledger, name) for part in parts)
        assert total == getattr(rollouts.ledger, name)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.where("slide", "joins"), r"unknown factor 'slide' \(did you mean 'slice'\?\)"),
        (lambda r: r.where("slice", "join"), r"slice = 'join' \(did you mean 'joins'\?\); the l"),
        (lambda r: r.where("level", 3), "no task has level = 3; the levels of 'level' are: 1, "),
        (lambda r: r.levels("x"), "the factors are: 'slice', 'level'"),
        (lambda r: r.subset([True]), "mask must have one entry for each of the 4"),
        (lambda r: r.subset([0, 1, 1, 0]), "mask must hold True and False; got int64 values"),
        (lambda r: r.subset([False] * 4), "mask keeps no task"),
        (lambda r: r.with_lost("failed"), "as_ must be one of 'exclude', 'fail', 'pass'"),
    ],
)
def test_parts_refuse(suite: be.Rollouts, call: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        call(suite)


# Errored rollouts


def test_with_lost(suite: be.Rollouts) -> None:
    assert suite.with_lost("exclude") is suite
    failed, passed = suite.with_lost("fail"), suite.with_lost("pass")
    assert failed.trials.tolist() == passed.trials.tolist() == [4, 4, 4, 4]
    assert failed.passes.tolist() == [4, 0, 2, 0]
    assert passed.passes.tolist() == [4, 0, 3, 4]
    assert failed.ledger.notes == ("5 errored rollouts are counted as failures",)
    assert passed.ledger.notes == ("5 errored rollouts are counted as passes",)
    assert failed.factors["slice"].tolist() == suite.factors["slice"].tolist()


@given(suites())
def test_with_lost_brackets_the_rate(rollouts: be.Rollouts) -> None:
    failed, passed = rollouts.with_lost("fail"), rollouts.with_lost("pass")
    assert failed.ledger.scored == passed.ledger.scored == rollouts.ledger.attempted
    assert failed.ledger.errored == passed.ledger.missing == 0
    assert passed.ledger.passed - failed.ledger.passed == rollouts.ledger.errored
    if rollouts.n_rollouts:
        rates = [r.ledger.passed / r.ledger.scored for r in (failed, rollouts, passed)]
        assert rates == sorted(rates)


# Text


@pytest.mark.parametrize(
    ("passes", "trials", "expected"),
    [
        ([4, 2], 4, "Rollouts(2 tasks x 4 rollouts: 6 of 8 passed, 0 errored)"),
        ([1], 1, "Rollouts(1 task x 1 rollout: 1 of 1 passed, 0 errored)"),
        ([1, 0], [1, 3], "Rollouts(2 tasks, 1 to 3 rollouts each: 1 of 4 passed, 0 errored)"),
        ([0], 0, "Rollouts(1 task x 0 rollouts: 0 of 0 passed, 0 errored)"),
    ],
)
def test_repr(passes: Any, trials: Any, expected: str) -> None:
    assert repr(be.Rollouts.from_counts(passes, trials)) == expected


def test_describe_equal_trials() -> None:
    text = str(be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4))
    assert "Rollouts per task: equal, 4 each." in text
    assert [line.split()[:4] for line in text.splitlines() if " of 4 " in line] == [
        [str(passes), "of", "4", str(tasks)] for passes, tasks in enumerate([15, 0, 5, 0, 30])
    ]


def test_describe_unequal_trials(suite: be.Rollouts) -> None:
    text = suite.with_notes("a note").describe()
    assert "NOT equal: 0 (1 task), 3 (1 task), 4 (2 tasks)." in text
    lines = [line.strip().split("  ") for line in text.splitlines()]
    bars = {cells[0].strip(): cells[1].strip() for cells in lines if len(cells) > 1}
    assert {name: bars[name] for name in ("none passed", "66.7 %", "not scored")} == {
        "none passed": "1",
        "66.7 %": "1",
        "not scored": "1",
    }
    assert "Note: a note." in text
    assert "Factor slice: dates, joins, None" in text
    assert "results.csv" in text


def test_describe_puts_many_shares_into_tenths() -> None:
    trials = list(range(5, 25))
    text = be.Rollouts.from_counts([3] * 20, trials).describe()
    rows = {line.strip().split("  ")[0] for line in text.splitlines()}
    assert {"none passed", "10-20 %", "60-70 %", "all passed"} <= rows
    # 3 of 10 begins a tenth, and 3 of 11 belongs to the one before.
    shares = [3 / n for n in trials]
    number = sum(0.2 <= share < 0.3 for share in shares)
    assert next(line for line in text.splitlines() if "20-30 %" in line).split()[2] == f"{number}"


def test_describe_keeps_a_long_path_in_one_piece() -> None:
    path = "/results/" + "x" * 90 + ".csv"
    suite = replace(be.Rollouts.from_counts([1, 0], 1), source=path)
    lines = suite.describe().splitlines()
    assert lines[:2] == [f"{path}:", "2 tasks x 1 rollout: 1 of 2 passed, 0 errored"]


@given(suites())
def test_describe_fits_80_columns_and_counts_every_task(rollouts: be.Rollouts) -> None:
    text = rollouts.describe()
    assert all(len(line) <= 80 for line in text.splitlines())
    histogram = text.split("\n\n")[2].splitlines()[1:]
    numbers = [int(line.rstrip("█▏▎▍▌▋▊▉ ").split()[-1]) for line in histogram]
    assert sum(numbers) == rollouts.n_tasks


def test_ledger_text(suite: be.Rollouts) -> None:
    lines = suite.ledger.lines()
    assert "rollouts errored (not scored)   5" in lines
    assert "of these, no outcome recorded   3" in lines
    assert str(suite.ledger) == "\n".join(lines)


def test_html_is_escaped() -> None:
    html = be.Rollouts.from_counts([1], 1).with_notes("<script>")._repr_html_()
    assert "1 task x 1 rollout: 1 of 1 passed" in html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
