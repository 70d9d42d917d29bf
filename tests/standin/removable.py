"""What can be taken out of the stand-in: its checks, found in its source and never listed by hand.

A check is a statement that refuses, a call of another judge, one way of two in a condition, one of several things looked at,
a row of a table, a part of a name's rule.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
STANDIN: Final = Path("tests/standin")
# These carry requests and remember; they judge nothing. The sources of a test's program do not either.
CARRIERS: Final = {"__init__", "__main__", "desk", "service", "stack", "store", "values"}
JUDGE: Final = re.compile(r"_?(judge|refuse|raise_all|need_parent|principals)\w*")
# Tables in which a row that is gone breaks the judge: there the row allows everything instead.
LENIENT: Final = {"RULES": 'Rule(0, 9999, r"(?s).*", "")', "CHECKS": "lambda _value: True"}
# Of a name's rule: shortest, longest, pattern.
LENIENT_RULE: Final = ("0", "9999", 'r"(?s).*"')
# Says where models are, not what they allow.
NO_TABLES: Final = {"MODULES", "PACKAGES"}
TABLE_INPUTS: Final = {"replaces", "maintained", "children"}


@dataclass(frozen=True)
class Check:
    """One check: where it is, and the text that takes it away."""

    file: str
    node: Any
    instead: str

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.node.lineno}"

    def shown(self, source: bytes) -> str:
        """The place and the text that goes."""
        start, end = self._span(source)
        return f"{self.place}  {' '.join(source[start:end].decode().split())}  ->  {self.instead}"

    def removed(self, source: bytes) -> bytes:
        """The source without the check."""
        start, end = self._span(source)
        changed = source[:start] + self.instead.encode() + source[end:]
        compile(changed, self.file, "exec")
        return changed

    def _span(self, source: bytes) -> tuple[int, int]:
        lines = [0]
        for line in source.splitlines(keepends=True):
            lines.append(lines[-1] + len(line))
        last: Any = self.node.value if isinstance(self.node, ast.keyword) else self.node
        start = lines[self.node.lineno - 1] + self.node.col_offset
        return start, lines[last.end_lineno - 1] + last.end_col_offset


def found() -> list[Check]:
    """Every check of the stand-in, in the order of its source."""
    files = sorted(path for path in (ROOT / STANDIN / "azure").rglob("*.py") if path.stem not in CARRIERS)
    checks = [check for path in files for check in _of(str(path.relative_to(ROOT)), ast.parse(path.read_bytes()))]
    once = {(each.file, each.node.lineno, each.node.col_offset, each.instead): each for each in checks}
    return [once[key] for key in sorted(once)]


def texts(file: str) -> Iterator[tuple[int, re.Pattern[str]]]:
    """The line of each refusal a file may yield, and what the words of what is allowed look like."""
    for node in ast.walk(ast.parse((ROOT / STANDIN / "azure" / file).read_bytes())):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3:
            said = node.value.elts[2]
            parts = said.values if isinstance(said, ast.JoinedStr) else [said]
            yield (
                node.lineno,
                re.compile(
                    "".join(re.escape(str(each.value)) if isinstance(each, ast.Constant) else ".*" for each in parts)
                ),
            )


def _of(file: str, tree: ast.Module) -> Iterator[Check]:
    """What refuses in the code, then the rows of its tables."""
    delegated = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.YieldFrom)}
    for node in ast.walk(tree):
        match node:
            case ast.Raise():
                yield Check(file, node, "pass")
            case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
                yield Check(file, node, "yield from ()")
            case ast.ListComp(elt=ast.Call(func=ast.Name(id="Refusal"))):
                yield Check(file, node, "[]")
            case ast.Call() if JUDGE.fullmatch(_called(node)) and id(node) not in delegated:
                yield Check(file, node, "[]")
            case _:
                yield from (Check(file, part, instead) for part, instead in _parts(node))
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id not in NO_TABLES:
            lenient = LENIENT.get(node.target.id)
            rows = _lenient(node.value, lenient) if lenient else ((row, _gone(row)) for row in _rows(node.value))
            yield from (Check(file, row, instead) for row, instead in rows)


def _parts(node: ast.AST) -> list[tuple[ast.expr, str]]:
    """One way of two in a condition, one item of several that are looked at, one part of a name's rule."""
    match node:
        case ast.Call() if _called(node) == "Rule":
            parts = zip(node.args, LENIENT_RULE, strict=False)
            return [(part, instead) for part, instead in parts if ast.unparse(part) not in (instead, "ANY")]
        case ast.If(test=ast.BoolOp(op=ast.Or(), values=ways)) | ast.Return(value=ast.BoolOp(op=ast.Or(), values=ways)):
            return [(way, "False") for way in ways]
        case ast.For(iter=ast.Tuple(elts=items)) | ast.Compare(comparators=[ast.Set(elts=items)]):
            return [(item, "*()") for item in items]
    return []


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _lenient(table: ast.AST | None, instead: str) -> Iterator[tuple[Any, str]]:
    """The values of a table, each to be replaced; but for those that allow everything as they are."""
    assert isinstance(table, ast.Dict)
    same = ast.dump(ast.parse(instead, mode="eval").body)
    yield from ((value, instead) for value in table.values if ast.dump(value) != same)


def _rows(node: Any) -> Iterator[Any]:
    """The rows of a table, and those of the tables in it instead of the row that holds them."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            inner = [*_rows(value)]
            # An entry is its key, up to the end of its value.
            yield from inner or [ast.copy_location(ast.keyword(arg=None, value=value), key or value)]
    for item in _items(node):
        yield from [*_rows(item)] or ([] if _is_kind(item) else [item])


def _items(node: Any) -> list[Any]:
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return items
        case ast.Starred(value=value):
            return [value] if _items(value) else []
        case ast.GeneratorExp(generators=[each]) | ast.DictComp(generators=[each]):
            return _items(each.iter)
        case ast.Call() if _called(node) in {"frozenset", "tuple"}:
            return _items(node.args[0])
        case ast.Call() if _called(node) == "_terraform":
            return node.args[1:]
        case ast.Call() if _is_kind(node):
            return [*node.args[2:3], *(each.value for each in node.keywords if each.arg in TABLE_INPUTS)]
    return []


def _gone(row: ast.AST) -> str:
    # A name stands for a whole tuple.
    return "**{}" if isinstance(row, ast.keyword) else "()" if isinstance(row, ast.Name) else "*()"


def _is_kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) == "Kind"
