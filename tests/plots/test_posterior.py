"""plot_posterior: what it prints, where it draws, for every kind of posterior."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

import bayeseval as be
from bayeseval.baselines import baseline_table
from bayeseval.plots import _style as style
from bayeseval.posterior import About, DrawsPosterior

Check = Callable[[Axes], None]


def _texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def _rails(ax: Axes) -> dict[str, tuple[float, float]]:
    return {
        str(line.get_label()): tuple(np.asarray(line.get_xdata(), dtype=float))
        for line in ax.lines
        if line.get_marker() == "|"
    }


def _draws() -> DrawsPosterior:
    draws = np.random.default_rng(1).beta(66, 35, (4, 500))
    return DrawsPosterior(draws, About("pass rate", "nuts", "new_tasks", 50))


KINDS: dict[str, tuple[Callable[[], be.Posterior], float]] = {
    "beta": (lambda: be.beta_posterior(194, 200), 0.95),
    "monotone": (lambda: be.beta_posterior(20, 20), 0.9),
    "unbounded": (lambda: be.beta_posterior(20, 20, prior="jeffreys"), 0.9),
    "u_shaped": (lambda: be.beta_posterior(0, 0, prior="jeffreys"), 0.5),
    "spike": (lambda: be.beta_posterior(999_000, 1_000_000), 0.5),
    "mixture": (
        lambda: be.beta_posterior(
            17, 20, prior=be.MixturePrior(((0.5, 1.0, 1.0), (0.5, 3.0, 30.0)))
        ),
        0.8,
    ),
    "draws": (_draws, 0.6),
    "difference": (
        lambda: be.difference(be.beta_posterior(85, 100), be.beta_posterior(78, 100)),
        0.0,
    ),
    "discrete": (lambda: be.beta_posterior(194, 200).predictive(20), 18),
    "discrete_many": (lambda: be.beta_posterior(194, 200).predictive(2_000), 1_900),
    "discrete_one": (lambda: be.beta_posterior(3, 4).predictive(1), 0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_and_legible(kind: str, assert_legible: Check) -> None:
    make, threshold = KINDS[kind]
    posterior = make()
    ax = be.plot_posterior(posterior, threshold=threshold)
    assert_legible(ax)
    left, right = ax.get_xlim()
    assert left < threshold < right or threshold in posterior.support
    lower, upper = posterior.eti(0.95)
    assert list(_rails(ax).values()) == [(lower, upper)]
    assert left <= lower <= upper <= right
    probability = next(text for text in _texts(ax) if text.startswith("Pr["))
    assert f"Pr[{posterior.about.quantity} > {threshold:g}] = " in probability


def test_bar_tail_and_interval_in_numbers() -> None:
    ax = be.plot_posterior(be.beta_posterior(194, 200), threshold=0.95)
    assert _texts(ax)[:2] == [
        "Pr[pass rate > 0.95] = 0.879",
        "mean 96.5 %, 95 % CrI 93.6-98.6 % (equal-tailed)",
    ]
    assert ax.get_title(loc="left") == "Pass rate"
    assert "n = 200 tasks; engine: conjugate" in _texts(ax)


def test_tail_mass_is_shaded_from_the_bar_on() -> None:
    ax = be.plot_posterior(be.beta_posterior(194, 200), threshold=0.95)
    (tail,) = (c for c in ax.collections if c.get_label() == "tail")
    x = tail.get_paths()[0].vertices[:, 0]
    assert x.min() == pytest.approx(0.95, abs=1e-12)
    # The shaded area, in units of the whole, is the probability that is printed.
    outline = tail.get_paths()[0].vertices
    area = 0.5 * abs(
        np.dot(outline[:, 0], np.roll(outline[:, 1], 1))
        - np.dot(outline[:, 1], np.roll(outline[:, 0], 1))
    )
    curve = next(line for line in ax.lines if line.get_label() == "posterior density")
    whole = np.trapezoid(*map(np.asarray, reversed(curve.get_data())))
    assert area / whole == pytest.approx(0.8793, abs=2e-3)


def test_without_a_bar_nothing_is_shaded() -> None:
    ax = be.plot_posterior(be.beta_posterior(194, 200))
    assert not [c for c in ax.collections if c.get_label() == "tail"]
    assert not [text for text in _texts(ax) if text.startswith("Pr[")]


def test_level_is_printed_and_drawn() -> None:
    posterior = be.beta_posterior(80, 100)
    ax = be.plot_posterior(posterior, ci_prob=0.8)
    ((label, ends),) = _rails(ax).items()
    assert "80 % CrI" in label
    assert ends == tuple(posterior.eti(0.8))


def test_draws_print_their_monte_carlo_error() -> None:
    posterior = _draws()
    ax = be.plot_posterior(posterior, threshold=0.6)
    assert f"(MCSE {posterior.mcse_prob_above(0.6):.1g})" in _texts(ax)[0]


def test_discrete_mass_is_bars_coloured_by_side() -> None:
    posterior = be.beta_posterior(194, 200).predictive(20)
    ax = be.plot_posterior(posterior, threshold=18)
    heights = {
        round(bar.get_x() + bar.get_width() / 2): (bar.get_height(), bar.get_facecolor()[:3])
        for bar in ax.patches
    }
    assert heights[20][0] / heights[19][0] == pytest.approx(posterior.pdf(20) / posterior.pdf(19))
    # 18 does not exceed 18.
    assert heights[18][1] == to_rgb(style.POSTERIOR)
    assert heights[19][1] == heights[20][1] == to_rgb(style.PASS)
    assert ax.get_xlim()[1] < 21


def test_difference_is_in_signed_points() -> None:
    difference = be.difference(be.beta_posterior(85, 100), be.beta_posterior(78, 100))
    ax = be.plot_posterior(difference, threshold=0.05)
    assert _texts(ax)[0].startswith("Pr[difference in pass rate > +5 points] = ")
    assert ax.get_xlabel() == "difference in pass rate, percentage points"
    ticks = {ax.xaxis.get_major_formatter()(x, None) for x in (-0.1, 0.0, 0.05)}
    assert ticks == {"-10", "0", "+5"}


def test_rates_are_in_per_cent() -> None:
    ax = be.plot_posterior(be.beta_posterior(80, 100))
    assert ax.xaxis.get_major_formatter()(0.57, None) == "57 %"


# -- baselines --------------------------------------------------------------------


def test_rollouts_bring_bootstrap_and_wilson(
    fit_of: Callable[[str], Any], assert_legible: Check
) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_posterior(fit.pass_rate(), threshold=0.5, rollouts=fit.rollouts)
    assert_legible(ax)
    rails = _rails(ax)
    wilson = "Wilson on pooled rollouts, 95 % CI 58.2-71.3 %"
    assert list(rails) == [
        "mean 64.7 %, 95 % CrI 52.1-76.4 % (equal-tailed)",
        "Whole-task bootstrap, 95 % CI 52.0-77.0 %",
        wilson,
    ]
    assert rails[wilson] == tuple(be.interval(130, 200))
    assert f"{wilson} (unsound: do not use)" in _texts(ax)


def test_one_rollout_each_makes_wilson_sound() -> None:
    suite = be.Rollouts.from_counts([1] * 194 + [0] * 6, 1)
    ax = be.plot_posterior(be.beta_posterior(194, 200), rollouts=suite)
    assert "Wilson on tasks, 95 % CI 93.6-98.6 %" in _texts(ax)


def test_a_perfect_score_has_a_fallback(fit_of: Callable[[str], Any]) -> None:
    fit = fit_of("all_pass")
    ax = be.plot_posterior(fit.pass_rate(), rollouts=fit.rollouts)
    assert any("all tasks agree: Wilson on tasks), 95 % CI 83.9-100" in t for t in _texts(ax))


def test_pass_hat_k_has_its_own_bootstrap(fit_of: Callable[[str], Any]) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_posterior(fit.pass_hat_k(2), rollouts=fit.rollouts)
    found = be.cluster_bootstrap(fit.rollouts, statistic="pass_hat_k", k=2, rng=0)
    _, bootstrap = _rails(ax).values()
    assert bootstrap == tuple(found.interval)  # type: ignore[arg-type]


def test_beyond_the_data_the_bootstrap_is_unknown(
    fit_of: Callable[[str], Any], assert_legible: Check
) -> None:
    fit = fit_of("u_shaped")
    ax = be.plot_posterior(fit.pass_at_k(8), rollouts=fit.rollouts)
    assert_legible(ax)
    assert any(text.startswith("Whole-task bootstrap: UNKNOWN, k = 8") for text in _texts(ax))
    assert any("beyond the data: rests on the model" in text for text in _texts(ax))


def test_given_baselines_are_drawn(assert_legible: Check) -> None:
    suite = be.Rollouts.from_counts([1] * 18 + [0] * 2, 1)
    rows = baseline_table(suite, rng=1)
    ax = be.plot_posterior(be.beta_posterior(18, 20), threshold=0.8, baselines=rows)
    assert_legible(ax)
    assert len(_rails(ax)) == 1 + len(rows)
    ax = be.plot_posterior(be.beta_posterior(18, 20), baselines=[be.interval(18, 20)])
    assert list(_rails(ax))[1].startswith("Wilson, 95 % CI ")


def test_same_figure_each_time() -> None:
    suite = be.Rollouts.from_counts([4] * 30 + [0] * 15 + [2] * 5, 4)
    first, second = (_rails(be.plot_posterior(_draws(), rollouts=suite)) for _ in range(2))
    assert first == second


# -- errors -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 95}, "a percentage"),
        ({"ci_prob": 1.0}, "ci_prob must be strictly between 0 and 1"),
        ({"baselines": [0.5]}, "baselines must hold Baseline or Interval objects"),
        ({"ax": "here"}, "ax must be matplotlib Axes or None"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.plot_posterior(be.beta_posterior(8, 10), **options)
    assert not plt.get_fignums()


def test_wrong_posterior_and_baselines() -> None:
    suite = be.Rollouts.from_counts([1, 0], 1)
    with pytest.raises(be.InputError, match="posterior must be a Posterior"):
        be.plot_posterior(0.5)  # type: ignore[arg-type]
    with pytest.raises(be.InputError, match="either rollouts or baselines"):
        be.plot_posterior(be.beta_posterior(1, 2), rollouts=suite, baselines=[])
    with pytest.raises(be.InputError, match=r"for the pass rate, pass@k and pass\^k only"):
        be.plot_posterior(be.beta_posterior(1, 2).predictive(5), rollouts=suite)
