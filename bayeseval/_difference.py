"""Difference of two independent quantities, by quadrature or by paired draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre

from bayeseval._panels import Panels
from bayeseval._quadrature import log_integrals
from bayeseval._special import expit, log_expit
from bayeseval._validate import Seed, as_generator, as_kind
from bayeseval.errors import InputError
from bayeseval.posterior import About, BetaMixture, DrawsPosterior, GridPosterior, Posterior

__all__ = ["difference"]

Array = npt.NDArray[np.float64]
LogDensity = Callable[[Array], Array]

# Mixtures of more Betas come from integration over a grid and have one hump.
MOST_HUMPS = 16


def difference(a: Posterior, b: Posterior, *, rng: Seed = None) -> Posterior:
    """Posterior of a - b for two independent quantities.

    Parameters
    ----------
    a, b : Posterior
        Independent posteriors on [0, 1]: separate suites, not the same tasks.
    rng : int or Generator, optional
        Used only where one side is known by draws and the other is not.

    Returns
    -------
    Posterior
        On [-1, 1]; ``.prob_above(0)`` is Pr[a > b].

    Raises
    ------
    InputError
        If a posterior is discrete or not on [0, 1], or so close to 0 or 1 that the
        integrals do not reproduce the exact mean.

    Notes
    -----
    The density of the difference is the integral of f_a(p) f_b(p - d) over p, by the
    trapezoid rule on the logit scale of the overlap; no sampling. Where either side
    is known by draws, draws are paired instead.

    Examples
    --------
    >>> import bayeseval as be
    >>> new, old = be.beta_posterior(85, 100), be.beta_posterior(78, 100)
    >>> round(be.difference(new, old).prob_above(0), 3)
    0.896
    """
    for name, posterior in (("a", a), ("b", b)):
        as_kind(posterior, Posterior, name)  # type: ignore[type-abstract]
        if posterior.support != (0.0, 1.0):
            low, high = posterior.support
            raise InputError(
                f"difference needs two posteriors on [0, 1]; got {posterior.about.quantity} "
                f"on [{low:g}, {high:g}]"
            )
    about = _about_difference(a.about, b.about)
    if isinstance(a, DrawsPosterior) or isinstance(b, DrawsPosterior):
        return _paired_draws(a, b, about, as_generator(rng))
    # The quadrature follows one hump; a mixture may have several, so its parts go singly.
    # Of Betas the tails are followed to the smallest numbers there are; what was made on
    # a grid is known less deeply.
    closed = all(isinstance(p, BetaMixture) and p.n_components <= MOST_HUMPS for p in (a, b))
    depth = 690.0 if closed else 80.0
    weights, parts = [], []
    for (w_a, first), (w_b, second) in product(_humps(a), _humps(b)):
        weights.append(w_a * w_b)
        parts.append(_panels(_log_convolution(first, second), depth))
    panels = parts[0] if len(parts) == 1 else _mixed(weights, parts)
    moments = (a.mean - b.mean, float(np.hypot(a.sd, b.sd)))
    posterior = GridPosterior(panels, about, (-1.0, 1.0), moments)
    # The moments are known exactly, and so show whether the density was integrated well.
    if not abs(replace(posterior, moments=None).mean - moments[0]) < 1e-4 * max(moments[1], 1e-12):
        raise InputError(
            "difference cannot be integrated for posteriors as close to 0 or 1 as "
            f"{a!r} and {b!r}; use a prior with larger alpha and beta"
        )
    return posterior


def _panels(log_density: LogDensity, depth: float) -> Panels:
    limit = max(0.5 * depth, 120.0)
    # The density has a kink at d = 0 where a Beta does not vanish at an end.
    return Panels.from_log_density(log_density, -limit, limit, depth=depth, breaks=(0.0,))


def _about_difference(a: About, b: About) -> About:
    same = a.quantity == b.quantity
    sizes = [about.n_tasks for about in (a, b) if about.n_tasks is not None]
    return About(
        f"difference in {a.quantity}" if same else f"difference, {a.quantity} - {b.quantity}",
        a.engine if a.engine == b.engine else f"{a.engine}, {b.engine}",
        a.population if a.population == b.population else None,
        min(sizes) if sizes else None,
        "points",
        a.extrapolated or b.extrapolated,
        "" if len(set(sizes)) < 2 else f"{sizes[0]:,} against {sizes[1]:,} tasks; n is the smaller",
    )


def _log_convolution(first: LogDensity, second: LogDensity) -> LogDensity:
    """Log density of logit((1 + d) / 2) for the difference d of two independent rates."""

    def log_density(z: Array) -> Array:
        size, log_jacobian = np.abs(np.tanh(0.5 * z)), np.add(*log_expit(z))
        span = 2.0 * expit(-np.abs(z))
        positive = z >= 0

        def joint(w: Array, rows: npt.NDArray[np.intp]) -> Array:
            width, shift = span[rows, None], size[rows, None]
            part, rest = width * expit(w), width * expit(-w)
            # The larger of the two rates sits `shift` above the smaller one.
            high = np.log(shift + part), np.log(rest)
            low = np.log(part), np.log(shift + rest)
            up = positive[rows, None]
            a_logs = [np.where(up, h, lo) for h, lo in zip(high, low, strict=True)]
            b_logs = [np.where(up, lo, h) for h, lo in zip(high, low, strict=True)]
            return np.asarray(
                first(a_logs[0] - a_logs[1])
                - a_logs[0]
                - a_logs[1]
                + second(b_logs[0] - b_logs[1])
                - b_logs[0]
                - b_logs[1]
                + np.log(width)
                + np.add(*log_expit(w))
            )

        window = np.full(z.size, 200.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            integral = log_integrals(joint, -window, window)
        return np.asarray(integral + log_jacobian + np.log(2.0))

    return log_density


def _humps(posterior: Posterior) -> list[tuple[float, LogDensity]]:
    """Weights and log densities, on the logit scale, of parts with one hump each."""
    if isinstance(posterior, BetaMixture) and posterior.n_components <= MOST_HUMPS:
        return [
            (float(w), BetaMixture(np.ones(1), np.array([alpha]), np.array([beta])).log_density_z)
            for w, alpha, beta in zip(
                posterior.weights, posterior.alpha, posterior.beta, strict=True
            )
        ]
    stretched = False
    if isinstance(posterior, BetaMixture):
        panels = Panels.from_log_density(posterior.log_density_z, -700.0, 700.0)
    elif isinstance(posterior, GridPosterior):
        panels, stretched = posterior.panels, posterior.stretched
    else:
        raise InputError(
            "difference needs two continuous posteriors on [0, 1]; got "
            f"{type(posterior).__name__} of {posterior.about.quantity}"
        )

    # Where the panels end the density goes on as it falls there, so that every search
    # finds its way back.
    middle = 0.5 * (panels.edges[1:] + panels.edges[:-1])
    values = panels.density(middle)
    heavy = np.flatnonzero(values > 1e-40 * values.max())
    first, last = heavy[0], heavy[-1]
    ends = np.log(values[[first, first + 1, last - 1, last]])
    rise = max((ends[1] - ends[0]) / (middle[first + 1] - middle[first]), 0.1)
    fall = min((ends[3] - ends[2]) / (middle[last] - middle[last - 1]), -0.1)

    def log_density(z: Array) -> Array:
        place = (np.arcsinh(z) if stretched else z).ravel()
        inside = np.clip(place, middle[first], middle[last])
        with np.errstate(divide="ignore"):
            logs = np.log(panels.density(inside))
        logs += rise * np.minimum(place - inside, 0.0) + fall * np.maximum(place - inside, 0.0)
        logs = logs.reshape(z.shape)
        return np.asarray(logs - 0.5 * np.log1p(z * z) if stretched else logs)

    return [(1.0, log_density)]


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


def _paired_draws(
    a: Posterior, b: Posterior, about: About, rng: np.random.Generator
) -> DrawsPosterior:
    shape = next(p.draws.shape for p in (a, b) if isinstance(p, DrawsPosterior))
    first, second = (
        p.draws
        if isinstance(p, DrawsPosterior) and p.draws.shape == shape
        else p.sample(int(np.prod(shape)), rng).reshape(shape)
        for p in (a, b)
    )
    return DrawsPosterior(first - second, about, (-1.0, 1.0))
