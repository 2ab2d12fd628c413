"""Quadrature by rows, and panels: against integrals in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from bayeseval._panels import Panels
from bayeseval._quadrature import log_integrals, log_sum, zoom


def logs_of(alpha: np.ndarray, beta: np.ndarray):  # type: ignore[no-untyped-def]
    """Rows of Beta densities on the logit scale, without their constants."""

    def log_density(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return np.asarray(
            -alpha[rows, None] * np.logaddexp(0, -points)
            - beta[rows, None] * np.logaddexp(0, points)
        )

    return log_density


def normal(z: np.ndarray, centre: float, sd: float) -> np.ndarray:
    return np.asarray(-0.5 * ((z - centre) / sd) ** 2)


# log_sum


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_log_sum(logs: list[float]) -> None:
    assert log_sum(np.array(logs)) == pytest.approx(special.logsumexp(logs), abs=1e-12)


def test_log_sum_far_from_zero_and_of_nothing() -> None:
    assert log_sum(np.array([-1e5, -1e5])) == pytest.approx(-1e5 + np.log(2))
    assert log_sum(np.array([1e5, -np.inf])) == 1e5
    assert log_sum(np.full(3, -np.inf)) == -np.inf
    table = np.log(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    np.testing.assert_allclose(np.exp(log_sum(table, axis=0)), [5, 7, 9])
    np.testing.assert_allclose(np.exp(log_sum(table)), [6, 15])


# Integrals by rows


@pytest.mark.parametrize("method", ["zoom", "log_integrals"])
def test_integrals_of_betas_of_every_width(method: str) -> None:
    alpha = np.array([1.0, 0.5, 3.0, 195.0, 1e6, 0.1, 1.0, 1e9])
    beta = np.array([1.0, 0.5, 7.0, 7.0, 1e5, 4.0, 300.0, 1e3])
    window = np.full(alpha.size, 700.0)
    if method == "zoom":
        got = zoom(logs_of(alpha, beta), -window, window).log_integral
    else:
        got = log_integrals(logs_of(alpha, beta), -window, window)
    expected = special.betaln(alpha, beta)
    # With 50 digits (mpmath): a difference of log gammas is off by 3e-6 here.
    expected[-1] = -14818.045913237064
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=2e-9)


def test_zoom_says_how_far_the_rule_and_its_half_differ() -> None:
    alpha = np.array([3.0, 40.0])
    nodes = zoom(logs_of(alpha, alpha), np.full(2, -50.0), np.full(2, 50.0))
    assert nodes.points.shape == nodes.logs.shape
    assert np.all(nodes.discrepancy < 1e-6)
    np.testing.assert_allclose(
        np.diff(nodes.points),
        np.broadcast_to(nodes.step[:, None], (2, nodes.points.shape[1] - 1)),
        rtol=1e-9,
    )


def test_rows_do_not_disturb_each_other() -> None:
    alpha, beta = np.array([0.2, 1e7, 5.0]), np.array([0.3, 1e7, 900.0])
    window = np.full(3, 400.0)
    together = log_integrals(logs_of(alpha, beta), -window, window)
    for i in range(3):
        alone = log_integrals(logs_of(alpha[[i]], beta[[i]]), -window[:1], window[:1])
        assert together[i] == pytest.approx(alone[0], abs=1e-11)


def test_the_callers_windows_are_not_changed() -> None:
    lower, upper = np.array([-50.0]), np.array([50.0])
    log_integrals(logs_of(np.array([3.0]), np.array([4.0])), lower, upper)
    zoom(logs_of(np.array([3.0]), np.array([4.0])), lower, upper)
    assert (lower[0], upper[0]) == (-50.0, 50.0)


def test_a_row_without_mass_is_minus_infinity() -> None:
    got = log_integrals(
        lambda points, _: np.full(points.shape, -np.inf), np.array([-5.0]), np.array([5.0])
    )
    assert got[0] == -np.inf


# Panels


@pytest.mark.parametrize(("centre", "sd"), [(0.0, 1.0), (-3.0, 0.01), (31.4, 5.0), (60.0, 1e-4)])
def test_panels_of_a_normal(centre: float, sd: float) -> None:
    panels = Panels.from_log_density(lambda z: normal(z, centre, sd) + 123.0, -200.0, 200.0)
    z = centre + sd * np.linspace(-8, 8, 33)
    u = (z - centre) / sd
    exact = np.exp(-0.5 * u**2) / (sd * np.sqrt(2 * np.pi))
    # The argument itself is rounded, which moves the exponent by u times this.
    allowed = 1e-8 + 8 * abs(centre) * 2.3e-16 / sd
    np.testing.assert_allclose(panels.density(z), exact, rtol=10 * allowed)
    np.testing.assert_allclose(panels.below(z), special.ndtr(u), rtol=10 * allowed)
    np.testing.assert_allclose(panels.above(z), special.ndtr(-u), rtol=10 * allowed)
    q = np.array([1e-12, 0.025, 0.5, 0.975])
    np.testing.assert_allclose(
        panels.quantile(q), centre + sd * special.ndtri(q), atol=1e-9 * sd + 1e-13 * abs(centre)
    )
    assert panels.expect(lambda p: p) == pytest.approx(centre, abs=1e-9 * sd + 1e-13 * abs(centre))
    assert panels.expect(lambda p: (p - centre) ** 2) == pytest.approx(sd**2, rel=1e-8)


def test_panels_keep_tails_to_1e_30() -> None:
    panels = Panels.from_log_density(lambda z: normal(z, 0, 1), -200.0, 200.0)
    z = np.array([-11.4, -11.0, -9.0])
    np.testing.assert_allclose(panels.below(z), special.ndtr(z), rtol=1e-6)
    np.testing.assert_allclose(panels.above(-z), special.ndtr(z), rtol=1e-6)


def test_panels_are_not_split_for_the_rounding_of_large_values() -> None:
    # As the log likelihood of millions of rollouts; its values are multiples of 1e-9 or so.
    panels = Panels.from_log_density(lambda z: (-6e6 - 0.5 * z**2) - 0.1, -40.0, 40.0)
    assert len(panels.edges) < 200
    assert panels.quantile(np.array([0.975])) == pytest.approx(special.ndtri(0.975), abs=1e-8)


def test_panels_of_two_humps_in_reach_of_each_other() -> None:
    def two(z: np.ndarray) -> np.ndarray:
        return np.logaddexp(normal(z, -2, 0.3) + np.log(0.25), normal(z, 3, 0.3) + np.log(0.75))

    panels = Panels.from_log_density(two, -6.0, 6.0)
    assert panels.below(np.array([0.0]))[0] == pytest.approx(0.25, rel=1e-9)


def test_panels_add_up() -> None:
    panels = Panels.from_log_density(lambda z: normal(z, 0.3, 0.7), -50.0, 50.0)
    z = np.linspace(-8, 9, 301)
    np.testing.assert_allclose(panels.below(z) + panels.above(z), 1, atol=1e-13)
    assert np.all(np.diff(panels.below(z)) >= 0)
    assert np.all(np.diff(panels.above(z)) <= 0)
    assert np.all(panels.density(z) >= 0)
    ends = np.array([-np.inf, -1e3, 1e3, np.inf])
    assert panels.below(ends) == pytest.approx([0, 0, 1, 1], abs=1e-12)
    assert panels.above(ends) == pytest.approx([1, 1, 0, 0], abs=1e-12)
    assert panels.density(np.array([-1e3, 1e3])).tolist() == [0, 0]


@given(st.floats(1e-25, 1 - 1e-12))
def test_quantile_inverts_the_mass_below(q: float) -> None:
    panels = Panels.from_log_density(lambda z: normal(z, 1.0, 0.2), -20.0, 20.0)
    z = panels.quantile(np.array([q]))
    assert panels.below(z)[0] == pytest.approx(q, rel=1e-9)
