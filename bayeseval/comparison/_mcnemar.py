"""What is usually reported for two systems on the same tasks: McNemar and Newcombe."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from bayeseval._interval import Interval
from bayeseval._special import log_binomial
from bayeseval._validate import as_probability
from bayeseval.baselines._proportion import wilson_interval
from bayeseval.comparison._table import PairedTable
from bayeseval.errors import InputError
from bayeseval.unknown import Unknown

__all__ = ["PairedTests", "newcombe_interval", "paired_tests"]


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Tests and standard errors of a 2 x 2 table of two systems.

    Parameters
    ----------
    difference : float
        Pass rate of the new system minus that of the old one, -1 to 1.
    se : float
        Its standard error, sqrt(((new_only + old_only) / n - difference^2) / n).
    se_sample : float or Unknown
        The same with n - 1: the paired t statistic's.
    phi : float
        Correlation of the two systems' outcomes; 0 where one of them passed or failed all.
    exact : float
        McNemar's exact two-sided p-value: 1 where no task tells the systems apart.
    mid_p : float
        The same with half the probability of what was observed.
    exact_new_better : float
        One-sided exact p-value against "the new system is not better".
    chi2, chi2_cc : float or Unknown
        McNemar's statistic without and with continuity correction; `Unknown` without
        discordant tasks.
    """

    difference: float
    se: float
    se_sample: float | Unknown
    phi: float
    exact: float
    mid_p: float
    exact_new_better: float
    chi2: float | Unknown
    chi2_cc: float | Unknown


def paired_tests(table: PairedTable) -> PairedTests:
    """McNemar's tests, the standard error and the correlation of a 2 x 2 table.

    Parameters
    ----------
    table : PairedTable
        Of at least one task.

    Returns
    -------
    PairedTests

    Raises
    ------
    InputError
        A table without tasks.

    Notes
    -----
    Exact: min(1, 2 Pr[X <= min(new_only, old_only)]) with X ~ Binomial(m, 1/2) over the m
    discordant tasks; mid-p: that less Pr[X = min], and 1 where both are equal.

    References
    ----------
    Fagerland, Lydersen and Laake (2013), The McNemar test for binary matched-pairs data:
    mid-p and asymptotic are better than exact conditional.
    https://doi.org/10.1186/1471-2288-13-91

    Examples
    --------
    >>> from bayeseval.comparison import PairedTable, paired_tests
    >>> found = paired_tests(PairedTable(both=60, new_only=15, old_only=8, neither=17))
    >>> round(found.exact, 4), round(found.mid_p, 4)
    (0.21, 0.1516)
    """
    n = _tasks(table)
    new, old = table.new_only, table.old_only
    discordant, least = new + old, min(new, old)
    difference = (new - old) / n
    variance = max(discordant / n - difference**2, 0.0)
    at_most = float(special.bdtr(least, discordant, 0.5))
    just = math.exp(float(log_binomial(discordant, least)) - discordant * math.log(2.0))
    none = Unknown("no task tells the systems apart")
    return PairedTests(
        difference=difference,
        se=math.sqrt(variance / n),
        se_sample=math.sqrt(variance / (n - 1))
        if n > 1
        else Unknown("it needs more than one task"),
        phi=_phi(table, corrected=False),
        exact=min(1.0, 2.0 * at_most),
        mid_p=1.0 if new == old else 2.0 * at_most - just,
        exact_new_better=float(special.bdtr(old, discordant, 0.5)),
        chi2=(new - old) ** 2 / discordant if discordant else none,
        chi2_cc=max(abs(new - old) - 1, 0) ** 2 / discordant if discordant else none,
    )


def newcombe_interval(
    table: PairedTable, *, ci_prob: float = 0.95, corrected: bool = True
) -> Interval:
    """Newcombe's interval for the difference of two paired pass rates, new minus old.

    Parameters
    ----------
    table : PairedTable
        Of at least one task.
    ci_prob : float, default 0.95
        Nominal level, strictly between 0 and 1.
    corrected : bool, default True
        Whether a positive correlation is corrected for continuity: method 10 of [1]_, which
        it recommends; else method 8.

    Returns
    -------
    Interval
        On [-1, 1]; its kind is ``"newcombe"``.

    Raises
    ------
    InputError
        A table without tasks, or a level out of range.

    Notes
    -----
    The Wilson limits of the two rates are combined by squaring and adding, with their
    correlation phi.

    References
    ----------
    .. [1] Newcombe, R. G. (1998). Improved confidence intervals for the difference between
       binomial proportions based on paired data.
       https://doi.org/10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C

    Examples
    --------
    >>> from bayeseval.comparison import PairedTable, newcombe_interval
    >>> lower, upper = newcombe_interval(PairedTable(60, 15, 8, 17))
    >>> f"{lower:+.3f} to {upper:+.3f}"
    '-0.025 to +0.164'
    """
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    n = _tasks(table)
    if table.old_only > table.new_only:
        # One orientation, so that swapping the systems flips the signs exactly.
        lower, upper = newcombe_interval(table.swapped, ci_prob=level, corrected=corrected)
        return Interval(-upper, -lower, level, "newcombe")
    passed = (table.both + table.new_only, table.both + table.old_only)
    (p, q), phi = (count / n for count in passed), _phi(table, corrected=corrected)
    (low_p, high_p), (low_q, high_q) = (wilson_interval(count, n, level) for count in passed)

    def reach(first: float, second: float) -> float:
        return math.sqrt(max(first**2 - 2.0 * phi * first * second + second**2, 0.0))

    difference = p - q
    lower = difference - reach(p - low_p, high_q - q)
    upper = difference + reach(high_p - p, q - low_q)
    return Interval(max(lower, -1.0), min(upper, 1.0), level, "newcombe")


def _tasks(table: PairedTable) -> int:
    if table.n_tasks == 0:
        raise InputError("the table is empty: there is no task that both systems ran")
    return table.n_tasks


def _phi(table: PairedTable, *, corrected: bool) -> float:
    both, new, old, neither = table.both, table.new_only, table.old_only, table.neither
    margins = (both + new) * (old + neither) * (both + old) * (new + neither)
    if margins == 0:
        return 0.0
    product: float = both * neither - new * old
    if corrected and product > 0:
        product = max(product - 0.5 * table.n_tasks, 0.0)
    return product / math.sqrt(margins)
