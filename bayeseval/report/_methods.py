"""The methods of a report in words, and where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayeseval.report._words import level

if TYPE_CHECKING:
    from bayeseval.report._gather import Report

__all__ = ["methods", "references"]


def methods(report: Report) -> list[str]:
    """One paragraph for each thing that was done."""
    confidence = report.verdicts[0].confidence if report.verdicts else 0.95
    found = [
        "Model. Tasks are a sample from a source of tasks, and each has its own pass rate p_i. "
        "Rates follow a Beta distribution with mean rate mu and intraclass correlation ICC: "
        "p_i ~ Beta(mu kappa, (1 - mu) kappa) with kappa = (1 - ICC) / ICC; of n_i scored "
        "rollouts s_i ~ Binomial(n_i, p_i) pass, independently given the rate. "
        f"Prior: {report.fit.prior.formula}.",
        "Computation. Task rates are integrated out, which leaves a beta-binomial likelihood "
        "[1]; the posterior of mu and ICC is integrated on a grid on the logit scale, which is "
        "deterministic. Rates of single tasks come back by conjugacy and are drawn towards those "
        "of the others.",
        f"Intervals are equal-tailed and hold {level(report.ci_prob)} of the posterior. They come "
        "from tasks, not from rollouts: rollouts of one task are not independent.",
        "pass@k is the probability that at least one of k attempts at a task passes [2], pass^k "
        "that all do [3], each averaged over tasks. Unbiased estimates exist up to the number of "
        "rollouts of a task; the model's answers beyond that are marked.",
        "Baselines. Wilson's interval [4] is right for one rollout of each task; on pooled "
        "rollouts it is shown as what not to do. The bootstrap resamples whole tasks [5].",
        f"Verdicts. A claim is supported where its posterior probability reaches "
        f"{level(confidence)}, contradicted where that of its contrary does, and inconclusive "
        "between. It is also inconclusive where a check failed, or where the verdict changes with "
        "the fate of errored rollouts or with the prior.",
        "Errored rollouts have no score. They leave the denominator, and the answers if all of "
        "them had failed or all had passed bound what they could have changed.",
    ]
    if report.sliced is not None:
        found.append(
            "Slices are combined by post-stratification [6]: the sum of the slices' rates times "
            "their shares. The number of effective tasks is Kish's."
        )
    if report.comparison is not None:
        found.append(
            "Comparison. Both systems ran the same tasks, and are compared task by task: with one "
            "rollout each by the posterior of their 2 x 2 table, else by a model in which a "
            "task's difficulty is shared by the systems. It was "
            + ("integrated." if report.comparison.engine == "exact" else "sampled in PyMC by NUTS.")
        )
    if report.sampled is not None:
        found.append(
            "Sampling. The same model was sampled in PyMC by NUTS, and is checked by rank-"
            "normalised R-hat and effective sample sizes [7] and by the energy [8]."
        )
    return found


_REFERENCES: tuple[tuple[str, str], ...] = (
    (
        "Skellam (1948), A probability distribution derived from the binomial distribution by "
        "regarding the probability of success as variable between the sets of trials, JRSS B 10, "
        "257-261",
        "https://doi.org/10.1111/j.2517-6161.1948.tb00014.x",
    ),
    (
        "Chen et al. (2021), Evaluating large language models trained on code",
        "https://doi.org/10.48550/arXiv.2107.03374",
    ),
    (
        "Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world "
        "domains",
        "https://doi.org/10.48550/arXiv.2406.12045",
    ),
    (
        "Wilson (1927), Probable inference, the law of succession, and statistical inference, "
        "JASA 22, 209-212",
        "https://doi.org/10.1080/01621459.1927.10502953",
    ),
    (
        "Field and Welsh (2007), Bootstrapping clustered data, JRSS B 69, 369-390",
        "https://doi.org/10.1111/j.1467-9868.2007.00593.x",
    ),
    (
        "Gelman and Little (1997), Poststratification into many categories using hierarchical "
        "logistic regression, Survey Methodology 23, 127-135",
        "",
    ),
    (
        "Vehtari et al. (2021), Rank-normalization, folding, and localization: an improved R-hat, "
        "Bayesian Analysis 16, 667-718",
        "https://doi.org/10.1214/20-BA1221",
    ),
    (
        "Betancourt (2016), Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte "
        "Carlo",
        "https://doi.org/10.48550/arXiv.1604.00695",
    ),
)


def references(report: Report) -> tuple[tuple[str, str], ...]:
    """Sources in the order of their numbers, with the addresses of their pages."""
    if report.sampled is not None:
        return _REFERENCES
    return _REFERENCES[:6] if report.sliced is not None else _REFERENCES[:5]
