"""What may be looked at as often as one likes: a confidence sequence and an e-value."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from bayeseval._interval import Interval
from bayeseval._special import log_beta
from bayeseval._validate import as_items, as_number, as_positive, as_probability, as_whole, shown
from bayeseval.errors import InputError

__all__ = ["confidence_sequence", "log_e_value"]

HALVINGS = 200


def confidence_sequence(
    total: float,
    tasks: int,
    *,
    ci_prob: float = 0.95,
    mixture: tuple[float, float] = (1.0, 1.0),
) -> Interval:
    """Interval for a mean over new tasks that holds at all times at once.

    However often results are looked at, and whenever one stops, all intervals together hold
    the true mean with probability `ci_prob` at least. Wider than an interval for one look.

    Parameters
    ----------
    total : float
        Sum of one value in [0, 1] for each task: passes, where a task runs once; the sum of
        the tasks' shares of passed rollouts, or of their unbiased pass^k, where it runs often.
    tasks : int
        Number of tasks so far; 0 gives [0, 1].
    ci_prob : float, default 0.95
        Level over all times together, strictly between 0 and 1.
    mixture : (float, float), default (1, 1)
        Beta parameters of the mixture, above 0: narrowest where the mean is likely under it.

    Returns
    -------
    Interval
        Of kind ``"anytime"``.

    Raises
    ------
    InputError
        If `total` is not between 0 and `tasks`, or an option is out of range.

    Notes
    -----
    For single outcomes the mean m is left out when the ratio of the Beta-binomial
    probability of the outcomes to their probability under m reaches 1 / (1 - ci_prob) (Robbins'
    mixture; Ville's inequality) [1]_. For values x in [0, 1] the ratio with x in the exponents,
    (q / m)^x ((1 - q) / (1 - m))^(1 - x), is convex in x, so at most
    x q / m + (1 - x) (1 - q) / (1 - m), whose mean is 1: it stays a supermartingale, as the
    betting processes of [2]_ are. Tasks must be independent draws from one source; rollouts
    within a task need not be.

    References
    ----------
    .. [1] Howard, S. R., Ramdas, A., McAuliffe, J., & Sekhon, J. (2021). Time-uniform,
       nonparametric, nonasymptotic confidence sequences. https://doi.org/10.1214/20-AOS1991
    .. [2] Waudby-Smith, I., & Ramdas, A. (2024). Estimating means of bounded random variables
       by betting. https://doi.org/10.1093/jrsssb/qkad009

    Examples
    --------
    >>> import bayeseval as be
    >>> lower, upper = be.confidence_sequence(190, 200)
    >>> round(lower, 3), round(upper, 3)
    (0.877, 0.987)
    """
    passed, count = _as_total(total, tasks)
    level = as_probability(ci_prob, "ci_prob", open_ends=True)
    pair = as_items(mixture, "mixture", of="the two parameters of a Beta")
    if len(pair) != 2:
        raise InputError(f"mixture must hold the two parameters of a Beta; got {shown(mixture)}")
    alpha, beta = (as_positive(each, "mixture") for each in pair)
    failed = count - passed
    mixed = float(log_beta(alpha + passed, beta + failed) - log_beta(alpha, beta))
    most = -math.log1p(-level)
    centre = passed / count if count else 0.5

    def excluded(mean: float) -> bool:
        under = float(special.xlogy(passed, mean) + special.xlog1py(failed, -mean))
        return mixed - under >= most

    ends = []
    for end in (0.0, 1.0):
        inside, outside = centre, end
        if not excluded(end):
            ends.append(end)
            continue
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            if middle in (inside, outside):
                break
            inside, outside = (inside, middle) if excluded(middle) else (middle, outside)
        # The outer side: never narrower than the level allows.
        ends.append(outside)
    return Interval(ends[0], ends[1], level, "anytime")


def log_e_value(total: float, tasks: int, bar: float, *, above: bool) -> float:
    """Natural log of the evidence against "the mean is not beyond the bar", valid at any time.

    The mixture over q ~ Beta(1, 1) on the claim's side of the bar. Under any mean on the other
    side its expectation is at most 1 at every time; that it ever reaches 1 / alpha has at most
    probability alpha.
    """
    passed, failed = (total, tasks - total) if above else (tasks - total, total)
    low = bar if above else 1.0 - bar
    inside = float(special.betaincc(1.0 + passed, 1.0 + failed, low))
    # A share that underflows leaves evidence for the other side, without digits.
    share = math.log(max(inside, 1e-300)) - math.log1p(-low)
    mixed = float(log_beta(1.0 + passed, 1.0 + failed)) + share
    return mixed - float(special.xlogy(passed, low) + special.xlog1py(failed, -low))


def _as_total(total: float, tasks: int) -> tuple[float, int]:
    passed, count = as_number(total, "total"), as_whole(tasks, "tasks")
    # Sums of shares may end a rounding beyond the number of tasks.
    if not -1e-9 <= passed <= count * (1 + 1e-12) + 1e-9:
        raise InputError(
            f"total must lie between 0 and tasks; got {shown(total)} of {shown(tasks)}"
        )
    return float(np.clip(passed, 0.0, count)), count
