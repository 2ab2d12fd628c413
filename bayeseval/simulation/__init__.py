"""Simulated suites: results whose true rates are known."""

from __future__ import annotations

from bayeseval.simulation._generate import simulate
from bayeseval.simulation._rates import RateComponent
from bayeseval.simulation._result import Simulation
from bayeseval.simulation._truth import Truth

__all__ = ["RateComponent", "Simulation", "Truth", "simulate"]
