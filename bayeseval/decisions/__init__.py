"""Deciding: the risk of a gate, looking again and again, and what a decision costs."""

from bayeseval.decisions._operating import (
    OperatingCharacteristics,
    RateRow,
    operating_characteristics,
)

__all__ = ["OperatingCharacteristics", "RateRow", "operating_characteristics"]
