"""Tables of the suites with fixed rates."""

import statistics
from typing import Any

from benchmarks.calibration.markdown import percent, table
from benchmarks.calibration.summary import band_of, is_mixture, tasks_of, within

Results = dict[str, Any]
DEFAULT = "mean Beta(1, 1), ICC Beta(1, 1)"
METHODS = {
    "uniform": "`be.fit`, default prior",
    "arcsine": "`be.fit`, prior `arcsine`",
    "known_icc": "the posterior that knows the ICC",
    "clustered_t": "clustered standard error, t",
    "bootstrap": "bootstrap of whole tasks",
    "bootstrap_bare": "the same without the fallback to Wilson",
    "logit_normal": "logit-normal, N(0, 1) and Exponential(1)",
    "pooled_wilson": "Wilson on pooled rollouts",
}
PRIORS = {
    DEFAULT: "uniform: the default",
    "mean Beta(1, 1), ICC Beta(0.5, 0.5)": "`arcsine`",
    "mean Beta(0.5, 0.5), ICC Beta(1, 1)": "Jeffreys-like on the mean",
    "mean Beta(0.5, 0.5), ICC Beta(0.5, 0.5)": "both of these",
    "mean Beta(0.75, 0.75), ICC Beta(0.5, 0.5)": "between",
    "mean Beta(1, 1), ICC Beta(0.5, 1)": "tasks rather alike",
    "mean Beta(1, 1), ICC Beta(1, 0.5)": "tasks rather all or nothing",
    "mean Beta(1, 1), ICC Beta(1.5, 1.5)": "ICC rather in the middle",
    "Jeffreys, joint": "root of the information of both",
    "reference, mean first": "reference prior, the ICC in the way",
}


def kind_of(name: str) -> str:
    """A cell's name without its tasks."""
    return name.split(" tasks ")[1]


def methods(results: Results) -> str:
    found = results["suites"]
    cells = found["cells"]
    betas = [cell["methods"] for name, cell in cells.items() if not is_mixture(name)]
    mixtures = [cell["methods"] for name, cell in cells.items() if is_mixture(name)]
    every = betas + mixtures
    rows = []
    for method, title in METHODS.items():
        in_betas = [cell[method][0] for cell in betas]
        in_mixtures = [cell[method][0] for cell in mixtures]
        ratio = statistics.fmean(cell[method][3] / cell["known_icc"][3] for cell in every)
        rows.append(
            [
                title,
                f"{percent(min(in_betas))} to {percent(max(in_betas))}",
                f"{sum(map(within, in_betas))}",
                f"{percent(min(in_mixtures))} to {percent(max(in_mixtures))}",
                f"{sum(map(within, in_mixtures))}",
                percent(max(cell[method][1] for cell in every)),
                percent(max(cell[method][2] for cell in every)),
                f"{ratio:.2f}",
            ]
        )
    head = [
        "interval",
        f"{len(betas)} Beta cells: coverage, %",
        "from 93 to 97 %",
        f"{len(mixtures)} U-shaped cells: coverage, %",
        "from 93 to 97 %",
        "rate below the interval, at most, %",
        "above it, at most, %",
        "width",
    ]
    return (
        table(head, rows)
        + f"\n{found['runs']:,} runs of each cell ({found['some_runs']:,} for the logit-normal): a "
        "coverage of 95 % is known to "
        f"{100 * (0.95 * 0.05 / found['runs']) ** 0.5:.1f} points. Width is the mean ratio to the "
        "posterior that knows the ICC.\n"
    )


def ours(results: Results) -> str:
    """Coverage of the default by cell; outside of the target in bold."""
    cells = results["suites"]["cells"]
    kinds = list(dict.fromkeys(map(kind_of, cells)))
    tasks = list(dict.fromkeys(map(tasks_of, cells)))
    rows = []
    for kind in kinds:
        row = [kind]
        for each in tasks:
            coverage = cells[f"{each} tasks {kind}"]["methods"]["uniform"][0]
            shown = percent(coverage)
            row.append(shown if within(coverage, band_of(each)) else f"**{shown}**")
        rows.append(row)
    return table(["coverage, %", *(f"{each} tasks" for each in tasks)], rows)


def outside(results: Results) -> str:
    """Cells outside of the target, with both tails, and what a known ICC would give."""
    rows = []
    for name, cell in results["suites"]["cells"].items():
        mine, known = cell["methods"]["uniform"], cell["methods"]["known_icc"]
        if not within(mine[0], band_of(tasks_of(name))):
            rows.append(
                [
                    name,
                    *(percent(each) for each in mine[:3]),
                    *(percent(each) for each in known[:3]),
                ]
            )
    cells = results["suites"]["cells"]
    held = len(cells) - len(rows)
    text = f"The target is met in {held} of {len(cells)} cells."
    known_held = sum(
        within(cell["methods"]["known_icc"][0], band_of(tasks_of(name)))
        for name, cell in cells.items()
    )
    text += f" The posterior that knows the ICC meets it in {known_held}.\n"
    if not rows:
        return text
    head = ["cell", "coverage, %", "rate below, %", "above, %",
            "known ICC: coverage, %", "below, %", "above, %"]  # fmt: skip
    return f"{text}\n{table(head, rows)}"


