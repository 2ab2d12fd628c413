"""Distribution of a suite's mean: a mixture, over the hyperparameters, of sums of tasks.

Given mean and ICC the tasks are independent, so the characteristic function of the
suite's mean is a product over groups of tasks with equal counts; the mixture's is the
weighted sum of those products. Where it dies out, a Fourier series gives density and
distribution function to about 1e-13. Where it does not, as in suites without a single
failure, whose mean piles up at 1, the tasks are convolved on a fine lattice instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval.posterior import About, DiscretePosterior, TablePosterior

__all__ = [
    "Group",
    "chebyshev_moments",
    "chebyshev_transform",
    "discrete_mean",
    "lattice_mean",
    "mean_and_sd",
    "series_end",
    "smooth_mean",
    "window",
]

Array = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]

# Standard deviations, and whole tasks, that a window reaches beyond the means.
WIDE, TASKS = 12.0, 30.0
# Complex numbers that the second level of a processor's cache holds.
IN_CACHE = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Tasks with equal counts, and the law of one task's value at each node.

    The characteristic function of a value is linear in what is known of its law: the
    chances of a discrete variable, or the Chebyshev moments of a continuous one.

    Parameters
    ----------
    count : int
        Number of tasks.
    matrix : ndarray, shape (n_nodes, n_terms)
        Chances or moments at each node.
    transform : callable
        ``transform(u)``, shape (n_terms, n_frequencies), such that E[exp(i u value)] is
        ``matrix @ transform(u)``. Groups with the same transform should share it.
    mean, variance : ndarray, shape (n_nodes,)
        Mean and variance of one task's value.
    """

    count: int
    matrix: Array
    transform: Callable[[Array], Complex]
    mean: Array
    variance: Array


def chebyshev_moments(alpha: Array, beta: Array, terms: int) -> Array:
    """E[T_r(2p - 1)] for p ~ Beta(alpha, beta), r = 0..terms-1, shape (n, terms).

    By the three-term recurrence of modified moments, which keeps an absolute 1e-15 for
    parameters from 1e-12 to 1e10.

    References
    ----------
    .. [1] Piessens and Branders (1973), The evaluation and application of some modified
       moments, BIT 13, 443-450. https://doi.org/10.1007/BF01933407
    """
    total, lean = alpha + beta, alpha - beta
    moments = np.empty((terms, alpha.size))
    moments[0] = 1.0
    moments[1] = lean / total
    for r in range(1, terms - 1):
        step = 2.0 * lean * moments[r] - (total - r) * moments[r - 1]
        moments[r + 1] = step / (total + r)
    return moments.T


def chebyshev_transform(value: Callable[[Array], Array], terms: int) -> Callable[[Array], Complex]:
    """Coefficients of exp(i u value(p)) in Chebyshev polynomials of 2p - 1."""
    angle = np.pi * (np.arange(terms) + 0.5) / terms
    points = value(0.5 + 0.5 * np.cos(angle))
    cosines = np.cos(np.arange(terms)[:, None] * angle) * (2.0 / terms)
    cosines[0] *= 0.5

    def transform(u: Array) -> Complex:
        return np.asarray(cosines @ np.exp(1j * points[:, None] * u))

    return transform


def mean_and_sd(weights: Array, groups: Sequence[Group]) -> tuple[Array, Array, float, float]:
    """Mean and sd of the suite's mean at each node, and of the mixture."""
    n = sum(g.count for g in groups)
    means = sum((g.count / n * g.mean for g in groups), np.zeros(weights.size))
    variances = sum((g.count / n**2 * g.variance for g in groups), np.zeros(weights.size))
    mean = float(np.sum(weights * means))
    spread = float(np.sum(weights * (variances + (means - mean) ** 2)))
    return means, np.sqrt(variances), mean, float(np.sqrt(spread))


def window(weights: Array, means: Array, sds: Array, n: int) -> tuple[float, float]:
    """Part of [0, 1] outside which the mixture has next to no mass."""
    heavy = weights > 1e-13
    # Few rare failures are skew, like a Poisson count: some whole tasks on top.
    reach = WIDE * sds[heavy] + TASKS / n
    low = max(float(np.min(means[heavy] - reach)), 0.0)
    high = min(float(np.max(means[heavy] + reach)), 1.0)
    return low, high


