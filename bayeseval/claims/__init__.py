"""Claims about an evaluation: read, judged, and demanded."""

from bayeseval.claims._grammar import Claim, ClaimError, Comparison, Term, parse_claim
from bayeseval.claims._verdict import (
    ClaimNotSupported,
    Judgement,
    Verdict,
    evaluate,
    require,
)

__all__ = [
    "Claim",
    "ClaimError",
    "ClaimNotSupported",
    "Comparison",
    "Judgement",
    "Term",
    "Verdict",
    "evaluate",
    "parse_claim",
    "require",
]
