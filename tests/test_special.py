"""The log beta function against exact integers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval._special import log_beta, log_binomial

positive = st.floats(1e-12, 1e12)


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1), (3, 5), (9, 10), (10, 10), (10, 11), (1, 1000), (300, 7), (5000, 5000)]
)
def test_whole_arguments(a, b):
    # B(a, b) = 1 / (b C(a + b - 1, b)); Python's logarithm of a whole number is exact.
    exact = -math.log(b * math.comb(a + b - 1, b))
    assert float(log_beta(a, b)) == pytest.approx(exact, rel=2e-15, abs=2e-15)


def test_a_billion_trials_keep_their_digits():
    # B(n, 2) = 1 / (n (n + 1)), B(n, 1) = 1 / n.
    n = 10**9
    assert float(log_beta(n, 1)) == pytest.approx(-math.log(n), rel=1e-15)
    assert float(log_beta(n, 2)) == pytest.approx(-math.log(n * (n + 1)), rel=1e-15)


@given(positive, positive)
def test_symmetry_and_recurrence(a, b):
    value = float(log_beta(a, b))
    assert value == float(log_beta(b, a))
    # B(a + 1, b) = B(a, b) a / (a + b); a + 1 itself is rounded for tiny and huge a.
    step = float(log_beta(a + 1.0, b)) - value
    expected = -math.log1p(b / a)
    assert step == pytest.approx(expected, rel=1e-9, abs=1e-12 * (1.0 + abs(value)) + 1e-9)


@pytest.mark.parametrize(("n", "k"), [(0, 0), (5, 2), (10, 10), (1000, 137), (10_000, 5_000)])
def test_binomial_coefficients(n, k):
    exact = math.log(math.comb(n, k))
    assert float(log_binomial(n, k)) == pytest.approx(exact, rel=2e-15, abs=2e-15)


def test_broadcasts():
    assert log_beta(np.ones((3, 1)), np.ones(4)).shape == (3, 4)


def test_the_tail_of_a_difference_far_below_the_panels():
    # Beta(1, 200) against Beta(200, 1): Pr[a > b] = 200 B(200, 201), about 1e-119.
    a = be.beta_posterior(0, 199)
    b = be.beta_posterior(199, 199)
    exact = math.log(200) - math.log(201 * math.comb(400, 201))
    got = be.difference(a, b).log_prob_above(0)
    assert got == pytest.approx(exact, rel=1e-9)
