"""What every spec is: a frozen pydantic model that knows all its keys and refuses Outputs."""

import difflib
from collections.abc import Mapping
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from kilonode.refusal import Refusal, RefusedError

SHOWN = 120  # characters of a refused value worth printing
STRINGIFIED_OUTPUT = "Calling __str__ on an Output"


class Spec(BaseModel):
    """Plain values a person writes, in camelCase as in the stack file or in snake_case from Python.

    Raises:
        RefusedError: from :meth:`read`, with every fault found.
        TypeError: when a value is, or holds, a Pulumi Output.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, alias_generator=to_camel,
        populate_by_name=True,
        use_attribute_docstrings=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, data: Any) -> Any:  # noqa: ANN401 - this is the gate, it takes anything
        if isinstance(data, Mapping):
            for key, value in data.items():
                _refuse_output(f"{cls.__name__}.{key}", value)
        return data

    @classmethod
    def read(cls, data: object, field: str) -> Self:
        """Build the spec from parsed YAML; ``field`` is where ``data`` stands in its file."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise RefusedError(_refusal(cls, field, details) for details in error.errors()) from None


def _refuse_output(field: str, value: object) -> None:
    if any(kind.__module__.startswith("pulumi.") and kind.__name__ == "Output" for kind in type(value).__mro__):
        raise TypeError(
            f"{field} is a Pulumi Output: it decides how many resources there are or where they go, "
            "so it must be known before deployment; pass a plain value"
        )
    if isinstance(value, str) and STRINGIFIED_OUTPUT in value:
        raise TypeError(f"{field} holds the text of a Pulumi Output that was put into a string; pass a plain value")
    if isinstance(value, list | tuple):
        for position, item in enumerate(value):
            _refuse_output(f"{field}[{position}]", item)
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_output(f"{field}.{key}", item)


def _refusal(model: type[BaseModel], field: str, details: ErrorDetails) -> Refusal:
    context = details.get("ctx", {})
    path = _path(field, details["loc"])
    given = _shown(details["input"])
    if details["type"] == "refused":
        below = context["field"]
        joint = "." if below and not below.startswith("[") else ""
        return Refusal(
            path + joint + below, context["given"] or given, context["allowed"], context["why"], context["fix"]
        )
    if details["type"] == "extra_forbidden":
        known = _keys_at(model, details["loc"][:-1])
        key = str(details["loc"][-1])
        near = difflib.get_close_matches(key, known, n=1)
        return Refusal(
            path,
            given,
            "the keys " + ", ".join(known),
            f"{key!r} is not a key here, and a setting that is silently ignored is worse than none",
            f"write {near[0]!r}" if near else f"remove {key!r}",
        )
    if details["type"] == "missing":
        return Refusal(path, "nothing", "a value", "the region cannot be planned without it", f"set {path}")
    return Refusal(
        path, given, details["msg"][0].lower() + details["msg"][1:], "the value has another type or range than the plan needs",
        f"give {path} such a value, {_yaml_hint(details)}",
    )  # fmt: skip


def _yaml_hint(details: ErrorDetails) -> str:
    if details["type"] == "int_type" and isinstance(details["input"], str):
        return "without quotes"
    return "in YAML's own notation"


def _path(field: str, location: tuple[int | str, ...]) -> str:
    path = field
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _keys_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that are known where ``location`` leads to, walking the models' fields."""
    at: list[type[BaseModel]] = [model]
    for step in location:
        if isinstance(step, int):
            continue
        fields = [
            info for kind in at for name, info in kind.model_fields.items() if step in (name, info.alias)
        ]  # fmt: skip
        at = [kind for info in fields for kind in _models_in(info.annotation)] or at
    return sorted({info.alias or name for kind in at for name, info in kind.model_fields.items()})


def _models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
