"""The program: its commands, and how errors end it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from bayeseval import __version__
from bayeseval.cli._compare import compare
from bayeseval.cli._fit import fit
from bayeseval.cli._gate import gate
from bayeseval.cli._plan import plan
from bayeseval.cli._playground import playground
from bayeseval.cli._rate import rate
from bayeseval.cli._record import record
from bayeseval.cli._report import report
from bayeseval.cli._show import formats, show
from bayeseval.cli._simulate import simulate
from bayeseval.cli._watch import watch
from bayeseval.errors import BayesevalError, BayesevalWarning

__all__ = ["app", "main"]

USER_ERROR = 2
INTERRUPTED = 130
BROKEN_PIPE = 1

app = typer.Typer(
    name="bayeseval",
    help="Honest Bayesian answers from the results of AI agent evaluations.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (rate, fit, report, compare, gate, watch, show, formats, simulate, playground):
    app.command()(command)
app.add_typer(plan)
app.add_typer(record)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"bayeseval {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; those of the process if None.

    Raises
    ------
    SystemExit
        Always: 0, or 2 after a user's mistake (one line on standard error), 130 after an
        interrupt, 1 where the reader of a pipe has gone.
    """
    # A stream that was closed before we began: what would go there goes nowhere.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a sign shows a question mark instead of a traceback.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    with warnings.catch_warnings():
        # Ours are for the user; those of libraries are about our code.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", BayesevalWarning)
        warnings.showwarning = _print_warning
        status = _status(lambda: app(arguments, prog_name="bayeseval", standalone_mode=False))
    sys.exit(status)


def _status(run: Callable[[], Any]) -> int:
    """Run the program and return its exit status."""
    try:
        result = run()
        sys.stdout.flush()
    except BayesevalError as error:
        return _fail(str(error))
    except typer.TyperException as error:
        return _fail(_usage_message(error))
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _close_pipe()
        return BROKEN_PIPE
    except OSError as error:
        _close_pipe()
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}")
    except MemoryError:
        return _fail("not enough memory")
    return result if isinstance(result, int) else 0


def _fail(message: str) -> int:
    _complain(message)
    return USER_ERROR


def _complain(message: str) -> None:
    print(f"bayeseval: {' '.join(message.split())}", file=sys.stderr)


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _complain(f"warning: {message}")


def _usage_message(error: Any) -> str:
    message = error.format_message().rstrip(".")
    if getattr(error, "option_name", "")[1:2].isdigit():
        message += " (a negative number? counts and rates begin at 0)"
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "bayeseval"
    return f"{message} (see '{where} --help')"


def _close_pipe() -> None:
    """Send what is still buffered nowhere, or Python would complain at its exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
