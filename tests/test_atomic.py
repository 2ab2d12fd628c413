"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

import bayeseval as be
from bayeseval._atomic import as_output_path, atomic_path


def test_writes_a_new_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.png"
    with atomic_path(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".png"
        assert not target.exists()
        temporary.write_text("whole")
    assert target.read_text() == "whole"
    assert os.listdir(tmp_path) == ["out.png"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_ends_early_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "out.nc"
    target.write_text("old")

    def write() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.nc"]


def test_a_new_file_has_the_usual_rights_and_a_replaced_one_keeps_its_own(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    with atomic_path(tmp_path / "new") as temporary:
        temporary.write_text("x")
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode
    plain.chmod(0o640)
    with atomic_path(plain) as temporary:
        temporary.write_text("x")
    assert plain.stat().st_mode & 0o777 == 0o640


def test_follows_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    real = tmp_path / "elsewhere" / "real.txt"
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    with atomic_path(link) as temporary:
        temporary.write_text("x")
    assert link.is_symlink()
    assert real.read_text() == "x"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match=r"out\.png: there is no folder .*nowhere"):
        as_output_path(tmp_path / "nowhere" / "out.png")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(be.InputError, match="a folder; name a file in it"):
        as_output_path(tmp_path)


def test_a_folder_without_the_right_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever runs the tests may be allowed to write everywhere, as root is.
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with pytest.raises(be.InputError, match="is not writable"):
        as_output_path(tmp_path / "out.png")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(be.InputError, match=r"there is no folder .*file"):
        as_output_path(tmp_path / "file" / "out.png")


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"], ids=["too long", "with a null"])
def test_an_impossible_name_is_an_input_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(be.InputError, match="cannot be written"), atomic_path(f"{tmp_path}/{name}"):
        pass


@pytest.mark.parametrize("name", ["out.jpg", "out", "png", ".png"])
def test_another_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(be.InputError, match=r"must end in \.png or \.svg"):
        as_output_path(tmp_path / name, suffixes=(".png", ".svg"))


def test_a_suffix_may_be_in_capitals(tmp_path: Path) -> None:
    assert as_output_path(tmp_path / "A.PNG", suffixes=(".png",)) == (tmp_path / "A.PNG").resolve()
