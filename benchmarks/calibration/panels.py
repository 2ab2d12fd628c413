"""Cumulative integrals along equal steps, and what they answer.

Densities are given at equally spaced nodes and vanish at both ends. Between two nodes the
integral is that of the polynomial through the six nearest nodes, and the cumulative integral
between nodes is the cubic with the right values and slopes there.
"""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# Integral between the middle two of six nodes, in units of the step.
SIX = np.array([11.0, -93.0, 802.0, 802.0, -93.0, 11.0]) / 1440.0


def cumulative(density: Array) -> Array:
    """Integral from the first node to each, in units of the step, along the last axis."""
    edge = [(0, 0)] * (density.ndim - 1)
    padded = np.pad(density, [*edge, (2, 2)])
    panels = density.shape[-1] - 1
    pieces = np.zeros((*density.shape[:-1], panels))
    for at, weight in enumerate(SIX):
        pieces += weight * padded[..., at : at + panels]
    result = np.zeros(density.shape)
    np.cumsum(pieces, axis=-1, out=result[..., 1:])
    return result


def cumulative_at(density: Array, integral: Array, place: Array) -> Array:
    """Cumulative integral at places between nodes.

    Parameters
    ----------
    density, integral : ndarray, shape (..., n_nodes)
        The density at the nodes, and what `cumulative` makes of it.
    place : ndarray, shape (...)
        Where, in steps from the first node; beyond the ends it is 0 or the whole.
    """
    last = density.shape[-1] - 1
    inside = np.clip(place, 0.0, float(last))
    left = np.minimum(inside.astype(np.intp), last - 1)
    t = inside - left
    ends = [
        np.take_along_axis(values, (left + step)[..., None], axis=-1)[..., 0]
        for values in (integral, density)
        for step in (0, 1)
    ]
    return _cubic(t, *ends)


def quantiles(density: Array, integral: Array, levels: tuple[float, ...]) -> Array:
    """Places, in steps from the first node, of quantiles; shape (n_rows, n_levels)."""
    rows, last = np.arange(len(density)), density.shape[-1] - 1
    found = np.empty((len(density), len(levels)))
    for column, level in enumerate(levels):
        target = level * integral[:, -1]
        left = np.clip(np.sum(integral < target[:, None], axis=1) - 1, 0, last - 1)
        ends = [values[rows, left + step] for values in (integral, density) for step in (0, 1)]
        low, high = np.zeros(len(density)), np.ones(len(density))
        for _ in range(40):
            middle = 0.5 * (low + high)
            below = _cubic(middle, *ends) < target
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        found[:, column] = left + 0.5 * (low + high)
    return found


def _cubic(t: Array, first: Array, second: Array, slope: Array, next_slope: Array) -> Array:
    rest = 1.0 - t
    return np.asarray(
        (1.0 + 2.0 * t) * rest**2 * first
        + t**2 * (3.0 - 2.0 * t) * second
        + t * rest * (rest * slope - t * next_slope)
    )
