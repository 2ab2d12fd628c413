"""Tables of eight million rollouts beside DuckDB's own group-by over the same file."""

import tempfile
from pathlib import Path

import duckdb

import bayeseval as be
from benchmarks.measure import Row, in_turn, peak_memory

MOST_MEMORY = 1024


def make(folder: Path, tasks: int, per_task: int) -> dict[str, tuple[Path, float]]:
    """Write the same rollouts in several ways; what is to be reached, beside each."""
    parquet, csv = folder / "rollouts.parquet", folder / "rollouts.csv"
    without = folder / "without.parquet"
    with duckdb.connect() as connection:
        # How hard a task is and what becomes of a rollout come from hashes: the same each time.
        connection.execute(
            f"CREATE TABLE rollouts AS SELECT i // {per_task} AS task, i % {per_task} AS rollout, "
            f"hash(i) % 11 < hash(i // {per_task} + 7) % 12 AS passed "
            f"FROM range({tasks * per_task}) t(i)"
        )
        connection.execute(f"COPY rollouts TO '{parquet}'")
        connection.execute(f"COPY rollouts TO '{csv}' (HEADER)")
        connection.execute(f"COPY (SELECT task, passed FROM rollouts) TO '{without}'")
    return {
        "Parquet, no attempt ids": (without, 1.2),
        "Parquet, attempt ids checked for repeats": (parquet, 1.2),
        "CSV, attempt ids checked": (csv, 1.3),
    }


def group_by(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.sql(
            f"SELECT task, count_if(passed) AS passes, count(passed) AS trials FROM '{path}' "
            f"GROUP BY task"
        ).fetchnumpy()


def same_work(path: Path) -> None:
    """What `read` does to a CSV file: ids are texts as they stand, and attempts are compared."""
    columns = "'task': 'VARCHAR', 'rollout': 'VARCHAR'"
    with duckdb.connect() as connection:
        connection.sql(
            f"SELECT task, count_if(passed) AS passes, count(passed) AS trials, "
            f"count(DISTINCT rollout) AS attempts "
            f"FROM read_csv('{path}', types = {{{columns}}}) GROUP BY task ORDER BY task"
        ).fetchnumpy()


def peak(path: Path) -> int:
    return peak_memory(f"import bayeseval as be; be.read({str(path)!r})")


def rows(*, tasks: int = 1_000_000, per_task: int = 8, repeats: int = 5) -> list[Row]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, (path, factor) in make(Path(folder), tasks, per_task).items():
            ours, theirs = in_turn(
                lambda path=path: be.read(path), lambda path=path: group_by(path), repeats=repeats
            )
            most = peak(path)
            found.append(
                Row(
                    f"{tasks:,} x {per_task}, {kind} (peak {most:,} MiB of {MOST_MEMORY:,})",
                    ours,
                    "DuckDB: the same GROUP BY",
                    theirs,
                    f"{factor:g} x",
                    factor * theirs.seconds,
                    fits=most <= MOST_MEMORY,
                )
            )
            if path.suffix == ".csv":
                ours, theirs = in_turn(
                    lambda path=path: be.read(path),
                    lambda path=path: same_work(path),
                    repeats=repeats,
                )
                found.append(
                    Row(
                        f"{tasks:,} x {per_task}, {kind}",
                        ours,
                        "DuckDB: ids as texts, distinct attempts",
                        theirs,
                    )
                )
    return found
