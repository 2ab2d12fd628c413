"""The tables of docs/evidence.md, written from the results."""

import math
import re
import statistics
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.calibration import sampled, tables_suites
from benchmarks.calibration.markdown import percent, table
from benchmarks.calibration.rank_tests import uniformity

Results = dict[str, Any]

BLOCK = re.compile(
    r"(?P<head><!-- results: (?P<name>[\w-]+) -->\n).*?(?P<foot><!-- end of results -->)",
    re.DOTALL,
)
ONE_ROLLOUT = {
    "uniform": "uniform Beta (`be.beta_posterior`)",
    "jeffreys": "Jeffreys",
    "wilson": "Wilson",
    "clopper_pearson": "Clopper-Pearson",
    "wald": "Wald, clipped",
}
CLUSTERED = {
    "uniform": "`be.fit`",
    "clustered_clt": "clustered standard error, ± 1.96",
    "clustered_t": "clustered standard error, t",
    "bootstrap": "bootstrap of whole tasks, bare",
    "bootstrap_fallback": "the same with the fallback (`be.cluster_bootstrap`)",
    "pooled_wilson": "Wilson on pooled rollouts",
}
SHAPES = {
    "uniform": "`be.fit`",
    "clustered_t": "clustered standard error, t",
    "bootstrap": "bootstrap of whole tasks",
    "pooled_wilson": "Wilson on pooled rollouts",
}


def page(text: str, results: Results) -> str:
    """The page with its blocks as the results have them."""

    def renew(match: re.Match[str]) -> str:
        return match["head"] + "\n" + BLOCKS[match["name"]](results) + "\n" + match["foot"]

    return BLOCK.sub(renew, text)


def fixed_rates(results: Results) -> str:
    found = results["one_rollout"]["fixed rates"]
    return table(
        ["interval", "mean coverage, %", "lowest, %", "mean width, points"],
        [
            [
                name,
                percent(found[key]["coverage"], 2),
                percent(found[key]["lowest"]),
                percent(found[key]["width"], 2),
            ]
            for key, name in ONE_ROLLOUT.items()
        ],
    )


def uniform_rates(results: Results) -> str:
    found = results["one_rollout"]["uniform rates"]
    tasks = list(found["uniform"])
    return table(
        ["interval", *(f"{each} tasks" for each in tasks)],
        [
            [name, *(percent(found[key][each], 2) for each in tasks)]
            for key, name in ONE_ROLLOUT.items()
        ],
    )


def clustered(results: Results) -> str:
    cells = results["clustered"]
    parts = []
    for generating, words in (
        ("prior", "The ICC is drawn uniformly, as the prior has it"),
        ("exponential", "kappa is drawn from Exponential(1), and the prior does not know it"),
    ):
        names = [name for name in cells if name.startswith(generating)]
        runs = cells[names[0]]["runs"]
        parts.append(f"{words} ({runs:,} runs each):\n")
        parts.append(
            table(
                ["coverage, %", *(" ".join(name.split()[1:]) for name in names)],
                [
                    [title, *(percent(cells[name]["methods"][method][0]) for name in names)]
                    for method, title in CLUSTERED.items()
                ],
            )
        )
    return "\n".join(parts)


def claims(results: Results) -> str:
    found = results["claims"]
    shown = (("20 tasks", "pass rate > 0.8"), ("50 tasks", "pass^8 > 0.5"))
    rows = []
    for at in range(10):
        row = [f"{at / 10:g} to {(at + 1) / 10:g}"]
        for tasks, claim in shown:
            curve = found[tasks]["curves"][claim]
            runs, stated, true = (curve[key][at] for key in ("runs", "probability", "true"))
            error = math.sqrt(max(stated * (1 - stated), 1e-9) / max(runs, 1))
            row += [f"{runs:,}", percent(stated), f"{percent(true)} ± {percent(error)}"]
        rows.append(row)
    head = ["Pr[claim]"]
    for tasks, claim in shown:
        head += [f"{claim}, {tasks}: runs", "mean Pr, %", "true, %"]
    scores = z_scores(found)
    inside = sum(abs(z) <= 2 for z in scores) / len(scores)
    largest = max(abs(z) for z in scores)
    runs = next(iter(found.values()))["runs"]
    curves = sum(len(each["curves"]) for each in found.values())
    return (
        table(head, rows)
        + f"\nOver {curves} claims about the pass rate, pass^k and pass@k, with {runs:,} runs "
        f"each, {percent(inside)} % of {len(scores)} tenths lie within two Monte Carlo errors of "
        f"what was stated (95.4 % would by luck alone), and the farthest is {largest:.1f} errors "
        "away.\n"
    )


