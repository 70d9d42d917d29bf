"""Where in a spec the location of a fault leads: fields, rows, values of mappings, and the kinds of a union."""

from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Location = tuple[int | str, ...]

_KEY = "[key]"
"""pydantic's last step to a mapping's key; the step before it is the key itself."""


def follow(model: type[BaseModel], location: Location) -> tuple[Location, FieldInfo]:
    """The location as a person would look for it, without the tags of unions, and the field it leads to."""
    written: list[int | str] = []
    above = at = _bare(model)
    for step in location:
        tagged = _tagged(at)
        if step in tagged:
            at = _bare(tagged[step])
        elif step == _KEY and get_origin(above.annotation) is dict:
            at = FieldInfo(annotation=get_args(above.annotation)[0], description=above.description)
        else:
            above, at = at, _below(at, step)
            written.append(str(step) if get_origin(above.annotation) is dict else step)
    return tuple(written), at


def _below(at: FieldInfo, step: int | str) -> FieldInfo:
    """A field of a model, a row of a list or a value of a mapping."""
    for kind in models_in(at.annotation) if get_origin(at.annotation) is not tuple else ():
        for name, info in kind.model_fields.items():
            if step in (name, info.alias):
                return _given(info)
    inner = get_args(stated(at.annotation))
    if get_origin(at.annotation) is tuple and isinstance(step, int):
        row = _bare(inner[0])
        row.description = row.description or at.description
        return row
    if get_origin(at.annotation) is dict:
        return FieldInfo(annotation=inner[1], description=at.description)
    return FieldInfo()


def _given(info: FieldInfo) -> FieldInfo:
    """A field that may also be left out, as it is where it is given: its bounds stand inside the union with None."""
    if (inner := stated(info.annotation)) is info.annotation:
        return info
    given = FieldInfo.from_annotation(inner)  # type: ignore[arg-type]
    given.description, given.alias = info.description, info.alias
    given.metadata = [*given.metadata, *info.metadata]
    return given


def _bare(annotation: Any) -> FieldInfo:
    """What stands there without being a field: the whole, a row, or one kind of a union."""
    info = FieldInfo.from_annotation(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        info.description = info.description or annotation.__doc__
    return info


def _tagged(at: FieldInfo) -> dict[int | str, type[BaseModel]]:
    """The kinds of a union by the tag that chooses between them."""
    if not isinstance(at.discriminator, str):
        return {}
    key = at.discriminator
    return {tag: kind for kind in models_in(at.annotation) for tag in get_args(kind.model_fields[key].annotation)}


def kinds(union: FieldInfo) -> FieldInfo:
    """The field that chooses between the kinds of a union, with the tags of all of them."""
    tagged = _tagged(union)
    first = next(iter(tagged.values())).model_fields[str(union.discriminator)]
    tags: Any = Literal[tuple(tagged)]
    return FieldInfo(annotation=tags, description=first.description)


def stated(annotation: object) -> object:
    """The type of a value that may also be left out."""
    options = [option for option in get_args(annotation) if option is not NoneType]
    return options[0] if len(options) == 1 and NoneType in get_args(annotation) else annotation


def models_in(annotation: object) -> list[type[BaseModel]]:
    """The models a type is made of, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in models_in(argument)]
