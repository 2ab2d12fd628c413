"""Plans: how many tasks, how many rollouts of each, and what a run can be expected to show.

Reached as ``be.plan``. Every result prints itself in one line, and gives its numbers by
`to_dict`.
"""

from __future__ import annotations

from bayeseval.plan._assurance import Assurance, AssuranceSize, assurance, assurance_size
from bayeseval.plan._clustered import (
    ClusteredPlan,
    ClusteredTable,
    clustered,
    clustered_budget,
    clustered_design,
    clustered_table,
)
from bayeseval.plan._clustered_assurance import (
    ClusteredAssurance,
    ClusteredAssuranceSize,
    clustered_assurance,
    clustered_assurance_size,
)
from bayeseval.plan._designs import ClusteredDesign, design_effect
from bayeseval.plan._paired import PairedPower, PairedSize, paired_power, paired_size
from bayeseval.plan._passes import FailuresPlan, PassesPlan, passes, tasks_for_failures
from bayeseval.plan._rare import (
    CleanRun,
    FailureBound,
    SeenFailure,
    clean_run,
    failure_bound,
    see_failure,
)
from bayeseval.plan._result import Plan
from bayeseval.plan._slices import SlicesPlan, slices
from bayeseval.plan._unpaired import UnpairedPower, UnpairedSize, unpaired_power, unpaired_size
from bayeseval.plan._width import WidthAt, WidthPlan, width, width_at, width_table

__all__ = [
    "Assurance",
    "AssuranceSize",
    "CleanRun",
    "ClusteredAssurance",
    "ClusteredAssuranceSize",
    "ClusteredDesign",
    "ClusteredPlan",
    "ClusteredTable",
    "FailureBound",
    "FailuresPlan",
    "PairedPower",
    "PairedSize",
    "PassesPlan",
    "Plan",
    "SeenFailure",
    "SlicesPlan",
    "UnpairedPower",
    "UnpairedSize",
    "WidthAt",
    "WidthPlan",
    "assurance",
    "assurance_size",
    "clean_run",
    "clustered",
    "clustered_assurance",
    "clustered_assurance_size",
    "clustered_budget",
    "clustered_design",
    "clustered_table",
    "design_effect",
    "failure_bound",
    "paired_power",
    "paired_size",
    "passes",
    "see_failure",
    "slices",
    "tasks_for_failures",
    "unpaired_power",
    "unpaired_size",
    "width",
    "width_at",
    "width_table",
]
