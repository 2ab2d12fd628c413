"""Logs with large transcripts beside the least that reading them takes."""

import json
import random
import string
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import bayeseval as be
from benchmarks.measure import Row, in_turn, peak_memory

MOST_EVAL_MEMORY = 300
HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"task": "bench", "model": "open/model", "dataset": {"name": "bench"}},
    "plan": {"steps": []},
    "stats": {},
}


def transcripts(size: int) -> Iterator[list[dict[str, str]]]:
    """Messages of about `size` characters together, which pack about as well as prose."""
    rng = random.Random(1)
    words = [
        "".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(5_000)
    ]
    while True:
        texts = (" ".join(rng.choices(words, k=max(size // 60, 1))) for _ in range(10))
        yield [{"role": "assistant", "content": text} for text in texts]


def make_eval(path: Path, samples: int, size: int) -> None:
    """Write an Inspect log of about `size` packed bytes."""
    # These words pack to somewhat more than half.
    messages = transcripts(int(size / samples * 1.8))
    summaries = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for at in range(samples):
            short: dict[str, Any] = {
                "id": at // 4,
                "epoch": at % 4 + 1,
                "input": "question",
                "target": "answer",
                "scores": {"match": {"value": "CI"[at * 7 % 3 == 0]}},
            }
            summaries.append(short)
            archive.writestr(
                f"samples/{at // 4}_epoch_{at % 4 + 1}.json",
                json.dumps(short | {"messages": next(messages)}),
            )
        archive.writestr("summaries.json", json.dumps(summaries))
        archive.writestr("header.json", json.dumps(HEADER))


def inflate(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in ("header.json", "summaries.json"):
            archive.read(name)


def make_tau(path: Path, records: int, size: int) -> None:
    """Write JSONL of tau-bench's records of about `size` bytes."""
    messages = transcripts(size // records)
    with path.open("w", encoding="utf-8") as file:
        for at in range(records):
            record = {
                "task_id": at // 4,
                "reward": float(at * 7 % 3 == 0),
                "info": {"task": {"user_id": "u", "actions": [{"name": "a", "kwargs": {}}] * 3}},
                "traj": next(messages),
                "trial": at % 4,
            }
            file.write(json.dumps(record) + "\n")


class _Info(msgspec.Struct):
    error: Any = None


class _Record(msgspec.Struct):
    task_id: int | str
    reward: float | None = None
    info: _Info | None = None
    trial: int | str | None = None


def decode(path: Path) -> None:
    decoder = msgspec.json.Decoder(_Record)
    with path.open("rb", buffering=1 << 20) as file:
        _ = [decoder.decode(line) for line in file]


def rows(
    *,
    samples: int = 2_000,
    eval_size: int = 500 << 20,
    records: int = 4_000,
    tau_size: int = 1 << 30,
    repeats: int = 3,
) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.eval")
        make_eval(path, samples, eval_size)
        # Some milliseconds: more runs than of the rest.
        ours, theirs = in_turn(lambda: be.read(path), lambda: inflate(path), repeats=10 * repeats)
        most = peak_memory(f"import bayeseval as be; be.read({str(path)!r})")
        found = [
            Row(
                f"read an Inspect .eval, {samples:,} samples, {path.stat().st_size >> 20:,} MiB "
                f"(peak {most:,} MiB of {MOST_EVAL_MEMORY})",
                ours,
                "zipfile: inflate the header and the summaries",
                theirs,
                "1.2 x",
                1.2 * theirs.seconds,
                fits=most <= MOST_EVAL_MEMORY,
            )
        ]
        path = Path(folder, "tau.jsonl")
        make_tau(path, records, tau_size)
        ours, theirs = in_turn(lambda: be.read(path), lambda: decode(path), repeats=repeats)
        found.append(
            Row(
                f"read tau-bench JSONL, {path.stat().st_size >> 20:,} MiB",
                ours,
                "msgspec: decode the same fields of each line",
                theirs,
                "1.5 x",
                1.5 * theirs.seconds,
            )
        )
    return found
