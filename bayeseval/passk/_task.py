"""pass@k and pass^k of a task: unbiased, on the log scale, and plugged in."""

from __future__ import annotations

from typing import Any, overload

import numpy.typing as npt

from bayeseval.passk._numbers import (
    at_value,
    evaluate,
    hat_value,
    log_at,
    log_hat,
    no_rollout,
    plugin_at,
    plugin_hat,
    too_few,
)
from bayeseval.unknown import Unknown

__all__ = [
    "log_pass_at_k",
    "log_pass_hat_k",
    "pass_at_k",
    "pass_hat_k",
    "plugin_pass_at_k",
    "plugin_pass_hat_k",
]


@overload
def pass_at_k(n: int, c: int, k: int) -> float | Unknown: ...
@overload
def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Any: ...
def pass_at_k(n: Any, c: Any, k: Any) -> Any:
    """Estimate pass@k without bias: at least one of k rollouts passes.

    Parameters
    ----------
    n : int or array of int
        Scored rollouts of the task, at least 0. Arrays broadcast against each other.
    c : int or array of int
        Rollouts that passed, 0 to n.
    k : int or array of int
        Rollouts that would be drawn, at least 1.

    Returns
    -------
    float, Unknown or ndarray
        A probability, 0-1, for scalars; `Unknown` where k > n. For arrays, an array
        of floats; where any entry has k > n, an array of objects in which those
        entries are `Unknown`, so that arithmetic on it raises with the reason.

    Raises
    ------
    InputError
        If a count is negative or not whole, c > n, k < 1, or shapes do not broadcast.

    See Also
    --------
    log_pass_at_k : The logarithm, also where the value rounds to 0 or 1.
    plugin_pass_at_k : The biased version, defined for any k.

    Notes
    -----
    The share of the k-subsets of the n rollouts that hold a pass [1]_:

        pass@k = 1 - C(n - c, k) / C(n, k)

    Values and their complements are computed as themselves, correctly rounded for
    small tasks and to about 1e-13 relative otherwise.

    References
    ----------
    .. [1] Chen, M., et al. (2021). Evaluating large language models trained on code.
       https://doi.org/10.48550/arXiv.2107.03374

    Examples
    --------
    >>> import bayeseval as be
    >>> round(be.pass_at_k(10, 3, 5), 3)
    0.917
    >>> be.pass_at_k(5, [0, 3, 5], 2)
    array([0. , 0.9, 1. ])
    >>> be.pass_at_k(5, 3, 6)
    UNKNOWN (k = 6 exceeds the 5 scored rollouts of the task)
    """
    return evaluate(at_value, n, c, k, reason=too_few)


@overload
def pass_hat_k(n: int, c: int, k: int) -> float | Unknown: ...
@overload
def pass_hat_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Any: ...
def pass_hat_k(n: Any, c: Any, k: Any) -> Any:
    """Estimate pass^k without bias: all of k rollouts pass.

    Parameters
    ----------
    n : int or array of int
        Scored rollouts of the task, at least 0. Arrays broadcast against each other.
    c : int or array of int
        Rollouts that passed, 0 to n.
    k : int or array of int
        Rollouts that would be drawn, at least 1.

    Returns
    -------
    float, Unknown or ndarray
        A probability, 0-1, for scalars; `Unknown` where k > n. For arrays, an array
        of floats; where any entry has k > n, an array of objects in which those
        entries are `Unknown`, so that arithmetic on it raises with the reason.

    Raises
    ------
    InputError
        If a count is negative or not whole, c > n, k < 1, or shapes do not broadcast.

    See Also
    --------
    log_pass_hat_k : The logarithm, also where the value rounds to 0 or 1.
    plugin_pass_hat_k : The biased version, defined for any k.

    Notes
    -----
    The share of the k-subsets of the n rollouts that hold only passes [1]_:

        pass^k = C(c, k) / C(n, k)

    References
    ----------
    .. [1] Yao, S., et al. (2024). tau-bench: a benchmark for tool-agent-user
       interaction in real-world domains. https://doi.org/10.48550/arXiv.2406.12045

    Examples
    --------
    >>> import bayeseval as be
    >>> be.pass_hat_k(5, 3, 2)
    0.3
    """
    return evaluate(hat_value, n, c, k, reason=too_few)


