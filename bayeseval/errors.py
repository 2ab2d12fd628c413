"""Errors and warnings raised by bayeseval.

The tree::

    BayesevalError
    ├── InputError (ValueError)          a wrong argument or a wrong value in the data
    │   └── FormatError                  a file that cannot be read as results
    ├── UnknownValueError (TypeError)    a number was asked of an UNKNOWN value
    └── MissingDependencyError (ImportError)

    BayesevalWarning (UserWarning)
    └── CheckWarning                     a check of a fit failed

Every message names the place, the value that came and the mend. The command line
prints the message of a `BayesevalError` on one line and ends with exit status 2.
"""

from __future__ import annotations

__all__ = [
    "BayesevalError",
    "BayesevalWarning",
    "CheckWarning",
    "FormatError",
    "InputError",
    "MissingDependencyError",
    "UnknownValueError",
]


class BayesevalError(Exception):
    """Base of every error that bayeseval raises on purpose."""


class InputError(BayesevalError, ValueError):
    """A wrong argument, or a value in the data that cannot be right."""


class FormatError(InputError):
    """A file that cannot be read as evaluation results."""


class UnknownValueError(BayesevalError, TypeError):
    """A number was asked of an UNKNOWN value."""


class MissingDependencyError(BayesevalError, ImportError):
    """An optional dependency is needed and is not installed."""


class BayesevalWarning(UserWarning):
    """Base of every warning that bayeseval issues."""


class CheckWarning(BayesevalWarning):
    """A check of a fit failed; the message names the remedy."""
