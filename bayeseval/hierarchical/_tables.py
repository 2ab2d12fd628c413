"""Tables of a fit: tasks one by one, and the histogram of passes, observed and predicted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayeseval._cells import ScoredCells
from bayeseval.hierarchical._functionals import beta_binomial_chances, blocks, log_rising
from bayeseval.posterior import About, Posterior
from bayeseval.rollouts import Rollouts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PredictedHistogram", "TaskTable", "predicted_histogram", "task_table"]

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

REPLICATES = 4000
# Numbers that all replicates of a histogram may hold; with very many rollouts a task
# there are fewer of them.
MOST_NUMBERS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class TaskTable:
    """Raw and shrunken pass rates, task by task.

    Parameters
    ----------
    task : ndarray, shape (n_tasks,)
        Task ids.
    passes, trials, errored : ndarray of int, shape (n_tasks,)
        What was seen.
    raw_rate : ndarray, shape (n_tasks,)
        passes / trials; NaN where nothing was scored.
    mean, lower, upper : ndarray, shape (n_tasks,)
        Posterior mean of the task's rate and its equal-tailed interval.
    pass_at_k, pass_hat_k : dict of int to ndarray, shape (n_tasks,)
        Posterior mean of each task's pass@k and pass^k.
    ci_prob : float
        Level of the interval.
    """

    task: npt.NDArray[Any]
    passes: Counts
    trials: Counts
    errored: Counts
    raw_rate: Array
    mean: Array
    lower: Array
    upper: Array
    pass_at_k: dict[int, Array]
    pass_hat_k: dict[int, Array]
    ci_prob: float

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas frame, indexed by task."""
        import pandas as pd

        columns: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("passes", "trials", "errored", "raw_rate", "mean", "lower", "upper")
        }
        for k, values in self.pass_at_k.items():
            columns[f"pass@{k}"] = values
            columns[f"pass^{k}"] = self.pass_hat_k[k]
        return pd.DataFrame(columns, index=pd.Index(self.task, name="task"))


def task_table(
    rollouts: Rollouts,
    rate: Callable[[int, int, About], Posterior],
    about: About,
    hyper: tuple[Array, Array, Array],
    ks: tuple[int, ...],
    ci_prob: float,
) -> TaskTable:
    """Make the table of tasks; tasks with equal counts share one computation.

    Parameters
    ----------
    rate : callable
        ``rate(passes, trials, about)``: the posterior of such a task's rate.
    hyper : (weights, alpha, beta)
        The posterior of the hyperparameters at nodes or draws, flat.
    """
    cells = rollouts.cells
    weights, alpha, beta = hyper
    size = len(cells)
    mean, lower, upper = np.empty(size), np.empty(size), np.empty(size)
    at = {k: np.empty(size) for k in ks}
    hat = {k: np.empty(size) for k in ks}
    for i, (s, n) in enumerate(zip(cells.passes.tolist(), cells.trials.tolist(), strict=True)):
        interval = rate(s, n, about).eti(ci_prob)
        lower[i], upper[i] = interval
        a, b = alpha + s, beta + (n - s)
        mean[i] = weights @ (a / (a + b))
        for k in ks:
            hat[k][i] = weights @ np.exp(log_rising(a, b, k))
            at[k][i] = weights @ -np.expm1(log_rising(b, a, k))
    index = cells.index
    trials = rollouts.trials
    raw = np.full(trials.size, np.nan)
    np.divide(rollouts.passes, trials, out=raw, where=trials > 0)
    return TaskTable(
        rollouts.task,
        rollouts.passes,
        trials,
        rollouts.errored,
        raw,
        mean[index],
        lower[index],
        upper[index],
        {k: values[index] for k, values in at.items()},
        {k: values[index] for k, values in hat.items()},
        ci_prob,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PredictedHistogram:
    """Number of tasks by passes, observed and predicted, at one number of trials.

    Parameters
    ----------
    passes : ndarray of int, shape (trials_shown + 1,)
        0 to `trials_shown`.
    observed : ndarray of int, shape (trials_shown + 1,)
        Tasks seen with that many passes.
    mean, lower, upper : ndarray, shape (trials_shown + 1,)
        Predicted for a replicate of the suite: mean and equal-tailed interval.
    trials_shown : int
        Rollouts of the tasks shown: the commonest number.
    n_shown, n_tasks : int
        Tasks with that number of rollouts, and scored tasks in all.
    ci_prob : float
        Level of the interval.
    """

    passes: Counts
    observed: Counts
    mean: Array
    lower: Array
    upper: Array
    trials_shown: int
    n_shown: int
    n_tasks: int
    ci_prob: float


def predicted_histogram(
    cells: ScoredCells,
    hyper: tuple[Array, Array, Array],
    ci_prob: float,
    rng: np.random.Generator,
) -> PredictedHistogram:
    """Predict the histogram of passes for a replicate of the suite; see `task_table`."""
    weights, alpha, beta = hyper
    levels, inverse = np.unique(cells.trials, return_inverse=True)
    tasks = np.bincount(inverse, weights=cells.count)
    trials = int(levels[np.argmax(tasks)])
    same = cells.trials == trials
    count = int(cells.count[same].sum())
    observed = np.zeros(trials + 1, dtype=np.int64)
    observed[cells.passes[same]] = cells.count[same]
    share = weights / weights.sum()
    size = int(np.clip(MOST_NUMBERS // (trials + 1), 400, REPLICATES))
    chosen = rng.choice(share.size, size=size, p=share)
    if share.size * (trials + 1) > 4 * MOST_NUMBERS:
        share, alpha, beta = np.full(size, 1.0 / size), alpha[chosen], beta[chosen]
        chosen = np.arange(size)
    mean = np.zeros(trials + 1)
    for part in blocks(share.size, trials + 1):
        mean += share[part] @ beta_binomial_chances(alpha[part], beta[part], trials)
    replicates = np.empty((size, trials + 1), dtype=np.int64)
    for part in blocks(size, trials + 1):
        chances = beta_binomial_chances(alpha[chosen[part]], beta[chosen[part]], trials)
        replicates[part] = rng.multinomial(count, chances)
    tail = 0.5 * (1.0 - ci_prob)
    lower, upper = np.quantile(replicates, [tail, 1.0 - tail], axis=0, method="inverted_cdf")
    return PredictedHistogram(
        np.arange(trials + 1),
        observed,
        count * mean,
        lower.astype(float),
        upper.astype(float),
        trials,
        count,
        cells.n_tasks,
        ci_prob,
    )
