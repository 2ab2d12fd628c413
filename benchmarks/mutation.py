"""Mutation testing: break the code on purpose, and see whether a test notices.

Each mutant is one small change of one expression in a module that the answers rest on: a
comparison turned, a plus for a minus, a constant one higher, a condition negated. The tests of
that module run against it in a copy of the tree. A mutant that no test notices has survived:
either a test is missing, or the change makes no difference, see ``docs/mutation.md``.

    python benchmarks/mutation.py --sample 100        # a seeded sample, all modules
    python benchmarks/mutation.py --only passk        # all mutants of one group
    python benchmarks/mutation.py --list --only passk # print them and run nothing

Results are appended to ``out/mutation.jsonl`` as they come; a second run goes on where the first
one stopped, and tries again what has survived if ``--again`` is given.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "out/mutation.jsonl"
# A mutant that loops is killed after this many times the time that the unbroken code takes.
PATIENCE = 4.0

# What is mutated, and the tests that have to notice, quickest first.
GROUPS: dict[str, tuple[list[str], list[str]]] = {
    "passk": (
        ["bayeseval/passk/_numbers.py", "bayeseval/passk/_task.py", "bayeseval/passk/_suite.py"],
        ["tests/test_passk.py"],
    ),
    "baselines": (
        [
            "bayeseval/baselines/_proportion.py",
            "bayeseval/baselines/_clustered.py",
            "bayeseval/baselines/_bootstrap.py",
        ],
        ["tests/baselines"],
    ),
    "posterior": (
        [
            "bayeseval/posterior/_base.py",
            "bayeseval/posterior/_mixture.py",
            "bayeseval/posterior/_discrete.py",
            "bayeseval/posterior/_draws.py",
            "bayeseval/posterior/_panels.py",
        ],
        ["tests/posterior", "tests/test_conjugate.py"],
    ),
    "exact": (
        [
            "bayeseval/hierarchical/_exact.py",
            "bayeseval/hierarchical/_likelihood.py",
            "bayeseval/hierarchical/_functionals.py",
        ],
        # Without three tests of large suites, which are slow and find what others find.
        [
            "tests/hierarchical/test_vectors.py",
            "tests/hierarchical/test_exact.py",
            "-k=not next_run and not ten_thousand and not million",
        ],
    ),
}

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.MatMult: ast.Mult,
}


@dataclass(frozen=True)
class Mutant:
    """One change, by the place of the node in its file and the kind of change."""

    group: str
    file: str
    line: int
    node: int
    kind: str
    before: str
    after: str

    @property
    def key(self) -> str:
        """The change by what it does, so that a result outlives edits elsewhere in the file."""
        return f"{self.file}: {self.before} -> {self.after} ({self.kind}, {self.node})"


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], ast.AST]]]:
    """The ways to break one node: a name, and what to do with a copy of it."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        kind = type(node.ops[0])
        for table in (_COMPARISONS, _TURNED):
            if kind in table:
                yield f"compare {table[kind].__name__}", _with_operator(table[kind])
    elif (isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC) or (
        isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC
    ):
        other = _ARITHMETIC[type(node.op)]
        yield f"arithmetic {other.__name__}", lambda found: _set(found, "op", other())
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield "and/or", lambda found: _set(found, "op", swapped())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield "drop sign", lambda found: found.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "constant + 1", lambda found: ast.Constant(found.value + 1)  # type: ignore[attr-defined]
        if node.value:
            yield "constant 0", lambda found: ast.Constant(type(found.value)(0))  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "flip", lambda found: ast.Constant(not found.value)  # type: ignore[attr-defined]
    elif isinstance(node, ast.IfExp):
        yield "other branch", lambda found: _swap(found)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "return None", lambda found: _set(found, "value", ast.Constant(None))
    elif isinstance(node, ast.Raise):
        yield "no error", lambda found: ast.Pass()
    elif isinstance(node, ast.If):
        yield "always", lambda found: _set(found, "test", ast.Constant(True))
        yield "never", lambda found: _set(found, "test", ast.Constant(False))


def _with_operator(operator: type[ast.cmpop]) -> Callable[[ast.AST], ast.AST]:
    return lambda found: _set(found, "ops", [operator()])


def _set(node: ast.AST, field: str, value: object) -> ast.AST:
    setattr(node, field, value)
    return node


def _swap(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.IfExp)
    node.body, node.orelse = node.orelse, node.body
    return node


def walk(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that run: no annotations, docstrings, messages, `__all__` or typing blocks."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                continue
            # What an error says is tested where it matters; a change in it is no defect.
            if isinstance(node, ast.Raise | ast.JoinedStr):
                continue
            children = value if isinstance(value, list) else [value]
            stack.extend(
                child
                for child in reversed(children)
                if isinstance(child, ast.AST) and not _is_text(child)
            )


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def mutants(group: str, root: Path = ROOT) -> list[Mutant]:
    """All mutants of a group, in the order of the files."""
    found = []
    for file in GROUPS[group][0]:
        source = (root / file).read_text(encoding="utf-8")
        for at, node in enumerate(walk(ast.parse(source))):
            for kind, change in changes(node):
                before = ast.unparse(node)
                after = ast.unparse(ast.fix_missing_locations(change(copy.deepcopy(node))))
                if before != after:
                    line = getattr(node, "lineno", 0)
                    found.append(Mutant(group, file, line, at, kind, _short(before), _short(after)))
    return found


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:117] + "..."


