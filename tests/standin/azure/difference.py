"""How the real plugin tells old from new: which changes replace, and what a refresh writes into the inputs.

Follows pulumi/pulumi-azure-native provider/pkg/provider/diff.go and provider.go (Diff, Read): only parts of the id and the
few properties of the kind's row replace, everything else is tried in place; a replacement deletes first unless the name
was made up by the plugin; a refresh changes an input only where the cloud's answer has changed since the last one.
"""

from collections.abc import Mapping
from typing import Any, Final

from pulumi.runtime.proto import provider_pb2

from .changes import another_location
from .kinds import Kind
from .shapes import Shape, shapes

CREATE_BEFORE_DELETE: Final = "__createBeforeDelete"
P: Final = provider_pb2.PropertyDiff
REPLACING: Final = {P.ADD: P.ADD_REPLACE, P.UPDATE: P.UPDATE_REPLACE, P.DELETE: P.DELETE_REPLACE}


def detailed(kind: Kind, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Every changed path with the kind of its change."""
    found: dict[str, Any] = {}
    for name in [*old, *(name for name in new if name not in old)]:
        if name == "location" and name in old and name in new and not another_location(old[name], new[name]):
            continue
        replaces = name in kind.replaces or name in kind.parameters
        for path, change in _changes(old.get(name), new.get(name), name):
            found[path] = REPLACING[change] if replaces else change
    return found


def deletes_first(old: Mapping[str, Any]) -> bool:
    """Whether a replacement the plugin asks for deletes the old resource before it makes the new one."""
    return old.get(CREATE_BEFORE_DELETE) is not True


def merge(inputs: Any, before: Any, after: Any) -> Any:
    """The inputs with what changed between two answers of the cloud."""
    if isinstance(inputs, dict) and isinstance(before, dict) and isinstance(after, dict):
        merged = {name: value for name, value in inputs.items() if name not in before or name in after}
        for name, value in after.items():
            if name not in before:
                merged[name] = value
            elif before[name] != value:
                merged[name] = merge(inputs[name], before[name], value) if name in inputs else value
        return merged
    if isinstance(inputs, list) and isinstance(before, list) and isinstance(after, list):
        known = list(zip(inputs, before, after, strict=False))
        return [merge(*each) for each in known] + after[len(known) :]
    return inputs if before == after else after


def projected(kind: Kind, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What of the cloud's answer has the form of inputs."""
    return _object(shapes()[kind.token], outputs)


def _changes(old: Any, new: Any, path: str) -> list[tuple[str, Any]]:
    if old is None or new is None:
        return [] if old == new else [(path, P.ADD if old is None else P.DELETE)]
    if isinstance(old, dict) and isinstance(new, dict):
        names = [*old, *(name for name in new if name not in old)]
        return [each for name in names for each in _changes(old.get(name), new.get(name), f"{path}.{name}")]
    if isinstance(old, list) and isinstance(new, list):
        length = range(max(len(old), len(new)))
        pairs = [(old[n] if n < len(old) else None, new[n] if n < len(new) else None) for n in length]
        return [each for n, (a, b) in enumerate(pairs) for each in _changes(a, b, f"{path}[{n}]")]
    return [] if old == new else [(path, P.UPDATE)]


def _object(shape: Shape, given: Mapping[str, Any]) -> dict[str, Any]:
    inputs = {name: spec for name, spec in shape.items() if not spec.get("readOnly") and not spec.get("dropped")}
    return {name: _value(inputs[name], value) for name, value in given.items() if name in inputs and value is not None}


def _value(spec: Mapping[str, Any], value: Any) -> Any:
    if spec["type"] == "object" and isinstance(value, dict):
        return _object(shapes()[spec["shape"]], value)
    if spec.get("set") and isinstance(value, dict):
        return list(value)
    if spec["type"] == "list" and isinstance(value, list):
        return [_value(spec["item"], each) for each in value]
    return value
