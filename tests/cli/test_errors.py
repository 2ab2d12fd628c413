"""A user's mistake is one line on standard error, exit status 2, and no file."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.text import Text

from bayeseval.cli import _rate_report
from bayeseval.cli._app import app
from bayeseval.errors import CheckWarning

Run = Callable[..., Any]

LONG = "task,rollout,passed\na,1,true\na,2,false\nb,1,true\nb,2,true\n"


def _assert_user_error(ran: Any, *parts: str) -> None:
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("bayeseval: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    for part in parts:
        assert part in ran.err


@pytest.mark.parametrize(
    ("counts", "mend"),
    [
        ("97%", "how many trials it rests on"),
        ("0.97", "how many trials it rests on"),
        ("194", "194 of how many trials?"),
        ("200/194", "passes must not exceed trials; got '200/194'"),
        ("a/b", "two whole numbers such as 194/200"),
        ("3.5/7", "counts are whole"),
        ("nan/7", "counts are whole"),
        ("1/2/3", "two whole numbers"),
        ("/", "two whole numbers"),
        ("", "two whole numbers"),
        ("1_0/2_0", "two whole numbers"),
        ("1/" + "9" * 400, "too large for a count"),
    ],
)
def test_rate_says_what_is_wrong_with_the_counts(run: Run, counts: str, mend: str) -> None:
    _assert_user_error(run("rate", counts), mend, counts[:20])


def test_negative_counts_are_named_although_they_look_like_options(run: Run) -> None:
    _assert_user_error(run("rate", "-1/5"), "-1", "a negative number?")
    _assert_user_error(run("rate", "--", "-1/5"), "neither negative", "'-1/5'")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--above", "95"], ["--above", "between 0 and 1", "'95'", "divide it by 100"]),
        (["--above", "-0.1"], ["--above", "between 0 and 1", "'-0.1'"]),
        (["--above", "nan"], ["--above", "finite", "'nan'"]),
        (["--above", "high"], ["--above", "a number", "'high'"]),
        (["--below", "1.01"], ["--below", "between 0 and 1"]),
        (["--between", "0.9", "0.8"], ["--between", "the lower end first", "0.9 0.8"]),
        (["--between", "0.9"], ["--between", "2"]),
        (["--ci-prob", "95"], ["--ci-prob", "strictly between 0 and 1"]),
        (["--ci-prob", "1"], ["--ci-prob", "strictly between 0 and 1"]),
        (["--prior", "jefreys"], ["--prior", "uniform", "did you mean 'jeffreys'?"]),
        (["--prior", "1,0"], ["--prior", "BETA", "above 0"]),
        (["--prior", "1,2,3"], ["--prior", "'2,3'"]),
        (["--prior-mean", "0.5"], ["--prior-mean and --prior-weight go together"]),
        (["--prior-weight", "5"], ["--prior-mean and --prior-weight go together"]),
        (["--prior", "1,1", "--prior-mean", "0.5", "--prior-weight", "2"], ["not both"]),
        (["--prior-mean", "1", "--prior-weight", "2"], ["--prior-mean", "strictly between"]),
        (["--next", "0"], ["--next", "at least 1", "0"]),
        (["--next", "-3"], ["--next", "at least 1", "-3"]),
        (["--next", "1000000000"], ["--next", "at most 10,000,000"]),
        (["--next", "many"], ["--next", "many"]),
        (["--abov", "0.9"], ["--abov", "--above", "bayeseval rate --help"]),
    ],
)
def test_rate_names_the_option_the_value_and_the_mend(
    run: Run, arguments: list[str], parts: list[str]
) -> None:
    _assert_user_error(run("rate", "8/10", *arguments), *parts)


def test_usage_errors_point_to_the_help(run: Run) -> None:
    _assert_user_error(
        run("rate"), "Missing argument 'PASSES/TRIALS|FILE'", "bayeseval rate --help"
    )
    _assert_user_error(run("rat"), "No such command 'rat'", "'rate'", "'bayeseval --help'")


@pytest.mark.parametrize("command", ["show", "fit"])
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, ["no such file"]),
        ("", ["the file is empty"]),
        ("hello world\n", ["not recognised as evaluation results"]),
        ("task,passes,trials\na,2,4\nb,5,4\n", ["line 3", "5", "4"]),
        ("task,passes,trials\na,-1,4\n", ["line 2", "-1"]),
        ("task,passes,trials\na,1.5,4\n", ["line 2", "1.5"]),
        ("task,passes,trials\na,nan,4\n", ["line 2", "nan"]),
        ("task,passes,trials\na,1,4\na,2,4\n", ["line 3", "a"]),
        ("task,rollout,passed\na,1,true\na,1,false\n", ["a", "1"]),
        ("task,rollout,passed\na,1,maybe\n", ["line 2", "maybe"]),
    ],
    ids=lambda value: repr(value)[:30] if isinstance(value, str) else None,
)
def test_a_bad_file_is_named_with_the_place_and_the_value(
    run: Run, tmp_path: Path, command: str, text: str | None, parts: list[str]
) -> None:
    path = tmp_path / "results.csv"
    if text is not None:
        path.write_text(text)
    extra = ["--plot", tmp_path / "out.png", "--save", tmp_path / "out.nc"]
    ran = run(command, path, *(extra if command == "fit" else []))
    _assert_user_error(ran, str(path), *parts)
    assert os.listdir(tmp_path) == ([] if text is None else ["results.csv"])


@pytest.mark.parametrize("command", ["rate", "fit"])
def test_a_file_of_several_systems_lists_them(run: Run, tmp_path: Path, command: str) -> None:
    # 'show' shows each of them.
    path = tmp_path / "results.csv"
    path.write_text("system,task,passed\nx,a,true\ny,a,false\n")
    _assert_user_error(run(command, path), str(path), "x", "y", "--system")


def test_an_unknown_format_or_system_lists_the_known_ones(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("system,task,passed\nx,a,true\ny,a,false\n")
    _assert_user_error(run("show", path, "--format", "lang"), "'lang'", "did you mean 'long'?")
    _assert_user_error(run("show", path, "--system", "z"), "z", "x", "y")


def test_a_folder_without_results_is_named(run: Run, tmp_path: Path) -> None:
    _assert_user_error(run("show", tmp_path), str(tmp_path), "a folder")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--k", "0"], ["--k", "at least 1", "'0'"]),
        (["--k", "-2"], ["--k", "at least 1", "'-2'"]),
        (["--k", "1,two"], ["--k", "whole numbers", "'1,two'"]),
        (["--k", "1.5"], ["--k", "whole numbers", "'1.5'"]),
        (["--k", ""], ["--k", "whole numbers"]),
        (["--above", "80"], ["--above", "between 0 and 1", "divide it by 100"]),
        (["--above", "nan"], ["--above", "finite"]),
        (["--ci-prob", "0"], ["--ci-prob", "strictly between 0 and 1"]),
        (["--engine", "mcmc"], ["--engine", "'nuts', 'exact'", "'mcmc'"]),
        (["--prior", "flat"], ["--prior", "'uniform', 'arcsine'", "'flat'"]),
        (["--seed", "-1"], ["--seed", "at least 0", "-1"]),
        (["--draws", "0"], ["--draws", "at least 1"]),
        (["--engine", "exact", "--draws", "10"], ["--draws", "--engine nuts"]),
        (["--plot", "out.jpg"], ["out.jpg", ".png or .svg or .pdf"]),
        (["--plot", "nowhere/out.png"], ["nowhere/out.png", "no folder", "make it first"]),
        (["--save", "fit.h5"], ["fit.h5", "must end in .nc"]),
        (["--save", "nowhere/fit.nc"], ["nowhere/fit.nc", "no folder"]),
    ],
)
def test_fit_refuses_wrong_options_before_it_reads_the_file(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    parts: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    # The file does not exist, and that is not what the message is about.
    _assert_user_error(run("fit", "missing.csv", *arguments), *parts)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_writable_is_found_before_the_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    _assert_user_error(run("fit", "missing.csv", "--plot", tmp_path / "a.png"), "is not writable")


def test_an_interrupt_ends_with_130_and_says_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_rate_report.RateReport, "of", interrupt)
    ran = run("rate", "1/2")
    assert (ran.status, ran.out, ran.err) == (130, "", "")


def test_a_warning_of_ours_is_one_line_and_those_of_libraries_are_not_shown(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import warnings

    original = _rate_report.RateReport.of

    def warn(*arguments: Any, **options: Any) -> Any:
        warnings.warn("r_hat is 1.2:\ndraw more", CheckWarning, stacklevel=1)
        warnings.warn("not for users", DeprecationWarning, stacklevel=1)
        return original(*arguments, **options)

    monkeypatch.setattr(_rate_report.RateReport, "of", warn)
    ran = run("rate", "1/2", "--json")
    assert ran.err == "bayeseval: warning: r_hat is 1.2: draw more\n"
    assert ran.document["passes"] == 1


def test_version_and_help(run: Run) -> None:
    import bayeseval as be

    assert run("--version").out == f"bayeseval {be.__version__}\n"
    for arguments in (["--help"], [], ["rate", "--help"], ["fit", "-h"]):
        ran = run(*arguments)
        assert ran.status == 0
        assert "Usage: bayeseval" in ran.out
        assert ran.width <= 80


def test_formats_and_show(run: Run, tmp_path: Path) -> None:
    out = run("formats").out
    assert all(name in out for name in ("tau-bench", "counts", "long"))
    path = tmp_path / "results.csv"
    path.write_text(LONG)
    ran = run("show", path)
    assert ran.status == 0
    assert "2 tasks x 2 rollouts: 3 of 4 passed" in ran.out.replace("\n", " ")


def _process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bayeseval", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def test_a_process_ends_with_status_2_and_one_line() -> None:
    ran = _process("rate", "200/194")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("bayeseval: passes must not exceed trials")
    assert ran.stderr.count("\n") == 1


def test_a_process_whose_reader_has_gone_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        ran = subprocess.run(
            [sys.executable, "-m", "bayeseval", "rate", "8/10", "--json"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.stderr == ""
    assert ran.returncode == 1


def test_a_terminal_without_the_signs_gets_question_marks() -> None:
    ran = _process("rate", "8/10", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ran.returncode == 0
    assert "posterior mean" in ran.stdout


def _commands(group: Any) -> Iterator[Any]:
    for command in group.commands.values():
        yield from _commands(command) if hasattr(command, "commands") else [command]


def test_brackets_in_the_help_are_not_taken_for_markup() -> None:
    texts = [
        parameter.help or ""
        for command in _commands(typer.main.get_command(app))
        for parameter in command.params
        if hasattr(parameter, "help")
    ]
    assert sum(r"\[baseline]" in text for text in texts) >= 3
    for text in texts:
        assert Text.from_markup(text).plain == text.replace(r"\[", "[")
