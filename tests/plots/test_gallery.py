"""docs/gallery.md: every block runs, and has its picture."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_block_draws_the_picture_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ROOT / "docs" / "build_gallery.py"
    spec = importlib.util.spec_from_file_location("build_gallery", path)
    assert spec is not None
    assert spec.loader is not None
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    monkeypatch.setattr(gallery, "PICTURES", tmp_path)
    monkeypatch.chdir(ROOT)
    gallery.main()
    drawn = {picture.stem for picture in tmp_path.iterdir()}
    text = gallery.PAGE.read_text("utf-8")
    assert drawn == set(re.findall(r"images/gallery/(\w+)\.png", text))
    assert drawn == {picture.stem for picture in (ROOT / "docs/images/gallery").iterdir()}
    assert min(picture.stat().st_size for picture in tmp_path.iterdir()) > 4_000
