"""Plans against reference values: every case of planning.json."""

from collections.abc import Callable
from typing import Any

import pytest

import bayeseval as be

Vectors = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def cases(vectors: Vectors) -> Callable[[str], list[dict[str, Any]]]:
    """The cases of one kind, which must exist."""

    def of(kind: str) -> list[dict[str, Any]]:
        found = [entry for entry in vectors("planning") if entry["case"]["kind"] == kind]
        assert found
        return found

    return of


def _known(value: Any) -> Any:
    """UNKNOWN is null in the file."""
    return None if isinstance(value, be.Unknown) else value


def _same(got: Any, expected: float | None, entry: dict[str, Any]) -> None:
    if expected is None:
        assert isinstance(got, be.Unknown)
    else:
        assert got == pytest.approx(expected, abs=entry["tolerance"]["abs"], rel=0)


def test_every_kind_of_case_has_its_test(vectors: Vectors) -> None:
    assert {entry["case"]["kind"] for entry in vectors("planning")} == {
        "wilson_n", "clopper_pearson_n", "two_proportion_n", "two_proportion_power",
        "zero_failures", "zero_failure_n", "min_passes", "min_tasks_with_failures", "assurance",
        "gate_pass_probability",
    }  # fmt: skip


def test_wilson(cases: Any) -> None:
    for entry in cases("wilson_n"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.width(case["p"], case["half_width"], ci_prob=case["level"])
        assert plan.tasks == expected["n"]
        assert plan.tasks_whole == expected["n_integer_passes"]
        _same(plan.half_width_at, expected["half_width_at_n"], entry)
        _same(plan.half_width_before, expected["half_width_at_n_minus_1"], entry)
        wald = be.plan.width(case["p"], case["half_width"], ci_prob=case["level"], method="wald")
        assert wald.tasks == expected["n_wald"]


def test_clopper_pearson(cases: Any) -> None:
    for entry in cases("clopper_pearson_n"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.width(
            case["p"], case["half_width"], ci_prob=case["level"], method="clopper_pearson"
        )
        assert plan.tasks == expected["n_real_passes"]
        assert plan.tasks_whole == expected["n_integer_passes"]
        _same(plan.half_width_at, expected["half_width_at_n"], entry)


def test_two_proportion_sizes(cases: Any) -> None:
    for entry in cases("two_proportion_n"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.unpaired_size(
            case["p1"], case["p2"], alpha=case["alpha"], power=case["power"]
        )
        assert plan.tasks == expected["n_per_group"]
        assert plan.tasks_corrected == expected["n_per_group_fleiss_cc"]
        _same(plan.tasks_real, expected["n_real"], entry)
        _same(plan.at.power, expected["power_at_n"], entry)


def test_two_proportion_power(cases: Any) -> None:
    enumerated = 0
    for entry in cases("two_proportion_power"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.unpaired_power(
            case["p1"], case["p2"], case["n_per_group"], alpha=case["alpha"]
        )
        _same(plan.power, expected["power"], entry)
        _same(plan.power_both_tails, expected["power_both_tails"], entry)
        if "exact_power_pooled_z" in expected:
            _same(plan.exact_power, expected["exact_power_pooled_z"], entry)
            enumerated += 1
    assert enumerated


def test_zero_failures(cases: Any) -> None:
    for entry in cases("zero_failures"):
        case, expected = entry["case"], entry["expected"]
        bound = be.plan.failure_bound(0, case["n"], confidence=case["level"])
        _same(bound.upper, expected["exact_upper_one_sided"], entry)
        _same(bound.upper_two_sided, expected["clopper_pearson_upper_two_sided"], entry)
        _same(bound.upper_uniform, expected["bayes_uniform_upper"], entry)
        _same(bound.upper_jeffreys, expected["bayes_jeffreys_upper"], entry)
        _same(bound.rule_of_three, expected["rule_of_three"], entry)
        _same(bound.log_rule, expected["minus_ln_alpha_over_n"], entry)


def test_zero_failure_sizes(cases: Any) -> None:
    for entry in cases("zero_failure_n"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.clean_run(case["max_failure_rate"], confidence=case["level"])
        assert plan.tasks == expected["n_exact"]
        assert plan.tasks_uniform == expected["n_bayes_uniform"]
        assert plan.tasks_rule_of_three == expected["n_rule_of_three"]


def test_fewest_passes(cases: Any) -> None:
    for entry in cases("min_passes"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.passes(
            case["n"],
            above=float(case["t"]),
            confidence=float(case["c"]),
            prior=tuple(case["prior"]),
        )
        assert _known(plan.passes) == expected["min_passes"]
        _same(plan.prob_at, expected["pr_at_min"], entry)
        _same(plan.prob_one_less, expected["pr_one_less"], entry)


def test_fewest_tasks_with_failures(cases: Any) -> None:
    for entry in cases("min_tasks_with_failures"):
        case = entry["case"]
        plan = be.plan.tasks_for_failures(
            case["failures"],
            above=float(case["t"]),
            confidence=float(case["c"]),
            prior=tuple(case["prior"]),
        )
        assert plan.tasks == entry["expected"]["n"]


def test_assurance(cases: Any) -> None:
    for entry in cases("assurance"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.assurance(
            case["n"],
            above=float(case["t"]),
            confidence=float(case["c"]),
            design=tuple(case["design_prior"]),
            prior=tuple(case["analysis_prior"]),
        )
        _same(plan.assurance, expected["assurance"], entry)
        assert _known(plan.passes) == expected["min_passes"]
        _same(plan.ceiling, expected["prior_pr_gt_t"], entry)


def test_a_known_rate(cases: Any) -> None:
    for entry in cases("gate_pass_probability"):
        case, expected = entry["case"], entry["expected"]
        plan = be.plan.assurance(
            case["n"],
            above=float(case["t"]),
            confidence=float(case["c"]),
            design=case["true_p"],
            prior=tuple(case["analysis_prior"]),
        )
        _same(plan.assurance, expected["probability"], entry)
        assert _known(plan.passes) == expected["min_passes"]