def z_scores(found: Results) -> list[float]:
    """Deviations of all tenths with runs enough, in Monte Carlo errors."""
    scores = []
    for each in found.values():
        for curve in each["curves"].values():
            for runs, stated, true in zip(
                curve["runs"], curve["probability"], curve["true"], strict=True
            ):
                if runs * stated * (1 - stated) >= 5:
                    scores.append((true - stated) / math.sqrt(stated * (1 - stated) / runs))
    return scores


def prior_functionals(results: Results) -> str:
    found = results["claims"]
    asked = next(iter(found.values()))["coverage"]
    return table(
        ["under the prior, coverage, %", *asked],
        [[tasks, *(percent(each["coverage"][of][0]) for of in asked)]
         for tasks, each in found.items()],
    )  # fmt: skip


def shapes(results: Results) -> str:
    found = results.get("shapes")
    if found is None:
        return "The leaderboard rows were not at hand when the study ran.\n"
    asked = next(iter(found["tasks"].values()))["uniform"]
    rows = []
    for tasks, methods in found["tasks"].items():
        for method, title in SHAPES.items():
            row = [tasks, title]
            for of in asked:
                low, mean, _, inside = methods[method][of]
                row.append(f"{percent(mean)} ({percent(low)}; {inside:.0f})")
            rows.append(row)
    return (
        f"{found['rows']} rows, {found['runs']:,} runs of each. Mean coverage over rows, and in "
        f"brackets the lowest and the number of rows from 93 % to 97 %:\n\n"
        + table(["tasks", "interval", *asked], rows)
    )


def ranks(results: Results) -> str:
    rows = [
        [model, quantity, f"{len(values):,}", f"{uniformity(values):.2g}"]
        for part in ("ranks", "sampled")
        for model, quantities in results[part].items()
        for quantity, values in quantities.items()
    ]
    below = sum(float(row[3]) < 0.05 for row in rows)
    lie = "lies" if below == 1 else "lie"
    nuts = results["sampled"]["NUTS"]
    apart = [abs(a - b) for a, b in zip(nuts["pass rate"], nuts[sampled.EXACT], strict=True)]
    return (
        table(["model", "quantity", "repetitions", "p-value of uniform ranks"], rows)
        + f"\n{below} of {len(rows)} p-values {lie} below 0.05; luck alone would give "
        f"{0.05 * len(rows):.1f}. (The test of ArviZ, `pot_c`, gives values up to 0.5.) NUTS and "
        "the exact engine saw the same runs, and their ranks of the pass rate differ by "
        f"{statistics.fmean(apart):.3f} on average and {max(apart):.3f} at most, as draws do.\n"
    )


def agreement(results: Results) -> str:
    return table(
        ["part", "runs compared", "largest difference of a limit", "of a probability"],
        [
            [part, f"{each['runs']:,}", each["limits"], each["below"]]
            for part, each in results["agreement"].items()
        ],
    )


def effort(results: Results) -> str:
    minutes = results["processor_minutes"]
    return f"The whole of it took {minutes:.0f} processor minutes, on two cores half as long.\n"


def names_of(text: str) -> Iterable[str]:
    """Blocks that a page has."""
    return (match["name"] for match in BLOCK.finditer(text))


BLOCKS: dict[str, Callable[[Results], str]] = {
    "effort": effort,
    "fixed-rates": fixed_rates,
    "uniform-rates": uniform_rates,
    "clustered": clustered,
    "methods": tables_suites.methods,
    "ours": tables_suites.ours,
    "outside": tables_suites.outside,
    "widths": tables_suites.widths,
    "priors": tables_suites.priors,
    "candidates": tables_suites.candidates,
    "functionals": tables_suites.functionals,
    "prior-functionals": prior_functionals,
    "claims": claims,
    "shapes": shapes,
    "ranks": ranks,
    "agreement": agreement,
}
