"""The study in small: what it finds, how it goes on, and that its page is current."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.calibration import __main__ as main
from benchmarks.calibration import claims, clustered, ranks, sampled, shapes, study, suites, tables
from benchmarks.calibration import summary as of
from benchmarks.calibration.cell import Cell, Store
from benchmarks.calibration.rank_tests import uniformity

ROOT = Path(__file__).parents[2]


def errors(coverage: float, runs: int, expected: float = 0.95) -> float:
    """Distance from what is expected, in Monte Carlo errors."""
    return abs(coverage - expected) / math.sqrt(expected * (1 - expected) / runs)


@pytest.mark.parametrize("tasks", [2, 20])
def test_the_generating_prior_covers(tasks: int) -> None:
    found = clustered.work(np.random.default_rng(11), tasks=tasks, generating="prior", runs=1_500)
    ours = found["methods"]["uniform"]
    assert errors(ours["coverage"], 1_500) < 4
    assert errors(ours["below"], 1_500, 0.025) < 4
    assert errors(ours["above"], 1_500, 0.025) < 4
    assert found["agreement"]["limits"] < 1e-4


def test_another_spread_is_covered_and_others_fail() -> None:
    found = clustered.work(
        np.random.default_rng(12), tasks=20, generating="exponential", runs=2_000
    )["methods"]
    assert 0.93 < found["uniform"]["coverage"] < 0.97
    # Known to two digits from elsewhere; half a point is their rounding.
    for method, expected in (("clustered_clt", 0.87), ("pooled_wilson", 0.73), ("bootstrap", 0.86)):
        slack = 4 * math.sqrt(expected * (1 - expected) / 2_000) + 0.01
        assert found[method]["coverage"] == pytest.approx(expected, abs=slack)


def test_a_cell_of_suites() -> None:
    components = [[1.0, 0.65, 0.5]]
    found = suites.work(
        np.random.default_rng(13), tasks=50, components=components, runs=600, some=200
    )
    methods = found["methods"]
    for method in ("uniform", "arcsine", "known_icc"):
        # 93 % and 97 % are the bounds; four errors beyond them are luck.
        assert errors(methods[method]["coverage"], 600) < 4 + 0.02 / math.sqrt(0.0475 / 600)
        assert methods[method]["coverage"] + methods[method]["below"] + methods[method][
            "above"
        ] == pytest.approx(1)
    assert methods["pooled_wilson"]["coverage"] < 0.88
    assert methods["uniform"]["width"] / methods["known_icc"]["width"] < 1.1
    assert found["agreement"]["below"] < 1e-4
    default = found["alternatives"]["mean Beta(1, 1), ICC Beta(1, 1)"]
    assert default["coverage"] == methods["uniform"]["coverage"]


def test_true_values_are_those_of_a_simulation() -> None:
    import bayeseval as be

    mixture = suites.MIXTURES["U .65"]
    truth = be.simulate(10, 4, mixture=mixture, rng=1).truth
    found = suites.true_values([list(each) for each in mixture])
    assert found["rate"] == pytest.approx(truth.pass_rate())
    assert found["icc"] == pytest.approx(truth.icc)
    assert found["pass^8"] == pytest.approx(truth.pass_hat_k(8))
    assert found["pass@4"] == pytest.approx(truth.pass_at_k(4))


def test_claims_are_true_as_often_as_stated() -> None:
    found = claims.work(np.random.default_rng(14), tasks=20, runs=1_500)
    scores = tables.z_scores({"20 tasks": found})
    assert len(scores) > 60
    # Of a hundred normal deviations, the farthest exceeds 4.5 once in 1,500 such tests.
    assert max(map(abs, scores)) < 4.5
    for coverage in found["coverage"].values():
        assert errors(coverage["coverage"], 1_500) < 4


def test_a_wrong_probability_is_seen() -> None:
    rng = np.random.default_rng(1)
    stated = rng.random(3_000)
    curve = claims.curve(np.clip(stated + 0.06, 0, 1), rng.random(3_000) < stated)
    assert max(map(abs, tables.z_scores({"": {"curves": {"": curve}}}))) > 4.5


def test_ranks_are_uniform_without_a_sampler() -> None:
    rng = np.random.default_rng(15)
    for found in (
        ranks.conjugate(rng, repetitions=400),
        ranks.exact(rng, repetitions=12),
        ranks.tables(rng, repetitions=30),
    ):
        for values in found.values():
            assert uniformity(values) > 1e-4


def test_ranks_of_a_wrong_posterior_are_not() -> None:
    # As of intervals that are a third too narrow.
    rng = np.random.default_rng(1)
    from scipy import stats

    assert uniformity(stats.norm.cdf(1.5 * rng.normal(size=300)).tolist()) < 1e-4


@pytest.mark.slow
def test_every_sampled_model_and_population_has_ranks() -> None:
    rng = np.random.default_rng(16)
    for work in (
        ranks.populations,
        sampled.nuts,
        sampled.slices,
        sampled.two_systems,
        sampled.three_systems,
    ):
        for values in work(rng, repetitions=1).values():
            assert len(values) == 1
            assert 0 <= values[0] <= 1


def test_real_shapes(shared: Path) -> None:
    assert len(shapes.recoverable()) == 34
    found = shapes.work(np.random.default_rng(17), tasks=50, row=3, runs=200)
    ours = found["methods"]["uniform"]["pass^1"]["coverage"]
    assert ours > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 200) - 0.02
    assert set(found["methods"]["bootstrap"]) == {"pass^1", "pass^2", "pass^3", "pass^4"}


def test_rows_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    assert shapes.recoverable(tmp_path / "none.json") == []
    assert "not at hand" in tables.shapes({})


# -- cells ------------------------------------------------------------------------------


def draw(rng: np.random.Generator, *, size: int) -> Any:
    return {"numbers": rng.random(size).tolist()}


def fail(rng: np.random.Generator) -> Any:
    raise AssertionError("a cell that is done must not run again")


@pytest.fixture
def cells() -> list[Cell]:
    return [Cell("part", f"cell {at}/x", draw, {"size": 3}) for at in range(3)]


def test_cells_have_their_own_seeds(cells: list[Cell], tmp_path: Path) -> None:
    found = study.run_cells(cells, Store(tmp_path / "a"), cores=1)["part"]
    again = study.run_cells(cells[::-1], Store(tmp_path / "b"), cores=1)["part"]
    assert found == again
    assert len({tuple(each["numbers"]) for each in found.values()}) == 3


def test_what_is_done_is_not_run_again(cells: list[Cell], tmp_path: Path) -> None:
    store = Store(tmp_path)
    first = study.run_cells(cells[:2], store, cores=1)["part"]
    rest = [*(Cell(each.part, each.name, draw, each.options) for each in cells[2:])]
    kept = [Cell(each.part, each.name, fail, each.options) for each in cells[:2]]
    found = study.run_cells([*kept, *rest], store, cores=1)["part"]
    assert {name: found[name] for name in first} == first
    assert len(found) == 3


def test_other_options_and_broken_files_are_run_again(cells: list[Cell], tmp_path: Path) -> None:
    store = Store(tmp_path)
    study.run_cells(cells, store, cores=1)
    other = Cell("part", cells[0].name, draw, {"size": 4})
    assert store.get(other) is None
    store.path(cells[1]).write_text('{"version": 1, "opt', encoding="utf-8")
    assert store.get(cells[1]) is None
    found = study.run_cells([other, cells[1]], store, cores=1)["part"]
    assert [len(each["numbers"]) for each in found.values()] == [4, 3]


def test_two_cores_give_the_same_numbers(tmp_path: Path) -> None:
    few = clustered.cells(0.0)[:2]
    one = study.run_cells(few, Store(tmp_path / "one"), cores=1)
    two = study.run_cells(few, Store(tmp_path / "two"), cores=2)
    assert one == two


def test_names_of_cells_differ() -> None:
    names = [(cell.part, cell.name) for cell in study.cells_of(study.PARTS, 1.0)]
    assert len(names) == len(set(names))
    assert sum(part == "suites" for part, _ in names) == 6 * (4 * 3 + 3)
    folder = Store(Path("x"))
    paths = {folder.path(cell) for cell in study.cells_of(study.PARTS, 1.0)}
    assert len(paths) == len(names)


# -- the page ---------------------------------------------------------------------------


def test_the_page_is_current() -> None:
    text = main.PAGE.read_text(encoding="utf-8")
    assert tables.page(text, main.load()) == text, "python -m benchmarks.calibration --render"


def test_the_page_shows_every_table() -> None:
    text = main.PAGE.read_text(encoding="utf-8")
    assert sorted(tables.names_of(text)) == sorted(tables.BLOCKS)


def test_results_are_those_of_the_whole_study() -> None:
    results = main.load()
    assert main.RESULTS.stat().st_size < 250_000
    suite_cells = {cell.name for cell in suites.cells(1.0)}
    assert set(results["suites"]["cells"]) == suite_cells
    assert results["suites"]["runs"] == suites.RUNS
    assert results["clustered"]["prior 2 tasks"]["runs"] == clustered.RUNS
    assert len(results["sampled"]["NUTS"]["ICC"]) == sampled.NUTS
    assert len(results["ranks"]["exact"]["ICC"]) == ranks.EXACT


def test_kept_results_say_what_is_claimed() -> None:
    results = main.load()
    for name, cell in results["clustered"].items():
        coverage = cell["methods"]["uniform"][0]
        if name.startswith("prior"):
            assert errors(coverage, cell["runs"]) < 4
        else:
            assert of.within(coverage)
    for differences in results["agreement"].values():
        assert float(differences["limits"]) < 1e-4
        assert float(differences["below"]) < 1e-3


@pytest.mark.parametrize("name", ["coverage", "claims", "ranks"])
def test_figures_are_there_and_small(name: str) -> None:
    assert (ROOT / f"docs/images/evidence_{name}.png").stat().st_size < 200_000
