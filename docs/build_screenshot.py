"""Take the picture of a report in docs/images/report.png, in Chromium through Playwright.

python docs/build_screenshot.py
"""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import bayeseval as be
from bayeseval.report import make_report

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "report.png"


def main() -> None:
    report = make_report(
        be.read(ROOT / "examples" / "sqlagent.csv"),
        claims=["pass_rate > 0.5", "pass^4 > 0.6"],
        by="slice",
        title="SQL agent, 50 tasks x 4 rollouts",
        rng=1,
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "report.html"
        report.save(page)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page(viewport={"width": 1000, "height": 1500})
        tab.goto(page.as_uri())
        # The name of the file is one of this machine.
        tab.locator(".source").evaluate("(each) => { each.textContent = 'examples/sqlagent.csv'; }")
        picture = Image.open(io.BytesIO(tab.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(128).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
