"""Saving and loading: the same answers, and never half a file."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import bayeseval as be
from tests.hierarchical.suites import SUITES, exact


@pytest.fixture(scope="module")
def odd() -> be.Rollouts:
    """Mixed ids, factors, a task without scores, missing outcomes, notes and a source."""
    return be.Rollouts.from_counts(
        [3, 0, 2, 0, 1],
        [3, 4, 4, 0, 2],
        task=[8, "8", "größe", "idle", -1],
        errored=[1, 0, 0, 4, 0],
        missing=[1, 0, 0, 0, 0],
        factors={"slice": ["a", "b", None, "a", "b"], "level": [1, 2, 3, 4, 5]},
        source="run.csv",
    ).with_notes("columns not used: cost")


def same_answers(one: be.Fit, two: be.Fit) -> None:
    assert (one.engine, one.prior, one.seed, one.checks) == (
        two.engine,
        two.prior,
        two.seed,
        two.checks,
    )
    assert one.notes == two.notes
    assert one.log_marginal == two.log_marginal
    for population in ("new_tasks", "suite", "next_run"):
        first, second = (fit.pass_rate(population=population) for fit in (one, two))
        assert first.mean == second.mean
        assert first.eti() == second.eti()
    assert one.icc().eti() == two.icc().eti()
    for task in one.rollouts.task:
        assert one.task_rate(task).eti() == two.task_rate(task).eti()
    first, second = one.predicted_histogram(), two.predicted_histogram()
    assert np.array_equal(first.upper, second.upper)
    assert one.dt["posterior"].to_dataset().equals(two.dt["posterior"].to_dataset())
    assert (
        one.dt["posterior_predictive"]
        .to_dataset()
        .equals(two.dt["posterior_predictive"].to_dataset())
    )


def same_data(one: be.Rollouts, two: be.Rollouts) -> None:
    assert one.task.tolist() == two.task.tolist()
    assert [type(name) for name in one.task.tolist()] == [type(name) for name in two.task.tolist()]
    for name in ("passes", "trials", "errored", "missing"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert {k: v.tolist() for k, v in one.factors.items()} == {
        k: v.tolist() for k, v in two.factors.items()
    }
    assert (one.ledger, one.source) == (two.ledger, two.source)


def test_round_trip_of_an_exact_fit(odd: be.Rollouts, tmp_path: Path) -> None:
    fit = exact(odd, be.HierarchicalPrior(mean=(2, 1), log_kappa=(1, 1.5)))
    fit.save(tmp_path / "fit.nc")
    loaded = be.load_fit(tmp_path / "fit.nc")
    same_data(fit.rollouts, loaded.rollouts)
    same_answers(fit, loaded)


def test_round_trip_of_a_sampled_fit(odd: be.Rollouts, tmp_path: Path) -> None:
    with pytest.warns(be.CheckWarning):
        fit = be.fit(odd, draws=100, tune=200, chains=2, cores=1, rng=2)
    fit.save(tmp_path / "fit.nc")
    loaded = be.load_fit(tmp_path / "fit.nc")
    same_data(fit.rollouts, loaded.rollouts)
    same_answers(fit, loaded)
    assert fit.dt["sample_stats"].to_dataset().equals(loaded.dt["sample_stats"].to_dataset())
    loaded.save(tmp_path / "again.nc")
    same_answers(fit, be.load_fit(tmp_path / "again.nc"))


def test_a_write_that_breaks_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fit.nc"
    old = exact(SUITES["u_shaped"])
    old.save(path)
    before = path.read_bytes()

    def breaks(self: Path, _: bytes) -> None:
        with self.open("wb") as file:
            file.write(b"half a fi")
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", breaks)
    with pytest.raises(OSError, match="disk full"):
        exact(SUITES["mild"]).save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["fit.nc"]
    assert be.load_fit(path).pass_rate().mean == old.pass_rate().mean


def test_places_that_cannot_be_written(exact_fits: dict[str, be.Fit], tmp_path: Path) -> None:
    fit = exact_fits["mild"]
    for path, message in (
        (tmp_path / "fit.csv", r"must end in \.nc"),
        (tmp_path / "missing" / "fit.nc", "there is no folder"),
        (tmp_path, r"must end in \.nc|a folder"),
    ):
        with pytest.raises(be.InputError, match=message):
            fit.save(path)
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_no_fit(tmp_path: Path) -> None:
    with pytest.raises(be.FormatError, match=r"none\.nc: no such file"):
        be.load_fit(tmp_path / "none.nc")
    text = tmp_path / "text.nc"
    text.write_text("task,passed\n1,true\n")
    with pytest.raises(be.FormatError, match=r"text\.nc: not a netCDF file"):
        be.load_fit(text)
    other = tmp_path / "other.nc"
    xr.DataTree(xr.Dataset({"x": 1.0})).to_netcdf(other, engine="h5netcdf")
    with pytest.raises(be.FormatError, match=r"other\.nc: not a fit saved by this version"):
        be.load_fit(other)
    stripped = tmp_path / "stripped.nc"
    tree = exact(SUITES["u_shaped"]).dt
    for missing in ("prior", "rollouts"):
        damaged = tree.copy()
        if missing == "prior":
            del damaged.attrs["prior"]
        else:
            del damaged["rollouts"]
        damaged.to_netcdf(stripped, engine="h5netcdf")
        with pytest.raises(be.FormatError, match=r"stripped\.nc: not a fit"):
            be.load_fit(stripped)
