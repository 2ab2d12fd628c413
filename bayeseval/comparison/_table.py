"""Two systems, one rollout of each task: the exact posterior of the 2 x 2 table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayeseval._panels import Panels
from bayeseval._quadrature import log_integrals
from bayeseval._special import expit, log_expit
from bayeseval._validate import as_positive, as_whole, shown
from bayeseval.errors import InputError
from bayeseval.posterior import About, GridPosterior

__all__ = ["PairedTable", "as_dirichlet", "paired_posterior"]

Array = npt.NDArray[np.float64]

# Depth to which the density is followed below its top: e^-120 is 1e-52.
DEPTH = 120.0
# Window of the inner integral on its logit scale, for parameters of at least 1.
WINDOW = 60.0


@dataclass(frozen=True, slots=True)
class PairedTable:
    """Two systems on the same tasks, one rollout each: how often which of them passed.

    Parameters
    ----------
    both : int
        Tasks that both systems passed.
    new_only, old_only : int
        Tasks that one of them passed and the other failed.
    neither : int
        Tasks that both failed.
    """

    both: int
    new_only: int
    old_only: int
    neither: int

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, as_whole(getattr(self, name), name))

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return self.both + self.new_only + self.old_only + self.neither

    @property
    def swapped(self) -> PairedTable:
        """The same table with the two systems in the other order."""
        return PairedTable(self.both, self.old_only, self.new_only, self.neither)


def as_dirichlet(prior: Sequence[float]) -> tuple[float, float, float, float]:
    """Check the parameters of a Dirichlet prior: both pass, new only, old only, neither."""
    try:
        values = tuple(as_positive(each, "prior") for each in prior)
    except TypeError:
        raise InputError(f"prior must be four numbers above 0; got {shown(prior)}") from None
    if len(values) != 4:
        raise InputError(
            "prior must be four numbers, for tasks that both pass, only the new system, only "
            f"the old one, and neither; got {shown(prior)}"
        )
    return values[0], values[1], values[2], values[3]


def paired_posterior(
    table: PairedTable, prior: tuple[float, float, float, float], about: About
) -> GridPosterior:
    """Posterior of the difference in pass rate, new minus old, by quadrature.

    Notes
    -----
    With p ~ Dirichlet(prior) over the four cells, the share of tasks on which the systems
    differ is r ~ Beta(new_only + old_only, both + neither), and the new one wins among them
    with w ~ Beta(new_only, old_only), independently (all with their prior parameters added).
    The difference is d = r (2 w - 1), with density

        f(d) = integral over r from |d| to 1 of f_r(r) f_w((1 + d / r) / 2) / (2 r) dr.
    """
    both, new, old, neither = (
        float(count + extra)
        for count, extra in zip(
            (table.both, table.new_only, table.old_only, table.neither), prior, strict=True
        )
    )
    if (old, prior[2]) > (new, prior[1]):
        # One orientation is integrated, so that swapping the systems flips the sign exactly.
        mirrored = (prior[0], prior[2], prior[1], prior[3])
        return paired_posterior(table.swapped, mirrored, about).reflected(about)
    total = both + new + old + neither
    mean = (new - old) / total
    variance = ((new + old) / total - mean**2) / (total + 1.0)
    log_density = _Density(new, old, both + neither)
    limit = 0.6 * DEPTH / min(1.0, new, old)
    # The density has a kink at 0, where the inner integral begins.
    panels = Panels.from_log_density(log_density, -limit, limit, depth=DEPTH, breaks=(0.0,))
    return GridPosterior(panels, about, (-1.0, 1.0), (mean, float(np.sqrt(variance))))


@dataclass(frozen=True, slots=True)
class _Density:
    """Log density of logit((1 + d) / 2), up to a constant."""

    new: float
    old: float
    same: float

    def __call__(self, z: Array) -> Array:
        size = np.abs(np.tanh(0.5 * z))
        # 1 - |d|, with its digits next to the ends.
        rest = 2.0 * expit(-np.abs(z))
        log_rest = np.log(rest)
        log_jacobian = np.add(*log_expit(z))
        # Powers of the larger and of the smaller of the two shares of discordant tasks.
        large = np.where(z >= 0, self.new, self.old) - 1.0
        small = np.where(z >= 0, self.old, self.new) - 1.0

        def joint(u: Array, rows: npt.NDArray[np.intp]) -> Array:
            # r = |d| + (1 - |d|) expit(u); the powers of r itself cancel.
            log_up, log_down = log_expit(u)
            at, span = size[rows, None], log_rest[rows, None]
            sum_ = 2.0 * at + rest[rows, None] * np.exp(log_up)
            return np.asarray(
                self.same * (span + log_down)
                + large[rows, None] * np.log(sum_)
                + small[rows, None] * (span + log_up)
                + log_up
            )

        window = np.full(z.size, WINDOW / min(1.0, self.new, self.old, self.same))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(log_integrals(joint, -window, window) + log_jacobian)
