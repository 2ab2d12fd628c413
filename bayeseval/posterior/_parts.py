"""Log densities on the logit scale, of parts of a posterior that have one hump each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from bayeseval._panels import Panels
from bayeseval.errors import InputError
from bayeseval.posterior._base import Posterior
from bayeseval.posterior._mixture import BetaMixture
from bayeseval.posterior._panels import GridPosterior

__all__ = ["MOST_HUMPS", "LogDensity", "humps", "is_closed", "panel_log_density"]

Array = npt.NDArray[np.float64]
LogDensity = Callable[[Array], Array]

# Mixtures of more Betas come from integration over a grid and have one hump.
MOST_HUMPS = 16


def is_closed(posterior: Posterior) -> bool:
    """Whether it is a mixture of few Betas, whose tails are known to the smallest numbers."""
    return isinstance(posterior, BetaMixture) and posterior.n_components <= MOST_HUMPS


def humps(posterior: Posterior, purpose: str) -> list[tuple[float, LogDensity]]:
    """Weights and log densities, on the logit scale, of parts with one hump each.

    Parameters
    ----------
    posterior : Posterior
        Continuous, on [0, 1].
    purpose : str
        Who needs it, for the message of the InputError about any other posterior.
    """
    if isinstance(posterior, BetaMixture) and posterior.n_components <= MOST_HUMPS:
        return [
            (float(w), BetaMixture(np.ones(1), np.array([alpha]), np.array([beta])).log_density_z)
            for w, alpha, beta in zip(
                posterior.weights, posterior.alpha, posterior.beta, strict=True
            )
        ]
    if isinstance(posterior, BetaMixture):
        panels = Panels.from_log_density(posterior.log_density_z, -700.0, 700.0)
        return [(1.0, panel_log_density(panels))]
    if isinstance(posterior, GridPosterior) and posterior.support == (0.0, 1.0):
        return [(1.0, panel_log_density(posterior.panels, stretched=posterior.stretched))]
    raise InputError(
        f"{purpose} needs continuous posteriors on [0, 1]; got "
        f"{type(posterior).__name__} of {posterior.about.quantity}"
    )


def panel_log_density(panels: Panels, *, stretched: bool = False) -> LogDensity:
    """Log density of z from panels of z, or of arcsinh(z) if `stretched`.

    Where the panels end the density goes on as it falls there, so that every search
    finds its way back.
    """
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

    return log_density
