"""What every reader does with files that are cut, broken, enormous or hostile."""

import io
import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be
from bayeseval.io._format import Source
from bayeseval.io._registry import FORMATS, choose
from tests.io.fuzzing import read

# Whatever the file is; far above what any of these takes on an idle machine.
MOST_SECONDS = 30.0
DEEP = 100_000
LONG = 50_000_000


def jsonl(*records: Any) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


SPEC = {"completion_fns": ["m"], "eval_name": "e"}
MATCH = {"run_id": "r", "event_id": 1, "sample_id": "a", "type": "match", "data": {"correct": True}}
TESTCASES = (
    '<testcase classname="m" name="a"/><testcase classname="m" name="b"><failure/></testcase>'
)

VALID: dict[str, bytes] = {
    "inspect": jsonl(
        {
            "version": 2,
            "status": "success",
            "eval": {"task": "t", "model": "m"},
            "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}],
        }
    ),
    "lm-eval": jsonl(
        *({"doc_id": at, "doc": {"q": at}, "resps": [["A"]], "acc": at} for at in (0, 1))
    ),
    "tau-bench": jsonl(
        [{"task_id": at, "reward": at, "info": {}, "traj": [], "trial": 0} for at in (0, 1)]
    ),
    "tau2": jsonl(
        {
            "info": {"agent_info": {"llm": "m"}},
            "tasks": [],
            "simulations": [
                {"task_id": "a", "trial": 0, "reward_info": {"reward": 1.0}, "id": "x"}
            ],
        }
    ),
    "swe-bench": jsonl(
        {
            "total_instances": 2,
            "submitted_instances": 1,
            "resolved_instances": 1,
            "submitted_ids": ["a"],
            "completed_ids": ["a"],
            "incomplete_ids": [],
            "empty_patch_ids": [],
            "resolved_ids": ["a"],
            "unresolved_ids": [],
            "error_ids": [],
            "schema_version": 2,
        }
    ),
    "humaneval": jsonl(
        *({"task_id": f"t/{at}", "passed": at == 1, "completion": "x"} for at in (0, 1))
    ),
    "evalplus": jsonl(
        {"eval": {"t": [{"solution": "", "base_status": "pass", "plus_status": "fail"}]}}
    ),
    "terminal-bench": jsonl(
        {
            "results": [
                {
                    "trial_name": "a.1-of-1",
                    "task_id": "a",
                    "is_resolved": True,
                    "failure_mode": "unset",
                    "parser_results": {"t": "passed"},
                }
            ],
            "n_resolved": 1,
            "resolved_ids": ["a"],
            "accuracy": 1.0,
        }
    ),
    "harbor": jsonl(
        {
            "task_name": "a",
            "trial_name": "a__1",
            "task_id": {"path": "a"},
            "config": {},
            "agent_info": {"name": "coder"},
            "verifier_result": {"rewards": {"reward": 1.0}},
            "exception_info": None,
        }
    ),
    "promptfoo": jsonl(
        {
            "results": {
                "version": 3,
                "stats": {},
                "results": [
                    {"testIdx": 0, "promptIdx": 0, "success": True, "provider": "m", "vars": {}}
                ],
            }
        }
    ),
    "multivon": jsonl(
        {
            "suite": "s",
            "summary": {},
            "cases": [{"status": "passed", "runs": 1, "evaluators": [], "run_pass_rate": 1.0}],
        }
    ),
    "deepeval": jsonl({"testRunData": {"testCases": [{"name": "a", "success": True}]}}),
    "junit": f"<testsuite>{TESTCASES}</testsuite>".encode(),
    "openai-evals": jsonl({"spec": SPEC}, MATCH),
    "counts": b"task,passes,trials\na,1,2\nb,0,2\n",
    "long": b"task,passed\na,true\nb,false\n",
    "wide": b"task,trial_1,trial_2\na,1,0\nb,0,1\n",
    "wide-systems": b"one,two\n1,0\n0,1\n1,1\n",
}
TABLES = ("counts", "long", "wide", "wide-systems")
BY_NAME = pytest.mark.parametrize("name", list(VALID))


@pytest.fixture
def refused_or_read(tmp_path: Path) -> Callable[..., str]:
    """Read bytes: return the message of a `BayesevalError`, or "" where they are a suite."""

    def attempt(content: bytes, format: str | None = None) -> str:
        path = tmp_path / "file"
        path.write_bytes(content)
        start = time.perf_counter()
        message = ""
        try:
            rollouts = read(path, format)
        except be.BayesevalError as error:
            message = str(error)
        else:
            rollouts.describe().encode("utf-8")
        assert time.perf_counter() - start < MOST_SECONDS
        assert len(message) < 5_000
        return message

    return attempt


