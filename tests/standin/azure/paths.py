"""Dotted paths into properties: `a.b`, `a[].b` for b of every item of the list a."""

from collections.abc import Iterator, Mapping
from typing import Any

from .values import unknown


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is neither object nor list, with its path; list items by number."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from leaves(each, f"{path}[{number}]")
    else:
        yield path, value


def find(value: Any, pattern: str) -> list[Any]:
    """What lies at the pattern; a list's items all, None for what is missing, the unknown within the unknown."""
    found = [value]
    for step in pattern.split("."):
        name, many = step.removesuffix("[]"), step.endswith("[]")
        found = [each.get(name) if isinstance(each, Mapping) else each if unknown(each) else None for each in found]
        if many:
            found = [item for each in found for item in (each if isinstance(each, list) else [])]
    return found


def one(value: Any, pattern: str) -> Any:
    """What lies at a pattern without lists, or None."""
    found = find(value, pattern)
    return found[0] if found else None


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list, or nothing if it is none."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def remove(value: Any, pattern: str) -> None:
    """Take out, in place, what lies at the pattern."""
    head, _, last = pattern.rpartition(".")
    for holder in find(value, head) if head else [value]:
        if isinstance(holder, dict):
            holder.pop(last, None)


def put_default(value: dict[str, Any], pattern: str, default: Any) -> None:
    """Set, in place, what is missing at the pattern; no object is made on the way there."""
    head, _, last = pattern.rpartition(".")
    for holder in find(value, head) if head else [value]:
        if isinstance(holder, dict):
            holder.setdefault(last, default)


def changed(old: Any, new: Any, path: str = "") -> list[str]:
    """Paths at which two values differ, as deep as both are objects or lists."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        return [each for key in keys for each in changed(old.get(key), new.get(key), f"{path}.{key}" if path else key)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [each for number, (a, b) in pairs for each in changed(a, b, f"{path}[{number}]")]
    return [] if old == new else [path]
