"""Rollouts: tasks x rollouts as counts, with factors and a ledger."""

from bayeseval.rollouts._cells import Cells
from bayeseval.rollouts._ledger import Ledger
from bayeseval.rollouts._suite import Rollouts

__all__ = ["Cells", "Ledger", "Rollouts"]
