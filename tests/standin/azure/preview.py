"""What is known of a resource before it exists: its inputs where the answer has them too, all else unknown."""

from collections.abc import Mapping
from typing import Any, Final

from .kinds import Kind
from .shapes import Shape, shapes
from .values import UNKNOWN, unknown

# The answer has these for every type.
ALWAYS: Final = ("name", "type")


def outputs(kind: Kind, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of a creation that is only previewed."""
    shape = {name: spec for name, spec in shapes()[kind.token].items() if not spec.get("parameter") or name == "scope"}
    return dict.fromkeys(ALWAYS, UNKNOWN) | _object(shape, inputs) | {"azureApiVersion": kind.api}


def _object(shape: Shape, given: Mapping[str, Any]) -> dict[str, Any]:
    answered = {name: spec for name, spec in shape.items() if not spec.get("dropped")}
    return {name: _value(spec, given[name]) if name in given else UNKNOWN for name, spec in answered.items()}


def _value(spec: Mapping[str, Any], value: Any) -> Any:
    # The answer has an object where the input has a set of ids.
    if unknown(value) or spec.get("set"):
        return UNKNOWN
    if spec["type"] == "object":
        return _object(shapes()[spec["shape"]], value)
    if spec["type"] == "list" and spec["item"].get("shape"):
        return [_value(spec["item"], each) for each in value]
    return value