def mutate(source: str, mutant: Mutant) -> str:
    """The source of a file with one change."""
    tree = ast.parse(source)
    target = next(node for at, node in enumerate(walk(tree)) if at == mutant.node)
    change = dict(changes(target))[mutant.kind]

    class Change(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return change(node) if node is target else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Change().visit(tree)))


class Bench:
    """A copy of the tree in which mutants are tried, one after the other."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.times: dict[str, float] = {}

    def run_tests(self, group: str, timeout: float | None = None) -> tuple[str, float]:
        """Run the tests of a group; what happened, and how long it took."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        command += ["-m", "not slow", "--no-header", *GROUPS[group][1]]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self.root)}
        begun = time.perf_counter()
        # A session of its own, so that what the tests start ends with them.
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        outcome = "timeout" if status is None else "survived" if status == 0 else "killed"
        return outcome, time.perf_counter() - begun

    def check_unbroken(self, group: str) -> None:
        """The tests of a group must pass before anything is broken."""
        outcome, took = self.run_tests(group)
        if outcome != "survived":
            sys.exit(f"the tests of {group} fail without any mutant: mend them first")
        self.times[group] = took

    def attempt(self, mutant: Mutant) -> tuple[str, float]:
        """Break the file, run the tests, and put it right again."""
        path = self.root / mutant.file
        source = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutate(source, mutant), encoding="utf-8")
            return self.run_tests(mutant.group, PATIENCE * self.times[mutant.group] + 10)
        finally:
            path.write_text(source, encoding="utf-8")


def tried(results: Path) -> dict[str, str]:
    """What earlier runs found, by the key of the mutant."""
    if not results.exists():
        return {}
    lines = results.read_text(encoding="utf-8").splitlines()
    return {each["key"]: each["outcome"] for each in map(json.loads, lines)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=[*GROUPS], action="append", help="a group of modules")
    parser.add_argument("--sample", type=int, help="that many mutants, evenly over the groups")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("--again", action="store_true", help="try again what has survived")
    parser.add_argument("--results", type=Path, default=RESULTS, help="a file of JSON lines")
    options = parser.parse_args()

    chosen: list[Mutant] = []
    groups = options.only or [*GROUPS]
    for number, group in enumerate(groups):
        found = mutants(group)
        if options.sample is not None:
            size = options.sample // len(groups) + (number < options.sample % len(groups))
            picked = random.Random(f"{options.seed} {group}").sample(found, min(size, len(found)))
            found = sorted(picked, key=lambda each: (each.file, each.node))
        chosen += found
    if options.list:
        for each in chosen:
            print(f"{each.file}:{each.line}  {each.before}  ->  {each.after}")
        print(len(chosen), "mutants")
        return

    options.results.parent.mkdir(parents=True, exist_ok=True)
    known = tried(options.results)
    again = {"survived"} if options.again else set()
    left = [each for each in chosen if known.get(each.key) in (None, *again)]
    print(f"{len(chosen)} mutants, {len(chosen) - len(left)} of them tried before")
    with tempfile.TemporaryDirectory(prefix="bayeseval-mutation-") as folder:
        bench = Bench(_copy(Path(folder) / "tree"))
        for number, each in enumerate(left, 1):
            if each.group not in bench.times:
                bench.check_unbroken(each.group)
            outcome, took = bench.attempt(each)
            known[each.key] = outcome
            with options.results.open("a", encoding="utf-8") as file:
                row = {
                    **asdict(each),
                    "key": each.key,
                    "outcome": outcome,
                    "seconds": round(took, 1),
                }
                file.write(json.dumps(row) + "\n")
            print(
                f"{number}/{len(left)} {outcome:8} {took:5.1f} s  {each.file}:{each.line}  "
                f"{each.before}  ->  {each.after}",
                flush=True,
            )
    _print_table(chosen, known)


def _copy(tree: Path) -> Path:
    """A copy of what the tests need; reference vectors beside the project are linked."""
    tree.mkdir()
    for name in ("bayeseval", "tests", "examples"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tree)
    if (ROOT.parent / "shared").exists():
        (tree.parent / "shared").symlink_to((ROOT.parent / "shared").resolve())
    return tree


def _print_table(chosen: list[Mutant], known: dict[str, str]) -> None:
    print(f"\n{'group':<12}{'tried':>7}{'killed':>8}{'timeout':>9}{'survived':>10}")
    for group in dict.fromkeys(each.group for each in chosen):
        count = Counter(known[each.key] for each in chosen if each.group == group)
        print(
            f"{group:<12}{count.total():>7}{count['killed']:>8}{count['timeout']:>9}"
            f"{count['survived']:>10}"
        )
    for each in chosen:
        if known[each.key] == "survived":
            print(f"survived: {each.file}:{each.line}  {each.before}  ->  {each.after}")


if __name__ == "__main__":
    main()
