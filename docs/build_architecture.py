"""Write the table of rooms in docs/architecture.md.

    python docs/build_architecture.py             rewrite the table
    python docs/build_architecture.py --check     change nothing; exit with 1 where it would change

The order is that of tests/test_import_direction.py, which enforces it; what a room is for is the
first line of its docstring.
"""

import argparse
import ast
import re
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
DIRECTION = ROOT / "tests" / "test_import_direction.py"
TABLE = re.compile(r"(?<=<!-- rooms -->\n\n).*?(?=\n\n<!-- end of rooms -->)", re.DOTALL)


def rooms() -> list[tuple[str, str]]:
    """Name and purpose of each room that there is, in the order of imports."""
    found = []
    for room in runpy.run_path(str(DIRECTION))["ROOMS"]:
        package = ROOT / "bayeseval" / room
        module = package.with_suffix(".py")
        source = module if module.exists() else package / "__init__.py"
        if source.exists():
            docstring = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
            found.append((f"{room}.py" if source == module else f"{room}/", docstring))
    return [(name, docstring.partition("\n")[0].replace("``", "`")) for name, docstring in found]


def page(text: str) -> str:
    """The page with the table as it is now."""
    lines = [f"| {at} | `{name}` | {line} |" for at, (name, line) in enumerate(rooms(), start=1)]
    table = "\n".join(["| | room | what it is for |", "|---|---|---|", *lines])
    made, times = TABLE.subn(lambda _: table, text)
    if times != 1:
        raise SystemExit(f"{PAGE.name} needs one <!-- rooms --> and one <!-- end of rooms -->")
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether it is current")
    check = parser.parse_args().check
    current = PAGE.read_text("utf-8")
    made = page(current)
    if made == current:
        return 0
    if check:
        print(f"{PAGE.name} is not current: run python docs/build_architecture.py", file=sys.stderr)
        return 1
    PAGE.write_text(made, encoding="utf-8")
    print(f"{PAGE}: rewritten")
    return 0


if __name__ == "__main__":
    sys.exit(main())
