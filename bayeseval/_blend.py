"""Weighted means of independent quantities on [0, 1], by quadrature.

The density of (1 - share) X + share Y is an integral over how much of the value comes
from Y. On the logit scale of that part it is analytic and falls off at least
exponentially, so the trapezoid rule keeps the relative accuracy of both tails. Means of
more than two quantities are blended one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre
from scipy import special

from bayeseval._panels import Panels
from bayeseval._quadrature import log_integrals, log_sum
from bayeseval.posterior import About, GridPosterior, Posterior
from bayeseval.posterior._parts import LogDensity, humps, is_closed, panel_log_density

__all__ = ["blend", "blended_panels", "dirichlet_mean", "log_blend", "weighted_mean"]

Array = npt.NDArray[np.float64]
Parts = list[tuple[float, LogDensity]]

# Depth to which tails are followed: of closed Betas to the smallest numbers there are.
CLOSED_DEPTH, GRID_DEPTH = 690.0, 80.0
SHARE_NODES = 24


def log_blend(first: LogDensity, second: LogDensity, share: float) -> LogDensity:
    """Log density of logit v for v = (1 - share) x + share y.

    Parameters
    ----------
    first, second : callable
        Log densities of logit x and logit y, each with one hump.
    share : float
        Strictly between 0 and 1.
    """
    centre = float(special.logit(share))

    def log_density(z: Array) -> Array:
        v, w = special.expit(z), special.expit(-z)
        # v - share and v - (1 - share), without the digits that a difference would lose.
        over = share * _relative(z - centre) * w
        beyond = (1.0 - share) * _relative(z + centre) * w
        span = np.minimum(np.minimum(v, w), min(share, 1.0 - share))
        # share * y runs from `low` to `low + span` as (1 - share) * x gives way.
        low, low_rest = np.maximum(beyond, 0.0), np.maximum(-over, 0.0)
        other, other_rest = np.maximum(over, 0.0), np.maximum(-beyond, 0.0)

        def joint(u: Array, rows: npt.NDArray[np.intp]) -> Array:
            width = span[rows, None]
            part, rest = width * special.expit(u), width * special.expit(-u)
            y, y_rest = np.log(low[rows, None] + part), np.log(low_rest[rows, None] + rest)
            x, x_rest = np.log(other[rows, None] + rest), np.log(other_rest[rows, None] + part)
            return np.asarray(
                first(x - x_rest)
                - x
                - x_rest
                + second(y - y_rest)
                - y
                - y_rest
                + np.log(width)
                - np.logaddexp(0, u)
                - np.logaddexp(0, -u)
            )

        window = np.full(z.size, 200.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            integral = log_integrals(joint, -window, window)
        scale = np.log(share) + np.log1p(-share)
        return np.asarray(integral + scale - np.logaddexp(0, z) - np.logaddexp(0, -z))

    return log_density


def _relative(step: Array) -> Array:
    """exp(step) - 1, bounded: far away its size does not matter, only its sign."""
    return np.asarray(np.expm1(np.minimum(step, 700.0)))


def blended_panels(
    first: Parts, second: Parts, shares: Sequence[tuple[float, float]], depth: float
) -> Panels:
    """Density of logit((1 - share) x + share y) for mixtures x and y, as panels.

    Parameters
    ----------
    first, second : list of (weight, log density)
        Parts with one hump each, on the logit scale.
    shares : sequence of (weight, share)
        One share, or the nodes of an uncertain one.
    depth : float
        How far below its top the log density is followed.
    """
    limit = max(0.5 * depth, 120.0)
    # With a known share the density has a kink where the range of x or of y ends.
    ends = [float(special.logit(share)) for _, share in shares] if len(shares) == 1 else []
    breaks = tuple(sorted({sign * end for end in ends for sign in (-1.0, 1.0)}))
    weights, panels = [], []
    for (w_x, x), (w_y, y) in product(first, second):
        blends = [(np.log(w), log_blend(x, y, share)) for w, share in shares]
        weights.append(w_x * w_y)
        panels.append(
            Panels.from_log_density(_log_mixture(blends), -limit, limit, depth=depth, breaks=breaks)
        )
    return panels[0] if len(panels) == 1 else _mixed(weights, panels)


def _log_mixture(parts: list[tuple[float, LogDensity]]) -> LogDensity:
    if len(parts) == 1:
        return parts[0][1]
    return lambda z: log_sum(np.stack([log + density(z) for log, density in parts]), axis=0)


def weighted_mean(
    posteriors: Sequence[Posterior], weights: Sequence[float], about: About
) -> Posterior:
    """Posterior of the weighted mean of independent quantities on [0, 1].

    Parameters
    ----------
    posteriors : sequence of Posterior
        Continuous posteriors on [0, 1].
    weights : sequence of float
        At least 0, sum 1.
    about : About
        What the mean is.
    """
    used = [(w, p) for w, p in zip(weights, posteriors, strict=True) if w > 0]
    moments = (
        sum(w * p.mean for w, p in used),
        float(np.sqrt(sum((w * p.sd) ** 2 for w, p in used))),
    )
    # Small weights first: their sum is smooth before the large ones join.
    used.sort(key=lambda each: each[0])
    totals = np.cumsum([w for w, _ in used])
    steps = [[(1.0, float(w / total))] for (w, _), total in zip(used[1:], totals[1:], strict=True)]
    return blend([p for _, p in used], steps, moments, about)


def dirichlet_mean(
    posteriors: Sequence[Posterior], concentration: Sequence[float], about: About
) -> Posterior:
    """Posterior of the weighted mean where the weights are Dirichlet distributed.

    Given all but the last weight's share, the shares of the others among themselves do
    not depend on it: each step blends with a share that is Beta distributed.

    Parameters
    ----------
    posteriors : sequence of Posterior
        Continuous posteriors on [0, 1].
    concentration : sequence of float
        Parameters of the Dirichlet distribution, above 0.
    about : About
        What the mean is.
    """
    alpha = np.asarray(concentration, dtype=float)
    order = np.argsort(alpha, kind="stable")
    total = alpha.sum()
    means = np.array([p.mean for p in posteriors])
    squares = np.array([p.sd**2 for p in posteriors]) + means**2
    mean = float(alpha @ means / total)
    second = float((alpha @ means) ** 2 + alpha @ (squares * (alpha + 1.0) - alpha * means**2))
    variance = second / (total * (total + 1.0)) - mean**2
    sums = np.cumsum(alpha[order])
    steps = [
        _share_nodes(float(alpha[at]), float(before))
        for at, before in zip(order[1:], sums[:-1], strict=True)
    ]
    moments = (mean, float(np.sqrt(max(variance, 0.0))))
    return blend([posteriors[at] for at in order], steps, moments, about)


def _share_nodes(alpha: float, beta: float) -> list[tuple[float, float]]:
    """Weights and nodes of a Beta distribution: equal steps on the logit scale."""
    low, high = special.logit(special.betaincinv(alpha, beta, [1e-12, 1.0 - 1e-12]))
    low, high = max(float(low), -80.0), min(float(high), 35.0)
    z = np.linspace(low, high, SHARE_NODES)
    logs = -alpha * np.logaddexp(0.0, -z) - beta * np.logaddexp(0.0, z)
    weights = np.exp(logs - log_sum(logs))
    return [
        (float(w), float(share))
        for w, share in zip(weights, special.expit(z), strict=True)
        if w > 1e-14
    ]


def blend(
    posteriors: Sequence[Posterior],
    steps: Sequence[Sequence[tuple[float, float]]],
    moments: tuple[float, float],
    about: About,
) -> Posterior:
    """Blend posteriors one after another; `steps` are the shares of each but the first."""
    depth = CLOSED_DEPTH if all(is_closed(p) for p in posteriors) else GRID_DEPTH
    parts = humps(posteriors[0], "a weighted mean")
    panels: Panels | None = None
    for posterior, shares in zip(posteriors[1:], steps, strict=True):
        panels = blended_panels(parts, humps(posterior, "a weighted mean"), shares, depth)
        parts = [(1.0, panel_log_density(panels))]
    if panels is None:
        panels = _as_panels(parts, depth)
    return GridPosterior(panels, about, moments=moments)


def _as_panels(parts: Parts, depth: float) -> Panels:
    limit = max(0.5 * depth, 120.0)
    panels = [Panels.from_log_density(log, -limit, limit, depth=depth) for _, log in parts]
    return panels[0] if len(panels) == 1 else _mixed([w for w, _ in parts], panels)


def _mixed(weights: list[float], parts: list[Panels]) -> Panels:
    """Mixture of densities, exact: each is a polynomial on every panel of the common edges."""
    edges = np.unique(np.concatenate([part.edges for part in parts]))
    order = parts[0].coefficients.shape[1]
    nodes, node_weights = legendre.leggauss(order)
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    points = (middle[:, None] + half[:, None] * nodes).ravel()
    values = sum(w * part.density(points) for w, part in zip(weights, parts, strict=True))
    basis = legendre.legvander(nodes, order - 1) * node_weights[:, None]
    series = np.asarray(values).reshape(half.size, order) @ basis * (np.arange(order) + 0.5)
    return Panels(edges, series)


def mirrored(parts: Parts) -> Parts:
    """Parts of one minus the quantity."""

    def flipped(density: LogDensity) -> Callable[[Array], Array]:
        return lambda z: density(-z)

    return [(weight, flipped(density)) for weight, density in parts]
