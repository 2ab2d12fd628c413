"""Estimate records: what they hold, their schema, and what a check finds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import bayeseval as be
from bayeseval.record import Difference
from bayeseval.record._record import decode_record

Run = Callable[..., Any]
SCHEMA = Path(be.__file__).parent / "record" / "estimate_record.schema.json"


@pytest.fixture(scope="module")
def suite() -> be.Rollouts:
    counts = [4, 0, 4, 4, 0, 4, 3, 1, 4, 2] * 5
    return be.Rollouts.from_counts(
        counts,
        4,
        errored=[1] * 10 + [0] * 40,
        factors={"slice": ["joins", "dates"] * 25},
        source="suite.csv",
    )


@pytest.fixture(scope="module")
def fit(suite: be.Rollouts) -> be.Fit:
    return be.fit(suite, engine="exact")


@pytest.fixture(scope="module")
def records(suite: be.Rollouts, fit: be.Fit) -> dict[str, be.EstimateRecord]:
    sliced = be.fit(suite, by="slice", pooling="none")
    return {
        "rate": be.make_record(fit),
        "hat": be.make_record(fit, quantity="pass_hat_k", k=6),
        "claim": be.make_record(fit, claim="pass@2 >= 0.7 for suite"),
        "slice": be.make_record(fit, claim="pass_rate[slice=joins] > 0.4"),
        "weights": be.make_record(sliced, weights={"joins": 0.9, "dates": 0.1}),
        "worst": be.make_record(sliced, claim="worst_slice pass_rate > 0.3"),
    }


def test_the_published_schema_is_current() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == be.record_schema()


@pytest.mark.parametrize("name", ["rate", "hat", "claim", "slice", "weights", "worst"])
def test_records_follow_the_schema_and_are_read_back(
    records: dict[str, be.EstimateRecord], name: str, tmp_path: Path
) -> None:
    record = records[name]
    document = json.loads(record.to_json())
    jsonschema.Draft202012Validator.check_schema(be.record_schema())
    jsonschema.Draft202012Validator(be.record_schema()).validate(document)
    assert document["schema"] == "bayeseval.record/1"
    path = tmp_path / "record.json"
    path.write_text(record.to_json(), encoding="utf-8")
    assert be.load_record(path) == record


def test_the_numbers_are_those_of_the_fit(
    fit: be.Fit, records: dict[str, be.EstimateRecord]
) -> None:
    rate = fit.pass_rate()
    record = records["rate"]
    assert (record.estimate.mean, record.estimate.sd) == (rate.mean, rate.sd)
    assert record.estimate.interval.lower == rate.eti(0.95).lower
    assert record.ledger.errored == 10
    assert [row.name for row in record.lost] == [
        "all errored rollouts failed",
        "all errored rollouts passed",
    ]
    low, high = record.lost
    assert low.mean < record.estimate.mean < high.mean
    assert {row.name for row in record.priors} == {"Jeffreys", "sceptical", "empirical"}
    claim = records["claim"].claim
    assert claim is not None
    answer = fit.pass_at_k(2, population="suite")
    assert claim.prob == answer.prob_above(0.7)
    assert records["hat"].estimate.extrapolated


def test_the_estimand_is_written_for_the_reader(
    fit: be.Fit, records: dict[str, be.EstimateRecord]
) -> None:
    assert records["hat"].estimand.text == (
        "The mean probability that all of 6 attempts at a task pass, over new tasks from the "
        "source of these."
    )
    assert "exactly these tasks" in records["claim"].estimand.text
    assert "slice = joins" in records["slice"].estimand.text
    assert "The smallest over the slices" in records["worst"].estimand.text
    assert "weighted as in the population" in records["weights"].estimand.text
    own = be.make_record(fit, estimand="What I mean.")
    assert own.estimand.text == "What I mean."


def test_weights_stand_in_the_record(records: dict[str, be.EstimateRecord]) -> None:
    record = records["weights"]
    assert [row.name for row in record.baselines] == ["Stratified estimate"]
    assert {row.name: row.weight for row in record.slices} == {"joins": 0.9, "dates": 0.1}
    # 25 tasks each, weights 1.8 and 0.2: 50^2 / (25 (1.8^2 + .2^2)).
    assert record.n_eff == pytest.approx(2500 / (25 * (1.8**2 + 0.2**2)))


def test_the_paragraph_of_the_worked_example() -> None:
    fit = be.fit(be.Rollouts.from_counts([1] * 80 + [0] * 20, 1), engine="exact")
    text = be.make_record(fit, claim="pass_rate > 0.75").to_markdown()
    assert text.startswith(
        "80.0 % (95 % Wilson CI 71.1-86.7 %, n = 100 tasks); posterior 79.4 % (95 % CrI "
        "71.1-86.6 %); Pr[pass_rate > 0.75] = 0."
    )
    assert float(text.split("= 0.")[1][:3]) / 1000 == pytest.approx(0.86, abs=0.01)


def test_html_is_escaped() -> None:
    suite = be.Rollouts.from_counts([1, 0], 1, source="<script>alert(1)</script>.csv")
    text = be.make_record(be.fit(suite, engine="exact")).to_html()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "<th scope=" in text


def test_what_cannot_be_recorded(fit: be.Fit) -> None:
    for given, message in (
        ({"claim": "pass_rate > 0.5 and pass^2 > 0.5"}, "one comparison"),
        ({"weights": {"joins": 1.0}}, "weights need slices"),
        ({"k": 3}, "k goes with pass_at_k"),
        ({"quantity": "mean"}, "quantity must be one of"),
        ({"population": "all"}, "population must be one of"),
        ({"ci_prob": 95}, "ci_prob"),
    ):
        with pytest.raises(be.InputError, match=message):
            be.make_record(fit, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "\xff", '{"schema": "bayeseval.record/2"}', "x" * 100, "[" * 5000],
)
def test_what_is_no_record(text: str, tmp_path: Path) -> None:
    with pytest.raises(be.FormatError, match="no estimate record"):
        decode_record(text)
    path = tmp_path / "wrong.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(be.FormatError, match=r"wrong\.json"):
        be.load_record(path)
    with pytest.raises(be.InputError, match="no such file"):
        be.load_record(tmp_path / "absent.json")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("results.csv")
    rows = [f"t{at},{'ab'[at % 2]},{at % 5},4" for at in range(40)]
    path.write_text("\n".join(["task,slice,passes,trials", *rows]) + "\n")
    return path


def test_a_record_without_inputs_cannot_be_checked(fit: be.Fit) -> None:
    with pytest.raises(be.InputError, match="names no input"):
        be.check_record(be.make_record(fit))


def test_checking_finds_what_was_changed(run: Run, results: Path) -> None:
    made = run("record", "make", results, "-o", "r.json", "--claim", "pass^2 > 0.3")
    assert made.status == 0, made.err
    assert "Record: r.json" in made.out
    checked = run("record", "check", "r.json")
    assert (checked.status, checked.err) == (0, "")
    assert "All numbers are as recorded" in checked.out
    record = be.load_record("r.json")
    assert record.provenance.inputs[0].name == "results.csv"
    # A number that was changed by hand.
    text = Path("r.json").read_text()
    Path("r.json").write_text(text.replace(f'"prob": {record.claim.prob!r}', '"prob": 0.99', 1))  # type: ignore[union-attr]
    changed = run("record", "check", "r.json", "--json")
    assert changed.status == 1
    (difference,) = json.loads(changed.out)["differences"]
    assert (difference["what"], difference["recorded"]) == ("claim.prob", 0.99)
    # Data that were changed afterwards.
    Path("r.json").write_text(text)
    results.write_text(results.read_text().replace("t1,b,1,4", "t1,b,4,4"))
    found = be.check_record(record)
    assert isinstance(found[0], Difference)
    assert found[0].what == "SHA-256 of results.csv"
    assert any(each.what == "estimate.mean" for each in found)
    results.unlink()
    gone = run("record", "check", "r.json")
    assert gone.status == 2
    assert "results.csv" in gone.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--quantity", "pass@3", "--population", "suite"],
        ["--by", "slice", "--weights", "w.csv"],
        ["--by", "slice", "--claim", "worst_slice pass_rate > 0.2"],
        ["--prior", "arcsine", "--ci-prob", "0.8"],
        ["--format", "counts"],
    ],
)
def test_every_kind_of_record_is_computed_again(
    run: Run, results: Path, arguments: list[str]
) -> None:
    Path("w.csv").write_text("slice,weight\na,0.25\nb,0.75\n")
    made = run("record", "make", results, "-o", "r.json", *arguments)
    assert made.status == 0, made.err
    checked = run("record", "check", "r.json")
    assert checked.status == 0, checked.out + checked.err


def test_written_as_markdown_and_html(run: Run, results: Path) -> None:
    assert run("record", "make", results, "-o", "r.md").status == 0
    assert run("record", "make", results, "-o", "r.html").status == 0
    printed = run("record", "make", results, "--json")
    assert decode_record(printed.out).n_tasks == 40
    assert Path("r.md").read_text().startswith("50.0 % (95 % whole-task bootstrap")
    assert Path("r.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--quantity", "pass^0"], "--quantity must be"),
        (["--quantity", "icc"], "--quantity must be"),
        (["-o", "r.txt"], ".json"),
        (["--claim", "pass > 3"], "claim 'pass > 3'"),
        (["--weights", "w.csv"], "--weights needs --by"),
        (["--engine", "fast"], "--engine must be"),
        (["--by", "slice", "--engine", "nuts"], "leave out --engine nuts"),
        (["--population", "all"], "--population must be"),
    ],
)
def test_wrong_input(run: Run, results: Path, arguments: list[str], message: str) -> None:
    ran = run("record", "make", results, *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert not Path("r.json").exists()
