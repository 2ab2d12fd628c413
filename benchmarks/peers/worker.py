"""One measurement in a process of its own; every finding is a line of JSON.

    python -m benchmarks.peers.worker time exact 1000 8 120
    python -m benchmarks.peers.worker coverage exact 300
    python -m benchmarks.peers.worker growth tasks 120

The last number is the time limit in seconds, from when the libraries are loaded. The system ends
the process at the limit, whatever it computes, and what it told until then stays.
"""

import gc
import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.measure import peak_of_process
from benchmarks.peers import growth, suites
from benchmarks.peers.methods import METHODS
from benchmarks.peers.samplers import Answer

# Work is repeated until so many runs are done or so many seconds are spent.
REPEATS, ENOUGH = 7, 5.0


def tell(**found: Any) -> None:
    print(json.dumps(found), flush=True)


def repeated(work: Callable[[], Any]) -> Iterator[float]:
    """Seconds of run after run."""
    runs, spent = 0, 0.0
    while runs < REPEATS and spent < ENOUGH:
        gc.collect()
        start = time.perf_counter()
        work()
        taken = time.perf_counter() - start
        runs, spent = runs + 1, spent + taken
        yield taken


def measure_time(key: str, tasks: int, rollouts: int, limit: int) -> None:
    method = METHODS[key]
    # Loads the libraries, and fills what they keep on disk for later processes.
    method.interval(method.form(suites.draw(3, 2)), True)
    data = method.form(suites.draw(tasks, rollouts))
    answers: list[Answer] = []
    fastest = math.inf
    signal.alarm(limit)
    for taken in repeated(lambda: answers.append(method.interval(data, True))):
        fastest = min(fastest, taken)
        tell(
            seconds=fastest,
            runs=len(answers),
            peak_mib=peak_of_process(),
            interval=[float(each) for each in answers[-1][:2]],
            divergences=answers[-1].divergences,
        )


def measure_coverage(key: str, limit: int) -> None:
    method = METHODS[key]
    covered, width, divergences = 0, 0.0, 0
    method.interval(method.form(suites.draw(*suites.SIZES[0])), True)
    signal.alarm(limit)
    for at in range(method.runs):
        suite = suites.draw(*suites.SIZES[0], seed=1_000 + at)
        truth = suites.RATE if method.about == "new tasks" else suite.truth
        answer = method.interval(method.form(suite), False)
        covered += answer.lower <= truth <= answer.upper
        width += answer.upper - answer.lower
        divergences += answer.divergences or 0
        tell(runs=at + 1, covered=int(covered), width=float(width / (at + 1)),
             divergences=divergences)  # fmt: skip


def measure_growth(series: str, limit: int) -> None:
    signal.alarm(limit)
    for at, (size, work) in enumerate(growth.SERIES[series].steps()):
        if at == 0:
            work()  # loads the libraries
        tell(size=size, seconds=min(repeated(work)))


def main(arguments: list[str]) -> None:
    match arguments:
        case ["time", key, tasks, rollouts, limit]:
            measure_time(key, int(tasks), int(rollouts), int(limit))
        case ["coverage", key, limit]:
            measure_coverage(key, int(limit))
        case ["growth", series, limit]:
            measure_growth(series, int(limit))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
