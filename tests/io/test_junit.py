"""JUnit XML: results, repeats of every convention, and XML that must be refused."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io._repeats import without_repeats
from tests.io.fuzzing import Write, damaged_bytes, read, reads_or_refuses

PASS = ""
FAIL = '<failure message="assert 1 == 2">trace</failure>'
ERROR = '<error message="failed on setup with &quot;boom&quot;"/>'
TEARDOWN = '<error message="failed on teardown with &quot;OSError: disk&quot;"/>'
SKIP = '<skipped type="pytest.skip" message="not now"/>'
XFAIL = '<skipped type="pytest.xfail" message=""/>'


def case(name: str, inside: str = PASS, classname: str = "m", attributes: str = "") -> str:
    return f'<testcase classname="{classname}" name="{name}" {attributes}>{inside}</testcase>'


def suite(*cases: str, name: str = "pytest", tests: int | None = None) -> str:
    count = "" if tests is None else f' tests="{tests}"'
    return f'<testsuite name="{name}"{count}>{"".join(cases)}</testsuite>'


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: Any) -> Path:
        path = tmp_path / "report.xml"
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


def counts(rollouts: be.Rollouts) -> dict[Any, tuple[int, int, int]]:
    columns = (rollouts.passes, rollouts.trials, rollouts.errored)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return dict(zip(rollouts.task.tolist(), rows, strict=True))


def test_results_of_single_tests(write: Write) -> None:
    cases = [case("a"), case("b", FAIL), case("c", ERROR), case("d", SKIP), case("e", XFAIL)]
    rollouts = be.read(write(suite(*cases)))
    assert counts(rollouts) == {"m::a": (1, 1, 0), "m::b": (0, 1, 0), "m::c": (0, 0, 1)}
    assert rollouts.ledger.notes == (
        "2 skipped tests left out (1 of them expected to fail)",
        "readers of JUnit XML count 1 error as not passed: 33.3 % of 3 attempts passed by that "
        "rule",
    )


@pytest.mark.parametrize(
    ("inside", "outcome"),
    [
        (SKIP + FAIL + ERROR, (0, 0, 1)),
        (SKIP + FAIL, (0, 1, 0)),
        (FAIL + FAIL, (0, 1, 0)),
        ("<system-out>failure</system-out><properties/>", (1, 1, 0)),
        ("<system-out><failure/></system-out>", (1, 1, 0)),
    ],
)
def test_several_children(write: Write, inside: str, outcome: tuple[int, int, int]) -> None:
    assert counts(be.read(write(suite(case("a", inside))))) == {"m::a": outcome}


@pytest.mark.parametrize("attributes", ['status="notrun"', 'status="disabled"', 'result="skipped"'])
def test_tests_that_did_not_run_are_skipped(write: Write, attributes: str) -> None:
    ledger = be.read(write(suite(case("a", attributes=attributes), case("b")))).ledger
    assert (ledger.attempted, ledger.notes) == (1, ("1 skipped test left out",))


def test_suites_nest(write: Write) -> None:
    inner = suite(case("a"), name="inner")
    text = (
        f"<testsuites>{suite(inner, case('b', FAIL), name='outer')}{suite(case('c'))}</testsuites>"
    )
    rollouts = be.read(write(text))
    assert counts(rollouts) == {"m::a": (1, 1, 0), "m::b": (0, 1, 0), "m::c": (1, 1, 0)}
    assert rollouts.levels("suite") == ("inner", "outer", "pytest")


def test_names_with_a_prefix_and_other_encodings(write: Write) -> None:
    path = write("")
    text = (
        f'<?xml version="1.0" encoding="{{}}"?><n:testsuite xmlns:n="u">{case("ü")}</n:testsuite>'
    )
    for encoding in ("UTF-8", "ISO-8859-1", "windows-1252"):
        path.write_bytes(text.format(encoding).encode(encoding))
        assert be.read(path).task.tolist() == ["m::ü"]


def test_a_missing_classname(write: Write) -> None:
    bare = '<testcase name="t"/>'
    text = f"<testsuites>{suite(bare, name='one')}{suite(bare, name='')}</testsuites>"
    assert be.read(write(text)).task.tolist() == ["one::t", "t"]


def test_surefire_flaky_and_rerun_children(write: Write) -> None:
    cases = [
        case("flaky", "<flakyFailure/><flakyError/>"),
        case("failed", "<failure/><rerunFailure/><rerunError/>"),
        case("broke", "<error/><rerunError/>"),
        case("told badly", "<rerunFailure/>"),
        case("plain"),
    ]
    rollouts = be.read(write(suite(*cases, tests=5)))
    assert counts(rollouts) == {
        "m::flaky": (1, 3, 0),
        "m::failed": (0, 3, 0),
        "m::broke": (0, 1, 1),
        "m::told badly": (0, 2, 0),
        "m::plain": (1, 1, 0),
    }
    notes = rollouts.ledger.notes
    assert notes[0] == "6 flaky or rerun results within a testcase, read as failed attempts"
    assert "not exchangeable" in notes[1]


def test_first_attempts_only(write: Write) -> None:
    cases = [
        case("flaky", "<flakyFailure/>"),
        case("broke", "<error/><rerunError/>"),
        case("plain"),
    ]
    path = write(suite(*cases))
    rollouts = read(path, filter="first")
    assert counts(rollouts) == {
        "m::flaky": (0, 1, 0),
        "m::broke": (0, 0, 1),
        "m::plain": (1, 1, 0),
    }
    assert "first attempts only: 2 further attempts left out" in rollouts.ledger.notes
    assert counts(read(path, filter="all")) == counts(be.read(path))
    with pytest.raises(be.InputError, match=r"filter \(--filter\) must be one of 'all', 'first'"):
        read(path, filter="last")


def test_reruns_of_pytest_are_failures_though_they_look_passed(write: Write) -> None:
    cases = [
        case("a"),
        case("b"),
        case("b"),
        case("c"),
        case("c"),
        case("c", FAIL),
        case("d", SKIP),
    ]
    rollouts = be.read(write(suite(*cases, tests=4)))
    assert counts(rollouts) == {"m::a": (1, 1, 0), "m::b": (1, 2, 0), "m::c": (0, 3, 0)}
    assert "3 elements without a result" in rollouts.ledger.notes[1]
    assert "not exchangeable" in rollouts.ledger.notes[2]


@pytest.mark.parametrize("tests", [None, 5])
def test_bare_repeats_that_the_suite_counts_are_passes(write: Write, tests: int | None) -> None:
    cases = [case("a"), case("a"), case("b"), case("b"), case("b", FAIL)]
    rollouts = be.read(write(suite(*cases, tests=tests)))
    assert counts(rollouts) == {"m::a": (2, 2, 0), "m::b": (2, 3, 0)}
    assert rollouts.ledger.notes == ()


def test_a_test_that_is_bare_after_a_failure_is_no_hidden_failure(write: Write) -> None:
    rollouts = be.read(write(suite(case("a", FAIL), case("a"), case("a"), tests=1)))
    assert counts(rollouts) == {"m::a": (2, 3, 0)}


def test_an_error_on_teardown_belongs_to_its_failure(write: Write) -> None:
    cases = [case("a", FAIL), case("a", TEARDOWN), case("b"), case("c", FAIL), case("c", ERROR)]
    rollouts = be.read(write(suite(*cases, tests=4)))
    assert counts(rollouts) == {"m::a": (0, 0, 1), "m::b": (1, 1, 0), "m::c": (0, 1, 1)}
    assert "1 element with an error on teardown" in rollouts.ledger.notes[0]


def test_repeats_in_names_are_rollouts(write: Write) -> None:
    names = ["t[1-2]", "t[2-2]", "u[x-1-3]", "u[x-2-3]", "u[x-3-3]", "add[1-3]", "add[2-2]"]
    rollouts = be.read(write(suite(*map(case, names))))
    assert counts(rollouts) == {
        "m::t": (2, 2, 0),
        "m::u[x]": (3, 3, 0),
        "m::add[1-3]": (1, 1, 0),
        "m::add[2-2]": (1, 1, 0),
    }
    assert "5 tests whose names end in [i-n]" in rollouts.ledger.notes[0]


@given(st.integers(2, 6), st.sampled_from(["t", "t[x]", "t[a-1]", "日本[é]"]))
def test_any_complete_set_of_repeats_is_found(n: int, base: str) -> None:
    stem = base[:-1] + "-" if base.endswith("]") else base + "["
    names = [("g", f"{stem}{i}-{n}]") for i in range(1, n + 1)]
    assert without_repeats(names) == ([("g", base)] * n, n)
    assert without_repeats(names[1:]) == (names[1:], 0)
    assert without_repeats([*names, ("g", f"{stem}1-{n + 1}]")])[1] == 0
    assert without_repeats([*names, ("other", names[0][1])])[1] == n


def test_factors(write: Write) -> None:
    inside = '<properties><property name="level" value="hard"/></properties>'
    rollouts = be.read(write(suite(case("a", inside, attributes='file="tests/a.py"'), case("b"))))
    assert set(rollouts.factors) == {"level", "suite", "classname", "file"}
    assert rollouts.levels("classname") == ("m",)


def test_counts_that_disagree_are_told(write: Write) -> None:
    notes = be.read(write(suite(case("a"), tests=9))).ledger.notes
    assert notes == ("the root element counts 9 tests, but the file holds 1",)


@pytest.mark.parametrize("option", ["scorer", "metric"])
def test_options_that_it_has_not(write: Write, option: str) -> None:
    with pytest.raises(be.InputError, match=rf"{option} = 'x' .*a JUnit report has no {option}s"):
        read(write(suite(case("a"))), **{option: "x"})
    with pytest.raises(be.InputError, match="the file holds no scores"):
        read(write(suite(case("a"))), pass_if=lambda score: score > 0)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>' + suite(
    case("&b;")
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + suite(case("&a;"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, r"line 1: the XML declares a document type \(<!DOCTYPE x\).*refused"),
        (OUTSIDE, "declares a document type"),
        ('<!DOCTYPE testsuite SYSTEM "junit.dtd">' + suite(case("a")), "declares a document type"),
        ("<!DOCTYPE html><html></html>", "this is an HTML page"),
        ("<suites><suite/></suites>", "the root element is <suites>, not <testsuites> or <tests"),
        (suite(case("a"))[:-5], r"ill-formed at line 1, column \d+: .*cut short"),
        ("<testsuite>\n<testcase name='a'>\n</testsuite>", "ill-formed at line 3, column 3: mism"),
        (suite(case("&undefined;")), r"ill-formed at line 1, column \d+: undefined entity"),
        ('<?xml version="1.0" encoding="klingon"?>' + suite(), "encoding that cannot be read|unkn"),
        ("<testsuites></testsuites>", "holds no testcase elements: the suite is empty"),
        ("<testsuite>\n<testcase classname='m'/></testsuite>", "line 2: a testcase has no name"),
        (suite(case("a", SKIP)), "all 1 test of the report were skipped"),
        ("<testsuite>" * 5000, "line 1: elements are nested more than 100 deep"),
        (suite(case("a\0")), "ill-formed|not"),
    ],
)
def test_xml_that_is_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(be.FormatError, match=message):
        be.read(write(text), format="junit")


def test_a_large_report_takes_seconds(write: Write) -> None:
    path = write(suite(*(case(f"t{at}", FAIL if at % 3 else PASS) for at in range(100_000))))
    start = time.perf_counter()
    assert be.read(path).n_tasks == 100_000
    assert time.perf_counter() - start < 10


VALID = (
    '<?xml version="1.0"?><testsuites tests="9">'
    + suite(case("a"), case("a", FAIL), case("b[1-2]"), case("b[2-2]", ERROR), tests=3)
    + suite(case("c", "<flakyError/>"), case("d", SKIP))
    + "</testsuites>"
).encode()


@given(damaged_bytes(VALID), st.sampled_from([None, "first"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_bytes_are_read_or_refused(
    tmp_path: Path, content: bytes, filter: str | None
) -> None:
    reads_or_refuses(tmp_path / "x", content, "junit", filter=filter)


NAMES = st.sampled_from(
    [
        *("testsuites", "testsuite", "testcase", "failure", "error", "skipped", "rerunError"),
        *("flakyFailure", "properties", "property", "x:testcase", "other"),
    ]
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["name", "classname", "tests", "message", "type", "status", "value"]),
    st.sampled_from(["", "a", "t[1-2]", "t[2-2]", "1", "-1", "1e9", "9" * 30, "notrun", "٣"]),
    max_size=3,
)
TREES = st.recursive(
    st.tuples(NAMES, ATTRIBUTES, st.just([])),
    lambda inner: st.tuples(NAMES, ATTRIBUTES, st.lists(inner, max_size=4)),
    max_leaves=20,
)


def as_xml(tree: tuple[str, dict[str, str], list[Any]]) -> str:
    tag, attributes, children = tree
    text = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{text}>{''.join(map(as_xml, children))}</{tag}>"


@given(TREES)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tree_of_such_elements_is_read_or_refused(tmp_path: Path, tree: Any) -> None:
    for text in (as_xml(tree), f"<testsuite>{as_xml(tree)}</testsuite>"):
        reads_or_refuses(tmp_path / "x", text.encode(), "junit")
