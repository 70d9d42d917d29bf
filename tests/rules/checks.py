"""Takes the rules' checks away, one at a time, and names those that no pure test misses.

    python -m tests.rules.checks [WORD ...]

A check is a fault that a rule yields, one way of two in a condition, a way out before the end, one of several things looked at,
and the edge of a comparison; that no rule may be silent as a whole is a test of its own (test_each_rule). Each is taken away in a process of its own, by a loader that hands out the changed source:
nothing is written. With words only what stands in files with such a name is taken away.
"""

import ast
import importlib.abc
import importlib.util
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RULES = ROOT / "components" / "kilonode" / "rules"
FILES = [*sorted(path for path in RULES.glob("*.py") if "\nRULES = (" in path.read_text()), RULES / "subjects.py"]
TESTS = (
    "test_each_rule",
    "test_each_branch",
    "test_subjects",
    "test_aws",
    "test_aws_network",
    "test_azure_machines",
    "test_azure_network",
    "test_apart",
    "test_property_path",
    "test_arithmetic",
    "test_odd_values",
    "test_settings_elsewhere",
    "test_go",
    "test_data_folder",
    "test_apiserver_records",
    "test_passwords",
)
CLEAN = "clean or nothing_is_known or unknown_value or change_breaks or test_az or test_aws_n or test_apart or property_path"
"""Tests that look at all rules at once, and of what a cloud says; those of faults, figures and branches name the rule they are for."""

SUBJECTS = "no_count or one_fault or undecided or grouped or change_breaks or judged or no_figure_is or a_pool_is or cannot_be_read or test_apiserver or test_etcd or in_the_clear"
LONGEST = 120
"""Seconds of work of one process."""

EDGES: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}


@dataclass(frozen=True)
class Check:
    """One check: where it is, and the text that stands there without it."""

    file: Path
    rule: str
    line: int
    start: int
    end: int
    instead: str

    def removed(self) -> bytes:
        """The file's source without the check."""
        source = self.file.read_bytes()
        return source[: self.start] + self.instead.encode() + source[self.end :]

    def __str__(self) -> str:
        """The place, and the text that goes."""
        text = " ".join(self.file.read_bytes()[self.start : self.end].decode().split())
        return f"{self.file.name}:{self.line} ({self.rule or 'no rule of its own'})  {text}  ->  {self.instead}"


def found() -> list[Check]:
    """Every check of the rules, in the order of their source."""
    return [check for file in FILES for check in _of(file)]


def _of(file: Path) -> Iterator[Check]:
    source = file.read_bytes()
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def place(node: Any) -> tuple[int, int]:
        return lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset

    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef):
            for node, instead in _parts(function):
                yield Check(file, _rule(function), node.lineno, *place(node), instead)


def _rule(function: ast.FunctionDef) -> str:
    """The id of the rule whose claim the function is."""
    for each in function.decorator_list:
        if isinstance(each, ast.Call) and isinstance(each.args[0], ast.Constant):
            return str(each.args[0].value)
    return ""


def _parts(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(function):
        match node:
            case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
                yield node, "yield from ()"
            case ast.If(test=test, body=[ast.Return() | ast.Raise() | ast.Continue()]):
                yield test, "False"
            case ast.BoolOp(op=ast.Or(), values=ways):
                # A word that stands for nothing is no way.
                yield from ((way, "False") for way in ways if not isinstance(way, ast.Constant))
            case ast.BoolOp(op=ast.And(), values=ways):
                yield from ((way, "True") for way in ways)
            case ast.For(iter=ast.Tuple(elts=items)) | ast.Compare(comparators=[ast.Set(elts=items)]):
                yield from ((item, "*()") for item in items)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in EDGES:
                yield node, f"{ast.unparse(left)} {EDGES[type(operator)]} {ast.unparse(right)}"


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Hands out one module with another source."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._name = f"kilonode.rules.{check.file.stem}"

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self, origin=str(self._check.file)) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._check.removed(), str(self._check.file), "exec"), module.__dict__)  # noqa: S102 - our own source


def _missed(check: Check, last: str) -> bool:
    """Whether a test fails without the check; those of its own rule come first."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.meta_path.insert(0, _Instead(check))
        code = pytest.ExitCode.OK
        # Rules are named in ids of tests, and in tests' own names.
        own = f"{check.rule} or {check.rule.replace('-', '_')}" if check.rule else SUBJECTS
        for words in (own, CLEAN):
            for name in [name for name in sys.modules if re.match(r"kilonode\.rules|pack\b|tests\.", name)]:
                del sys.modules[name]
            paths = [str(path) for name in TESTS if (path := Path(__file__).with_name(f"{name}.py")).exists()]
            code = pytest.ExitCode(
                pytest.main(["-x", "-p", "no:cacheprovider", "--basetemp", last, "-k", words, *paths])
            )
            if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
                break
        os._exit(int(code))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) not in {0, int(pytest.ExitCode.NO_TESTS_COLLECTED)}


def main(wanted: list[str]) -> int:
    """Take away each check, and print what survives."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "policies"))
    os.chdir(ROOT)
    # What every process needs and no check is in, read once.
    for name in (
        "grpc",
        "hypothesis.extra",
        "jsonschema",
        "pulumi",
        "pulumi.runtime.proto.analyzer_pb2_grpc",
        "kilonode.region.spec",
    ):
        importlib.import_module(name)
    checks = [each for each in found() if not wanted or any(word in each.file.name for word in wanted)]
    survivors, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{folder}/examples"
        for number, check in enumerate(checks, 1):
            if not _missed(check, f"{folder}/tests"):
                survivors.append(check)
                print(f"SURVIVES {check}", flush=True)
            if number % 50 == 0:
                print(f"{number} of {len(checks)}, {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{len(checks)} checks: {len(checks) - len(survivors)} missed by a test, {len(survivors)} survive")
    return len(survivors) > 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
