"""Named alternative priors: one table for the conjugate and the hierarchical model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayeseval.conjugate import BetaPrior

if TYPE_CHECKING:
    from bayeseval.hierarchical import HierarchicalPrior

__all__ = ["FIELD_ICC", "NAMED_PRIORS", "NamedPrior"]

# Quartiles .21, .33, .53 of the ICC over 34 public leaderboard rows of agents (extremes
# .03 and .83). The Beta with the nearest quartiles, by least squares, has .20, .35, .52.
FIELD_ICC = (1.54, 2.63)


@dataclass(frozen=True, slots=True)
class NamedPrior:
    """One alternative prior, for both models.

    Parameters
    ----------
    name : str
        Its name as an argument.
    label : str
        Its name in a sentence.
    meaning : str
        What it stands for.
    rate : (float, float)
        Beta parameters of the prior on the pass rate, or on the mean rate of new tasks.
    icc : (float, float)
        Beta parameters of the prior on the ICC, which only the hierarchical model has.
    """

    name: str
    label: str
    meaning: str
    rate: tuple[float, float] = (1.0, 1.0)
    icc: tuple[float, float] = (1.0, 1.0)

    def conjugate(self) -> BetaPrior:
        """Return the prior of the conjugate model."""
        return BetaPrior(*self.rate)

    def hierarchical(self) -> HierarchicalPrior:
        """Return the prior of the hierarchical model."""
        from bayeseval.hierarchical import HierarchicalPrior

        return HierarchicalPrior(mean=self.rate, icc=self.icc)


NAMED_PRIORS: dict[str, NamedPrior] = {
    each.name: each
    for each in (
        NamedPrior("uniform", "uniform", "every rate, and every ICC, equally probable"),
        NamedPrior(
            "jeffreys", "Jeffreys", "Beta(1/2, 1/2): more room near 0 and 1", (0.5, 0.5), (0.5, 0.5)
        ),
        NamedPrior("sceptical", "sceptical", "as if two more failures had been seen", (1.0, 3.0)),
        NamedPrior(
            "empirical", "empirical", "an ICC as public agent suites have it", icc=FIELD_ICC
        ),
    )
}
