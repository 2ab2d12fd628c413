"""examples/plots.py runs as it stands."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "plots.py"


def test_example_makes_four_pictures(tmp_path: Path) -> None:
    runpy.run_path(str(EXAMPLE))["main"](tmp_path / "new")
    pictures = {path.name: path.stat().st_size for path in (tmp_path / "new").iterdir()}
    names = {"posterior.png", "tasks.png", "pass_curve.png", "predictive.png"}
    assert pictures.keys() == names
    assert min(pictures.values()) > 10_000
