"""Deciding: the risk of a gate, looking again and again, and what a decision costs."""

from bayeseval.decisions._anytime import confidence_sequence
from bayeseval.decisions._look import Look
from bayeseval.decisions._operating import (
    OperatingCharacteristics,
    RateRow,
    operating_characteristics,
)
from bayeseval.decisions._sequential import Sequential, SequentialRate
from bayeseval.decisions._utility import ExpectedLoss, MeasureMore, Utility, expected_loss

__all__ = [
    "ExpectedLoss",
    "Look",
    "MeasureMore",
    "OperatingCharacteristics",
    "RateRow",
    "Sequential",
    "SequentialRate",
    "Utility",
    "confidence_sequence",
    "expected_loss",
    "operating_characteristics",
]
