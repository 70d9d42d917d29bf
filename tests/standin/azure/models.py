"""What the azure-mgmt models say of each field: REST name, type, required, read-only.

The models come in two generations: newer ones carry rest fields that exist once an instance was made, older ones
(authorization, msi) an attribute map. Both lift a level named `properties` up, as azure-native does.
"""

import datetime
import enum
import inspect
import sys
import types
import typing
from dataclasses import dataclass, replace
from typing import Any

PLAIN = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime.datetime: "string",
    datetime.date: "string",
    datetime.timedelta: "string",
    "str": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "bool": "boolean",
    "iso-8601": "string",
    "duration": "string",
    "object": "any",
}


@dataclass(frozen=True)
class Field:
    """One field: `kind` is string, integer, number, boolean, any, object, list or map."""

    kind: str
    required: bool = False
    read_only: bool = False
    values: tuple[str, ...] = ()
    model: type | None = None
    item: "Field | None" = None
    # Lies under `properties` in the API, which need not be there at all.
    lifted: bool = False

    @property
    def innermost(self) -> "Field":
        """Itself, or what a list or map holds in the end."""
        return self.item.innermost if self.item else self


def fields(model: type) -> dict[str, Field]:
    """The fields of a body or a part of one, by REST name, with a flattened `properties` lifted up."""
    return _older(model) if hasattr(model, "_attribute_map") else _newer(model)


def variants(model: type) -> tuple[str, dict[str, type]]:
    """The discriminating field and the model of each of its values; empty for a model without variants."""
    own: dict[str, type] = model.__dict__.get("__mapping__", {})
    if not own:
        return "", {}
    by = next(f._rest_name for f in _rest_fields(model).values() if f._is_discriminator)
    return by, dict(own)


def _rest_fields(model: Any) -> dict[str, Any]:
    model()
    return dict(model._attr_to_rest_field)


def _newer(model: Any) -> dict[str, Field]:
    hints = _hints(model)
    lifted = any(name.endswith("__flattened_items") for base in model.__mro__ for name in base.__dict__)
    found: dict[str, Field] = {}
    for attribute, rest in _rest_fields(model).items():
        field = _of_hint(hints[attribute])
        visibility = rest._visibility or ["create"]
        read_only = "create" not in visibility and "update" not in visibility
        name = rest._rest_name
        if lifted and name == "properties" and field.model:
            own = {key: replace(each, lifted=True) for key, each in fields(field.model).items()}
            # An extension has two types, and only one of them can be written: what is sent means that one.
            found |= {key: each for key, each in own.items() if key not in found or found[key].read_only}
        elif name not in found:
            found[name] = replace(field, read_only=read_only)
    return found


def _hints(model: type) -> dict[str, Any]:
    package = sys.modules[model.__module__.rpartition(".models.")[0] + ".models"]
    hints: dict[str, Any] = {}
    for base in reversed(model.__mro__):
        holder = types.SimpleNamespace(__annotations__=inspect.get_annotations(base), __module__=base.__module__)
        names = vars(sys.modules[base.__module__]) | {"_models": package}
        hints |= typing.get_type_hints(holder, names, names)
    return hints


def _of_hint(hint: Any) -> Field:
    choices = list(typing.get_args(hint)) if typing.get_origin(hint) is typing.Union else [hint]
    required = type(None) not in choices
    choices = [each for each in choices if each is not type(None)]
    closed = [each for each in choices if isinstance(each, type) and issubclass(each, enum.Enum)]
    if closed:
        return Field("string", required, values=tuple(str(each.value) for each in closed[0]))
    only = choices[0]
    origin, arguments = typing.get_origin(only), typing.get_args(only)
    if origin is list:
        return Field("list", required, item=_of_hint(arguments[0]))
    if origin is dict:
        return Field("map", required, item=_of_hint(arguments[1]))
    if getattr(only, "_is_model", False):
        return Field("object", required, model=only)
    if typing.get_origin(only) is typing.Literal:
        return Field("string", required, values=tuple(str(each) for each in typing.get_args(only)))
    return Field(PLAIN.get(only, "any"), required)


def _older(model: Any) -> dict[str, Field]:
    package = sys.modules[model.__module__.rpartition(".models.")[0] + ".models"]
    found: dict[str, Field] = {}
    for attribute, row in model._attribute_map.items():
        rules = model._validation.get(attribute, {})
        name = str(row["key"]).rpartition(".")[2]
        # RoleDefinition has a read-only type of its own beside properties.type, which azure-native calls roleType.
        name = "roleType" if attribute == "role_type" else name
        found[name] = replace(
            _of_text(row["type"], package),
            required=bool(rules.get("required")),
            read_only=bool(rules.get("readonly")),
            lifted="." in row["key"],
        )
    return found


def _of_text(text: str, package: Any) -> Field:
    if text[0] in "[{":
        return Field("list" if text[0] == "[" else "map", item=_of_text(text[1:-1], package))
    named = getattr(package, text, None)
    if named is None:
        return Field(PLAIN[text])
    if issubclass(named, enum.Enum):
        return Field("string", values=tuple(str(each.value) for each in named))
    return Field("object", model=named)
