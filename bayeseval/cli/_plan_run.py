"""Runs the commands of ``bayeseval plan``: read the options, call the package, print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bayeseval.plan as planning
from bayeseval import __version__
from bayeseval.cli._plan_claims import show_assurance, show_passes, show_rare
from bayeseval.cli._plan_tables import show_clustered, show_power, show_slices, show_width
from bayeseval.cli._tables import Printer, print_json

__all__ = ["run"]

Options = dict[str, Any]
Show = Callable[[Options, Printer], Sequence[planning.Plan]]

_COMMANDS: dict[str, Show] = {
    "width": show_width,
    "slices": show_slices,
    "power": show_power,
    "assurance": show_assurance,
    "passes": show_passes,
    "clustered": show_clustered,
    "rare": show_rare,
}


def run(command: str, options: Options) -> None:
    """Run one command with the options as they were typed."""
    json = options.pop("json")
    plans = _COMMANDS[command](options, Printer(silent=json))
    if json:
        print_json(
            {
                "schema": "bayeseval.plan/1",
                "version": __version__,
                "command": command,
                "plans": [{"kind": type(each).__name__, **each.to_dict()} for each in plans],
            }
        )
