"""How our cost grows with tasks, rollouts, slices and k."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import bayeseval as be
from benchmarks.peers import methods, samplers, suites
from benchmarks.slices import apart, suite_of_slices

Step = tuple[int, Callable[[], Any]]


@dataclass(frozen=True, slots=True)
class Series:
    """One quantity that grows while the others stay."""

    title: str
    grows: str
    steps: Callable[[], Iterator[Step]]


def of_suites(method: Callable[[Any, bool], Any], sizes: tuple[tuple[int, int], ...]) -> Any:
    """Steps over suites of some sizes; the one number that changes names the step."""
    changing = 0 if sizes[0][0] != sizes[1][0] else 1

    def steps() -> Iterator[Step]:
        for size in sizes:
            data = suites.as_counts(suites.draw(*size))
            yield size[changing], lambda data=data: method(data, True)

    return steps


def slices() -> Iterator[Step]:
    for number in (1, 4, 16, 64):
        suite = suite_of_slices(number, 50)
        yield number, lambda suite=suite: apart(suite)


def k_of_pass_hat() -> Iterator[Step]:
    rollouts = be.Rollouts.from_counts(*suites.as_counts(suites.draw(1_000, 8)))
    fit = be.fit(rollouts, engine="exact")
    for k in (2, 4, 8, 32, 128):
        yield k, lambda k=k: fit.pass_hat_k(k).eti()


SERIES = {
    "tasks": Series(
        "exact fit and interval, 8 rollouts",
        "tasks",
        of_suites(methods.exact, tuple((tasks, 8) for tasks in (100, 1_000, 10_000, 100_000,
                                                                1_000_000))),
    ),
    "rollouts": Series(
        "exact fit and interval, 1,000 tasks",
        "rollouts",
        of_suites(methods.exact, tuple((1_000, rollouts) for rollouts in (4, 16, 64, 256))),
    ),
    "slices": Series("exact fits of slices, 50 x 4 each", "slices", slices),
    "k": Series("pass^k of a fit to 1,000 x 8, and its interval", "k", k_of_pass_hat),
    "nuts": Series(
        "NUTS fit and interval, 8 rollouts",
        "tasks",
        of_suites(samplers.nuts, ((100, 8), (10_000, 8), (1_000_000, 8))),
    ),
}  # fmt: skip
