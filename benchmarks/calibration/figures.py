"""The figures of docs/evidence.md, drawn from the results."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bayeseval.plots import _style as style
from benchmarks.calibration.rank_tests import LEAST, uniformity
from benchmarks.calibration.summary import BAND, is_mixture, tasks_of

Results = dict[str, Any]

PANELS = {
    "uniform": "be.fit, default prior",
    "arcsine": "be.fit, arcsine",
    "clustered_t": "clustered SE, t",
    "bootstrap": "bootstrap of tasks",
    "logit_normal": "logit-normal",
    "pooled_wilson": "Wilson, pooled rollouts",
}
# Claims of each kind, their colours and markers.
SHOWN = (
    ("pass rate > 0.8", style.INK, "o"),
    ("pass^4 > 0.5", style.POSTERIOR, "s"),
    ("pass@4 > 0.9", style.AT_LEAST_ONE, "D"),
    ("pass^8 > 0.5", style.FAIL, "^"),
)
LOWEST_SHOWN = 0.45


def draw(results: Results, folder: Path) -> None:
    """Draw every figure that the results allow, small enough for the repository."""
    makers: dict[str, Callable[[Results], Any]] = {
        "evidence_coverage.png": coverage,
        "evidence_claims.png": claims,
        "evidence_ranks.png": ranks,
    }
    for name, make in makers.items():
        keep(make(results), folder / name)


def keep(figure: Any, path: Path) -> None:
    """Save a figure with few colours, and close it."""
    import matplotlib.pyplot as plt
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / path.name
        figure.savefig(drawn, dpi=130, facecolor="white")
        with Image.open(drawn) as image:
            image.convert("RGB").quantize(128).save(path, optimize=True)
    plt.close(figure)


def _plain(ax: Any) -> None:
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(style.INK)
    ax.tick_params(colors=style.INK, labelsize=style.SMALL)


def coverage(results: Results) -> Any:
    """Coverage of every cell by method and number of tasks."""
    import matplotlib.pyplot as plt

    cells = results["suites"]["cells"]
    tasks = list(dict.fromkeys(map(tasks_of, cells)))
    figure, axes = plt.subplots(2, 3, figsize=(8.4, 5.2), sharex=True, sharey=True,
                                layout="constrained")  # fmt: skip
    for ax, (method, title) in zip(axes.flat, PANELS.items(), strict=True):
        ax.axhspan(*BAND, color=style.OBSERVED, linewidth=0, zorder=0)
        ax.axhline(0.95, color=style.QUIET, linewidth=0.6, zorder=1)
        low = 0
        for mixtures, marker, colour, label in (
            (False, "o", style.POSTERIOR, "Beta"),
            (True, "^", style.FAIL, "U-shaped"),
        ):
            x, y = [], []
            for name, cell in cells.items():
                if is_mixture(name) == mixtures:
                    x.append(tasks.index(tasks_of(name)) + (0.14 if mixtures else -0.14))
                    y.append(cell["methods"][method][0])
            low += sum(each < LOWEST_SHOWN for each in y)
            ax.scatter(x, np.maximum(y, LOWEST_SHOWN), s=15, marker=marker, facecolors="none",
                       edgecolors=colour, linewidths=0.9, label=label, zorder=2)  # fmt: skip
        if low:
            title += f" ({low} below {100 * LOWEST_SHOWN:.0f} %)"
        ax.set_title(title, fontsize=style.TEXT, color=style.INK)
        ax.set_xticks(range(len(tasks)), [str(each) for each in tasks])
        ax.set_ylim(LOWEST_SHOWN - 0.015, 1.005)
        ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        _plain(ax)
    for ax in axes[1]:
        ax.set_xlabel("tasks", fontsize=style.TEXT, color=style.INK)
    for ax in axes[:, 0]:
        ax.set_ylabel("coverage of 95 % intervals", fontsize=style.TEXT, color=style.INK)
    axes[0, 0].legend(fontsize=style.SMALL, loc="lower right", frameon=False,
                      title="task rates", title_fontsize=style.SMALL)  # fmt: skip
    return figure


def claims(results: Results) -> Any:
    """How far the share of true claims lies from what was stated."""
    import matplotlib.pyplot as plt

    found = results["claims"]
    figure, axes = plt.subplots(1, len(found), figsize=(8.4, 3.3), sharey=True,
                                layout="constrained")  # fmt: skip
    for ax, (tasks, each) in zip(axes, found.items(), strict=True):
        ax.axhline(0.0, color=style.QUIET, linewidth=0.7)
        for at, (claim, colour, marker) in enumerate(SHOWN):
            curve = each["curves"][claim]
            runs, stated, true = (np.array(curve[key]) for key in ("runs", "probability", "true"))
            kept = runs > 0
            error = 2 * np.sqrt(np.maximum(stated * (1 - stated), 1e-9) / np.maximum(runs, 1))
            ax.errorbar(stated[kept] + 0.014 * (at - 1.5), 100 * (true - stated)[kept],
                        100 * error[kept], fmt=marker, color=colour, markersize=3.2,
                        linewidth=0.9, label=claim)  # fmt: skip
        ax.set_title(f"{tasks}, 4 rollouts", fontsize=style.TEXT, color=style.INK)
        ax.set_xlim(-0.03, 1.03)
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        ax.set_xlabel("stated Pr[claim]", fontsize=style.TEXT, color=style.INK)
        _plain(ax)
    axes[0].set_ylabel("share of true claims less\nwhat was stated, points (± 2 errors)",
                       fontsize=style.TEXT, color=style.INK)  # fmt: skip
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                  fontsize=style.SMALL, frameon=False)  # fmt: skip
    return figure


def ranks(results: Results) -> Any:
    """ArviZ's rank plots of every model, with a simultaneous 95 % band."""
    import matplotlib.pyplot as plt

    panels = [
        (model, quantity, values)
        for part in ("ranks", "sampled")
        for model, quantities in results[part].items()
        for quantity, values in quantities.items()
    ]
    columns = 4
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(8.4, 1.55 * rows), sharex=True,
                                layout="constrained", squeeze=False)  # fmt: skip
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for at, (ax, (model, quantity, values)) in enumerate(zip(axes.flat, panels, strict=False)):
        _rank_plot(figure, ax, np.clip(values, LEAST, 1 - LEAST))
        ax.set_title(f"{model}: {quantity}", fontsize=style.SMALL, color=style.INK)
        note = f"n = {len(values):,}, p = {uniformity(values):.2f}"
        ax.annotate(note, (0.5, 0.06), xycoords="axes fraction", ha="center", fontsize=6.5,
                    color=style.INK)  # fmt: skip
        _plain(ax)
        ax.tick_params(labelsize=6.5, labelbottom=at >= len(panels) - columns)
        ax.set_xticks([0, 0.5, 1])
        ax.set_xlabel("")
        ax.set_ylabel("")
    figure.supxlabel("rank of the truth in the posterior", fontsize=style.TEXT, color=style.INK)
    figure.supylabel("cumulative share less the rank", fontsize=style.TEXT, color=style.INK)
    return figure


