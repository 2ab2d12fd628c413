"""Write sqlagent_v2.csv: the invented SQL agent of sqlagent.csv after a change.

The same 50 questions, 4 rollouts each. Some questions that never worked now do, mostly those
over windows and dates; a few that always worked now fail at times. Every number is made up.
"""

import csv
from pathlib import Path

HERE = Path(__file__).parent
# Tasks that were won or lost, and how many of the 4 rollouts pass now; others stay as they were.
CHANGED = {
    "running-total-02": 4,
    "rank-within-region-02": 4,
    "change-on-last-week-02": 3,
    "running-total-03": 4,
    "late-deliveries-02": 3,
    "days-to-first-order-02": 4,
    "orders-by-region-05": 4,
    "returns-by-supplier-05": 2,
    "customer-by-email-02": 2,
    "price-of-item-03": 3,
    "staff-by-store-01": 1,
}


def rows() -> list[list[str]]:
    """Task, rollout, passed and slice of each of the 200 rollouts."""
    with (HERE / "sqlagent.csv").open(encoding="utf-8", newline="") as file:
        old = list(csv.reader(file))[1:]
    unknown = set(CHANGED) - {row[0] for row in old}
    assert not unknown, f"no such tasks: {unknown}"
    return [
        [task, rollout, str(int(rollout) <= CHANGED[task]).lower(), slice_]
        if task in CHANGED
        else [task, rollout, passed, slice_]
        for task, rollout, passed, slice_ in old
    ]


if __name__ == "__main__":
    with (HERE / "sqlagent_v2.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("task", "rollout", "passed", "slice"))
        writer.writerows(rows())
