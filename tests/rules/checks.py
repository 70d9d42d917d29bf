"""Takes the rules' checks away, one at a time, and names those that no pure test misses.

    python -m tests.rules.checks [WORD ...]

A check is a fault that a rule yields, one way of two in a condition, a way out before the end, one of several things looked at,
and the edge of a comparison; that no rule may be silent as a whole is a test of its own (test_each_rule). Each is taken away in a process of its own, by a loader that hands out the changed source:
nothing is written. With words only what stands in files with such a path is taken away: `read/` is the readers, `policy` what a team decides.
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
from dataclasses import dataclass, replace
from importlib.machinery import ModuleSpec
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RULES = ROOT / "components" / "kilonode" / "rules"
FILES = sorted(path for path in RULES.glob("*.py") if "\nRULES = (" in path.read_text())
HELPERS = tuple(
    RULES / f"{name}.py"
    for name in ("subjects", "subjects_balancers", "large", "go", "urls", "apiserver_files", "property_path", "shown")
)
"""What rules share."""


def _and_the_rest(*first: str) -> tuple[str, ...]:
    """Files of tests, those about one thing first, and then all others there are."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py"))
    return (*first, *(name for name in names if name not in first))


TESTS = _and_the_rest(
    "test_each_rule",
    "test_each_branch",
    "test_subjects",
    "test_aws",
    "test_aws_launch",
    "test_aws_network",
    "test_azure_machines",
    "test_azure_network",
    "test_apart",
    "test_pools_of_the_control_plane",
    "test_pools_counted",
    "test_pools_behind_balancers",
    "test_property_path",
    "test_arithmetic",
    "test_region_size",
    "test_members_elsewhere",
    "test_tags",
    "test_aws_balancers",
    "test_odd_values",
    "test_settings_elsewhere",
    "test_go",
    "test_pods",
    "test_balloons",
    "test_data_folder",
    "test_apiserver_records",
    "test_passwords",
    "test_snapshots",
)
READING = _and_the_rest(
    "test_documents",
    "test_flags",
    "test_pods",
    "test_balloons",
    "test_reading_user_data",
    "test_starts",
    "test_units",
    "test_scripts",
    "test_several_programs",
    "test_settings_elsewhere",
    "test_silent_passes",
    "test_secrets_unshown",
    "test_stateful",
    "test_state",
    "test_state_door",
    "test_aws",
    "test_aws_network",
    "test_azure_machines",
    "test_azure_network",
    "test_apart",
    "test_property_path",
    "test_subjects",
    "test_each_rule",
    "test_each_branch",
    "test_odd_user_data",
    "test_odd_values",
)
"""What misses a check of the readers, those about one thing first."""

DECIDING = ("test_policy", "test_exemption", "test_state_door", "../policies/test_pack")
"""What misses a check of what a team decides."""

DECIDED = tuple(RULES / f"{name}.py" for name in ("exemption", "judge", "policy", "policy_file", "row"))
CLEAN = "clean or nothing_is_known or unknown_value or change_breaks or test_az or test_aws_n or test_apart or property_path"
"""Tests that look at all rules at once, and of what a cloud says; those of faults, figures and branches name the rule they are for."""

LONGEST = 600
"""Seconds of work of one process."""

FELL_OVER = 70
"""The exit code of a process that ran no test to its end; pytest has none so high."""

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

    @property
    def tests(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The files of tests that may miss it, and the words of those to run, first things first."""
        if self.file in FILES:
            # Rules are named in ids of tests, and in tests' own names.
            own = (f"{self.rule} or {self.rule.replace('-', '_')}", CLEAN) if self.rule else ("",)
            return TESTS, own
        if self.file in HELPERS:
            return TESTS, ("",)
        return DECIDING if self.file in DECIDED else READING, ("",)

    def removed(self) -> bytes:
        """The file's source without the check."""
        source = self.file.read_bytes()
        return source[: self.start] + self.instead.encode() + source[self.end :]

    def __str__(self) -> str:
        """The place, and the text that goes."""
        text = " ".join(self.file.read_bytes()[self.start : self.end].decode().split())
        return f"{self.file.relative_to(RULES)}:{self.line} ({self.rule or 'no rule of its own'})  {text}  ->  {self.instead}"


def found() -> list[Check]:
    """Every check of the rules, of their readers and of what is decided about them, in the order of their source."""
    return [
        check for file in (*FILES, *HELPERS, *sorted((RULES / "read").rglob("*.py")), *DECIDED) for check in _of(file)
    ]


def _of(file: Path) -> Iterator[Check]:
    source = file.read_bytes()
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def place(node: Any) -> tuple[int, int]:
        return lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset

    body = ast.parse(source).body
    for function in chain(body, *(each.body for each in body if isinstance(each, ast.ClassDef))):
        if isinstance(function, ast.FunctionDef):
            for node, instead in _parts(function):
                yield Check(file, _rule(function), node.lineno, *place(node), instead)


def _rule(function: ast.FunctionDef) -> str:
    """The id of the rule whose claim the function is."""
    for each in function.decorator_list:
        if isinstance(each, ast.Call) and each.args and isinstance(each.args[0], ast.Constant):
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
        self._name = ".".join(check.file.relative_to(RULES.parents[1]).with_suffix("").parts)

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self, origin=str(self._check.file)) if name == self._name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._check.removed(), str(self._check.file), "exec"), module.__dict__)  # noqa: S102 - our own source


def _missed(check: Check, last: str) -> bool:
    """Whether a test fails without the check."""
    child = os.fork()
    if child == 0:
        code = FELL_OVER
        try:
            code = _tried(check, last)
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == FELL_OVER:
        raise RuntimeError(f"no test was run: {check}")
    return code not in {0, int(pytest.ExitCode.NO_TESTS_COLLECTED)}


def _tried(check: Check, last: str) -> int:
    """The exit code of the tests without the check; those of its own rule come first."""
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    sys.meta_path.insert(0, _Instead(check))
    names, pieces = check.tests
    paths = [str(Path(__file__).parent / f"{name}.py") for name in names]
    code = 0
    for words in pieces:
        for name in [name for name in sys.modules if re.match(r"kilonode\.rules|pack\b|tests\.", name)]:
            del sys.modules[name]
        code = int(pytest.main(["-x", "-p", "no:cacheprovider", "--basetemp", last, "-k", words, *paths]))
        if code not in {0, int(pytest.ExitCode.NO_TESTS_COLLECTED)}:
            break
    return code


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
    checks = [
        each for each in found() if not wanted or any(word in str(each.file.relative_to(RULES)) for word in wanted)
    ]
    if not checks:
        print(f"no check stands in a file called after {' or '.join(wanted)}")
        return 1
    untouched = {each.tests[0]: replace(each, rule="", start=0, end=0, instead="") for each in checks}
    survivors, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = f"{folder}/examples"
        if failing := [names for names, check in untouched.items() if _missed(check, f"{folder}/tests")]:
            raise RuntimeError(f"with every check in its place a test fails, of {failing}")
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
