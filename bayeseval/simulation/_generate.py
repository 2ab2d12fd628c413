"""simulate: tasks draw their rates, rollouts draw their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from bayeseval._validate import Seed, as_generator, as_probability, as_whole, one_of, shown
from bayeseval.errors import InputError
from bayeseval.rollouts import Rollouts
from bayeseval.simulation._rates import RateComponent, as_mixture, draw_rates
from bayeseval.simulation._result import ERRORED, FAILED, NONE, PASSED, Simulation
from bayeseval.simulation._truth import Truth
from bayeseval.unknown import Unknown

__all__ = ["ErrorsOn", "MixtureLike", "simulate"]

ErrorsOn = Literal["any", "hard"]
MixtureLike = Iterable[RateComponent | tuple[float, float] | tuple[float, float, float]]

TASKS, MEAN, ICC = 50, 0.65, 0.3
# A rollout takes some ten bytes while it is drawn.
MOST_ROLLOUTS = 20_000_000


@dataclass(frozen=True, slots=True)
class _Group:
    """Tasks whose rates come from the same mixture: a slice, or the whole suite."""

    name: str | None
    tasks: int
    components: tuple[RateComponent, ...]


def simulate(
    tasks: int | None = None,
    rollouts: int | tuple[int, int] = 4,
    *,
    mean: float | None = None,
    icc: float | None = None,
    mixture: MixtureLike | None = None,
    slices: Mapping[str, tuple[int, float] | tuple[int, float, float]] | None = None,
    leaked_share: float = 0.0,
    recall: float = 0.9,
    error_rate: float = 0.0,
    errors_on: ErrorsOn = "any",
    rng: Seed = None,
) -> Simulation:
    """Simulate the results of a suite whose true rates are known.

    Parameters
    ----------
    tasks : int, optional
        Number of tasks, at least 1. Default 50; not together with `slices`.
    rollouts : int or (int, int), default 4
        Rollouts of each task. A pair is the fewest and the most: every task draws its
        number between them, each equally likely.
    mean : float, optional
        Mean pass rate of the tasks, 0-1. Default 0.65; not together with `mixture` or
        `slices`.
    icc : float, optional
        Intraclass correlation, 0-1: 0, every task has the rate `mean`; 1, every task
        always or never passes. Default 0.3; with `slices` it serves those that name none.
    mixture : iterable of RateComponent or tuple, optional
        In place of `mean` and `icc`: tuples (weight, mean) for tasks that share a rate, and
        (weight, mean, icc) for tasks whose rates follow a Beta. Weights sum to 1.
        ``[(0.3, 0), (0.2, 1), (0.5, 0.6, 0.3)]`` is a U-shaped suite: three tenths of the
        tasks never pass, and one fifth always do.
    slices : mapping of str to tuple, optional
        Parts of the suite: name to (tasks, mean) or (tasks, mean, icc). They become the
        factor ``slice``.
    leaked_share : float, default 0
        Share of tasks, 0-1, whose answers leaked; rounded to whole tasks, which are drawn
        at random. They become the factor ``leaked``, ``"true"`` or ``"false"``.
    recall : float, default 0.9
        Probability that a rollout of a leaked task passes from memory; the others pass at
        the task's own rate p, so that the rate is p + (1 - p) * recall.
    error_rate : float, default 0
        Expected share of rollouts that error, 0-1. They have no outcome.
    errors_on : {"any", "hard"}, default "any"
        ``"any"``: every rollout errs alike. ``"hard"``: in proportion to 1 - rate, so that
        the rollouts that are lost would mostly have failed.
    rng : int, numpy.random.Generator or None, default None
        Seed or generator; the same seed gives the same suite.

    Returns
    -------
    Simulation
        `rollouts`, the true `rates`, `truth`, and single outcomes in `grid`.

    Raises
    ------
    InputError
        If an argument is out of range, or two of them say the same thing.

    Notes
    -----
    Task i draws p_i from Beta(mean kappa, (1 - mean) kappa), kappa = (1 - icc) / icc, or from
    its mixture, and each of its rollouts passes with probability p_i. This is the model that
    `fit` takes by default; mixtures and errors on hard tasks are suites that break it.

    Examples
    --------
    >>> import bayeseval as be
    >>> found = be.simulate(slices={"joins": (30, 0.6), "dates": (20, 0.9, 0.1)}, rng=1)
    >>> found.rollouts.levels("slice")
    ('dates', 'joins')
    >>> round(found.truth.pass_rate(), 3)
    0.72

    Does the interval of a fit hold what is true?

    >>> lower, upper = be.fit(found.rollouts, engine="exact").pass_hat_k(3).eti(0.95)
    >>> lower < found.truth.pass_hat_k(3) < upper
    True
    """
    groups = _groups(tasks, mean, icc, mixture, slices)
    fewest, most = _rollout_range(rollouts)
    n_tasks = sum(group.tasks for group in groups)
    if n_tasks * most > MOST_ROLLOUTS:
        raise InputError(
            f"at most {MOST_ROLLOUTS:,} rollouts can be simulated; tasks x rollouts is "
            f"{n_tasks * most:,}"
        )
    share = as_probability(leaked_share, "leaked_share")
    from_memory = as_probability(recall, "recall")
    lost_share = as_probability(error_rate, "error_rate")
    one_of(errors_on, ErrorsOn, "errors_on")
    generator = as_generator(rng)

    own = np.concatenate([draw_rates(each.components, each.tasks, generator) for each in groups])
    leaked = np.zeros(n_tasks, dtype=np.bool_)
    leaked[generator.permutation(n_tasks)[: int(share * n_tasks + 0.5)]] = True
    rates = np.where(leaked, own + (1 - own) * from_memory, own)
    truth = Truth(rates, leaked, _pooled(groups, n_tasks), from_memory)

    trials = generator.integers(fewest, most, size=n_tasks, endpoint=True)
    lost = _error_rates(truth, lost_share, errors_on)
    passed = generator.random((n_tasks, most)) < rates[:, None]
    grid = np.where(passed, np.int8(PASSED), np.int8(FAILED))
    if lost_share > 0:
        grid[generator.random((n_tasks, most)) < lost[:, None]] = ERRORED
    grid[np.arange(most) >= trials[:, None]] = NONE
    return Simulation(_observed(grid, groups, leaked), grid, truth)


def _groups(
    tasks: int | None,
    mean: float | None,
    icc: float | None,
    mixture: MixtureLike | None,
    slices: Any,
) -> tuple[_Group, ...]:
    for name, given, others in (
        ("slices", slices, {"tasks": tasks, "mean": mean, "mixture": mixture}),
        ("mixture", mixture, {"mean": mean, "icc": icc}),
    ):
        twice = [other for other, value in others.items() if value is not None]
        if given is not None and twice:
            raise InputError(f"{name} and {twice[0]} exclude each other: give one of them")
    spread = as_probability(ICC if icc is None else icc, "icc")
    if slices is not None:
        if not isinstance(slices, Mapping) or not slices:
            raise InputError(
                f"slices must map at least one name to (tasks, mean) or (tasks, mean, icc); got "
                f"{slices!r}"
            )
        return tuple(_slice(name, given, spread) for name, given in slices.items())
    count = as_whole(TASKS if tasks is None else tasks, "tasks", minimum=1)
    if mixture is not None:
        return (_Group(None, count, as_mixture(mixture)),)
    rate = as_probability(MEAN if mean is None else mean, "mean")
    return (_Group(None, count, (RateComponent(1.0, rate, spread),)),)


def _slice(name: Any, given: Any, icc: float) -> _Group:
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"the name of a slice must be a text that is not empty; got {shown(name)}")
    try:
        count, mean, own = given if len(given) == 3 else (*given, icc)
    except (TypeError, ValueError):
        raise InputError(
            f"slice {name!r} must be (tasks, mean) or (tasks, mean, icc); got {shown(given)}"
        ) from None
    component = RateComponent(
        1.0,
        as_probability(mean, f"mean of slice {name!r}"),
        as_probability(own, f"icc of slice {name!r}"),
    )
    return _Group(name, as_whole(count, f"tasks of slice {name!r}", minimum=1), (component,))


def _rollout_range(rollouts: Any) -> tuple[int, int]:
    if not isinstance(rollouts, list | tuple | np.ndarray) or (
        isinstance(rollouts, np.ndarray) and rollouts.ndim == 0
    ):
        count = as_whole(rollouts, "rollouts", minimum=1)
        return count, count
    if len(rollouts) != 2:
        raise InputError(
            f"rollouts must be a number or a pair (fewest, most); got {shown(rollouts)}"
        )
    fewest, most = (as_whole(each, "rollouts", minimum=1) for each in rollouts)
    if fewest > most:
        raise InputError(f"rollouts must be (fewest, most); got {shown(rollouts)}")
    return fewest, most


def _pooled(groups: tuple[_Group, ...], n_tasks: int) -> tuple[RateComponent, ...]:
    """Components of the whole suite, slices in the shares that they have."""
    return tuple(
        replace(each, weight=each.weight * group.tasks / n_tasks)
        for group in groups
        for each in group.components
    )


def _error_rates(truth: Truth, share: float, errors_on: ErrorsOn) -> npt.NDArray[np.float64]:
    """Probability of each task's rollouts to error."""
    if errors_on == "any" or share == 0:
        return np.full_like(truth.rates, share)
    mean = truth.pass_rate()
    assert not isinstance(mean, Unknown)
    # Of the generator and not of the rates drawn, so that no seed is refused.
    if share > 1 - mean:
        raise InputError(
            f"error_rate must be at most 1 - mean rate = {1 - mean:.4g} where errors are on hard "
            f"tasks; got {shown(share)}"
        )
    return (1 - truth.rates) * (share / (1 - mean))


def _observed(
    grid: npt.NDArray[np.int8], groups: tuple[_Group, ...], leaked: npt.NDArray[np.bool_]
) -> Rollouts:
    passes, fails, errored = ((grid == code).sum(axis=1) for code in (PASSED, FAILED, ERRORED))
    digits = len(str(len(grid)))
    names = [f"task-{number:0{digits}d}" for number in range(1, len(grid) + 1)]
    factors: dict[str, Iterable[Any]] = {}
    if groups[0].name is not None:
        factors["slice"] = [str(group.name) for group in groups for _ in range(group.tasks)]
    if leaked.any():
        # Words, as a file holds them, so that what is read back is the same.
        factors["leaked"] = ["true" if each else "false" for each in leaked]
    return Rollouts.from_counts(
        passes,
        passes + fails,
        errored=errored,
        task=names,
        factors=factors,
        source="simulation",
    )
