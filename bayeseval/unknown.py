"""UNKNOWN: an answer that the data cannot give, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from bayeseval.errors import UnknownValueError

__all__ = ["Unknown"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """An answer that the data cannot give.

    It cannot be mistaken for a number: arithmetic, comparison, `float()` and use as
    a condition all raise `UnknownValueError` with the reason. Test for it with
    ``isinstance(value, be.Unknown)``.

    Parameters
    ----------
    reason : str
        Why there is no answer, as one sentence without the full stop.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.pass_at_k(4, 2, 10)
    UNKNOWN (k = 10 exceeds the 4 scored rollouts of the task)
    """

    reason: str

    def __repr__(self) -> str:
        return f"UNKNOWN ({self.reason})"

    def _refuse(self, *_: object) -> NoReturn:
        raise UnknownValueError(f"the value is UNKNOWN: {self.reason}")

    def __bool__(self) -> bool:
        self._refuse()

    def __float__(self) -> float:
        self._refuse()

    def __int__(self) -> int:
        self._refuse()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        self._refuse()

    __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = _refuse
