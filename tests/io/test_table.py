"""Plain tables: long and counts, CSV, TSV, JSONL and JSON lists."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayeseval as be

ROOT = Path(__file__).parents[2]
Write = Callable[[str], Path]
Facts = dict[str, dict[str, Any]]
Agrees = Callable[[be.Rollouts, dict[str, Any]], None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "results"
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return to_file


@pytest.fixture
def real(shared: Path) -> Path:
    return shared / "data/real/csv"


# Real files


@pytest.mark.parametrize(
    "name",
    [
        "derived_long_tau_airline_true_false_strings.csv",
        "derived_long_terminal_bench_nulls.jsonl",
    ],
)
def test_long_files_agree_with_their_known_counts(
    real: Path, facts: Facts, assert_agrees: Agrees, name: str
) -> None:
    rollouts = be.read(real / name)
    assert_agrees(rollouts, facts[f"csv/{name}"])
    assert rollouts.ledger.duplicates == 0
    assert rollouts.ledger.notes == ()


def test_counts_of_several_systems_agree_with_their_known_counts(
    real: Path, facts: Facts, assert_agrees: Agrees
) -> None:
    path = real / "humaneval_10runs_aggregated_counts.csv"
    by_system = facts[f"csv/{path.name}"]["by_model"]
    assert len(by_system) > 1
    for system, expected in by_system.items():
        rollouts = be.read(path, system=system)
        assert_agrees(rollouts, expected)
        assert rollouts.levels("system") == (system,)
    with pytest.raises(be.InputError, match="holds 3 systems; choose one with system=") as caught:
        be.read(path)
    assert all(f"{system!r} (164 records)" in str(caught.value) for system in by_system)
    with pytest.raises(be.InputError, match=r"no system 'gpt4' \(did you mean 'gpt-4'\?\)"):
        be.read(path, system="gpt4")


def test_ordinal_scores_are_refused_helpfully(real: Path) -> None:
    message = r"holds scores, not outcomes: 11 different .* 0 to 10, such as '8' at line 2; say"
    with pytest.raises(be.InputError, match=message):
        be.read(real / "judge_scores_long_q4.csv")


def test_the_example_file() -> None:
    rollouts = be.read(ROOT / "examples/sqlagent.csv")
    assert rollouts.histogram() == {(0, 4): 15, (2, 4): 5, (4, 4): 30}
    assert rollouts.levels("slice") == ("dates", "joins", "lookups", "windows")
    sizes = {rollouts.where("slice", level).n_tasks for level in rollouts.levels("slice")}
    assert len(sizes) > 1


def test_the_example_file_is_what_its_script_writes(tmp_path: Path) -> None:
    script = tmp_path / "make_sqlagent.py"
    script.write_bytes((ROOT / "examples/make_sqlagent.py").read_bytes())
    subprocess.run([sys.executable, script], check=True, timeout=60)
    made = (tmp_path / "sqlagent.csv").read_bytes()
    assert made == (ROOT / "examples/sqlagent.csv").read_bytes()


# Long tables


LONG_VARIANTS = {
    "csv": "task,rollout,passed,slice\na,1,true,x\na,2,false,x\nb,1,,y\n",
    "tsv": "task\trollout\tpassed\tslice\na\t1\tYes\tx\na\t2\tNo\tx\nb\t1\tnull\ty\n",
    "semicolons": "task;rollout;passed;slice\na;1;1;x\na;2;0;x\nb;1;NaN;y\n",
    "windows": "task,rollout,passed,slice\r\na,1,PASS,x\r\na,2,FAIL,x\r\nb,1,,y\r\n",
    "old mac": "task,rollout,passed,slice\ra,1,1.0,x\ra,2,0.0,x\rb,1,,y\r",
    "bom": "\ufefftask,rollout,passed,slice\na,1,passed,x\na,2,failed,x\nb,1,None,y\n",
    "quoted": '"task","rollout","passed","slice"\n"a","1","true","x"\na,2,no,x\nb,1,"",y\n',
    "no last newline": "task,rollout,passed,slice\na,1,true,x\na,2,false,x\nb,1,,y",
    "other names": "Task ID, Attempt ,Success,slice\na,1,true,x\na,2,false,x\nb,1,,y\n",
    "blank lines": "\ntask,rollout,passed,slice\n\na,1,true,x\na,2,false,x\n\nb,1,,y\n\n",
    "jsonl": '{"task": "a", "rollout": 1, "passed": true, "slice": "x"}\n'
    '{"task": "a", "rollout": 2, "passed": 0, "slice": "x"}\n\n'
    '{"task": "b", "rollout": 1, "passed": null, "slice": "y"}\n',
    "jsonl with NaN and a gap": '{"task": "a", "rollout": 1, "passed": 1.0, "slice": "x"}\n'
    '{"task": "a", "rollout": 2, "passed": "no", "slice": "x"}\n'
    '{"task": "b", "passed": NaN, "slice": "y"}',
    "json list": '[{"task": "a", "passed": true, "slice": "x"},\n'
    '{"task": "a", "passed": false, "slice": "x"}, {"task": "b", "slice": "y"}]',
}


@pytest.mark.parametrize("text", LONG_VARIANTS.values(), ids=LONG_VARIANTS)
def test_long_variants(write: Write, text: str) -> None:
    rollouts = be.read(write(text))
    assert rollouts.task.tolist() == ["a", "b"]
    assert rollouts.passes.tolist() == [1, 0]
    assert rollouts.trials.tolist() == [2, 0]
    assert rollouts.missing.tolist() == [0, 1]
    assert {name: values.tolist() for name, values in rollouts.factors.items()} == {
        "slice": ["x", "y"]
    }


def test_ids_in_csv_stand_as_they_are(write: Write) -> None:
    path = write('task,passed\n8,1\n08,1\n"a, b",0\n é/ü,0\n')
    assert be.read(path).task.tolist() == ["8", "08", "a, b", " é/ü"]


def test_ids_in_json_keep_their_type(write: Write) -> None:
    path = write('{"task": 8, "passed": 1}\n{"task": "8", "passed": 0}\n')
    assert be.read(path).task.tolist() == [8, "8"]


def test_columns_that_are_no_factors_are_told(write: Write) -> None:
    path = write(
        "\n".join(
            json.dumps(
                {
                    "task": task,
                    "passed": True,
                    "latency": at,
                    "seed": at,
                    "tags": ["x"],
                    "empty": None,
                    "prompt": "long " * 50,
                    "difficulty": 3,
                }
            )
            for at, task in enumerate(["a", "a", "b"])
        )
    )
    rollouts = be.read(path)
    assert set(rollouts.factors) == {"difficulty"}
    assert rollouts.levels("difficulty") == (3,)
    assert rollouts.ledger.notes == (
        "there is no rollout column, so each row is one rollout",
        "not used, since they vary within a task: latency, seed",
        "not used, since they hold lists or objects: tags",
        "not used, since they are empty: empty",
        "not used, since they hold texts of more than 200 characters: prompt",
    )


def test_duplicates_are_merged_and_counted(write: Write) -> None:
    rollouts = be.read(write("task,rollout,passed,ms\na,1,1,5\na,1,yes,6\na,2,0,7\nb,1,0,3\n"))
    assert (rollouts.trials.tolist(), rollouts.ledger.duplicates) == ([2, 1], 1)


def test_contradictory_duplicates_name_their_lines(write: Write) -> None:
    message = r"task 'a', rollout '1' has two outcomes: pass at line 2 and fail at line 4"
    with pytest.raises(be.InputError, match=message):
        be.read(write("task,rollout,passed\na,1,1\nb,1,1\na,1,0\n"))


def test_attempts_of_several_runs_are_apart(write: Write) -> None:
    rollouts = be.read(write("task,run,attempt,passed\na,1,1,1\na,1,2,0\na,2,1,0\na,2,2,0\n"))
    assert (rollouts.trials.tolist(), rollouts.ledger.duplicates) == ([4], 0)


def test_errored_column(write: Write) -> None:
    ledger = be.read(write("task,passed,errored\na,0,true\na,0,false\na,1,\n")).ledger
    assert (ledger.passed, ledger.failed, ledger.errored, ledger.missing) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("task,passed,score", "a,true,0.7"),
        ("task,score,passed", "a,0.7,true"),
        ("task,result,is_correct", "a,failed: assertion,1"),
        ("task,status,reward", "a,done,1"),
        ("task,score", "a,1.0"),
        ("id,passed", "a,1"),
        ("id,task,passed", "17,a,1"),
        ("task,passed,correct", "a,1,true"),
    ],
)
def test_the_outcome_column_is_found(write: Write, header: str, row: str) -> None:
    rollouts = be.read(write(f"{header}\n{row}\n"))
    assert (rollouts.task.tolist(), rollouts.passes.tolist()) == (["a"], [1])


def test_one_system_becomes_a_factor(write: Write) -> None:
    rollouts = be.read(write("task,model,passed\na,m1,1\nb,m1,0\n"))
    assert rollouts.factors["system"].tolist() == ["m1", "m1"]
    assert set(rollouts.factors) == {"system"}


def test_systems_are_told_apart_by_every_column_that_differs(write: Write) -> None:
    path = write("task,agent,model,passed\na,x,m1,1\na,x,m2,0\na,,m1,0\nb,x,m1,1\nb,x,m2,0\n")
    with pytest.raises(be.InputError, match=r"holds 3 systems.*'x / m1' \(2 records\), 'x / m2'"):
        be.read(path)
    assert be.read(path, system="x / m1").passes.tolist() == [1, 1]


def test_places_are_right_after_a_system_is_picked(write: Write) -> None:
    path = write("task,model,run,passed\na,p,1,1\na,q,1,1\nb,p,1,1\na,q,1,0\n")
    with pytest.raises(be.InputError, match=r"pass at line 3 and fail at line 5"):
        be.read(path, system="q")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,passed\n", "the table has a header but no rows"),
        ("task,passed", "the table has a header but no rows"),
        ("task,slice\na,x\n", r"no column names the outcome \(looked .* 'task', 'slice'; rename"),
        ("passed,slice\n1,x\n", "no column names the task .* rename the right one to 'task'"),
        ("task,passed\na,1\nb\n", "line 3 has 1 fields where the header has 2"),
        ("task,passed\na,1\nb,1,2\n", "line 3 has 3 fields where the header has 2; complete"),
        ("task,passed,passed\na,1,1\n", "the header names the column 'passed' twice"),
        ('task,passed\na,1\n"b,1\nc,1\n', "line 4 is no CSV: unexpected end of data"),
        ("task,passed\na,1\n,1\n", "line 3: the task in column 'task' is empty"),
        ("task,passed\na,1\nb,maybe\n", "column 'passed' holds 'maybe' at line 3, which is no"),
        ("task,passed\na,1\nb,2\n", "holds scores, not outcomes: 2 different numbers from 1 to 2"),
        ("task,passed,correct\na,1,1\nb,1,0\n", "'passed' and 'correct' .* differ at line 3"),
        ("task,errored,passed\na,boom,1\n", "column 'errored' holds 'boom' at line 2"),
        ('{"task": "a", "passed": 1}\n{"task": \n', "line 2 is no JSON object"),
        ('{"task": "a", "passed": 1}\n[1]\n', "line 2 holds no JSON object, but list"),
        ('{"task": "a", "passed": 1}\n{"passed": 1}\n', "line 2: the task in .* is empty"),
        ('{"task": "a", "passed": 1}\n{"task": 1.5, "passed": 1}', "line 2: the task .* is 1.5"),
        ('{"task": "a", "passed": [1]}\n', r"column 'passed' holds \[1\] at line 1"),
        ('{"task": "a", "passed": 1, "run": {}}\n', "line 1: the rollout in column 'run'"),
        ('[{"task": "a", "passed": 1}, 3]', r"a field is not what the format says: .*\$\[1\]"),
        ('{"task": "\\ud800", "passed": NaN}', "line 1 is no JSON object .*surrogate"),
        (
            "task,sample_id,passed\ngsm8k,1,1\ngsm8k,2,0\n",
            "'task' and 'sample_id' could both name the task",
        ),
        (
            "task,sample_id,epoch,passed\ngsm8k,1,1,1\ngsm8k,2,1,1\n",
            "'task' and 'sample_id' could both name the task",
        ),
    ],
)
def test_refused(write: Write, text: str, message: str) -> None:
    path = write(text)
    with pytest.raises(be.InputError, match=message) as caught:
        be.read(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_second_id_that_does_not_split_tasks_is_a_factor(write: Write) -> None:
    rollouts = be.read(write("task,question,rollout,passed\na,q1,1,1\na,q1,2,0\nb,q2,1,1\n"))
    assert rollouts.factors["question"].tolist() == ["q1", "q2"]


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("task,passed\na,1\nbücher,0\n".encode("latin-1"))
    with pytest.raises(be.FormatError, match="UTF-8"):
        be.read(path)
    with pytest.raises(be.FormatError, match=r"line 3 is not UTF-8 \(byte 0xfc\); save the file"):
        be.read(path, format="long")


def test_fields_may_be_longer_than_the_csv_module_allows(write: Write) -> None:
    rollouts = be.read(write(f"task,passed,log\na,1,{'x' * 200_000}\n"))
    assert rollouts.ledger.passed == 1
    assert "log" in rollouts.ledger.notes[0]


def test_rows_without_any_value_are_counted(write: Write) -> None:
    notes = be.read(write("task,passed\na,1\n,\n , \n")).ledger.notes
    assert notes == ("2 rows without any value were skipped",)


# Count tables


@pytest.mark.parametrize(
    "text",
    [
        "task,passes,trials,slice\na,3,4,x\nb,0,2,y\n",
        "task_id\tn_passed\truns\tslice\na\t3\t4\tx\nb\t0\t2\ty\n",
        "task,n,c,slice\na,4,3,x\nb,2,0,y\n",
        "task,passes,trials,slice\na,3.0,4.0,x\nb,0,2,y\n",
        '{"task": "a", "passes": 3, "trials": 4, "slice": "x"}\n'
        '{"task": "b", "passes": 0, "trials": 2, "slice": "y"}\n',
        '[{"task": "a", "passes": 3, "n": 4, "slice": "x"},'
        ' {"task": "b", "passes": 0, "n": 2, "slice": "y"}]',
    ],
)
def test_count_variants(write: Write, text: str) -> None:
    rollouts = be.read(write(text))
    assert rollouts.task.tolist() == ["a", "b"]
    assert (rollouts.passes.tolist(), rollouts.trials.tolist()) == ([3, 0], [4, 2])
    assert rollouts.factors["slice"].tolist() == ["x", "y"]


def test_counts_of_lost_rollouts(write: Write) -> None:
    rollouts = be.read(write("task,passes,trials,errored,missing\na,1,2,3,1\n"))
    assert (rollouts.errored.tolist(), rollouts.missing.tolist()) == ([3], [1])
    rollouts = be.read(write("task,passes,trials,errors,n_errored\na,1,2,x,\nb,1,2,x,2\n"))
    assert (rollouts.errored.tolist(), rollouts.levels("errors")) == ([0, 2], ("x",))
    rollouts = be.read(write("task,passes,trials,missing\na,1,2,1\n"))
    assert (rollouts.errored.tolist(), rollouts.missing.tolist()) == ([1], [1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,passes,trials\na,1,2\nb,5,4\n", "line 3: task 'b' has 5 passes of only 4 trials"),
        ("task,passes,trials\na,-1,2\n", "line 2: passes is '-1'; it must be a whole number"),
        ("task,passes,trials\na,1,2.5\n", "line 2: trials is '2.5'"),
        ("task,passes,trials\na,nan,2\n", "line 2: passes is 'nan'"),
        ("task,passes,trials\na,,2\n", "line 2: passes is ''"),
        ("task,passes,trials\na,1,2\nb,1,2\na,1,2\n", "task 'a' stands at line 2 and .* line 4"),
        ("task,passes,trials,errored,missing\na,1,2,0,1\n", "missing must not exceed errored"),
        ('{"task": "a", "passes": true, "trials": 1}\n', "line 1: passes is True"),
    ],
)
def test_counts_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        be.read(write(text))
