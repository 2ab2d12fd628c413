"""Write docs/formats.md from the readers themselves.

    python docs/build_formats.py             rewrite the page
    python docs/build_formats.py --check     change nothing; exit with 1 where it would change

The part on a format is the docstring of its module; the lists are those of the registry.
"""

import argparse
import inspect
import re
import sys
from pathlib import Path

from bayeseval.io._registry import FORMATS

PAGE = Path(__file__).with_name("formats.md")

INTRODUCTION = """\
<!-- Written by docs/build_formats.py; edit that script or the docstrings in bayeseval/io. -->

# Formats

`be.read(path)` and every command that takes FILE recognise a file by its content. `--format NAME`
insists on a format. `bayeseval show FILE` says what a file was read as, and is the first thing to
run on a new one; of a file with several systems it lists what there is of each.
"""

OPTIONS = [
    (
        "`FILE...`",
        "several files, folders, patterns (`'runs/*.json'`), `-` for standard input; "
        "packed by gzip or not",
    ),
    (
        "`--as rollouts`",
        "several files are runs of one system: tasks are joined by their ids, and "
        "a note says how many are in all files and how many in some",
    ),
    ("`--as tasks`", "several files are parts of one suite, which share no task"),
    ("`--as systems`", "one file per system; `--system` picks one"),
    ("`--system NAME`", "which system, where there are several"),
    (
        "`--scorer`, `--metric`, `--filter NAME`",
        "which outcome, where a file has several; the error that asks lists them",
    ),
    (
        "`--pass-if '>= 0.5'`",
        "which scores pass; full credit by default. A note counts partial credit",
    ),
    ("`--errors exclude`", "errored rollouts leave the denominator, and are counted (default)"),
    ("`--errors fail`", "they are failures"),
    ("`--errors bounds`", "every answer three ways: left out, all failed, all passed"),
    (
        "`--errors model`",
        "of `fit`: left out, with a table of answers by the odds that they would have passed; see "
        "[](sensitivity.md)",
    ),
    (
        "`--duplicates rollouts`",
        "contradictory records of one task and rollout are further "
        "rollouts instead of an error. Those that agree are always merged and counted",
    ),
    (
        "`--skip-bad-records`",
        "records that cannot be decoded are left out and counted instead of being an error",
    ),
]

# What the harness does with an attempt that broke. Here such an attempt is errored in all of them.
ERRORS = [
    ("inspect", "left out of its metrics, unless `score_on_error` is set"),
    ("lm-eval", "has no mark for errors: such a document scores 0"),
    ("tau-bench", "a failure"),
    ("tau2", "a failure, but `infrastructure_error` is left out"),
    ("swe-bench", "a failure: the whole split is the denominator"),
    ("humaneval", "a failure, time-outs too"),
    ("evalplus", "a failure, time-outs too"),
    ("terminal-bench", "a failure"),
    ("harbor", "reward 0 in the mean, left out of pass@k"),
    ("promptfoo", "counted apart as an error, no pass"),
    ("multivon", "left out"),
    ("deepeval", "a failure"),
    ("junit", "an error beside the failures; skipped tests are neither"),
    ("openai-evals", "left out: a sample without an event has no score"),
]


def table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def markdown(docstring: str) -> str:
    """The body of a docstring; literals of reStructuredText become those of Markdown."""
    _, _, body = inspect.cleandoc(docstring).partition("\n\n")
    return re.sub(r"``(.+?)``", r"`\1`", body, flags=re.DOTALL).strip()


def page() -> str:
    names = {known.name for known in FORMATS}
    if unknown := {name for name, _ in ERRORS} - names:
        raise SystemExit(f"no such format: {', '.join(sorted(unknown))}")
    parts = [
        INTRODUCTION,
        "## All formats\n",
        table(
            ("name", "files", "what it is"),
            [
                (f"[`{known.name}`](#format-{known.name})", " ".join(known.extensions), known.title)
                for known in FORMATS
            ],
        ),
        "\n## Options\n",
        "In Python they are arguments of `be.read` (`pass_if=`, `combine=` for `--as`).\n",
        table(("option", "what it does"), OPTIONS),
        "\n## Attempts that broke\n",
        "An attempt that broke (a crash, a time-out, a judge that failed) is *errored* here in "
        "every\nformat that tells it from a failure: neither a failure nor a pass, and counted. "
        "Harnesses differ,\nwhich is why their own rate may differ from ours; a note of `bayeseval "
        "show` gives theirs.\n",
        table(("format", "what the harness itself does"), [(f"`{n}`", rule) for n, rule in ERRORS]),
    ]
    modules: dict[str, list[str]] = {}
    for known in FORMATS:
        modules.setdefault(known.read.__module__, []).append(known.name)
    for module, members in modules.items():
        docstring = sys.modules[module].__doc__ or ""
        anchors = "\n".join(f"(format-{name})=" for name in members)
        title = inspect.cleandoc(docstring).partition("\n")[0].rstrip(".")
        parts.append(f"\n{anchors}\n## {re.sub(r'``(.+?)``', r'`' + chr(92) + r'1`', title)}\n")
        parts.append(markdown(docstring))
        looks = "; ".join(known.looks_for for known in FORMATS if known.name in members)
        parts.append(f"\nRecognised by: {looks}.")
    return "\n".join(parts) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is current")
    check = parser.parse_args().check
    made = page()
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if made == current:
        return 0
    if check:
        print(f"{PAGE.name} is not current: run python docs/build_formats.py", file=sys.stderr)
        return 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
