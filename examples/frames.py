"""Rollouts that lie in a database or a data frame: counted there, decided here.

DuckDB counts them, and only the counts of each task come back, however many rollouts there are. A
Spark, Dask, polars or pandas frame goes into the same function.
"""

import tempfile
from pathlib import Path

import duckdb

import bayeseval as be


def main(tasks: int = 2000) -> be.Fit:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        table = Path(folder) / "rollouts.csv"
        be.simulate(tasks, 8, mean=0.8, icc=0.4, error_rate=0.01, rng=1).to_csv(table)
        database.execute("CREATE TABLE rollouts AS FROM read_csv(?)", [str(table)])
        # A WHERE for one system, or one week, would run in the database, too.
        relation = database.sql("SELECT task, rollout, outcome FROM rollouts")
        suite = be.from_frame(relation, passed="outcome", rollout="rollout", source="DuckDB")
    print(repr(suite))
    fit = be.fit(suite, engine="exact")
    print(fit.pass_hat_k(4))
    chance = fit.pass_hat_k(4).prob_above(0.6)
    print(f"Pr[pass^4 > 0.6] = {chance:.3f}: {'run it unattended' if chance > 0.95 else 'not yet'}")
    return fit


if __name__ == "__main__":
    main()
