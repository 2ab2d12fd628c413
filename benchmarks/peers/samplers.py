"""The methods that draw samples: four chains of 1,000 draws after as many of tuning."""

import warnings
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import bayeseval as be

CHAINS, DRAWS = 4, 1_000
LEVELS = (0.025, 0.975)


class Answer(NamedTuple):
    """A 95 % interval, and the divergences of a sampler."""

    lower: float
    upper: float
    divergences: int | None = None


def nuts(data: Any, fresh: bool) -> Answer:
    rollouts = be.Rollouts.from_counts(*data)
    with warnings.catch_warnings():
        # Divergences are told with the numbers.
        warnings.simplefilter("ignore", be.CheckWarning)
        fit = be.fit(
            rollouts, engine="nuts", draws=DRAWS, tune=DRAWS, chains=CHAINS, rng=1, progress=False
        )
    diverging = int(fit.dt["sample_stats"]["diverging"].sum())
    return Answer(*fit.pass_rate().eti(), diverging)


@lru_cache(maxsize=1)
def _compiled_pymc(tasks: int, rollouts: int) -> Any:
    import nutpie
    import pymc as pm

    with pm.Model() as model:
        passes = pm.Data("passes", np.zeros(tasks, dtype=np.int64))
        mean = pm.Uniform("mean", 0, 1)
        icc = pm.Uniform("icc", 0, 1)
        kappa = (1 - icc) / icc
        rate = pm.Beta("rate", mean * kappa, (1 - mean) * kappa, shape=tasks)
        pm.Binomial("observed", n=rollouts, p=rate, observed=passes)
    return nutpie.compile_pymc_model(model)


def pymc(data: Any, fresh: bool) -> Answer:
    import nutpie

    passes, rollouts = data
    if fresh:
        _compiled_pymc.cache_clear()
    compiled = _compiled_pymc(len(passes), rollouts).with_data(passes=passes)
    drawn = nutpie.sample(
        compiled, draws=DRAWS, tune=DRAWS, chains=CHAINS, seed=1, progress_bar=False
    )
    lower, upper = np.quantile(drawn["posterior"]["mean"], LEVELS)
    return Answer(lower, upper, int(drawn["sample_stats"]["diverging"].sum()))


@lru_cache(maxsize=1)
def _numpyro_sampler(tasks: int, rollouts: int) -> Any:
    import numpyro
    from numpyro import distributions as dist
    from numpyro.infer import MCMC, NUTS

    numpyro.set_host_device_count(CHAINS)

    def model(passes: Any) -> None:
        intercept = numpyro.sample("intercept", dist.Normal(0, 1))
        sd = numpyro.sample("sd", dist.Exponential(1))
        with numpyro.plate("task", tasks):
            z = numpyro.sample("z", dist.Normal(0, 1))
            numpyro.sample(
                "observed", dist.Binomial(rollouts, logits=intercept + sd * z), obs=passes
            )

    return MCMC(
        NUTS(model),
        num_warmup=DRAWS,
        num_samples=DRAWS,
        num_chains=CHAINS,
        chain_method="parallel",
        progress_bar=False,
        jit_model_args=True,
    )


def numpyro(data: Any, fresh: bool) -> Answer:
    passes, rollouts = data
    if fresh:
        _numpyro_sampler.cache_clear()
    # Before JAX is loaded: it counts its devices once.
    sampler = _numpyro_sampler(len(passes), rollouts)
    import jax

    sampler.run(jax.random.PRNGKey(1), jax.numpy.asarray(passes))
    drawn = sampler.get_samples()
    rate = mean_rate(np.asarray(drawn["intercept"]), np.asarray(drawn["sd"]))
    diverging = int(sampler.get_extra_fields()["diverging"].sum())
    return Answer(*np.quantile(rate, LEVELS), diverging)


def mean_rate(intercept: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Mean pass rate of a new task, E[expit(intercept + sd z)], draw by draw."""
    from scipy import special

    z, weights = np.polynomial.hermite_e.hermegauss(80)
    rates = special.expit(intercept[:, None] + sd[:, None] * z)
    return np.asarray(rates @ (weights / weights.sum()))
