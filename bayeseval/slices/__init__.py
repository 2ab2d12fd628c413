"""Slices of a suite: fitted apart, together, or drawn towards each other."""

from bayeseval.slices._fit import fit
from bayeseval.slices._model import build_sliced_model
from bayeseval.slices._sliced import SlicedFit, WorstSlice
from bayeseval.slices._split import split
from bayeseval.slices._table import SliceTable

__all__ = ["SliceTable", "SlicedFit", "WorstSlice", "build_sliced_model", "fit", "split"]
