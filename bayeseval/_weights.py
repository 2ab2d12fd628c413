"""Weights of slices: how large a part of the population each of them is."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bayeseval._validate import (
    as_items,
    as_mapping,
    as_number,
    as_path,
    as_positive,
    as_text,
    as_whole,
    nearest_names,
    shown,
)
from bayeseval.errors import FormatError, InputError

__all__ = ["AlignedWeights", "Weights", "as_weights", "read_weights", "slice_label"]

_WEIGHT_COLUMNS = ("weight", "share")
_COUNT_COLUMNS = ("count", "traffic")
# Printed weights are rounded; beyond this the sum is no rounding error.
SUM_TOLERANCE = 1e-6


def slice_label(key: Any) -> str:
    """Name of a slice: its level as text, or its levels joined by commas."""
    levels = key if isinstance(key, tuple) else (key,)
    return ", ".join("(none)" if level is None else str(level) for level in levels)


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares that slices have in the population that an answer is for.

    Parameters
    ----------
    share : mapping of str to float
        Share of each slice, by its label; at least 0, of sum 1.
    count : mapping of str to int, default None
        Where the shares are estimated from counts of production traffic: the counts.
        The true shares are then uncertain, with a Dirichlet posterior.
    prior : float, default 1
        Parameter of the symmetric Dirichlet prior of counted shares; 1 is uniform.

    Notes
    -----
    shares | counts ~ Dirichlet(counts + prior), and ``share`` holds their means. A slice
    that was never counted keeps a small share, unless the suite has no task of it either.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.Weights.from_shares({"joins": 0.2, "lookups": 0.8})
    Weights(joins 20 %, lookups 80 %)
    >>> be.Weights.from_counts({"joins": 203, "lookups": 797})
    Weights(joins 20.4 %, lookups 79.6 %, from 1,000 counted)
    """

    share: Mapping[str, float]
    count: Mapping[str, int] | None = None
    prior: float = field(default=1.0)

    @classmethod
    def from_shares(cls, shares: Mapping[Any, float]) -> Weights:
        """Make weights from known shares.

        Parameters
        ----------
        shares : mapping
            Share of each slice; crossed slices have tuples of levels as keys. At least 0,
            of sum 1; rounding of the sum by up to 1e-6 is evened out.

        Returns
        -------
        Weights

        Raises
        ------
        InputError
            A negative share, or shares that do not sum to 1.
        """
        values = {
            label: as_number(share, f"weight of {label!r}") for label, share in _named(shares)
        }
        for label, share in values.items():
            if share < 0:
                raise InputError(f"weight of {label!r} must not be negative; got {shown(share)}")
        total = sum(values.values())
        if abs(total - 1.0) > SUM_TOLERANCE:
            hint = "; per cent must be divided by 100" if abs(total - 100.0) < 1e-4 else ""
            raise InputError(
                f"weights must sum to 1; got a sum of {total:.6g}{hint}; counts of traffic go "
                "through Weights.from_counts, or a column named count"
            )
        return cls(MappingProxyType({label: share / total for label, share in values.items()}))

    @classmethod
    def from_counts(cls, counts: Mapping[Any, int], *, prior: float = 1.0) -> Weights:
        """Make weights from counts of production traffic.

        Parameters
        ----------
        counts : mapping
            How often each slice was seen; whole numbers, not all 0.
        prior : float, default 1
            Parameter of the symmetric Dirichlet prior, above 0.

        Returns
        -------
        Weights

        Raises
        ------
        InputError
            A negative or fractional count, or no traffic at all.
        """
        values = {label: as_whole(count, f"count of {label!r}") for label, count in _named(counts)}
        weight = as_positive(prior, "prior")
        if sum(values.values()) == 0:
            raise InputError("counts of traffic are all 0: they say nothing of the shares")
        total = sum(values.values()) + weight * len(values)
        share = {label: (count + weight) / total for label, count in values.items()}
        return cls(MappingProxyType(share), MappingProxyType(values), weight)

    def __repr__(self) -> str:
        listed = ", ".join(f"{label} {100 * share:.3g} %" for label, share in self.share.items())
        counted = "" if self.count is None else f", from {sum(self.count.values()):,} counted"
        return f"Weights({listed}{counted})"

    def __reduce__(self) -> tuple[Any, ...]:
        # A read-only mapping cannot be pickled; a plain one holds the same.
        count = None if self.count is None else dict(self.count)
        return Weights, (dict(self.share), count, self.prior)

    def align(self, labels: Sequence[str]) -> AlignedWeights:
        """Order the weights by the slices of a suite.

        Parameters
        ----------
        labels : sequence of str
            The slices that the suite has.

        Returns
        -------
        AlignedWeights

        Raises
        ------
        InputError
            A slice of the suite without a weight, or no weight on any slice that has tasks.

        Notes
        -----
        A counted slice with neither traffic nor a task is no part of the population, and
        its prior weight goes to the others.
        """
        labels = [
            as_text(label, "labels") for label in as_items(labels, "labels", of="names of slices")
        ]
        unweighted = [label for label in labels if label not in self.share]
        if unweighted:
            name = unweighted[0]
            raise InputError(
                f"slice {name!r} has no weight{nearest_names(name, self.share)}; give each slice "
                f"one, 0 to leave it out; the weights name: {_listed(self.share)}"
            )
        share: Mapping[str, float] = self.share
        strength: dict[str, float] = {}
        if self.count is not None:
            strength = {
                label: count + self.prior
                for label, count in self.count.items()
                if count > 0 or label in labels
            }
            total = sum(strength.values())
            share = {label: value / total for label, value in strength.items()}
        missing = {
            label: value for label, value in share.items() if label not in labels and value > 0
        }
        if sum(share[label] for label in labels) < 1e-12:
            raise InputError(
                f"no slice with a weight has a task; the suite has the slices {_listed(labels)}"
            )
        return AlignedWeights(
            tuple(labels),
            tuple(share[label] for label in labels),
            missing,
            tuple(strength[label] for label in labels) if strength else None,
            sum(strength[label] for label in missing) if strength else 0.0,
        )


