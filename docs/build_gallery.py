"""Draw the pictures of docs/gallery.md by running the code blocks of that page.

    python docs/build_gallery.py

Each block that ends in an Axes named ``ax`` becomes docs/images/gallery/NAME.png, with the name
of the picture that stands above it.
"""

import io
import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "images" / "gallery"

ENTRY = re.compile(
    r"\]\(images/gallery/(?P<name>\w+)\.png\)\n\n```python\n(?P<code>.*?)^```$", re.S | re.M
)
FIRST = re.compile(r"```python\n(?P<code>.*?)^```$", re.S | re.M)


def main() -> None:
    import matplotlib.pyplot as plt
    from PIL import Image

    text = PAGE.read_text("utf-8")
    first = FIRST.search(text)
    assert first is not None
    names: dict[str, Any] = {}
    os.chdir(ROOT)
    exec(first["code"], names)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for entry in ENTRY.finditer(text):
        exec(entry["code"], names)
        file = io.BytesIO()
        names["ax"].figure.savefig(file, dpi=110, format="png")
        plt.close("all")
        picture = Image.open(file).convert("RGB").quantize(64)
        picture.save(PICTURES / f"{entry['name']}.png", optimize=True)


if __name__ == "__main__":
    main()
