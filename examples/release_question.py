"""194 of 200 tasks passed, one rollout each, and the bar for a release is 95 %. Ship?

The same on the command line: ``bayeseval rate 194/200 --above 0.95``.
"""

import bayeseval as be

passes, trials, bar = 194, 200, 0.95

posterior = be.beta_posterior(passes, trials)
wilson = be.interval(passes, trials)

print(posterior)
print(f"Wilson interval: {100 * wilson.lower:.1f}-{100 * wilson.upper:.1f} %")
print(f"Pr[p > {bar}] = {posterior.prob_above(bar):.3f}")

# What was seen clears the bar, yet the true rate falls short with a chance of one in eight.
risk = posterior.prob_below(bar)
print(f"Risk that the true rate falls short: {risk:.3f}, about one in {1 / risk:.0f}")

# How large must a suite with the same rate be, for a risk of one in forty?
for size in range(200, 2001, 100):
    if be.beta_posterior(round(size * passes / trials), size).prob_below(bar) <= 1 / 40:
        print(f"At the same rate, {size} tasks would bring the risk to one in forty or less.")
        break
