"""Confidence intervals for one proportion: one rollout for each of n tasks."""

from __future__ import annotations

import math
from typing import Any, Literal, overload

from scipy import special

from bayeseval._interval import Interval
from bayeseval._validate import as_probability, as_whole, one_of
from bayeseval.errors import InputError
from bayeseval.unknown import Unknown

__all__ = ["Method", "interval", "normal_quantile", "wilson_interval"]

Method = Literal[
    "wald",
    "wilson",
    "wilson_cc",
    "agresti_coull",
    "clopper_pearson",
    "mid_p",
    "jeffreys",
    "jeffreys_bcd",
]
_Defined = Literal[
    "wilson",
    "wilson_cc",
    "agresti_coull",
    "clopper_pearson",
    "mid_p",
    "jeffreys",
    "jeffreys_bcd",
]
_Limits = tuple[float, float]


@overload
def interval(
    passes: int, trials: int, *, method: _Defined = "wilson", ci_prob: float = 0.95
) -> Interval: ...
@overload
def interval(
    passes: int, trials: int, *, method: Method, ci_prob: float = 0.95
) -> Interval | Unknown: ...
def interval(
    passes: int, trials: int, *, method: Method = "wilson", ci_prob: float = 0.95
) -> Interval | Unknown:
    """Interval for a pass rate from independent trials, by a named method.

    Right for one rollout per task. Several rollouts of one task are not independent:
    counted as trials they make every one of these intervals too narrow (see
    `cluster_bootstrap` and `clustered_se`).

    Parameters
    ----------
    passes : int
        Trials that passed, 0 to `trials`.
    trials : int
        Independent trials, at least 0.
    method : str, default "wilson"
        ``"wilson"``: score interval, the usual choice [1]_.
        ``"wilson_cc"``: Wilson with continuity correction, method 4 of [2]_.
        ``"agresti_coull"``: a Wald interval about the Wilson centre [3]_, clipped.
        ``"clopper_pearson"``: covers at least `ci_prob` whatever the rate; wide [4]_.
        ``"mid_p"``: Clopper-Pearson with half the probability of what was observed.
        ``"jeffreys"``: equal-tailed interval of Beta(passes + 1/2, fails + 1/2).
        ``"jeffreys_bcd"``: the same, with limit 0 at no pass and 1 at no failure [5]_.
        ``"wald"``: rate plus or minus z standard errors, clipped; shown because it is
        common: it has zero width at 0 % and 100 %.
    ci_prob : float, default 0.95
        Nominal two-sided level, strictly between 0 and 1.

    Returns
    -------
    Interval or Unknown
        Limits are proportions, 0-1; `Interval.kind` is the method. `Unknown` only for
        ``"wald"`` without trials.

    Raises
    ------
    InputError
        If a count is negative or not whole, passes exceed trials, the level is not
        strictly between 0 and 1, or the method is none of the above.

    Notes
    -----
    Without trials the interval is [0, 1], and for ``"jeffreys"`` that of its prior.
    With no pass the lower limit is exactly 0, with no failure the upper limit exactly
    1, except for ``"jeffreys"``. Clopper-Pearson and mid-P leave (1 - ci_prob) / 2 on
    each side there too.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and
       statistical inference. https://doi.org/10.1080/01621459.1927.10502953
    .. [2] Newcombe, R. G. (1998). Two-sided confidence intervals for the single
       proportion: comparison of seven methods.
       https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E
    .. [3] Agresti, A., & Coull, B. A. (1998). Approximate is better than "exact" for
       interval estimation of binomial proportions.
       https://doi.org/10.1080/00031305.1998.10480550
    .. [4] Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial
       limits illustrated in the case of the binomial.
       https://doi.org/10.1093/biomet/26.4.404
    .. [5] Brown, L. D., Cai, T. T., & DasGupta, A. (2001). Interval estimation for a
       binomial proportion. https://doi.org/10.1214/ss/1009213286

    Examples
    --------
    >>> import bayeseval as be
    >>> lower, upper = be.interval(80, 100)
    >>> f"{lower:.3f}-{upper:.3f}"
    '0.711-0.867'

    A perfect score is not certainty:

    >>> lower, upper = be.interval(20, 20)
    >>> f"{lower:.3f}-{upper:.3f}"
    '0.839-1.000'
    """
    passes, trials = as_whole(passes, "passes"), as_whole(trials, "trials")
    if passes > trials:
        raise InputError(f"passes must not exceed trials; got passes = {passes}, trials = {trials}")
    one_of(method, Method, "method")
    ci_prob = as_probability(ci_prob, "ci_prob", open_ends=True)
    if trials == 0:
        if method == "wald":
            return Unknown("a Wald interval needs at least one trial")
        if method != "jeffreys":
            return Interval(0.0, 1.0, ci_prob, method)
    # At a level near 0 they may cross by a rounding.
    lower, upper = sorted(_LIMITS[method](passes, trials, (1 - ci_prob) / 2))
    return Interval(max(lower, 0.0), min(upper, 1.0), ci_prob, method)


