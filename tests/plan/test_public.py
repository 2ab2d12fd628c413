"""What every plan has in common: names, docstrings, one line, a dictionary."""

import dataclasses
import inspect
import json
from typing import Any

import numpydoc.validate
import pytest

import bayeseval as be

NAMES = be.plan.__all__
RESULTS: list[be.plan.Plan] = [
    be.plan.width(0.8, 0.05),
    be.plan.width_at(0.8, 200),
    be.plan.slices({"a": 0.8}, 0.1),
    be.plan.unpaired_size(0.85, 0.75),
    be.plan.unpaired_power(0.85, 0.75, 180),
    be.plan.paired_size(0.85, 0.75, discordant=0.2),
    be.plan.paired_power(0.85, 0.75, 100, discordant=0.2),
    be.plan.passes(200, above=0.95),
    be.plan.tasks_for_failures(2, above=0.95),
    be.plan.assurance(200, above=0.95, design=be.MixturePrior(((0.5, 1, 1), (0.5, 97, 3)))),
    be.plan.assurance_size(0.5, above=0.95, design=0.97),
    be.plan.clustered_assurance(20, 2, above=0.5, design=(0.8, 0.3), simulations=20, rng=1),
    be.plan.clustered_assurance_size(
        0.5, 2, above=0.5, design=(0.8, 0.3), simulations=20, max_tasks=50, rng=1
    ),
    be.plan.clustered(0.8, 0.3, 0.05),
    be.plan.clustered_design(0.8, 0.3, 50, 4),
    be.plan.clustered_table(0.8, 0.3),
    be.plan.clean_run(0.01),
    be.plan.failure_bound(0, 300),
    be.plan.see_failure(0.01),
]


def test_every_kind_of_result_is_here() -> None:
    kinds = {name for name in NAMES if name[0].isupper()} - {"Plan"}
    assert {type(result).__name__ for result in RESULTS} == kinds


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_a_result_prints_itself_and_is_plain_as_a_dictionary(result: Any) -> None:
    assert repr(result) == result.sentence
    assert "\n" not in repr(result)
    assert result._repr_html_().startswith("<")
    found = result.to_dict()
    assert list(found) == [field.name for field in dataclasses.fields(result)] + ["sentence"]
    assert json.loads(json.dumps(found)) == found
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        result.tasks = 1


@pytest.mark.parametrize("name", NAMES)
def test_documented_parameters_are_the_real_ones(name: str) -> None:
    found = numpydoc.validate.validate(f"bayeseval.plan.{name}")
    wrong = [message for code, message in found["errors"] if code in ("PR01", "PR02")]
    assert not wrong
    value = getattr(be.plan, name)
    if inspect.isfunction(value):
        for section in ("Parameters\n", "Returns\n", "Raises\n", "Examples\n"):
            assert section in found["docstring"] or (name, section) == ("width_table", "Raises\n")