def widths(results: Results) -> str:
    """Ratios of mean widths to the posterior that knows the ICC, by number of tasks."""
    cells = results["suites"]["cells"]
    rows = []
    for tasks in dict.fromkeys(map(tasks_of, cells)):
        group = {name: cell["methods"] for name, cell in cells.items() if tasks_of(name) == tasks}
        row = [str(tasks)]
        for prior in ("uniform", "arcsine"):
            ratios = {name: cell[prior][3] / cell["known_icc"][3] for name, cell in group.items()}
            widest = max(ratios, key=lambda name: ratios[name])
            row += [
                f"{statistics.fmean(ratios.values()):.2f}",
                f"{ratios[widest]:.2f}",
                f"{sum(each <= 1.1 for each in ratios.values())} of {len(ratios)}",
            ]
            if prior == "uniform":
                row.append(kind_of(widest))
        rows.append(row)
    head = ["tasks", "default: mean", "widest", "at most 1.10", "where widest",
            "`arcsine`: mean", "widest", "at most 1.10"]  # fmt: skip
    return table(head, rows)


def best(found: dict[str, Any]) -> str:
    """The prior that meets the target most often; among equals, whose lowest is highest."""
    return max(
        found,
        key=lambda name: (
            found[name]["target"] + found[name]["mixtures_target"],
            found[name]["lowest"][1],
        ),
    )


def priors(results: Results) -> str:
    found = results["suites"]["alternatives"]
    cells = results["suites"]["cells"]
    betas = sum(not is_mixture(name) for name in cells)
    betas_only = {name: each for name, each in found.items() if name.startswith("mean")}
    shown = dict(PRIORS)
    winner = best(betas_only)
    shown[winner] = " ".join(filter(None, [shown.get(winner, ""), "(best of the search)"]))
    rows = []
    for name, words in shown.items():
        each = found[name]
        rows.append(
            [
                name,
                words,
                f"{percent(each['lowest'][1])} ({each['lowest'][0]})",
                percent(each["highest"][1]),
                str(each["within"]),
                str(each["target"]),
                str(each["mixtures_target"]),
                percent(each["largest_tail"]),
            ]
        )
    head = [
        "prior",
        "what it is",
        "lowest coverage, %",
        "highest, %",
        f"from 93 to 97 %, of {betas}",
        f"on target, of {betas}",
        f"U-shaped on target, of {len(cells) - betas}",
        "largest miss on one side, %",
    ]
    all_on_target = sum(each["target"] == betas for each in betas_only.values())
    return (
        table(head, rows)
        + f"\n{len(betas_only)} pairs of Beta priors were searched; {all_on_target} of them are on "
        "target in every Beta cell. Those of Jeffreys and reference analysis rely on "
        f"{results['suites']['some_runs']:,} runs of each cell.\n"
    )


def candidates(results: Results) -> str:
    """The best of the search on fresh runs, with widths."""
    found = results["candidates"]
    cells = results["suites"]["cells"]
    betas = sum(not is_mixture(name) for name in cells)
    many = next(iter(found["priors"].values()))["many"]
    rows = [
        [
            prior,
            f"{percent(each['lowest'][1])} ({each['lowest'][0]})",
            percent(each["highest"][1]),
            str(each["within"]),
            str(each["target"]),
            str(each["mixtures_target"]),
            f"{each['width'][0]:.2f}",
            f"{each['width'][1]:.2f}",
            str(each["width"][2]),
        ]
        for prior, each in found["priors"].items()
    ]
    head = [
        "prior",
        "lowest coverage, %",
        "highest, %",
        f"from 93 to 97 %, of {betas}",
        f"on target, of {betas}",
        f"U-shaped on target, of {len(cells) - betas}",
        "width from 30 tasks on: mean",
        "widest",
        f"at most 1.10, of {many}",
    ]
    return f"{table(head, rows)}\n{found['runs']:,} fresh runs of each cell.\n"


def functionals(results: Results) -> str:
    """Coverage of pass^k and pass@k by the default prior over all cells."""
    cells = results["suites"]["cells"]
    asked = next(iter(cells.values()))["functionals"]
    rows = []
    for words, mixtures in (("Beta cells", False), ("U-shaped cells", True)):
        for of in asked:
            group = {
                name: cell["functionals"][of]
                for name, cell in cells.items()
                if is_mixture(name) == mixtures
            }
            coverage = [each[0] for each in group.values()]
            lowest = min(group, key=lambda name: group[name][0])
            rows.append(
                [
                    f"{words}, {of}",
                    percent(statistics.fmean(coverage)),
                    f"{percent(min(coverage))} ({lowest})",
                    percent(max(coverage)),
                    f"{sum(within(each) for each in coverage)} of {len(coverage)}",
                ]
            )
    return table(
        ["quantity", "mean coverage, %", "lowest, %", "highest, %", "from 93 to 97 %"], rows
    )
