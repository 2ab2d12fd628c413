"""prior_sensitivity: answers under other priors, and whether their conclusion moves."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import bayeseval as be
from bayeseval.sensitivity import NAMED_PRIORS


def _probs(found: Any) -> dict[str, float]:
    return {row.name: row.prob for row in found.rows}


def test_194_of_200() -> None:
    found = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.95)
    probs = _probs(found)
    assert list(probs) == ["uniform", "jeffreys", "sceptical"]
    assert probs["uniform"] == pytest.approx(0.8793, abs=5e-5)
    assert probs["jeffreys"] == pytest.approx(0.9105, abs=5e-5)
    # Two more failures: SciPy's own Beta.
    assert probs["sceptical"] == pytest.approx(stats.beta(195, 9).sf(0.95), rel=1e-12)
    assert not found.moves
    assert found.moved == ()
    assert found.conclusion == (
        "Pr[p > 0.95] 0.879 uniform, 0.910 Jeffreys, 0.690 sceptical: the conclusion "
        "(inconclusive at 95 %) does not move."
    )


def test_a_conclusion_that_moves_says_under_which_prior() -> None:
    found = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.95, confidence=0.9)
    assert found.moves
    assert found.moved == ("jeffreys",)
    assert [row.verdict for row in found.rows] == ["inconclusive", "supported", "inconclusive"]
    assert "moves: inconclusive (uniform, sceptical), supported (Jeffreys)" in found.conclusion


def test_the_contrary_is_contradicted() -> None:
    found = be.prior_sensitivity(be.beta_posterior(194, 200), below=0.9)
    assert {row.verdict for row in found.rows} == {"contradicted"}
    assert found.claim == "p < 0.9"
    between = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.9, below=0.99)
    assert between.claim == "0.9 < p < 0.99"
    assert between.reference.prob == be.beta_posterior(194, 200).prob_between(0.9, 0.99)


def test_without_a_bar_the_means_are_held_to_the_middle_half() -> None:
    posterior = be.beta_posterior(194, 200)
    found = be.prior_sensitivity(posterior)
    inner = posterior.eti(0.5)
    expected = [row.name for row in found.rows if not inner.lower <= row.mean <= inner.upper]
    assert list(found.moved) == expected == ["sceptical"]
    assert "it moves (sceptical) out of its 50 % interval" in found.conclusion
    many = be.prior_sensitivity(be.beta_posterior(6_000, 10_000))
    assert not many.moves
    assert "it does not move" in many.conclusion


def test_the_prior_of_the_fit_comes_first() -> None:
    own = be.prior_sensitivity(be.beta_posterior(8, 10, prior=(17, 3)), above=0.9)
    assert [row.name for row in own.rows] == ["as fitted", "uniform", "jeffreys", "sceptical"]
    assert own.reference.formula == "p ~ Beta(17, 3)"
    named = be.prior_sensitivity(be.beta_posterior(8, 10, prior="jeffreys"), above=0.9)
    assert [row.name for row in named.rows] == ["jeffreys", "uniform", "sceptical"]


@given(
    trials=st.integers(0, 300), share=st.floats(0, 1), bar=st.floats(0.05, 0.95),
    confidence=st.floats(0.55, 0.99),
)  # fmt: skip
def test_laws(trials: int, share: float, bar: float, confidence: float) -> None:
    posterior = be.beta_posterior(round(share * trials), trials)
    above = be.prior_sensitivity(posterior, above=bar, confidence=confidence)
    below = be.prior_sensitivity(posterior, below=bar, confidence=confidence)
    probs = _probs(above)
    # A prior of more failures makes a high rate less probable.
    assert probs["sceptical"] <= probs["uniform"] + 1e-12
    for row, other in zip(above.rows, below.rows, strict=True):
        assert row.prob + other.prob == pytest.approx(1.0, abs=1e-9)
        if row.verdict == "inconclusive":
            assert 1 - confidence < row.prob < confidence
    assert above.moves == (len({row.verdict for row in above.rows}) > 1)


def test_the_field_s_icc_has_the_field_s_quartiles() -> None:
    levels, quartiles = [0.25, 0.5, 0.75], np.array([0.21, 0.33, 0.53])

    def distance(log_pair: Any) -> Any:
        return stats.beta.ppf(levels, *np.exp(log_pair)) - quartiles

    nearest = np.exp(optimize.least_squares(distance, [0.0, 0.0]).x)
    assert NAMED_PRIORS["empirical"].icc == pytest.approx(nearest, abs=0.01)


SUITE = be.Rollouts.from_counts([4] * 11 + [3], 4)


def test_a_hierarchical_fit_is_refitted_exactly_under_each_prior() -> None:
    fit = be.fit(SUITE, engine="exact")
    found = be.prior_sensitivity(fit, answer="pass_hat_k", k=3, above=0.75, ci_prob=0.9)
    assert [row.name for row in found.rows] == ["uniform", "jeffreys", "sceptical", "empirical"]
    for row in found.rows:
        refit = be.fit(SUITE, engine="exact", prior=NAMED_PRIORS[row.name].hierarchical())
        expected = refit.pass_hat_k(3)
        assert row.mean == pytest.approx(expected.mean, rel=1e-9)
        assert row.prob == pytest.approx(expected.prob_above(0.75), rel=1e-7)
        assert tuple(row.interval) == pytest.approx(tuple(expected.eti(0.9)), rel=1e-7)
        assert row.formula == refit.prior.formula
    assert found.claim == "pass^3 > 0.75"
    assert found.moves


def test_every_answer_and_population() -> None:
    fit = be.fit(SUITE, engine="exact", prior=be.HierarchicalPrior.named("arcsine"))
    rate = be.prior_sensitivity(fit)
    assert rate.rows[0].name == "as fitted"
    assert rate.quantity == "pass rate on new tasks"
    assert be.prior_sensitivity(fit, answer="icc").reference.mean == fit.icc().mean
    at = be.prior_sensitivity(fit, answer="pass_at_k", k=2)
    assert at.reference.mean == pytest.approx(fit.pass_at_k(2).mean)
    suite = be.prior_sensitivity(fit, population="suite", priors={})
    assert suite.quantity == "pass rate on this suite"
    assert [row.name for row in suite.rows] == ["as fitted"]
    asked = be.prior_sensitivity(fit, answer=lambda each: each.task_quantile(0.1), above=0.5)
    assert asked.reference.prob == pytest.approx(fit.task_quantile(0.1).prob_above(0.5))


def test_own_alternatives() -> None:
    found = be.prior_sensitivity(
        be.beta_posterior(17, 20), priors={"last month": (80, 20), "flat": "uniform"}
    )
    assert [row.name for row in found.rows] == ["flat", "last month"]
    assert found.rows[1].mean == pytest.approx(97 / 120)


def test_one_rollout_per_task_agrees_with_the_conjugate_model() -> None:
    fit = be.fit(be.Rollouts.from_counts([1] * 17 + [0] * 3, 1), engine="exact")
    hierarchical = _probs(be.prior_sensitivity(fit, above=0.8))
    conjugate = _probs(be.prior_sensitivity(be.beta_posterior(17, 20), above=0.8))
    for name, prob in conjugate.items():
        assert hierarchical[name] == pytest.approx(prob, abs=1e-6)


def test_the_frame_has_unrounded_numbers() -> None:
    frame = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.95).to_pandas()
    assert frame["prob"][0] == be.beta_posterior(194, 200).prob_above(0.95)
    assert list(frame["verdict"]) == ["inconclusive"] * 3
    plain = be.prior_sensitivity(be.beta_posterior(194, 200)).to_pandas()
    assert plain["prob"].isna().all()


def test_text_lists_every_prior() -> None:
    found = be.prior_sensitivity(be.beta_posterior(194, 200), above=0.95)
    assert str(found).splitlines()[1] == (
        "Jeffreys, p ~ Beta(0.5, 0.5): 96.8 % (93.9-98.7 %), Pr[p > 0.95] = 0.910, inconclusive"
    )
    assert found.conclusion in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"above": 1.5}, "above must be between 0 and 1"),
        ({"above": 95}, "a percentage"),
        ({"above": 0.9, "below": 0.8}, "above must be smaller than below"),
        ({"confidence": 0.5}, "confidence must be above 0.5"),
        ({"confidence": 1}, "confidence must be strictly between 0 and 1"),
        ({"ci_prob": 0}, "ci_prob must be strictly"),
        ({"answer": "pass"}, "answer must be one of"),
        ({"answer": "pass_hat_k"}, "of independent trials only the pass rate"),
        ({"population": "suite"}, "of independent trials only the pass rate"),
        ({"k": 2}, "k goes with"),
        ({"answer": lambda posterior: posterior.mean}, "must return a Posterior; got float"),
        ({"priors": {"odd": "unifrom"}}, "did you mean 'uniform'"),
    ],
)
def test_wrong_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.prior_sensitivity(be.beta_posterior(8, 10), **options)


def test_wrong_fits_and_priors() -> None:
    with pytest.raises(be.InputError, match=r"fit must be a Fit.* got Rollouts"):
        be.prior_sensitivity(SUITE)  # type: ignore[arg-type]
    fit = be.fit(SUITE, engine="exact")
    with pytest.raises(be.InputError, match="'flat' must be a HierarchicalPrior"):
        be.prior_sensitivity(fit, priors={"flat": (1, 1)})
    with pytest.raises(be.InputError, match="the ICC is of new tasks"):
        be.prior_sensitivity(fit, answer="icc", population="suite")


SLICED = be.Rollouts.from_counts(
    [4] * 12 + [0, 1, 2, 3, 3, 2, 4, 1], 4, factors={"slice": ["a"] * 12 + ["b"] * 8}
)
SHARES = {"a": 0.3, "b": 0.7}


@pytest.mark.parametrize("pooling", ["none", "complete"])
def test_slices_are_refitted_as_they_were(pooling: Any) -> None:
    fit = be.fit(SLICED, by="slice", pooling=pooling)
    prior = be.HierarchicalPrior.named("arcsine")
    found = be.prior_sensitivity(
        fit, answer="pass_hat_k", k=2, weights=SHARES, above=0.5, priors={"arcsine": prior}
    )
    again = be.fit(SLICED, by="slice", pooling=pooling, prior=prior)
    wanted = again.pass_hat_k(2, weights=SHARES)
    assert [row.name for row in found.rows] == ["as fitted", "arcsine"]
    assert found.rows[1].mean == wanted.mean
    assert found.rows[1].prob == wanted.prob_above(0.5)
    assert found.rows[0].mean == fit.pass_hat_k(2, weights=SHARES).mean


def test_slices_have_their_refusals() -> None:
    fit = be.fit(SLICED, by="slice", pooling="none")
    with pytest.raises(be.InputError, match=r"ask prior_sensitivity\(fit\[SLICE\]\)"):
        be.prior_sensitivity(fit, answer="icc")
    with pytest.raises(be.InputError, match="weights go with a fit by slice"):
        be.prior_sensitivity(fit["a"], weights=SHARES)
    with pytest.raises(be.InputError, match='pooling="none"'):
        be.prior_sensitivity(replace(fit, pooling="partial"))
