"""Difference of two independent quantities, by quadrature or by paired draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayeseval._blend import CLOSED_DEPTH, GRID_DEPTH, blended_panels, mirrored
from bayeseval._validate import Seed, as_generator
from bayeseval.errors import InputError
from bayeseval.posterior import About, DrawsPosterior, GridPosterior, Posterior
from bayeseval.posterior._parts import humps, is_closed

__all__ = ["difference"]


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
    for posterior in (a, b):
        if posterior.support != (0.0, 1.0):
            low, high = posterior.support
            raise InputError(
                f"difference needs two posteriors on [0, 1]; got {posterior.about.quantity} "
                f"on [{low:g}, {high:g}]"
            )
    about = _about_difference(a.about, b.about)
    if isinstance(a, DrawsPosterior) or isinstance(b, DrawsPosterior):
        return _paired_draws(a, b, about, as_generator(rng))
    # a - b = 2 v - 1, where v is the mean of a and of one minus b.
    depth = CLOSED_DEPTH if is_closed(a) and is_closed(b) else GRID_DEPTH
    first, second = humps(a, "difference"), mirrored(humps(b, "difference"))
    panels = blended_panels(first, second, [(1.0, 0.5)], depth)
    moments = (a.mean - b.mean, float(np.hypot(a.sd, b.sd)))
    posterior = GridPosterior(panels, about, (-1.0, 1.0), moments)
    # The moments are known exactly, and so show whether the density was integrated well.
    if not abs(replace(posterior, moments=None).mean - moments[0]) < 1e-4 * max(moments[1], 1e-12):
        raise InputError(
            "difference cannot be integrated for posteriors as close to 0 or 1 as "
            f"{a!r} and {b!r}; use a prior with larger alpha and beta"
        )
    return posterior


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
