"""compare and leaderboard: run an engine on systems that ran the same tasks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from bayeseval._validate import (
    Seed,
    as_generator,
    as_items,
    as_probability,
    as_text,
    one_of,
    shown,
)
from bayeseval.comparison._join import Joined, Unmatched, join, system_name
from bayeseval.comparison._leaderboard import Leaderboard
from bayeseval.comparison._model import model_of
from bayeseval.comparison._result import Comparison
from bayeseval.comparison._table import as_dirichlet
from bayeseval.errors import CheckWarning, InputError
from bayeseval.hierarchical import Checks
from bayeseval.hierarchical._checks import sampler_checks
from bayeseval.hierarchical._model import as_suite
from bayeseval.hierarchical._sample import as_progress, run_nuts, sampler_settings
from bayeseval.rollouts import Rollouts
from bayeseval.rollouts._suite import as_rollouts

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["compare", "leaderboard"]

Engine = Literal["auto", "exact", "nuts"]

UNIFORM = (1.0, 1.0, 1.0, 1.0)
CHECKED = ["mean", "task_sd", "icc", "shift"]


def compare(
    old: Rollouts,
    new: Rollouts,
    *,
    names: tuple[str, str] | None = None,
    unmatched: Unmatched = "drop",
    engine: Engine = "auto",
    prior: Sequence[float] = UNIFORM,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    target_accept: float = 0.95,
    rng: Seed = None,
    progress: bool | None = None,
) -> Comparison:
    """Compare two systems that ran the same tasks.

    Parameters
    ----------
    old, new : Rollouts
        Results of both systems, joined on the task id. Any number of rollouts, equal or not.
    names : tuple of str, optional
        What they are called; by default as their results say, else "old" and "new".
    unmatched : {"drop", "use"}, default "drop"
        Tasks with a scored rollout of one system only: left out, or used by the PyMC model.
        They are counted either way.
    engine : {"auto", "exact", "nuts"}, default "auto"
        ``"exact"`` integrates the 2 x 2 table of one rollout each. ``"nuts"`` samples the
        PyMC model (nutpie), which serves any number of rollouts. ``"auto"`` is exact where
        there is one scored rollout each.
    prior : sequence of float, default (1, 1, 1, 1)
        Dirichlet prior of the exact engine: tasks that both systems pass, only the new one,
        only the old one, neither.
    draws, tune : int, default 1000
        Draws kept and warm-up steps of each chain (``"nuts"``).
    chains : int, default 4
        Number of chains (``"nuts"``).
    cores : int, optional
        Chains run at once (``"nuts"``).
    target_accept : float, default 0.95
        Mean acceptance that the step size is tuned for (``"nuts"``).
    rng : int or numpy.random.Generator, optional
        Seed. The same seed gives the same numbers; swapped systems the same with signs
        flipped.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal only.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        No task that both systems ran, an argument out of range, or the exact engine asked
        of several rollouts.

    Warns
    -----
    CheckWarning
        If a check of the sampler fails.

    Notes
    -----
    One rollout each: the cells of the 2 x 2 table have a Dirichlet prior, and the posterior
    of the difference is integrated, not sampled. Several: see `build_comparison_model`.

    Examples
    --------
    >>> import bayeseval as be
    >>> old = be.Rollouts.from_counts([1, 1, 0, 0, 1], 1, task=["a", "b", "c", "d", "e"])
    >>> new = be.Rollouts.from_counts([1, 1, 1, 0, 1], 1, task=["a", "b", "c", "d", "x"])
    >>> found = be.compare(old, new, names=("v1", "v2"))
    >>> found.joined.n_matched, found.joined.n_unmatched
    (4, 2)
    >>> round(found.prob_better(), 2)
    0.75
    """
    one_of(engine, Engine, "engine")
    joined = join(_named((old, new), names, ("old", "new")), unmatched)
    dirichlet = as_dirichlet(prior)
    if engine == "exact" and not joined.one_each:
        raise InputError(
            "the exact engine needs exactly one scored rollout of each task and system"
            + (", and no unmatched tasks" if unmatched == "use" else "")
            + "; engine='nuts' serves any number"
        )
    if engine != "nuts" and joined.one_each:
        seed = int(as_generator(0 if rng is None else rng).integers(2**31))
        return Comparison(joined, "exact", Checks(()), seed, dirichlet)
    if dirichlet != UNIFORM:
        raise InputError("prior goes with the exact engine, for one rollout of each task")
    seed, checks, sampled = sample_joined(
        joined, draws, tune, chains, cores, target_accept, rng, progress
    )
    return Comparison(joined, "nuts", checks, seed, dirichlet, sampled)


def leaderboard(
    systems: Mapping[str, Rollouts],
    *,
    unmatched: Unmatched = "drop",
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    target_accept: float = 0.9,
    rng: Seed = None,
    progress: bool | None = None,
) -> Leaderboard:
    """Compare many systems that ran the same tasks, in one joint model.

    Parameters
    ----------
    systems : mapping of str to Rollouts
        Results of two systems or more by name, joined on the task id.
    unmatched : {"drop", "use"}, default "drop"
        Tasks without a scored rollout of some system: left out, or used. They are counted
        either way.
    draws, tune : int, default 1000
        Draws kept and warm-up steps of each chain.
    chains : int, default 4
        Number of chains.
    cores : int, optional
        Chains run at once.
    target_accept : float, default 0.9
        Mean acceptance that the step size is tuned for.
    rng : int or numpy.random.Generator, optional
        Seed. The same seed gives the same numbers.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal only.

    Returns
    -------
    Leaderboard

    Raises
    ------
    InputError
        Fewer than two systems, no task that all of them ran, an argument out of range.

    Warns
    -----
    CheckWarning
        If a check of the sampler fails.

    Notes
    -----
    See `build_comparison_model`. Systems are drawn towards each other as far as they are
    alike, so that the best of many is not overrated for being the best of many, and
    probabilities of all pairs hold together without a correction.

    Examples
    --------
    >>> import bayeseval as be
    >>> suites = {
    ...     name: be.Rollouts.from_counts([1] * passed + [0] * (60 - passed), 1)
    ...     for name, passed in {"large": 48, "medium": 40, "small": 15}.items()
    ... }
    >>> board = be.leaderboard(suites, draws=500, tune=500, rng=1, progress=False)
    >>> board.groups()
    (('large',), ('medium',), ('small',))
    """
    joined = join(systems, unmatched)
    seed, checks, sampled = sample_joined(
        joined, draws, tune, chains, cores, target_accept, rng, progress
    )
    return Leaderboard(joined, checks, seed, sampled)


def sample_joined(
    joined: Joined,
    draws: int,
    tune: int,
    chains: int,
    cores: int | None,
    target_accept: float,
    rng: Seed,
    progress: bool | None,
) -> tuple[int, Checks, xr.DataTree]:
    """Sample the joint model and check it."""
    as_progress(progress)
    for name, each in zip(joined.systems, joined.rollouts, strict=True):
        as_suite(each, f"system {name!r}")
    settings = sampler_settings(draws, tune, chains, cores)
    accept = as_probability(target_accept, "target_accept", open_ends=True)
    seed = int(as_generator(rng).integers(2**31))
    sampled = run_nuts(model_of(joined), settings, accept, seed, progress)
    checks = Checks(sampler_checks(sampled, CHECKED))
    for check in checks.failed:
        warnings.warn(f"check {check}", CheckWarning, stacklevel=3)
    return seed, checks, sampled


def _named(
    suites: Sequence[Rollouts], names: Sequence[str] | None, fallbacks: Sequence[str]
) -> dict[str, Rollouts]:
    for each in suites:
        as_rollouts(each, "a system")
    if names is None:
        names = [system_name(each, name) for each, name in zip(suites, fallbacks, strict=True)]
        if len(set(names)) < len(names):
            names = fallbacks
    chosen = [as_text(name, "names") for name in as_items(names, "names", of="two names")]
    if len(chosen) != len(suites) or len(set(chosen)) < len(chosen):
        raise InputError(f"names must be {len(suites)} different names; got {shown(names)}")
    return dict(zip(chosen, suites, strict=True))
