"""The command line: parse, call one function of the package, print."""

from bayeseval.cli._app import main

__all__ = ["main"]
