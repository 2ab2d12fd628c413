"""Checks of a fit: what was looked at, whether it held, and what to do where it did not."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayeseval._cells import ScoredCells
from bayeseval.hierarchical._draws import DrawsHyper
from bayeseval.hierarchical._exact import ExactHyper
from bayeseval.hierarchical._functionals import beta_binomial_chances, blocks
from bayeseval.posterior import About, Posterior

__all__ = [
    "Check",
    "Checks",
    "exact_checks",
    "nuts_checks",
    "predictive_check_of_slice",
    "sampler_checks",
]

Array = npt.NDArray[np.float64]

# The predictive check holds the share of replicates to that much, by so many of them; of
# each of many slices fewer are enough to see whether it is in doubt.
LEAST_SHARE, REPLICATES, LEAST_REPLICATES = 0.01, 2000, 400
# Numbers that the replicates of a histogram may hold in all; fewer replicates are made of
# suites with very many rollouts a task, but never fewer than 200.
MOST_NUMBERS = 10_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a fit.

    Parameters
    ----------
    name : str
        What was looked at.
    value : float
        What was found.
    limit : float
        The bound that the value is held to.
    at_most : bool
        Whether the value must not exceed the limit (else: not fall below it).
    meaning : str
        How to read the value.
    remedy : str
        What to do where the check fails.
    """

    name: str
    value: float
    limit: float
    at_most: bool
    meaning: str
    remedy: str

    @property
    def passed(self) -> bool:
        """Whether the check held; a value that is not a number fails."""
        if np.isnan(self.value):
            return False
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        verdict = "ok" if self.passed else f"FAILED: {self.remedy}"
        return f"{self.name} = {self.value:.4g} ({sign} {self.limit:g}): {verdict}"


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of a fit.

    Parameters
    ----------
    rows : tuple of Check
        One for each thing that was looked at.
    """

    rows: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check held."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(row for row in self.rows if not row.passed)

    def __getitem__(self, name: str) -> Check:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no check {name!r}; there are {', '.join(r.name for r in self.rows)}")

    def __str__(self) -> str:
        return "\n".join(str(row) for row in self.rows)

    def __repr__(self) -> str:
        held = len(self.rows) - len(self.failed)
        return f"Checks({held} of {len(self.rows)} passed)"

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{html.escape(row.name)}</td><td>{row.value:.4g}</td>"
            f"<td>{'&le;' if row.at_most else '&ge;'} {row.limit:g}</td>"
            f"<td>{'ok' if row.passed else html.escape('FAILED: ' + row.remedy)}</td></tr>"
            for row in self.rows
        )
        return f"<table><tr><th>check</th><th>value</th><th>limit</th><th></th></tr>{cells}</table>"


def exact_checks(
    hyper: ExactHyper, cells: ScoredCells, rng: np.random.Generator, slices: int = 1
) -> Checks:
    """Checks of a fit by the exact engine, of a whole suite or of one of so many slices."""
    quadrature = Check(
        "quadrature",
        hyper.discrepancy,
        1e-3,
        True,
        "change of the integral when half of the nodes are left out; its error is the square",
        "report the data: the integration did not converge",
    )

    def pick(size: int) -> tuple[Array, Array]:
        chosen = rng.choice(hyper.weights.size, size=size, p=hyper.weights)
        return hyper.alpha[chosen], hyper.beta[chosen]

    return Checks((quadrature, predictive_check_of_slice(pick, cells, rng, slices)))


def predictive_check_of_slice(
    pick: Callable[[int], tuple[Array, Array]],
    cells: ScoredCells,
    rng: np.random.Generator,
    slices: int,
) -> Check:
    """Predictive check of one of several slices, which together are held to 1 %.

    Parameters
    ----------
    pick : callable
        Gives so many posterior draws of the Beta parameters.
    cells : ScoredCells
        The slice.
    rng : numpy.random.Generator
        Draws the replicates.
    slices : int
        Number of slices: each is held to 1 % over that, or one in a hundred would fail by
        chance alone.
    """
    limit = LEAST_SHARE / slices
    first = max(REPLICATES // slices, LEAST_REPLICATES)
    found = predictive_check(*pick(first), cells, rng, limit)
    if slices == 1 or found.value >= LEAST_SHARE:
        return found
    # Few slices come this far; a smaller limit needs more replicates.
    return predictive_check(*pick(int(np.ceil(2.0 / limit))), cells, rng, limit)


def predictive_check(
    alpha: Array,
    beta: Array,
    cells: ScoredCells,
    rng: np.random.Generator,
    limit: float = LEAST_SHARE,
) -> Check:
    """Posterior predictive check of the histogram of passes.

    The discrepancy is chi-square like: the squared distance of the number of tasks with
    each count of passes from what the draw expects, over that expectation. The value is
    the share of replicates that are at least as far from their draw as the data.

    Parameters
    ----------
    alpha, beta : ndarray, shape (n_draws,)
        Beta parameters of the task rates, drawn from their posterior, in any order.
    cells : ScoredCells
        The data.
    rng : numpy.random.Generator
        Draws the replicates.
    limit : float, default 0.01
        What the value is held to.
    """
    levels = np.unique(cells.trials)
    replicates = max(MOST_NUMBERS // int(np.sum(levels + 1)), 200)
    alpha, beta = alpha[:replicates], beta[:replicates]
    observed, replicated = np.zeros(alpha.size), np.zeros(alpha.size)
    for trials in levels:
        same = cells.trials == trials
        count = int(cells.count[same].sum())
        seen = np.zeros(int(trials) + 1)
        seen[cells.passes[same]] = cells.count[same]
        for part in blocks(alpha.size, int(trials) + 1):
            chances = beta_binomial_chances(alpha[part], beta[part], int(trials))
            expected = count * chances
            again = rng.multinomial(count, chances)
            # Bins that are hardly expected are counted as at least a tenth of a task.
            scale = np.maximum(expected, 0.1)
            observed[part] += np.sum((seen - expected) ** 2 / scale, axis=1)
            replicated[part] += np.sum((again - expected) ** 2 / scale, axis=1)
    value = float(np.mean(replicated >= observed))
    return Check(
        "predictive",
        value,
        limit,
        False,
        "share of replicated suites whose histogram of passes is at least as far from the model",
        "the tasks do not look like one Beta: split the suite by slice, or look at its histogram",
    )


def nuts_checks(dt: Any, exact: ExactHyper, draws: DrawsHyper, cells: ScoredCells) -> Checks:
    """Checks of a fit by NUTS: ArviZ diagnostics, and agreement with the exact engine."""
    rows = list(sampler_checks(dt, ["mean", "icc"]))
    rows.append(
        Check(
            "agreement",
            agreement(draws, exact),
            4.0,
            True,
            "largest difference from the exact engine, in Monte Carlo standard errors",
            'trust engine="exact", and report the data and the seed',
        )
    )
    rng = draws.rng(5)
    order = rng.permutation(draws.mean.size)[:REPLICATES]
    flat = draws.alpha.ravel()[order], draws.beta.ravel()[order]
    rows.append(predictive_check(*flat, cells, rng))
    return Checks(tuple(rows))


def sampler_checks(dt: Any, names: list[str]) -> tuple[Check, ...]:
    """ArviZ diagnostics of what a sampler left, the worst over the named variables."""
    import arviz as az

    posterior = dt["posterior"].to_dataset()[names]
    chains = posterior.sizes["chain"]

    def worst(data: Any, pick: Any) -> float:
        # NumPy, unlike max() and min(), keeps a NaN, and a NaN fails the check.
        return float(pick([float(pick(np.asarray(data[name]))) for name in names]))

    more = "sample longer: raise draws and tune"
    rows = []
    if chains > 1:
        r_hat = worst(az.rhat(posterior), np.max)
        rows.append(
            Check("r_hat", r_hat, 1.01, True, "1 where the chains agree", "raise tune, then draws")
        )
    for method, tail in (("bulk", "the centre"), ("tail", "the 5 % and 95 % quantiles")):
        ess = worst(az.ess(posterior, method=method), np.min)
        meaning = f"independent draws that would fix {tail} as well"
        rows.append(Check(f"ess_{method}", ess, 400.0, False, meaning, more))
    diverging = float(dt["sample_stats"]["diverging"].sum())
    rows.append(
        Check(
            "divergences",
            diverging,
            0.0,
            True,
            "steps where the sampler lost its way",
            "raise target_accept towards 0.99",
        )
    )
    energy = np.asarray(dt["sample_stats"]["energy"])
    bfmi = float(np.min(np.mean(np.diff(energy, axis=1) ** 2, axis=1) / np.var(energy, axis=1)))
    rows.append(
        Check(
            "bfmi",
            bfmi,
            0.3,
            False,
            "how well the sampler's momentum explores the energy",
            "raise tune; a heavy tail may need a tighter prior",
        )
    )
    relative = worst(az.mcse(posterior) / posterior.std(("chain", "draw")), np.max)
    meaning = "Monte Carlo error of the mean, in posterior standard deviations"
    rows.append(Check("mcse", relative, 0.05, True, meaning, more))
    return tuple(rows)


def agreement(draws: DrawsHyper, exact: ExactHyper) -> float:
    """Largest difference between two engines in Monte Carlo standard errors.

    Compared are the posterior means of the mean rate and the ICC, and the probabilities
    that each lies below its exact 10 %, 50 % and 90 % quantile.
    """
    from bayeseval.posterior import DrawsPosterior

    about = About(engine="exact")
    truths: list[tuple[Array, Posterior]] = [
        (draws.mean, exact.marginal_pass_hat(1, about)),
        (draws.icc, exact.marginal_icc(about)),
    ]
    differences = []
    for values, truth in truths:
        sampled = DrawsPosterior(values, about)
        differences.append(abs(sampled.mean - truth.mean) / sampled.mcse_mean)
        for level in (0.1, 0.5, 0.9):
            threshold = float(truth.quantile(level))
            below = DrawsPosterior((values < threshold).astype(float), about)
            error = below.mcse_mean
            differences.append(abs(below.mean - level) / error if error > 0 else np.inf)
    # Not max(), which would pass over a NaN.
    return float(np.max(differences))
