"""Weights of slices: shares, counts, files, and every refusal."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval._weights import as_weights, slice_label

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a file of weights."""

    def write(text: str) -> Path:
        path = tmp_path / "production.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_labels_of_levels() -> None:
    assert slice_label("joins") == "joins"
    assert slice_label(("joins", "de")) == "joins, de"
    assert slice_label(None) == "(none)"
    assert slice_label((True, None, 3)) == "True, (none), 3"


# -- shares -------------------------------------------------------------------------------


def test_shares() -> None:
    weights = be.Weights.from_shares({"joins": 0.2, ("lookups", 3): 0.8, None: 0.0})
    assert dict(weights.share) == {"joins": 0.2, "lookups, 3": 0.8, "(none)": 0.0}
    assert weights.count is None


def test_rounding_of_the_sum_is_evened_out() -> None:
    weights = be.Weights.from_shares({"a": 1 / 3, "b": 0.3333333, "c": 0.3333333})
    assert sum(weights.share.values()) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({}, "weights must name at least one slice"),
        ({"a": 0.5, "b": 0.4}, r"weights must sum to 1; got a sum of 0\.9; counts of traffic"),
        ({"a": 20, "b": 80}, "per cent must be divided by 100"),
        ({"a": 1.2, "b": -0.2}, r"weight of 'b' must not be negative; got -0\.2"),
        ({"a": float("nan"), "b": 1.0}, "weight of 'a' must be a finite number"),
        ({"a": "half", "b": 0.5}, "weight of 'a' must be a number; got 'half'"),
        ({1: 0.5, "1": 0.5}, "weights name a slice twice: '1', '1'"),
    ],
)
def test_wrong_shares(shares: dict[object, float], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.Weights.from_shares(shares)


@given(st.dictionaries(names, st.floats(allow_infinity=True, allow_nan=True), max_size=4))
def test_shares_are_taken_or_refused(shares: dict[str, float]) -> None:
    try:
        weights = be.Weights.from_shares(shares)
    except be.InputError:
        return
    assert sum(weights.share.values()) == pytest.approx(1.0)
    assert min(weights.share.values()) >= 0


def test_no_weights_at_all() -> None:
    with pytest.raises(be.InputError, match=r"weights must be a mapping .*; got list"):
        as_weights([0.2, 0.8])  # type: ignore[arg-type]


# -- counts -------------------------------------------------------------------------------


def test_counts_are_the_means_of_a_dirichlet() -> None:
    weights = be.Weights.from_counts({"joins": 3, "lookups": 6}, prior=0.5)
    assert dict(weights.share) == {"joins": 0.35, "lookups": 0.65}
    aligned = weights.align(("lookups", "joins"))
    assert aligned.shares == (0.65, 0.35)
    assert aligned.concentration == (6.5, 3.5)


@pytest.mark.parametrize(
    ("counts", "prior", "message"),
    [
        ({}, 1, "weights must name at least one slice"),
        ({"a": 0, "b": 0}, 1, "counts of traffic are all 0"),
        ({"a": 1.5}, 1, r"count of 'a' must be a whole number; got 1\.5"),
        ({"a": -1, "b": 3}, 1, "count of 'a' must be at least 0; got -1"),
        ({"a": True}, 1, "count of 'a' must be a whole number; got True"),
        ({"a": 1}, 0, "prior must be above 0; got 0"),
    ],
)
def test_wrong_counts(counts: dict[str, int], prior: float, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.Weights.from_counts(counts, prior=prior)


def test_they_survive_a_pickle() -> None:
    for weights in (
        be.Weights.from_counts({"a": 3, "b": 0}, prior=2),
        be.Weights.from_shares({"a": 1}),
    ):
        assert pickle.loads(pickle.dumps(weights)) == weights


# -- what the suite has ---------------------------------------------------------------------


def test_a_slice_without_tasks_is_refused() -> None:
    weights = be.Weights.from_shares({"joins": 0.2, "lookups": 0.7, "joinz": 0.1})
    aligned = weights.align(("joins", "lookups"))
    assert aligned.missing_share == pytest.approx(0.1)
    with pytest.raises(
        be.InputError,
        match=r"slice 'joinz' has weight 0\.1 but no task .*did you mean 'joins'.*bounds",
    ):
        aligned.require_support()


def test_several_are_counted() -> None:
    aligned = be.Weights.from_shares({"a": 0.2, "x": 0.3, "y": 0.5}).align(("a",))
    with pytest.raises(be.InputError, match=r"slice 'x' \(and 1 more\)"):
        aligned.require_support()


def test_no_weight_on_what_there_is() -> None:
    with pytest.raises(be.InputError, match="no slice with a weight has a task"):
        be.Weights.from_shares({"a": 0.0, "x": 1.0}).align(("a",))


def test_a_weight_of_0_needs_no_tasks() -> None:
    aligned = be.Weights.from_shares({"a": 1.0, "x": 0.0}).align(("a",))
    aligned.require_support()
    assert aligned.missing_share == 0.0


def test_a_slice_without_a_weight() -> None:
    weights = be.Weights.from_shares({"joins": 0.2, "lookup": 0.8})
    with pytest.raises(
        be.InputError, match=r"slice 'lookups' has no weight \(did you mean 'lookup'\?\); give"
    ):
        weights.align(("joins", "lookups"))


def test_counted_slices_without_tasks_keep_their_part_of_the_dirichlet() -> None:
    aligned = be.Weights.from_counts({"a": 5, "b": 0, "x": 3, "y": 1}).align(("a", "b"))
    assert aligned.concentration == (6.0, 1.0)
    assert aligned.missing_concentration == 6.0
    assert aligned.missing_share == pytest.approx(6 / 13)


def test_neither_traffic_nor_tasks_is_no_slice() -> None:
    aligned = be.Weights.from_counts({"a": 5, "b": 0, "x": 0}).align(("a", "b"))
    aligned.require_support()
    assert aligned.shares == pytest.approx((6 / 7, 1 / 7))
    assert aligned.missing_concentration == 0.0


# -- files ----------------------------------------------------------------------------------


def test_a_file_of_weights(written: Callable[[str], Path]) -> None:
    weights = be.read_weights(written("slice,weight\njoins,0.2\nlookups,0.8\n"), by="slice")
    assert weights == be.Weights.from_shares({"joins": 0.2, "lookups": 0.8})


def test_a_file_of_counts_with_more_columns(written: Callable[[str], Path]) -> None:
    text = "\ufeffteam,Count,lang,slice\r\nx,203,de,joins\r\n\r\ny,797,en,lookups\r\n"
    weights = be.read_weights(written(text), by=["slice", "lang"])
    assert weights == be.Weights.from_counts({("joins", "de"): 203, ("lookups", "en"): 797})


def test_cells_of_any_script(written: Callable[[str], Path]) -> None:
    text = 'slice,share\n"Zürich, 東京",0.5\n" a\u2028b ",0.25\n,0.25\n'
    weights = be.read_weights(written(text), by="slice")
    # An empty cell is a factor without a value.
    assert list(weights.share) == ["Zürich, 東京", "a\u2028b", "(none)"]


@given(st.lists(names.map(str.strip).filter(bool), min_size=1, max_size=5, unique=True))
def test_every_name_comes_back(tmp_path_factory: pytest.TempPathFactory, slices: list[str]) -> None:
    path = tmp_path_factory.mktemp("weights") / "w.csv"
    quoted = [name.replace('"', '""') for name in slices]
    path.write_text("s,count\n" + "".join(f'"{name}",2\n' for name in quoted), encoding="utf-8")
    assert list(be.read_weights(path, by="s").share) == slices


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file needs a header and one row for each slice"),
        ("slice,weight\n", "the file needs a header and one row"),
        ("slices,weight\na,1\n", r"no column 'slice' \(did you mean 'slices'\?\)"),
        ("slice,slice,weight\na,b,1\n", "the header names column 'slice' twice"),
        ("slice,wait\na,1\n", "must name one column of weights, weight or count; it has 'slice'"),
        ("slice,weight,count\na,1,1\n", "must name one column of weights"),
        ("slice,weight\na,0.5\n\n\na,0.5\n", "line 5 names slice 'a' again"),
        ("slice,weight\na,half\n", r"line 2: weight of 'a' must be a number; got 'half'"),
        ("slice,weight\na,20%\nb,80%\n", "got '20%'; per cent are divided by 100"),
        ("slice,weight\na\n", "line 2 has 1 cells, the header 2"),
        ("slice,weight\na,0,2\n", "line 2 has 3 cells, the header 2; numbers have a decimal point"),
        ("slice,weight\na,nan\nb,1\n", "weight of 'a' must be a finite number"),
        ("slice,weight\na,0.3\nb,0.3\n", r"weights must sum to 1; got a sum of 0\.6"),
        ("slice,count\na,0.5\n", "count of 'a' must be a whole number; got '0.5'"),
        ("slice,count\na,-4\n", "count of 'a' must be at least 0"),
        ("slice,count\na,0\n", "counts of traffic are all 0"),
    ],
)
def test_wrong_files(written: Callable[[str], Path], text: str, message: str) -> None:
    path = written(text)
    with pytest.raises(be.FormatError, match=message) as raised:
        be.read_weights(path, by="slice")
    assert str(raised.value).startswith(f"{path}: ")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(be.FormatError, match=r"gone\.csv: no such file"):
        be.read_weights(tmp_path / "gone.csv", by="slice")


def test_no_text(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("slice,weight\nZürich,1\n".encode("latin-1"))
    with pytest.raises(be.FormatError, match="cannot be read as UTF-8 text"):
        be.read_weights(path, by="slice")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("weights") / "w.csv"
    path.write_text(f"slice,weight\n{text}", encoding="utf-8", errors="replace", newline="")
    try:
        weights = be.read_weights(path, by="slice")
    except be.FormatError:
        return
    assert sum(weights.share.values()) == pytest.approx(1.0)