def _product(weights: Array, groups: Sequence[Group], u: Array, shift: Array) -> Complex:
    """Characteristic function of the mixture, about a shift at each frequency."""
    waves = {id(group.transform): group.transform for group in groups}
    # Two real products take half the time of a complex one.
    parts = {
        key: (np.ascontiguousarray(wave.real), np.ascontiguousarray(wave.imag))
        for key, wave in ((key, transform(u)) for key, transform in waves.items())
    }
    total = np.zeros(u.size, dtype=complex)
    rows = max(IN_CACHE // u.size, 1)
    for first in range(0, weights.size, rows):
        block = slice(first, first + rows)
        product = np.ones((weights[block].size, u.size), dtype=complex)
        for group in groups:
            matrix = group.matrix[block]
            real, imaginary = parts[id(group.transform)]
            law = np.empty_like(product)
            law.real = matrix @ real
            law.imag = matrix @ imaginary
            _multiply_power(product, law, group.count)
        total += weights[block] @ product
    return np.asarray(total * np.exp(-1j * shift))


def _multiply_power(product: Complex, values: Complex, exponent: int) -> None:
    """Multiply by a whole power, by repeated squaring of `values`, which are used up.

    Several times as fast as a complex power.
    """
    while True:
        if exponent & 1:
            product *= values
        exponent >>= 1
        if not exponent:
            return
        values *= values


def _frame(bounds: tuple[float, float], frequencies: int) -> tuple[float, float, Array]:
    """Start and width of a window with a margin, and its frequencies."""
    low, high = bounds
    pad = 0.02 * (high - low)
    width = high - low + 2.0 * pad
    theta = np.asarray(2.0 * np.pi / width * np.arange(frequencies), dtype=np.float64)
    return low - pad, width, theta


def series_end(
    weights: Array,
    groups: Sequence[Group],
    bounds: tuple[float, float],
    longest: int,
    tolerance: float,
) -> int | None:
    """Length at which the Fourier series of the suite's mean has died out, if it does.

    The comb of nodes repeats itself further out, so the first end counts.
    """
    n = sum(g.count for g in groups)
    start, _, theta = _frame(bounds, longest)
    return _first_end(_product(weights, groups, theta / n, theta * start), tolerance)


def smooth_mean(
    weights: Array,
    groups: Sequence[Group],
    bounds: tuple[float, float],
    lengths: tuple[int, int],
    tolerance: float,
    about: About,
) -> TablePosterior | None:
    """Distribution of the mean over all tasks, as a Fourier series.

    Parameters
    ----------
    weights : ndarray, shape (n_nodes,)
        Posterior weights of the hyperparameters.
    groups : sequence of Group
        The tasks.
    bounds : (float, float)
        The window outside which there is next to no mass.
    lengths : (int, int)
        Where the series is expected to end, and the longest it may be.
    tolerance : float
        Largest last coefficient.

    Returns
    -------
    TablePosterior or None
        None where the series has not died out.
    """
    n = sum(g.count for g in groups)
    length, longest = lengths
    while length <= longest:
        start, width, theta = _frame(bounds, length)
        series = _product(weights, groups, theta / n, theta * start)
        if _first_end(series, tolerance) is not None:
            _, _, mean, sd = mean_and_sd(weights, groups)
            return _from_series(series, start, width, (mean, sd), about)
        length = length * 5 // 4 + 1
    return None


def _first_end(series: Complex, tolerance: float) -> int | None:
    """Length after which six coefficients in a row are below the tolerance."""
    small = np.abs(series) < tolerance
    runs = np.convolve(small, np.ones(6), mode="valid") == 6
    return int(np.argmax(runs)) + 6 if runs.any() else None


def _from_series(
    series: Complex, start: float, width: float, moments: tuple[float, float], about: About
) -> TablePosterior:
    """Density and distribution function of a Fourier series on [start, start + width]."""
    size = max(4096, 8 * series.size)
    spectrum = np.zeros(size // 2 + 1, dtype=complex)
    # The series holds E[exp(i theta (X - start))]; the density's coefficients are conjugate.
    spectrum[: series.size] = np.conj(series)
    density = np.fft.irfft(spectrum, size) * size / width
    integral = np.zeros_like(spectrum)
    integral[1 : series.size] = (
        np.conj(series[1:]) * width / (2j * np.pi * np.arange(1, series.size))
    )
    wave = np.fft.irfft(integral, size) * size / width
    place = np.arange(size) / size
    below = place + wave - wave[0]
    return TablePosterior(
        start + width * place,
        np.maximum(below, 0.0),
        np.maximum(1.0 - below, 0.0),
        np.maximum(density, 0.0),
        moments,
        about,
    )


def lattice_mean(
    weights: Array,
    groups: Sequence[tuple[int, Callable[[Array], Array]]],
    bounds: tuple[float, float],
    moments: tuple[float, float],
    about: About,
) -> TablePosterior:
    """Distribution of the mean over all tasks, convolved on a lattice modulo the window.

    Parameters
    ----------
    weights : ndarray, shape (n_nodes,)
        Posterior weights of the hyperparameters.
    groups : sequence of (count, masses)
        Tasks with equal counts; ``masses(points)``, shape (n_nodes, n_points), share a
        task's law out to equally spaced points from 0 to 1, its mean kept.
    bounds : (float, float)
        The window outside which there is next to no mass.
    moments : (float, float)
        Mean and standard deviation, known from elsewhere.
    """
    n = sum(count for count, _ in groups)
    low, high = bounds
    width = (high - low) * 1.02
    budget = 1.0e6 * n * width / (weights.size * len(groups))
    size = int(2 ** np.clip(np.floor(np.log2(budget)), 11, 12))
    # A whole number of steps in one task's share, so that both its ends are on the lattice.
    cells = int(np.ceil(size / (n * width)))
    step = 1.0 / (n * cells)
    size = int(np.ceil(width / step))
    points = np.arange(cells + 1) / cells
    total: Complex = np.ones((weights.size, size // 2 + 1), dtype=complex)
    for count, point_masses in groups:
        masses = point_masses(points)
        folded = np.zeros((weights.size, size))
        for first in range(0, cells + 1, size):
            part = masses[:, first : first + size]
            folded[:, : part.shape[1]] += part
        _multiply_power(total, np.fft.rfft(folded, axis=1), count)
    mass = np.maximum(np.fft.irfft(weights @ total, size), 0.0)
    # Point j stands for all values congruent to j steps; the window begins at `low`.
    first = int(np.floor(low / step))
    mass = np.roll(mass, -(first % size))[: min(size, n * cells - first + 1)]
    mass /= mass.sum()
    limits = np.asarray((first + np.arange(mass.size + 1) - 0.5) * step, dtype=np.float64)
    below = np.concatenate([[0.0], np.cumsum(mass)])
    above = np.concatenate([np.cumsum(mass[::-1])[::-1], [0.0]])
    points, below, above = _power_law_start(limits, below, above)
    # The same at the upper end, seen from there.
    mirror, above, below = _power_law_start(1.0 - points[::-1], above[::-1], below[::-1])
    above, below = above[::-1], below[::-1]
    mirrored = 1.0 - mirror[::-1]
    _, kept = np.unique(mirrored, return_index=True)
    grid = mirrored[kept]
    below, above = below[kept], above[kept]
    return TablePosterior.from_cdf(grid, below, above, moments, about)


def _power_law_start(edges: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
    """Replace a first cell that holds the value 0 by a power law of the value.

    Near 0 the distribution function of a sum of Betas is a power; within the first
    cells its exponent follows from the masses that the lattice found there.
    """
    if edges[0] >= 0.0 or low[1] <= 0.0:
        return edges, low, high
    exponent = np.log(low[2] / low[1]) / np.log(edges[2] / edges[1]) if low[2] > low[1] else 0.0
    points = edges[1] * 2.0 ** np.arange(-45.0, 0.0)
    mass = low[1] * (points / edges[1]) ** exponent
    grid = np.concatenate([[0.0], points, edges[1:]])
    rest = high[1] + (low[1] - mass)
    return (
        grid,
        np.concatenate([[0.0], mass, low[1:]]),
        np.concatenate([[high[0]], rest, high[1:]]),
    )


def discrete_mean(
    weights: Array, groups: Sequence[Group], lattice: int, about: About
) -> DiscretePosterior:
    """Distribution of the mean over all tasks of values that are multiples of 1 / lattice.

    Parameters
    ----------
    lattice : int
        Every value of every task is a whole multiple of 1 / lattice, so the mean over
        n tasks is a whole multiple of 1 / (n lattice).
    """
    n = sum(g.count for g in groups)
    means, sds, _, _ = mean_and_sd(weights, groups)
    low, high = window(weights, means, sds, n)
    unit = n * lattice
    first, last = int(np.floor(low * unit)), int(np.ceil(high * unit))
    size = last - first + 1
    half = size // 2 + 1
    spectrum: Complex = np.zeros(half, dtype=complex)
    block = 128
    for begin in range(0, half, block):
        order = np.arange(begin, min(begin + block, half))
        theta = 2.0 * np.pi * order / size
        spectrum[order] = np.conj(_product(weights, groups, theta * lattice, theta * first))
        # A sum of lattice values repeats itself; the first time it dies out is the end.
        if np.abs(spectrum[order[-8:]]).max() < 1e-16:
            break
    mass = np.maximum(np.fft.irfft(spectrum, size), 0.0)
    kept = mass > 1e-17
    values = (first + np.flatnonzero(kept)) / unit
    return DiscretePosterior(values, mass[kept] / mass[kept].sum(), about)