@dataclass(frozen=True, slots=True)
class AlignedWeights:
    """Weights in the order of a suite's slices.

    Parameters
    ----------
    labels : tuple of str
        The slices of the suite.
    shares : tuple of float
        Their weights.
    unsupported : mapping of str to float
        Weights of slices of the population that the suite has no task of.
    concentration : tuple of float or None
        Dirichlet parameters of the suite's slices, where the weights were counted.
    missing_concentration : float, default 0
        Sum of the Dirichlet parameters of slices without tasks.
    """

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    unsupported: Mapping[str, float]
    concentration: tuple[float, ...] | None
    missing_concentration: float = 0.0

    @property
    def missing_share(self) -> float:
        """Share of the population that the suite has no task of."""
        return float(sum(self.unsupported.values()))

    def require_support(self) -> None:
        """Refuse weights on slices without tasks: such a slice is unknown, not a zero."""
        if not self.unsupported:
            return
        name, share = next(iter(self.unsupported.items()))
        more = f" (and {len(self.unsupported) - 1} more)" if len(self.unsupported) > 1 else ""
        raise InputError(
            f"slice {name!r}{more} has weight {share:.4g} but no task in the suite"
            f"{nearest_names(name, self.labels)}: nothing is known of it; add tasks, or ask for "
            f"the range with SlicedFit.bounds (--unsupported bounds); "
            f"the suite has: {_listed(self.labels)}"
        )


def as_weights(weights: Weights | Mapping[Any, float]) -> Weights:
    """Return weights as they are, or make them from a mapping of shares."""
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, Mapping):
        return Weights.from_shares(weights)
    raise InputError(
        "weights must be a mapping of slices to shares, such as {'joins': 0.2, 'lookups': 0.8}, "
        f"or Weights; got {type(weights).__name__}"
    )


