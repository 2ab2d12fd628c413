"""Which population an answer is for: weights without a model, and leaked tasks."""

from bayeseval.population._contamination import Contamination, contamination
from bayeseval.population._stratified import (
    StratifiedEstimate,
    WeightedEstimate,
    stratified_rate,
    weighted_rate,
)

__all__ = [
    "Contamination",
    "StratifiedEstimate",
    "WeightedEstimate",
    "contamination",
    "stratified_rate",
    "weighted_rate",
]
