"""Claims as texts: what is read, and what is refused and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.claims import Comparison, Term


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pass_rate > 0.95", Comparison(Term("pass_rate"), None, ">", 0.95)),
        ("pass^3>=.8", Comparison(Term("pass_hat_k", 3), None, ">=", 0.8)),
        ("  pass@5 < 90% for suite", Comparison(Term("pass_at_k", 5), None, "<", 0.9, "suite")),
        (
            "pass_rate[slice=dates, 'a b'=\"x ] y\"] > 0.7",
            Comparison(
                Term("pass_rate", where=(("slice", "dates"), ("a b", "x ] y"))), None, ">", 0.7
            ),
        ),
        (
            "worst_slice pass^2 > 0.6 for new_tasks",
            Comparison(Term("pass_hat_k", 2, worst=True), None, ">", 0.6),
        ),
        (
            "pass_rate - pass_rate[baseline] > -0.02",
            Comparison(Term("pass_rate"), Term("pass_rate", baseline=True), ">", -0.02),
        ),
        (
            "share_of_tasks(rate >= 0.9) > 0.5",
            Comparison(Term("share_of_tasks", rate=0.9), None, ">", 0.5),
        ),
        (
            "pass_rate[language=en-GB, slice=left outer joins] >= 5e-1",
            Comparison(
                Term("pass_rate", where=(("language", "en-GB"), ("slice", "left outer joins"))),
                None,
                ">=",
                0.5,
            ),
        ),
    ],
)
def test_what_is_read(text: str, found: Comparison) -> None:
    assert be.parse_claim(text).comparisons == (found,)


def test_and_joins_comparisons_with_populations_of_their_own() -> None:
    claim = be.parse_claim("pass_rate > 0.9 for suite and pass^3 > 0.5 and pass@2 > 0.99")
    assert [each.population for each in claim.comparisons] == ["suite", "new_tasks", "new_tasks"]
    assert str(claim) == "pass_rate > 0.9 for suite and pass^3 > 0.5 and pass@2 > 0.99"
    assert be.parse_claim(claim) is claim


@pytest.mark.parametrize(
    ("text", "problem", "character"),
    [
        ("", "expected pass_rate", 1),
        ("pas_rate > .9", "did you mean 'pass_rate'", 1),
        ("pass^ > .3", "k is a whole number from 1 on", 1),
        ("pass^0 > .3", "k is a whole number from 1 on", 1),
        ("pass_rate", "one of >, >=, <, <=", 10),
        ("pass_rate >", "expected a number", 12),
        ("pass_rate > 95", "write 80% or 0.8", 13),
        ("pass_rate > -0.1", "between 0 and 1", 14),
        ("pass_rate - pass_rate[baseline] > 1.5", "between -1 and 1", 35),
        ("pass_rate > 0.9 or pass^2 > 0.5", "'and', 'for' or the end", 17),
        ("pass_rate > 0.9 and", "expected pass_rate", 20),
        ("pass_rate > 0.9 for suit", "did you mean 'suite'", 21),
        ("pass_rate > 0.9 for", "new_tasks, suite or next_run", 20),
        ("pass_rate[slice] > 0.9", "'=', as in slice=level", 16),
        ("pass_rate[slice=] > 0.9", "expected a level", 17),
        ("pass_rate[slice=x > 0.9", "',' or ']'", 24),
        ("pass_rate['slice=x] > 0.9", "never closed", 11),
        ("share_of_tasks > 0.5", "'(', as in", 16),
        ("share_of_tasks(rate > ) > 0.5", "expected a number", 23),
        ("worst_slice pass_rate[slice=x] > 0.5", "no selection", 13),
        ("pass_rate ≥ 0.9", "'≥' means nothing here", 11),
    ],
)
def test_an_error_points_at_the_character(text: str, problem: str, character: int) -> None:
    with pytest.raises(be.ClaimError) as found:
        be.parse_claim(text)
    assert problem in str(found.value)
    assert f"(character {character}," in str(found.value)


@pytest.mark.parametrize("wrong", [None, 3, b"pass_rate > 1", ["pass_rate > 0.5"], "x" * 5000])
def test_what_is_no_claim(wrong: object) -> None:
    with pytest.raises(be.ClaimError):
        be.parse_claim(wrong)  # type: ignore[arg-type]


@given(st.text(alphabet="pass_rate^@><=0123456789.-[]()%'\" forsuitand,eE+\n\té", max_size=60))
def test_any_text_is_a_claim_or_a_claim_error(text: str) -> None:
    try:
        claim = be.parse_claim(text)
    except be.ClaimError:
        return
    assert be.parse_claim(str(claim)) == claim


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: not set(name) & set("'\"\\"))
TERMS = st.builds(
    Term,
    st.sampled_from(["pass_rate", "pass_hat_k", "pass_at_k"]),
    st.integers(1, 99),
    st.lists(st.tuples(st.from_regex(r"[a-z]\w{0,5}", fullmatch=True), NAMES), max_size=2).map(
        tuple
    ),
    st.booleans(),
).map(lambda term: Term("pass_rate", 1, term.where) if term.kind == "pass_rate" else term)


@given(
    st.builds(
        Comparison,
        TERMS,
        st.none() | TERMS,
        st.sampled_from([">", ">=", "<", "<="]),
        st.floats(0, 1).map(lambda bar: float(f"{bar:.15g}")),
        st.sampled_from(["new_tasks", "suite", "next_run"]),
    )
)
def test_what_is_printed_is_read_back(comparison: Comparison) -> None:
    for _, level in (pair for term in comparison.terms for pair in term.where):
        if not level.isprintable() or level != level.strip():
            return
    assert be.parse_claim(str(comparison)).comparisons == (comparison,)
