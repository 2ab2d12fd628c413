"""A covariate in the model: the slices of a suite differ, and share how much tasks differ.

`build_model` gives the model of the tasks of one slice; those of the other slices join it with a
mean of their own. A slice of nine tasks alone hardly knows its ICC; here it borrows it.
"""

from pathlib import Path

import arviz as az
import numpy as np
import pymc as pm
import xarray as xr

import bayeseval as be

FILE = Path(__file__).with_name("sqlagent.csv")
REFERENCE = "lookups"


def build(rollouts: be.Rollouts) -> pm.Model:
    slices = rollouts.factors["slice"]
    others = [name for name in rollouts.levels("slice") if name != REFERENCE]
    rest = rollouts.subset(slices != REFERENCE)
    position = np.array([others.index(name) for name in rest.factors["slice"]])
    model = be.build_model(rollouts.where("slice", REFERENCE), collapse=False)
    with model:
        model.add_coords({"slice": others, "other_task": rest.task})
        # On the scale of log odds, wide: slices may well differ by 80 percentage points.
        shift = pm.Normal("shift", 0.0, 2.5, dims="slice")
        log_odds = pm.math.logit(model["mean"]) + shift
        slice_mean = pm.Deterministic("slice_mean", pm.math.sigmoid(log_odds), dims="slice")
        mean, kappa = slice_mean[position], pm.math.exp(model["log_kappa"])
        pm.BetaBinomial(
            "other_passes",
            alpha=mean * kappa,
            beta=(1.0 - mean) * kappa,
            n=rest.trials,
            observed=rest.passes,
            dims="other_task",
        )
    return model


def main(draws: int = 1000) -> xr.DataTree:
    rollouts = be.read(FILE)
    with build(rollouts):
        dt = pm.sample(
            draws=draws,
            tune=draws,
            chains=4,
            target_accept=0.95,
            nuts_sampler="nutpie",
            random_seed=1,
            progressbar=False,
            quiet=True,
        )
    names = ["mean", "slice_mean", "icc"]
    print(az.summary(dt, var_names=names, ci_prob=0.95, ci_kind="eti"))

    print("\nEach slice alone:")
    for name in rollouts.levels("slice"):
        alone = be.fit(rollouts.where("slice", name), engine="exact")
        print(f"   {name:8} {alone.pass_rate().summary_text()}")
    return dt


if __name__ == "__main__":
    main()
