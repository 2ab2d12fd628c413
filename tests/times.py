"""Seconds of every test file, the longest first.

python -m pytest --junit-xml=out/tests.xml
python tests/times.py out/tests.xml
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def by_file(report: Path) -> dict[str, tuple[float, int]]:
    """Seconds and number of tests of each file in a JUnit report of pytest."""
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        # A test in a class has the class behind the module.
        parts = case.get("classname", "").split(".")
        file = "/".join(part for part in parts if not part[:1].isupper()) + ".py"
        seconds[file] += float(case.get("time", 0))
        tests[file] += 1
    return {file: (spent, tests[file]) for file, spent in seconds.most_common()}


def main() -> None:
    found = by_file(Path(sys.argv[1]))
    for file, (spent, tests) in found.items():
        print(f"{spent:8.1f} s  {tests:5} tests  {file}")
    print(f"{sum(spent for spent, _ in found.values()):8.1f} s  in all")


if __name__ == "__main__":
    main()