@overload
def log_pass_at_k(n: int, c: int, k: int) -> float | Unknown: ...
@overload
def log_pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Any: ...
def log_pass_at_k(n: Any, c: Any, k: Any) -> Any:
    """Natural logarithm of the unbiased pass@k, with its digits near 0 and near 1.

    Parameters
    ----------
    n, c, k : int or array of int
        As for `pass_at_k`.

    Returns
    -------
    float, Unknown or ndarray
        At most 0; minus infinity where pass@k is 0; `Unknown` where k > n.

    Raises
    ------
    InputError
        As `pass_at_k`.

    Notes
    -----
    The logarithm of the complement, 1 - pass@k, is ``log_pass_hat_k(n, n - c, k)``.

    Examples
    --------
    >>> from bayeseval.passk import log_pass_at_k
    >>> f"{log_pass_at_k(10_000, 5_000, 100):.4g}"
    '-4.785e-31'
    """
    return evaluate(log_at, n, c, k, reason=too_few)


@overload
def log_pass_hat_k(n: int, c: int, k: int) -> float | Unknown: ...
@overload
def log_pass_hat_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Any: ...
def log_pass_hat_k(n: Any, c: Any, k: Any) -> Any:
    """Natural logarithm of the unbiased pass^k, with its digits near 0 and near 1.

    Parameters
    ----------
    n, c, k : int or array of int
        As for `pass_hat_k`.

    Returns
    -------
    float, Unknown or ndarray
        At most 0; minus infinity where pass^k is 0; `Unknown` where k > n.

    Raises
    ------
    InputError
        As `pass_hat_k`.

    Notes
    -----
    The logarithm of the complement, 1 - pass^k, is ``log_pass_at_k(n, n - c, k)``.

    Examples
    --------
    >>> from bayeseval.passk import log_pass_hat_k
    >>> f"{log_pass_hat_k(10_000, 5_000, 5_000):.4f}"
    '-6926.6408'
    """
    return evaluate(log_hat, n, c, k, reason=too_few)


@overload
def plugin_pass_at_k(n: int, c: int, k: int) -> float | Unknown: ...
@overload
def plugin_pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Any: ...
def plugin_pass_at_k(n: Any, c: Any, k: Any) -> Any:
    """Biased pass@k: the observed rate put into 1 - (1 - rate)^k.

    Too low on average, and the more so the larger k is against n; shown beside
    `pass_at_k` to explain numbers that were computed this way.

    Parameters
    ----------
    n, c, k : int or array of int
        As for `pass_at_k`; k may exceed n.

    Returns
    -------
    float, Unknown or ndarray
        A probability, 0-1; `Unknown` where n is 0.

    Raises
    ------
    InputError
        As `pass_at_k`.

    Examples
    --------
    >>> from bayeseval.passk import plugin_pass_at_k
    >>> round(plugin_pass_at_k(10, 3, 5), 3)
    0.832
    """
    return evaluate(plugin_at, n, c, k, reason=no_rollout)


@overload
def plugin_pass_hat_k(n: int, c: int, k: int) -> float | Unknown: ...
@overload
def plugin_pass_hat_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Any: ...
def plugin_pass_hat_k(n: Any, c: Any, k: Any) -> Any:
    """Biased pass^k: the observed rate to the power k.

    Too high on average, and the more so the larger k is against n; shown beside
    `pass_hat_k` to explain numbers that were computed this way.

    Parameters
    ----------
    n, c, k : int or array of int
        As for `pass_hat_k`; k may exceed n.

    Returns
    -------
    float, Unknown or ndarray
        A probability, 0-1; `Unknown` where n is 0.

    Raises
    ------
    InputError
        As `pass_hat_k`.

    Examples
    --------
    >>> from bayeseval.passk import plugin_pass_hat_k
    >>> round(plugin_pass_hat_k(5, 3, 2), 3)
    0.36
    """
    return evaluate(plugin_hat, n, c, k, reason=no_rollout)
