"""Are ranks uniform?"""

import numpy as np

# Ranks of draws and of counts may be exactly 0 or 1, where the test has no value.
LEAST = 5e-4


def uniformity(ranks: list[float]) -> float:
    """p-value of ArviZ's test of uniform ranks (pointwise order statistics, combined)."""
    import xarray as xr
    from arviz_stats.accessors import AzStatsDaAccessor  # noqa: F401  registers what is used below

    values = xr.Dataset({"rank": ("draw", np.clip(ranks, LEAST, 1 - LEAST))})
    # What else it returns depends on the release.
    p_values = values.azstats.uniformity_test(dim="draw", method="pot_c")[0]
    return float(p_values["rank"])
