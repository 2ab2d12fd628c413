"""The figures of a report: which there are, how each is drawn, and where they go."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayeseval._atomic import atomic_path
from bayeseval.errors import InputError
from bayeseval.plots import (
    plot_comparison,
    plot_pass_curve,
    plot_populations,
    plot_posterior,
    plot_predictive,
    plot_sampling_grid,
    plot_sensitivity,
    plot_slices,
    plot_tasks,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bayeseval.report._gather import Report

__all__ = ["Figures", "variables"]

WIDTH = 7.2
# Of more tasks the figures of single tasks show blocks, or rows without names.
MOST_NAMED = 60


class Figures:
    """The figures of a report by name; each is drawn when it is first asked for.

    Parameters
    ----------
    report : Report
        Where their numbers come from.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._drawn: dict[str, Figure] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names, in the order of the report."""
        return tuple(self._draw)

    @property
    def _draw(self) -> dict[str, Callable[[], Figure]]:
        report = self._report
        found: dict[str, Callable[[], Figure]] = {}
        if report.comparison is not None:
            found["comparison"] = self._comparison
        found |= {
            "posterior": self._posterior,
            "populations": self._populations,
            "pass_curve": self._curve,
            "sampling_grid": self._grid,
        }
        if report.sliced is not None:
            found["slices"] = self._slices
        found["tasks"] = self._tasks
        found["predictive"] = self._predictive
        if report.sampled is not None:
            found |= {"trace": self._trace, "rank": self._rank, "energy": self._energy}
        found["priors"] = self._priors
        return found

    def __getitem__(self, name: str) -> Figure:
        if name not in self._drawn:
            self._drawn[name] = self._draw[name]()
        return self._drawn[name]

    def save(self, folder: str | os.PathLike[str]) -> tuple[str, ...]:
        """Write every figure as SVG and as PNG; see `Report.save_figures`."""
        import matplotlib as mpl

        path = Path(os.fspath(folder))
        drawn = {name: self[name] for name in self.names}
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: no folder can be made there: {error.strerror}") from None
        written = []
        for name, figure in drawn.items():
            for suffix in (".svg", ".png"):
                target = path / f"{name}{suffix}"
                metadata: dict[str, Any] = {"Date": None} if suffix == ".svg" else {}
                # Neither the time nor random ids: the same report gives the same files.
                with mpl.rc_context({"svg.hashsalt": "bayeseval"}), atomic_path(target) as file:
                    figure.savefig(file, dpi=160, metadata=metadata)
                written.append(str(target))
        return tuple(written)

    # -- one by one -------------------------------------------------------------------

    def _comparison(self) -> Figure:
        found = self._report.comparison
        assert found is not None
        figure, ax = _figure(3.6)
        plot_comparison(found, ci_prob=self._report.ci_prob, ax=ax)
        return figure

    def _posterior(self) -> Figure:
        report = self._report
        figure, ax = _figure(4.4)
        plot_posterior(
            report.fit.pass_rate(),
            threshold=report.above,
            ci_prob=report.ci_prob,
            rollouts=report.rollouts,
            rng=report.fit.seed,
            ax=ax,
        )
        return figure

    def _populations(self) -> Figure:
        figure, ax = _figure(3.9)
        report = self._report
        plot_populations(report.fit, threshold=report.above, ci_prob=report.ci_prob, ax=ax)
        return figure

    def _curve(self) -> Figure:
        figure, ax = _figure(4.4)
        report = self._report
        plot_pass_curve(report.fit, k_max=max(report.curve_ks), ci_prob=report.ci_prob, ax=ax)
        return figure

    def _grid(self) -> Figure:
        n = self._report.rollouts.n_tasks
        figure, ax = _figure(1.7 + 0.142 * n if n <= MOST_NAMED else 5.6)
        report = self._report
        marks = None if report.contamination is None else report.contamination.sliced.by[0]
        plot_sampling_grid(report.rollouts, k=report.k_most, leaked=marks, ax=ax)
        return figure

    def _slices(self) -> Figure:
        sliced = self._report.sliced
        assert sliced is not None
        figure, ax = _figure(max(2.6, 1.8 + 0.21 * (len(sliced.labels) + 1)))
        plot_slices(sliced, threshold=self._report.above, ci_prob=self._report.ci_prob, ax=ax)
        return figure

    def _tasks(self) -> Figure:
        n = self._report.rollouts.n_tasks
        figure, ax = _figure(1.7 + 0.15 * n if n <= MOST_NAMED else 5.6)
        plot_tasks(self._report.fit, ci_prob=self._report.ci_prob, ax=ax)
        return figure

    def _predictive(self) -> Figure:
        figure, ax = _figure(3.9)
        plot_predictive(self._report.fit, ci_prob=self._report.ci_prob, ax=ax)
        return figure

    def _priors(self) -> Figure:
        found = self._report.priors[0]
        figure, ax = _figure(1.6 + 0.34 * len(found.rows))
        plot_sensitivity(found, threshold=self._report.above, ax=ax)
        return figure

    # -- of the sampler ------------------------------------------------------------------

    def _trace(self) -> Figure:
        import arviz_plots as azp

        return self._sampler(azp.plot_trace, 2.9, variables=True)

    def _rank(self) -> Figure:
        import arviz_plots as azp

        return self._sampler(azp.plot_rank, 3.1, variables=True, envelope_prob=0.99)

    def _energy(self) -> Figure:
        import arviz_plots as azp

        return self._sampler(azp.plot_energy, 3.1)

    def _sampler(
        self, plot: Callable[..., Any], height: float, *, variables: bool = False, **options: Any
    ) -> Figure:
        sampled = self._report.sampled
        assert sampled is not None
        if variables:
            options["var_names"] = ["mean", "icc"]
        found = plot(
            sampled.dt,
            backend="matplotlib",
            figure_kwargs={"figsize": (WIDTH, height)},
            **options,
        )
        figure: Figure = found.viz["figure"].item()
        # Its own layout cuts off the labels of low figures.
        figure.set_layout_engine("constrained")
        _closed(figure)
        return figure


def _figure(height: float) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained", facecolor="white")
    ax = figure.subplots()
    ax.set_facecolor("white")
    return figure, ax


def _closed(figure: Figure) -> None:
    """Take a figure out of pyplot's list, where ArviZ leaves it; it can still be saved."""
    import matplotlib.pyplot as plt

    plt.close(figure)


def variables() -> dict[str, str]:
    """Colours of the figures, and the names that the style sheet of a page has for them."""
    from bayeseval.plots import _style as style

    return {
        style.INK: "--ink",
        style.QUIET: "--quiet",
        style.OBSERVED: "--count",
        style.EXTRAPOLATED: "--beyond",
        style.ERRORED: "--errored",
        style.POSTERIOR: "--posterior",
        style.AT_LEAST_ONE: "--at-least-one",
        style.PASS: "--pass",
        style.FAIL: "--fail",
        "#FFFFFF": "--paper",
        "#000000": "--ink",
    }
