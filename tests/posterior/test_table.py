"""TablePosterior: what follows from a distribution function that is known at points."""

import numpy as np
import pytest
from scipy import stats

from bayeseval.posterior import About, TablePosterior


def test_density_that_follows_from_a_distribution_function_is_smooth() -> None:
    beta = stats.beta(3, 5)
    # Steps that alternate between long and short.
    grid = np.cumsum(np.tile([1.0, 3.0], 400))
    grid = np.concatenate([[0.0], grid / grid[-1]])
    table = TablePosterior.from_cdf(
        grid, beta.cdf(grid), beta.sf(grid), (beta.mean(), beta.std()), About()
    )
    x = np.linspace(0.02, 0.98, 997)
    assert table._density(x) == pytest.approx(beta.pdf(x), abs=1e-4)
    assert table._below(x) == pytest.approx(beta.cdf(x), abs=2e-8)
