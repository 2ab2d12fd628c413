"""DrawsPosterior: against the exact Beta, within Monte Carlo error."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.posterior import About, BetaMixture, DrawsPosterior

EXACT = BetaMixture(np.ones(1), np.array([17.0]), np.array([4.0]))
SHAPE = (4, 1_000)


def drawn(seed: int, exact: BetaMixture = EXACT) -> DrawsPosterior:
    draws = exact.sample(int(np.prod(SHAPE)), rng=seed).reshape(SHAPE)
    return DrawsPosterior(draws, About(engine="nuts"))


def test_answers_agree_within_monte_carlo_error() -> None:
    found = drawn(1)
    assert abs(found.mean - EXACT.mean) < 4 * found.mcse_mean
    assert found.sd == pytest.approx(EXACT.sd, rel=4 / np.sqrt(2 * found.draws.size))
    for q in (0.025, 0.5, 0.975):
        assert abs(found.quantile(q) - EXACT.quantile(q)) < 4 * found.mcse_quantile(q)
    for t in (0.6, 0.8, 0.9):
        error = found.mcse_prob_above(t)
        assert abs(found.prob_above(t) - EXACT.prob_above(t)) < 4 * error
        assert abs(found.prob_below(t) - EXACT.prob_below(t)) < 4 * error
    assert found.engine == "nuts"


def test_four_monte_carlo_errors_cover_the_truth() -> None:
    # Independent draws: a miss has probability 6e-5, so two in 180 are beyond any doubt.
    misses = 0
    for seed in range(60):
        found = drawn(100 + seed)
        misses += abs(found.mean - EXACT.mean) > 4 * found.mcse_mean
        misses += abs(found.quantile(0.1) - EXACT.quantile(0.1)) > 4 * found.mcse_quantile(0.1)
        misses += abs(found.prob_above(0.9) - EXACT.prob_above(0.9)) > 4 * found.mcse_prob_above(
            0.9
        )
    assert misses < 2


def test_monte_carlo_errors_are_not_too_large_either() -> None:
    found = drawn(2)
    n = found.draws.size
    assert found.mcse_mean == pytest.approx(EXACT.sd / np.sqrt(n), rel=0.25)
    share = EXACT.prob_above(0.8)
    assert found.mcse_prob_above(0.8) == pytest.approx(np.sqrt(share * (1 - share) / n), rel=0.25)


def test_correlated_draws_have_a_larger_error(rng: np.random.Generator) -> None:
    blocks = np.repeat(EXACT.sample(400, rng).reshape(4, 100), 10, axis=1)
    assert DrawsPosterior(blocks, About()).mcse_mean > 2 * drawn(3).mcse_mean


def test_no_draw_on_one_side_is_not_certainty() -> None:
    found = drawn(4)
    assert found.prob_above(0.01) == 1.0
    assert 0 < found.mcse_prob_above(0.01) == pytest.approx(1 / found.draws.size, rel=0.01)
    assert 0 < found.mcse_prob_above(1.0) == pytest.approx(1 / found.draws.size, rel=0.01)


def test_strict_and_non_strict_where_draws_repeat() -> None:
    found = DrawsPosterior(np.array([[0.0, 0.5, 0.5, 1.0]]), About())
    assert (found.prob_below(0.5), found.cdf(0.5), found.prob_above(0.5)) == (0.25, 0.75, 0.25)
    assert (found.prob_below(0.0), found.prob_above(1.0)) == (0.0, 0.0)
    assert found.prob_between(0.0, 1.0) == 0.5
    assert found.prob_between(0.25, 0.5) == 0.0
    assert found.log_prob_above(0.5) == pytest.approx(np.log(0.25))
    assert found.log_prob_below(0.5) == pytest.approx(np.log(0.25))


def test_intervals() -> None:
    found = drawn(5)
    assert tuple(found.eti(0.9)) == tuple(np.quantile(found.draws, [0.05, 0.95]))
    for level in (0.5, 0.9, 0.95):
        shortest = found.hdi(level)
        assert isinstance(shortest, be.Interval)
        assert shortest.width <= found.eti(level).width
        share = np.mean((found.draws >= shortest.lower) & (found.draws <= shortest.upper))
        # The limits lie between draws: one draw may fall out at each.
        assert share == pytest.approx(level, abs=2 / found.draws.size)


def test_samples_are_stored_draws_and_follow_their_seed() -> None:
    found = drawn(6)
    sample = found.sample(500, rng=1)
    assert np.isin(sample, found.draws).all()
    np.testing.assert_array_equal(sample, found.sample(500, rng=1))
    assert not np.array_equal(sample, found.sample(500, rng=2))


def test_density_integrates_to_one_and_is_near_the_exact_one() -> None:
    found = drawn(7)
    x, step = np.linspace(0, 1, 4_001, retstep=True)
    density = found.pdf(x)
    assert np.sum(density) * step == pytest.approx(1, abs=1e-3)
    # A kernel estimate from 4,000 draws: within a tenth of the highest density.
    assert np.max(np.abs(density - EXACT.pdf(x))) < 0.1 * EXACT.pdf(x).max()
    assert found.pdf([-0.1, 1.1]).tolist() == [0, 0]


def test_density_of_equal_draws_is_finite() -> None:
    density = DrawsPosterior(np.full((2, 50), 0.5), About()).pdf(np.linspace(0, 1, 11))
    assert np.all(np.isfinite(density))
    assert density[0] == 0


def test_the_callers_array_stays_writable() -> None:
    draws = np.full((2, 10), 0.5)
    found = DrawsPosterior(draws, About())
    draws[0, 0] = 0.9
    assert found.draws[0, 0] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        found.draws[0, 0] = 0.1


def test_one_line_of_draws_is_one_chain() -> None:
    assert DrawsPosterior(np.array([0.1, 0.2, 0.3]), About()).draws.shape == (1, 3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.mcse_prob_above(80), "threshold must be between 0 and 1; got 80"),
        (lambda p: p.mcse_quantile(1.5), "q must be between 0 and 1; got 1.5"),
        (lambda p: p.prob_between(0.1, float("nan")), "upper must be a finite number; got nan"),
        (lambda p: p.sample(-3), "size must be at least 1; got -3"),
        (lambda p: p.hdi(1.0), "prob must be strictly between 0 and 1; got 1.0"),
    ],
)
def test_wrong_questions(ask, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(be.InputError, match=message):
        ask(drawn(8))


def test_the_density_is_hardly_wider_than_the_draws() -> None:
    # The kernel of 4,000 draws adds its own variance on the logit scale: 3 % of theirs.
    found = drawn(5)
    z = np.linspace(-4.0, 8.0, 4_001)
    p = 1.0 / (1.0 + np.exp(-z))
    density = found.pdf(p) * p * (1.0 - p)
    step = z[1] - z[0]
    assert density.sum() * step == pytest.approx(1.0, abs=1e-3)
    mean = (z * density).sum() * step
    variance = ((z - mean) ** 2 * density).sum() * step
    own = np.log(found.draws / (1.0 - found.draws)).var()
    assert 1.0 < variance / own < 1.06