def normal_quantile(tail: float) -> float:
    """Return the z that leaves the probability `tail` above it."""
    return float(-special.ndtri(tail))


def wilson_interval(passes: float, trials: int, ci_prob: float) -> Interval:
    """Wilson interval that also takes a number of passes that is not whole."""
    lower, upper = sorted(_wilson(passes, trials, (1 - ci_prob) / 2))
    return Interval(lower, upper, ci_prob, "wilson")


def _wald(passes: int, trials: int, tail: float) -> _Limits:
    return _about(passes / trials, trials, normal_quantile(tail))


def _about(centre: float, trials: float, z: float) -> _Limits:
    half = z * math.sqrt(centre * (1 - centre) / trials)
    return centre - half, centre + half


def _wilson(passes: float, trials: int, tail: float) -> _Limits:
    z = normal_quantile(tail)
    fails = trials - passes
    root = z * math.sqrt(passes * fails / trials + z * z / 4)
    total = trials + z * z
    # The limits are the roots of total p^2 - (2 passes + z^2) p + passes^2 / trials = 0.
    # The smaller one follows from their product, without cancellation.
    upper = (passes + z * z / 2 + root) / total if fails else 1.0
    lower = passes * passes / trials / (passes + z * z / 2 + root)
    return lower, upper


def _wilson_cc(passes: int, trials: int, tail: float) -> _Limits:
    z = normal_quantile(tail)

    def lower_limit(passes: int) -> float:
        if passes == 0:
            return 0.0
        fails = trials - passes
        inside = z * z - 2 - 1 / trials + 4 * passes * (fails + 1) / trials
        return (2 * passes + z * z - 1 - z * math.sqrt(inside)) / (2 * (trials + z * z))

    return lower_limit(passes), 1 - lower_limit(trials - passes)


def _agresti_coull(passes: int, trials: int, tail: float) -> _Limits:
    z = normal_quantile(tail)
    total = trials + z * z
    return _about((passes + z * z / 2) / total, total, z)


def _clopper_pearson(passes: int, trials: int, tail: float) -> _Limits:
    fails = trials - passes
    lower = special.betaincinv(passes, fails + 1, tail) if passes else 0.0
    upper = special.betainccinv(passes + 1, fails, tail) if fails else 1.0
    return float(lower), float(upper)


def _mid_p(passes: int, trials: int, tail: float) -> _Limits:
    fails = trials - passes
    # One side of the distribution is empty at the ends, which leaves a closed form.
    at_end = math.log(2 * tail) / trials
    if passes == 0:
        return 0.0, -math.expm1(at_end)
    if fails == 0:
        return math.exp(at_end), 1.0

    def solve(tail_of: Any, inverse: Any, *, rising: bool) -> float:
        """Root of the mean of two tails, which lies between the roots of each."""
        low = float(inverse(passes, fails + 1, tail))
        high = float(inverse(passes + 1, fails, tail))
        while low < (middle := (low + high) / 2) < high:
            both = tail_of(passes, fails + 1, middle) + tail_of(passes + 1, fails, middle)
            if (both < 2 * tail) == rising:
                low = middle
            else:
                high = middle
        return middle

    return (
        solve(special.betainc, special.betaincinv, rising=True),
        solve(special.betaincc, special.betainccinv, rising=False),
    )


def _jeffreys(passes: int, trials: int, tail: float) -> _Limits:
    alpha, beta = passes + 0.5, trials - passes + 0.5
    return (
        float(special.betaincinv(alpha, beta, tail)),
        float(special.betainccinv(alpha, beta, tail)),
    )


def _jeffreys_bcd(passes: int, trials: int, tail: float) -> _Limits:
    lower, upper = _jeffreys(passes, trials, tail)
    return lower if passes else 0.0, upper if passes < trials else 1.0


_LIMITS = {
    "wald": _wald,
    "wilson": _wilson,
    "wilson_cc": _wilson_cc,
    "agresti_coull": _agresti_coull,
    "clopper_pearson": _clopper_pearson,
    "mid_p": _mid_p,
    "jeffreys": _jeffreys,
    "jeffreys_bcd": _jeffreys_bcd,
}
