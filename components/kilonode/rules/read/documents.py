"""YAML that nobody has checked: read, or None, whatever stands in it, and never larger than it is worth."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml

SIZE_MAX = 512 * 1024
"""Characters and bytes worth reading; clouds take 64 KiB at most, but gzip and aliases make much of little."""

UNREADABLE = (yaml.YAMLError, ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError)
"""What PyYAML raises: of a date, a number or a truth that is none it lets the constructor's own fault through."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DIGITS = 2_048


@lru_cache(maxsize=512)
def documents(text: str) -> tuple[Any, ...] | None:
    """The documents of a YAML or JSON text; None where it is neither, or would be too large with its aliases written out."""
    try:
        found = tuple(yaml.load_all(text, Loader=_LOADER))
        return found if _size(list(found), {}) <= SIZE_MAX else None
    except UNREADABLE:
        return None


def document(text: str) -> Any:
    """The only document of a text; None where there is none, or more."""
    found = documents(text) or ()
    return found[0] if len(found) == 1 else None


def rows(value: Any) -> list[Any]:
    """A list of YAML; what is none has no rows."""
    return value if isinstance(value, list) else []


def _size(value: Any, sizes: dict[int, float]) -> float:
    """How much it would be as text; endless where it holds itself."""
    if isinstance(value, int):
        # Python writes no number of more than 4,300 digits.
        return 1 if value.bit_length() < _DIGITS else math.inf
    if isinstance(value, str | bytes):
        return 1 + len(value)
    if not isinstance(value, Mapping | list | tuple | set):
        return 1
    if id(value) not in sizes:
        sizes[id(value)] = math.inf
        inside = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
        sizes[id(value)] = 1 + sum(_size(each, sizes) for each in inside)
    return sizes[id(value)]
