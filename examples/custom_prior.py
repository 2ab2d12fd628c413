"""Last month's run as a prior for this month's, counted for half of what it was.

The system has changed a little since: the old run tells something, and not everything.
"""

import bayeseval as be

# Passes of 40 tasks in 4 rollouts: last month, and this month with other tasks.
LAST = be.Rollouts.from_counts([4] * 26 + [3] * 2 + [1] * 2 + [0] * 10, 4)
THIS = be.Rollouts.from_counts([4] * 8 + [2] * 1 + [0] * 3, 4)


def as_beta(posterior: be.Posterior, power: float) -> tuple[float, float]:
    """The Beta with the posterior's mean and spread, its data discounted by a power (0-1).

    Both priors of the old run were Beta(1, 1), which the discount leaves whole.
    """
    weight = posterior.mean * (1 - posterior.mean) / posterior.sd**2 - 1
    alpha, beta = weight * posterior.mean, weight * (1 - posterior.mean)
    return 1 + power * (alpha - 1), 1 + power * (beta - 1)


def main(power: float = 0.5) -> list[be.Fit]:
    last = be.fit(LAST, engine="exact")
    print("last month:", last.pass_rate())
    informed = be.HierarchicalPrior(
        mean=as_beta(last.pass_rate(), power), icc=as_beta(last.icc(), power)
    )
    fits = []
    for prior in (be.HierarchicalPrior(), informed):
        fit = be.fit(THIS, engine="exact", prior=prior)
        print(f"this month, {prior.formula}:")
        print("  ", fit.pass_rate())
        print("  ", fit.pass_hat_k(3))
        fits.append(fit)

    # One rollout per task is simpler: the posterior discounts itself.
    earlier = be.beta_posterior(80, 100)
    prior = earlier.discounted(power)
    print(f"one rollout per task, prior {prior}:")
    print("  ", be.beta_posterior(17, 20, prior=prior))
    return fits


if __name__ == "__main__":
    main()
