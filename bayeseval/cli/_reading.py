"""The options of every command that reads files of results.

A command declares one keyword ``reading: Read``, and `with_reading` gives it the options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

if TYPE_CHECKING:
    from bayeseval.io._read import Found

__all__ = [
    "ErrorsOption",
    "FilesArgument",
    "FilterOption",
    "FormatOption",
    "MetricOption",
    "Read",
    "Reading",
    "with_reading",
]

_PANEL = "Reading FILE"

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Files of results, folders, patterns, or - for standard input.",
        show_default=False,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Insist on a format ('bayeseval formats' lists them); recognised otherwise.",
        rich_help_panel=_PANEL,
    ),
]
_SystemOption = Annotated[
    str | None,
    typer.Option(
        "--system",
        metavar="NAME",
        help="The system to read, where there are several.",
        rich_help_panel=_PANEL,
    ),
]
_ScorerOption = Annotated[
    str | None,
    typer.Option(
        "--scorer",
        metavar="NAME",
        help="The scorer whose verdict counts, where there are several.",
        rich_help_panel=_PANEL,
    ),
]
MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAME",
        help="The metric that counts, where there are several; of a table, a column.",
        rich_help_panel=_PANEL,
    ),
]
FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        metavar="NAME",
        help="The filter of lm-eval that counts, where there are several.",
        rich_help_panel=_PANEL,
    ),
]
_PassIfOption = Annotated[
    str | None,
    typer.Option(
        "--pass-if",
        metavar="BAR",
        help="Which scores pass, such as '>= 0.5'. Default: full credit.",
        rich_help_panel=_PANEL,
    ),
]
ErrorsOption = Annotated[
    str,
    typer.Option(
        "--errors",
        metavar="exclude|fail|bounds",
        help="Errored rollouts: left out, failures, or every answer three ways: left out, all "
        "failed, all passed.",
        rich_help_panel=_PANEL,
    ),
]
_DuplicatesOption = Annotated[
    str,
    typer.Option(
        "--duplicates",
        metavar="error|rollouts",
        help="Records of one task and rollout that contradict each other: an error, or further "
        "rollouts.",
        rich_help_panel=_PANEL,
    ),
]
_SkipBadRecordsOption = Annotated[
    bool,
    typer.Option(
        "--skip-bad-records",
        help="Count and leave out records that cannot be decoded.",
        rich_help_panel=_PANEL,
    ),
]
_AsOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="rollouts|tasks|systems",
        help="What several files are: runs of one system, parts of one suite, or one file per "
        "system.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the command line says about its files; fields as the parameters of `read`.

    Parameters
    ----------
    files : list of str
        What to read.
    errors : str
        How errored rollouts are treated; checked by `find`.
    format, system, scorer, metric, filter, pass_if, combine : str or None
        As in `bayeseval.read`.
    duplicates : str
        As in `bayeseval.read`.
    skip_bad_records : bool
        As in `bayeseval.read`.
    """

    files: list[str]
    errors: str
    format: str | None
    system: str | None
    scorer: str | None
    metric: str | None
    filter: str | None
    pass_if: str | None
    duplicates: str
    skip_bad_records: bool
    combine: str | None

    @property
    def told(self) -> dict[str, str | bool]:
        """Options of `read` that differ from their defaults, as a record keeps them."""
        names = ("format", "system", "scorer", "metric", "filter", "pass_if", "combine")
        told: dict[str, str | bool] = {
            name: value for name in names if (value := getattr(self, name)) is not None
        }
        if self.duplicates != "error":
            told["duplicates"] = self.duplicates
        if self.skip_bad_records:
            told["skip_bad_records"] = True
        return told

    def find(self, treatments: tuple[str, ...] = ("exclude", "fail", "bounds")) -> Found:
        """Read the files; errored rollouts are failures afterwards if that was asked for.

        `treatments` are those of errored rollouts that the command knows.
        """
        from dataclasses import replace

        from bayeseval._validate import one_of
        from bayeseval.io._read import find

        one_of(self.errors, treatments, "--errors")
        options: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                *("format", "system", "scorer", "metric", "filter", "pass_if"),
                *("duplicates", "skip_bad_records", "combine"),
            )
        }
        found = find(self.files, **options)
        if self.errors == "fail":
            return replace(found, rollouts=found.rollouts.with_lost("fail"))
        return found


class Read(Protocol):
    """Makes a `Reading` of files, with what the command line says about reading."""

    def __call__(self, files: list[str], *, errors: str = "exclude") -> Reading: ...


# Parameters of commands, in the order of the help.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "format": (FormatOption, None),
    "system": (_SystemOption, None),
    "scorer": (_ScorerOption, None),
    "metric": (MetricOption, None),
    "filter": (FilterOption, None),
    "pass_if": (_PassIfOption, None),
    "duplicates": (_DuplicatesOption, "error"),
    "skip_bad_records": (_SkipBadRecordsOption, False),
    "combine": (_AsOption, None),
}


def with_reading(command: Callable[..., Any], *, system: bool = True) -> Callable[..., Any]:
    """Give a command the options of reading in place of its keyword ``reading``.

    Parameters
    ----------
    command : callable
        Takes ``reading``, which makes a `Reading` of files.
    system : bool, default True
        Whether one system is chosen; otherwise there is no ``--system``.
    """
    options = {name: each for name, each in _OPTIONS.items() if system or name != "system"}

    @wraps(command)
    def run(**given: Any) -> Any:
        told = {name: default for name, (_, default) in _OPTIONS.items()}
        told |= {name: given.pop(name) for name in options if name in given}

        def read(files: list[str], *, errors: str = "exclude") -> Reading:
            return Reading(files=files, errors=errors, **told)

        return command(**given, reading=read)

    parameters: list[inspect.Parameter] = []
    # Evaluated where the command stands, which knows the names of its annotations.
    for each in inspect.signature(command, eval_str=True).parameters.values():
        if each.name == "reading":
            parameters += [
                inspect.Parameter(name, each.kind, default=default, annotation=annotation)
                for name, (annotation, default) in options.items()
            ]
        else:
            parameters.append(each)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
