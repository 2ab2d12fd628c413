"""Results that no reader knows: a reader of your own, in the shape of those of the package.

Such a log has a line for each attempt, `refund-01 #2 ok`, where the last word is ok, bad or
crashed. A module like this in `bayeseval/io`, and its FORMAT in the registry, makes `be.read`
recognise it.
"""

import tempfile
from pathlib import Path

import numpy as np

import bayeseval as be
from bayeseval.io._format import Format, Source
from bayeseval.io._options import Options
from bayeseval.io._records import Records, to_rollouts
from bayeseval.rollouts._tally import Outcome

LOG = """\
refund-01 #1 ok
refund-01 #2 bad
refund-02 #1 ok
refund-02 #2 crashed
"""
OUTCOMES = {"ok": Outcome.PASS, "bad": Outcome.FAIL, "crashed": Outcome.ERRORED}


def detect(source: Source) -> bool:
    words = (source.text or "").partition("\n")[0].split()
    return len(words) == 3 and words[1].startswith("#") and words[2] in OUTCOMES


def read(source: Source, options: Options) -> Records:
    lines = [line.split() for line in source.content().decode().splitlines()]
    for number, words in enumerate(lines, start=1):
        if len(words) != 3 or words[2] not in OUTCOMES:
            raise be.FormatError(f"line {number}: expected TASK #ATTEMPT ok, bad or crashed")
    return Records(
        task=[task for task, _, _ in lines],
        outcome=np.array([OUTCOMES[word] for _, _, word in lines], dtype=np.int8),
        rollout=[attempt for _, attempt, _ in lines],
        place=lambda at: f"line {at + 1}",
    )


FORMAT = Format(
    name="attempts",
    title="a log of attempts",
    looks_for="lines of a task, #attempt, and ok, bad or crashed",
    extensions=(".log",),
    detect=detect,
    read=read,
)


def main(text: str = LOG) -> be.Rollouts:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.log"
        path.write_text(text, encoding="utf-8")
        source = Source.open(str(path))
        assert FORMAT.detect(source)
        rollouts = to_rollouts(FORMAT.read(source, Options()), Options(), source=path.name)
    print(repr(rollouts))
    return rollouts


if __name__ == "__main__":
    main()
