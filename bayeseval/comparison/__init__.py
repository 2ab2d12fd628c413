"""Comparison of systems that ran the same tasks: two of them, or many."""

from __future__ import annotations

from bayeseval.comparison._bootstrap import PairedBootstrap
from bayeseval.comparison._compare import compare, leaderboard
from bayeseval.comparison._join import Joined
from bayeseval.comparison._leaderboard import HolmPairs, Leaderboard, LeaderboardTable
from bayeseval.comparison._mcnemar import PairedTests, newcombe_interval, paired_tests
from bayeseval.comparison._model import build_comparison_model
from bayeseval.comparison._questions import ExpectedLoss, MovedTasks
from bayeseval.comparison._result import Comparison
from bayeseval.comparison._table import PairedTable

__all__ = [
    "Comparison",
    "ExpectedLoss",
    "HolmPairs",
    "Joined",
    "Leaderboard",
    "LeaderboardTable",
    "MovedTasks",
    "PairedBootstrap",
    "PairedTable",
    "PairedTests",
    "build_comparison_model",
    "compare",
    "leaderboard",
    "newcombe_interval",
    "paired_tests",
]
