"""A quantity times a constant, plus another: every kind of posterior stays what it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.posterior import (
    About,
    BetaMixture,
    DiscretePosterior,
    DrawsPosterior,
    ScaledPosterior,
    scaled,
)

ABOUT = About("scaled", "exact", None, None, "percent")


def base() -> BetaMixture:
    return BetaMixture(np.ones(1), np.array([6.0]), np.array([3.0]))


def test_closed_form() -> None:
    found = scaled(base(), 0.7, 0.3, ABOUT)
    assert isinstance(found, ScaledPosterior)
    assert found.mean == pytest.approx(0.3 + 0.7 * base().mean)
    assert found.sd == pytest.approx(0.7 * base().sd)
    assert found.median == pytest.approx(0.3 + 0.7 * base().median)
    assert found.prob_above(0.65) == pytest.approx(base().prob_above(0.5), rel=1e-12)
    assert found.pdf(0.65) == pytest.approx(base().pdf(0.5) / 0.7, rel=1e-12)
    assert found.eti().lower == pytest.approx(0.3 + 0.7 * base().eti().lower)
    assert found.mcse_mean == 0.0


def test_beyond_what_it_can_reach() -> None:
    found = scaled(base(), 0.5, 0.25, ABOUT)
    assert found.prob_below(0.2) == 0.0
    assert found.prob_above(0.2) == 1.0
    assert found.prob_below(0.8) == 1.0
    assert found.prob_above(0.8) == 0.0
    assert found.pdf([0.2, 0.8]).tolist() == [0.0, 0.0]


def test_a_density_that_does_not_vanish_at_its_end() -> None:
    flat = BetaMixture(np.ones(1), np.ones(1), np.ones(1))
    found = scaled(flat, 0.5, 0.0, ABOUT)
    assert found.pdf([0.0, 0.4, 0.6]).tolist() == pytest.approx([2.0, 2.0, 0.0])


def test_values_stay_values() -> None:
    third = DiscretePosterior(np.arange(4) / 3, np.array([0.1, 0.2, 0.3, 0.4]), ABOUT)
    found = scaled(third, 0.7, 0.3, ABOUT)
    assert isinstance(found, DiscretePosterior)
    # Exactly on a value, where rounding would decide.
    at = float(found.values[2])
    assert found.prob_above(at) == pytest.approx(0.4)
    assert found.prob_at_least(at) == pytest.approx(0.7)
    assert isinstance(found.hdi(0.5), be.Interval)


def test_draws_stay_draws(rng: np.random.Generator) -> None:
    draws = DrawsPosterior(rng.uniform(size=(4, 500)), ABOUT)
    found = scaled(draws, 0.5, 0.5, ABOUT)
    assert isinstance(found, DrawsPosterior)
    assert found.draws == pytest.approx(0.5 + 0.5 * draws.draws)
    assert found.mcse_mean == pytest.approx(0.5 * draws.mcse_mean)


def test_nothing_to_do_is_nothing_done() -> None:
    found = scaled(base(), 1.0, 0.0, ABOUT)
    assert isinstance(found, BetaMixture)
    assert found.about is ABOUT


@given(st.floats(0.01, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_tails_add_up(scale: float, part: float, x: float) -> None:
    found = scaled(base(), scale, part * (1.0 - scale), ABOUT)
    assert found.prob_below(x) + found.prob_above(x) == pytest.approx(1.0, abs=1e-12)


def test_samples(rng: np.random.Generator) -> None:
    found = scaled(base(), 0.2, 0.8, ABOUT)
    draws = found.sample(2_000, rng)
    assert draws.min() >= 0.8
    assert draws.mean() == pytest.approx(found.mean, abs=4 * found.sd / 44)
