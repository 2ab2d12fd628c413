"""Write sqlagent.csv: an invented SQL agent, 50 questions, 4 rollouts of each.

30 tasks pass every time, 15 never, and 5 two times of four: such U-shaped suites are
what agents usually give. Every name and number is made up.
"""

import csv
import itertools
from pathlib import Path

# Per slice: how many tasks pass 4, 2 and 0 of their 4 rollouts, and what they ask for.
SLICES = {
    "lookups": ((15, 1, 1), ("customer-by-email", "order-status", "price-of-item", "stock-level")),
    "joins": ((9, 2, 4), ("orders-by-region", "returns-by-supplier", "staff-by-store")),
    "dates": ((4, 1, 4), ("revenue-by-month", "late-deliveries", "days-to-first-order")),
    "windows": ((2, 1, 6), ("running-total", "rank-within-region", "change-on-last-week")),
}
# Which rollouts of a task with two passes are the passes, in turn.
TWO_OF_FOUR = itertools.cycle([(1, 3), (2, 4), (1, 2), (3, 4), (2, 3)])


def rows() -> list[tuple[str, int, str, str]]:
    """Task, rollout, passed and slice of each of the 200 rollouts."""
    made = []
    for name, ((every, two, none), questions) in SLICES.items():
        passing = [(1, 2, 3, 4)] * every + [next(TWO_OF_FOUR) for _ in range(two)] + [()] * none
        for number, passed in enumerate(passing):
            task = f"{questions[number % len(questions)]}-{number // len(questions) + 1:02d}"
            for rollout in (1, 2, 3, 4):
                made.append((task, rollout, "true" if rollout in passed else "false", name))
    return made


if __name__ == "__main__":
    target = Path(__file__).with_name("sqlagent.csv")
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("task", "rollout", "passed", "slice"))
        writer.writerows(rows())
