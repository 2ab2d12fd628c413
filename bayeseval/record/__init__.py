"""Estimate records: one answer with all that a reader needs to check it."""

from bayeseval.record._check import Difference, check_record, load_record
from bayeseval.record._make import make_record, provenance_of
from bayeseval.record._record import EstimateRecord, Provenance, record_schema

__all__ = [
    "Difference",
    "EstimateRecord",
    "Provenance",
    "check_record",
    "load_record",
    "make_record",
    "provenance_of",
    "record_schema",
]
