"""Slices of a suite: levels, crossings, and every refusal."""

from typing import Any

import pytest

import bayeseval as be
from bayeseval.slices import split


def suite(**factors: list[Any]) -> be.Rollouts:
    size = len(next(iter(factors.values())))
    return be.Rollouts.from_counts([at % 5 for at in range(size)], 4, factors=factors)


def test_levels_in_order() -> None:
    slices = split(suite(size=[10, 9, 9, 10, 2]), "size")
    assert list(slices) == ["2", "9", "10"]
    assert slices["9"].passes.tolist() == [1, 2]


def test_levels_of_any_kind() -> None:
    slices = split(suite(kind=["東京", None, "Zürich", "", "東京"]), "kind")
    assert set(slices) == {"東京", "(none)", "Zürich", ""}
    assert slices["(none)"].n_tasks == 1
    assert list(slices)[-1] == "(none)"


def test_crossed_factors_have_the_combinations_that_occur() -> None:
    found = suite(slice=["a", "a", "b", "b"], lang=["de", "en", "en", "en"])
    slices = split(found, ["slice", "lang"])
    assert {label: part.n_tasks for label, part in slices.items()} == {
        "a, de": 1,
        "a, en": 1,
        "b, en": 2,
    }
    assert list(split(found, ["lang", "slice"])) == ["de, a", "en, a", "en, b"]


def test_no_task_is_lost() -> None:
    found = suite(slice=list("abcabcaab"))
    assert sum(part.n_tasks for part in split(found, "slice").values()) == found.n_tasks


@pytest.mark.parametrize("levels", [[1, "1"], [True, "True"], [None, "(none)"], [1.0, "1.0"]])
def test_levels_that_read_alike(levels: list[Any]) -> None:
    with pytest.raises(be.InputError, match=r"two levels of kind read .*; rename one of them"):
        split(suite(kind=levels), "kind")


def test_true_and_1_are_two_levels() -> None:
    assert list(split(suite(kind=[True, 1, 1]), "kind")) in (["True", "1"], ["1", "True"])


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("slcie", r"no factor 'slcie' \(did you mean 'slice'\?\); its factors: 'slice', 'lang'"),
        ([], r"by must name one factor or several; got \[\]"),
        (["slice", "slice"], "by names a factor twice"),
        ([3], "by must name one factor or several"),
    ],
)
def test_wrong_factors(by: Any, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        split(suite(slice=["a", "b"], lang=["de", "en"]), by)


def test_a_suite_without_factors() -> None:
    with pytest.raises(be.InputError, match="its factors: none"):
        split(be.Rollouts.from_counts([1], 1), "slice")


def test_a_slice_without_a_score() -> None:
    found = be.Rollouts.from_counts([1, 0], [1, 0], errored=[0, 1], factors={"slice": ["a", "b"]})
    with pytest.raises(be.InputError, match="slice 'b' has no scored rollout: there is nothing"):
        split(found, "slice")


def test_too_many_slices() -> None:
    with pytest.raises(be.InputError, match=r"makes 2,001 slices, more than 2,000; choose"):
        split(suite(task=list(range(2001))), "task")
