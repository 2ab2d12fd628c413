"""Names that hold the number of a repeat, as pytest-repeat writes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

__all__ = ["without_repeats"]

# ``test[2-3]`` and ``test[param-2-3]``: the second of three.
_REPEAT = re.compile(
    r"(?s)(?P<base>.*)(?P<open>[\[-])(?P<i>[1-9][0-9]{0,6})-(?P<n>[1-9][0-9]{0,6})\]"
)


def without_repeats(names: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    """Return (group, name) pairs without the number of the repeat, and how many had one.

    Parameters of a test look the same (``test_add[1-3]``), so a set of names is taken for
    repeats only where exactly the numbers 1 to n are there for a single n above 1.
    """
    found: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    split: list[tuple[str, int, int] | None] = []
    for group, name in names:
        match = _REPEAT.fullmatch(name)
        if match is None:
            split.append(None)
            continue
        base = match["base"] + ("]" if match["open"] == "-" else "")
        split.append((base, int(match["i"]), int(match["n"])))
        found[group, base].add((int(match["i"]), int(match["n"])))
    repeats = {
        key
        for key, numbers in found.items()
        if (n := next(iter(numbers))[1]) > 1
        and len(numbers) == n
        and all(i <= n and other == n for i, other in numbers)
    }
    result = list(names)
    count = 0
    for at, (part, (group, _)) in enumerate(zip(split, names, strict=True)):
        if part is not None and (group, part[0]) in repeats:
            result[at] = (group, part[0])
            count += 1
    return result, count