def _rank_plot(figure: Any, ax: Any, values: Any) -> None:
    """One panel of ArviZ's `plot_ecdf_pit`, on axes that are there."""
    import arviz_base
    import arviz_plots
    import xarray as xr
    from arviz_stats.ecdf_utils import ecdf_pit

    tree = arviz_base.from_dict({"prior_sbc": {"rank": values[None]}})
    where = xr.DataTree.from_dict(
        {
            "/": xr.Dataset({"figure": ((), np.array(figure, dtype=object))}),
            "/plot": xr.Dataset({"rank": ((), np.array(ax, dtype=object))}),
        }
    )
    collection = arviz_plots.PlotCollection(
        tree["prior_sbc"].to_dataset(), where, backend="matplotlib"
    )
    x, _, low, high = ecdf_pit(
        np.linspace(0, 1, len(values)), 0.95, n_simulations=1000, rng=np.random.default_rng(1)
    )
    ax.fill_between(x, low - x, high - x, color=style.OBSERVED, linewidth=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        arviz_plots.plot_ecdf_pit(
            tree,
            method="pot_c",
            envelope_prob=0.95,
            backend="matplotlib",
            plot_collection=collection,
            visuals={
                "ecdf_lines": {"color": style.POSTERIOR, "width": 1.0},
                "title": False,
                "p_value_text": False,
                "xlabel": False,
                "ylabel": False,
            },
        )
