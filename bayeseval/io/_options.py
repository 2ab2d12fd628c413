"""What a caller may choose about reading, in one value for every reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bayeseval._validate import as_flag, as_text

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the caller chose: every reader is given the same options.

    Parameters
    ----------
    system : str or None
        The system to read, where a file holds several.
    scorer, metric, filter : str or None
        Which outcome to read, where a file holds several; each format says which of
        the three words it uses.
    pass_if : callable or None
        Whether a score passes; by default full credit does.
    duplicates : {"error", "rollouts"}
        What contradictory records of one (task, rollout) are.
    skip_bad_records : bool
        Whether records that cannot be read are counted and left out.
    """

    system: str | None = None
    scorer: str | None = None
    metric: str | None = None
    filter: str | None = None
    pass_if: Callable[[float], bool] | None = None
    duplicates: Literal["error", "rollouts"] = "error"
    skip_bad_records: bool = False

    def __post_init__(self) -> None:
        for name in ("system", "scorer", "metric", "filter"):
            if getattr(self, name) is not None:
                as_text(getattr(self, name), name)
        as_flag(self.skip_bad_records, "skip_bad_records")
