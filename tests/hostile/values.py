"""Arguments that nobody means to give and everybody gives in the end."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

import bayeseval as be

_ITSELF: list[Any] = []
_ITSELF.append(_ITSELF)
_DEEP: list[Any] = []
for _ in range(20_000):
    _DEEP = [_DEEP]

NUMBERS: tuple[Any, ...] = (
    *(float("nan"), float("inf"), -float("inf"), 0, -0.0, -1, 1, 2, -0.5, 0.5, 1.5, 100),
    *(2**53 + 1, 2**63, 2**64 + 1, -(2**70), 10**12, 10**15 + 1, 10**30, 10**400, 10**5000),
    *(1e15, 1e300, -1e300, 1.7e308, 5e-324, 1e-300, 1 - 2**-53),
    *(True, False, np.True_, 1 + 2j, 0.5 + 0j),
    *(Fraction(1, 3), Fraction(10**400), Fraction(1, 10**400)),
    *(Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999")),
    *(np.float16(0.5), np.float16("nan"), np.float32(0.1), np.longdouble("1e400")),
    *(np.int8(-1), np.uint8(3), np.uint64(2**64 - 1), np.complex64(1 + 2j)),
    *(np.datetime64("NaT", "s"), np.datetime64("2026-01-01"), np.timedelta64(1, "s")),
)

OTHERS: tuple[Any, ...] = (
    *(None, "", " ", "x", "nan", "0.5", "1_000", "a\0b", "\ud800", "x" * 100_000),
    *(b"", b"0.5", bytearray(b"1"), memoryview(b"1")),
    *([], (), {}, set(), frozenset({1}), range(3), [0.5], (1, 2), [1, None], ["x"], {"x": 1}),
    *({"x": float("nan")}, {1: 2}, {None: None}, {"": 0.5}, {"x": "y"}, {("a", 1): 0.5}),
    *([[]], [[1], [1, 2]], ((1, 2, 3),), _ITSELF, _DEEP, [float("nan")], [10**30], [2**64 - 1]),
    *(object(), int, len, ..., NotImplemented, slice(1), be.Unknown("no data")),
    *(np.array([]), np.array([np.nan]), np.array([np.inf, 0.5]), np.array([1, 2, 3])),
    *(np.array(0.5), np.array(np.nan), np.array(None), np.array("x"), np.array([0.5])),
    *(np.zeros((2, 2)), np.empty((0, 3)), np.zeros((1, 1, 1)), np.array([1 + 2j])),
    *(np.array([None, "x"], dtype=object), np.array([10**30], dtype=object)),
    *(np.array(["2026-01-01"], dtype="M8[D]"), np.array([(1, 2)], dtype=[("a", int), ("b", int)])),
    *(np.ma.masked, np.ma.array([1, 2], mask=[True, False])),
)

# Made anew for every call, since a call uses them up.
ITERATORS = (lambda: iter([]), lambda: iter([1, 2]), lambda: (each for each in "ab"))

HOSTILE: tuple[Any, ...] = (*NUMBERS, *OTHERS)

# Random ones, besides the list: numbers of every size, texts, and nests of them.
_SCALARS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(-(10**40), 10**40),
    st.integers(-3, 12),
    st.floats(0, 1),
    st.booleans(),
    st.none(),
    st.text(max_size=8),
    st.binary(max_size=4),
    st.complex_numbers(),
    st.fractions(),
    st.decimals(),
)
ANYTHING: st.SearchStrategy[Any] = st.one_of(
    _SCALARS,
    st.sampled_from(HOSTILE),
    st.recursive(
        _SCALARS,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.tuples(inner, inner)
            | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        ),
        max_leaves=8,
    ),
)
