"""Every input held against the shape of its type: unknown, read-only, dropped, missing, wrong type, wrong value."""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Final

from .kinds import Kind
from .refusal import Refusal
from .shapes import Shape, shapes
from .values import unknown

# Written into inputs by the plugin itself.
OWN: Final = {"azureApiVersion", "__createBeforeDelete"}
CHECKS: Final = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "list": lambda value: isinstance(value, list),
    "map": lambda value: isinstance(value, dict),
    "object": lambda value: isinstance(value, dict),
    "union": lambda value: isinstance(value, dict),
    "any": lambda _value: True,
}


def judge(kind: Kind, resource: str, inputs: Mapping[str, Any]) -> list[Refusal]:
    """What is wrong with the inputs of a resource; what is unknown yet is taken on trust."""
    given = {name: value for name, value in inputs.items() if name not in OWN}
    found = [
        Refusal(resource, path, value, allowed)
        for path, value, allowed in _object(shapes()[kind.token], given, "", f"{kind.token} at API version {kind.api}")
    ]
    return sorted(found, key=lambda refusal: refusal.path)


Fault = tuple[str, Any, str]


def _object(shape: Shape, given: Mapping[str, Any], path: str, named: str) -> Iterator[Fault]:
    inputs = {name for name, spec in shape.items() if not spec.get("readOnly") and not spec.get("dropped")}
    for name, value in given.items():
        here = f"{path}.{name}" if path else name
        spec = shape.get(name)
        if spec is None:
            yield here, value, f"no such property of {named}; it has {', '.join(sorted(inputs))}"
        elif spec.get("readOnly"):
            yield here, value, "nothing: it is read-only, the cloud sets it"
        elif spec.get("dropped"):
            yield (
                here,
                value,
                f"nothing: azure-native {version('pulumi-azure-native')} does not send it, its API is older",
            )
        elif not unknown(value):
            yield from _value(spec, value, here)
    beneath = any(shape[name].get("lifted") for name in given if name in shape)
    for name, spec in shape.items():
        needed = spec.get("required") and (beneath or not spec.get("lifted"))
        if needed and not spec.get("readOnly") and name not in given:
            yield f"{path}.{name}" if path else name, None, f"required: a {spec['type']}"


def _value(spec: Mapping[str, Any], value: Any, path: str) -> Iterator[Fault]:
    kind = spec["type"]
    if not CHECKS[kind](value):
        yield path, value, f"a value of type {kind}"
    elif spec.get("values") and value not in spec["values"]:
        yield path, value, f"one of {', '.join(spec['values'])}"
    elif kind in {"list", "map"}:
        items = [(f"{path}[{number}]", each) for number, each in enumerate(value)] if kind == "list" else []
        items += [(f"{path}.{key}", each) for key, each in value.items()] if kind == "map" else []
        for here, each in items:
            if not unknown(each):
                yield from _value(spec["item"], each, here)
    elif kind == "object":
        yield from _object(shapes()[spec["shape"]], value, path, spec["shape"].partition("/")[2])
    elif kind == "union":
        yield from _union(spec, value, path)


def _union(spec: Mapping[str, Any], value: Mapping[str, Any], path: str) -> Iterator[Fault]:
    chosen = value.get(spec["by"])
    if chosen in spec["shapes"]:
        yield from _object(shapes()[spec["shapes"][chosen]], value, path, f"{spec['by']} {chosen}")
    elif not unknown(chosen):
        yield f"{path}.{spec['by']}", chosen, f"one of {', '.join(spec['shapes'])}"
