"""``bayeseval compare``: read the systems, compare them, and write what was asked for."""

from __future__ import annotations

import contextlib
import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bayeseval import __version__
from bayeseval._atomic import as_output_path, atomic_path
from bayeseval._validate import as_number, as_probability, as_whole, one_of
from bayeseval.cli._compare_print import (
    board_document,
    print_board,
    print_pair,
    print_systems,
)
from bayeseval.cli._fit_run import FIGURES
from bayeseval.cli._reading import Reading
from bayeseval.cli._tables import Printer, print_json
from bayeseval.comparison import Comparison, Leaderboard, compare, leaderboard
from bayeseval.comparison._document import pair_document
from bayeseval.comparison._join import Joined, Unmatched, join, system_name
from bayeseval.comparison._questions import as_rope
from bayeseval.errors import InputError
from bayeseval.io._combine import system_names
from bayeseval.io._inputs import open_inputs
from bayeseval.io._options import Options as ReadOptions
from bayeseval.io._records import SeveralSystems, systems_in
from bayeseval.rollouts import Rollouts

__all__ = ["Options", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks, checked.

    Parameters
    ----------
    systems : tuple of str
        Those to read of a file that holds several; all of them if empty.
    names : tuple of str, optional
        What to call the systems.
    unmatched, engine : str
        As in `compare`.
    ks : tuple of int, optional
        Numbers of attempts.
    by, margin : float
        Differences that are asked about.
    rope : tuple of float
        Region of practical equivalence.
    top : int
        Places that count as top.
    plot : str, optional
        Where to write the figure.
    seed, draws, chains : int
        Of the sampler.
    ci_prob : float
        Level of intervals.
    """

    systems: tuple[str, ...]
    names: tuple[str, ...] | None
    unmatched: Unmatched
    engine: str
    ks: tuple[int, ...] | None
    by: float
    margin: float
    rope: tuple[float, float]
    top: int
    plot: str | None
    seed: int
    draws: int
    chains: int
    ci_prob: float

    @classmethod
    def of(
        cls,
        *,
        system: list[str] | None,
        names: str | None,
        unmatched: str,
        k: str | None,
        by: str,
        margin: str,
        rope: str,
        top: str,
        engine: str,
        plot: str | None,
        seed: str | None,
        draws: str,
        chains: str,
        ci_prob: str,
    ) -> Options:
        """Parse and check what the command line was given."""
        one_of(unmatched, Unmatched, "--unmatched")
        one_of(engine, ("auto", "exact", "nuts"), "--engine")
        if plot is not None:
            as_output_path(plot, suffixes=FIGURES)
        called = None if names is None else tuple(each.strip() for each in names.split(","))
        if called is not None and (len(set(called)) < len(called) or "" in called):
            raise InputError(f"--names must be different names with commas between; got {names!r}")
        return cls(
            systems=tuple(system or ()),
            names=called,
            unmatched=unmatched,  # type: ignore[arg-type]
            engine=engine,
            ks=None if k is None else _ks(k),
            by=as_probability(by, "--by"),
            margin=as_probability(margin, "--margin"),
            rope=_rope(rope),
            top=as_whole(top, "--top", minimum=1),
            plot=plot,
            seed=secrets.randbits(31) if seed is None else as_whole(seed, "--seed"),
            draws=as_whole(draws, "--draws", minimum=4),
            chains=as_whole(chains, "--chains", minimum=1),
            ci_prob=as_probability(ci_prob, "--ci-prob", open_ends=True),
        )


def run(reading: Reading, options: Options, *, json: bool) -> None:
    """Read, compare, and print."""
    printer = Printer(silent=json)
    systems = _read(reading, options)
    joined = join(systems, options.unmatched)
    ks = _default_ks(joined) if options.ks is None else options.ks
    print_systems(joined, printer)
    printer.flush()
    if len(systems) == 2:
        found: Comparison | Leaderboard = _compare(systems, options)
        assert isinstance(found, Comparison)
        print_pair(found, printer, options, ks)
    else:
        found = _rank(systems, options)
        print_board(found, printer, options, ks)
    if options.plot is not None:
        _write_figure(found, options)
        printer.text()
        printer.text(f"Figure: {options.plot}")
    if found.checks.rows:
        printer.text()
        printer.text(f"--seed {options.seed} repeats this run.")
    if json:
        document: dict[str, Any] = {
            "schema": "bayeseval.compare/1",
            "version": __version__,
            "seed": options.seed,
            "errors": reading.errors,
            "systems": [
                {
                    "name": name,
                    "tasks": each.n_scored_tasks,
                    "passes": each.ledger.passed,
                    "trials": each.ledger.scored,
                    "errored": each.ledger.errored,
                }
                for name, each in systems.items()
            ],
            "tasks": {
                "matched": joined.n_matched,
                "unmatched": joined.n_unmatched,
                "used": joined.n_tasks,
            },
            "unmatched": options.unmatched,
        }
        if isinstance(found, Comparison):
            document |= pair_document(
                found,
                ks,
                by=options.by,
                margin=options.margin,
                rope=options.rope,
                ci_prob=options.ci_prob,
            )
        else:
            document |= board_document(found, options, ks)
        print_json(document)


def _compare(systems: dict[str, Rollouts], options: Options) -> Comparison:
    (old, first), (new, second) = systems.items()
    # Standard output is for answers only, whatever a library thinks of its own messages.
    with contextlib.redirect_stdout(sys.stderr):
        return compare(
            first,
            second,
            names=(old, new),
            unmatched=options.unmatched,
            engine=options.engine,  # type: ignore[arg-type]
            draws=options.draws,
            chains=options.chains,
            rng=options.seed,
        )


def _rank(systems: dict[str, Rollouts], options: Options) -> Leaderboard:
    if options.engine == "exact":
        raise InputError("--engine exact compares two systems; more need nuts")
    if options.top > len(systems):
        raise InputError(f"--top must be at most {len(systems)}, the systems; got {options.top}")
    with contextlib.redirect_stdout(sys.stderr):
        return leaderboard(
            systems,
            unmatched=options.unmatched,
            draws=options.draws,
            chains=options.chains,
            rng=options.seed,
        )


def _read(reading: Reading, options: Options) -> dict[str, Rollouts]:
    """Read every system, by name."""
    found: list[tuple[str, str | None, Rollouts]] = []
    for path in reading.files:
        labels: list[str | None] = _systems_of(replace(reading, files=[path]), options)
        for label in labels:
            one = replace(reading, files=[path], system=label).find(("exclude", "fail")).rollouts
            found.append((path, label, one))
    if len(found) < 2:
        raise InputError(
            f"a comparison needs two systems or more; {reading.files[0]} holds one: name a file "
            "for each system, old before new"
        )
    names = options.names
    if names is None:
        named = [(path, system_name(each, "") or None) for path, _, each in found]
        names = tuple(system_names(named))
    if len(names) != len(found):
        raise InputError(f"--names must name {len(found)} systems; got {len(names)}")
    return dict(zip(names, (each for _, _, each in found), strict=True))


def _systems_of(reading: Reading, options: Options) -> list[str | None]:
    """The systems to read of one argument; a single None where it holds one only."""
    with open_inputs(reading.files, reading.format) as (inputs, _):
        if len(inputs) != 1:
            return [None]
        try:
            labels = systems_in(
                inputs[0].format.read(
                    inputs[0].source,
                    ReadOptions(
                        scorer=reading.scorer,
                        metric=reading.metric,
                        filter=reading.filter,
                        skip_bad_records=reading.skip_bad_records,
                    ),
                )
            )
        except SeveralSystems as several:
            labels = list(several.names)
        except InputError:
            # Whatever is wrong with the file is told when it is read in earnest.
            return [None]
    if len(labels) < 2:
        return [None]
    if not options.systems:
        return labels
    here = [name for name in options.systems if name in labels]
    if not here:
        listed = ", ".join(map(str, labels[:20]))
        raise InputError(
            f"{reading.files[0]}: holds none of the systems asked for "
            f"({', '.join(options.systems)}); it holds: {listed}"
        )
    return list(here)


def _write_figure(found: Comparison | Leaderboard, options: Options) -> None:
    import matplotlib as mpl

    # Loads Matplotlib.
    from bayeseval.plots import plot_comparison, plot_leaderboard

    assert options.plot is not None
    if isinstance(found, Comparison):
        ax = plot_comparison(found, rope=options.rope, ci_prob=options.ci_prob)
    else:
        ax = plot_leaderboard(found, ci_prob=options.ci_prob)
    figure = ax.get_figure(root=True)
    assert figure is not None
    with atomic_path(options.plot) as temporary:
        dateless = {".svg": "Date", ".pdf": "CreationDate"}.get(Path(temporary).suffix.lower())
        with mpl.rc_context({"svg.hashsalt": "bayeseval"}):
            figure.savefig(temporary, dpi=160, metadata={dateless: None} if dateless else None)


def _default_ks(joined: Joined) -> tuple[int, ...]:
    fewest = int(joined.trials[joined.trials > 0].min())
    return (fewest,) if fewest > 1 else ()


def _ks(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) <= 9 and int(part) >= 1 for part in parts):
        raise InputError(
            f"--k must be whole numbers of at least 1 with commas between, such as 2,4; "
            f"got {text!r}"
        )
    return tuple(sorted({int(part) for part in parts}))


def _rope(text: str) -> tuple[float, float]:
    parts = [as_number(part.strip(), "--rope") for part in text.split(",")]
    if len(parts) == 1:
        return as_rope(parts[0])
    if len(parts) != 2:
        raise InputError(f"--rope must be D, or LOW,HIGH; got {text!r}")
    return as_rope((parts[0], parts[1]))
