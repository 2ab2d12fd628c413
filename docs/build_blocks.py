"""Run the commands in README.md and docs/*.md, and write their output below them.

    python docs/build_blocks.py              rewrite the pages whose output has changed
    python docs/build_blocks.py --check      change nothing; exit with 1 where one would change
    python docs/build_blocks.py --figure     draw the figures in docs/images afresh

Blocks marked ``console`` hold commands after ``$``, and blocks marked ``pycon`` hold Python
after ``>>>``, one session for each page. Other blocks are left alone. A comment on the line
above a block leaves parts of long output out, which ``[...]`` then stands for:

    <!-- from="start of the first line to keep" before="start of the first line to leave out" -->
"""

import argparse
import contextlib
import difflib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from bayeseval.errors import BayesevalError

ROOT = Path(__file__).parents[1]
FIGURE = ROOT / "docs" / "images" / "sqlagent.png"
POPULATIONS = ROOT / "docs" / "images" / "populations.png"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
OMITTED = "[...]"

BLOCK = re.compile(
    r"(?P<head>(?:<!-- (?P<options>[a-z]+=.*?) -->\n)?```(?P<kind>console|pycon)\n)"
    r"(?P<body>.*?)(?P<foot>^```$)",
    re.DOTALL | re.MULTILINE,
)


def rebuilt(text: str) -> str:
    """The page with the output of its blocks as it is now."""
    session: dict[str, object] = {"__name__": "__main__"}

    def renew(match: re.Match[str]) -> str:
        options = dict(
            part.split("=", 1) for part in shlex.split(match["options"] or "", comments=False)
        )
        if unknown := options.keys() - {"from", "before"}:
            raise SystemExit(f"unknown option above a block: {', '.join(sorted(unknown))}")
        body = match["body"]
        made = _shell(body, options) if match["kind"] == "console" else _python(body, session)
        return match["head"] + made + match["foot"]

    with _workplace():
        return BLOCK.sub(renew, text)


