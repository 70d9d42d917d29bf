"""How a fault pydantic finds by itself becomes a refusal in a person's words, with the limit and the fix."""

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from kilonode.place import Location, follow, kinds, models_in, stated
from kilonode.refusal import Refusal

SHOWN = 120  # characters of a refused value worth printing
_SECRET = re.compile(r"pass|secret|token|credential|private", re.IGNORECASE)  # what is written under such a key
_DIGITS = re.compile(r"0|[1-9][0-9]*")  # YAML 1.1 reads 08 as text without any quotes
EXAMPLE = "as in the files of stacks/"


@dataclass(frozen=True)
class Allowed:
    """What a person may write where the type alone does not say it; stands in an ``Annotated`` type."""

    words: str


def causes(faults: Iterable[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Faults without those that follow from one further in: a list with a bad row is none of what it should be either."""
    every = list(faults)
    for each in every:
        here = each["loc"]
        if not any(len(other["loc"]) > len(here) and other["loc"][: len(here)] == here for other in every):
            yield each


def explained(model: type[BaseModel], field: str, details: ErrorDetails) -> Refusal:
    """The refusal for one fault found in ``model``, whose value stands at ``field`` in its file."""
    location, found = follow(model, details["loc"])
    path = path_to(field, location)
    given = details["input"]
    match details["type"]:
        case "refused":
            return _own(path, shown(given), details["ctx"])
        case "extra_forbidden" | "invalid_key":
            return _unknown_key(model, field, details)
        case "union_tag_invalid":
            path, given, found = f"{path}.{found.discriminator}", given[found.discriminator], kinds(found)
        case "union_tag_not_found":
            location, found = (*location, str(found.discriminator)), kinds(found)
            return _missing(field, location, found)
        case "missing":
            return _missing(field, location, found)
    allowed = _allowed(found)
    return Refusal(path, shown(given), allowed, _why(found), _fix(found, given, allowed))


def path_to(field: str, location: Location) -> str:
    """The path a person would look for in the stack file."""
    path = field
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path


def shown(value: object) -> str:
    """A refused value as YAML and JSON both write it, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str, skipkeys=True)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _own(path: str, given: str, context: dict[str, Any]) -> Refusal:
    """What one of the specs' validators said."""
    below = context["field"]
    joint = "." if below and not below.startswith("[") else ""
    words = (context["allowed"], context["why"], context["fix"], context["rule"])
    return Refusal(path + joint + below, context["given"] or given, *words)


def _missing(field: str, location: Location, found: FieldInfo) -> Refusal:
    *above, key = location
    fix = f"add {key} under {path_to(field, tuple(above))}, {EXAMPLE}"
    return Refusal(path_to(field, location), "nothing", _allowed(found), _why(found), fix)


def _unknown_key(model: type[BaseModel], field: str, details: ErrorDetails) -> Refusal:
    *above, key = details["loc"]
    location, found = follow(model, tuple(above))
    known = _keys(models_in(found.annotation))
    near = difflib.get_close_matches(str(key), known, n=1)
    return Refusal(
        path_to(field, location) + f".{key}",
        "a value, not shown" if _SECRET.search(str(key)) else shown(details["input"]),
        _listed(known),
        f"{str(key)!r} is not a key here, and a setting that is silently ignored is worse than none",
        f"did you mean {near[0]!r}?" if near else f"remove {str(key)!r}",
    )


def _allowed(found: FieldInfo) -> str:
    for item in found.metadata:
        if isinstance(item, Allowed):
            return item.words
    return _words(found.annotation, found.metadata)


def _words(annotation: object, metadata: Iterable[object] = ()) -> str:
    annotation = stated(annotation)
    options = get_args(annotation)
    models = models_in(annotation)
    if annotation is int:
        return _whole_number(metadata)
    if annotation is str:
        return "text"
    if get_origin(annotation) is Literal:
        return " or ".join(_written(option) for option in options)
    if get_origin(annotation) is tuple:
        return "a list, each row of it " + _words(options[0])
    if get_origin(annotation) is dict:
        return "a mapping of text to text"
    if len(models) > 1:
        shared = set(_keys(models[:1])).intersection(*(_keys([model]) for model in models))
        return "a mapping with " + _listed(sorted(shared)) + ", and those of its kind"
    if models:
        return "a mapping with " + _listed(_keys(models))
    return _words(options[0]) if options else str(annotation)


def _listed(keys: list[str]) -> str:
    return f"the key{'s' if len(keys) > 1 else ''} " + ", ".join(keys)


def _whole_number(metadata: Iterable[object]) -> str:
    low, high = _bounds(metadata)
    return "a whole number" + (f" from {low}" if low is not None else "") + (f" to {high}" if high is not None else "")


def _bounds(metadata: Iterable[object]) -> tuple[int | None, int | None]:
    low = high = None
    for item in metadata:
        low, high = getattr(item, "ge", low), getattr(item, "le", high)
    return low, high


def _why(found: FieldInfo) -> str:
    """The field's own docstring: what it decides is why it cannot be anything."""
    text = (found.description or "the region cannot be planned from anything else").rstrip(".").replace("``", "")
    first, _, rest = " ".join(text.split()).partition(" ")
    return f"{first.lower() if first.istitle() else first} {rest}"


def _fix(found: FieldInfo, given: object, allowed: str) -> str:
    annotation = stated(found.annotation)
    if get_origin(annotation) is Literal:
        options = {str(option).lower(): option for option in get_args(annotation)}
        near = difflib.get_close_matches(str(given).lower(), options, n=1)
        if near:
            return f"did you mean {_written(options[near[0]])}?"
        (first, *others) = options.values()
        return f"write one of these {len(options)}" if others else f"write {_written(first)}"
    if annotation is int:
        return _fix_number(found, given, allowed)
    if annotation is str:
        return "put what you wrote in quotes" if isinstance(given, int | float | date) else f"write {allowed}"
    return f"write {'a list' if get_origin(annotation) is tuple else 'a mapping'}, {EXAMPLE}"


def _written(option: object) -> str:
    """A choice as YAML has it: text in quotes, true and false without."""
    return str(option).lower() if isinstance(option, bool) else repr(option)


def _fix_number(found: FieldInfo, given: object, allowed: str) -> str:
    if isinstance(given, str) and _DIGITS.fullmatch(given.strip()):
        return f"write {allowed}, without quotes"
    if isinstance(given, int) and not isinstance(given, bool):
        low, high = _bounds(found.metadata)
        return f"write {low} or more" if low is not None and given < low else f"write {high} or less"
    default = found.get_default()
    return f"write {default}, or leave it out" if isinstance(default, int) else f"write {allowed}"


def _keys(models: Iterable[type[BaseModel]]) -> list[str]:
    return sorted({info.alias or name for kind in models for name, info in kind.model_fields.items()})