Attempt = Callable[..., str]


@BY_NAME
def test_the_sample_is_read_as_its_format(
    tmp_path: Path, refused_or_read: Attempt, name: str
) -> None:
    # Systems side by side are read one at a time: which one, only the caller can say.
    asked = "2 systems" if name == "wide-systems" else ""
    message = refused_or_read(VALID[name])
    assert asked in message if asked else message == ""
    assert choose(Source.open(str(tmp_path / "file"))).name == name


def test_every_format_has_a_sample_here() -> None:
    assert {known.name for known in FORMATS} == set(VALID)


@BY_NAME
@pytest.mark.parametrize("content", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf"])
def test_empty(refused_or_read: Attempt, name: str, content: bytes) -> None:
    assert refused_or_read(content, name) == refused_or_read(content) == "the file is empty"


@BY_NAME
def test_cut_at_every_byte(refused_or_read: Attempt, name: str) -> None:
    whole = VALID[name].rstrip()
    refused = sum(bool(refused_or_read(whole[:end], name)) for end in range(1, len(whole)))
    # Lines that are left whole by the cut are a smaller suite; in any other format none is.
    lines = name in ("lm-eval", "humaneval", "openai-evals", *TABLES)
    assert refused == len(whole) - 1 or lines
    for end in range(1, len(whole), 7):
        refused_or_read(whole[:end])


@BY_NAME
def test_not_utf_8(refused_or_read: Attempt, name: str) -> None:
    for at in range(0, len(VALID[name]), 3):
        content = VALID[name][:at] + b"\xff\xfe\xe4" + VALID[name][at:]
        refused_or_read(content)
        refused_or_read(content, name)
    utf_16 = VALID[name].decode().encode("utf-16")
    assert "UTF-16" in refused_or_read(utf_16, name)
    assert "UTF-16" in refused_or_read(utf_16)


LINES: dict[str, list[Any]] = {
    "tau-bench": [{"task_id": at, "reward": 1.0, "info": {}, "traj": ["word"]} for at in range(8)],
    "humaneval": [{"task_id": f"{at}", "completion": "word", "passed": True} for at in range(8)],
    "lm-eval": [
        {"doc_id": at, "doc": {}, "resps": [["word"]], "metrics": ["acc"], "acc": 1.0}
        for at in range(8)
    ],
    "openai-evals": [MATCH | {"sample_id": f"word {at}"} for at in range(8)],
    "promptfoo": [
        {"testIdx": at, "promptIdx": 0, "success": True, "vars": {"q": f"word {at}"}}
        for at in range(8)
    ],
    "long": [{"task": at, "passed": True, "text": "word"} for at in range(8)],
}


@pytest.mark.parametrize("at", [0, 3, 7])
@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_not_utf_8(tmp_path: Path, name: str, at: int) -> None:
    lines = jsonl(*LINES[name]).split(b"\n")
    lines[at] = lines[at].replace(b"word", b"w\xf6rd")
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(be.FormatError, match=rf"line {at + 1}\b.*not UTF-8.*--skip-bad-records"):
        be.read(path)
    suite = be.read(path, skip_bad_records=True)
    assert suite.ledger.passed == suite.n_tasks == 7
    (note,) = [note for note in suite.ledger.notes if "could not be read" in note]
    assert note.startswith(f"1 record that could not be read left out: line {at + 1}")
    # A skipped text may be damaged where no line can be left out: the whole is refused.
    if name == "tau-bench":
        path.write_bytes(b"[" + b",\n".join(lines) + b"]")
        with pytest.raises(be.FormatError, match=f"not UTF-8 at line {at + 1}; save the file"):
            be.read(path, skip_bad_records=True)


@BY_NAME
@pytest.mark.parametrize("brackets", [("[", ""), ("[", "]"), ('{"a":', ""), ('{"a":', "}")])
def test_absurdly_deep_json(refused_or_read: Attempt, name: str, brackets: tuple[str, str]) -> None:
    opening, closing = brackets
    inner = "1" if closing and opening != "[" else ""
    deep = (opening * DEEP + inner + closing * DEEP).encode()
    assert refused_or_read(deep, name)
    assert refused_or_read(deep)
    if VALID[name][:1] not in (b"{", b"["):
        return
    for key in (b'{"deep": ', b'[{"deep": '):
        start = VALID[name].find(key[:-9])
        content = VALID[name][: start + 1] + b'"deep": ' + deep + b", " + VALID[name][start + 1 :]
        refused_or_read(content, name)
        refused_or_read(content)


@BY_NAME
def test_a_deep_value_of_every_field(refused_or_read: Attempt, name: str) -> None:
    parts = VALID[name].split(b": ")
    for at in range(1, len(parts)):
        rest = parts[at][1:] if parts[at][:1] in b"[{" else parts[at].lstrip(b'"')
        refused_or_read(b": ".join(parts[:at]) + b": " + b"[" * DEEP + rest, name)
        closed = b"[" * DEEP + b"]" * DEEP + b", " + b'"x": ' + parts[at]
        refused_or_read(b": ".join([*parts[:at], closed, *parts[at + 1 :]]), name)


def test_deep_xml(refused_or_read: Attempt) -> None:
    assert "nested more than 100 deep" in refused_or_read(b"<testsuite>" * DEEP)


@BY_NAME
def test_a_line_of_50_megabytes_beside_the_data(refused_or_read: Attempt, name: str) -> None:
    whole = VALID[name]
    filler = b"x" * LONG
    if name == "junit":
        content = whole.replace(
            b"<testsuite>", b"<testsuite><system-out>" + filler + b"</system-out>"
        )
    elif name in TABLES:
        header, rest = whole.split(b"\n", 1)
        content = header + b",more\n" + rest.rstrip().replace(b"\n", b"," + filler + b"\n") + b",\n"
    else:
        start = whole.index(b"{") + 1
        content = whole[:start] + b'"transcript": "' + filler + b'", ' + whole[start:]
    message = refused_or_read(content, name)
    assert message == "" or (name == "wide-systems" and "systems; choose one" in message)


@pytest.mark.parametrize(
    "content",
    [
        b"x" * LONG,
        b'"' * LONG,
        b"a," * (LONG // 2),
        b"[" + b"0," * (LONG // 2) + b"0]",
        b"1" * LONG,
        b'{"' + b"x" * LONG + b'": 1}',
        b'{"a": ' + b"1" * LONG + b"}",
        b"<" + b"x" * LONG + b">",
        b"<testsuite>" + b"<a/>" * (LONG // 4) + b"</testsuite>",
    ],
    ids=["noise", "quotes", "columns", "numbers", "number", "key", "integer", "tag", "elements"],
)
def test_a_single_line_of_50_megabytes(refused_or_read: Attempt, content: bytes) -> None:
    assert refused_or_read(content)


@BY_NAME
def test_bytes_of_zero(refused_or_read: Attempt, name: str) -> None:
    assert refused_or_read(bytes(1000), name)
    assert refused_or_read(bytes(1000))
    for at in range(0, len(VALID[name]) + 1, 3):
        content = VALID[name][:at] + b"\0" + VALID[name][at:]
        refused_or_read(content)
        refused_or_read(content, name)


@BY_NAME
def test_keys_that_repeat(refused_or_read: Attempt, name: str) -> None:
    parts = VALID[name].split(b'"')
    # The keys are every text before a colon; each is given a second time with another value.
    for at in range(1, len(parts) - 1, 2):
        if parts[at + 1].lstrip().startswith(b":"):
            for value in (b"null", b"7", b'"x"', b"[]", b"{}"):
                again = b'"' + parts[at] + b'": ' + value + b", "
                before = b'"'.join(parts[:at])
                content = before + again + b'"' + b'"'.join(parts[at:])
                refused_or_read(content, name)


@BY_NAME
@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-0"])
def test_numbers_that_are_none(refused_or_read: Attempt, name: str, token: str) -> None:
    parts = VALID[name].split(b": ")
    for at in range(1, len(parts)):
        end = next((i for i, c in enumerate(parts[at]) if c in b",}]"), len(parts[at]))
        changed = [*parts[:at], token.encode() + parts[at][end:], *parts[at + 1 :]]
        refused_or_read(b": ".join(changed), name)
        refused_or_read(b": ".join(changed))
    if name in TABLES:
        for old in (b"1", b"true", b"a"):
            refused_or_read(VALID[name].replace(old, token.encode()), name)


def zipped(*entries: tuple[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for entry, content in entries:
            # Dated alike: the bytes are names of tests, which must not differ between processes.
            file.writestr(zipfile.ZipInfo(entry), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04",
        b"PK\x05\x06" + bytes(18),
        zipped(("../../header.json", b"{}")),
        zipped(("header.json", b"[" * DEEP)),
        zipped(("header.json", bytes(LONG))),
        zipped(("other.txt", b"hello")),
        zipped(("header.json", VALID["inspect"]))[:-30],
        b"\x1f\x8b\x08\x00" + bytes(20),
        b"PAR1" + bytes(50) + b"PAR1",
        b"%PDF-1.4\n%\xe2\xe3\n",
        b"\x89PNG\r\n\x1a\n" + bytes(50),
    ],
)
def test_archives_and_other_binary_files(refused_or_read: Attempt, content: bytes) -> None:
    assert refused_or_read(content)
    for name in VALID:
        assert refused_or_read(content, name)