def read_weights(path: str | os.PathLike[str], *, by: str | Sequence[str]) -> Weights:
    r"""Read weights from a CSV file.

    Parameters
    ----------
    path : str or path-like
        A file with one row for each slice: a column for each factor of `by`, and one named
        ``weight`` (known shares, of sum 1) or ``count`` (counts of traffic, whose shares
        are then uncertain).
    by : str or sequence of str
        The factors that make the slices.

    Returns
    -------
    Weights

    Raises
    ------
    FormatError
        No such file, a column that is missing, a value that is no number, a slice that
        stands twice, shares that do not sum to 1.

    Examples
    --------
    >>> import bayeseval as be, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "production.csv"
    >>> _ = file.write_text("slice,weight\njoins,0.2\nlookups,0.8\n")
    >>> be.read_weights(file, by="slice")
    Weights(joins 20 %, lookups 80 %)
    """
    name = Path(as_path(path, "path"))
    factors = (by,) if isinstance(by, str) else as_items(by, "by", of="names of columns")
    for each in factors:
        as_text(each, "by")
    header, rows = _table(name)
    places = [_column(name, header, factor) for factor in factors]
    known = [
        at
        for at, column in enumerate(header)
        if at not in places and column.lower() in (*_WEIGHT_COLUMNS, *_COUNT_COLUMNS)
    ]
    if len(known) != 1:
        raise FormatError(
            f"{name}: the header must name one column of weights, weight or count; "
            f"it has {_listed(header)}"
        )
    at, counted = known[0], header[known[0]].lower() in _COUNT_COLUMNS
    values: dict[tuple[str | None, ...], float] = {}
    for line, cells in rows:
        # Factors have no value where a results file has an empty cell.
        key = tuple(cells[place] or None for place in places)
        label = slice_label(key)
        if key in values:
            raise FormatError(f"{name}: line {line} names slice {label!r} again")
        try:
            what = f"{header[at]} of {label!r}"
            values[key] = as_whole(cells[at], what) if counted else as_number(cells[at], what)
        except InputError as error:
            hint = "; per cent are divided by 100, without the sign" if "%" in cells[at] else ""
            raise FormatError(f"{name}: line {line}: {error}{hint}") from None
    try:
        if counted:
            return Weights.from_counts({key: int(value) for key, value in values.items()})
        return Weights.from_shares(values)
    except InputError as error:
        raise FormatError(f"{name}: {error}") from None


def _table(name: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows of a CSV file, each row with the number of its line."""
    try:
        text = name.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FormatError(f"{name}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{name}: cannot be read as UTF-8 text: {error}") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    rows = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise FormatError(f"{name}: line {reader.line_num}: {error}") from None
    if len(rows) < 2:
        raise FormatError(f"{name}: the file needs a header and one row for each slice")
    header = rows[0][1]
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise FormatError(
                f"{name}: line {line} has {len(cells)} cells, the header {len(header)}; numbers "
                "have a decimal point, and a cell with a comma stands in quotes"
            )
    return header, rows[1:]


def _column(name: Path, header: Sequence[str], factor: str) -> int:
    if header.count(factor) > 1:
        raise FormatError(f"{name}: the header names column {factor!r} twice")
    if factor not in header:
        raise FormatError(
            f"{name}: no column {factor!r}{nearest_names(factor, header)}; the header has "
            f"{_listed(header)}"
        )
    return header.index(factor)


def _named(values: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    if not as_mapping(values, "weights", of="numbers"):
        raise InputError("weights must name at least one slice")
    named = [(slice_label(key), value) for key, value in values.items()]
    if len({label for label, _ in named}) < len(named):
        raise InputError(f"weights name a slice twice: {_listed(label for label, _ in named)}")
    return named


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(repr(name) for name in listed[:12]) + (", ..." if len(listed) > 12 else "")