@contextlib.contextmanager
def _workplace() -> Iterator[None]:
    """An empty folder with the examples in it, so that commands leave nothing behind."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _shell(body: str, options: dict[str, str]) -> str:
    """Each command of the block, followed by what it prints."""
    commands = [line for line in body.splitlines() if line.startswith("$ ")]
    parts = []
    for command in commands:
        output = _run(shlex.split(command.removeprefix("$ "), comments=True))
        lines = [line.rstrip() for line in output.strip("\n").splitlines()]
        parts.append("\n".join([command, *_kept(lines, options)]))
    return "\n\n".join(parts) + "\n"


def _run(command: list[str]) -> str:
    programs = {
        "bayeseval": [sys.executable, "-m", "bayeseval"],
        "python": [sys.executable],
    }
    if command[0] not in programs:
        raise SystemExit(f"blocks run {' and '.join(programs)} only, not {command[0]}")
    run = subprocess.run(
        [*programs[command[0]], *command[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env={
            **os.environ,
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
        },
        check=False,
    )
    # Mistakes are part of the pages, and end with 2; a gate may end with 1 or 3. Anything
    # else is a fault.
    expected = (0, 1, 2, 3) if command[:2] == ["bayeseval", "gate"] else (0, 2)
    if run.returncode not in expected:
        raise SystemExit(f"{shlex.join(command)} ended with {run.returncode}:\n{run.stdout}")
    return run.stdout


def _kept(lines: list[str], options: dict[str, str]) -> list[str]:
    first = _position(lines, options["from"], 0) if "from" in options else 0
    end = _position(lines, options["before"], first) if "before" in options else len(lines)
    kept = [*([OMITTED] if first > 0 else []), *lines[first:end]]
    while kept[-1:] == [""]:
        kept.pop()
    return kept + ([OMITTED] if end < len(lines) else [])


def _position(lines: list[str], start: str, begin: int) -> int:
    for at in range(begin, len(lines)):
        if lines[at].startswith(start):
            return at
    printed = "\n".join(lines)
    raise SystemExit(f"no line of the output begins with {start!r}:\n{printed}")


def _python(body: str, session: dict[str, object]) -> str:
    """Each statement of the block, followed by what it prints."""
    parts = []
    for example in doctest.DocTestParser().get_examples(body):
        first, *more = example.source.rstrip("\n").split("\n")
        shown = "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in more)])
        parts.append(f"{shown}\n{_output(example.source, session)}")
    return "".join(parts)


def _output(source: str, session: dict[str, object]) -> str:
    captured = io.StringIO()
    with contextlib.redirect_stdout(captured):
        try:
            exec(compile(source, "<block>", "single"), session)
        except BayesevalError as error:
            # Mistakes of the user may be shown; anything else is a fault of the page.
            print("Traceback (most recent call last):\n    ...")
            print(traceback.format_exception_only(error)[-1], end="")
    return "".join(f"{line.rstrip()}\n" for line in captured.getvalue().splitlines())


def draw_figures() -> None:
    """All figures, small enough to lie in the repository."""
    FIGURE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / FIGURE.name
        command = ["bayeseval", "fit", "examples/sqlagent.csv", "--engine", "exact"]
        with _workplace():
            _run([*command, "--seed", "1", "--plot", str(drawn)])
        _keep(drawn, FIGURE)
        drawn = Path(folder) / POPULATIONS.name
        draw_populations(drawn)
        _keep(drawn, POPULATIONS)


def _keep(drawn: Path, figure: Path) -> None:
    from PIL import Image

    with Image.open(drawn) as image:
        image.convert("RGB").quantize(256).save(figure, optimize=True)


def draw_populations(path: Path) -> None:
    """One suite, three questions: what is drawn anew, and how wide the answer is."""
    import matplotlib.pyplot as plt
    import numpy as np

    import bayeseval as be
    from bayeseval.plots import _style as style

    fit = be.fit(be.read(ROOT / "examples" / "sqlagent.csv"), engine="exact")
    rows = (
        ("new_tasks", "other tasks from the same source", "Release to users who\nbring new tasks"),
        ("suite", "these tasks, rollouts without end", "Accept for a fixed\nlist of jobs"),
        ("next_run", "these tasks, as many rollouts again", "Tell an improvement\nfrom a rerun"),
    )
    figure, panels = plt.subplots(
        3, 1, figsize=(6.4, 4.2), sharex=True, layout="constrained", facecolor="white"
    )
    x = np.linspace(0.35, 0.95, 1201)
    for ax, (population, anew, decision) in zip(panels, rows, strict=True):
        rate = fit.pass_rate(population=population)
        if population == "next_run":
            step = float(np.diff(rate.values[rate.probabilities > 1e-9]).min())
            ax.bar(rate.values, rate.probabilities / step, 0.7 * step, color=style.POSTERIOR)
        else:
            ax.fill_between(x, rate.pdf(x), color=style.POSTERIOR, alpha=0.25, linewidth=0)
            ax.plot(x, rate.pdf(x), color=style.POSTERIOR, linewidth=1.4)
        top = ax.get_ylim()[1]
        lower, upper = rate.eti()
        ax.plot([lower, upper], [-0.09 * top] * 2, color=style.INK, linewidth=2.2)
        ax.set_ylim(-0.17 * top, 1.02 * top)
        ax.set_xlim(0.35, 0.95)
        ax.set_yticks([])
        for name, spine in ax.spines.items():
            spine.set_visible(name == "bottom")
            spine.set_color(style.INK)
        ax.tick_params(colors=style.INK, labelsize=style.TEXT)
        limits = f"95 % CrI {100 * lower:.1f}-{100 * upper:.1f} %"
        for at, text, size, colour, weight in (
            (0.92, population, style.TEXT + 1, style.INK, "bold"),
            (0.68, anew, style.SMALL, style.QUIET, "normal"),
            (0.50, limits, style.SMALL, style.QUIET, "normal"),
        ):
            ax.text(
                0.0, at, text, transform=ax.transAxes, fontsize=size, color=colour, weight=weight,
                va="top",
            )  # fmt: skip
        ax.text(
            1.0, 0.92, decision, transform=ax.transAxes, fontsize=style.TEXT, color=style.INK,
            va="top", ha="right",
        )  # fmt: skip
    panels[-1].xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    panels[-1].set_xlabel(
        "pass rate: one suite, 50 tasks x 4 rollouts", fontsize=style.TEXT, color=style.INK
    )
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, only compare")
    parser.add_argument("--figure", action="store_true", help="draw the figures afresh")
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    given = parser.parse_args()
    if given.figure:
        draw_figures()
        return 0
    stale = 0
    for page in given.pages:
        before = page.read_text(encoding="utf-8")
        after = rebuilt(before)
        if before == after:
            continue
        stale += 1
        if given.check:
            name = str(page)
            print(
                *difflib.unified_diff(before.split("\n"), after.split("\n"), name, name), sep="\n"
            )
        else:
            page.write_text(after, encoding="utf-8")
            print(f"{page}: rewritten")
    return int(given.check and stale > 0)


if __name__ == "__main__":
    sys.exit(main())
