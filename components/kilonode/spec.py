"""What every spec is: a frozen pydantic model that knows all its keys and refuses Outputs."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from kilonode.explain import causes, explained, shown
from kilonode.refusal import Refusal, RefusedError

OUTPUT_TEXTS = ("Calling __str__ on an Output", "<pulumi.output.Output object")
_WHY = "it decides how many resources there are or where they go, so it must be known before deployment"


class OutputGivenError(TypeError):
    """A value that has to be plain is a Pulumi Output, or holds the text of one."""

    def __init__(self, field: str, what: str, given: object) -> None:
        self.field = field
        self.what = what
        self.given = given
        super().__init__(f"{field} {what}: {_WHY}; pass a plain value")


class Spec(BaseModel):
    """Plain values a person writes, in camelCase as in the stack file or in snake_case from Python.

    Raises:
        RefusedError: from :meth:`read`, with every fault found.
        TypeError: when a value is, or holds, a Pulumi Output.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        populate_by_name=True,
        use_attribute_docstrings=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, data: Any) -> Any:
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
            raise RefusedError(explained(cls, field, details) for details in causes(error.errors())) from None
        except OutputGivenError as error:
            path = field + error.field.removeprefix(cls.__name__)
            raise RefusedError(
                [
                    Refusal(
                        path, shown(error.given), "a plain value", f"it {error.what}; {_WHY}", "write the value itself"
                    )
                ]
            ) from None


def _refuse_output(field: str, value: object) -> None:
    if any(kind.__module__.startswith("pulumi.") and kind.__name__ == "Output" for kind in type(value).__mro__):
        raise OutputGivenError(field, "is a Pulumi Output", "a Pulumi Output")
    if isinstance(value, str) and any(text in value for text in OUTPUT_TEXTS):
        raise OutputGivenError(field, "holds the text of a Pulumi Output that was put into a string", value)
    if isinstance(value, list | tuple):
        for position, item in enumerate(value):
            _refuse_output(f"{field}[{position}]", item)
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_output(f"{field}.{key}", item)
